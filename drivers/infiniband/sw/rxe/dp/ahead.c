// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The packets themselves, ordered by PSN; proto/hole.c says which and for how
 * long. They are executed in their order, when what is missing has come: a later
 * WRITE must never be seen before an earlier one.
 */
#include "ahead.h"

#include "skb.h"

/* All QPs of a device together keep so many packets: some tens of MB. Half of them are
 * there for those that keep few: some QPs with much cannot take it all.
 */
#define KEPT_MAX 16384
#define KEPT_FEW 64

static u32 psn_of(const struct rb_node *node)
{
	return rxe_skb_cb(rb_entry(node, struct sk_buff, rbnode))->psn;
}

static int compare(const void *psn, const struct rb_node *node)
{
	return rxe_psn_diff(*(const u32 *)psn, psn_of(node));
}

static bool less(struct rb_node *a, const struct rb_node *b)
{
	return rxe_psn_diff(psn_of(a), psn_of(b)) < 0;
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
	int all;

	if (rb_find(&psn, &qp->held, compare))
		return RXE_KEPT_BEFORE;
	all = atomic_inc_return(&qp->qp.dev->num_kept);
	if (all > (qp->num_held < KEPT_FEW ? KEPT_MAX : KEPT_MAX / 2)) {
		atomic_dec(&qp->qp.dev->num_kept);
		return RXE_NOT_KEPT;
	}
	qp->num_held++;
	/* Nothing of a sender that may be this very device */
	skb_orphan(skb);
	rxe_skb_cb(skb)->held = true;
	rxe_skb_cb(skb)->psn = psn;
	rb_add(&skb->rbnode, &qp->held, less);
	return RXE_KEPT;
}

static struct sk_buff *first(struct rxe_dp_qp *qp)
{
	return rb_entry_safe(rb_first(&qp->held), struct sk_buff, rbnode);
}

static void release(struct rxe_dp_qp *qp, struct sk_buff *skb)
{
	rb_erase(&skb->rbnode, &qp->held);
	qp->num_held--;
	atomic_dec(&qp->qp.dev->num_kept);
	/* The node was in their place */
	skb_mark_not_on_list(skb);
	skb->prev = NULL;
	skb->dev = NULL;
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

	while ((skb = first(qp))) {
		ahead = rxe_psn_diff(psn_of(&skb->rbnode), qp->qp.resp.epsn);
		if (ahead > 0)
			return NULL;
		release(qp, skb);
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
	struct sk_buff *skb;

	while ((skb = first(qp))) {
		release(qp, skb);
		kfree_skb(skb);
	}
}
