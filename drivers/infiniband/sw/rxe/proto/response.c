// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: responses with data. Each is kept when it arrives, in order or not; what
 * the ones that are there tell of those that are missing decides what is asked for again.
 */
#include "req_state.h"

#include <linux/bitops.h>
#include <linux/kernel.h>

/* Responses in a row that were there already and still are signs of life */
#define STALE_MAX RXE_GOT_PSNS
/* Responses that may overtake one before it counts as lost */
#define LATE_PKTS 8

/* Does a READ response fit where its PSN says that it belongs? */
static bool response_fits(const struct rxe_req *req, const struct rxe_swqe *w,
			  const struct rxe_pkt *pkt, u32 offset)
{
	bool last = pkt->psn == w->last_psn;
	bool ends = rxe_op_ends(pkt->info->flags);
	u32 left = rxe_wr_is_read(w) ? w->length - offset : 0;

	/* Wherever it was asked for again from, nothing comes before the first one */
	if (!offset && !rxe_op_starts(pkt->info->flags))
		return false;
	if (last)
		return ends && pkt->payload_bytes == left;
	return (!ends || w->parts) && pkt->payload_bytes == req->mtu;
}

/* What belongs to @w, and where in it; false: it is no answer to @w */
static bool judge_response(const struct rxe_req *req, struct rxe_swqe *w,
			   const struct rxe_pkt *pkt, struct rxe_ack_plan *plan)
{
	u32 offset = rxe_psn_sub(pkt->psn, w->first_psn) * req->mtu;

	plan->w = w;
	if (rxe_wr_is_atomic(w)) {
		plan->verdict = RXE_ACK_ATOMIC;
		return pkt->info->flags & RXE_F_ATOMIC;
	}
	if (!rxe_wr_wants_response(w) || !(pkt->info->flags & RXE_F_READ))
		return false;
	plan->verdict = pkt->payload_bytes ? RXE_ACK_PLACE : RXE_ACK_OK;
	plan->offset = offset;
	return response_fits(req, w, pkt, offset);
}

/**
 * rxe_req_unanswered() - was a READ asked again for responses that are still missing?
 * @req: the requester
 * @w: the READ
 *
 * Context: send side lock.
 */
bool rxe_req_unanswered(const struct rxe_req *req, const struct rxe_swqe *w)
{
	u32 end = rxe_psn_add(w->first_psn, w->again), psn = w->first_psn;

	if (rxe_psn_within(req->una, w->first_psn, w->last_psn))
		psn = req->una;
	for (; rxe_psn_diff(psn, end) < 0; psn = rxe_psn_add(psn, 1))
		if (!rxe_req_has(req, psn))
			return true;
	return false;
}

/* Not one of order only: enough has come beyond the newest hole */
static bool hole_is_sure(struct rxe_req *req)
{
	s32 beyond = rxe_psn_diff(req->answers.far_psn, req->answers.gap_psn);

	if (!req->answers.gap ||
	    (beyond < LATE_PKTS && req->answers.far_psn != req->sent_psn))
		return false;
	req->answers.gap = false;
	return true;
}

/* It is one that @w was asked again for: was it the last of these? More may be missing */
static bool ends_repeat(const struct rxe_req *req, const struct rxe_swqe *w,
			u32 psn)
{
	return w->state == RXE_SWQE_ACTIVE &&
	       rxe_psn_sub(psn, w->first_psn) < w->again &&
	       !rxe_req_unanswered(req, w);
}

/*
 * Answers come in the order of requests: was this one asked for after others that are
 * still missing? They are asked for once more.
 */
static bool others_are_lost(struct rxe_req *req, const struct rxe_swqe *w,
			    u32 psn)
{
	bool lost = false;
	u32 i;

	/* On its way since before it was asked for again */
	if (!req->answers.repeats ||
	    (w->again && rxe_psn_sub(psn, w->first_psn) >= w->again))
		return false;
	if ((s32)(w->ask - req->answers.heard) <= 0)
		return false;
	req->answers.heard = w->ask;
	req->answers.repeats = w->again;
	for (i = req->cons; i != req->prod; i++) {
		struct rxe_swqe *other = rxe_req_at(req, i);

		if (other->state == RXE_SWQE_POSTED)
			break;
		if (other->state != RXE_SWQE_ACTIVE || !other->again ||
		    !rxe_wr_wants_response(other) ||
		    !rxe_req_unanswered(req, other))
			continue;
		req->answers.repeats = true;
		if ((s32)(req->answers.heard - other->ask) <= 0)
			continue;
		other->again = 0;
		lost = true;
	}
	return lost;
}

/* One of @w that was missing has come: what does that tell of others? */
static void response_kept(struct rxe_req *req, const struct rxe_swqe *w,
			  u32 psn, u64 now, struct rxe_ack_plan *plan)
{
	bool lost = others_are_lost(req, w, psn);
	bool sure = hole_is_sure(req);

	if (lost || sure || ends_repeat(req, w, psn))
		rxe_req_ask_on(req, req->answers.far_psn, now, plan);
}

/* Not what @w asked for. All before @w was executed, and fails or not first. */
static void bad_response(struct rxe_req *req, struct rxe_swqe *w, u64 now,
			 struct rxe_ack_plan *plan)
{
	*plan = (struct rxe_ack_plan){ .verdict = RXE_ACK_OK };
	if (!rxe_psn_within(req->una, w->first_psn, w->last_psn))
		rxe_req_executed_until(req, w->first_psn, now);
	if (rxe_psn_within(req->una, w->first_psn, w->last_psn))
		rxe_req_fatal(req, w, RXE_ST_BAD_RESP_ERR, plan);
	else
		rxe_req_response_gap(req, w->first_psn, now, plan);
}

/* It was there already, but the peer is not silent */
static void sign_of_life(struct rxe_req *req, u64 now)
{
	if (req->answers.stale == STALE_MAX)
		return;
	req->answers.stale++;
	req->timer.rto_ns = now;
}

/*
 * A response arrived; true: it is to be kept. A peer that sends is not silent, though
 * the oldest be missing and nothing advance: one that sends everything it was asked
 * for in one go does so for long, and again when it was asked again. It gets its retries
 * back for what was not there before, which ends; and one that says the same for ever is
 * given up.
 */
static bool arrives(struct rxe_req *req, u32 psn, u64 now)
{
	u32 rel = rxe_req_rel(req, psn);
	u32 far = rxe_req_rel(req, req->answers.far_psn);
	bool farthest = rel >= far;
	bool keep = rel < RXE_GOT_PSNS &&
		    !__test_and_set_bit(psn % RXE_GOT_PSNS, req->answers.got);

	if (rel > far) {
		req->answers.gap = true;
		req->answers.gap_psn = psn;
	}
	if (farthest)
		req->answers.far_psn = rxe_psn_add(psn, 1);
	if (keep)
		req->timer.early_ns = now;
	if (farthest || keep) {
		req->answers.stale = 0;
		req->retry_left = req->retry_cnt;
		req->timer.rto_ns = now;
	} else {
		sign_of_life(req, now);
	}
	return keep;
}

/**
 * rxe_req_response_before() - a response arrived whose PSN is not outstanding
 * @req: the requester
 * @pkt: the response
 * @now: current time, ns
 *
 * A slow peer answers a READ as often as it was asked for, before it comes to the next.
 *
 * Context: send side lock.
 */
void rxe_req_response_before(struct rxe_req *req, const struct rxe_pkt *pkt,
			     u64 now)
{
	u32 behind = rxe_psn_sub(req->una, pkt->psn);

	if ((pkt->info->flags & RXE_F_READ) && req->answers.asks && behind &&
	    behind <= RXE_GOT_PSNS)
		sign_of_life(req, now);
}

/**
 * rxe_req_response() - what a READ or an atomic brought has arrived
 * @req: the requester
 * @pkt: READ response or atomic ACK, its PSN outstanding
 * @now: current time, ns
 * @plan: filled
 *
 * Context: send side lock.
 */
void rxe_req_response(struct rxe_req *req, const struct rxe_pkt *pkt, u64 now,
		      struct rxe_ack_plan *plan)
{
	struct rxe_swqe *w = rxe_req_owner(req, pkt->psn);
	bool kept;

	if (!w)
		return;
	if (!judge_response(req, w, pkt, plan)) {
		bad_response(req, w, now, plan);
		return;
	}
	kept = arrives(req, pkt->psn, now);
	if (!kept)
		plan->verdict = RXE_ACK_OK;
	rxe_req_executed_until(req, rxe_req_end(req, w), now);
	if (kept && (req->answers.gap || req->answers.repeats))
		response_kept(req, w, pkt->psn, now, plan);
	if (rxe_psn_diff(pkt->psn, req->una) < 0 && !plan->rewound &&
	    rxe_op_ends(pkt->info->flags))
		rxe_req_probe_answered(req, pkt->psn != w->last_psn, now, plan);
}
