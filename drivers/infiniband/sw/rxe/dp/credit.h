/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* How many packets of a QP are on their way out */
#ifndef RXE_DP_CREDIT_H
#define RXE_DP_CREDIT_H

#include <linux/atomic.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>

struct rxe_dp_qp;

/* Stop at the first, go on below the second */
#define RXE_CREDIT_HIGH 64
#define RXE_CREDIT_LOW 32

enum rxe_parked {
	RXE_PARKED_SEND,
	RXE_PARKED_RECV,
};

/**
 * struct rxe_tx_credit - counts packets on their way out
 * @ref: one for the QP, one for each packet
 * @inflight: packets that whoever transmits them has not freed yet
 * @parked: bits of enum rxe_parked: sides that wait for @inflight to fall
 * @lock: irqsave; protects @qp
 * @qp: whom to wake; NULL once the QP is gone
 * @orphan: the QP went before its packets; holds the module
 *
 * Packets hold this and never the QP or the device, so that no destroy waits on
 * a queueing discipline.
 */
struct rxe_tx_credit {
	refcount_t ref;
	atomic_t inflight;
	unsigned long parked;
	spinlock_t lock; /* irqsave; protects @qp */
	struct rxe_dp_qp *qp;
	bool orphan;
};

struct rxe_tx_credit *rxe_credit_alloc(struct rxe_dp_qp *qp);
void rxe_credit_close(struct rxe_tx_credit *credit);
void rxe_credit_take(struct rxe_tx_credit *credit, struct sk_buff *skb);
void rxe_credit_settle(void);
void rxe_credit_drain(void);
u32 rxe_credit_room(struct rxe_tx_credit *credit, enum rxe_parked who);

#endif /* RXE_DP_CREDIT_H */
