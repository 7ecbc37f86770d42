// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "recv.h"

#include "../obj/counters.h"
#include "../obj/flush.h"
#include "../trace.h"
#include "../wire/hdr.h"
#include "ahead.h"
#include "answer.h"
#include "event.h"
#include "fault.h"
#include "outcome.h"
#include "skb.h"

#define GRH_BYTES 40

/* ---- execution ---- */

static void grh_of(struct sk_buff *skb, u8 *grh)
{
	memset(grh, 0, GRH_BYTES);
	if (rxe_skb_is_v6(skb))
		memcpy(grh, ipv6_hdr(skb), GRH_BYTES);
	else
		memcpy(grh + GRH_BYTES - RXE_IPV4_HDR_BYTES, ip_hdr(skb),
		       RXE_IPV4_HDR_BYTES);
}

static int place_grh(struct sk_buff *skb, struct rxe_cursor *to)
{
	u8 grh[GRH_BYTES];

	grh_of(skb, grh);
	return rxe_cursor_put(to, grh, GRH_BYTES);
}

/* Return: 0; -EAGAIN: the packet has to come again; others: the message was refused. */
static int place_send(struct rxe_dp_qp *qp, struct sk_buff *skb,
		      const struct rxe_pkt *pkt, const struct rxe_rx_plan *plan)
{
	bool ud = qp->qp.transport == RXE_UD;
	struct rxe_rwqe *rwqe = &qp->qp.rwqe;
	struct rxe_cursor to;
	int err = 0;

	if ((u64)plan->msg_bytes + (ud ? GRH_BYTES : 0) > rwqe->length) {
		rxe_request_refused(qp, pkt, RXE_NAK_INVALID_REQ,
				    RXE_ST_LOC_LEN_ERR);
		return -EMSGSIZE;
	}
	rxe_cursor_sges(&to, qp->qp.dev, rxe_qp_recv_pd(&qp->qp), rwqe->sge,
			rwqe->num_sge, plan->offset, IB_ACCESS_LOCAL_WRITE);
	if (ud)
		err = place_grh(skb, &to);
	if (!err)
		err = rxe_skb_copy_out(skb, pkt, &to);
	err = rxe_fault(&qp->recv, &to, err);
	if (err && err != -EAGAIN)
		rxe_request_refused(qp, pkt, RXE_NAK_REM_OP,
				    RXE_ST_LOC_PROT_ERR);
	return err;
}

/* A range named by the peer; bounds, key and access are checked. False: the
 * message was refused.
 */
static bool remote(struct rxe_dp_qp *qp, const struct rxe_pkt *pkt,
		   const struct rxe_rx_plan *plan, int access,
		   struct rxe_cursor *cur)
{
	if (!rxe_cursor_remote(cur, qp->qp.dev, qp->qp.ib.pd, qp->qp.ib.qp_num,
			       plan->rkey, plan->va, plan->bytes, access))
		return true;
	rxe_request_refused(qp, pkt, RXE_NAK_REM_ACCESS, RXE_ST_LOC_ACCESS_ERR);
	return false;
}

/* A copy to or from such a range failed. True: the packet has to come again; false:
 * the message was refused.
 */
static bool comes_again(struct rxe_dp_qp *qp, const struct rxe_pkt *pkt,
			const struct rxe_cursor *cur, int err)
{
	if (rxe_fault(&qp->recv, cur, err) == -EAGAIN)
		return true;
	rxe_request_refused(qp, pkt, RXE_NAK_REM_ACCESS, RXE_ST_LOC_ACCESS_ERR);
	return false;
}

/* As place_send() */
static int place_write(struct rxe_dp_qp *qp, struct sk_buff *skb,
		       const struct rxe_pkt *pkt,
		       const struct rxe_rx_plan *plan)
{
	struct rxe_cursor to;
	int err;

	/* Neither key nor address of an empty WRITE is looked at (C9-88) */
	if (!plan->bytes)
		return 0;
	if (!remote(qp, pkt, plan, IB_ACCESS_REMOTE_WRITE, &to))
		return -EACCES;
	err = rxe_skb_copy_out(skb, pkt, &to);
	if (err)
		return comes_again(qp, pkt, &to, err) ? -EAGAIN : -EACCES;
	return 0;
}

static bool completed(struct rxe_dp_qp *qp, struct sk_buff *skb,
		      const struct rxe_pkt *pkt, const struct rxe_rx_plan *plan)
{
	u32 flags = pkt->info->flags;
	bool ud = qp->qp.transport == RXE_UD;
	struct rxe_recv_info info = {
		.status = RXE_ST_SUCCESS,
		.bytes = plan->msg_bytes + (ud ? GRH_BYTES : 0),
		.write = plan->what == RXE_DO_WRITE,
		.has_imm = flags & RXE_F_IMMDT,
		.has_inv = flags & RXE_F_IETH,
		.has_grh = ud,
		.v6 = rxe_skb_is_v6(skb),
		.vlan = rxe_skb_cb(skb)->vlan,
		.solicited = pkt->se,
		.imm = pkt->imm,
		.inv_rkey = pkt->rkey,
		.src_qpn = ud ? pkt->src_qpn : qp->qp.resp.peer_qpn,
	};

	return rxe_request_completes(qp, &info);
}

/* True: @skb has to come again */
static bool do_message(struct rxe_dp_qp *qp, struct sk_buff *skb,
		       const struct rxe_pkt *pkt,
		       const struct rxe_rx_plan *plan)
{
	int err = plan->what == RXE_DO_SEND ? place_send(qp, skb, pkt, plan) :
					      place_write(qp, skb, pkt, plan);

	if (err)
		return err == -EAGAIN;
	if ((pkt->info->flags & RXE_F_IETH) &&
	    rxe_mr_invalidate(qp->qp.dev, qp->qp.ib.pd, qp->qp.ib.qp_num,
			      pkt->rkey)) {
		rxe_request_refused(qp, pkt, RXE_NAK_REM_ACCESS,
				    RXE_ST_LOC_ACCESS_ERR);
		return false;
	}
	rxe_resp_done(&qp->qp.resp, pkt, plan);
	if (plan->complete && !completed(qp, skb, pkt, plan))
		return false;
	if (!plan->ack)
		return false;
	rxe_answer_ack_soon(qp, rxe_op_starts(pkt->info->flags));
	return false;
}

static u64 time_if_others_wait(const struct rxe_dp_qp *qp)
{
	return skb_queue_empty_lockless(&qp->recv.rx) ? 0 : ktime_get_ns();
}

static void do_read(struct rxe_dp_qp *qp, const struct rxe_pkt *pkt,
		    const struct rxe_rx_plan *plan)
{
	struct rxe_cursor from;

	if (plan->bytes && !remote(qp, pkt, plan, IB_ACCESS_REMOTE_READ, &from))
		return;
	rxe_answer_ack_due(qp);
	rxe_resp_read_start(&qp->qp.resp, pkt, time_if_others_wait(qp));
}

/* Atomic against every other access, CPU's or device's: the machine's own */
static u64 perform(u64 *p, const struct rxe_pkt *pkt)
{
	if (pkt->opcode == RXE_OP_CMP_SWAP)
		return cmpxchg64((s64 *)p, pkt->compare, pkt->swap_add);
	return atomic64_fetch_add(pkt->swap_add, (atomic64_t *)p);
}

/* True: @skb has to come again */
static bool do_atomic(struct rxe_dp_qp *qp, struct sk_buff *skb,
		      const struct rxe_pkt *pkt, const struct rxe_rx_plan *plan)
{
	bool write = plan->what == RXE_DO_ATOMIC_WRITE;
	struct rxe_res res = { .first_psn = pkt->psn };
	struct rxe_cursor at;
	void *kaddr;
	ssize_t n;

	if (!remote(qp, pkt, plan,
		    write ? IB_ACCESS_REMOTE_WRITE : IB_ACCESS_REMOTE_ATOMIC,
		    &at))
		return false;
	n = rxe_cursor_next(&at, RXE_ATOMIC_BYTES, &kaddr);
	if (n < 0)
		return comes_again(qp, pkt, &at, n);
	/* A region may start anywhere: its address is aligned, its page not */
	if (n != RXE_ATOMIC_BYTES ||
	    !IS_ALIGNED((unsigned long)kaddr, RXE_ATOMIC_BYTES)) {
		rxe_cursor_rest(&at);
		rxe_request_refused(qp, pkt, RXE_NAK_INVALID_REQ,
				    RXE_ST_REM_INV_REQ_ERR);
		return false;
	}
	if (write) {
		u64 value;

		skb_copy_bits(skb, RXE_UDP_HDR_BYTES + pkt->hdr_bytes, &value,
			      sizeof(value));
		WRITE_ONCE(*(u64 *)kaddr, value);
		res.type = RXE_RES_ATOMIC_WRITE;
	} else {
		res.orig = perform(kaddr, pkt);
		res.type = RXE_RES_ATOMIC;
	}
	rxe_cursor_rest(&at);
	rxe_answer_ack_due(qp);
	rxe_resp_atomic_done(&qp->qp.resp, pkt, res.type, res.orig);
	rxe_answer_result(qp, &res);
	return false;
}

/* All of it, or a portion: other QPs and peers have to be served too. True: @skb has
 * to come again, for more is left.
 */
static bool do_flush(struct rxe_dp_qp *qp, struct sk_buff *skb,
		     const struct rxe_pkt *pkt, const struct rxe_rx_plan *plan)
{
	struct rxe_res res = { .first_psn = pkt->psn, .type = RXE_RES_FLUSH };
	struct rxe_flush flush = {
		.rkey = plan->rkey,
		.whole = plan->whole,
		.va = plan->va,
		.length = plan->bytes,
		.access = plan->access,
		.done = qp->flushed,
	};
	int ret;

	ret = rxe_flush_some(qp->qp.dev, qp->qp.ib.pd, qp->qp.ib.qp_num,
			     &flush);
	qp->flushed = ret > 0 ? flush.done : 0;
	if (ret > 0)
		return true;
	if (ret) {
		rxe_request_refused(qp, pkt, RXE_NAK_REM_ACCESS,
				    RXE_ST_LOC_ACCESS_ERR);
		return false;
	}
	if (!rxe_skb_cb(skb)->local)
		WRITE_ONCE(qp->peer_icrc, rxe_skb_cb(skb)->icrc_twice ?
						  RXE_ICRC_TWICE :
						  RXE_ICRC_ONCE);
	rxe_answer_ack_due(qp);
	rxe_resp_atomic_done(&qp->qp.resp, pkt, RXE_RES_FLUSH, 0);
	rxe_answer_result(qp, &res);
	return false;
}

/* True: @skb has to come again */
static bool execute(struct rxe_dp_qp *qp, struct sk_buff *skb,
		    const struct rxe_pkt *pkt, const struct rxe_rx_plan *plan)
{
	if (plan->need_rwqe && !qp->qp.have_rwqe) {
		int ret = rxe_qp_get_rwqe(&qp->qp);

		if (ret == -EAGAIN) {
			u8 syndrome = rxe_resp_rnr(&qp->qp.resp, pkt);

			if (syndrome) {
				rxe_count(qp->qp.dev, RXE_CNT_SND_RNR);
				rxe_answer_nak(qp, syndrome);
			}
			rxe_ahead_forget(qp);
			return false;
		}
		if (ret) {
			rxe_request_refused(qp, pkt, RXE_NAK_REM_OP,
					    RXE_ST_LOC_QP_OP_ERR);
			return false;
		}
	}

	switch (plan->what) {
	case RXE_DO_SEND:
	case RXE_DO_WRITE:
		return do_message(qp, skb, pkt, plan);
	case RXE_DO_READ:
		do_read(qp, pkt, plan);
		break;
	case RXE_DO_ATOMIC:
	case RXE_DO_ATOMIC_WRITE:
		return do_atomic(qp, skb, pkt, plan);
	case RXE_DO_FLUSH:
		return do_flush(qp, skb, pkt, plan);
	}
	return false;
}

/* Does the packet come from where it may? (IBTA 9.6.1) */
static bool admitted(struct rxe_dp_qp *qp, struct sk_buff *skb,
		     const struct rxe_pkt *pkt)
{
	u32 qkey = READ_ONCE(qp->qp.req.qkey);

	if (rxe_qp_reaction(&qp->qp, RXE_QPE_RX_REQUEST) != RXE_QPA_ACCEPT)
		return false;
	if (qp->qp.transport != RXE_UD)
		return rxe_skb_from_peer(skb, &qp->qp.av);
	if (qp->qp.req.src_qpn == RXE_GSI_QPN)
		qkey = RXE_GSI_QKEY;
	if (pkt->qkey != qkey)
		return false;
	if (rxe_skb_cb(skb)->local || rxe_skb_cb(skb)->mcast)
		return true;
	return rxe_av_owns(qp->qp.dev, rxe_skb_is_v6(skb), rxe_skb_daddr(skb));
}

/* The first packet of a peer that was faster than the connection's manager: the
 * consumer may go on to RTS (IBTA 11.6.3.1)
 */
static void establish(struct rxe_dp_qp *qp)
{
	if (qp->established || rxe_qp_state(&qp->qp) != RXE_QPS_RTR ||
	    qp->qp.transport == RXE_UD)
		return;
	qp->established = true;
	rxe_dp_event(qp, IB_EVENT_COMM_EST);
}

/* Beyond a hole. True: @skb is kept. */
static bool take_ahead(struct rxe_dp_qp *qp, struct sk_buff *skb,
		       const struct rxe_pkt *pkt, bool keep)
{
	enum rxe_kept kept = RXE_NOT_KEPT;

	if (keep)
		kept = rxe_ahead_keep(qp, skb, pkt->psn);
	rxe_request_is_missing(qp, rxe_resp_ahead(&qp->qp.resp, pkt, kept,
						  ktime_get_ns()));
	return kept == RXE_KEPT;
}

/* Consumes @skb */
static void take_request(struct rxe_dp_qp *qp, struct sk_buff *skb,
			 const struct rxe_pkt *pkt)
{
	struct rxe_rx_plan plan = { .verdict = RXE_RX_DROP };

	/* No path MTU was agreed on: that of the interface, as it is now */
	if (qp->qp.transport == RXE_UD)
		qp->qp.resp.mtu = READ_ONCE(qp->qp.dev->mtu);
	qp->was_held = rxe_skb_cb(skb)->held;
	if (admitted(qp, skb, pkt)) {
		if (qp->qp.transport == RXE_RC && rxe_skb_is_marked(skb))
			rxe_answer_marked(qp, &qp->recv, &qp->qp.resp.cnp,
					  ktime_get_ns());
		rxe_resp_rx(&qp->qp.resp, pkt, &plan);
		trace_rxe_rx_request(&qp->qp, pkt, &plan);
		if (plan.duplicate)
			rxe_count(qp->qp.dev, RXE_CNT_DUP_REQ);
	}
	switch (plan.verdict) {
	case RXE_RX_DROP:
		break;
	case RXE_RX_READ: /* goes on in work() */
		rxe_resp_read_again(&qp->qp.resp, plan.res, pkt,
				    rxe_skb_cb(skb)->arrived_ns,
				    time_if_others_wait(qp));
		break;
	case RXE_RX_EXEC:
		establish(qp);
		if (execute(qp, skb, pkt, &plan)) {
			skb_queue_head(&qp->recv.rx, skb);
			return;
		}
		break;
	case RXE_RX_ACK:
		rxe_answer_ack_soon(qp, true);
		break;
	case RXE_RX_ATOMIC:
		rxe_answer_result(qp, plan.res);
		break;
	case RXE_RX_AHEAD:
		if (take_ahead(qp, skb, pkt, plan.keep))
			return;
		break;
	case RXE_RX_FATAL:
		rxe_request_refused(qp, pkt, plan.nak, RXE_ST_REM_INV_REQ_ERR);
		break;
	}
	consume_skb(skb);
}

/* It has to wait: when it came may matter, rxe_resp_read_again() */
static void note_arrival(struct sk_buff *skb, const struct rxe_pkt *pkt)
{
	if (pkt->info->flags & RXE_F_READ)
		rxe_skb_cb(skb)->arrived_ns = ktime_get_ns();
}

static struct sk_buff *next_request(struct rxe_dp_qp *qp)
{
	struct sk_buff *skb = rxe_ahead_take(qp);

	if (skb || skb_queue_empty_lockless(&qp->recv.rx))
		return skb;
	return skb_dequeue(&qp->recv.rx);
}

/* Go on with the READ being answered. False: nothing more may be sent now. */
static bool stream(struct rxe_dp_qp *qp, u32 *budget)
{
	int n = rxe_answer_read(qp, *budget);

	if (n < 0) {
		rxe_request_fails(qp, IB_EVENT_QP_ACCESS_ERR);
		return false;
	}
	*budget -= n;
	return n;
}

/* ---- who runs it ---- */

/* The queue stopped: fail what is on it, within a budget, for a consumer may go
 * on posting for ever. True: there is more.
 */
static bool flush(struct rxe_dp_qp *qp)
{
	struct rxe_recv_info info = { .status = RXE_ST_WR_FLUSH_ERR };
	u32 n = RXE_FLUSH_BUDGET;

	rxe_answer_ack_due(qp);
	skb_queue_purge(&qp->recv.rx);
	rxe_ahead_forget(qp);
	rxe_resp_hole_closed(&qp->qp.resp);
	qp->acks_due = 0;
	qp->pause = (struct rxe_pause){};
	qp->flushed = 0;
	qp->qp.resp.reading = false;
	if (qp->qp.have_rwqe)
		rxe_complete_recv(&qp->qp, &info);
	if (qp->qp.ib.srq) {
		/* What is posted stays for others (IBTA 10.3.1.7) */
		if (!qp->last_wqe)
			rxe_dp_event(qp, IB_EVENT_QP_LAST_WQE_REACHED);
		qp->last_wqe = true;
		return false;
	}
	for (; n && rxe_qp_get_rwqe(&qp->qp) != -EAGAIN; n--)
		rxe_complete_recv(&qp->qp, &info);
	if (n < RXE_FLUSH_BUDGET)
		WRITE_ONCE(qp->rescan_ns, 0);
	return !n;
}

/* The hole has been open for a while */
static void check_hole(struct rxe_dp_qp *qp)
{
	bool give_up;

	rxe_request_is_missing(qp, rxe_resp_timeout(&qp->qp.resp,
						    ktime_get_ns(), &give_up));
	if (give_up)
		rxe_ahead_forget(qp);
}

static void arm_timer(struct rxe_dp_qp *qp)
{
	struct rxe_resp *resp = &qp->qp.resp;
	u64 now = ktime_get_ns();

	if (!resp->reading && !resp->hole_ns && !RB_EMPTY_ROOT(&qp->held))
		rxe_resp_hole(resp, now);
	rxe_side_arm(&qp->recv,
		     resp->reading ? qp->pause.until_ns : resp->hole_ns, now);
}

/* All there is to do on the receive side, within a budget. With @batch_ends the ACK
 * that is owed is sent; else more packets of a batch may follow, and the tasklet runs
 * after the last of them. True: there is more to do.
 */
static bool work(struct rxe_dp_qp *qp, bool batch_ends)
{
	u32 budget = RXE_SIDE_BUDGET;
	bool more = false;
	struct sk_buff *skb;
	struct rxe_pkt pkt;

	lockdep_assert_held(&qp->qp.recv_lock);
	/* Nothing is answered in RESET and INIT (IBTA 10.3.1) */
	if (rxe_side_is_dead(&qp->recv) ||
	    rxe_qp_state(&qp->qp) < RXE_QPS_RTR) {
		rxe_side_drop(&qp->recv);
		return false;
	}

	rcu_read_lock();
	while (budget) {
		rxe_side_look(&qp->recv);
		if (rxe_qp_state(&qp->qp) == RXE_QPS_ERR) {
			more = flush(qp);
			break;
		}
		if (rxe_fault_waits(&qp->recv))
			break;
		if (qp->qp.resp.reading) {
			if (!stream(qp, &budget))
				break;
			continue;
		}
		if (qp->qp.resp.hole_ns)
			check_hole(qp);
		skb = next_request(qp);
		if (!skb)
			break;
		budget--;
		if (!rxe_skb_parse(skb, &pkt))
			take_request(qp, skb, &pkt);
		else
			kfree_skb(skb);
	}
	if ((qp->qp.resp.hole_ns || !RB_EMPTY_ROOT(&qp->held) ||
	     qp->pause.until_ns) &&
	    !rxe_fault_waits(&qp->recv))
		arm_timer(qp);
	if (batch_ends)
		rxe_answer_ack_due(qp);
	else if (qp->acks_due && !qp->qp.resp.reading)
		more = true;
	rcu_read_unlock();
	return more || !budget;
}

/* While an answer waits the queue waits too: the credit object wakes the tasklet, or the
 * timer, which may have found the lock taken. So it does while memory is waited for, by a
 * READ answer or the packet at its head.
 */
static void leave(struct rxe_dp_qp *qp, bool more) __releases(qp->recv.lock)
{
	bool parked = qp->qp.resp.reading || rxe_fault_waits(&qp->recv);

	rxe_side_leave(&qp->recv, more, parked);
}

/**
 * rxe_recv_rx() - a request packet for this QP
 * @qp: the QP
 * @skb: consumed
 * @pkt: what rxe_skb_parse() found in it
 *
 * Context: BH disabled, RCU read section; other side locks may be held.
 */
void rxe_recv_rx(struct rxe_dp_qp *qp, struct sk_buff *skb,
		 const struct rxe_pkt *pkt)
{
	if (rxe_side_is_next(&qp->recv, skb) && spin_trylock(qp->recv.lock)) {
		/* Behind those that another CPU queued in the meantime */
		if (skb_queue_empty_lockless(&qp->recv.rx) &&
		    !rxe_side_is_dead(&qp->recv) && !qp->qp.resp.reading) {
			take_request(qp, skb, pkt);
		} else {
			note_arrival(skb, pkt);
			skb_queue_tail(&qp->recv.rx, skb);
		}
	} else {
		note_arrival(skb, pkt);
		if (!rxe_side_queue(&qp->recv, skb) ||
		    !rxe_side_enter(&qp->recv))
			return;
	}
	leave(qp, work(qp, false));
}

/**
 * rxe_recv_task() - tasklet of the receive side
 * @task: the tasklet
 *
 * Context: softirq.
 */
void rxe_recv_task(struct tasklet_struct *task)
{
	struct rxe_dp_qp *qp = from_tasklet(qp, task, recv.task);
	bool more;

	spin_lock(&qp->qp.recv_lock);
	more = work(qp, true);
	leave(qp, more);
	rxe_dp_raise_events(qp);
}

/**
 * rxe_recv_timer() - a hole is to be reported, or a full queue to be tried again
 * @timer: the timer
 *
 * Context: softirq.
 * Return: HRTIMER_NORESTART; the receive side arms it again.
 */
enum hrtimer_restart rxe_recv_timer(struct hrtimer *timer)
{
	struct rxe_dp_qp *qp =
		container_of(timer, struct rxe_dp_qp, recv.timer);

	if (rxe_side_enter(&qp->recv))
		leave(qp, work(qp, false));
	return HRTIMER_NORESTART;
}
