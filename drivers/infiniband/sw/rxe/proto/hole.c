// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder: requests that arrive ahead of one that is missing. They may be kept
 * until it is there, and are then executed in their order, never before. The
 * requester is told soon, once, and again while nothing changes: neither a second
 * loss nor the loss of the NAK itself is left to its timer (IBTA 9.7.5.2.8).
 */
#include "resp.h"

/* Packets beyond a hole before it counts as one, and the time given to fewer */
#define LATE_PKTS 3
#define LATE_NS 100000ULL
/* A hole that stays is reported again after so many packets, or that time, which
 * doubles so often before all beyond the hole is given up: after 4 s, for what is missing
 * may have a long way
 */
#define REPORT_PKTS 32
#define REPORT_NS 1000000ULL
#define REPORTS_MAX 12U

/**
 * rxe_resp_hole_closed() - what was expected is there, or the hole is forgotten
 * @resp: the responder
 *
 * Context: receive side lock.
 */
void rxe_resp_hole_closed(struct rxe_resp *resp)
{
	resp->nak_sent = false;
	resp->not_ready = false;
	resp->beyond = 0;
	resp->hole_ns = 0;
	resp->reports = 0;
}

static u8 report(struct rxe_resp *resp, bool repeat, u64 now)
{
	resp->stats.naks++;
	resp->nak_sent = true;
	resp->beyond = 0;
	resp->hole_ns = repeat ? now + (REPORT_NS << resp->reports) : 0;
	return RXE_NAK_PSN;
}

/* Is it time to say that something is missing? */
static bool report_due(const struct rxe_resp *resp, const struct rxe_pkt *pkt,
		       enum rxe_kept kept)
{
	switch (kept) {
	case RXE_KEPT: /* the hole may be one of order only */
		return resp->beyond >=
		       (resp->nak_sent ? REPORT_PKTS : LATE_PKTS);
	case RXE_KEPT_BEFORE: /* it was sent again, and the hole was not filled */
		return true;
	default: /* one NAK per hole, and another when the PSNs go back */
		return !resp->nak_sent ||
		       rxe_psn_diff(pkt->psn, resp->high_psn) <= 0;
	}
}

/**
 * rxe_resp_ahead() - a packet beyond a hole was kept, or not
 * @resp: the responder
 * @pkt: the packet
 * @kept: what became of it
 * @now: current time, ns
 *
 * Context: receive side lock.
 * Return: syndrome to send with PSN @resp->epsn, 0 = say nothing yet.
 */
u8 rxe_resp_ahead(struct rxe_resp *resp, const struct rxe_pkt *pkt,
		  enum rxe_kept kept, u64 now)
{
	bool due;

	resp->beyond++;
	resp->stats.ahead++;
	resp->stats.kept += kept == RXE_KEPT;
	due = report_due(resp, pkt, kept);
	resp->high_psn = pkt->psn;
	if (due) {
		resp->not_ready = false;
		/* Where nothing is kept it is said once (IBTA 9.7.5.2.8) */
		return report(resp, kept != RXE_NOT_KEPT || resp->hole_ns, now);
	}
	if (!resp->nak_sent && !resp->hole_ns)
		resp->hole_ns = now + LATE_NS;
	return 0;
}

/**
 * rxe_resp_hole() - packets are kept beyond a hole that was not reported yet
 * @resp: the responder, its @hole_ns 0
 * @now: current time, ns
 *
 * Something moved a moment ago, so what is missing may well be on its way.
 *
 * Context: receive side lock.
 */
void rxe_resp_hole(struct rxe_resp *resp, u64 now)
{
	resp->hole_ns = now + REPORT_NS;
}

/**
 * rxe_resp_timeout() - the time of @resp->hole_ns has come, or may have
 * @resp: the responder
 * @now: current time, ns
 * @give_up: set when the packets beyond the hole are to be dropped: the peer has
 *	not sent for long what is missing
 *
 * Context: receive side lock.
 * Return: syndrome to send with PSN @resp->epsn, 0 = none.
 */
u8 rxe_resp_timeout(struct rxe_resp *resp, u64 now, bool *give_up)
{
	*give_up = false;
	if (!resp->hole_ns || now < resp->hole_ns)
		return 0;
	resp->hole_ns = 0;
	if (resp->reports < REPORTS_MAX) {
		u8 syndrome = report(resp, true, now);

		resp->reports++;
		return syndrome;
	}
	rxe_resp_hole_closed(resp);
	*give_up = true;
	return 0;
}
