// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "req.h"

#include <linux/kernel.h>
#include <linux/minmax.h>

#include "../wire/aeth.h"
#include "../wire/hdr.h"

/* Packets in flight however often the peer was silent */
#define MIN_CWND 8U

#define GSI_QPN 1
#define GSI_QKEY 0x80010000U
#define QKEY_PRIVILEGED 0x80000000U

static struct rxe_swqe *at(const struct rxe_req *req, u32 i)
{
	return req->wqes + (size_t)(i & req->mask) * req->stride;
}

/* The peer answers with more than an ACK; bounded by max_rd_atomic */
static bool wants_response(const struct rxe_swqe *w)
{
	switch (w->op) {
	case RXE_WR_READ:
	case RXE_WR_READ_INV:
	case RXE_WR_CMP_SWAP:
	case RXE_WR_FETCH_ADD:
	case RXE_WR_FLUSH:
	case RXE_WR_ATOMIC_WRITE:
		return true;
	default:
		return false;
	}
}

static bool is_read(const struct rxe_swqe *w)
{
	return w->op == RXE_WR_READ || w->op == RXE_WR_READ_INV;
}

static bool is_atomic(const struct rxe_swqe *w)
{
	return w->op == RXE_WR_CMP_SWAP || w->op == RXE_WR_FETCH_ADD;
}

static bool is_local(const struct rxe_swqe *w)
{
	return w->op == RXE_WR_LOCAL_INV || w->op == RXE_WR_BIND_MW ||
	       w->op == RXE_WR_REG_MR;
}

/* PSNs that a message takes: its packets, or those of its response */
static u32 psn_count(const struct rxe_req *req, const struct rxe_swqe *w)
{
	if (is_atomic(w) || w->op == RXE_WR_FLUSH || !w->length)
		return 1;
	return DIV_ROUND_UP(w->length, req->mtu);
}

/* Oldest PSN of @w that is not answered, given that all before @w are */
static u32 missing_psn(const struct rxe_swqe *w)
{
	return rxe_psn_add(w->first_psn, w->got);
}

static u32 outstanding(const struct rxe_req *req)
{
	return rxe_psn_sub(req->sent_psn, req->una);
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
	req->ackreq_psn = psn;
	req->rd_atomic = 0;
	req->rd_psns = 0;
	req->ackreq_next = false;
	req->draining = false;
	req->cwnd = req->window;
	req->retry_left = req->retry_cnt;
	req->rnr_left = req->rnr_retry;
	req->rnr_until_ns = 0;
	req->nak_psn = rxe_psn_sub(psn, 1);
	req->rewind_ns = 0;
	req->rto_ns = 0;
	req->srtt_ns = 0;
	req->rtt_ns = 0;
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
	return at(req, req->prod);
}

/**
 * rxe_req_fetched() - the record of rxe_req_fetch_slot() is filled
 * @req: the requester
 *
 * Context: send side lock.
 */
void rxe_req_fetched(struct rxe_req *req)
{
	at(req, req->prod)->got = 0;
	req->prod++;
}

/* May @w, which has no PSNs yet, begin? */
static bool may_start(const struct rxe_req *req, const struct rxe_swqe *w)
{
	if (req->draining)
		return false;
	if ((w->flags & RXE_WR_FENCE) && req->rd_atomic)
		return false;
	/* Earlier requests may still use what it invalidates */
	if (w->op == RXE_WR_LOCAL_INV)
		return req->cons == req->cur;
	if (is_local(w))
		return true;
	if (wants_response(w) && req->rd_atomic >= req->max_rd_atomic)
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
	req->psn = rxe_psn_add(req->psn, n);
	if (wants_response(w)) {
		req->rd_atomic++;
		req->rd_psns += n;
	}
}

/* Packets that the window has room for. PSNs that READs reserve for their
 * responses do not count: the responder paces those.
 */
static u32 window_room(const struct rxe_req *req)
{
	s32 used = (s32)(rxe_psn_sub(req->npsn, req->una) - req->rd_psns);

	if (req->transport != RXE_RC)
		return U32_MAX;
	return used >= (s32)req->cwnd ? 0 : req->cwnd - used;
}

/* The wait that an RNR NAK asked for is no time in which the peer was silent */
static void rnr_over(struct rxe_req *req, u64 now)
{
	req->rnr_until_ns = 0;
	req->rto_ns = now;
	req->retry_left = req->retry_cnt;
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
		rnr_over(req, now);
	}

	for (;; req->cur++) {
		if (req->cur == req->prod)
			return RXE_REQ_EMPTY;
		w = at(req, req->cur);
		if (w->state != RXE_SWQE_DONE)
			break;
		/* It fails in its turn; nothing after it is sent */
		if (w->status != RXE_ST_SUCCESS)
			return RXE_REQ_WAIT;
	}

	room = window_room(req);
	if (w->state == RXE_SWQE_POSTED) {
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

	run->w = w;
	run->psn = req->npsn;
	run->index = rxe_psn_sub(req->npsn, w->first_psn);
	run->ackreq_first = req->ackreq_next;
	if (wants_response(w))
		run->n = 1;
	else
		run->n = min3(max_pkts, room,
			      rxe_psn_sub(w->last_psn, req->npsn) + 1);
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

/* AckReq: last packet of a message, first one after a rewind, and every half
 * window on the way so that a long message never stalls
 */
static bool asks_ack(const struct rxe_req *req, const struct rxe_req_run *run,
		     u32 i, bool last)
{
	u32 half = max(req->cwnd / 2, 1U);
	u32 psn = rxe_psn_add(run->psn, i);

	if (last || (!i && run->ackreq_first))
		return true;
	return (rxe_psn_sub(psn, req->ackreq_psn) + 1) % half == 0;
}

static void add_datagram(const struct rxe_req *req, const struct rxe_swqe *w,
			 struct rxe_pkt *pkt)
{
	pkt->dest_qpn = w->remote_qpn & RXE_QPN_MASK;
	pkt->src_qpn = req->src_qpn;
	/* A privileged Q_Key stands for the QP's own (IBTA 10.2.5) */
	if (req->src_qpn == GSI_QPN)
		pkt->qkey = GSI_QKEY;
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
	bool single = wants_response(w);
	bool first = single || psn == w->first_psn;
	bool last = single || psn == w->last_psn;
	u8 op = class_of(req->transport) | opcode_of(w, first, last);

	rxe_pkt_init(pkt, op, req->dest_qpn, psn);
	*offset = (run->index + i) * req->mtu;

	if (pkt->info->flags & RXE_F_DETH)
		add_datagram(req, w, pkt);
	if (pkt->info->flags & (RXE_F_RETH | RXE_F_ATOMIC_ETH)) {
		/* A READ is asked again from its first missing byte */
		u32 skip = is_read(w) ? *offset : 0;

		pkt->va = w->remote_addr + skip;
		pkt->rkey = w->rkey;
		pkt->dmalen = w->length - skip;
		pkt->swap_add = w->swap_add;
		pkt->compare = w->compare;
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
		pkt->ack_req = asks_ack(req, run, i, last);
	if (pkt->info->flags & RXE_F_PAYLOAD)
		rxe_pkt_set_payload(pkt, last ? w->length - *offset : req->mtu);
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
	bool was_idle = !outstanding(req);
	u32 last;
	struct rxe_pkt pkt;
	u32 offset;

	if (!n)
		return;

	last = rxe_psn_add(run->psn, n - 1);
	rxe_req_pkt(req, run, n - 1, &pkt, &offset);
	req->npsn = wants_response(w) ? rxe_psn_add(w->last_psn, 1) :
					rxe_psn_add(last, 1);
	req->ackreq_next = false;
	if (pkt.ack_req)
		req->ackreq_psn = req->npsn;

	if (rxe_psn_sub(req->npsn, req->una) > outstanding(req)) {
		if (pkt.ack_req && !req->rtt_ns &&
		    rxe_psn_sub(last, req->una) >= outstanding(req)) {
			req->rtt_ns = now;
			req->rtt_psn = last;
		}
		req->sent_psn = req->npsn;
	} else {
		req->retransmits += n;
	}
	if (was_idle)
		req->rto_ns = now;
	if (rxe_psn_sub(req->npsn, w->first_psn) >
	    rxe_psn_sub(w->last_psn, w->first_psn)) {
		req->cur++;
		if (req->transport != RXE_RC) {
			w->state = RXE_SWQE_DONE;
			w->status = RXE_ST_SUCCESS;
		}
	}
	if (req->transport != RXE_RC)
		req->una = req->npsn;
}

static void release_response(struct rxe_req *req, struct rxe_swqe *w)
{
	if (w->state != RXE_SWQE_ACTIVE || !wants_response(w))
		return;
	req->rd_atomic--;
	req->rd_psns -= rxe_psn_sub(w->last_psn, missing_psn(w)) + 1;
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

/* Stand before @psn, which is req->una or ahead of it */
static void seek(struct rxe_req *req, u32 psn)
{
	u32 i;

	for (i = req->cons; i != req->prod; i++) {
		struct rxe_swqe *w = at(req, i);

		if (w->state == RXE_SWQE_DONE && w->status == RXE_ST_SUCCESS)
			continue;
		if (w->state != RXE_SWQE_ACTIVE ||
		    rxe_psn_within(psn, w->first_psn, w->last_psn))
			break;
	}
	req->cur = i;
	req->npsn = psn;
}

static void rewind_to(struct rxe_req *req, u32 psn, u64 now)
{
	seek(req, psn);
	req->ackreq_psn = psn;
	req->ackreq_next = true;
	req->nak_psn = psn;
	req->rewind_ns = now;
	req->rto_ns = now;
	req->rtt_ns = 0; /* Karn: no sample from what is sent twice */
}

static void sample_rtt(struct rxe_req *req, u32 old_una, u64 now)
{
	u64 rtt = now - req->rtt_ns;

	if (!req->rtt_ns || rxe_psn_sub(req->rtt_psn, old_una) >=
				    rxe_psn_sub(req->una, old_una))
		return;
	req->srtt_ns = req->srtt_ns ? (7 * req->srtt_ns + rtt) / 8 : rtt;
	req->rtt_ns = 0;
}

/* The peer has everything up to req->una: bookkeeping of what follows from it */
static void advanced(struct rxe_req *req, u32 old_una, u64 now)
{
	if (req->una == old_una)
		return;
	req->rto_ns = now;
	req->retry_left = req->retry_cnt;
	req->rnr_left = req->rnr_retry;
	req->cwnd =
		min(req->cwnd + rxe_psn_sub(req->una, old_una), req->window);
	sample_rtt(req, old_una, now);
	/* It got ahead of a resend under way: skip what it has */
	if (rxe_psn_sub(req->npsn, old_una) < rxe_psn_sub(req->una, old_una)) {
		seek(req, req->una);
		req->ackreq_psn = req->npsn;
	}
}

/*
 * Acknowledge all before @end (IBTA 9.7.5.1.2: ACKs are cumulative). Stops at a
 * request whose response is missing; false then, and req->una is what is missing.
 */
static bool ack_before(struct rxe_req *req, u32 end, u64 now)
{
	u32 old_una = req->una;
	u32 want = rxe_psn_sub(end, old_una);
	bool all = true;
	u32 i;

	for (i = req->cons; i != req->prod; i++) {
		struct rxe_swqe *w = at(req, i);

		if (w->state == RXE_SWQE_DONE)
			continue;
		if (w->state != RXE_SWQE_ACTIVE ||
		    rxe_psn_sub(req->una, old_una) >= want)
			break;
		if (wants_response(w)) {
			all = false;
			break;
		}
		if (want <= rxe_psn_sub(w->last_psn, old_una)) {
			req->una = end;
			break;
		}
		req->una = rxe_psn_add(w->last_psn, 1);
		w->state = RXE_SWQE_DONE;
		w->status = RXE_ST_SUCCESS;
	}
	advanced(req, old_una, now);
	return all;
}

/* The request that @psn, not acknowledged, belongs to */
static struct rxe_swqe *owner_of(const struct rxe_req *req, u32 psn)
{
	u32 i;

	for (i = req->cons; i != req->prod; i++) {
		struct rxe_swqe *w = at(req, i);

		if (w->state == RXE_SWQE_POSTED)
			break;
		if (w->state == RXE_SWQE_ACTIVE &&
		    rxe_psn_within(psn, w->first_psn, w->last_psn))
			return w;
	}
	return NULL;
}

static void fatal(struct rxe_req *req, struct rxe_swqe *w, u8 status,
		  struct rxe_ack_plan *plan)
{
	if (!w)
		return;
	rxe_req_done(req, w, status);
	plan->verdict = RXE_ACK_FATAL;
	plan->w = w;
	plan->status = status;
}

/* A response is missing though the peer is beyond it: ask again at once, but
 * only once per round trip
 */
static void implied_nak(struct rxe_req *req, u64 now, struct rxe_ack_plan *plan)
{
	plan->verdict = RXE_ACK_OK;
	if (req->una == req->nak_psn &&
	    (!req->srtt_ns || now - req->rewind_ns < 2 * req->srtt_ns))
		return;
	rewind_to(req, req->una, now);
	plan->rewound = true;
}

static void psn_nak(struct rxe_req *req, u64 now, struct rxe_ack_plan *plan)
{
	plan->verdict = RXE_ACK_OK;
	/* Nothing sent since, or an exact repeat within a round trip */
	if (req->npsn == req->una)
		return;
	if (req->una == req->nak_psn && now - req->rewind_ns < req->srtt_ns)
		return;
	rewind_to(req, req->una, now);
	plan->rewound = true;
}

static void rnr_nak(struct rxe_req *req, u8 code, u64 now,
		    struct rxe_ack_plan *plan)
{
	plan->verdict = RXE_ACK_OK;
	/* Nothing sent since the last one: the network doubled it */
	if (req->npsn == req->una)
		return;
	if (req->rnr_retry != RXE_RNR_RETRY_INFINITE) {
		if (!req->rnr_left) {
			fatal(req, owner_of(req, req->una),
			      RXE_ST_RNR_RETRY_EXC_ERR, plan);
			return;
		}
		req->rnr_left--;
	}
	rewind_to(req, req->una, now);
	req->rnr_until_ns = now + rxe_rnr_code_to_ns(code);
	req->retry_left = req->retry_cnt; /* the peer lives */
	plan->rnr = true;
}

static u8 nak_status(u8 syndrome)
{
	switch (syndrome) {
	case RXE_NAK_INVALID_REQ:
		return RXE_ST_REM_INV_REQ_ERR;
	case RXE_NAK_REM_ACCESS:
		return RXE_ST_REM_ACCESS_ERR;
	case RXE_NAK_REM_OP:
		return RXE_ST_REM_OP_ERR;
	default:
		return RXE_ST_BAD_RESP_ERR;
	}
}

static void aeth(struct rxe_req *req, const struct rxe_pkt *pkt, u64 now,
		 struct rxe_ack_plan *plan)
{
	u8 type = pkt->syndrome & RXE_AETH_TYPE;
	u32 end = type == RXE_AETH_ACK ? rxe_psn_add(pkt->psn, 1) : pkt->psn;

	if (type != RXE_AETH_ACK && type != RXE_AETH_RNR &&
	    type != RXE_AETH_NAK)
		return;

	/* Responses come in order, so the peer has sent what is missing */
	if (!ack_before(req, end, now)) {
		implied_nak(req, now, plan);
		return;
	}
	if (type == RXE_AETH_ACK)
		plan->verdict = RXE_ACK_OK;
	else if (type == RXE_AETH_RNR)
		rnr_nak(req, pkt->syndrome & RXE_AETH_VALUE, now, plan);
	else if (pkt->syndrome == RXE_NAK_PSN)
		psn_nak(req, now, plan);
	else
		fatal(req, owner_of(req, req->una), nak_status(pkt->syndrome),
		      plan);
}

/* One response packet is there: the oldest one missing */
static void response_arrived(struct rxe_req *req, struct rxe_swqe *w, u64 now)
{
	u32 old_una = req->una;
	bool last = req->una == w->last_psn;

	if (last)
		rxe_req_done(req, w, RXE_ST_SUCCESS);
	else
		req->rd_psns--;
	w->got++;
	req->una = rxe_psn_add(req->una, 1);
	advanced(req, old_una, now);
}

static void read_response(struct rxe_req *req, struct rxe_swqe *w,
			  const struct rxe_pkt *pkt, u64 now,
			  struct rxe_ack_plan *plan)
{
	u32 offset = is_read(w) ? w->got * req->mtu : 0;
	u32 left = is_read(w) ? w->length - offset : 0;
	bool last = pkt->psn == w->last_psn;

	if (rxe_op_ends(pkt->info->flags) != last ||
	    pkt->payload_bytes != (last ? left : req->mtu)) {
		fatal(req, w, RXE_ST_BAD_RESP_ERR, plan);
		return;
	}
	plan->verdict = pkt->payload_bytes ? RXE_ACK_PLACE : RXE_ACK_OK;
	plan->w = w;
	plan->offset = offset;
	response_arrived(req, w, now);
}

static void response(struct rxe_req *req, const struct rxe_pkt *pkt, u64 now,
		     struct rxe_ack_plan *plan)
{
	struct rxe_swqe *w;

	if (!ack_before(req, pkt->psn, now)) {
		implied_nak(req, now, plan);
		return;
	}
	w = owner_of(req, req->una);
	if (!w || req->una != pkt->psn)
		return;

	if ((pkt->info->flags & RXE_F_READ) && wants_response(w) &&
	    !is_atomic(w)) {
		read_response(req, w, pkt, now, plan);
	} else if ((pkt->info->flags & RXE_F_ATOMIC) && is_atomic(w)) {
		plan->verdict = RXE_ACK_ATOMIC;
		plan->w = w;
		response_arrived(req, w, now);
	} else {
		fatal(req, w, RXE_ST_BAD_RESP_ERR, plan);
	}
}

/**
 * rxe_req_ack() - a response packet arrived
 * @req: the requester
 * @pkt: an ACK, NAK, READ response or atomic ACK
 * @now: current time, ns
 * @plan: what to do; afterwards retire what rxe_req_oldest() gives and send on
 *
 * When RXE_ACK_PLACE or _ATOMIC cannot be carried out, rxe_req_done() with the
 * error takes back that the request succeeded.
 *
 * Context: send side lock.
 */
void rxe_req_ack(struct rxe_req *req, const struct rxe_pkt *pkt, u64 now,
		 struct rxe_ack_plan *plan)
{
	*plan = (struct rxe_ack_plan){ .verdict = RXE_ACK_DROP };

	/* Not among what is outstanding: a duplicate, or a ghost */
	if (rxe_psn_sub(pkt->psn, req->una) >= outstanding(req))
		return;

	if (pkt->info->flags & RXE_F_ACK)
		aeth(req, pkt, now, plan);
	else
		response(req, pkt, now, plan);
}

/**
 * rxe_req_deadline() - when rxe_req_timeout() wants to be called
 * @req: the requester
 *
 * Context: send side lock.
 * Return: time in ns, 0 = not at all.
 */
u64 rxe_req_deadline(const struct rxe_req *req)
{
	if (req->rnr_until_ns)
		return req->rnr_until_ns;
	if (!outstanding(req) || !req->timeout_ns)
		return 0;
	return req->rto_ns + req->timeout_ns;
}

/**
 * rxe_req_timeout() - the deadline passed, or may have
 * @req: the requester
 * @now: current time, ns
 * @plan: RXE_ACK_DROP: nothing to do; RXE_ACK_OK: send; RXE_ACK_FATAL: the peer
 *	did not answer for retry_cnt + 1 timeouts (IBTA 9.9.2.1.1)
 *
 * Timeouts are counted, not time: a machine that stood still for a second has
 * seen one.
 *
 * Context: send side lock.
 */
void rxe_req_timeout(struct rxe_req *req, u64 now, struct rxe_ack_plan *plan)
{
	u64 deadline = rxe_req_deadline(req);

	*plan = (struct rxe_ack_plan){ .verdict = RXE_ACK_DROP };
	if (!deadline || now < deadline)
		return;

	if (req->rnr_until_ns) {
		rnr_over(req, now);
		plan->verdict = RXE_ACK_OK;
		return;
	}
	if (!req->retry_left) {
		fatal(req, owner_of(req, req->una), RXE_ST_RETRY_EXC_ERR, plan);
		return;
	}
	req->retry_left--;
	req->cwnd = max(req->cwnd / 2, min(req->window, MIN_CWND));
	rewind_to(req, req->una, now);
	plan->verdict = RXE_ACK_OK;
	plan->rewound = true;
}

/**
 * rxe_req_flush() - the send queue stops: everything fetched fails
 * @req: the requester
 *
 * What is finished keeps its status, the rest gets WR_FLUSH_ERR.
 *
 * Context: send side lock.
 */
void rxe_req_flush(struct rxe_req *req)
{
	u32 i;

	for (i = req->cons; i != req->prod; i++)
		if (at(req, i)->state != RXE_SWQE_DONE)
			rxe_req_done(req, at(req, i), RXE_ST_WR_FLUSH_ERR);
	req->cur = req->prod;
	req->npsn = req->psn;
	req->sent_psn = req->psn;
	req->una = req->psn;
	req->rnr_until_ns = 0;
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
	struct rxe_swqe *w = at(req, req->cons);

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
