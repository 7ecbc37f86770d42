/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Shared receive queues */
#ifndef RXE_OBJ_SRQ_H
#define RXE_OBJ_SRQ_H

#include <linux/interrupt.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "rq.h"

/**
 * struct rxe_srq - shared receive queue
 * @ib: the core's SRQ
 * @resize_mutex: keeps the queue of @rq where it is while it is copied
 * @lock: bh; protects consuming from @rq, @limit, @failed and @events
 * @rq: the queue
 * @limit: event threshold in work requests, 0 = not armed
 * @num: SRQ number
 * @failed: an entry could not be used; said once
 * @events: bits of enum ib_event_type that @notify has to raise
 * @notify: raises events with no lock held
 */
struct rxe_srq {
	struct ib_srq ib;
	struct mutex resize_mutex; /* order of locks: dev.h */
	spinlock_t lock; /* order of locks: dev.h */
	struct rxe_rq rq;
	u32 limit;
	u32 num;
	bool failed;
	unsigned long events;
	struct tasklet_struct notify;
};

static inline struct rxe_srq *to_rxe_srq(struct ib_srq *ib)
{
	return container_of(ib, struct rxe_srq, ib);
}

static inline bool rxe_srq_depth_ok(u32 max_wr)
{
	return max_wr && max_wr <= RXE_MAX_SRQ_WR;
}

int rxe_srq_init(struct rxe_srq *srq, const struct ib_srq_attr *attr,
		 bool user);
void rxe_srq_fini(struct rxe_srq *srq);
int rxe_srq_set_limit(struct rxe_srq *srq, u32 limit);
int rxe_srq_resize(struct rxe_srq *srq, struct rxe_queue *q,
		   const struct rxe_ring *ring);
int rxe_srq_fetch(struct rxe_srq *srq, struct rxe_rwqe *rwqe);

#endif /* RXE_OBJ_SRQ_H */
