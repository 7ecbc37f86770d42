/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Queue pairs: queues, engines, state and locks */
#ifndef RXE_OBJ_QP_H
#define RXE_OBJ_QP_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "../proto/qpfsm.h"
#include "../proto/req.h"
#include "../proto/resp.h"
#include "av.h"
#include "cq.h"
#include "rq.h"
#include "srq.h"

/**
 * struct rxe_sq - send queue
 * @ring: consumer's end; its index is that of the oldest request not completed
 * @q: memory of @ring
 * @max_sge: SGEs per request granted
 * @max_inline: inline bytes granted
 * @post_lock: irqsave; kernel posters, with @post
 * @post: producer's end for kernel posters
 * @fetched: slots of @ring already copied to private records
 * @stale: slots to be fetched that were posted before the QP went from SQE to RTS
 */
struct rxe_sq {
	struct rxe_ring ring;
	struct rxe_queue *q;
	u32 max_sge;
	u32 max_inline;
	spinlock_t post_lock; /* irqsave leaf */
	struct rxe_ring post;
	u32 fetched;
	u32 stale;
};

/**
 * struct rxe_qp - a queue pair
 * @ib: the core's QP; ib.device, .pd, .send_cq, .recv_cq, .srq and .qp_type are set
 *	by the core before the driver's create is called, .qp_num by rxe_qp_publish()
 * @dev: the device
 * @transport: RC, UC or UD (GSI is UD)
 * @user: the rings belong to user space
 * @sig_all: every send completes with a CQE
 * @state: enum rxe_qp_state; written under @state_lock, read with READ_ONCE()
 * @state_lock: bh; serialises changes of @state and @attr
 * @modify_mutex: serialises modify_qp
 * @attr: attributes for query_qp, under @state_lock: modify_qp may have to wait for
 *	memory; .qp_state is not used
 * @av: primary path, under both side locks
 * @sq_drained_notify: raise SQ_DRAINED when SQD has drained, under @send_lock
 * @bound_mws: memory windows of type 2 bound on it
 * @send_lock: bh; requester and completer: @sq, @req
 * @sq: send queue
 * @req: requester engine
 * @recv_lock: bh; responder: @rq (consuming), @resp, @rwqe, @have_rwqe
 * @rq: receive queue, unused with an SRQ
 * @resp: responder engine
 * @rwqe: receive work request of the message being received
 * @have_rwqe: @rwqe is in use
 */
struct rxe_qp {
	struct ib_qp ib;
	struct rxe_dev *dev;
	enum rxe_transport transport;
	bool user;
	bool sig_all;
	enum rxe_qp_state state;
	spinlock_t state_lock; /* bh */
	struct mutex modify_mutex; /* order of locks: dev.h */
	struct ib_qp_attr attr;
	struct rxe_av av;
	bool sq_drained_notify;
	atomic_t bound_mws;

	spinlock_t send_lock ____cacheline_aligned_in_smp;
	struct rxe_sq sq;
	struct rxe_req req;

	spinlock_t recv_lock ____cacheline_aligned_in_smp;
	struct rxe_rq rq;
	struct rxe_resp resp;
	bool have_rwqe;
	struct rxe_rwqe rwqe;
};

static inline struct rxe_qp *to_rxe_qp(struct ib_qp *ib)
{
	return container_of(ib, struct rxe_qp, ib);
}

static inline enum rxe_qp_state rxe_qp_state(const struct rxe_qp *qp)
{
	return READ_ONCE(qp->state);
}

static inline enum rxe_qp_action rxe_qp_reaction(const struct rxe_qp *qp,
						 enum rxe_qp_event event)
{
	return rxe_qp_react(rxe_qp_state(qp), event, qp->transport == RXE_RC);
}

/* Receives of an SRQ are in its domain, whatever the QP's (IBTA 10.2.9) */
static inline struct ib_pd *rxe_qp_recv_pd(const struct rxe_qp *qp)
{
	return qp->ib.srq ? qp->ib.srq->pd : qp->ib.pd;
}

int rxe_qp_alloc(struct rxe_qp *qp, struct ib_qp_init_attr *init);
int rxe_qp_publish(struct rxe_qp *qp);
void rxe_qp_unpublish(struct rxe_qp *qp);
void rxe_qp_discard(struct rxe_qp *qp);
void rxe_qp_release(struct rxe_qp *qp);
struct rxe_qp *rxe_qp_lookup(struct rxe_dev *dev, u32 qpn);
bool rxe_qp_fail(struct rxe_qp *qp, enum rxe_qp_event event);
void rxe_qp_raise(struct rxe_qp *qp, enum ib_event_type type);

bool rxe_sq_fetch(struct rxe_qp *qp);
void rxe_sq_restart(struct rxe_qp *qp);
void rxe_sq_retire(struct rxe_qp *qp);
int rxe_sq_post(struct rxe_qp *qp, const struct ib_send_wr *wr);
int rxe_qp_get_rwqe(struct rxe_qp *qp);
void rxe_qp_put_rwqe(struct rxe_qp *qp);

#endif /* RXE_OBJ_QP_H */
