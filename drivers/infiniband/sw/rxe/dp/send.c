// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "send.h"

#include "../obj/complete.h"
#include "../obj/counters.h"
#include "../trace.h"
#include "../obj/mw.h"
#include "answer.h"
#include "credit.h"
#include "event.h"
#include "fault.h"
#include "skb.h"
#include "xmit.h"

/* Packets of one work request built in a row */
#define BURST_MAX 16
/* A consumer posts to a mapped ring without telling: how soon one whose QP is in error
 * is looked at again, and how rarely, when nothing was found for a while
 */
#define MIN_RESCAN_NS (50 * NSEC_PER_MSEC)
#define MAX_RESCAN_NS NSEC_PER_SEC

static bool is_send(const struct rxe_swqe *w)
{
	return w->op == RXE_WR_SEND || w->op == RXE_WR_SEND_IMM ||
	       w->op == RXE_WR_SEND_INV;
}

/* What is left to do when a request completes: READ with invalidate */
static void finish(struct rxe_dp_qp *qp, struct rxe_swqe *w)
{
	if (w->op == RXE_WR_READ_INV && w->status == RXE_ST_SUCCESS &&
	    rxe_mr_invalidate(qp->qp.dev, qp->qp.ib.pd, qp->qp.ib.qp_num,
			      w->inv_rkey))
		w->status = RXE_ST_LOC_QP_OP_ERR;
}

/* Complete what is finished, oldest first, up to one that is no success. True: that one
 * stops the queue. The state is written first: who polls may modify the QP at once.
 */
static bool complete_finished(struct rxe_dp_qp *qp)
{
	bool good = true, stops = false, failed = false;
	struct rxe_swqe *w;

	while (good && (w = rxe_req_oldest(&qp->qp.req))) {
		finish(qp, w);
		good = w->status == RXE_ST_SUCCESS;
		stops = !good && w->status != RXE_ST_WR_FLUSH_ERR;
		if (good && is_send(w))
			rxe_count(qp->qp.dev, RXE_CNT_RDMA_SENDS);
		else if (stops)
			failed = rxe_qp_fail(&qp->qp, RXE_QPE_SEND_ERROR);
		if (!rxe_complete_send(&qp->qp, w)) {
			rxe_dp_completion_lost(qp, failed);
			good = false;
			stops = true;
		}
	}
	return stops;
}

/* Complete what is finished; one that failed stops the queue */
static void complete_done(struct rxe_dp_qp *qp)
{
	if (complete_finished(qp)) {
		rxe_req_flush(&qp->qp.req);
		rxe_dp_wake(qp);
	}
	while (rxe_req_oldest(&qp->qp.req))
		complete_finished(qp);
	if (qp->qp.req.draining && qp->qp.sq_drained_notify &&
	    rxe_req_drained(&qp->qp.req)) {
		qp->qp.sq_drained_notify = false;
		rxe_dp_event(qp, IB_EVENT_SQ_DRAINED);
	}
}

/* ---- completer ---- */

/* Store what a response brought. False: that waits for memory. */
static bool place(struct rxe_dp_qp *qp, struct sk_buff *skb,
		  const struct rxe_pkt *pkt, const struct rxe_ack_plan *plan)
{
	struct rxe_swqe *w = plan->w;
	struct rxe_cursor to;
	int err;

	rxe_cursor_sges(&to, qp->qp.dev, qp->qp.ib.pd, w->sge, w->num_sge,
			plan->offset, IB_ACCESS_LOCAL_WRITE);
	if (plan->verdict == RXE_ACK_PLACE)
		err = rxe_skb_copy_out(skb, pkt, &to);
	else
		err = rxe_cursor_put(&to, &pkt->orig, sizeof(pkt->orig));
	rxe_cursor_rest(&to);
	err = rxe_fault(&qp->send, &to, err);
	if (err == -EAGAIN) {
		qp->unplaced = *plan;
		return false;
	}
	if (err)
		rxe_req_done(&qp->qp.req, w, RXE_ST_LOC_PROT_ERR);
	return true;
}

static void count_response(struct rxe_dev *dev, const struct rxe_ack_plan *plan)
{
	if (plan->rnr_nak)
		rxe_count(dev, RXE_CNT_RCV_RNR);
	if (plan->seq_nak)
		rxe_count(dev, RXE_CNT_RCV_SEQ_ERR);
	if (plan->rewound)
		rxe_count(dev, RXE_CNT_COMP_RETRY);
	if (plan->verdict == RXE_ACK_FATAL &&
	    plan->status == RXE_ST_RNR_RETRY_EXC_ERR)
		rxe_count(dev, RXE_CNT_RNR_RETRY_EXCEEDED);
}

/* False: @skb has to come again, before anything else */
static bool judge_response(struct rxe_dp_qp *qp, struct sk_buff *skb,
			   const struct rxe_pkt *pkt, u64 now)
{
	struct rxe_ack_plan plan;

	if (qp->unplaced.w) {
		plan = qp->unplaced;
		qp->unplaced.w = NULL;
		return place(qp, skb, pkt, &plan);
	}
	if (qp->qp.transport != RXE_RC ||
	    rxe_qp_reaction(&qp->qp, RXE_QPE_RX_RESPONSE) != RXE_QPA_ACCEPT ||
	    !rxe_skb_from_peer(skb, &qp->qp.av))
		return true;

	if (pkt->info->flags & RXE_F_CNP) {
		rxe_req_cnp(&qp->qp.req, now);
		/* It may be for READ answers, which no window holds back */
		WRITE_ONCE(qp->rest_ns, now + RXE_CNP_NS);
		return true;
	}
	if (rxe_skb_is_marked(skb))
		rxe_answer_marked(qp, &qp->send, &qp->qp.req.cnp, now);
	rxe_req_ack(&qp->qp.req, pkt, now, &plan);
	trace_rxe_rx_response(&qp->qp, pkt, &plan);
	count_response(qp->qp.dev, &plan);
	return (plan.verdict != RXE_ACK_PLACE &&
		plan.verdict != RXE_ACK_ATOMIC) ||
	       place(qp, skb, pkt, &plan);
}

/* Consumes @skb */
static void take_response(struct rxe_dp_qp *qp, struct sk_buff *skb,
			  const struct rxe_pkt *pkt, u64 now)
{
	if (judge_response(qp, skb, pkt, now))
		consume_skb(skb);
	else
		skb_queue_head(&qp->send.rx, skb);
}

/* Take what waits; what it finishes is completed by the caller */
static void take_responses(struct rxe_dp_qp *qp, u64 now, u32 *budget)
{
	struct sk_buff *skb;
	struct rxe_pkt pkt;

	while (*budget && !rxe_fault_waits(&qp->send) &&
	       !skb_queue_empty_lockless(&qp->send.rx)) {
		skb = skb_dequeue(&qp->send.rx);
		if (!skb)
			break;
		if (!rxe_skb_parse(skb, &pkt))
			take_response(qp, skb, &pkt, now);
		else
			kfree_skb(skb);
		--*budget;
	}
}

/* ---- requester ---- */

/* Where a datagram goes; false: no such address handle in this PD */
static bool datagram_av(struct rxe_dp_qp *qp, const struct rxe_swqe *w,
			struct rxe_av *av)
{
	struct rxe_ah_entry *ah = xa_load(&qp->qp.dev->ahs, w->ah);

	if (!ah || ah->pd != qp->qp.ib.pd)
		return false;
	*av = ah->av;
	av->ip.sport = rxe_av_ud_sport(av, qp->qp.req.src_qpn);
	return true;
}

static void payload_of(struct rxe_dp_qp *qp, struct rxe_swqe *w, u32 offset,
		       struct rxe_cursor *from)
{
	if (w->flags & RXE_WR_INLINE)
		rxe_cursor_inline(from, rxe_swqe_inline(w), offset);
	else
		rxe_cursor_sges(from, qp->qp.dev, qp->qp.ib.pd, w->sge,
				w->num_sge, offset, 0);
}

/* The FLUSHes that the peer sent tell which ICRC it takes on ours */
static void learn_icrc(struct rxe_dp_qp *qp)
{
	int news = xchg(&qp->peer_icrc, RXE_ICRC_NO_NEWS);

	if (news != RXE_ICRC_NO_NEWS)
		rxe_req_icrc(&qp->qp.req, news == RXE_ICRC_TWICE);
}

/* Build and send a run. One that cannot be built fails its work request. */
static void send_run(struct rxe_dp_qp *qp, const struct rxe_req_run *run,
		     u64 now)
{
	struct rxe_req *req = &qp->qp.req;
	const struct rxe_av *av = &qp->qp.av;
	struct rxe_swqe *w = run->w;
	struct rxe_cursor from;
	struct rxe_av ud_av;
	struct rxe_pkt pkt;
	struct sk_buff *skb;
	bool lost = true; /* the cursor is not at the next packet */
	u32 i, offset;

	if (qp->qp.transport == RXE_UD) {
		av = &ud_av;
		if (w->length > req->mtu || !datagram_av(qp, w, &ud_av)) {
			rxe_req_done(req, w,
				     w->length > req->mtu ?
					     RXE_ST_LOC_LEN_ERR :
					     RXE_ST_LOC_QP_OP_ERR);
			return;
		}
	}

	if (w->op == RXE_WR_FLUSH)
		learn_icrc(qp);
	for (i = 0; i < run->n; i++) {
		rxe_req_pkt(req, run, i, &pkt, &offset);
		if (lost)
			payload_of(qp, w, offset, &from);
		skb = rxe_skb_build(qp, &qp->send, av, &pkt, &from);
		/* Without memory the packet is lost before it was made */
		lost = IS_ERR(skb);
		if (!lost) {
			if (rxe_dp_xmit(qp, &qp->send, av, skb)) {
				rxe_pause_forget(&req->pause);
			} else if (rxe_req_congested(req, now)) {
				rxe_req_sent(req, run, i, now);
				return;
			}
		} else if (PTR_ERR(skb) != -ENOMEM) {
			rxe_req_sent(req, run, i, now);
			if (rxe_fault(&qp->send, &from, PTR_ERR(skb)) !=
			    -EAGAIN)
				rxe_req_done(req, w, RXE_ST_LOC_PROT_ERR);
			return;
		}
	}
	rxe_req_sent(req, run, run->n, now);
}

static void local_op(struct rxe_dp_qp *qp, struct rxe_swqe *w)
{
	struct rxe_dev *dev = qp->qp.dev;
	u8 status = RXE_ST_SUCCESS;

	switch (w->op) {
	case RXE_WR_LOCAL_INV:
		if (rxe_mr_invalidate(dev, qp->qp.ib.pd, qp->qp.ib.qp_num,
				      w->inv_rkey))
			status = RXE_ST_LOC_QP_OP_ERR;
		break;
	case RXE_WR_REG_MR:
		if (rxe_mr_fast_register(dev, qp->qp.ib.pd, w->local.obj,
					 w->local.key, w->local.access))
			status = RXE_ST_LOC_QP_OP_ERR;
		break;
	case RXE_WR_BIND_MW:
		if (rxe_mw_bind(&qp->qp, w))
			status = RXE_ST_MW_BIND_ERR;
		break;
	default:
		status = RXE_ST_LOC_QP_OP_ERR;
		break;
	}
	rxe_req_done(&qp->qp.req, w, status);
}

/* Send until nothing more may be sent, or an answer waits that may change what is sent.
 * True: there is more.
 */
static bool send_requests(struct rxe_dp_qp *qp, u64 now, u32 *budget)
{
	struct rxe_req *req = &qp->qp.req;
	struct rxe_req_run run;
	u32 room;

	for (; qp->qp.sq.stale && *budget && rxe_sq_fetch(&qp->qp); --*budget)
		complete_done(qp);
	while (*budget) {
		if (rxe_qp_reaction(&qp->qp, RXE_QPE_CONT_SEND) !=
		    RXE_QPA_ACCEPT)
			return false;
		if (req->cur == req->prod &&
		    (rxe_qp_reaction(&qp->qp, RXE_QPE_START_SEND) !=
			     RXE_QPA_ACCEPT ||
		     !rxe_sq_fetch(&qp->qp)))
			return false;
		/* No path MTU was agreed on: that of the interface, as it is now */
		if (qp->qp.transport == RXE_UD)
			req->mtu = READ_ONCE(qp->qp.dev->mtu);
		room = rxe_credit_room(qp->send.credit);
		if (!room)
			return false;

		switch (rxe_req_next(req, now, min3(room, *budget, BURST_MAX),
				     &run)) {
		case RXE_REQ_SEND:
			send_run(qp, &run, now);
			*budget -= run.n;
			break;
		case RXE_REQ_LOCAL:
			local_op(qp, run.w);
			--*budget;
			break;
		case RXE_REQ_EMPTY:
			break;
		case RXE_REQ_WAIT:
			complete_done(qp);
			return false;
		}
		/* Datagrams and local operations are finished already */
		complete_done(qp);
		if (rxe_fault_waits(&qp->send))
			return false;
		if (!skb_queue_empty_lockless(&qp->send.rx))
			break;
	}
	return true;
}

/* ---- timer ---- */

static void check_timeout(struct rxe_dp_qp *qp, u64 now)
{
	struct rxe_ack_plan plan;

	rxe_req_timeout(&qp->qp.req, now, &plan);
	if (plan.rewound || plan.verdict == RXE_ACK_FATAL)
		trace_rxe_timeout(&qp->qp, plan.verdict == RXE_ACK_FATAL);
	if (plan.rewound)
		rxe_count(qp->qp.dev, RXE_CNT_COMP_RETRY);
	if (plan.verdict == RXE_ACK_FATAL)
		rxe_count(qp->qp.dev, RXE_CNT_RETRY_EXCEEDED);
}

/* ---- who runs it ---- */

static void look_again(struct rxe_dp_qp *qp, bool found, u64 now)
{
	u32 last = found ? 0 : READ_ONCE(qp->rescan_ns);
	u32 next = clamp_t(u64, 2ULL * last, MIN_RESCAN_NS, MAX_RESCAN_NS);

	WRITE_ONCE(qp->rescan_ns, next);
	WRITE_ONCE(to_rxe_cq(qp->qp.ib.send_cq)->flushing, true);
	WRITE_ONCE(to_rxe_cq(qp->qp.ib.recv_cq)->flushing, true);
	rxe_side_arm(&qp->send, now + next, now);
}

/* The queue stopped: fail what is on it, within a budget, for a consumer may go
 * on posting for ever. True: there is more.
 */
static bool flush(struct rxe_dp_qp *qp, u64 now)
{
	u32 n = RXE_FLUSH_BUDGET;

	skb_queue_purge(&qp->send.rx);
	if (qp->unplaced.w)
		rxe_req_done(&qp->qp.req, qp->unplaced.w, RXE_ST_WR_FLUSH_ERR);
	qp->unplaced.w = NULL;
	complete_finished(qp);
	while (n && rxe_sq_fetch(&qp->qp))
		n--;
	rxe_req_flush(&qp->qp.req);
	complete_done(qp);
	if (qp->qp.user)
		look_again(qp, n < RXE_FLUSH_BUDGET, now);
	return !n;
}

/* All there is to do on the send side, within a budget. True: there is more. */
static bool work(struct rxe_dp_qp *qp)
{
	u32 budget = RXE_SIDE_BUDGET;
	bool more = false;
	u64 now;

	lockdep_assert_held(&qp->qp.send_lock);
	/* Nothing completes in RESET (IBTA 10.3.1.1) */
	if (rxe_side_is_dead(&qp->send) ||
	    rxe_qp_state(&qp->qp) == RXE_QPS_RESET) {
		rxe_side_drop(&qp->send);
		qp->unplaced.w = NULL;
		return false;
	}

	rcu_read_lock();
	do {
		budget--;
		rxe_side_look(&qp->send);
		now = ktime_get_ns();
		if (rxe_qp_reaction(&qp->qp, RXE_QPE_CONT_SEND) ==
		    RXE_QPA_FLUSH) {
			more = flush(qp, now);
			break;
		}
		take_responses(qp, now, &budget);
		/* Nor when the wait is just over: what was not placed is not complete */
		if (rxe_fault_waits(&qp->send) || qp->unplaced.w)
			break;
		check_timeout(qp, now);
		complete_done(qp);
		more = send_requests(qp, now, &budget);
	} while (budget && (test_bit(RXE_SIDE_PENDING, &qp->send.state) ||
			    !skb_queue_empty_lockless(&qp->send.rx)));
	if (rxe_qp_state(&qp->qp) != RXE_QPS_ERR && !rxe_fault_waits(&qp->send))
		rxe_side_arm(&qp->send, rxe_req_deadline(&qp->qp.req), now);
	rcu_read_unlock();
	return more || !budget;
}

/* While memory is waited for the queue waits too */
static void leave(struct rxe_dp_qp *qp, bool more) __releases(qp->send.lock)
{
	rxe_side_leave(&qp->send, more, rxe_fault_waits(&qp->send));
}

/**
 * rxe_send_kick() - there is work: do it here unless somebody is at it
 * @qp: the QP
 *
 * Context: BH disabled; not the send side lock of @qp, other side locks may be
 * held.
 */
void rxe_send_kick(struct rxe_dp_qp *qp)
{
	if (rxe_side_enter(&qp->send))
		leave(qp, work(qp));
}

/**
 * rxe_send_rx() - a response packet for this QP
 * @qp: the QP
 * @skb: consumed
 * @pkt: what rxe_skb_parse() found in it
 *
 * Context: BH disabled, RCU read section; other side locks may be held.
 */
void rxe_send_rx(struct rxe_dp_qp *qp, struct sk_buff *skb,
		 const struct rxe_pkt *pkt)
{
	if (rxe_side_is_next(&qp->send, skb) && spin_trylock(qp->send.lock)) {
		/* Behind those that another CPU queued in the meantime */
		if (skb_queue_empty_lockless(&qp->send.rx) &&
		    !rxe_side_is_dead(&qp->send) && !rxe_fault_waits(&qp->send))
			take_response(qp, skb, pkt, ktime_get_ns());
		else
			skb_queue_tail(&qp->send.rx, skb);
	} else if (!rxe_side_queue(&qp->send, skb) ||
		   !rxe_side_enter(&qp->send)) {
		return;
	}
	leave(qp, work(qp));
}

/**
 * rxe_send_task() - tasklet of the send side
 * @task: the tasklet
 *
 * Context: softirq.
 */
void rxe_send_task(struct tasklet_struct *task)
{
	struct rxe_dp_qp *qp = from_tasklet(qp, task, send.task);
	bool more;

	spin_lock(&qp->qp.send_lock);
	more = work(qp);
	leave(qp, more);
	rxe_dp_raise_events(qp);
}

/**
 * rxe_send_timer() - the requester's deadline, or an earlier one
 * @timer: the timer
 *
 * Context: softirq.
 * Return: HRTIMER_NORESTART; the send side arms it again.
 */
enum hrtimer_restart rxe_send_timer(struct hrtimer *timer)
{
	struct rxe_dp_qp *qp =
		container_of(timer, struct rxe_dp_qp, send.timer);

	rxe_send_kick(qp);
	if (rxe_qp_state(&qp->qp) == RXE_QPS_ERR &&
	    !rxe_side_is_dead(&qp->recv))
		tasklet_schedule(&qp->recv.task);
	return HRTIMER_NORESTART;
}
