/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One side of a QP, and who runs it: whoever has work tries the lock. Who gets it owns the
 * side and works until nothing is left or a budget is spent; who does not leaves the work
 * and goes away. The barriers see to it that either the loser finds the lock free, or the
 * owner finds what the loser left:
 *
 *   owner                             loser
 *   rxe_side_look(): clear PENDING    rxe_side_enter(): set PENDING, or queue a packet
 *   barrier                           barrier
 *   look for work                     trylock fails: go
 *   rxe_side_leave(): unlock
 *   barrier
 *   PENDING or a packet? tasklet
 *
 * Who holds the lock for another reason does the same at its end: rxe_side_pass_on().
 */
#ifndef RXE_DP_SIDE_H
#define RXE_DP_SIDE_H

#include <linux/bitops.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/mm_types.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <net/dst_cache.h>

#include "../obj/odp.h"

struct rxe_tx_credit;

/* Packets that a side sends or takes before its tasklet goes on */
#define RXE_SIDE_BUDGET 256
/* Work requests failed in a row when its queue has stopped */
#define RXE_FLUSH_BUDGET 1024

/* Bits of rxe_dp_side.state */
enum rxe_side_bit {
	RXE_SIDE_PENDING, /* there is work that the owner may not have seen */
	RXE_SIDE_WAITS, /* for memory */
	RXE_SIDE_DEAD, /* the QP is being destroyed; set under the lock */
};

/**
 * struct rxe_dp_fault - memory that a side waits for, see fault.h
 * @pager: where @work is done
 * @work: brings it in; owns @range while the side waits
 * @range: the memory
 * @failed: it cannot be had
 */
struct rxe_dp_fault {
	struct rxe_pager *pager;
	struct work_struct work;
	struct rxe_odp_range range;
	bool failed;
};

/**
 * struct rxe_dp_side - one side of a QP
 * @lock: bh; the side's lock, in struct rxe_qp
 * @task: runs the side when nobody does inline
 * @timer: calls it at a moment
 * @timer_ns: when @timer expires, 0 = it was never armed; under @lock
 * @state: bits of enum rxe_side_bit
 * @fault: memory that it waits for, under @lock
 * @rx: packets waiting for this side; has a lock of its own
 * @credit: packets of this side on their way out
 * @frag: payload memory for packets this side builds, under @lock
 * @route: route cache, under @lock
 */
struct rxe_dp_side {
	spinlock_t *lock; /* bh */
	struct tasklet_struct task;
	struct hrtimer timer;
	u64 timer_ns;
	unsigned long state;
	struct rxe_dp_fault fault;
	struct sk_buff_head rx;
	struct rxe_tx_credit *credit;
	struct page_frag frag;
	struct dst_cache route;
};

int rxe_side_init(struct rxe_dp_side *side, spinlock_t *lock,
		  struct rxe_pager *pager, void (*run)(struct tasklet_struct *),
		  enum hrtimer_restart (*expire)(struct hrtimer *));
void rxe_side_part(struct rxe_dp_side *side);
void rxe_side_free(struct rxe_dp_side *side);
bool rxe_side_is_next(struct rxe_dp_side *side, struct sk_buff *skb);
bool rxe_side_queue(struct rxe_dp_side *side, struct sk_buff *skb);
void rxe_side_leave(struct rxe_dp_side *side, bool more, bool parked)
	__releases(side->lock);
void rxe_side_pass_on(struct rxe_dp_side *side) __releases(side->lock);
void rxe_side_drop(struct rxe_dp_side *side);
void rxe_side_arm(struct rxe_dp_side *side, u64 at, u64 now);

/**
 * rxe_side_is_dead() - is the QP being destroyed?
 * @side: the side
 *
 * Context: any; once it is so it stays so.
 */
static inline bool rxe_side_is_dead(const struct rxe_dp_side *side)
{
	return test_bit(RXE_SIDE_DEAD, &side->state);
}

/**
 * rxe_side_enter() - there is work: become the owner
 * @side: the side
 *
 * Context: BH disabled.
 * Return: false if somebody else is, who finds the work.
 */
static inline bool rxe_side_enter(struct rxe_dp_side *side)
{
	set_bit(RXE_SIDE_PENDING, &side->state);
	smp_mb(); /* pairs with rxe_side_leave() */
	return spin_trylock(side->lock);
}

/**
 * rxe_side_look() - the owner is about to look for work
 * @side: the side, its lock held
 *
 * Context: the side's lock.
 */
static inline void rxe_side_look(struct rxe_dp_side *side)
{
	clear_bit(RXE_SIDE_PENDING, &side->state);
	smp_mb__after_atomic(); /* PENDING first: what comes later is seen later */
}

#endif /* RXE_DP_SIDE_H */
