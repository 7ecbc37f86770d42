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
 * rxe_dp_completion_lost() - its CQ is full: the end of every kind of QP (IBTA 10.10.2)
 * @qp: the QP
 * @failed: what could not be told had moved it to error already, whose event is due
 *
 * Context: either side lock of @qp; @qp is not dead.
 */
void rxe_dp_completion_lost(struct rxe_dp_qp *qp, bool failed)
{
	if (rxe_qp_fail(&qp->qp, RXE_QPE_RECV_ERROR) || failed)
		rxe_dp_event(qp, IB_EVENT_QP_FATAL);
}

/**
 * rxe_dp_wake() - have both sides look at the QP, whose state has changed
 * @qp: the QP
 *
 * Context: any; @qp is not dead.
 */
void rxe_dp_wake(struct rxe_dp_qp *qp)
{
	tasklet_schedule(&qp->send.task);
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
