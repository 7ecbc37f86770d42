// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "outcome.h"

#include "../obj/counters.h"
#include "ahead.h"
#include "answer.h"
#include "event.h"

/**
 * rxe_request_fails() - the QP goes to error, and no completion tells of it
 * @qp: the QP
 * @event: what does, once; one that belongs to a QP (IBTA 11.6.3.2)
 *
 * Context: receive side lock, BH disabled.
 */
void rxe_request_fails(struct rxe_dp_qp *qp, enum ib_event_type event)
{
	if (rxe_qp_fail(&qp->qp, RXE_QPE_RECV_ERROR))
		rxe_dp_event(qp, event);
	rxe_dp_wake(qp);
}

/**
 * rxe_request_completes() - complete the receive work request in hand
 * @qp: the QP
 * @info: how it ended; an error is the end of the QP
 *
 * The state is written before the completion: who polls that may modify the QP at once.
 *
 * Context: receive side lock, BH disabled.
 * Return: false: the QP is in error, by @info or because a full CQ lost it.
 */
bool rxe_request_completes(struct rxe_dp_qp *qp,
			   const struct rxe_recv_info *info)
{
	bool good = info->status == RXE_ST_SUCCESS;
	bool failed = false;

	if (good)
		rxe_count(qp->qp.dev, RXE_CNT_RDMA_RECVS);
	else
		failed = rxe_qp_fail(&qp->qp, RXE_QPE_RECV_ERROR);
	if (!rxe_complete_recv(&qp->qp, info)) {
		rxe_dp_completion_lost(qp, failed);
		good = false;
	}
	if (!good)
		rxe_dp_wake(qp);
	return good;
}

/* What the event says when there is no work request to complete (IBTA 11.6.3.2) */
static enum ib_event_type event_of(u8 nak)
{
	switch (nak) {
	case RXE_NAK_REM_ACCESS:
		return IB_EVENT_QP_ACCESS_ERR;
	case RXE_NAK_REM_OP:
		return IB_EVENT_QP_FATAL;
	default:
		return IB_EVENT_QP_REQ_ERR;
	}
}

/**
 * rxe_request_is_missing() - there is a hole before those that arrived
 * @qp: the QP
 * @syndrome: the NAK, if it is time to say so, else 0
 *
 * Context: receive side lock, BH disabled, RCU read section.
 */
void rxe_request_is_missing(struct rxe_dp_qp *qp, u8 syndrome)
{
	if (!syndrome)
		return;
	rxe_count(qp->qp.dev, RXE_CNT_OUT_OF_SEQ_REQ);
	rxe_answer_nak(qp, syndrome);
}

/* Kept beyond a hole, where thousands of PSNs would have done and not one alone: it may
 * be a stranger's. It has to come again, in its turn.
 */
static void disbelieve(struct rxe_dp_qp *qp, const struct rxe_pkt *pkt)
{
	rxe_ahead_forget(qp);
	rxe_request_is_missing(qp,
			       rxe_resp_ahead(&qp->qp.resp, pkt, RXE_NOT_KEPT,
					      ktime_get_ns()));
}

/* A message that was to be the first may have left one, when it was not believed */
static bool has_rwqe(const struct rxe_dp_qp *qp, const struct rxe_pkt *pkt)
{
	return qp->qp.have_rwqe &&
	       (qp->qp.resp.msg == RXE_MSG_SEND ||
		(pkt->info->flags & (RXE_F_SEND | RXE_F_RWQE)));
}

/**
 * rxe_request_refused() - the message cannot be executed
 * @qp: the QP
 * @pkt: its packet that is to blame
 * @nak: what the peer is told
 * @status: what completes the attached receive work request, enum rxe_status
 *
 * RC: the QP goes to error. UC and UD: the message is discarded, unless the fault is in
 * our own receive work request (IBTA 9.9.3, table 61).
 *
 * Context: receive side lock, BH disabled, RCU read section.
 */
void rxe_request_refused(struct rxe_dp_qp *qp, const struct rxe_pkt *pkt,
			 u8 nak, u8 status)
{
	bool local = status == RXE_ST_LOC_PROT_ERR ||
		     status == RXE_ST_LOC_QP_OP_ERR;

	if (qp->was_held && !local) {
		disbelieve(qp, pkt);
		return;
	}
	if (qp->qp.transport == RXE_RC) {
		rxe_answer_nak(qp, nak);
	} else if (!local) {
		rxe_resp_rnr(&qp->qp.resp, pkt);
		return;
	}
	if (has_rwqe(qp, pkt)) {
		struct rxe_recv_info info = { .status = status };

		rxe_request_completes(qp, &info);
	} else {
		rxe_request_fails(qp, event_of(nak));
	}
}
