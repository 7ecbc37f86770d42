/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A count of the copies under way in memory that a work request may take away: the
 * consumer uses its pages again as soon as that completes, so there is no time for a
 * grace period.
 */
#ifndef RXE_OBJ_HOLD_H
#define RXE_OBJ_HOLD_H

#include <linux/atomic.h>
#include <linux/processor.h>

/**
 * struct rxe_hold - copies under way in a region or through a window
 * @copies: how many
 *
 * Who copies counts itself first and then looks whether the memory may be used; who
 * takes it away says so first and then waits for those who are counted.
 */
struct rxe_hold {
	atomic_t copies;
};

/**
 * rxe_hold_get - count a copy that may begin
 * @hold: the count
 *
 * BH disabled, until rxe_hold_put(). Nothing but the look and the copy happens in
 * between: no packet is sent, no lock waited for and no key invalidated, or two that
 * wait for each other's copies would wait for ever.
 */
static inline void rxe_hold_get(struct rxe_hold *hold)
{
	atomic_inc(&hold->copies);
	smp_mb__after_atomic(); /* pairs with the one in rxe_hold_wait() */
}

/**
 * rxe_hold_put - the copy is over, or did not begin
 * @hold: the count
 *
 * As rxe_hold_get().
 */
static inline void rxe_hold_put(struct rxe_hold *hold)
{
	atomic_dec_return_release(&hold->copies);
}

/**
 * rxe_hold_wait - until no copy is under way
 * @hold: the count; the memory is said to be gone, so it cannot be counted up for long
 *
 * Any context in which nothing is held. Spins, for as long as the copy of a packet
 * takes on another CPU.
 */
static inline void rxe_hold_wait(struct rxe_hold *hold)
{
	smp_mb(); /* what was said before, then the count */
	while (atomic_read_acquire(&hold->copies))
		cpu_relax();
}

#endif /* RXE_OBJ_HOLD_H */
