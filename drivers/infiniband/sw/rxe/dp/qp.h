/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The data path's view of a QP: what obj/qp.h has, plus skbs, tasklets, timers */
#ifndef RXE_DP_QP_H
#define RXE_DP_QP_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/mm_types.h>
#include <linux/skbuff.h>
#include <net/dst_cache.h>

#include "../obj/qp.h"

/**
 * struct rxe_tx_credit - counts packets on their way out
 * @ref: one for the QP, one for each packet
 * @inflight: packets not yet freed by whoever transmits them
 * @lock: irqsave; protects @qp
 * @qp: whom to wake; NULL once the QP is gone
 * @parked: the QP waits for @inflight to fall
 *
 * Packets hold this and never the QP, so that no destroy waits on a qdisc.
 */
struct rxe_tx_credit {
	refcount_t ref;
	atomic_t inflight;
	spinlock_t lock;
	struct rxe_dp_qp *qp;
	unsigned long parked;
};

#define RXE_PARKED_SEND 0
#define RXE_PARKED_RECV 1

/**
 * struct rxe_dp_side - one side of a QP
 * @task: runs the side when nobody does inline
 * @pending: there is work that the owner may not have seen
 * @rx: packets waiting for this side
 * @frag: payload memory for packets this side builds, under the side's lock
 */
struct rxe_dp_side {
	struct tasklet_struct task;
	unsigned long pending;
	struct sk_buff_head rx;
	struct page_frag frag;
};

/**
 * struct rxe_dp_qp - a QP as the core allocates it
 * @qp: must be first
 * @send: requester and completer, under qp.send_lock
 * @recv: responder, under qp.recv_lock
 * @credit: packets on their way out
 * @rto: retransmission timer
 * @rnr: end of an RNR wait
 * @dead: no timer may be armed any more, under qp.send_lock
 * @send_route: route cache of the send side
 * @recv_route: route cache of the receive side
 */
struct rxe_dp_qp {
	struct rxe_qp qp;
	struct rxe_dp_side send;
	struct rxe_dp_side recv;
	struct rxe_tx_credit *credit;
	struct hrtimer rto;
	struct hrtimer rnr;
	bool dead;
	struct dst_cache send_route;
	struct dst_cache recv_route;
};

static inline struct rxe_dp_qp *to_dp_qp(struct rxe_qp *qp)
{
	return container_of(qp, struct rxe_dp_qp, qp);
}

#endif /* RXE_DP_QP_H */
