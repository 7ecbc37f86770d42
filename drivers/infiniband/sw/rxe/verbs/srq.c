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
	int err;

	err = rxe_queue_share(srq->rq.q, rxe_udata_ucontext(udata), &resp.mi);
	if (err)
		return err;
	resp.srq_num = srq->num;
	return ib_respond_udata(udata, resp);
}

/**
 * rxe_create_srq() - shared receive queue (IBTA 11.2.3.1)
 * @ibsrq: new queue
 * @init: max_wr 1 .. RXE_MAX_SRQ_WR, max_sge 0 .. RXE_MAX_SRQ_SGE; what is
 *	granted is written back. srq_limit is ignored
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
	if (!rxe_udata_ok(udata, sizeof(struct rxe_create_srq_resp)))
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

	init->attr.max_wr = srq->rq.ring.mask;
	init->attr.max_sge = srq->rq.max_sge;
	return 0;

fini:
	rxe_srq_fini(srq);
put_limit:
	rxe_limit_put(&dev->num_srq);
	return err;
}

/*
 * Tell user space where the new queue is. Its library passes an address in the
 * request: the ABI has no answer here.
 */
static int share_resized(struct rxe_queue *q, struct ib_udata *udata)
{
	struct rxe_modify_srq_cmd cmd = {};
	struct mminfo mi = {};
	int err;

	if (udata->inlen < sizeof(cmd))
		return -EINVAL;
	if (ib_copy_from_udata(&cmd, udata, sizeof(cmd)))
		return -EFAULT;
	err = rxe_queue_share(q, rxe_udata_ucontext(udata), &mi);
	if (err)
		return err;
	return copy_to_user(u64_to_user_ptr(cmd.mmap_info_addr), &mi,
			    sizeof(mi)) ?
		       -EFAULT :
		       0;
}

static int resize(struct rxe_srq *srq, u32 max_wr, struct ib_udata *udata)
{
	struct rxe_queue *q;
	struct rxe_ring ring;
	int err;

	if (!rxe_srq_depth_ok(max_wr) || !srq->rq.user != !udata)
		return -EINVAL;
	q = rxe_rq_new_queue(max_wr, srq->rq.max_sge, &ring);
	if (IS_ERR(q))
		return PTR_ERR(q);
	if (udata) {
		err = share_resized(q, udata);
		if (err)
			goto destroy;
	}
	err = rxe_srq_resize(srq, q, &ring);
	if (err)
		goto destroy;
	return 0;

destroy:
	rxe_queue_destroy(q);
	return err;
}

/**
 * rxe_modify_srq() - resize, arm the limit event (IBTA 11.2.3.3)
 * @ibsrq: the queue
 * @attr: max_wr, at least what is posted; srq_limit, 0 .. depth; 0 disarms
 * @mask: IB_SRQ_MAX_WR, IB_SRQ_LIMIT
 * @udata: request: where the place of the new queue is to be written, used with
 *	IB_SRQ_MAX_WR only; no answer. NULL for a kernel consumer
 *
 * A limit is checked against the new depth, and an armed one that exceeds it
 * forbids resizing; a resize is not undone when the limit is refused.
 *
 * Context: process; nobody posts during a resize: a user's library and kernel
 * consumers see to that.
 * Return: 0, -EOPNOTSUPP for other flags, -EINVAL for the limit, the depth or a
 * short request, -ENOMEM, -EFAULT.
 */
int rxe_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		   enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct rxe_srq *srq = to_rxe_srq(ibsrq);
	int err;

	if (mask & ~(IB_SRQ_LIMIT | IB_SRQ_MAX_WR))
		return -EOPNOTSUPP;
	if (mask & IB_SRQ_MAX_WR) {
		if ((mask & IB_SRQ_LIMIT) && attr->srq_limit > attr->max_wr)
			return -EINVAL;
		err = resize(srq, attr->max_wr, udata);
		if (err)
			return err;
	}
	if (mask & IB_SRQ_LIMIT)
		return rxe_srq_set_limit(srq, attr->srq_limit);
	return 0;
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

	attr->max_wr = srq->rq.ring.mask;
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
