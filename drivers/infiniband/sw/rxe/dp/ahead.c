// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The packets themselves, ordered by PSN; proto/hole.c says which and for how
 * long. They are executed in their order, when what is missing has come: a later
 * WRITE must never be seen before an earlier one.
 */
#include "ahead.h"

#include "skb.h"

/* All QPs of a device together keep so many packets: some tens of MB */
#define KEPT_MAX 16384

static u32 psn_of(struct sk_buff *skb)
{
	return rxe_skb_cb(skb)->psn;
}

/**
 * rxe_ahead_keep() - keep a packet until those before it are there
 * @qp: the QP
 * @skb: the packet; not consumed unless the answer is RXE_KEPT
 * @psn: its PSN, ahead of the expected one
 *
 * Context: receive side lock.
 * Return: RXE_KEPT, RXE_KEPT_BEFORE when one with this PSN is here already, or
 * RXE_NOT_KEPT when the device keeps too many.
 */
enum rxe_kept rxe_ahead_keep(struct rxe_dp_qp *qp, struct sk_buff *skb, u32 psn)
{
	u32 epsn = qp->qp.resp.epsn;
	struct sk_buff *before;

	/* Mostly in order: the place is at the end */
	skb_queue_reverse_walk(&qp->held, before)
	{
		if (psn_of(before) == psn)
			return RXE_KEPT_BEFORE;
		if (rxe_psn_sub(psn_of(before), epsn) < rxe_psn_sub(psn, epsn))
			break;
	}
	if (atomic_inc_return(&qp->qp.dev->num_kept) > KEPT_MAX) {
		atomic_dec(&qp->qp.dev->num_kept);
		return RXE_NOT_KEPT;
	}
	/* Nothing of a sender that may be this very device */
	skb_orphan(skb);
	rxe_skb_cb(skb)->psn = psn;
	__skb_queue_after(&qp->held, before, skb);
	return RXE_KEPT;
}

/**
 * rxe_ahead_take() - the packet now expected, if it is kept
 * @qp: the QP
 *
 * Context: receive side lock.
 * Return: the packet, the caller's now, or NULL.
 */
struct sk_buff *rxe_ahead_take(struct rxe_dp_qp *qp)
{
	struct sk_buff *skb;
	s32 ahead;

	while ((skb = skb_peek(&qp->held))) {
		ahead = rxe_psn_diff(psn_of(skb), qp->qp.resp.epsn);
		if (ahead > 0)
			return NULL;
		__skb_unlink(skb, &qp->held);
		atomic_dec(&qp->qp.dev->num_kept);
		if (!ahead)
			return skb;
		/* A READ took its PSN: it never was a request of this peer */
		kfree_skb(skb);
	}
	return NULL;
}

/**
 * rxe_ahead_forget() - drop all that is kept
 * @qp: the QP
 *
 * Context: receive side lock, or no other user.
 */
void rxe_ahead_forget(struct rxe_dp_qp *qp)
{
	atomic_sub(skb_queue_len(&qp->held), &qp->qp.dev->num_kept);
	__skb_queue_purge(&qp->held);
}
