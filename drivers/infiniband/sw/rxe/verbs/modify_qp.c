// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Changing a QP: check everything, then change engines and state in one go
 * under both side locks, then let the data path act on it.
 */
#include "../dp/sched.h"
#include "../obj/qp.h"
#include "../wire/aeth.h"
#include "../trace.h"
#include "compat/rdma.h"
#include "verbs.h"

#define MAX_TIMEOUT 31
#define MAX_RNR_TIMER 31
#define MAX_RETRY 7

/* The parts of a modification */
struct change {
	const struct ib_qp_attr *attr;
	int mask;
	enum rxe_qp_state cur;
	enum rxe_qp_state next;
	struct rxe_av av;
};

static_assert((int)RXE_QPS_RESET == (int)IB_QPS_RESET);
static_assert((int)RXE_QPS_SQD == (int)IB_QPS_SQD);
static_assert((int)RXE_QPS_ERR == (int)IB_QPS_ERR);
static_assert(RXE_ACC_LOCAL_WRITE == IB_ACCESS_LOCAL_WRITE);
static_assert(RXE_ACC_REMOTE_WRITE == IB_ACCESS_REMOTE_WRITE);
static_assert(RXE_ACC_REMOTE_READ == IB_ACCESS_REMOTE_READ);
static_assert(RXE_ACC_REMOTE_ATOMIC == IB_ACCESS_REMOTE_ATOMIC);
static_assert(RXE_MAX_QP_RD_ATOM == RXE_MAX_RD_ATOMIC);

/* What no QP of this device can do, whatever the values */
static int check_support(const struct ib_qp_attr *attr, int mask)
{
	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	if (mask & (IB_QP_CAP | IB_QP_ALT_PATH))
		return -EOPNOTSUPP;
	if ((mask & IB_QP_PATH_MIG_STATE) &&
	    attr->path_mig_state != IB_MIG_MIGRATED)
		return -EOPNOTSUPP;
	if ((mask & IB_QP_ACCESS_FLAGS) &&
	    (attr->qp_access_flags & ~RXE_ACCESS_SUPPORTED))
		return -EOPNOTSUPP;
	return 0;
}

/* Ranges that hold for any QP type (IBTA 11.2.4.2) */
static int check_values(const struct rxe_dev *dev,
			const struct ib_qp_attr *attr, int mask)
{
	if ((mask & IB_QP_PORT) && attr->port_num != 1)
		return -EINVAL;
	if ((mask & IB_QP_PKEY_INDEX) && attr->pkey_index >= RXE_PORT_PKEYS)
		return -EINVAL;
	if ((mask & IB_QP_PATH_MTU) &&
	    (attr->path_mtu < IB_MTU_256 ||
	     attr->path_mtu > ib_mtu_int_to_enum(READ_ONCE(dev->mtu))))
		return -EINVAL;
	if ((mask & IB_QP_DEST_QPN) && attr->dest_qp_num > RXE_QPN_MASK)
		return -EINVAL;
	if ((mask & IB_QP_TIMEOUT) && attr->timeout > MAX_TIMEOUT)
		return -EINVAL;
	if ((mask & IB_QP_RETRY_CNT) && attr->retry_cnt > MAX_RETRY)
		return -EINVAL;
	if ((mask & IB_QP_RNR_RETRY) && attr->rnr_retry > MAX_RETRY)
		return -EINVAL;
	if ((mask & IB_QP_MIN_RNR_TIMER) && attr->min_rnr_timer > MAX_RNR_TIMER)
		return -EINVAL;
	if ((mask & IB_QP_MAX_QP_RD_ATOMIC) &&
	    attr->max_rd_atomic > RXE_MAX_QP_RD_ATOM)
		return -EINVAL;
	if ((mask & IB_QP_MAX_DEST_RD_ATOMIC) &&
	    attr->max_dest_rd_atomic > RXE_MAX_QP_RD_ATOM)
		return -EINVAL;
	return 0;
}

/* Resolve the primary path; the UDP source port depends on both QPNs */
static int check_av(struct rxe_qp *qp, struct change *c)
{
	const struct rdma_ah_attr *ah = &c->attr->ah_attr;
	u32 dest;
	int err;

	if (!(c->mask & IB_QP_AV))
		return 0;

	err = rxe_av_check(qp->dev, ah);
	if (err)
		return err;
	dest = c->mask & IB_QP_DEST_QPN ? c->attr->dest_qp_num :
					  qp->attr.dest_qp_num;
	return rxe_av_set(qp->dev, ah, qp->ib.qp_num, dest, &c->av);
}

static int check_change(struct rxe_qp *qp, struct change *c)
{
	const struct ib_qp_attr *attr = c->attr;
	int err;

	err = check_support(attr, c->mask);
	if (err)
		return err;
	if ((c->mask & IB_QP_CUR_STATE) &&
	    (int)attr->cur_qp_state != (int)c->cur)
		return -EINVAL;
	if (!ib_modify_qp_is_ok((enum ib_qp_state)c->cur,
				(enum ib_qp_state)c->next, qp->ib.qp_type,
				c->mask))
		return -EINVAL;
	err = check_values(qp->dev, attr, c->mask);
	if (err)
		return err;
	return check_av(qp, c);
}

/* Requester side of the attributes; the AV serves both sides */
static void apply_send(struct rxe_qp *qp, const struct change *c)
{
	const struct ib_qp_attr *attr = c->attr;
	struct rxe_req *req = &qp->req;
	int mask = c->mask;

	lockdep_assert_held(&qp->send_lock);

	if (mask & IB_QP_AV)
		qp->av = c->av;
	if (mask & IB_QP_QKEY)
		req->qkey = attr->qkey;
	if (mask & IB_QP_PATH_MTU)
		req->mtu = ib_mtu_enum_to_int(attr->path_mtu);
	if (mask & IB_QP_DEST_QPN)
		req->dest_qpn = attr->dest_qp_num;
	if (mask & IB_QP_TIMEOUT)
		req->timeout_ns = rxe_timeout_to_ns(attr->timeout);
	if (mask & IB_QP_RETRY_CNT)
		req->retry_cnt = attr->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		req->rnr_retry = attr->rnr_retry;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		req->max_rd_atomic = attr->max_rd_atomic;
}

static void apply_recv(struct rxe_qp *qp, const struct change *c)
{
	const struct ib_qp_attr *attr = c->attr;
	struct rxe_resp *resp = &qp->resp;
	int mask = c->mask;

	lockdep_assert_held(&qp->recv_lock);

	if (mask & IB_QP_ACCESS_FLAGS)
		resp->access = attr->qp_access_flags &
			       (RXE_ACC_REMOTE_WRITE | RXE_ACC_REMOTE_READ |
				RXE_ACC_REMOTE_ATOMIC | RXE_ACC_FLUSH);
	if (mask & IB_QP_PATH_MTU)
		resp->mtu = ib_mtu_enum_to_int(attr->path_mtu);
	if (mask & IB_QP_DEST_QPN)
		resp->peer_qpn = attr->dest_qp_num;
	if (mask & IB_QP_MIN_RNR_TIMER)
		resp->min_rnr_timer = attr->min_rnr_timer;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		resp->max_res = attr->max_dest_rd_atomic;
}

/* No send is accepted before RTS. What a user's ring holds nevertheless was put
 * there before its doorbell was refused, and must not go out after all.
 */
static void drop_refused(struct rxe_sq *sq)
{
	rxe_ring_consume(&sq->ring, rxe_ring_filled(&sq->ring));
	sq->fetched = 0;
	sq->stale = 0;
}

/* What the transition itself does to the engines */
static void apply_transition(struct rxe_qp *qp, const struct change *c)
{
	const struct ib_qp_attr *attr = c->attr;

	if (c->cur == RXE_QPS_INIT && c->next == RXE_QPS_RTR) {
		rxe_resp_reset(&qp->resp,
			       c->mask & IB_QP_RQ_PSN ? attr->rq_psn : 0);
	} else if (c->cur == RXE_QPS_RTR && c->next == RXE_QPS_RTS) {
		drop_refused(&qp->sq);
		rxe_req_reset(&qp->req, attr->sq_psn);
	} else if (c->cur == RXE_QPS_SQE && c->next == RXE_QPS_RTS) {
		rxe_sq_restart(qp);
	}

	/* staying in SQD leaves both as they are */
	if (c->cur != c->next) {
		bool to_sqd = c->next == RXE_QPS_SQD;

		qp->req.draining = to_sqd;
		qp->sq_drained_notify = to_sqd &&
					(c->mask & IB_QP_EN_SQD_ASYNC_NOTIFY) &&
					attr->en_sqd_async_notify;
	}
}

/* The data path may have put the QP into ERR or SQE since @c was checked; that
 * stands in the way of everything but going to RESET or ERR.
 */
static int apply_change(struct rxe_qp *qp, const struct change *c)
{
	bool final = c->next == RXE_QPS_RESET || c->next == RXE_QPS_ERR;
	int err = 0;

	spin_lock_bh(&qp->send_lock);
	spin_lock_bh(&qp->recv_lock);
	spin_lock(&qp->state_lock);

	if (qp->state != c->cur && !final) {
		err = -EINVAL;
		goto unlock;
	}
	apply_send(qp, c);
	apply_recv(qp, c);
	apply_transition(qp, c);
	trace_rxe_qp_state(qp, c->next);
	WRITE_ONCE(qp->state, c->next);

unlock:
	spin_unlock(&qp->state_lock);
	rxe_dp_unlock_recv(qp);
	rxe_dp_unlock_send(qp);
	return err;
}

/* Attributes that only query_qp needs, and those that it shows; it has the PSNs from
 * the engines
 */
static void keep_attr(struct rxe_qp *qp, const struct ib_qp_attr *attr,
		      int mask)
{
	struct ib_qp_attr *kept = &qp->attr;

	spin_lock_bh(&qp->state_lock);
	if (mask & IB_QP_PORT)
		kept->port_num = attr->port_num;
	if (mask & IB_QP_PKEY_INDEX)
		kept->pkey_index = attr->pkey_index;
	if (mask & IB_QP_ACCESS_FLAGS)
		kept->qp_access_flags = attr->qp_access_flags;
	if (mask & IB_QP_QKEY)
		kept->qkey = attr->qkey;
	if (mask & IB_QP_AV) {
		kept->ah_attr = attr->ah_attr;
		/* the core holds the reference to the source GID */
		kept->ah_attr.grh.sgid_attr = NULL;
	}
	if (mask & IB_QP_PATH_MTU)
		kept->path_mtu = attr->path_mtu;
	if (mask & IB_QP_DEST_QPN)
		kept->dest_qp_num = attr->dest_qp_num;
	if (mask & IB_QP_TIMEOUT)
		kept->timeout = attr->timeout;
	if (mask & IB_QP_RETRY_CNT)
		kept->retry_cnt = attr->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		kept->rnr_retry = attr->rnr_retry;
	if (mask & IB_QP_MIN_RNR_TIMER)
		kept->min_rnr_timer = attr->min_rnr_timer;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		kept->max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		kept->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		kept->en_sqd_async_notify = attr->en_sqd_async_notify;
	spin_unlock_bh(&qp->state_lock);
}

static void forget_attr(struct rxe_qp *qp)
{
	spin_lock_bh(&qp->state_lock);
	qp->attr = (struct ib_qp_attr){ .cap = qp->attr.cap };
	spin_unlock_bh(&qp->state_lock);
}

/* Let the data path see the new state */
static void after_change(struct rxe_qp *qp, const struct change *c)
{
	if (c->mask & IB_QP_AV)
		rxe_dp_qp_reroute(qp);

	switch (c->next) {
	case RXE_QPS_RESET:
		forget_attr(qp);
		rxe_dp_qp_reset(qp);
		break;
	case RXE_QPS_ERR:
		rxe_dp_kick(qp, RXE_KICK_ERROR);
		break;
	case RXE_QPS_RTS:
	case RXE_QPS_SQD:
		/* resume, or find out that the queue is drained already */
		rxe_dp_kick(qp, RXE_KICK_SEND);
		break;
	default:
		break;
	}
}

/**
 * rxe_modify_qp() - change attributes and state of a QP (IBTA 11.2.4.2)
 * @ibqp: the QP
 * @attr: new values of what @mask names; source GID and destination MAC of the
 *	path resolved by the core
 * @mask: enum ib_qp_attr_mask
 * @udata: no private data either way; NULL for a kernel consumer
 *
 * All or nothing: an attribute that is refused leaves the QP as it was. After a
 * change to RESET both queues are empty; after one to ERR they are flushed.
 *
 * Context: process, takes modify_mutex and both side locks.
 * Return: 0, -EOPNOTSUPP for an attribute not supported, -EINVAL for one that is
 * missing, not allowed in this transition or out of range, or when the QP left
 * the state it was in, -EFAULT.
 */
int rxe_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata)
{
	struct rxe_qp *qp = to_rxe_qp(ibqp);
	struct change c = { .attr = attr, .mask = mask };
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;

	mutex_lock(&qp->modify_mutex);
	c.cur = rxe_qp_state(qp);
	c.next = mask & IB_QP_STATE ? (enum rxe_qp_state)attr->qp_state : c.cur;

	err = check_change(qp, &c);
	if (err)
		goto unlock;
	err = apply_change(qp, &c);
	if (err)
		goto unlock;
	keep_attr(qp, attr, mask);
	after_change(qp, &c);

unlock:
	mutex_unlock(&qp->modify_mutex);
	return err;
}
