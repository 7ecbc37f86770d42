// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Shared receive queues (IBTA 10.2.9) */
#include <linux/idr.h>

#include "srq.h"

#define MAX_SRQ_NUM 0xffffff

static DEFINE_IDA(srq_nums);

/* Raise the events that are due, outside of all locks */
static void notify(struct tasklet_struct *t)
{
	struct rxe_srq *srq = from_tasklet(srq, t, notify);
	unsigned long events;
	unsigned int bit;

	spin_lock_bh(&srq->lock);
	events = srq->events;
	srq->events = 0;
	spin_unlock_bh(&srq->lock);

	if (!srq->ib.event_handler)
		return;
	for_each_set_bit(bit, &events, BITS_PER_LONG) {
		struct ib_event event = {
			.device = srq->ib.device,
			.element.srq = &srq->ib,
			.event = bit,
		};

		srq->ib.event_handler(&event, srq->ib.srq_context);
	}
}

static void raise(struct rxe_srq *srq, enum ib_event_type event)
{
	lockdep_assert_held(&srq->lock);

	__set_bit(event, &srq->events);
	tasklet_schedule(&srq->notify);
}

/**
 * rxe_srq_init - give an SRQ its ring and its number
 * @srq: the SRQ, zeroed but for what the core sets
 * @attr: wishes; what was granted is @srq->rq.ring.mask and .max_sge. The limit is not
 *	looked at, it is armed later: ibv_create_srq(3)
 * @user: user space will post
 *
 * May sleep.
 *
 * Return: 0, -EINVAL beyond the limits of the device, -ENOMEM, -ENOSPC.
 */
int rxe_srq_init(struct rxe_srq *srq, const struct ib_srq_attr *attr, bool user)
{
	int num;
	int err;

	if (!rxe_srq_depth_ok(attr->max_wr) || attr->max_sge > RXE_MAX_SRQ_SGE)
		return -EINVAL;

	num = ida_alloc_range(&srq_nums, 1, MAX_SRQ_NUM, GFP_KERNEL);
	if (num < 0)
		return num;
	err = rxe_rq_init(&srq->rq, attr->max_wr, attr->max_sge, user);
	if (err)
		goto free_num;
	srq->num = num;
	mutex_init(&srq->resize_mutex);
	spin_lock_init(&srq->lock);
	tasklet_setup(&srq->notify, notify);
	return 0;

free_num:
	ida_free(&srq_nums, num);
	return err;
}

/**
 * rxe_srq_fini - undo rxe_srq_init()
 * @srq: the SRQ; no QP uses it any more
 *
 * No handler runs after this. May sleep.
 */
void rxe_srq_fini(struct rxe_srq *srq)
{
	tasklet_kill(&srq->notify);
	rxe_rq_fini(&srq->rq, &srq->lock);
	mutex_destroy(&srq->resize_mutex);
	ida_free(&srq_nums, srq->num);
}

/* Raise the limit event if it is due; it is armed for one time (IBTA 11.2.3.3) */
static void check_limit(struct rxe_srq *srq)
{
	lockdep_assert_held(&srq->lock);

	if (rxe_ring_filled(&srq->rq.ring) < srq->limit) {
		srq->limit = 0;
		raise(srq, IB_EVENT_SRQ_LIMIT_REACHED);
	}
}

/**
 * rxe_srq_set_limit - arm or disarm the limit event (IBTA 11.2.3.3)
 * @srq: the SRQ
 * @limit: raise IB_EVENT_SRQ_LIMIT_REACHED once when fewer work requests than this
 *	are left, which may be the case already; 0 = never
 *
 * Process or softirq context.
 *
 * Return: 0, or -EINVAL when @limit exceeds the depth.
 */
int rxe_srq_set_limit(struct rxe_srq *srq, u32 limit)
{
	int err = -EINVAL;

	spin_lock_bh(&srq->lock);
	if (limit <= srq->rq.ring.mask) {
		srq->limit = limit;
		check_limit(srq);
		err = 0;
	}
	spin_unlock_bh(&srq->lock);
	return err;
}

/**
 * rxe_srq_resize - go over to another queue (IBTA 11.2.3.3)
 * @srq: the SRQ
 * @q: from rxe_rq_new_queue(); the SRQ's from now on, unless this fails
 * @ring: of @q
 *
 * Nobody posts meanwhile, see rxe_rq_copy(). May sleep.
 *
 * Return: 0, or -EINVAL when more work requests are posted than @q holds or the
 * armed limit exceeds its depth.
 */
int rxe_srq_resize(struct rxe_srq *srq, struct rxe_queue *q,
		   const struct rxe_ring *ring)
{
	struct rxe_ring from, to = *ring;
	int err = -EINVAL;

	mutex_lock(&srq->resize_mutex);
	spin_lock_bh(&srq->lock);
	from = srq->rq.ring;
	spin_unlock_bh(&srq->lock);
	if (!rxe_rq_copy(&from, &to))
		goto unlock;

	spin_lock_bh(&srq->lock);
	if (srq->limit <= to.mask) {
		rxe_rq_switch(&srq->rq, &q, &from, &to);
		err = 0;
	}
	spin_unlock_bh(&srq->lock);
	if (!err)
		rxe_queue_destroy(q);
unlock:
	mutex_unlock(&srq->resize_mutex);
	return err;
}

/**
 * rxe_srq_fetch - take the oldest receive work request
 * @srq: the SRQ
 * @rwqe: set to a checked copy; its slot is given back at once
 *
 * Process or softirq context; the receive side of a QP may be locked.
 *
 * Return: as rxe_rq_fetch(). After -EINVAL the SRQ's owner gets IB_EVENT_SRQ_ERR,
 * once.
 */
int rxe_srq_fetch(struct rxe_srq *srq, struct rxe_rwqe *rwqe)
{
	int err;

	spin_lock_bh(&srq->lock);
	err = rxe_rq_fetch(&srq->rq, rwqe);
	if (err == -EAGAIN)
		goto unlock;
	rxe_ring_consume(&srq->rq.ring, 1);
	if (err && !srq->failed) {
		srq->failed = true;
		raise(srq, IB_EVENT_SRQ_ERR);
	}
	check_limit(srq);
unlock:
	spin_unlock_bh(&srq->lock);
	return err;
}
