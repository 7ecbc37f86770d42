/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The data path's view of a QP: what obj/qp.h has, plus skbs, tasklets, timers */
#ifndef RXE_DP_QP_H
#define RXE_DP_QP_H

#include "../obj/qp.h"
#include "../proto/pause.h"
#include "side.h"

enum rxe_peer_icrc {
	RXE_ICRC_NO_NEWS,
	RXE_ICRC_ONCE, /* by the book */
	RXE_ICRC_TWICE, /* as the kernel's own driver has it */
};

/**
 * struct rxe_dp_qp - a QP as the core allocates it
 * @qp: must be first
 * @send: requester and completer, under qp.send_lock; its timer is the requester's
 *	deadline
 * @recv: responder, under qp.recv_lock; its timer tells when a hole is to be reported or
 *	a full queue is to be tried again
 * @unplaced: what became of the response at the head of send.rx, when its data waits for
 *	memory, else its work request is NULL; under qp.send_lock
 * @rescan_ns: how long a user's queues, in error, are left alone, 0 = they were not
 *	looked at yet, or something was found; any context
 * @held: request packets beyond a hole, by PSN; under qp.recv_lock
 * @num_held: how many
 * @was_held: the request in hand is one of those; under qp.recv_lock
 * @pause: READ answers wait while it lasts, for a queue that was full; under
 *	qp.recv_lock
 * @rest_ns: READ answers rest until then, for the peer told of congestion, 0 = they do
 *	not; set by the send side, taken by the receive side
 * @acks_due: requests for an ACK that wait for the end of the batch; under
 *	qp.recv_lock
 * @batches: small messages come in batches; under qp.recv_lock
 * @acks: small messages acknowledged one by one; under qp.recv_lock
 * @flushed: bytes of the FLUSH under way that are written back; under qp.recv_lock
 * @peer_icrc: what the FLUSHes of the peer tell of its ICRC, enum rxe_peer_icrc;
 *	taken by the send side
 * @events: bits of enum ib_event_type that a tasklet has to raise
 * @established: COMM_EST was raised; under qp.recv_lock
 * @last_wqe: LAST_WQE_REACHED was raised; under qp.recv_lock
 */
struct rxe_dp_qp {
	struct rxe_qp qp;
	struct rxe_dp_side send;
	struct rxe_dp_side recv;
	struct rxe_ack_plan unplaced;
	u32 rescan_ns;
	struct rb_root held;
	u32 num_held;
	bool was_held;
	struct rxe_pause pause;
	u64 rest_ns;
	u32 acks_due;
	bool batches;
	u32 acks;
	u64 flushed;
	int peer_icrc;
	unsigned long events;
	bool established;
	bool last_wqe;
};

static inline struct rxe_dp_qp *to_dp_qp(struct rxe_qp *qp)
{
	return container_of(qp, struct rxe_dp_qp, qp);
}

#endif /* RXE_DP_QP_H */
