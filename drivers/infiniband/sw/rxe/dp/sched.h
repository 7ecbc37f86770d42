/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Which context runs a QP. The only way from verbs/ into the data path.
 *
 * Each side of a QP (send: requester and completer, receive: responder) is run
 * by whoever has the work and gets the side's lock without waiting; a loser
 * leaves its work queued and the owner, or the side's tasklet, does it. So who takes a
 * side's lock without running the side owes the losers a look, too: rxe_dp_unlock_send(),
 * rxe_dp_unlock_recv().
 */
#ifndef RXE_DP_SCHED_H
#define RXE_DP_SCHED_H

struct rxe_pager;
struct rxe_qp;

enum rxe_kick {
	RXE_KICK_SEND, /* work may be on the send queue: run it here if possible */
	RXE_KICK_RECV, /* receive side has something to look at: tasklet */
	RXE_KICK_ERROR, /* QP went to ERR or SQE: flush in tasklets */
};

int rxe_dp_qp_init(struct rxe_qp *qp, struct rxe_pager *pager);
void rxe_dp_qp_stop(struct rxe_qp *qp);
void rxe_dp_qp_free(struct rxe_qp *qp);
void rxe_dp_qp_reset(struct rxe_qp *qp);
void rxe_dp_qp_reroute(struct rxe_qp *qp);
void rxe_dp_qp_fail(struct rxe_qp *qp);
void rxe_dp_unlock_send(struct rxe_qp *qp) __releases(qp->send_lock);
void rxe_dp_unlock_recv(struct rxe_qp *qp) __releases(qp->recv_lock);
void rxe_dp_kick(struct rxe_qp *qp, enum rxe_kick kick);

#endif /* RXE_DP_SCHED_H */
