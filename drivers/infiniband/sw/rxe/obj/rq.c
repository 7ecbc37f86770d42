// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Rings of receive work requests, a QP's own or of an SRQ */
#include <linux/minmax.h>
#include <linux/sched.h>

#include "abi.h"
#include "rq.h"

/* Work requests copied in a row */
#define COPY_CHUNK 256U

static size_t slot_bytes(u32 max_sge)
{
	return sizeof(struct rxe_recv_wqe) + max_sge * sizeof(struct rxe_sge);
}

/**
 * rxe_rq_new_queue - memory for receive work requests, not in use yet
 * @max_wr: how many at least
 * @max_sge: SGEs per work request, at most RXE_MAX_SGE
 * @ring: set up
 *
 * May sleep.
 *
 * Return: the queue or a negative errno of rxe_queue_create().
 */
struct rxe_queue *rxe_rq_new_queue(u32 max_wr, u32 max_sge,
				   struct rxe_ring *ring)
{
	return rxe_queue_create(ring, max_wr, slot_bytes(max_sge));
}

/**
 * rxe_rq_copy - copy work requests to another queue, in order
 * @from: the ring, as it was when consuming was kept off for a moment
 * @to: ring of rxe_rq_new_queue(), not in use yet; the producer's end from now on
 *
 * Nobody posts meanwhile: a user's library sees to that, and a kernel user does. What
 * is consumed meanwhile is copied for nothing, see rxe_rq_switch(). It may be a GiB: no
 * lock is held. May sleep.
 *
 * Return: false when there are more work requests than @to holds.
 */
bool rxe_rq_copy(const struct rxe_ring *from, struct rxe_ring *to)
{
	u32 n = rxe_ring_filled(from);
	u32 i;

	if (n > to->mask)
		return false;
	for (i = 0; i < n; i += COPY_CHUNK) {
		rxe_ring_copy(from, i, to, min(n - i, COPY_CHUNK));
		cond_resched();
	}
	return true;
}

/**
 * rxe_rq_switch - go over to the copy
 * @rq: the ring
 * @q: queue of @to; exchanged for the old one
 * @from: as it was given to rxe_rq_copy()
 * @to: as that left it
 *
 * Under the lock that protects consuming.
 */
void rxe_rq_switch(struct rxe_rq *rq, struct rxe_queue **q,
		   const struct rxe_ring *from, const struct rxe_ring *to)
{
	u32 taken = (rq->ring.index - from->index) & from->mask;
	unsigned long irq;

	rq->ring = *to;
	rq->ring.index = 0;
	/* More was taken than was there: the user posted all the same */
	rxe_ring_consume(&rq->ring, min(taken, to->index));
	spin_lock_irqsave(&rq->post_lock, irq);
	rq->post = *to;
	spin_unlock_irqrestore(&rq->post_lock, irq);
	swap(rq->q, *q);
}

/**
 * rxe_rq_init - make an empty receive ring
 * @rq: the ring, zeroed
 * @max_wr: depth wanted; @rq->ring.mask is what it became
 * @max_sge: SGEs per work request, at most RXE_MAX_SGE
 * @user: user space will post
 *
 * May sleep.
 *
 * Return: 0 or a negative errno of rxe_queue_create().
 */
int rxe_rq_init(struct rxe_rq *rq, u32 max_wr, u32 max_sge, bool user)
{
	struct rxe_queue *q;

	static_assert(sizeof(struct rxe_sge) == sizeof(struct rxe_abi_sge));

	q = rxe_rq_new_queue(max_wr, max_sge, &rq->ring);
	if (IS_ERR(q))
		return PTR_ERR(q);
	rq->q = q;
	rq->max_sge = max_sge;
	rq->post = rq->ring;
	rq->user = user;
	spin_lock_init(&rq->post_lock);
	return 0;
}

/**
 * rxe_rq_fini - undo rxe_rq_init()
 * @rq: the ring; fine when it never was initialised
 * @lock: held by who looks at it
 *
 * May sleep.
 */
void rxe_rq_fini(struct rxe_rq *rq, spinlock_t *lock)
{
	struct rxe_queue *q = rq->q;

	spin_lock_bh(lock);
	rq->q = NULL;
	spin_unlock_bh(lock);
	rxe_queue_destroy(q);
}

/**
 * rxe_rq_post - post one receive work request for a kernel user
 * @rq: the ring, not a user's
 * @wr: the work request; its successors are not looked at
 *
 * Any context.
 *
 * Return: 0, -EINVAL for too many SGEs, -ENOMEM when the ring is full.
 */
int rxe_rq_post(struct rxe_rq *rq, const struct ib_recv_wr *wr)
{
	struct rxe_recv_wqe *slot;
	unsigned long irq;
	int err = 0;
	int i;

	if (wr->num_sge < 0 || wr->num_sge > rq->max_sge)
		return -EINVAL;

	spin_lock_irqsave(&rq->post_lock, irq);
	if (rxe_ring_free(&rq->post)) {
		slot = rxe_ring_slot(&rq->post, 0);
		slot->wr_id = wr->wr_id;
		slot->dma.num_sge = wr->num_sge;
		for (i = 0; i < wr->num_sge; i++)
			slot->dma.sge[i] = (struct rxe_abi_sge){
				.addr = wr->sg_list[i].addr,
				.length = wr->sg_list[i].length,
				.lkey = wr->sg_list[i].lkey,
			};
		rxe_ring_publish(&rq->post, 1);
	} else {
		err = -ENOMEM;
	}
	spin_unlock_irqrestore(&rq->post_lock, irq);
	return err;
}

/**
 * rxe_rq_fetch - copy the oldest receive work request
 * @rq: the ring
 * @rwqe: set to a copy that was checked after it was taken
 *
 * Does not advance the ring: the slot is the caller's to consume. Any context,
 * under the lock that protects consuming.
 *
 * Return: 0, -EAGAIN when there is none, -EINVAL when it has too many SGEs or more
 * than 2^31 bytes: then only @rwqe->wr_id counts.
 */
int rxe_rq_fetch(struct rxe_rq *rq, struct rxe_rwqe *rwqe)
{
	const struct rxe_recv_wqe *slot;
	struct rxe_recv_wqe head;
	u64 length = 0;
	u32 i;

	if (!rxe_ring_filled(&rq->ring))
		return -EAGAIN;
	slot = rxe_ring_slot(&rq->ring, 0);
	rxe_ring_read(&head, slot, sizeof(head));

	rwqe->wr_id = head.wr_id;
	rwqe->num_sge = 0;
	rwqe->length = 0;
	if (head.dma.num_sge > rq->max_sge)
		return -EINVAL;
	rxe_ring_read(rwqe->sge, slot->dma.sge,
		      head.dma.num_sge * sizeof(rwqe->sge[0]));
	for (i = 0; i < head.dma.num_sge; i++)
		length += rwqe->sge[i].length;
	if (length > RXE_MAX_MSG_BYTES)
		return -EINVAL;
	rwqe->num_sge = head.dma.num_sge;
	rwqe->length = length;
	return 0;
}
