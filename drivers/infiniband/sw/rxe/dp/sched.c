// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "sched.h"

#include <linux/moduleparam.h>

#include "ahead.h"
#include "answer.h"
#include "event.h"
#include "fault.h"
#include "qp.h"
#include "recv.h"
#include "send.h"

static unsigned int hold = RXE_WINDOW_MAX;
module_param(hold, uint, 0644);
MODULE_PARM_DESC(hold, "Requests a new QP keeps beyond a missing one");

/**
 * rxe_dp_qp_init() - prepare the data path of a QP that nobody can find yet
 * @qp: the QP, embedded in a struct rxe_dp_qp, zeroed
 * @pager: of its user, NULL for a kernel consumer, whose memory is all there
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int rxe_dp_qp_init(struct rxe_qp *qp, struct rxe_pager *pager)
{
	struct rxe_dp_qp *dqp = to_dp_qp(qp);
	int ret;

	ret = rxe_side_init(&dqp->send, &qp->send_lock, pager, rxe_send_task,
			    rxe_send_timer);
	if (ret)
		return ret;
	ret = rxe_side_init(&dqp->recv, &qp->recv_lock, pager, rxe_recv_task,
			    rxe_recv_timer);
	if (ret) {
		rxe_side_free(&dqp->send);
		return ret;
	}
	dqp->held = RB_ROOT;
	qp->resp.hold = min_t(u32, READ_ONCE(hold), RXE_PSN_HALF);
	return 0;
}

/* What was executed is acknowledged, also when the QP goes on no longer: else the peer
 * takes for lost what is completed here
 */
static void send_owed_ack(struct rxe_dp_qp *qp)
{
	lockdep_assert_held(&qp->qp.recv_lock);
	rcu_read_lock();
	rxe_answer_ack_due(qp);
	rcu_read_unlock();
}

/**
 * rxe_dp_qp_stop() - no context runs this QP any more when this returns
 * @qp: the QP, unpublished and a grace period ago
 *
 * Who could still run it, and why each ends: packets in softirq found it by
 * number, and the grace period is over; posters are gone by the core's rules;
 * packets on their way out hold the credit object, which forgets the QP first;
 * the timers, the tasklets and who brings memory in see under the side locks that their
 * side is dead and neither arm nor schedule again, so cancelling them once is enough.
 *
 * Context: may sleep.
 */
void rxe_dp_qp_stop(struct rxe_qp *qp)
{
	struct rxe_dp_qp *dqp = to_dp_qp(qp);

	spin_lock_bh(&qp->send_lock);
	spin_lock(&qp->recv_lock);
	send_owed_ack(dqp);
	set_bit(RXE_SIDE_DEAD, &dqp->send.state);
	set_bit(RXE_SIDE_DEAD, &dqp->recv.state);
	spin_unlock(&qp->recv_lock);
	spin_unlock_bh(&qp->send_lock);

	rxe_side_part(&dqp->send);
	rxe_side_part(&dqp->recv);
	hrtimer_cancel(&dqp->send.timer);
	hrtimer_cancel(&dqp->recv.timer);
	rxe_fault_cancel(&dqp->send);
	rxe_fault_cancel(&dqp->recv);
	tasklet_kill(&dqp->send.task);
	tasklet_kill(&dqp->recv.task);
}

/**
 * rxe_dp_qp_free() - undo rxe_dp_qp_init()
 * @qp: the QP, stopped, or never published
 *
 * Context: may sleep.
 */
void rxe_dp_qp_free(struct rxe_qp *qp)
{
	rxe_side_free(&to_dp_qp(qp)->send);
	rxe_side_free(&to_dp_qp(qp)->recv);
	rxe_ahead_forget(to_dp_qp(qp));
}

/**
 * rxe_dp_qp_reset() - forget packets, routes and everything posted
 * @qp: the QP; its state is RXE_QPS_RESET already, so nothing new comes in
 *
 * Nothing completes (IBTA 10.3.1.1). Each side finds empty queues when it gets
 * its lock.
 *
 * Context: process, modify_mutex; takes both side locks; may sleep.
 */
void rxe_dp_qp_reset(struct rxe_qp *qp)
{
	struct rxe_dp_qp *dqp = to_dp_qp(qp);

	spin_lock_bh(&qp->send_lock);
	spin_lock_bh(&qp->recv_lock);
	send_owed_ack(dqp);
	skb_queue_purge(&dqp->send.rx);
	skb_queue_purge(&dqp->recv.rx);
	rxe_ahead_forget(dqp);
	dqp->unplaced.w = NULL;
	dqp->acks_due = 0;
	dqp->pause = (struct rxe_pause){};
	dqp->flushed = 0;
	dqp->rescan_ns = 0;
	dqp->peer_icrc = RXE_ICRC_NO_NEWS;
	dqp->rest_ns = 0;
	rxe_dp_qp_reroute(qp);
	rxe_qp_discard(qp);
	dqp->established = false;
	dqp->last_wqe = false;
	rxe_req_reset(&qp->req, 0);
	rxe_resp_reset(&qp->resp, 0);
	rxe_dp_unlock_recv(qp);
	rxe_dp_unlock_send(qp);
	rxe_fault_cancel(&dqp->send);
	rxe_fault_cancel(&dqp->recv);
}

/**
 * rxe_dp_qp_reroute() - the path of a QP changed: look up its routes anew
 * @qp: the QP
 *
 * Context: any; takes effect with the next packet.
 */
void rxe_dp_qp_reroute(struct rxe_qp *qp)
{
	dst_cache_reset(&to_dp_qp(qp)->send.route);
	dst_cache_reset(&to_dp_qp(qp)->recv.route);
}

/**
 * rxe_dp_qp_fail() - the device goes: fail what is posted, here and now
 * @qp: the QP
 *
 * Context: process, RCU read section that @qp was found in; takes a while.
 */
void rxe_dp_qp_fail(struct rxe_qp *qp)
{
	struct rxe_dp_qp *dqp = to_dp_qp(qp);

	rxe_qp_fail(qp, RXE_QPE_RECV_ERROR);
	local_bh_disable();
	rxe_send_task(&dqp->send.task);
	rxe_recv_task(&dqp->recv.task);
	local_bh_enable();
}

/**
 * rxe_dp_unlock_send() - release the send side's lock, without having run the side
 * @qp: the QP
 *
 * Who did not get the lock meanwhile left work, which is not lost.
 *
 * Context: the lock, taken by spin_lock_bh().
 */
void rxe_dp_unlock_send(struct rxe_qp *qp) __releases(qp->send_lock)
{
	rxe_side_pass_on(&to_dp_qp(qp)->send);
}

/**
 * rxe_dp_unlock_recv() - the same with the receive side
 * @qp: the QP
 *
 * Context: the lock, taken by spin_lock_bh().
 */
void rxe_dp_unlock_recv(struct rxe_qp *qp) __releases(qp->recv_lock)
{
	rxe_side_pass_on(&to_dp_qp(qp)->recv);
}

/**
 * rxe_dp_kick() - verbs/ changed something that the data path must look at
 * @qp: the QP
 * @kick: what
 *
 * Context: any, also with interrupts off; no side lock held.
 */
void rxe_dp_kick(struct rxe_qp *qp, enum rxe_kick kick)
{
	struct rxe_dp_qp *dqp = to_dp_qp(qp);

	switch (kick) {
	case RXE_KICK_SEND:
		if (irqs_disabled()) {
			tasklet_schedule(&dqp->send.task);
			break;
		}
		local_bh_disable();
		rxe_send_kick(dqp);
		local_bh_enable();
		break;
	case RXE_KICK_RECV:
		tasklet_schedule(&dqp->recv.task);
		break;
	case RXE_KICK_ERROR:
		rxe_dp_wake(dqp);
		break;
	}
}
