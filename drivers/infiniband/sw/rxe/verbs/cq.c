// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "../dp/sched.h"
#include "../obj/abi.h"
#include "../obj/cq.h"
#include "../obj/qp.h"
#include "compat/rdma.h"
#include "verbs.h"

/* Tell user space where the queue is; the answer is that of a resize as well */
static int share_queue(struct rxe_queue *q, struct ib_udata *udata)
{
	struct rxe_create_cq_resp resp = {};
	int err;

	err = rxe_queue_share(q, rxe_udata_ucontext(udata), &resp.mi);
	if (err)
		return err;
	return ib_respond_udata(udata, resp);
}

/**
 * rxe_create_cq() - completion queue (IBTA 11.2.8.1)
 * @ibcq: new queue
 * @attr: entries, 1 .. RXE_MAX_CQE; no flags
 * @udata: no request; answer: where to map the queue. NULL for a kernel consumer
 *
 * Context: process.
 * Return: 0, -EOPNOTSUPP for flags, -EINVAL for the number of entries, a private
 * request or no room for the answer, -ENOMEM, -ENOSPC at the limit, -EFAULT.
 */
int rxe_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  struct ib_udata *udata)
{
	struct rxe_dev *dev = to_rxe_dev(ibcq->device);
	struct rxe_cq *cq = to_rxe_cq(ibcq);
	int err;

	if (attr->flags)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > RXE_MAX_CQE)
		return -EINVAL;
	if (!rxe_udata_ok(udata, sizeof(struct rxe_create_cq_resp)))
		return -EINVAL;
	if (!rxe_limit_get(&dev->num_cq, RXE_MAX_CQ))
		return -ENOSPC;

	err = rxe_cq_init(cq, attr->cqe, udata);
	if (err)
		goto put_limit;

	if (udata) {
		err = share_queue(cq->q, udata);
		if (err)
			goto fini;
	}

	return 0;

fini:
	rxe_cq_fini(cq);
put_limit:
	rxe_limit_put(&dev->num_cq);
	return err;
}

/**
 * rxe_resize_cq() - another number of entries (IBTA 11.2.8.3)
 * @ibcq: the queue
 * @cqe: entries, 1 .. RXE_MAX_CQE, and at least those not polled yet
 * @udata: no request; answer: where to map the new queue. NULL for a kernel consumer
 *
 * No completion is lost, and none is seen twice.
 *
 * Context: process; a user's library keeps its threads from polling.
 * Return: 0, -EINVAL for the number of entries, a private request or no room for
 * the answer, -ENOMEM, -EFAULT. On failure the queue stays as it was.
 */
int rxe_resize_cq(struct ib_cq *ibcq, unsigned int cqe, struct ib_udata *udata)
{
	struct rxe_cq *cq = to_rxe_cq(ibcq);
	struct rxe_queue *q;
	struct rxe_ring ring;
	int err;

	if (!cqe || cqe > RXE_MAX_CQE || !cq->user != !udata)
		return -EINVAL;
	if (!rxe_udata_ok(udata, sizeof(struct rxe_resize_cq_resp)))
		return -EINVAL;

	q = rxe_cq_new_queue(cq, cqe, &ring);
	if (IS_ERR(q))
		return PTR_ERR(q);
	if (udata) {
		err = share_queue(q, udata);
		if (err)
			goto destroy;
	}
	err = rxe_cq_resize(cq, q, &ring);
	if (err)
		goto destroy;
	return 0;

destroy:
	rxe_queue_destroy(q);
	return err;
}

/**
 * rxe_destroy_cq() - end a completion queue
 * @ibcq: the queue; the core knows that no QP uses it
 * @udata: unused
 *
 * Context: process; waits for a running completion handler.
 * Return: 0.
 */
int rxe_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	rxe_cq_fini(to_rxe_cq(ibcq));
	rxe_limit_put(&to_rxe_dev(ibcq->device)->num_cq);
	return 0;
}

/**
 * rxe_poll_cq() - take completions, for kernel consumers
 * @ibcq: the queue
 * @num_entries: room in @wc
 * @wc: filled
 *
 * Context: any.
 * Return: number of completions, -EINVAL for a user's queue.
 */
int rxe_poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *wc)
{
	struct rxe_cq *cq = to_rxe_cq(ibcq);

	/* its consumer index is the process's */
	if (cq->user)
		return -EINVAL;
	return rxe_cq_poll(cq, num_entries, wc);
}

/*
 * Who is about to wait may have posted to mapped rings of QPs in the error state,
 * without telling: flush these now, not when their timers look after them.
 */
static void kick_flushing(struct rxe_cq *cq)
{
	struct rxe_dev *dev = to_rxe_dev(cq->ib.device);
	bool found = false;
	unsigned long qpn;
	struct rxe_qp *qp;

	WRITE_ONCE(cq->flushing, false);
	rcu_read_lock();
	xa_for_each(&dev->qps, qpn, qp) {
		if (!qp->user || rxe_qp_state(qp) != RXE_QPS_ERR ||
		    (qp->ib.send_cq != &cq->ib && qp->ib.recv_cq != &cq->ib))
			continue;
		found = true;
		rxe_dp_kick(qp, RXE_KICK_ERROR);
	}
	rcu_read_unlock();
	if (found)
		WRITE_ONCE(cq->flushing, true);
}

/**
 * rxe_req_notify_cq() - ask for an event (IBTA 11.4.2.2)
 * @ibcq: the queue
 * @flags: IB_CQ_SOLICITED or IB_CQ_NEXT_COMP, IB_CQ_REPORT_MISSED_EVENTS
 *
 * Context: any.
 * Return: 0, or 1 when missed events are asked for and there is an entry.
 */
int rxe_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct rxe_cq *cq = to_rxe_cq(ibcq);
	int ret = rxe_cq_arm(cq, flags);

	if (READ_ONCE(cq->flushing))
		kick_flushing(cq);
	return ret;
}
