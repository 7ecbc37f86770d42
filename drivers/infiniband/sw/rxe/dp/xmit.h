/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The way out: to the network, or across to a QP of the same device */
#ifndef RXE_DP_XMIT_H
#define RXE_DP_XMIT_H

#include "qp.h"

bool rxe_dp_xmit(struct rxe_dp_qp *qp, struct rxe_dp_side *side,
		 const struct rxe_av *av, struct sk_buff *skb);

#endif /* RXE_DP_XMIT_H */
