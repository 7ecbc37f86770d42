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
 *
 * The retransmission timer follows the round trip time and sends but a few
 * packets: what the peer says to them tells what it needs. The local ACK timeout
 * of the connection is counted apart, it alone ends in an error (IBTA 9.7.6.1.3).
 */
#include "req_state.h"

#include <linux/kernel.h>
#include <linux/minmax.h>

#define MSEC 1000000ULL

/* Retransmission timer: at least, and before the first sample */
#define RTO_MIN_NS MSEC
#define RTO_FIRST_NS (20 * MSEC)
/* A timer that is later than this tells that the machine stood still; what
 * arrived meanwhile may then wait to be taken, and gets this long
 */
#define LATE_NS (2 * MSEC)
#define GRACE_NS MSEC
/* What the timer is backed off to stays so for so many times it */
#define BACKOFF_TIMES 2
/* Packets sent into a hole of unknown length: the second tells a peer that the
 * first was lost again
 */
#define REPAIR_PKTS 2U
#define REPAIR_PKTS_MAX 64U
/* So many holes that each begin where the one before ended are no loss: this peer
 * does not keep what is beyond; fewer will do when it never has. Taken for one that
 * does not, it is put to the test again after so many holes
 */
#define REPAIR_TRIES 4
#define REPAIR_TRIES_UNKNOWN 2
#define DROPS_MAX 4

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
	req->nak_psn = req->una;
	req->rewind_ns = now;
	req->early_ns = now;
	req->overtaken = 0;
	/* Karn: no sample from what is sent twice, unless there is none at all */
	if (req->srtt_ns)
		req->rtt_ns = 0;
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
	req->repairing = false;
	req->probing = false;
	req->judging = false;
	req->again_psn = req->sent_psn;
	restart(req, now);
}

/* Send [una, @end) again, then go on where sending was */
static void repair(struct rxe_req *req, u32 end, u64 now)
{
	if (rxe_req_rel(req, end) > rxe_req_outstanding(req))
		end = req->sent_psn;
	if (!req->repairing)
		req->resume_psn = req->npsn;
	req->repairing = true;
	req->probing = false;
	req->judging = false;
	req->hole_end = end;
	req->asked_psn = end;
	if (rxe_req_rel(req, end) > rxe_req_rel(req, req->again_psn))
		req->again_psn = end;
	restart(req, now);
}

/* Send again what the oldest request still needs; all, when it may be all it needs */
static void resume(struct rxe_req *req, u64 now)
{
	const struct rxe_swqe *w = rxe_req_owner(req, req->una);

	if (w && rxe_wr_wants_response(w) && rxe_req_executed(req, w))
		repair(req, rxe_psn_add(w->last_psn, 1), now);
	else
		rxe_req_rewind(req, now);
}

/*
 * PSN after a hole at req->una of @n packets; a request that takes several PSNs and
 * was never executed is sent whole. When the hole is the same again it is one packet
 * less every other time: a network that loses with a period must not find it in step.
 */
static u32 hole_of(struct rxe_req *req, u32 n)
{
	const struct rxe_swqe *w = rxe_req_owner(req, req->una);

	if (w && rxe_wr_wants_response(w) && !rxe_req_executed(req, w))
		return rxe_psn_add(w->last_psn, 1);
	req->less = req->una == req->nak_psn && !req->less;
	return rxe_psn_add(req->una, n - req->less);
}

/**
 * rxe_req_leave_hole() - go on where sending was when the hole is filled
 * @req: the requester
 *
 * In a hole, responses that have arrived are skipped.
 *
 * Context: send side lock.
 */
void rxe_req_leave_hole(struct rxe_req *req)
{
	u32 psn = req->npsn;

	if (!req->repairing)
		return;
	while (rxe_req_rel(req, psn) < rxe_req_rel(req, req->hole_end) &&
	       rxe_req_has(req, psn))
		psn = rxe_psn_add(psn, 1);
	if (rxe_req_rel(req, psn) < rxe_req_rel(req, req->hole_end)) {
		if (psn != req->npsn)
			seek(req, psn);
		return;
	}
	req->repairing = false;
	/* Sending may have gone further while it stood in the hole: a whole READ */
	if (rxe_req_rel(req, req->resume_psn) > rxe_req_rel(req, psn))
		psn = req->resume_psn;
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

	if (rxe_wr_is_read(w))
		n = min(n, req->read_psns);
	if (!req->repairing)
		return n;
	if (rxe_wr_wants_response(w) && !rxe_req_executed(req, w))
		return n;
	n = min(n, rxe_psn_sub(req->hole_end, req->npsn));
	if (rxe_wr_wants_response(w))
		for (i = 1; i < n; i++)
			if (rxe_req_has(req, rxe_psn_add(req->npsn, i)))
				return i;
	return n;
}

/* The retransmission timer's time */
static u64 early_timeout(const struct rxe_req *req)
{
	/* Twice the deviations that TCP allows: virtual machines stand still now
	 * and then, and NAKs are what repairs most losses
	 */
	u64 rto = req->srtt_ns ? req->srtt_ns + 8 * req->rttvar_ns :
				 RTO_FIRST_NS;

	return max(rto, RTO_MIN_NS) << min(req->backoff, 16U);
}

static void sample_rtt(struct rxe_req *req, u32 old_una, u64 now)
{
	u64 rtt = now - req->rtt_ns, dev;

	if (!req->rtt_ns || rxe_psn_sub(req->rtt_psn, old_una) >=
				    rxe_psn_sub(req->una, old_una))
		return;
	req->rtt_ns = 0;
	req->backoff = 0;
	if (!req->srtt_ns) {
		/* Sent twice: the way takes one of two times, as far as we know */
		req->srtt_ns = min(rtt, now - req->rewind_ns);
		req->rttvar_ns =
			max(req->srtt_ns / 2, (rtt - req->srtt_ns) / 6);
		return;
	}
	rxe_req_measured(req, rtt, rxe_psn_sub(req->una, req->rtt_una));
	dev = rtt > req->srtt_ns ? rtt - req->srtt_ns : req->srtt_ns - rtt;
	req->rttvar_ns = (3 * req->rttvar_ns + dev) / 4;
	req->srtt_ns = (7 * req->srtt_ns + rtt) / 8;
}

/* A PSN that req->una, once at @old_una, has passed is carried along */
static u32 carried(const struct rxe_req *req, u32 psn, u32 old_una)
{
	if (rxe_psn_sub(psn, old_una) < rxe_psn_sub(req->una, old_una))
		return req->una;
	return psn;
}

/*
 * The timer ran out, and now there is an answer. It was a loss, or the timer is too
 * short for the way; then it would run out again before a sample tells.
 */
static void ease_backoff(struct rxe_req *req, u64 now)
{
	if (now - req->probed_ns > BACKOFF_TIMES * early_timeout(req))
		req->backoff = 0;
	if (req->backoff && !req->eased)
		req->backoff--;
	req->eased = true;
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
	req->overtaken = 0;
	ease_backoff(req, now);
	req->retry_left = req->retry_cnt;
	req->rnr_left = req->rnr_retry;
	rxe_req_grow(req, rxe_psn_sub(req->una, old_una));
	sample_rtt(req, old_una, now);
	req->acked_psn = carried(req, req->acked_psn, old_una);
	req->far_psn = carried(req, req->far_psn, old_una);
	req->again_psn = carried(req, req->again_psn, old_una);
	req->probed_psn = carried(req, req->probed_psn, old_una);
	req->hole_end = carried(req, req->hole_end, old_una);
	req->resume_psn = carried(req, req->resume_psn, old_una);
	if (req->judging && rxe_psn_sub(req->asked_psn, old_una) <
				    rxe_psn_sub(req->una, old_una)) {
		req->judging = false;
		req->peer_keeps = RXE_PEER_KEEPS;
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
	if (req->una == req->nak_psn &&
	    (!req->srtt_ns || now - req->rewind_ns < 2 * req->srtt_ns))
		return;
	req->stats.gaps++;
	if (rxe_req_rel(req, end) > RXE_GOT_PSNS)
		end = rxe_psn_add(req->una, RXE_GOT_PSNS);
	repair(req, end, now);
	plan->rewound = true;
}

/* What a NAK for req->una tells of the peer, and how much to send it */
static void judge_peer(struct rxe_req *req)
{
	/* It begins where the last one ended: a longer hole, or all beyond it gone */
	bool more = req->judging && req->una == req->asked_psn;

	if (req->peer_keeps == RXE_PEER_DROPS) {
		req->repair_pkts = REPAIR_PKTS;
		if (++req->peer_drops == DROPS_MAX)
			req->peer_keeps = RXE_PEER_UNKNOWN;
		return;
	}
	req->repair_tries = more ? req->repair_tries + 1 : 0;
	req->repair_pkts = more ? min(2 * req->repair_pkts, REPAIR_PKTS_MAX) :
				  REPAIR_PKTS;
	if (req->repair_tries == (req->peer_keeps == RXE_PEER_KEEPS ?
					  REPAIR_TRIES :
					  REPAIR_TRIES_UNKNOWN)) {
		req->peer_keeps = RXE_PEER_DROPS;
		req->peer_drops = 0;
		req->repair_tries = 0;
	}
}

/**
 * rxe_req_psn_nak() - the peer misses req->una
 * @req: the requester
 * @now: current time, ns
 * @plan: tells that packets will be sent again
 *
 * Context: send side lock.
 */
void rxe_req_psn_nak(struct rxe_req *req, u64 now, struct rxe_ack_plan *plan)
{
	plan->verdict = RXE_ACK_OK;
	req->stats.naks++;
	/* Nothing sent since, or an exact repeat within a round trip */
	if (req->npsn == req->una)
		return;
	if (req->una == req->nak_psn && now - req->rewind_ns < req->srtt_ns)
		return;

	rxe_req_heard(req, now);
	plan->rewound = true;
	judge_peer(req);
	if (req->peer_keeps == RXE_PEER_DROPS && req->una != req->nak_psn) {
		rxe_req_rewind(req, now);
		return;
	}
	repair(req, hole_of(req, req->repair_pkts), now);
	req->judging = true;
}

/**
 * rxe_req_probe_answered() - does what came answer the timer's question?
 * @req: the requester, req->una advanced
 * @all: what came tells all that the peer has, other than a response that may be one of
 *	many on their way
 * @now: current time, ns
 * @plan: tells that packets will be sent again
 *
 * A peer that has exactly what it was asked about has nothing of what was sent
 * after it. One that had more is asked about what comes next.
 *
 * Context: send side lock.
 */
void rxe_req_probe_answered(struct rxe_req *req, bool all, u64 now,
			    struct rxe_ack_plan *plan)
{
	if (!req->probing)
		return;
	req->probing = false;
	if (req->una == req->probed_psn || req->una == req->sent_psn)
		return;
	plan->rewound = true;
	if (!all || req->una != req->asked_psn) {
		repair(req, hole_of(req, REPAIR_PKTS), now);
		req->probing = true;
		return;
	}
	resume(req, now);
}

/**
 * rxe_req_congested() - a packet met a full queue of this machine
 * @req: the requester
 * @now: current time, ns
 *
 * Context: send side lock.
 * Return: true: the packet counts as not sent, and nothing is for a while; false: it
 * counts as lost, for the queue has taken nothing for long.
 */
bool rxe_req_congested(struct rxe_req *req, u64 now)
{
	req->stats.pauses++;
	if (req->pauses == RXE_PAUSES_MAX) {
		req->pauses = 0;
		return false;
	}
	if (!req->pauses++)
		rxe_req_shrink(req);
	req->pause_ns = now + RXE_PAUSE_NS;
	return true;
}

/* A timer ran out: ask about the oldest packet */
static void probe(struct rxe_req *req, u64 now)
{
	u64 rtt_ns = req->rtt_ns;

	req->backoff++;
	req->eased = false;
	req->probed_psn = req->sent_psn;
	req->probed_ns = now;
	repair(req, hole_of(req, REPAIR_PKTS), now);
	req->probing = true;
	/* This one is not sent again. It may wait for the hole to be filled, but tells
	 * when the timer is a little short.
	 */
	if (req->srtt_ns && req->backoff == 1 &&
	    rxe_req_rel(req, req->rtt_psn) >= rxe_req_rel(req, req->hole_end))
		req->rtt_ns = rtt_ns;
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
	u64 deadline;

	if (req->rnr_until_ns)
		return req->rnr_until_ns;
	if (!rxe_req_outstanding(req) || !req->timeout_ns)
		return req->pause_ns;
	deadline = min(req->rto_ns + req->timeout_ns,
		       req->early_ns + early_timeout(req));
	deadline = max(deadline, req->grace_ns);
	return req->pause_ns ? min(deadline, req->pause_ns) : deadline;
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

	plan->verdict = RXE_ACK_OK;
	if (req->rnr_until_ns) {
		rxe_req_rnr_over(req, now);
		return;
	}
	if (req->pause_ns == deadline) {
		req->pause_ns = 0;
		return;
	}
	if (now - deadline > LATE_NS && !req->late) {
		req->late = true;
		req->grace_ns = now + GRACE_NS;
		return;
	}
	req->late = false;
	plan->rewound = true;
	if (now < req->rto_ns + req->timeout_ns) {
		req->stats.probes++;
		probe(req, now);
		return;
	}
	if (!req->retry_left) {
		plan->rewound = false;
		rxe_req_fatal(req, rxe_req_owner(req, req->una),
			      RXE_ST_RETRY_EXC_ERR, plan);
		return;
	}
	req->retry_left--;
	req->stats.timeouts++;
	rxe_req_shrink(req);
	probe(req, now);
	req->rto_ns = now;
}
