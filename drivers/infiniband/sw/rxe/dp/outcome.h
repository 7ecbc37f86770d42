/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What becomes of a request, but for its execution: completed, refused, missing */
#ifndef RXE_DP_OUTCOME_H
#define RXE_DP_OUTCOME_H

#include "../obj/complete.h"
#include "qp.h"

bool rxe_request_completes(struct rxe_dp_qp *qp,
			   const struct rxe_recv_info *info);
void rxe_request_refused(struct rxe_dp_qp *qp, const struct rxe_pkt *pkt,
			 u8 nak, u8 status);
void rxe_request_fails(struct rxe_dp_qp *qp, enum ib_event_type event);
void rxe_request_is_missing(struct rxe_dp_qp *qp, u8 syndrome);

#endif /* RXE_DP_OUTCOME_H */
