// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: what is sent again, and when.
 *
 * A hole is a run of PSNs that the peer misses, or of responses that we miss, while
 * it is known to be beyond them. Responses are kept when they arrive beyond a
 * hole, so a READ is asked again for the hole alone. A peer that keeps requests
 * beyond a hole is sent the hole alone as well, any other everything from there on;
 * which it is shows when the hole has been filled: the one goes on behind what it
 * kept, the other misses that too.
 */
#include "req_state.h"

#include <linux/kernel.h>
#include <linux/minmax.h>

/* Packets sent into a hole, at most, while its length is unknown */
#define REPAIR_PKTS_MAX 64U
/* So many holes that each begin where the one before ended are no loss: this peer
 * does not keep what is beyond; fewer will do when it never has. Taken for one that
 * does not, it is put to the test again after so many holes, twice as many each time
 */
#define REPAIR_TRIES 4
#define REPAIR_TRIES_UNKNOWN 2
#define DROPS_MAX 4
#define DROPS_DOUBLED_MAX 5
/* So often, without progress, a NAK for a missing packet is a sign of life: on a slow way
 * what fills the hole waits behind much
 */
#define REFUSALS_MAX 64

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

static void restart(struct rxe_req *req, u64 now)
{
	seek(req, req->una);
	req->ackreq_psn = req->una;
	req->ackreq_next = true;
	req->rewind.psn = req->una;
	req->rewind.ns = now;
	req->timer.early_ns = now;
	/* Karn: no sample from what is sent twice, unless there is none at all */
	if (req->rtt.srtt_ns)
		req->rtt.sent_ns = 0;
}

/* What was sent again before @end, or asked for, was in vain */
static void forget_again(struct rxe_req *req, u32 end)
{
	u32 i;

	for (i = req->cons; i != req->prod; i++) {
		struct rxe_swqe *w = rxe_req_at(req, i);

		if (w->state == RXE_SWQE_POSTED)
			return;
		if (w->state != RXE_SWQE_ACTIVE)
			continue;
		if (!rxe_psn_within(req->una, w->first_psn, w->last_psn) &&
		    rxe_req_rel(req, w->first_psn) >= rxe_req_rel(req, end))
			return;
		w->again = 0;
	}
}

/**
 * rxe_req_asked_again() - was a packet sent, or a response asked for, again?
 * @req: the requester
 * @psn: its PSN, which is missing
 *
 * Context: send side lock.
 * Return: true when it was, or is about to be.
 */
bool rxe_req_asked_again(const struct rxe_req *req, u32 psn)
{
	u32 end = req->repair.active ? req->repair.end : req->sent_psn;
	const struct rxe_swqe *w;

	if (rxe_req_rel(req, psn) >= rxe_req_rel(req, req->npsn) &&
	    rxe_req_rel(req, psn) < rxe_req_rel(req, end))
		return true;
	w = rxe_req_owner(req, psn);
	return w && rxe_psn_sub(psn, w->first_psn) < w->again;
}

/**
 * rxe_req_rewind() - send everything again from the oldest PSN missing
 * @req: the requester
 * @now: current time, ns
 *
 * Context: send side lock.
 */
void rxe_req_rewind(struct rxe_req *req, u64 now)
{
	req->repair.active = false;
	req->repair.probing = false;
	req->repair.judging = false;
	forget_again(req, req->sent_psn);
	restart(req, now);
}

/* Nothing is sent again that never was sent */
static u32 not_beyond_sent(const struct rxe_req *req, u32 end)
{
	return rxe_req_rel(req, end) > rxe_req_outstanding(req) ?
		       req->sent_psn :
		       end;
}

/* Send [una, @end) again, then go on where sending was */
static void repair(struct rxe_req *req, u32 end, u64 now)
{
	end = not_beyond_sent(req, end);
	if (!req->repair.active)
		req->repair.resume_psn = req->npsn;
	req->repair.active = true;
	req->repair.probing = false;
	req->repair.judging = false;
	req->repair.end = end;
	req->repair.asked_psn = end;
	forget_again(req, end);
	restart(req, now);
}

/**
 * rxe_req_resume() - send again what the oldest request still needs; all, when it may be
 * all it needs
 * @req: the requester
 * @now: current time, ns
 *
 * Context: send side lock.
 */
void rxe_req_resume(struct rxe_req *req, u64 now)
{
	const struct rxe_swqe *w = rxe_req_owner(req, req->una);

	if (w && rxe_wr_wants_response(w) && rxe_req_executed(req, w))
		repair(req, rxe_psn_add(w->last_psn, 1), now);
	else
		rxe_req_rewind(req, now);
}

/*
 * PSN after a hole at @psn of @n packets; a request that takes several PSNs and
 * was never executed is sent whole. When the hole is the same again it is one packet
 * less every other time: a network that loses with a period must not find it in step.
 */
static u32 hole_of(struct rxe_req *req, u32 psn, u32 n)
{
	const struct rxe_swqe *w = rxe_req_owner(req, psn);

	if (w && rxe_wr_wants_response(w) && !rxe_req_executed(req, w))
		return rxe_req_end(req, w);
	req->repair.less = psn == req->rewind.psn && !req->repair.less;
	return rxe_psn_add(psn, n - req->repair.less);
}

/**
 * rxe_req_fill() - send again what may be missing at req->una
 * @req: the requester
 * @n: packets, > 1, when the hole is of unknown length
 * @now: current time, ns
 *
 * Context: send side lock.
 */
void rxe_req_fill(struct rxe_req *req, u32 n, u64 now)
{
	repair(req, hole_of(req, req->una, n), now);
}

/* Nothing of it needs to be sent now: its answers are asked for, or there are none */
static bool in_hand(const struct rxe_req *req, const struct rxe_swqe *w)
{
	if (rxe_wr_wants_response(w))
		return rxe_req_unanswered(req, w);
	return rxe_req_executed(req, w);
}

/* The next PSN from @psn on to be sent, or asked for; @end: there is none before it */
static u32 next_in_hole(const struct rxe_req *req, u32 psn, u32 end)
{
	u32 len = rxe_req_rel(req, end), i;

	for (i = req->cons; i != req->prod && rxe_req_rel(req, psn) < len;
	     i++) {
		const struct rxe_swqe *w = rxe_req_at(req, i);

		if (w->state == RXE_SWQE_POSTED)
			break;
		if (w->state != RXE_SWQE_ACTIVE ||
		    !rxe_psn_within(psn, w->first_psn, w->last_psn))
			continue;
		if (in_hand(req, w)) {
			psn = rxe_psn_add(w->last_psn, 1);
			continue;
		}
		while (rxe_req_has(req, psn) && psn != w->last_psn)
			psn = rxe_psn_add(psn, 1);
		if (!rxe_req_has(req, psn))
			break;
		psn = rxe_psn_add(psn, 1);
	}
	return rxe_req_rel(req, psn) < len ? psn : end;
}

/**
 * rxe_req_leave_hole() - go on where sending was when the hole is filled
 * @req: the requester
 *
 * In a hole, responses that have arrived are skipped; and of each READ only the first
 * that is missing are asked for, the next when those have come: the kernel's own driver
 * repeats a READ from where it last did, or later, never from before that.
 *
 * Context: send side lock.
 */
void rxe_req_leave_hole(struct rxe_req *req)
{
	u32 psn;

	if (!req->repair.active)
		return;
	psn = next_in_hole(req, req->npsn, req->repair.end);
	if (psn != req->repair.end) {
		if (psn != req->npsn)
			seek(req, psn);
		return;
	}
	req->repair.active = false;
	/* Nothing was sent into it: what was to be asked is known by now */
	req->ackreq_next = false;
	/* Sending may have gone further while it stood in the hole: a whole READ */
	if (rxe_req_rel(req, req->npsn) > rxe_req_rel(req, psn))
		psn = req->npsn;
	if (rxe_req_rel(req, req->repair.resume_psn) > rxe_req_rel(req, psn))
		psn = req->repair.resume_psn;
	seek(req, psn);
	req->ackreq_psn = psn;
}

/**
 * rxe_req_run_psns() - PSNs from req->npsn on that one run may take
 * @req: the requester
 * @w: the work request that req->npsn is in
 *
 * Context: send side lock.
 * Return: how many: to the end of @w or of the hole, whichever comes first.
 */
u32 rxe_req_run_psns(const struct rxe_req *req, const struct rxe_swqe *w)
{
	u32 n = rxe_psn_sub(w->last_psn, req->npsn) + 1;
	u32 i;

	if (rxe_wr_is_read(w)) {
		u32 part = rxe_psn_sub(rxe_req_end(req, w), req->npsn);

		/* One that was asked for is a request of its own to the peer */
		n = min(n, part ?: req->read_psns);
	}
	if (!req->repair.active)
		return n;
	if (rxe_wr_wants_response(w) && !rxe_req_executed(req, w))
		return n;
	n = min(n, rxe_psn_sub(req->repair.end, req->npsn));
	if (rxe_wr_wants_response(w))
		for (i = 1; i < n; i++)
			if (rxe_req_has(req, rxe_psn_add(req->npsn, i)))
				return i;
	return n;
}

/* A PSN that req->una, once at @old_una, has passed is carried along */
static u32 carried(const struct rxe_req *req, u32 psn, u32 old_una)
{
	if (rxe_psn_sub(psn, old_una) < rxe_psn_sub(req->una, old_una))
		return req->una;
	return psn;
}

/**
 * rxe_req_advanced() - what follows from a new req->una
 * @req: the requester
 * @old_una: what it was
 * @now: current time, ns
 *
 * Context: send side lock.
 */
void rxe_req_advanced(struct rxe_req *req, u32 old_una, u64 now)
{
	bool behind = rxe_psn_sub(req->npsn, old_una) <
		      rxe_psn_sub(req->una, old_una);

	if (req->una == old_una)
		return;
	rxe_req_heard(req, now);
	req->retry_left = req->retry_cnt;
	req->rnr_left = req->rnr_retry;
	req->rewind.refusals = 0;
	req->answers.stale = 0;
	rxe_req_grow(req, rxe_psn_sub(req->una, old_una));
	rxe_req_answered(req, old_una, now);
	req->acked_psn = carried(req, req->acked_psn, old_una);
	req->answers.far_psn = carried(req, req->answers.far_psn, old_una);
	req->timer.probed_psn = carried(req, req->timer.probed_psn, old_una);
	if (req->repair.active) {
		req->repair.end = carried(req, req->repair.end, old_una);
		req->repair.resume_psn =
			carried(req, req->repair.resume_psn, old_una);
	}
	if (req->repair.judging && rxe_psn_sub(req->repair.asked_psn, old_una) <
					   rxe_psn_sub(req->una, old_una)) {
		req->repair.judging = false;
		req->peer.keeps = RXE_PEER_KEEPS;
		req->peer.failed = 0;
	}
	if (!behind)
		return;
	/* The peer got ahead of a resend under way: skip what it has */
	seek(req, req->una);
	req->ackreq_psn = req->npsn;
}

/**
 * rxe_req_response_gap() - responses are missing though the peer is beyond them
 * @req: the requester
 * @end: PSN that the peer is known to be beyond
 * @now: current time, ns
 * @plan: tells that packets will be sent again
 *
 * Asks again at once, but only once per round trip, and for no more than can be
 * kept should the oldest be lost again.
 *
 * Context: send side lock.
 */
void rxe_req_response_gap(struct rxe_req *req, u32 end, u64 now,
			  struct rxe_ack_plan *plan)
{
	plan->verdict = plan->verdict ?: RXE_ACK_OK;
	if (req->una == req->rewind.psn &&
	    (!req->rtt.srtt_ns || now - req->rewind.ns < 2 * req->rtt.srtt_ns))
		return;
	req->stats.gaps++;
	if (rxe_req_rel(req, end) > RXE_GOT_PSNS)
		end = rxe_psn_add(req->una, RXE_GOT_PSNS);
	repair(req, end, now);
	plan->rewound = true;
}

/* Look again for what is missing before @end, and go on where sending was after that */
static void widen(struct rxe_req *req, u32 end, u64 now)
{
	if (!req->repair.active) {
		req->repair.resume_psn = req->npsn;
		req->repair.end = end;
	} else if (rxe_req_rel(req, end) > rxe_req_rel(req, req->repair.end)) {
		req->repair.end = end;
	}
	req->repair.active = true;
	seek(req, req->una);
	req->ackreq_psn = req->una;
	req->timer.early_ns = now;
	if (req->rtt.srtt_ns)
		req->rtt.sent_ns = 0;
}

/**
 * rxe_req_ask_on() - responses may be missing of which nobody has asked again
 * @req: the requester
 * @end: PSN that the peer is known to be beyond
 * @now: current time, ns
 * @plan: tells that packets will be sent again
 *
 * What was asked for already is not asked for twice.
 *
 * Context: send side lock.
 */
void rxe_req_ask_on(struct rxe_req *req, u32 end, u64 now,
		    struct rxe_ack_plan *plan)
{
	if (rxe_req_rel(req, end) > RXE_GOT_PSNS)
		end = rxe_psn_add(req->una, RXE_GOT_PSNS);
	if (next_in_hole(req, req->una, end) == end)
		return;
	if (!rxe_req_asked_again(req, req->una)) {
		req->rewind.psn = req->una;
		req->rewind.ns = now;
	}
	widen(req, end, now);
	req->stats.gaps++;
	plan->rewound = true;
}

/* What a NAK for @psn tells of the peer, and how much to send it */
static void judge_peer(struct rxe_req *req, u32 psn)
{
	/* It begins where the last one ended: a longer hole, or all beyond it gone */
	bool more = req->repair.judging && psn == req->repair.asked_psn;

	if (req->peer.keeps == RXE_PEER_DROPS) {
		req->repair.pkts = RXE_REPAIR_PKTS;
		if (++req->peer.drops == DROPS_MAX << (req->peer.failed - 1))
			req->peer.keeps = RXE_PEER_UNKNOWN;
		return;
	}
	req->repair.tries = more ? req->repair.tries + 1 : 0;
	req->repair.pkts = more ? min(2 * req->repair.pkts, REPAIR_PKTS_MAX) :
				  RXE_REPAIR_PKTS;
	if (req->repair.tries == (req->peer.keeps == RXE_PEER_KEEPS ?
					  REPAIR_TRIES :
					  REPAIR_TRIES_UNKNOWN)) {
		req->peer.keeps = RXE_PEER_DROPS;
		req->peer.drops = 0;
		req->peer.failed = min(req->peer.failed + 1, DROPS_DOUBLED_MAX);
		rxe_req_narrow(req);
		req->repair.tries = 0;
	}
}

/* The same of @psn, while responses before it are missing as well */
static void missing_beyond(struct rxe_req *req, u32 psn, u64 now)
{
	bool drops = req->peer.keeps == RXE_PEER_DROPS;
	u32 end = drops ? psn : hole_of(req, psn, req->repair.pkts);

	end = not_beyond_sent(req, end);
	widen(req, end, now);
	req->ackreq_next = true;
	req->repair.probing = false;
	req->repair.judging = !drops;
	req->repair.asked_psn = end;
	if (drops)
		req->repair.resume_psn = psn;
}

/**
 * rxe_req_missing() - the peer misses a request
 * @req: the requester
 * @psn: its PSN, req->una or beyond it: it has all before
 * @now: current time, ns
 * @plan: tells that packets will be sent again
 *
 * A way that never lets it pass ends like one that lets nothing pass (IBTA 9.9.2.1.1): the
 * local ACK timeout is put off by so many NAKs only.
 *
 * Context: send side lock.
 */
void rxe_req_missing(struct rxe_req *req, u32 psn, u64 now,
		     struct rxe_ack_plan *plan)
{
	plan->verdict = RXE_ACK_OK;
	/* Nothing sent since, or an exact repeat within a round trip */
	if (req->npsn == psn)
		return;
	if (psn == req->rewind.refused_psn &&
	    now - req->rewind.refused_ns < req->rtt.srtt_ns)
		return;

	if (req->rewind.refusals < REFUSALS_MAX) {
		req->rewind.refusals++;
		rxe_req_heard(req, now);
	}
	plan->rewound = true;
	judge_peer(req, psn);
	if (psn != req->una) {
		missing_beyond(req, psn, now);
	} else if (req->peer.keeps == RXE_PEER_DROPS &&
		   psn != req->rewind.psn) {
		rxe_req_rewind(req, now);
	} else {
		rxe_req_fill(req, req->repair.pkts, now);
		req->repair.judging = true;
	}
	req->rewind.refused_psn = psn;
	req->rewind.refused_ns = now;
}

/**
 * rxe_req_hole_filled() - does an ACK tell that the peer has a hole, and nothing of what
 *	was sent after it?
 * @req: the requester
 * @now: current time, ns
 * @plan: tells that packets will be sent again
 *
 * It would say so by a NAK, but only when more comes, and the window may be closed.
 *
 * Context: send side lock.
 */
void rxe_req_hole_filled(struct rxe_req *req, u64 now,
			 struct rxe_ack_plan *plan)
{
	if (req->repair.judging && req->una == req->repair.asked_psn)
		rxe_req_missing(req, req->una, now, plan);
}
