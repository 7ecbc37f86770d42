/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Asynchronous events of a QP: noted under a lock, raised without one */
#ifndef RXE_DP_EVENT_H
#define RXE_DP_EVENT_H

#include "qp.h"

void rxe_dp_event(struct rxe_dp_qp *qp, enum ib_event_type type);
void rxe_dp_raise_events(struct rxe_dp_qp *qp);

#endif /* RXE_DP_EVENT_H */
