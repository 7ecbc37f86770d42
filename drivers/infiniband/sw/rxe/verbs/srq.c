// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "../obj/abi.h"
#include "../obj/dev.h"
#include "../obj/srq.h"
#include "compat/rdma.h"
#include "verbs.h"

/* Tell user space where the queue is */
static int share_srq(struct rxe_srq *srq, struct ib_udata *udata)
{
	struct rxe_create_srq_resp resp = {};
	u64 offset;
	u32 bytes;
	int err;

	err = rxe_queue_share(srq->rq.q, rxe_udata_ucontext(udata), &offset,
			      &bytes);
	if (err)
		return err;

	resp.mi.offset = offset;
	resp.mi.size = bytes;
	resp.srq_num = srq->num;
	return ib_respond_udata(udata, resp);
}

/**
 * rxe_create_srq() - shared receive queue (IBTA 11.2.3.1)
 * @ibsrq: new queue
 * @init: max_wr 1 .. RXE_MAX_SRQ_WR, max_sge 0 .. RXE_MAX_SRQ_SGE; what is
 *	granted is written back
 * @udata: no request; answer: where to map the queue, its number. NULL for a
 *	kernel consumer
 *
 * Context: process.
 * Return: 0, -EOPNOTSUPP for another type, -EINVAL for sizes, a private request
 * or no room for the answer, -ENOMEM, -ENOSPC at the limit, -EFAULT.
 */
int rxe_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		   struct ib_udata *udata)
{
	struct rxe_dev *dev = to_rxe_dev(ibsrq->device);
	struct rxe_srq *srq = to_rxe_srq(ibsrq);
	int err;

	if (init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	if (udata && (udata->inlen ||
		      udata->outlen < sizeof(struct rxe_create_srq_resp)))
		return -EINVAL;
	if (!rxe_limit_get(&dev->num_srq, RXE_MAX_SRQ))
		return -ENOSPC;

	err = rxe_srq_init(srq, &init->attr, udata);
	if (err)
		goto put_limit;

	if (udata) {
		err = share_srq(srq, udata);
		if (err)
			goto fini;
	}

	init->attr.max_wr = srq->rq.max_wr;
	init->attr.max_sge = srq->rq.max_sge;
	return 0;

fini:
	rxe_srq_fini(srq);
put_limit:
	rxe_limit_put(&dev->num_srq);
	return err;
}

/**
 * rxe_modify_srq() - arm the limit event
 * @ibsrq: the queue
 * @attr: srq_limit, 0 .. depth; 0 disarms
 * @mask: IB_SRQ_LIMIT
 * @udata: unused: only resizing has a private request
 *
 * Context: process.
 * Return: 0, -EOPNOTSUPP for resizing, -EINVAL for the limit.
 */
int rxe_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		   enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	if (mask & ~IB_SRQ_LIMIT)
		return -EOPNOTSUPP;
	if (!(mask & IB_SRQ_LIMIT))
		return 0;
	return rxe_srq_set_limit(to_rxe_srq(ibsrq), attr->srq_limit);
}

/**
 * rxe_query_srq() - sizes and limit
 * @ibsrq: the queue
 * @attr: filled
 *
 * Context: process.
 * Return: 0.
 */
int rxe_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct rxe_srq *srq = to_rxe_srq(ibsrq);

	attr->max_wr = srq->rq.max_wr;
	attr->max_sge = srq->rq.max_sge;
	attr->srq_limit = READ_ONCE(srq->limit);
	return 0;
}

/**
 * rxe_destroy_srq() - end a shared receive queue
 * @ibsrq: the queue; the core knows that no QP uses it
 * @udata: unused
 *
 * Context: process.
 * Return: 0.
 */
int rxe_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	rxe_srq_fini(to_rxe_srq(ibsrq));
	rxe_limit_put(&to_rxe_dev(ibsrq->device)->num_srq);
	return 0;
}

/**
 * rxe_post_srq_recv() - post receive work requests, for kernel consumers
 * @ibsrq: the queue
 * @wr: list of requests
 * @bad_wr: on failure the first request not posted
 *
 * Context: any.
 * Return: 0, -EINVAL for a user's queue or a bad request, -ENOMEM when full.
 */
int rxe_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr)
{
	struct rxe_srq *srq = to_rxe_srq(ibsrq);
	int err = srq->rq.user ? -EINVAL : 0;

	for (; wr && !err; wr = wr->next) {
		err = rxe_rq_post(&srq->rq, wr);
		if (err)
			break;
	}
	if (err)
		*bad_wr = wr;
	return err;
}
