/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Receive side of a QP: responder */
#ifndef RXE_DP_RECV_H
#define RXE_DP_RECV_H

#include "../wire/pkt.h"
#include "qp.h"

void rxe_recv_rx(struct rxe_dp_qp *qp, struct sk_buff *skb,
		 const struct rxe_pkt *pkt);
void rxe_recv_task(struct tasklet_struct *task);
enum hrtimer_restart rxe_recv_timer(struct hrtimer *timer);

#endif /* RXE_DP_RECV_H */
