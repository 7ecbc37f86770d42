/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Receive queues: a QP's own and shared ones */
#ifndef RXE_OBJ_RQ_H
#define RXE_OBJ_RQ_H

#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "../proto/types.h"
#include "dev.h"
#include "queue.h"

/**
 * struct rxe_rwqe - private copy of one receive work request
 * @wr_id: the consumer's name for it
 * @length: sum of the SGEs in bytes, at most 2^31
 * @num_sge: entries of @sge
 * @sge: where the message goes
 */
struct rxe_rwqe {
	u64 wr_id;
	u32 length;
	u32 num_sge;
	struct rxe_sge sge[RXE_MAX_SGE];
};

/**
 * struct rxe_rq - a ring of receive work requests
 * @ring: consumer's end
 * @q: memory of @ring; NULL: there is no queue
 * @max_sge: SGEs per request granted
 * @post_lock: irqsave; kernel posters, with @post
 * @post: producer's end for kernel posters
 * @user: posted by user space
 */
struct rxe_rq {
	struct rxe_ring ring;
	struct rxe_queue *q;
	u32 max_sge;
	spinlock_t post_lock; /* irqsave leaf */
	struct rxe_ring post;
	bool user;
};

int rxe_rq_init(struct rxe_rq *rq, u32 max_wr, u32 max_sge, bool user);
void rxe_rq_fini(struct rxe_rq *rq, spinlock_t *lock);
struct rxe_queue *rxe_rq_new_queue(u32 max_wr, u32 max_sge,
				   struct rxe_ring *ring);
bool rxe_rq_copy(const struct rxe_ring *from, struct rxe_ring *to);
void rxe_rq_switch(struct rxe_rq *rq, struct rxe_queue **q,
		   const struct rxe_ring *from, const struct rxe_ring *to);
int rxe_rq_post(struct rxe_rq *rq, const struct ib_recv_wr *wr);
int rxe_rq_fetch(struct rxe_rq *rq, struct rxe_rwqe *rwqe);

#endif /* RXE_OBJ_RQ_H */
