// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Requester, the way back: acknowledgements, responses, timeouts */
#include "req_state.h"

#include <linux/kernel.h>
#include <linux/minmax.h>

#include "../wire/aeth.h"

/* Packets in flight however often the peer was silent */
#define MIN_CWND 8U

/* Stand before @psn, which is req->una or ahead of it */
static void seek(struct rxe_req *req, u32 psn)
{
	u32 i;

	for (i = req->cons; i != req->prod; i++) {
		struct rxe_swqe *w = rxe_req_at(req, i);

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
		struct rxe_swqe *w = rxe_req_at(req, i);

		if (w->state == RXE_SWQE_DONE)
			continue;
		if (w->state != RXE_SWQE_ACTIVE ||
		    rxe_psn_sub(req->una, old_una) >= want)
			break;
		if (rxe_wr_wants_response(w)) {
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
		struct rxe_swqe *w = rxe_req_at(req, i);

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
	u32 offset = rxe_wr_is_read(w) ? w->got * req->mtu : 0;
	u32 left = rxe_wr_is_read(w) ? w->length - offset : 0;
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

	if ((pkt->info->flags & RXE_F_READ) && rxe_wr_wants_response(w) &&
	    !rxe_wr_is_atomic(w)) {
		read_response(req, w, pkt, now, plan);
	} else if ((pkt->info->flags & RXE_F_ATOMIC) && rxe_wr_is_atomic(w)) {
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
	if (rxe_psn_sub(pkt->psn, req->una) >= rxe_req_outstanding(req))
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
	if (!rxe_req_outstanding(req) || !req->timeout_ns)
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
		rxe_req_rnr_over(req, now);
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
