// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Congestion: how many packets may be outstanding. As many as the way takes, measured
 * as what was acknowledged in a round trip, if that were the shortest one; a quarter
 * more, to see whether it takes more; and RXE_ACK_EVERY, for so many leave the window
 * together with one ACK. What acknowledgements bring in, losses, full queues and the
 * peer's notifications (CNP, IBTA annex A17.9.3) take away. Notifications are answered
 * as DCQCN does, on a window instead of a rate: cut by half of alpha, a measure of how
 * often they come; then back half way to where it was, five times, then further by steps.
 */
#include "req_state.h"

#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

/* Packets in flight however bad it is */
#define MIN_CWND 8U
/* alpha is a fraction of this; its gain is 1/16 */
#define ALPHA_ONE 1024U
#define ALPHA_SHIFT 4
/* Windows acknowledged in which the cut is halved, and packets that each one after
 * them brings
 */
#define FAST_ROUNDS 5
#define STEP 4U
/* A window wider than needed loses one part in so many each round trip */
#define DECAY 16U
/* To a peer that keeps nothing beyond a hole all that is on its way is sent in vain when
 * one is lost: no more than the way holds, and so many
 */
#define DROPS_WINDOW 32U

/**
 * rxe_req_cc_reset() - a full window, no congestion known
 * @req: the requester
 *
 * Context: send side lock, or no other user.
 */
void rxe_req_cc_reset(struct rxe_req *req)
{
	req->cwnd = req->window;
	req->cc = (struct rxe_req_cc){ .window = req->window,
				       .target = req->window };
}

/**
 * rxe_req_measured() - a round trip was timed
 * @req: the requester
 * @rtt_ns: how long it took
 * @n: PSNs acknowledged in that time, those of responses too
 *
 * The window opens at once and closes slowly: when little was there to send it looks
 * small.
 *
 * Context: send side lock.
 */
void rxe_req_measured(struct rxe_req *req, u64 rtt_ns, u32 n)
{
	struct rxe_req_cc *cc = &req->cc;
	u32 bdp, least = req->window, spare = RXE_ACK_EVERY;

	if (req->peer.failed) {
		least = min(least, DROPS_WINDOW);
		spare = least;
	}
	rtt_ns = max_t(u64, rtt_ns, 1);
	cc->min_rtt_ns = min_not_zero(cc->min_rtt_ns, rtt_ns);
	bdp = div64_u64(min(n, req->cwnd) * cc->min_rtt_ns, rtt_ns);
	cc->window =
		max(cc->window - cc->window / DECAY, bdp + bdp / 4 + spare);
	cc->window = clamp(cc->window, least, req->window_max);
	req->cwnd = min(req->cwnd, cc->window);
}

/**
 * rxe_req_narrow() - the peer keeps nothing beyond a hole: measure anew what the way holds
 * @req: the requester
 *
 * Context: send side lock.
 */
void rxe_req_narrow(struct rxe_req *req)
{
	req->cc.window = min(req->cc.window, DROPS_WINDOW);
	req->cwnd = min(req->cwnd, req->cc.window);
}

/**
 * rxe_req_shrink() - a loss that cost a timeout, or a full queue: half the window
 * @req: the requester
 *
 * Context: send side lock.
 */
void rxe_req_shrink(struct rxe_req *req)
{
	req->cwnd = max(req->cwnd / 2, min(req->window, MIN_CWND));
}

/**
 * rxe_req_cnp() - the peer saw a packet of ours marked: the way is congested
 * @req: the requester
 * @now: current time, ns
 *
 * Context: send side lock.
 */
void rxe_req_cnp(struct rxe_req *req, u64 now)
{
	struct rxe_req_cc *cc = &req->cc;

	req->stats.cnps++;
	if (cc->cnp_ns && now - cc->cnp_ns < RXE_CNP_NS)
		return;
	cc->cnp_ns = now;
	cc->alpha += (ALPHA_ONE - cc->alpha) >> ALPHA_SHIFT;
	if (!cc->active)
		cc->alpha = max(cc->alpha, ALPHA_ONE / 2);
	cc->active = true;
	cc->target = req->cwnd;
	cc->rounds = 0;
	cc->acked = 0;
	req->cwnd -= req->cwnd * cc->alpha / (2 * ALPHA_ONE);
	req->cwnd = max(req->cwnd, min(req->window, MIN_CWND));
}

/* A window's worth was acknowledged since the last notification or round */
static void next_round(struct rxe_req *req)
{
	struct rxe_req_cc *cc = &req->cc;

	cc->acked = 0;
	cc->alpha -= cc->alpha >> ALPHA_SHIFT;
	if (cc->rounds++ >= FAST_ROUNDS)
		cc->target = min(cc->target + STEP, cc->window);
	req->cwnd = DIV_ROUND_UP(req->cwnd + cc->target, 2);
	cc->active = req->cwnd < cc->window;
}

/**
 * rxe_req_grow() - packets were acknowledged
 * @req: the requester
 * @n: how many
 *
 * Context: send side lock.
 */
void rxe_req_grow(struct rxe_req *req, u32 n)
{
	if (!req->cc.active) {
		req->cwnd = min(req->cwnd + n, req->cc.window);
		return;
	}
	req->cc.acked += n;
	if (req->cc.acked >= req->cwnd)
		next_round(req);
}

/**
 * rxe_req_congested() - a packet met a full queue of this machine
 * @req: the requester
 * @now: current time, ns
 *
 * Context: send side lock.
 * Return: as rxe_pause_begin().
 */
bool rxe_req_congested(struct rxe_req *req, u64 now)
{
	req->stats.pauses++;
	if (!req->pause.since_ns)
		rxe_req_shrink(req);
	return rxe_pause_begin(&req->pause, now);
}
