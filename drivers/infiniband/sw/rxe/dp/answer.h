/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the responder says */
#ifndef RXE_DP_ANSWER_H
#define RXE_DP_ANSWER_H

#include "qp.h"

void rxe_answer_ack_soon(struct rxe_dp_qp *qp, bool small);
void rxe_answer_ack_due(struct rxe_dp_qp *qp);
void rxe_answer_marked(struct rxe_dp_qp *qp, struct rxe_dp_side *side,
		       struct rxe_cnp *cnp, u64 now);
void rxe_answer_nak(struct rxe_dp_qp *qp, u8 syndrome);
void rxe_answer_result(struct rxe_dp_qp *qp, const struct rxe_res *res);
int rxe_answer_read(struct rxe_dp_qp *qp, u32 max_pkts);

#endif /* RXE_DP_ANSWER_H */
