// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: its timers.
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
/* A back-off is forgotten when the timer has not run out for so many of its periods */
#define BACKOFF_TIMES 2

/* The retransmission timer's time */
static u64 early_timeout(const struct rxe_req *req)
{
	/* Twice the deviations that TCP allows: virtual machines stand still now
	 * and then, and NAKs are what repairs most losses
	 */
	u64 rto = req->rtt.srtt_ns ? req->rtt.srtt_ns + 8 * req->rtt.rttvar_ns :
				     RTO_FIRST_NS;

	return max(rto, RTO_MIN_NS) << min(req->timer.backoff, 16U);
}

static void sample_rtt(struct rxe_req *req, u32 old_una, u64 now)
{
	u64 rtt = now - req->rtt.sent_ns, dev;

	if (!req->rtt.sent_ns || rxe_psn_sub(req->rtt.psn, old_una) >=
					 rxe_psn_sub(req->una, old_una))
		return;
	req->rtt.sent_ns = 0;
	req->timer.backoff = 0;
	if (!req->rtt.srtt_ns) {
		/* It may have been sent twice: the shorter round trip, and the rest of the
		 * longer one in the deviation
		 */
		req->rtt.srtt_ns = min(rtt, now - req->rewind.ns);
		req->rtt.rttvar_ns =
			max(req->rtt.srtt_ns / 2, (rtt - req->rtt.srtt_ns) / 6);
		return;
	}
	rxe_req_measured(req, rtt, rxe_psn_sub(req->una, req->rtt.una));
	dev = rtt > req->rtt.srtt_ns ? rtt - req->rtt.srtt_ns :
				       req->rtt.srtt_ns - rtt;
	req->rtt.rttvar_ns = (3 * req->rtt.rttvar_ns + dev) / 4;
	req->rtt.srtt_ns = (7 * req->rtt.srtt_ns + rtt) / 8;
}

/*
 * The timer ran out, and now there is an answer. It was a loss, or the timer is too
 * short for the way; then it would run out again before a sample tells.
 */
static void ease_backoff(struct rxe_req *req, u64 now)
{
	if (now - req->timer.probed_ns > BACKOFF_TIMES * early_timeout(req))
		req->timer.backoff = 0;
	if (req->timer.backoff && !req->timer.eased)
		req->timer.backoff--;
	req->timer.eased = true;
}

/**
 * rxe_req_answered() - the peer has more than before: what that tells of the timer
 * @req: the requester, req->una advanced
 * @old_una: what it was
 * @now: current time, ns
 *
 * Context: send side lock.
 */
void rxe_req_answered(struct rxe_req *req, u32 old_una, u64 now)
{
	ease_backoff(req, now);
	sample_rtt(req, old_una, now);
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
 * after it. One that had more is asked about what comes next; one that has a part
 * will tell of the rest, which is on its way and asks for it.
 *
 * Context: send side lock.
 */
void rxe_req_probe_answered(struct rxe_req *req, bool all, u64 now,
			    struct rxe_ack_plan *plan)
{
	if (!req->repair.probing ||
	    rxe_psn_diff(req->repair.asked_psn, req->una) > 0)
		return;
	req->repair.probing = false;
	if (req->una == req->timer.probed_psn || req->una == req->sent_psn)
		return;
	plan->rewound = true;
	if (!all || req->una != req->repair.asked_psn) {
		rxe_req_fill(req, RXE_REPAIR_PKTS, now);
		req->repair.probing = true;
		return;
	}
	rxe_req_resume(req, now);
}

/* A timer ran out: ask about the oldest packet */
static void probe(struct rxe_req *req, u64 now)
{
	u64 rtt_ns = req->rtt.sent_ns;

	req->timer.backoff++;
	req->timer.eased = false;
	req->timer.probed_psn = req->sent_psn;
	req->timer.probed_ns = now;
	rxe_req_fill(req, RXE_REPAIR_PKTS, now);
	req->repair.probing = true;
	/* This one is not sent again. It may wait for the hole to be filled, but tells
	 * when the timer is a little short.
	 */
	if (req->rtt.srtt_ns && req->timer.backoff == 1 &&
	    rxe_req_rel(req, req->rtt.psn) >= rxe_req_rel(req, req->repair.end))
		req->rtt.sent_ns = rtt_ns;
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
		return req->pause.until_ns;
	deadline = min(req->timer.rto_ns + req->timeout_ns,
		       req->timer.early_ns + early_timeout(req));
	deadline = max(deadline, req->timer.grace_ns);
	return req->pause.until_ns ? min(deadline, req->pause.until_ns) :
				     deadline;
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
	if (req->pause.until_ns == deadline) {
		req->pause.until_ns = 0;
		return;
	}
	if (now - deadline > LATE_NS && !req->timer.late) {
		req->timer.late = true;
		req->timer.grace_ns = now + GRACE_NS;
		return;
	}
	req->timer.late = false;
	plan->rewound = true;
	if (now < req->timer.rto_ns + req->timeout_ns) {
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
	req->timer.rto_ns = now;
}
