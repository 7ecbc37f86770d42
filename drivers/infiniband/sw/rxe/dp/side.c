// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "side.h"

#include "compat/timer.h"
#include "credit.h"
#include "fault.h"
#include "skb.h"

/* Packets waiting for one side of a QP; more are dropped, as by a network */
#define RX_QUEUE_MAX 1024

/**
 * rxe_side_init() - a side of a QP that nobody can find yet
 * @side: the side, zeroed
 * @lock: its lock
 * @pager: brings in memory that it waits for
 * @run: tasklet that runs it
 * @expire: of its timer
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int rxe_side_init(struct rxe_dp_side *side, spinlock_t *lock,
		  struct rxe_pager *pager, void (*run)(struct tasklet_struct *),
		  enum hrtimer_restart (*expire)(struct hrtimer *))
{
	int ret = dst_cache_init(&side->route, GFP_KERNEL);

	if (ret)
		return ret;
	side->credit = rxe_credit_alloc(side);
	if (!side->credit) {
		dst_cache_destroy(&side->route);
		return -ENOMEM;
	}
	side->lock = lock;
	tasklet_setup(&side->task, run);
	hrtimer_setup(&side->timer, expire, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	skb_queue_head_init(&side->rx);
	rxe_fault_init(side, pager);
	return 0;
}

/**
 * rxe_side_part() - packets on their way out wake the side no more
 * @side: the side
 *
 * Context: nobody runs it, or it is dead.
 */
void rxe_side_part(struct rxe_dp_side *side)
{
	if (side->credit)
		rxe_credit_close(side->credit);
	side->credit = NULL;
}

/**
 * rxe_side_free() - undo rxe_side_init()
 * @side: the side, which nobody runs any more
 *
 * Context: may sleep.
 */
void rxe_side_free(struct rxe_dp_side *side)
{
	rxe_side_part(side);
	skb_queue_purge(&side->rx);
	if (side->frag.page)
		put_page(side->frag.page);
	dst_cache_destroy(&side->route);
}

/**
 * rxe_side_is_next() - may a packet that arrived be taken at once?
 * @side: the side it is for
 * @skb: the packet
 *
 * Context: BH disabled.
 * Return: true: by who gets the side's lock, if still nothing is queued then. Else it is
 * one for rxe_side_queue().
 */
bool rxe_side_is_next(struct rxe_dp_side *side, struct sk_buff *skb)
{
	return !rxe_skb_cb(skb)->defer && skb_queue_empty_lockless(&side->rx);
}

/**
 * rxe_side_queue() - leave a packet to the side's owner
 * @side: the side it is for
 * @skb: consumed
 *
 * Context: BH disabled; other side locks may be held.
 * Return: true: the caller is to be the owner if it can, see rxe_side_enter().
 */
bool rxe_side_queue(struct rxe_dp_side *side, struct sk_buff *skb)
{
	bool defer = rxe_skb_cb(skb)->defer;

	if (skb_queue_len_lockless(&side->rx) >= RX_QUEUE_MAX) {
		kfree_skb(skb);
		return false;
	}
	skb_queue_tail(&side->rx, skb);
	if (!defer)
		return true;
	smp_mb(); /* pairs with rxe_side_leave(): an owner sees the queue */
	if (spin_trylock(side->lock)) {
		spin_unlock(side->lock);
		tasklet_schedule(&side->task);
	}
	return false;
}

/**
 * rxe_side_leave() - give up ownership
 * @side: the side
 * @more: there is more to do
 * @parked: packets that arrived have to wait for something that will wake the side
 *
 * Work left by those who did not get the side is seen here, or they saw the lock free.
 *
 * Context: the side's lock, which is released.
 */
void rxe_side_leave(struct rxe_dp_side *side, bool more, bool parked)
	__releases(side->lock)
{
	bool dead = rxe_side_is_dead(side);

	spin_unlock(side->lock);
	smp_mb(); /* pairs with those of who did not get the lock */
	if (!dead && (more || test_bit(RXE_SIDE_PENDING, &side->state) ||
		      (!parked && !skb_queue_empty_lockless(&side->rx))))
		tasklet_schedule(&side->task);
}

/**
 * rxe_side_pass_on() - release the lock without having been the owner
 * @side: the side
 *
 * Who lost to this holder left work to it, as to an owner.
 *
 * Context: the side's lock, taken by spin_lock_bh().
 */
void rxe_side_pass_on(struct rxe_dp_side *side) __releases(side->lock)
{
	spin_unlock(side->lock);
	smp_mb(); /* pairs with those of who did not get the lock */
	if (test_bit(RXE_SIDE_PENDING, &side->state) ||
	    !skb_queue_empty_lockless(&side->rx)) {
		/* Not by the time the tasklet was killed */
		spin_lock(side->lock);
		if (!rxe_side_is_dead(side))
			tasklet_schedule(&side->task);
		spin_unlock(side->lock);
	}
	local_bh_enable();
}

/**
 * rxe_side_drop() - a side that may not run has no work
 * @side: the side
 *
 * What was left for it would have the tasklet scheduled for ever.
 *
 * Context: the side's lock.
 */
void rxe_side_drop(struct rxe_dp_side *side)
{
	rxe_side_look(side);
	skb_queue_purge(&side->rx);
}

/**
 * rxe_side_arm() - call the side at a moment, or before
 * @side: the side
 * @at: when, in ns of ktime_get_ns(); 0: not at all
 * @now: ktime_get_ns()
 *
 * The timer is never moved back: when it fires early it is armed again.
 *
 * Context: the side's lock.
 */
void rxe_side_arm(struct rxe_dp_side *side, u64 at, u64 now)
{
	if (!at || (side->timer_ns > now && side->timer_ns <= at))
		return;
	side->timer_ns = at;
	hrtimer_start(&side->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}
