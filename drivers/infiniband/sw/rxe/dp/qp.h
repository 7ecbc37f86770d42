/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The data path's view of a QP: what obj/qp.h has, plus skbs, tasklets, timer */
#ifndef RXE_DP_QP_H
#define RXE_DP_QP_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/mm_types.h>
#include <linux/skbuff.h>
#include <net/dst_cache.h>

#include "../obj/odp.h"
#include "../obj/qp.h"
#include "../proto/pause.h"

struct rxe_tx_credit;

/* Packets waiting for one side of a QP; more are dropped */
#define RXE_RX_QUEUE_MAX 1024

/* Bits of rxe_dp_side.pending */
enum rxe_side_bit {
	RXE_SIDE_PENDING, /* there is work that the owner may not have seen */
	RXE_SIDE_WAITS, /* for memory */
};

/**
 * struct rxe_dp_fault - memory that a side waits for, see fault.h
 * @work: brings it in; owns @range while the side waits
 * @range: the memory
 * @failed: it cannot be had
 */
struct rxe_dp_fault {
	struct work_struct work;
	struct rxe_odp_range range;
	bool failed;
};

/**
 * struct rxe_dp_side - one side of a QP
 * @task: runs the side when nobody does inline
 * @pending: bits of enum rxe_side_bit
 * @fault: memory that it waits for, under the side's lock
 * @rx: packets waiting for this side; has a lock of its own
 * @credit: packets of this side on their way out
 * @frag: payload memory for packets this side builds, under the side's lock
 * @route: route cache, under the side's lock
 */
struct rxe_dp_side {
	struct tasklet_struct task;
	unsigned long pending;
	struct rxe_dp_fault fault;
	struct sk_buff_head rx;
	struct rxe_tx_credit *credit;
	struct page_frag frag;
	struct dst_cache route;
};

enum rxe_peer_icrc {
	RXE_ICRC_NO_NEWS,
	RXE_ICRC_ONCE, /* by the book */
	RXE_ICRC_TWICE, /* as the kernel's own driver has it */
};

/**
 * struct rxe_dp_qp - a QP as the core allocates it
 * @qp: must be first
 * @send: requester and completer, under qp.send_lock
 * @recv: responder, under qp.recv_lock
 * @unplaced: what became of the response at the head of send.rx, when its data waits for
 *	memory, else its work request is NULL; under qp.send_lock
 * @timer: calls the send side at the requester's deadline
 * @timer_ns: when @timer expires, 0 = not armed; under qp.send_lock
 * @rescan_ns: how long a user's queues, in error, are left alone, 0 = they were not
 *	looked at yet, or something was found; any context
 * @held: request packets beyond a hole, by PSN; under qp.recv_lock
 * @num_held: how many
 * @recv_timer: calls the receive side when a hole is to be reported or a full queue
 *	is to be tried again
 * @recv_timer_ns: when @recv_timer expires, 0 = not armed; under qp.recv_lock
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
 * @dead: being destroyed; written under both side locks
 */
struct rxe_dp_qp {
	struct rxe_qp qp;
	struct rxe_dp_side send;
	struct rxe_dp_side recv;
	struct rxe_ack_plan unplaced;
	struct hrtimer timer;
	u64 timer_ns;
	u32 rescan_ns;
	struct rb_root held;
	u32 num_held;
	struct hrtimer recv_timer;
	u64 recv_timer_ns;
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
	bool dead;
};

/*
 * A side that may not run has no work: what was left for it would have the tasklet
 * scheduled for ever. Under the side's lock.
 */
static inline void rxe_dp_side_drop(struct rxe_dp_side *side)
{
	clear_bit(RXE_SIDE_PENDING, &side->pending);
	smp_mb__after_atomic(); /* as in work(): what comes later is seen later */
	skb_queue_purge(&side->rx);
}

static inline struct rxe_dp_qp *to_dp_qp(struct rxe_qp *qp)
{
	return container_of(qp, struct rxe_dp_qp, qp);
}

#endif /* RXE_DP_QP_H */
