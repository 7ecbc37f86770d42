// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "event.h"

/**
 * rxe_dp_event() - an event is due (IBTA 11.6.3)
 * @qp: the QP
 * @type: the event, one that belongs to a QP
 *
 * Context: either side lock of @qp; @qp is not dead.
 */
void rxe_dp_event(struct rxe_dp_qp *qp, enum ib_event_type type)
{
	set_bit(type, &qp->events);
	tasklet_schedule(&qp->recv.task);
}

/**
 * rxe_dp_raise_events() - tell the consumer what is due
 * @qp: the QP
 *
 * Context: tasklet of either side, no lock held.
 */
void rxe_dp_raise_events(struct rxe_dp_qp *qp)
{
	unsigned long events;
	unsigned int bit;

	if (!READ_ONCE(qp->events))
		return;
	events = xchg(&qp->events, 0);
	for_each_set_bit(bit, &events, BITS_PER_LONG)
		rxe_qp_raise(&qp->qp, bit);
}
