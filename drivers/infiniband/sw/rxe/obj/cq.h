/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Completion queues */
#ifndef RXE_OBJ_CQ_H
#define RXE_OBJ_CQ_H

#include <linux/interrupt.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "dev.h"
#include "queue.h"

/**
 * struct rxe_cq - completion queue
 * @ib: the core's CQ
 * @lock: irqsave; protects the members below
 * @ring: user: struct ib_uverbs_wc slots, kernel: struct ib_wc slots. This side
 *	produces; for a kernel CQ poll consumes through @cons
 * @q: memory of @ring
 * @cons: kernel CQ: consumer's end of the same memory
 * @user: slots are for user space
 * @overflow: an entry was lost; the CQ is dead (IBTA 10.2.4.1)
 * @completed: the completion handler is due
 * @failed: the event handler is due
 * @flushing: maybe user QPs in the error state complete here
 * @armed: IB_CQ_NEXT_COMP, IB_CQ_SOLICITED or 0
 * @notify: runs the completion handler with no lock held (core_locking.rst)
 */
struct rxe_cq {
	struct ib_cq ib;
	spinlock_t lock; /* irqsave leaf */
	struct rxe_ring ring;
	struct rxe_queue *q;
	struct rxe_ring cons;
	bool user;
	bool overflow;
	bool completed;
	bool failed;
	bool flushing;
	u8 armed;
	struct tasklet_struct notify;
};

static inline struct rxe_cq *to_rxe_cq(struct ib_cq *ib)
{
	return container_of(ib, struct rxe_cq, ib);
}

int rxe_cq_init(struct rxe_cq *cq, u32 depth, bool user);
void rxe_cq_fini(struct rxe_cq *cq);
struct rxe_queue *rxe_cq_new_queue(const struct rxe_cq *cq, u32 depth,
				   struct rxe_ring *ring);
int rxe_cq_resize(struct rxe_cq *cq, struct rxe_queue *q,
		  const struct rxe_ring *ring);
bool rxe_cq_push(struct rxe_cq *cq, const struct ib_wc *wc, bool solicited);
int rxe_cq_poll(struct rxe_cq *cq, int n, struct ib_wc *wc);
int rxe_cq_arm(struct rxe_cq *cq, enum ib_cq_notify_flags flags);

#endif /* RXE_OBJ_CQ_H */
