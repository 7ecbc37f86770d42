// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ICRC of a FLUSH. The kernel's own driver covers the headers twice, and two of
 * its kind agree with each other; all others drop what they send, and the other way
 * round, without a word. So what a peer sends tells what it takes, and as long as it
 * sends none, what it answers does.
 */
#include "req_state.h"

/* So often a FLUSH is sent with one form of the ICRC before the other is tried */
#define TRIES 2

static bool was_sent(const struct rxe_req *req, u32 psn)
{
	return rxe_req_rel(req, psn) < rxe_req_outstanding(req);
}

/**
 * rxe_req_icrc_twice() - which ICRC a FLUSH goes out with
 * @req: the requester
 * @psn: PSN of the FLUSH
 *
 * That of the one before; one that stays unanswered is tried with the other form, by
 * turns. The form that was sent last is the one that was answered.
 *
 * Context: send side lock.
 * Return: true for the one that covers the headers twice.
 */
bool rxe_req_icrc_twice(const struct rxe_req *req, u32 psn)
{
	bool other = was_sent(req, psn) && req->icrc_sends >= TRIES;

	return req->icrc_twice ^ other;
}

/**
 * rxe_req_icrc_sent() - a FLUSH is on its way, or lost on it
 * @req: the requester, which does not count it as sent yet
 * @pkt: the FLUSH
 *
 * Context: send side lock.
 */
void rxe_req_icrc_sent(struct rxe_req *req, const struct rxe_pkt *pkt)
{
	if (pkt->icrc_twice != req->icrc_twice || !was_sent(req, pkt->psn))
		req->icrc_sends = 0;
	req->icrc_twice = pkt->icrc_twice;
	req->icrc_sends++;
}

/**
 * rxe_req_icrc() - the peer showed which ICRC it gives a FLUSH
 * @req: the requester
 * @twice: the one that covers the headers twice
 *
 * Context: send side lock.
 */
void rxe_req_icrc(struct rxe_req *req, bool twice)
{
	req->icrc_twice = twice;
	req->icrc_sends = 0;
}
