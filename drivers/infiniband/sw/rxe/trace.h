/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Tracepoints, for dp/, obj/, verbs/ and the top layer; the pure layers have
 * none. Arguments are pointers, looked into only when somebody traces: off, a
 * tracepoint is a branch that is never taken.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rdma_rxe

#if !defined(RXE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define RXE_TRACE_H

#include <linux/tracepoint.h>

#include "obj/cq.h"
#include "obj/qp.h"
#include "wire/pkt.h"

/* What follows has the layout that all trace headers have */
/* clang-format off */

/* The numbers are pinned in trace.c */
#define rxe_show_state(s)                                              \
	__print_symbolic(s, { 0, "RESET" }, { 1, "INIT" }, { 2, "RTR" }, \
			 { 3, "RTS" }, { 4, "SQD" }, { 5, "SQE" },     \
			 { 6, "ERR" })
#define rxe_show_rx(v)                                                      \
	__print_symbolic(v, { 0, "drop" }, { 1, "execute" }, { 2, "ack" },  \
			 { 3, "read again" }, { 4, "atomic again" },        \
			 { 5, "nak" }, { 6, "refuse" })
#define rxe_show_ack(v)                                               \
	__print_symbolic(v, { 0, "drop" }, { 1, "ok" }, { 2, "place" }, \
			 { 3, "atomic" }, { 4, "fatal" })

TRACE_EVENT(rxe_post,
	TP_PROTO(const struct rxe_qp *qp, const struct rxe_swqe *w),
	TP_ARGS(qp, w),
	TP_STRUCT__entry(
		__field(u64, wr_id)
		__field(u32, qpn)
		__field(u32, length)
		__field(u8, op)
		__field(u8, flags)
		__field(u8, status)
	),
	TP_fast_assign(
		__entry->wr_id = w->wr_id;
		__entry->qpn = qp->ib.qp_num;
		__entry->length = w->length;
		__entry->op = w->op;
		__entry->flags = w->flags;
		__entry->status = w->status;
	),
	TP_printk("qp=%u wr_id=0x%llx op=%u flags=0x%x length=%u status=%u",
		  __entry->qpn, __entry->wr_id, __entry->op, __entry->flags,
		  __entry->length, __entry->status)
);

TRACE_EVENT(rxe_tx,
	TP_PROTO(const struct rxe_qp *qp, const struct rxe_pkt *pkt),
	TP_ARGS(qp, pkt),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u32, dest_qpn)
		__field(u32, psn)
		__field(u32, payload)
		__field(u8, opcode)
	),
	TP_fast_assign(
		__entry->qpn = qp->ib.qp_num;
		__entry->dest_qpn = pkt->dest_qpn;
		__entry->psn = pkt->psn;
		__entry->payload = pkt->payload_bytes;
		__entry->opcode = pkt->opcode;
	),
	TP_printk("qp=%u to=%u opcode=0x%02x psn=%u payload=%u", __entry->qpn,
		  __entry->dest_qpn, __entry->opcode, __entry->psn,
		  __entry->payload)
);

TRACE_EVENT(rxe_rx_request,
	TP_PROTO(const struct rxe_qp *qp, const struct rxe_pkt *pkt,
		 const struct rxe_rx_plan *plan),
	TP_ARGS(qp, pkt, plan),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u32, psn)
		__field(u32, payload)
		__field(u8, opcode)
		__field(u8, verdict)
		__field(u8, nak)
	),
	TP_fast_assign(
		__entry->qpn = qp->ib.qp_num;
		__entry->psn = pkt->psn;
		__entry->payload = pkt->payload_bytes;
		__entry->opcode = pkt->opcode;
		__entry->verdict = plan->verdict;
		__entry->nak = plan->nak;
	),
	TP_printk("qp=%u opcode=0x%02x psn=%u payload=%u: %s, nak=0x%02x",
		  __entry->qpn, __entry->opcode, __entry->psn,
		  __entry->payload, rxe_show_rx(__entry->verdict),
		  __entry->nak)
);

TRACE_EVENT(rxe_rx_response,
	TP_PROTO(const struct rxe_qp *qp, const struct rxe_pkt *pkt,
		 const struct rxe_ack_plan *plan),
	TP_ARGS(qp, pkt, plan),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u32, psn)
		__field(u8, opcode)
		__field(u8, syndrome)
		__field(u8, verdict)
	),
	TP_fast_assign(
		__entry->qpn = qp->ib.qp_num;
		__entry->psn = pkt->psn;
		__entry->opcode = pkt->opcode;
		__entry->syndrome = pkt->syndrome;
		__entry->verdict = plan->verdict;
	),
	TP_printk("qp=%u opcode=0x%02x psn=%u syndrome=0x%02x: %s",
		  __entry->qpn, __entry->opcode, __entry->psn,
		  __entry->syndrome, rxe_show_ack(__entry->verdict))
);

TRACE_EVENT(rxe_cqe,
	TP_PROTO(const struct rxe_cq *cq, const struct ib_wc *wc),
	TP_ARGS(cq, wc),
	TP_STRUCT__entry(
		__field(u64, wr_id)
		__field(u32, cq)
		__field(u32, qpn)
		__field(u32, status)
		__field(u32, opcode)
		__field(u32, bytes)
	),
	TP_fast_assign(
		__entry->wr_id = wc->wr_id;
		__entry->cq = cq->ib.res.id;
		__entry->qpn = wc->qp->qp_num;
		__entry->status = wc->status;
		__entry->opcode = wc->opcode;
		__entry->bytes = wc->byte_len;
	),
	TP_printk("cq=%u qp=%u wr_id=0x%llx status=%u opcode=%u bytes=%u",
		  __entry->cq, __entry->qpn, __entry->wr_id, __entry->status,
		  __entry->opcode, __entry->bytes)
);

TRACE_EVENT(rxe_qp_state,
	TP_PROTO(const struct rxe_qp *qp, enum rxe_qp_state to),
	TP_ARGS(qp, to),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u8, from)
		__field(u8, to)
	),
	TP_fast_assign(
		__entry->qpn = qp->ib.qp_num;
		__entry->from = qp->state;
		__entry->to = to;
	),
	TP_printk("qp=%u %s -> %s", __entry->qpn,
		  rxe_show_state(__entry->from), rxe_show_state(__entry->to))
);

TRACE_EVENT(rxe_timeout,
	TP_PROTO(const struct rxe_qp *qp, bool fatal),
	TP_ARGS(qp, fatal),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u32, psn)
		__field(u8, retry_left)
		__field(bool, fatal)
	),
	TP_fast_assign(
		__entry->qpn = qp->ib.qp_num;
		__entry->psn = qp->req.una;
		__entry->retry_left = qp->req.retry_left;
		__entry->fatal = fatal;
	),
	TP_printk("qp=%u psn=%u retries left=%u%s", __entry->qpn, __entry->psn,
		  __entry->retry_left, __entry->fatal ? ": gives up" : "")
);

/* clang-format on */

#endif /* RXE_TRACE_H */

/* Kbuild has the compiler look in the folder of this file */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
