/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* How many packets of one side of a QP are on their way out */
#ifndef RXE_DP_CREDIT_H
#define RXE_DP_CREDIT_H

#include <linux/atomic.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>

struct rxe_dp_side;

/* Stop at the first, go on below the second */
#define RXE_CREDIT_HIGH 64
#define RXE_CREDIT_LOW 32

/**
 * struct rxe_tx_credit - counts packets on their way out
 * @ref: one for the side, one for each packet
 * @inflight: packets that whoever transmits them has not freed yet
 * @parked: bit 0: the side waits for @inflight to fall
 * @lock: irqsave; protects @side
 * @side: whom to wake; NULL once the QP is gone
 * @orphan: the QP went before its packets; holds the module
 *
 * Packets hold this and never the QP or the device, so that no destroy waits on
 * a queueing discipline.
 *
 * Each side has one of its own: requests between QPs of one device are not freed before
 * the peer's answer to a READ is out. Were answers counted with requests, two QPs could
 * wait for each other.
 */
struct rxe_tx_credit {
	refcount_t ref;
	atomic_t inflight;
	unsigned long parked;
	spinlock_t lock; /* irqsave; protects @side */
	struct rxe_dp_side *side;
	bool orphan;
};

struct rxe_tx_credit *rxe_credit_alloc(struct rxe_dp_side *side);
void rxe_credit_close(struct rxe_tx_credit *credit);
void rxe_credit_take(struct rxe_tx_credit *credit, struct sk_buff *skb);
void rxe_credit_settle(void);
void rxe_credit_drain(void);
u32 rxe_credit_room(struct rxe_tx_credit *credit);

#endif /* RXE_DP_CREDIT_H */
