/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Send side of a QP: requester and completer */
#ifndef RXE_DP_SEND_H
#define RXE_DP_SEND_H

#include "../wire/pkt.h"
#include "qp.h"

void rxe_send_kick(struct rxe_dp_qp *qp);
void rxe_send_rx(struct rxe_dp_qp *qp, struct sk_buff *skb,
		 const struct rxe_pkt *pkt);
void rxe_send_task(struct tasklet_struct *task);
enum hrtimer_restart rxe_send_timer(struct hrtimer *timer);

#endif /* RXE_DP_SEND_H */
