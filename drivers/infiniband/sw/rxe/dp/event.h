/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the end of a QP, and not only that, entails. Asynchronous events are noted under a
 * lock, and raised without one.
 */
#ifndef RXE_DP_EVENT_H
#define RXE_DP_EVENT_H

#include "qp.h"

void rxe_dp_event(struct rxe_dp_qp *qp, enum ib_event_type type);
void rxe_dp_completion_lost(struct rxe_dp_qp *qp, bool failed);
void rxe_dp_wake(struct rxe_dp_qp *qp);
void rxe_dp_raise_events(struct rxe_dp_qp *qp);

#endif /* RXE_DP_EVENT_H */
