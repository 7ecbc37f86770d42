// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "../dp/sched.h"
#include "../obj/qp.h"
#include "verbs.h"

/* Copy requests of a kernel consumer to the ring; false: none was posted */
static bool post_sends(struct rxe_qp *qp, const struct ib_send_wr *wr,
		       const struct ib_send_wr **bad_wr, int *err)
{
	bool posted = false;

	for (; wr; wr = wr->next) {
		*err = rxe_sq_post(qp, wr);
		if (*err) {
			*bad_wr = wr;
			break;
		}
		posted = true;
	}
	return posted;
}

/**
 * rxe_post_send() - post send work requests, or the doorbell of a user QP
 * @ibqp: the QP
 * @wr: list of requests; ignored for a user QP, whose requests are in its ring
 * @bad_wr: on failure the first request not posted
 *
 * Requests before @bad_wr are posted and go out.
 *
 * Context: any; may send packets before it returns, runs no completion handler.
 * Return: 0, -EINVAL in a state that refuses sends (IBTA 10.3.1) or for a bad
 * request, -ENOMEM when the queue is full.
 */
int rxe_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr)
{
	struct rxe_qp *qp = to_rxe_qp(ibqp);
	int err = 0;

	if (rxe_qp_reaction(qp, RXE_QPE_POST_SEND) == RXE_QPA_REFUSE) {
		*bad_wr = wr;
		return -EINVAL;
	}

	if (qp->user || post_sends(qp, wr, bad_wr, &err))
		rxe_dp_kick(qp, RXE_KICK_SEND);
	return err;
}

/**
 * rxe_post_recv() - post receive work requests, for kernel consumers
 * @ibqp: the QP, without SRQ
 * @wr: list of requests
 * @bad_wr: on failure the first request not posted
 *
 * In the error state they are accepted and flushed (IBTA 10.3.1.7).
 *
 * Context: any; runs no completion handler.
 * Return: 0, -EINVAL for a user's QP, one with an SRQ, a state that refuses
 * receives or a bad request, -ENOMEM when the queue is full.
 */
int rxe_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr)
{
	struct rxe_qp *qp = to_rxe_qp(ibqp);
	int err = 0;

	if (qp->user || ibqp->srq ||
	    rxe_qp_reaction(qp, RXE_QPE_POST_RECV) == RXE_QPA_REFUSE) {
		*bad_wr = wr;
		return -EINVAL;
	}

	for (; wr; wr = wr->next) {
		err = rxe_rq_post(&qp->rq, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}

	/* Whoever made the error state may have flushed before these came. Post, then
	 * read the state: pairs with the barrier of rxe_side_look(), which work() of
	 * dp/recv.c runs after the state is written and before it reads the ring. Sends
	 * need no such look: they are kicked in any case.
	 */
	smp_mb();
	if (rxe_qp_state(qp) == RXE_QPS_ERR)
		rxe_dp_kick(qp, RXE_KICK_RECV);
	return err;
}
