// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "../dp/sched.h"
#include "../obj/abi.h"
#include "../obj/mw.h"
#include "../obj/qp.h"
#include "compat/rdma.h"
#include "verbs.h"

/* Type and flags; sizes are checked where the queues are made */
static int check_init(const struct ib_qp_init_attr *init, bool user)
{
	if (init->create_flags || init->rwq_ind_tbl || init->xrcd)
		return -EOPNOTSUPP;

	switch (init->qp_type) {
	case IB_QPT_RC:
	case IB_QPT_UC:
	case IB_QPT_UD:
		break;
	case IB_QPT_GSI:
		if (user)
			return -EOPNOTSUPP;
		if (init->port_num != 1)
			return -EINVAL;
		break;
	default:
		return -EOPNOTSUPP;
	}
	return init->send_cq && init->recv_cq ? 0 : -EINVAL;
}

/* Tell user space where the queues are; the receive queue comes first */
static int share_qp(struct rxe_qp *qp, struct ib_udata *udata)
{
	struct ib_ucontext *uctx = rxe_udata_ucontext(udata);
	struct rxe_create_qp_resp resp = {};
	int err;

	if (qp->rq.q) {
		err = rxe_queue_share(qp->rq.q, uctx, &resp.rq_mi);
		if (err)
			return err;
	}
	err = rxe_queue_share(qp->sq.q, uctx, &resp.sq_mi);
	if (err)
		return err;
	return ib_respond_udata(udata, resp);
}

/**
 * rxe_create_qp() - queue pair in the RESET state (IBTA 11.2.4.1)
 * @ibqp: new queue pair
 * @init: type RC, UC, UD or GSI, queues and sizes; what is granted is written
 *	back
 * @udata: no request; answer: where to map the queues. NULL for a kernel consumer
 *
 * Context: process.
 * Return: 0, -EOPNOTSUPP for a type or flags not supported, -EINVAL for sizes,
 * port, a private request or no room for the answer, -EBUSY for a second GSI QP,
 * -ENOMEM, -ENOSPC at the limit, -EFAULT.
 */
int rxe_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		  struct ib_udata *udata)
{
	struct rxe_dev *dev = to_rxe_dev(ibqp->device);
	struct rxe_qp *qp = to_rxe_qp(ibqp);
	int err;

	err = check_init(init, udata);
	if (err)
		return err;
	if (!rxe_udata_ok(udata, sizeof(struct rxe_create_qp_resp)))
		return -EINVAL;
	if (!rxe_limit_get(&dev->num_qp, RXE_MAX_QP))
		return -ENOSPC;

	err = rxe_qp_alloc(qp, init);
	if (err)
		goto put_limit;
	err = rxe_dp_qp_init(qp, rxe_udata_pager(udata));
	if (err)
		goto release;
	if (udata) {
		err = share_qp(qp, udata);
		if (err)
			goto free_dp;
	}

	/* last: from here on packets find it, and in RESET drop off */
	err = rxe_qp_publish(qp);
	if (err)
		goto free_dp;
	return 0;

free_dp:
	rxe_dp_qp_stop(qp);
	rxe_dp_qp_free(qp);
release:
	rxe_qp_release(qp);
put_limit:
	rxe_limit_put(&dev->num_qp);
	return err;
}

/* What changes as the QP works; PSNs are 0 before they are set */
static void fill_progress(struct rxe_qp *qp, struct ib_qp_attr *attr)
{
	spin_lock_bh(&qp->send_lock);
	attr->sq_psn = qp->req.psn;
	attr->sq_draining = rxe_qp_state(qp) == RXE_QPS_SQD &&
			    !rxe_req_drained(&qp->req);
	rxe_dp_unlock_send(qp);
	spin_lock_bh(&qp->recv_lock);
	attr->rq_psn = qp->resp.epsn;
	rxe_dp_unlock_recv(qp);
}

/**
 * rxe_query_qp() - attributes, state and PSNs of a queue pair (IBTA 11.2.4.3)
 * @ibqp: the queue pair
 * @attr: filled, all of it
 * @mask: what the consumer wants; ignored
 * @init: filled: what it was created with, sizes as granted
 *
 * Context: process.
 * Return: 0.
 */
int rxe_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init)
{
	struct rxe_qp *qp = to_rxe_qp(ibqp);

	spin_lock_bh(&qp->state_lock);
	*attr = qp->attr;
	attr->qp_state = (enum ib_qp_state)rxe_qp_state(qp);
	attr->cur_qp_state = attr->qp_state;
	spin_unlock_bh(&qp->state_lock);
	fill_progress(qp, attr);

	init->event_handler = ibqp->event_handler;
	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = attr->cap;
	init->sq_sig_type = qp->sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->qp_type = ibqp->qp_type;
	init->port_num = ibqp->port;
	return 0;
}

/**
 * rxe_destroy_qp() - end a queue pair in whatever state it is
 * @ibqp: the queue pair
 * @udata: unused
 *
 * Once unpublished, which includes a grace period, no packet reaches it any more;
 * what runs on its behalf then are its own tasklets and timers, which stop() ends.
 * Packets on their way out do not refer to it.
 *
 * Context: process.
 * Return: 0.
 */
int rxe_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct rxe_dev *dev = to_rxe_dev(ibqp->device);
	struct rxe_qp *qp = to_rxe_qp(ibqp);

	rxe_qp_unpublish(qp);
	rxe_dp_qp_stop(qp);
	rxe_mw_detach_qp(qp);
	rxe_dp_qp_free(qp);
	rxe_qp_release(qp);
	rxe_limit_put(&dev->num_qp);
	return 0;
}
