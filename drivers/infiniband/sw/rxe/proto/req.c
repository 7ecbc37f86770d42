// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "req_state.h"

#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "../wire/hdr.h"

#define QKEY_PRIVILEGED 0x80000000U
/* Requests before a local operation, done ones too, that are not completed yet: all of
 * them may be walked over, for each packet
 */
#define LOCAL_AHEAD_MAX 4096U

static bool is_local(const struct rxe_swqe *w)
{
	return w->op == RXE_WR_LOCAL_INV || w->op == RXE_WR_BIND_MW ||
	       w->op == RXE_WR_REG_MR;
}

/* PSNs that a message takes: its packets, or those of its response */
static u32 psn_count(const struct rxe_req *req, const struct rxe_swqe *w)
{
	if (rxe_wr_is_atomic(w) || w->op == RXE_WR_FLUSH || !w->length)
		return 1;
	return DIV_ROUND_UP(w->length, req->mtu);
}

/**
 * rxe_req_reset() - start with an empty queue
 * @req: the requester; configuration stays as it is
 * @psn: first PSN to send, 24 bits
 *
 * Context: send side lock, or no other user.
 */
void rxe_req_reset(struct rxe_req *req, u32 psn)
{
	psn &= RXE_PSN_MASK;
	req->prod = 0;
	req->cur = 0;
	req->cons = 0;
	req->psn = psn;
	req->npsn = psn;
	req->sent_psn = psn;
	req->una = psn;
	req->acked_psn = psn;
	req->ackreq_psn = psn;
	req->rd_atomic = 0;
	req->rd_psns = 0;
	req->ackreq_next = false;
	req->draining = false;
	rxe_req_cc_reset(req);
	req->retry_left = req->retry_cnt;
	req->rnr_left = req->rnr_retry;
	req->rnr_until_ns = 0;
	req->pause = (struct rxe_pause){};
	req->icrc_twice = false;
	req->icrc_sends = 0;
	req->rtt = (struct rxe_req_rtt){};
	req->timer = (struct rxe_req_timer){ .probed_psn = psn };
	req->rewind = (struct rxe_req_rewind){
		.psn = rxe_psn_sub(psn, 1),
		.refused_psn = rxe_psn_sub(psn, 1),
	};
	req->repair = (struct rxe_req_repair){ .end = psn,
					       .asked_psn = psn,
					       .resume_psn = psn };
	req->peer = (struct rxe_req_peer){};
	memset(&req->answers, 0, sizeof(req->answers));
	req->answers.far_psn = psn;
}

/**
 * rxe_req_fetch_slot() - record for the next work request
 * @req: the requester
 *
 * The caller fills it and calls rxe_req_fetched(). A request that is refused is
 * filled in all the same, with state RXE_SWQE_DONE and its status, so that it
 * fails in its turn.
 *
 * Context: send side lock.
 * Return: the record, or NULL when all are in use.
 */
struct rxe_swqe *rxe_req_fetch_slot(struct rxe_req *req)
{
	if (req->prod - req->cons > req->mask)
		return NULL;
	return rxe_req_at(req, req->prod);
}

/**
 * rxe_req_fetched() - the record of rxe_req_fetch_slot() is filled
 * @req: the requester
 *
 * Context: send side lock.
 */
void rxe_req_fetched(struct rxe_req *req)
{
	rxe_req_at(req, req->prod)->parts = false;
	req->prod++;
}

/* May @w, which has no PSNs yet, begin? */
static bool may_start(const struct rxe_req *req, const struct rxe_swqe *w)
{
	if ((w->flags & RXE_WR_FENCE) && req->rd_atomic)
		return false;
	/* Earlier requests may still use what it invalidates */
	if (w->op == RXE_WR_LOCAL_INV)
		return req->cons == req->cur;
	/* Nothing else bounds how many that are done wait behind one that is not */
	if (is_local(w))
		return req->cur - req->cons < LOCAL_AHEAD_MAX;
	if (rxe_wr_wants_response(w) && req->rd_atomic >= req->max_rd_atomic)
		return false;
	/* A peer may send all that it is asked for in one go */
	if (rxe_wr_wants_response(w) && req->rd_psns &&
	    req->rd_psns + psn_count(req, w) > req->read_psns)
		return false;
	/* Half the PSN space bounds what duplicates can be told from */
	return rxe_psn_sub(req->psn, req->una) + psn_count(req, w) <=
	       RXE_PSN_HALF;
}

static void activate(struct rxe_req *req, struct rxe_swqe *w)
{
	u32 n = psn_count(req, w);

	w->state = RXE_SWQE_ACTIVE;
	w->first_psn = req->psn;
	w->last_psn = rxe_psn_add(req->psn, n - 1);
	w->again = 0;
	req->psn = rxe_psn_add(req->psn, n);
	if (rxe_wr_wants_response(w)) {
		req->rd_atomic++;
		req->rd_psns += n;
	}
}

/* PSNs that READs before req->npsn reserve for responses */
static u32 read_psns_sent(const struct rxe_req *req)
{
	u32 n = req->rd_psns, i;

	/* There are none, or all are */
	if (!n || req->npsn == req->psn)
		return n;
	for (i = req->cur; i != req->prod; i++) {
		const struct rxe_swqe *w = rxe_req_at(req, i);

		if (w->state == RXE_SWQE_POSTED)
			break;
		if (w->state != RXE_SWQE_ACTIVE || !rxe_wr_wants_response(w))
			continue;
		n -= rxe_psn_sub(w->last_psn,
				 i == req->cur ? req->npsn : w->first_psn) +
		     1;
	}
	return n;
}

/* Packets that the window has room for. PSNs that READs reserve for their
 * responses do not count: the responder paces those.
 */
static u32 window_room(const struct rxe_req *req)
{
	s32 used = rxe_psn_sub(req->npsn, req->una) - read_psns_sent(req);

	if (req->transport != RXE_RC)
		return U32_MAX;
	return used >= (s32)req->cwnd ? 0 : req->cwnd - used;
}

/**
 * rxe_req_next() - what to do next on the send side
 * @req: the requester
 * @now: current time, ns
 * @max_pkts: longest run wanted, > 0
 * @run: filled for RXE_REQ_SEND and RXE_REQ_LOCAL
 *
 * Context: send side lock.
 * Return: what to do.
 */
enum rxe_req_verdict rxe_req_next(struct rxe_req *req, u64 now, u32 max_pkts,
				  struct rxe_req_run *run)
{
	struct rxe_swqe *w;
	u32 room;

	if (req->rnr_until_ns) {
		if (now < req->rnr_until_ns)
			return RXE_REQ_WAIT;
		rxe_req_rnr_over(req, now);
	}
	if (rxe_pause_lasts(&req->pause, now))
		return RXE_REQ_WAIT;

	rxe_req_leave_hole(req);
	for (;; req->cur++) {
		if (req->cur == req->prod)
			return RXE_REQ_EMPTY;
		w = rxe_req_at(req, req->cur);
		if (w->state != RXE_SWQE_DONE)
			break;
		/* It fails in its turn; nothing after it is sent */
		if (w->status != RXE_ST_SUCCESS)
			return RXE_REQ_WAIT;
	}

	room = window_room(req);
	/* The window shrank under what is on its way, before that asked: one more does */
	run->ackreq_first = req->ackreq_next;
	if (!room && rxe_psn_diff(req->ackreq_psn, req->una) <= 0) {
		run->ackreq_first = true;
		room = 1;
	}
	if (w->state == RXE_SWQE_POSTED) {
		if (req->draining)
			return RXE_REQ_WAIT;
		/* The QP was never given the right: waiting would not help */
		if (rxe_wr_wants_response(w) && !req->max_rd_atomic) {
			rxe_req_done(req, w, RXE_ST_LOC_QP_OP_ERR);
			return RXE_REQ_WAIT;
		}
		if (!may_start(req, w))
			return RXE_REQ_WAIT;
		if (is_local(w)) {
			run->w = w;
			return RXE_REQ_LOCAL;
		}
		if (!room)
			return RXE_REQ_WAIT;
		activate(req, w);
	}

	/* The next part of a long READ, when the one before has arrived */
	if (rxe_wr_is_read(w) && !req->repair.active && req->npsn != req->una &&
	    req->npsn != w->first_psn)
		return RXE_REQ_WAIT;

	run->w = w;
	run->psn = req->npsn;
	run->index = rxe_psn_sub(req->npsn, w->first_psn);
	run->psns = rxe_req_run_psns(req, w);
	if (rxe_wr_wants_response(w)) {
		run->n = 1;
		return RXE_REQ_SEND;
	}
	run->n = min3(max_pkts, room, run->psns);
	run->psns = run->n;
	return run->n ? RXE_REQ_SEND : RXE_REQ_WAIT;
}

/* Opcode of SEND or WRITE by place in the message and what the last one adds */
static u8 opcode_of(const struct rxe_swqe *w, bool first, bool last)
{
	static const u8 send[] = { RXE_OP_SEND_MIDDLE, RXE_OP_SEND_FIRST,
				   RXE_OP_SEND_LAST, RXE_OP_SEND_ONLY };
	static const u8 write[] = { RXE_OP_WRITE_MIDDLE, RXE_OP_WRITE_FIRST,
				    RXE_OP_WRITE_LAST, RXE_OP_WRITE_ONLY };
	u32 place = first | last << 1;

	switch (w->op) {
	case RXE_WR_SEND_IMM:
		if (last)
			return first ? RXE_OP_SEND_ONLY_IMM :
				       RXE_OP_SEND_LAST_IMM;
		return send[place];
	case RXE_WR_SEND_INV:
		if (last)
			return first ? RXE_OP_SEND_ONLY_INV :
				       RXE_OP_SEND_LAST_INV;
		return send[place];
	case RXE_WR_WRITE_IMM:
		if (last)
			return first ? RXE_OP_WRITE_ONLY_IMM :
				       RXE_OP_WRITE_LAST_IMM;
		return write[place];
	case RXE_WR_WRITE:
		return write[place];
	case RXE_WR_READ:
	case RXE_WR_READ_INV:
		return RXE_OP_READ_REQUEST;
	case RXE_WR_CMP_SWAP:
		return RXE_OP_CMP_SWAP;
	case RXE_WR_FETCH_ADD:
		return RXE_OP_FETCH_ADD;
	case RXE_WR_FLUSH:
		return RXE_OP_FLUSH;
	case RXE_WR_ATOMIC_WRITE:
		return RXE_OP_ATOMIC_WRITE;
	default:
		return send[place];
	}
}

static u8 class_of(enum rxe_transport transport)
{
	switch (transport) {
	case RXE_UC:
		return RXE_OP_UC;
	case RXE_UD:
		return RXE_OP_UD;
	default:
		return RXE_OP_RC;
	}
}

/* AckReq: last packet of a message or of a hole, first one after a rewind, and every half
 * window, but not less often than RXE_ACK_EVERY, on the way, so that a long message never
 * stalls
 */
static bool asks_ack(const struct rxe_req *req, const struct rxe_req_run *run,
		     u32 i)
{
	u32 every = clamp(req->cwnd / 2, 1U, RXE_ACK_EVERY);
	u32 psn = rxe_psn_add(run->psn, i);

	if (rxe_wr_wants_response(run->w) || psn == run->w->last_psn ||
	    (!i && run->ackreq_first))
		return true;
	if (req->repair.active && rxe_psn_add(psn, 1) == req->repair.end)
		return true;
	return (rxe_psn_sub(psn, req->ackreq_psn) + 1) % every == 0;
}

static void add_datagram(const struct rxe_req *req, const struct rxe_swqe *w,
			 struct rxe_pkt *pkt)
{
	pkt->dest_qpn = w->remote_qpn & RXE_QPN_MASK;
	pkt->src_qpn = req->src_qpn;
	/* A privileged Q_Key stands for the QP's own (IBTA 10.2.5) */
	if (req->src_qpn == RXE_GSI_QPN)
		pkt->qkey = RXE_GSI_QKEY;
	else if (w->remote_qkey & QKEY_PRIVILEGED)
		pkt->qkey = req->qkey;
	else
		pkt->qkey = w->remote_qkey;
}

/**
 * rxe_req_pkt() - header of one packet of a run
 * @req: the requester
 * @run: from rxe_req_next()
 * @i: which of its packets, 0 .. run->n - 1
 * @pkt: the packet, complete but for its payload
 * @offset: byte of the message that its payload starts at
 *
 * Context: send side lock.
 */
void rxe_req_pkt(const struct rxe_req *req, const struct rxe_req_run *run,
		 u32 i, struct rxe_pkt *pkt, u32 *offset)
{
	const struct rxe_swqe *w = run->w;
	u32 psn = rxe_psn_add(run->psn, i);
	bool single = rxe_wr_wants_response(w);
	bool first = single || psn == w->first_psn;
	bool last = single || psn == w->last_psn;
	u8 op = class_of(req->transport) | opcode_of(w, first, last);

	rxe_pkt_init(pkt, op, req->dest_qpn, psn);
	*offset = (run->index + i) * req->mtu;

	if (pkt->info->flags & RXE_F_DETH)
		add_datagram(req, w, pkt);
	if (pkt->info->flags & (RXE_F_RETH | RXE_F_ATOMIC_ETH)) {
		/* A READ is asked again for what is missing of it */
		u32 skip = rxe_wr_is_read(w) ? *offset : 0;

		pkt->va = w->remote_addr + skip;
		pkt->rkey = w->rkey;
		pkt->dmalen = w->length - skip;
		if (rxe_wr_is_read(w))
			pkt->dmalen = min_t(u64, pkt->dmalen,
					    (u64)run->psns * req->mtu);
		pkt->swap_add = w->swap_add;
		pkt->compare = w->compare;
	}
	if (pkt->info->flags & RXE_F_FETH) {
		pkt->flush_plt = w->flush_plt;
		pkt->flush_sel = w->flush_sel;
		pkt->icrc_twice = rxe_req_icrc_twice(req, psn);
	}
	if (pkt->info->flags & RXE_F_IMMDT)
		pkt->imm = w->imm;
	if (pkt->info->flags & RXE_F_IETH)
		pkt->rkey = w->inv_rkey;
	if (last)
		pkt->se = !!(w->flags & RXE_WR_SOLICITED) &&
			  (pkt->info->flags &
			   (RXE_F_SEND | RXE_F_IMMDT | RXE_F_IETH));
	if (req->transport == RXE_RC)
		pkt->ack_req = asks_ack(req, run, i);
	if (pkt->info->flags & RXE_F_PAYLOAD)
		rxe_pkt_set_payload(pkt, last ? w->length - *offset : req->mtu);
}

/* A part of @w, up to req->npsn, was sent again, or answers asked for. One that was never
 * executed is as good as new: no answer to an earlier one is on its way.
 */
static void sent_again(struct rxe_req *req, struct rxe_swqe *w)
{
	bool answers = rxe_wr_wants_response(w);
	bool fresh = answers && !rxe_req_executed(req, w);

	w->again = fresh ? 0 : rxe_psn_sub(req->npsn, w->first_psn);
	if (!answers || fresh)
		return;
	if (!req->answers.repeats)
		req->answers.heard = w->ask - 1;
	req->answers.repeats = true;
}

/* Which of the packets of a run was the last to ask for an ACK? */
static void note_ackreq(struct rxe_req *req, const struct rxe_req_run *run,
			u32 n)
{
	u32 i = n;

	if (req->transport != RXE_RC)
		return;
	while (i && !asks_ack(req, run, i - 1))
		i--;
	if (i)
		req->ackreq_psn = i == n ? req->npsn : rxe_psn_add(run->psn, i);
	req->ackreq_next = false;
}

/**
 * rxe_req_sent() - packets of a run are on their way, or lost on it
 * @req: the requester
 * @run: from rxe_req_next()
 * @n: how many of its packets were built, <= run->n
 * @now: current time, ns
 *
 * Context: send side lock.
 */
void rxe_req_sent(struct rxe_req *req, const struct rxe_req_run *run, u32 n,
		  u64 now)
{
	struct rxe_swqe *w = run->w;
	bool was_idle = !rxe_req_outstanding(req);
	u32 last;
	struct rxe_pkt pkt;
	u32 offset;

	if (!n)
		return;

	last = rxe_psn_add(run->psn, n - 1);
	rxe_req_pkt(req, run, n - 1, &pkt, &offset);
	if (pkt.info->flags & RXE_F_FLUSH)
		rxe_req_icrc_sent(req, &pkt);
	req->npsn =
		rxe_psn_add(run->psn, rxe_wr_wants_response(w) ? run->psns : n);
	if (rxe_wr_wants_response(w))
		w->ask = ++req->answers.asks;
	if (rxe_wr_is_read(w) && rxe_psn_sub(req->npsn, 1) != w->last_psn)
		w->parts = true;
	note_ackreq(req, run, n);

	if (rxe_psn_sub(req->npsn, req->una) > rxe_req_outstanding(req)) {
		if (pkt.ack_req && !req->rtt.sent_ns &&
		    rxe_psn_sub(last, req->una) >= rxe_req_outstanding(req)) {
			req->rtt.sent_ns = now;
			req->rtt.una = req->una;
			req->rtt.psn = last;
		}
		req->sent_psn = req->npsn;
	} else {
		req->stats.retransmits += n;
		sent_again(req, w);
	}
	if (was_idle) {
		req->timer.rto_ns = now;
		req->timer.early_ns = now;
	}
	if (rxe_psn_sub(req->npsn, w->first_psn) >
	    rxe_psn_sub(w->last_psn, w->first_psn)) {
		req->cur++;
		if (req->transport != RXE_RC) {
			w->state = RXE_SWQE_DONE;
			w->status = RXE_ST_SUCCESS;
		}
	}
	if (req->transport != RXE_RC) {
		req->una = req->npsn;
		req->acked_psn = req->npsn;
	}
}

static void release_response(struct rxe_req *req, struct rxe_swqe *w)
{
	u32 missing = w->first_psn;

	if (w->state != RXE_SWQE_ACTIVE || !rxe_wr_wants_response(w))
		return;
	if (rxe_psn_within(req->una, w->first_psn, w->last_psn))
		missing = req->una;
	req->rd_atomic--;
	req->rd_psns -= rxe_psn_sub(w->last_psn, missing) + 1;
}

/**
 * rxe_req_done() - a work request is finished, well or not
 * @req: the requester
 * @w: a local operation that was carried out, or a request that failed here
 * @status: enum rxe_status
 *
 * It completes in its turn. After one that failed nothing more is sent.
 *
 * Context: send side lock.
 */
void rxe_req_done(struct rxe_req *req, struct rxe_swqe *w, u8 status)
{
	release_response(req, w);
	w->state = RXE_SWQE_DONE;
	w->status = status;
}

/**
 * rxe_req_flush() - the send queue stops: everything fetched fails
 * @req: the requester
 *
 * What failed keeps its status. All else gets WR_FLUSH_ERR, also what is finished but
 * stands behind something that is not: nothing succeeds after a failure. So retire
 * what rxe_req_oldest() gives before.
 *
 * Context: send side lock.
 */
void rxe_req_flush(struct rxe_req *req)
{
	u32 i;

	for (i = req->cons; i != req->prod; i++) {
		struct rxe_swqe *w = rxe_req_at(req, i);

		if (w->state != RXE_SWQE_DONE || w->status == RXE_ST_SUCCESS)
			rxe_req_done(req, w, RXE_ST_WR_FLUSH_ERR);
	}
	req->cur = req->prod;
	req->npsn = req->psn;
	req->sent_psn = req->psn;
	req->una = req->psn;
	req->acked_psn = req->psn;
	req->rnr_until_ns = 0;
	req->pause = (struct rxe_pause){};
	req->repair.active = false;
}

/**
 * rxe_req_oldest() - next work request to complete
 * @req: the requester
 *
 * Context: send side lock.
 * Return: the oldest request when it is finished, else NULL.
 */
struct rxe_swqe *rxe_req_oldest(struct rxe_req *req)
{
	struct rxe_swqe *w = rxe_req_at(req, req->cons);

	if (req->cons == req->prod || w->state != RXE_SWQE_DONE)
		return NULL;
	return w;
}

/**
 * rxe_req_retire() - the request of rxe_req_oldest() is completed
 * @req: the requester
 *
 * Context: send side lock.
 */
void rxe_req_retire(struct rxe_req *req)
{
	if (req->cur == req->cons)
		req->cur++;
	req->cons++;
}
