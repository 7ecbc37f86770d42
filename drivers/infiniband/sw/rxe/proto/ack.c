// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Requester, the way back: what a response packet tells of all requests; ACKs and NAKs */
#include "req_state.h"

#include <linux/kernel.h>
#include <linux/minmax.h>

#include "../wire/aeth.h"

/* Take the responses of @w, the oldest request, that are there; true: all are */
static bool responses_complete(struct rxe_req *req, struct rxe_swqe *w)
{
	while (__test_and_clear_bit(req->una % RXE_GOT_PSNS,
				    req->answers.got)) {
		bool last = req->una == w->last_psn;

		if (last)
			rxe_req_done(req, w, RXE_ST_SUCCESS);
		else
			req->rd_psns--;
		req->una = rxe_psn_add(req->una, 1);
		if (last)
			return true;
	}
	return false;
}

/*
 * Move req->una over what needs nothing more: requests that the peer has executed
 * (IBTA 9.7.5.1.2: ACKs are cumulative), responses that have arrived.
 */
static void advance(struct rxe_req *req, u64 now)
{
	u32 old_una = req->una;
	u32 want = rxe_req_rel(req, req->acked_psn);
	u32 i;

	for (i = req->cons; i != req->prod; i++) {
		struct rxe_swqe *w = rxe_req_at(req, i);

		if (w->state == RXE_SWQE_DONE)
			continue;
		if (w->state != RXE_SWQE_ACTIVE ||
		    rxe_psn_sub(req->una, old_una) >= want)
			break;
		if (rxe_wr_wants_response(w)) {
			if (!responses_complete(req, w))
				break;
			continue;
		}
		if (want <= rxe_psn_sub(w->last_psn, old_una)) {
			req->una = req->acked_psn;
			break;
		}
		req->una = rxe_psn_add(w->last_psn, 1);
		w->state = RXE_SWQE_DONE;
		w->status = RXE_ST_SUCCESS;
	}
	rxe_req_advanced(req, old_una, now);
}

/**
 * rxe_req_executed_until() - the peer has executed all before a PSN
 * @req: the requester
 * @end: the PSN, outstanding or the next
 * @now: current time, ns
 *
 * Moves req->una as far as the responses that have arrived allow.
 *
 * Context: send side lock.
 */
void rxe_req_executed_until(struct rxe_req *req, u32 end, u64 now)
{
	if (rxe_req_rel(req, end) > rxe_req_rel(req, req->acked_psn))
		req->acked_psn = end;
	advance(req, now);
}

/**
 * rxe_req_owner() - the request that a PSN belongs to
 * @req: the requester
 * @psn: the PSN, not acknowledged
 *
 * Context: send side lock.
 * Return: the request, or NULL.
 */
struct rxe_swqe *rxe_req_owner(const struct rxe_req *req, u32 psn)
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

/**
 * rxe_req_fatal() - a request failed, and the QP with it
 * @req: the requester
 * @w: the request; NULL: there is none, nothing happens
 * @status: enum rxe_status
 * @plan: tells it
 *
 * Context: send side lock.
 */
void rxe_req_fatal(struct rxe_req *req, struct rxe_swqe *w, u8 status,
		   struct rxe_ack_plan *plan)
{
	if (!w)
		return;
	rxe_req_done(req, w, status);
	plan->verdict = RXE_ACK_FATAL;
	plan->w = w;
	plan->status = status;
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
			rxe_req_fatal(req, rxe_req_owner(req, req->una),
				      RXE_ST_RNR_RETRY_EXC_ERR, plan);
			return;
		}
		req->rnr_left--;
	}
	rxe_req_rewind(req, now);
	req->rtt.sent_ns = 0;
	req->rnr_until_ns = now + rxe_rnr_code_to_ns(code);
	req->retry_left = req->retry_cnt; /* the peer lives */
	req->stats.rnr_waits++;
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

/* An answer beyond what is missing, which was asked for again not long ago: what it
 * answers was sent before that, it tells nothing of the answer to that
 */
static bool asked_lately(const struct rxe_req *req, u32 psn, u64 now)
{
	return rxe_req_asked_again(req, req->una) &&
	       !rxe_req_asked_again(req, psn) &&
	       now - req->rewind.ns < 2 * req->rtt.srtt_ns;
}

static void aeth(struct rxe_req *req, const struct rxe_pkt *pkt, u64 now,
		 struct rxe_ack_plan *plan)
{
	u8 type = pkt->syndrome & RXE_AETH_TYPE;
	u32 end = type == RXE_AETH_ACK ? rxe_psn_add(pkt->psn, 1) : pkt->psn;
	u32 old_una = req->una;

	if (type != RXE_AETH_ACK && type != RXE_AETH_RNR &&
	    type != RXE_AETH_NAK)
		return;

	req->stats.naks += pkt->syndrome == RXE_NAK_PSN;
	rxe_req_executed_until(req, end, now);
	plan->verdict = RXE_ACK_OK;
	/* Responses come in order, so the peer has sent what is missing */
	if (rxe_psn_sub(req->una, old_una) < rxe_psn_sub(end, old_una)) {
		if (!asked_lately(req, pkt->psn, now))
			rxe_req_response_gap(req, end, now, plan);
		/* What it refused is sent again as well */
		if (pkt->syndrome == RXE_NAK_PSN)
			rxe_req_missing(req, end, now, plan);
		else if (plan->rewound && type != RXE_AETH_ACK)
			req->repair.resume_psn = end;
		return;
	}
	if (type == RXE_AETH_ACK) {
		rxe_req_hole_filled(req, now, plan);
		rxe_req_probe_answered(req, true, now, plan);
	} else if (type == RXE_AETH_RNR) {
		rnr_nak(req, pkt->syndrome & RXE_AETH_VALUE, now, plan);
	} else if (pkt->syndrome == RXE_NAK_PSN) {
		rxe_req_missing(req, req->una, now, plan);
	} else {
		rxe_req_fatal(req, rxe_req_owner(req, req->una),
			      nak_status(pkt->syndrome), plan);
	}
}

/* What came is counted even when it says nothing new */
static void note_nak(const struct rxe_pkt *pkt, struct rxe_ack_plan *plan)
{
	if (!(pkt->info->flags & RXE_F_ACK))
		return;
	plan->seq_nak = pkt->syndrome == RXE_NAK_PSN;
	plan->rnr_nak = (pkt->syndrome & RXE_AETH_TYPE) == RXE_AETH_RNR;
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
	note_nak(pkt, plan);

	/* Not among what is outstanding: a duplicate, or a ghost */
	if (rxe_psn_sub(pkt->psn, req->una) >= rxe_req_outstanding(req))
		rxe_req_response_before(req, pkt, now);
	else if (pkt->info->flags & RXE_F_ACK)
		aeth(req, pkt, now, plan);
	else
		rxe_req_response(req, pkt, now, plan);
}
