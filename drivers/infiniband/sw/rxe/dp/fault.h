/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A side of a QP waits for memory that is not there (on-demand paging). It does nothing
 * meanwhile but to fail when the QP does; what arrives waits in its queue.
 */
#ifndef RXE_DP_FAULT_H
#define RXE_DP_FAULT_H

#include "../obj/cursor.h"
#include "side.h"

void rxe_fault_init(struct rxe_dp_side *side, struct rxe_pager *pager);
void rxe_fault_cancel(struct rxe_dp_side *side);
int rxe_fault(struct rxe_dp_side *side, const struct rxe_cursor *cur, int err);

/**
 * rxe_fault_waits() - does a side wait for memory?
 * @side: the side, its lock held
 *
 * Context: side lock.
 */
static inline bool rxe_fault_waits(const struct rxe_dp_side *side)
{
	return test_bit_acquire(RXE_SIDE_WAITS, &side->state);
}

#endif /* RXE_DP_FAULT_H */
