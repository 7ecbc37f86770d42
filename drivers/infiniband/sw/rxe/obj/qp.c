// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queue pairs: memory, numbers, receive work requests */
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "../trace.h"
#include "../wire/hdr.h"
#include "abi.h"
#include "qp.h"

/* An atomic write carries its value where the SGEs or inline bytes would be */
#define MIN_SEND_AREA sizeof(u64)

static enum rxe_transport transport_of(enum ib_qp_type type)
{
	switch (type) {
	case IB_QPT_RC:
		return RXE_RC;
	case IB_QPT_UC:
		return RXE_UC;
	default:
		return RXE_UD;
	}
}

static int check_cap(const struct ib_qp_cap *cap, bool srq)
{
	if (cap->max_send_wr > RXE_MAX_QP_WR ||
	    cap->max_send_sge > RXE_MAX_SGE ||
	    cap->max_inline_data > RXE_MAX_INLINE)
		return -EINVAL;
	if (!srq && (cap->max_recv_wr > RXE_MAX_QP_WR ||
		     cap->max_recv_sge > RXE_MAX_SGE))
		return -EINVAL;
	return 0;
}

/* The send queue's ring and the private records of what was taken from it */
static int alloc_sq(struct rxe_qp *qp, struct ib_qp_cap *cap)
{
	/* SGEs and inline bytes share one area; whole SGEs fit in it */
	size_t area =
		max_t(size_t, cap->max_send_sge * sizeof(struct rxe_sge),
		      round_up(cap->max_inline_data, sizeof(struct rxe_sge)));
	struct rxe_req *req = &qp->req;
	struct rxe_sq *sq = &qp->sq;
	size_t room = max(area, MIN_SEND_AREA);
	struct rxe_queue *q;

	q = rxe_queue_create(&sq->ring, cap->max_send_wr,
			     sizeof(struct rxe_send_wqe) + room);
	if (IS_ERR(q))
		return PTR_ERR(q);
	req->mask = sq->ring.mask;
	req->stride = round_up(sizeof(struct rxe_swqe) + room, sizeof(u64));
	req->wqes = kvmalloc_array((size_t)req->mask + 1, req->stride,
				   GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!req->wqes) {
		rxe_queue_destroy(q);
		return -ENOMEM;
	}
	sq->q = q;
	sq->post = sq->ring;
	sq->max_sge = area / sizeof(struct rxe_sge);
	sq->max_inline = area;
	spin_lock_init(&sq->post_lock);

	cap->max_send_wr = sq->ring.mask;
	cap->max_send_sge = sq->max_sge;
	cap->max_inline_data = sq->max_inline;
	return 0;
}

static void free_sq(struct rxe_qp *qp)
{
	struct rxe_queue *q = qp->sq.q;

	kvfree(qp->req.wqes);
	spin_lock_bh(&qp->send_lock);
	qp->sq.q = NULL;
	spin_unlock_bh(&qp->send_lock);
	rxe_queue_destroy(q);
}

static int alloc_rq(struct rxe_qp *qp, struct ib_qp_cap *cap)
{
	int err;

	if (qp->ib.srq) {
		cap->max_recv_wr = 0;
		cap->max_recv_sge = 0;
		return 0;
	}
	err = rxe_rq_init(&qp->rq, cap->max_recv_wr, cap->max_recv_sge,
			  qp->user);
	if (err)
		return err;
	cap->max_recv_wr = qp->rq.ring.mask;
	return 0;
}

/**
 * rxe_qp_alloc - check what a consumer wants and allocate it
 * @qp: zeroed but for what the core sets
 * @init: attributes, of a type that is offered; .cap is set to what was granted, which
 *	is never less
 *
 * The QP is in RESET and nobody can find it. May sleep.
 *
 * Return: 0, -EINVAL beyond the limits of the device, -ENOMEM.
 */
int rxe_qp_alloc(struct rxe_qp *qp, struct ib_qp_init_attr *init)
{
	int err;

	err = check_cap(&init->cap, qp->ib.srq);
	if (err)
		return err;

	qp->transport = transport_of(init->qp_type);
	qp->dev = to_rxe_dev(qp->ib.device);
	qp->user = qp->ib.uobject;
	qp->sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->state = RXE_QPS_RESET;
	qp->req.transport = qp->transport;
	qp->req.read_psns = RXE_READ_PSNS;
	qp->req.window = RXE_WINDOW_MIN;
	qp->req.window_max = RXE_WINDOW_MAX;
	qp->resp.transport = qp->transport;
	spin_lock_init(&qp->state_lock);
	mutex_init(&qp->modify_mutex);
	spin_lock_init(&qp->send_lock);
	spin_lock_init(&qp->recv_lock);

	err = alloc_sq(qp, &init->cap);
	if (err)
		return err;
	err = alloc_rq(qp, &init->cap);
	if (err)
		goto free_sq;
	if (qp->transport == RXE_RC) {
		qp->resp.res = kcalloc(RXE_MAX_RD_ATOMIC, sizeof(*qp->resp.res),
				       GFP_KERNEL_ACCOUNT);
		if (!qp->resp.res) {
			err = -ENOMEM;
			goto free_rq;
		}
	}
	qp->attr.cap = init->cap;
	return 0;

free_rq:
	rxe_rq_fini(&qp->rq, &qp->recv_lock);
free_sq:
	free_sq(qp);
	return err;
}

/**
 * rxe_qp_release - undo rxe_qp_alloc()
 * @qp: the QP; not published, and nothing runs on it any more
 *
 * May sleep.
 */
void rxe_qp_release(struct rxe_qp *qp)
{
	kfree(qp->resp.res);
	rxe_rq_fini(&qp->rq, &qp->recv_lock);
	free_sq(qp);
	mutex_destroy(&qp->modify_mutex);
}

static void set_qpn(struct rxe_qp *qp, u32 qpn)
{
	qp->ib.qp_num = qpn;
	qp->req.src_qpn = qpn;
}

static int publish_gsi(struct rxe_qp *qp)
{
	struct rxe_dev *dev = qp->dev;
	int err = -EBUSY;

	set_qpn(qp, RXE_GSI_QPN);
	xa_lock(&dev->qps);
	if (!rcu_access_pointer(dev->gsi)) {
		rcu_assign_pointer(dev->gsi, qp);
		err = 0;
	}
	xa_unlock(&dev->qps);
	return err;
}

/**
 * rxe_qp_publish - give a QP its number and let packets find it
 * @qp: the QP; everything that the data path uses is ready
 *
 * Sets the number in @qp->ib and in the engines. The GSI QP has number 1. May
 * sleep.
 *
 * Return: 0, -EBUSY when there is a GSI QP already or no number is left, -ENOMEM.
 */
int rxe_qp_publish(struct rxe_qp *qp)
{
	struct rxe_dev *dev = qp->dev;
	u32 qpn;
	int err;

	if (qp->ib.qp_type == IB_QPT_GSI)
		return publish_gsi(qp);

	/* Reserve first: who finds the QP must find its number in it */
	err = xa_alloc_cyclic(&dev->qps, &qpn, NULL,
			      XA_LIMIT(RXE_MIN_QPN, RXE_MAX_QPN), &dev->qp_next,
			      GFP_KERNEL);
	if (err < 0)
		return err;
	set_qpn(qp, qpn);
	xa_store(&dev->qps, qpn, qp, GFP_KERNEL);
	return 0;
}

/**
 * rxe_qp_unpublish - undo rxe_qp_publish()
 * @qp: the QP
 *
 * After this no lookup has, or will have, @qp in its hands: it waits a grace
 * period, an expedited one because programs close QPs by the thousand. May sleep.
 */
void rxe_qp_unpublish(struct rxe_qp *qp)
{
	struct rxe_dev *dev = qp->dev;

	if (qp->ib.qp_type == IB_QPT_GSI) {
		xa_lock(&dev->qps);
		RCU_INIT_POINTER(dev->gsi, NULL);
		xa_unlock(&dev->qps);
	} else {
		xa_erase(&dev->qps, qp->ib.qp_num);
	}
	synchronize_rcu_expedited();
}

/**
 * rxe_qp_lookup - find a QP
 * @dev: the device
 * @qpn: QP number, 24 bits
 *
 * Any context, under RCU.
 *
 * Return: the QP, valid until rcu_read_unlock(), or NULL.
 */
struct rxe_qp *rxe_qp_lookup(struct rxe_dev *dev, u32 qpn)
{
	if (qpn == RXE_GSI_QPN)
		return rcu_dereference(dev->gsi);
	return xa_load(&dev->qps, qpn);
}

/**
 * rxe_qp_discard - forget all posted work requests, without completions
 * @qp: the QP, on its way to RESET (IBTA 10.3.1); the caller resets the engines
 *
 * Under both side locks.
 */
void rxe_qp_discard(struct rxe_qp *qp)
{
	lockdep_assert_held(&qp->send_lock);
	lockdep_assert_held(&qp->recv_lock);

	rxe_ring_consume(&qp->sq.ring, rxe_ring_filled(&qp->sq.ring));
	qp->sq.fetched = 0;
	qp->sq.stale = 0;
	qp->have_rwqe = false;
	if (qp->rq.q)
		rxe_ring_consume(&qp->rq.ring, rxe_ring_filled(&qp->rq.ring));
}

/**
 * rxe_qp_get_rwqe - take a receive work request for the message being received
 * @qp: the QP; has none
 *
 * Under @qp->recv_lock.
 *
 * Return: 0 and it is in @qp->rwqe; -EAGAIN when none is posted; -EINVAL when it is
 * unusable: @qp->rwqe.wr_id is the one to complete with an error. But for -EAGAIN
 * rxe_qp_put_rwqe() is due.
 */
int rxe_qp_get_rwqe(struct rxe_qp *qp)
{
	int err;

	lockdep_assert_held(&qp->recv_lock);

	if (qp->ib.srq)
		err = rxe_srq_fetch(to_rxe_srq(qp->ib.srq), &qp->rwqe);
	else
		err = rxe_rq_fetch(&qp->rq, &qp->rwqe);
	qp->have_rwqe = err != -EAGAIN;
	return err;
}

/**
 * rxe_qp_put_rwqe - the receive work request is done with
 * @qp: the QP
 *
 * Gives the slot back; to be called before the completion is pushed, since its
 * reader may post at once. Under @qp->recv_lock.
 */
void rxe_qp_put_rwqe(struct rxe_qp *qp)
{
	lockdep_assert_held(&qp->recv_lock);

	qp->have_rwqe = false;
	if (!qp->ib.srq)
		rxe_ring_consume(&qp->rq.ring, 1);
}

/**
 * rxe_qp_fail - something went wrong on the data path
 * @qp: the QP
 * @event: RXE_QPE_SEND_ERROR or RXE_QPE_RECV_ERROR
 *
 * Moves the QP to where IBTA 10.3.1 wants it; the caller has both sides flush.
 * Process or softirq context, also under either side lock.
 *
 * Return: true: to ERR, where it was not before.
 */
bool rxe_qp_fail(struct rxe_qp *qp, enum rxe_qp_event event)
{
	bool to_err = false;

	spin_lock_bh(&qp->state_lock);
	switch (rxe_qp_reaction(qp, event)) {
	case RXE_QPA_TO_ERR:
		trace_rxe_qp_state(qp, RXE_QPS_ERR);
		WRITE_ONCE(qp->state, RXE_QPS_ERR);
		to_err = true;
		break;
	case RXE_QPA_TO_SQE:
		trace_rxe_qp_state(qp, RXE_QPS_SQE);
		WRITE_ONCE(qp->state, RXE_QPS_SQE);
		break;
	default:
		break;
	}
	spin_unlock_bh(&qp->state_lock);
	return to_err;
}

/**
 * rxe_qp_raise - tell the consumer about an asynchronous event
 * @qp: the QP
 * @type: the event, one that belongs to a QP
 *
 * No lock may be held: the handler is the consumer's.
 */
void rxe_qp_raise(struct rxe_qp *qp, enum ib_event_type type)
{
	struct ib_event event = {
		.device = qp->ib.device,
		.element.qp = &qp->ib,
		.event = type,
	};

	if (qp->ib.event_handler)
		qp->ib.event_handler(&event, qp->ib.qp_context);
}
