/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Request packets that arrived ahead of one that is missing */
#ifndef RXE_DP_AHEAD_H
#define RXE_DP_AHEAD_H

#include "qp.h"

enum rxe_kept rxe_ahead_keep(struct rxe_dp_qp *qp, struct sk_buff *skb,
			     u32 psn);
struct sk_buff *rxe_ahead_take(struct rxe_dp_qp *qp);
void rxe_ahead_forget(struct rxe_dp_qp *qp);

#endif /* RXE_DP_AHEAD_H */
