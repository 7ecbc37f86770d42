// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "fault.h"

#include "../obj/odp.h"
#include "../obj/pager.h"

/*
 * Bring in what the side waits for and run it, before the memory may go again: it may
 * be taken from us as fast as we get it. If it cannot be had the side is told so when
 * it asks again for the same.
 */
static void serve(struct work_struct *work)
{
	struct rxe_dp_side *side =
		container_of(work, struct rxe_dp_side, fault.work);
	struct rxe_odp_range range = side->fault.range;
	int err = rxe_odp_fault(&range);

	side->fault.failed = err && err != -EBUSY;
	clear_bit_unlock(RXE_SIDE_WAITS, &side->state);
	/* From here on the side may wait for something else, and have us come again */
	local_bh_disable();
	side->task.callback(&side->task);
	local_bh_enable();
	WRITE_ONCE(side->fault.failed, false);

	if (!err)
		rxe_odp_let_go(&range);
	rxe_odp_put(&range);
}

/**
 * rxe_fault_init() - a side that waits for nothing
 * @side: the side
 * @pager: of the user of its QP
 *
 * Context: any.
 */
void rxe_fault_init(struct rxe_dp_side *side, struct rxe_pager *pager)
{
	side->fault.pager = pager;
	INIT_WORK(&side->fault.work, serve);
}

/**
 * rxe_fault_cancel() - wait no more
 * @side: side of a QP that is dead, or in RESET, so that it waits for nothing new
 *
 * Context: may sleep, as long as the memory takes that is being brought in.
 */
void rxe_fault_cancel(struct rxe_dp_side *side)
{
	if (cancel_work_sync(&side->fault.work))
		rxe_odp_put(&side->fault.range);
	clear_bit(RXE_SIDE_WAITS, &side->state);
}

static bool is_same(const struct rxe_odp_range *a,
		    const struct rxe_odp_range *b)
{
	return a->mr == b->mr && a->va == b->va && a->write == b->write;
}

/**
 * rxe_fault() - has a copy to wait?
 * @side: the side that copies
 * @cur: where it stands
 * @err: error of rxe_cursor_next(), or 0
 *
 * Context: side lock, RCU read section in which @cur was set up.
 * Return: @err; -EAGAIN: it is to be done again, from the beginning of the packet, when
 * the side does not wait any more; -EFAULT: memory that cannot be had.
 */
int rxe_fault(struct rxe_dp_side *side, const struct rxe_cursor *cur, int err)
{
	struct rxe_odp_range range;

	if (err != -EAGAIN)
		return err;
	rxe_cursor_missing(cur, &range);
	if (READ_ONCE(side->fault.failed) &&
	    is_same(&range, &side->fault.range)) {
		rxe_odp_put(&range);
		return -EFAULT;
	}
	side->fault.failed = false;
	side->fault.range = range;
	set_bit(RXE_SIDE_WAITS, &side->state);
	queue_work(side->fault.pager->faults, &side->fault.work);
	return -EAGAIN;
}
