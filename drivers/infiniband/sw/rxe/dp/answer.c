// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What the responder says: ACKs and NAKs, results of atomics, data of READs */
#include "answer.h"

#include "../wire/hdr.h"
#include "credit.h"
#include "fault.h"
#include "skb.h"
#include "xmit.h"

/* READ response packets built in a row */
#define BURST_MAX 16U
/* Small messages acknowledged at once before it is tried whether more follow */
#define BATCH_TRIAL 16

static void answer(struct rxe_dp_qp *qp, struct rxe_dp_side *side,
		   const struct rxe_pkt *pkt, struct rxe_cursor *payload)
{
	struct sk_buff *skb = rxe_skb_build(qp, side, &qp->qp.av, pkt, payload);

	/* Without memory the answer is lost; the peer asks again */
	if (!IS_ERR(skb))
		rxe_dp_xmit(qp, side, &qp->qp.av, skb);
}

static void send_aeth(struct rxe_dp_qp *qp, u8 syndrome, u32 psn)
{
	struct rxe_pkt pkt;

	rxe_resp_ack_pkt(&qp->qp.resp, syndrome, psn, &pkt);
	answer(qp, &qp->recv, &pkt, NULL);
}

/* One for all that are owed */
static void send_ack(struct rxe_dp_qp *qp)
{
	rxe_count_add(qp->qp.dev, RXE_CNT_ACK_DEFERRED, qp->acks_due - 1);
	qp->acks_due = 0;
	send_aeth(qp, RXE_AETH_ACK | RXE_CREDIT_UNLIMITED,
		  rxe_resp_acked_psn(&qp->qp.resp));
}

/**
 * rxe_answer_ack_soon() - a packet wants an ACK
 * @qp: the QP
 * @small: it is a message of its own, or a duplicate: more of these may follow
 *
 * Those of a batch of packets get one together, at its end. Where none come in
 * batches there is nothing to wait for; that is tried out now and then. But an ACK for one
 * alone would tell that what is kept beyond it is not there.
 *
 * Context: receive side lock, BH disabled, RCU read section.
 */
void rxe_answer_ack_soon(struct rxe_dp_qp *qp, bool small)
{
	bool more = !RB_EMPTY_ROOT(&qp->held);

	qp->acks_due++;
	if (more || (small && (qp->batches || qp->qp.resp.reading)))
		return;
	if (small) {
		/* A trial left one waiting, and here is the next */
		qp->batches = qp->acks_due > 1;
		if (!(++qp->acks % BATCH_TRIAL))
			return;
	}
	send_ack(qp);
}

/**
 * rxe_answer_ack_due() - send the ACK that is owed, if one is
 * @qp: the QP
 *
 * Not while a READ is answered: an ACK beyond it tells that its answer is lost.
 *
 * Context: receive side lock, BH disabled, RCU read section.
 */
void rxe_answer_ack_due(struct rxe_dp_qp *qp)
{
	if (!qp->acks_due || qp->qp.resp.reading)
		return;
	qp->batches = qp->acks_due > 1;
	send_ack(qp);
}

/**
 * rxe_answer_nak() - refuse the request that is expected
 * @qp: the QP
 * @syndrome: NAK or RNR NAK
 *
 * Context: receive side lock, BH disabled, RCU read section.
 */
void rxe_answer_nak(struct rxe_dp_qp *qp, u8 syndrome)
{
	rxe_answer_ack_due(qp);
	send_aeth(qp, syndrome, qp->qp.resp.epsn);
}

/**
 * rxe_answer_marked() - a packet was marked on its way (ECN): tell its sender
 * @qp: the QP
 * @side: the side that it arrived at
 * @cnp: notifications that this side has sent
 * @now: current time, ns
 *
 * Context: lock of @side, BH disabled, RCU read section.
 */
void rxe_answer_marked(struct rxe_dp_qp *qp, struct rxe_dp_side *side,
		       struct rxe_cnp *cnp, u64 now)
{
	static const u8 zeros[RXE_CNP_BYTES];
	struct rxe_cursor payload;
	struct rxe_pkt pkt;

	if (!rxe_cnp_due(cnp, now))
		return;
	rxe_cnp_pkt(qp->qp.req.dest_qpn, &pkt);
	rxe_cursor_inline(&payload, zeros, 0);
	answer(qp, side, &pkt, &payload);
}

/**
 * rxe_answer_result() - answer an atomic, ATOMIC WRITE or FLUSH
 * @qp: the QP
 * @res: what it brought (IBTA 9.4.5, annex A19)
 *
 * Context: receive side lock, BH disabled, RCU read section.
 */
void rxe_answer_result(struct rxe_dp_qp *qp, const struct rxe_res *res)
{
	struct rxe_pkt pkt;

	rxe_resp_result_pkt(&qp->qp.resp, res, &pkt);
	answer(qp, &qp->recv, &pkt, NULL);
}

/* Stand @offset bytes into a run. Bounds were checked when the READ was accepted,
 * but the region may be gone by now.
 */
static int open_run(struct rxe_dp_qp *qp, const struct rxe_read_run *run,
		    u32 offset, struct rxe_cursor *from)
{
	if (run->bytes == offset)
		return 0;
	return rxe_cursor_remote(from, qp->qp.dev, qp->qp.ib.pd,
				 qp->qp.ib.qp_num, qp->qp.resp.read_rkey,
				 run->va + offset, run->bytes - offset,
				 IB_ACCESS_REMOTE_READ);
}

/* Build and send a run. @n: packets sent, fewer when a full queue is waited for, or memory.
 * Return: 0 or a negative errno: the memory is not there any more.
 */
static int send_read_run(struct rxe_dp_qp *qp, const struct rxe_read_run *run,
			 u32 *n)
{
	bool lost = true; /* the cursor is not at the next packet */
	struct rxe_cursor from;
	struct rxe_pkt pkt;
	struct sk_buff *skb;
	u32 offset;
	int ret;

	for (*n = 0; *n < run->n; ++*n) {
		rxe_resp_read_pkt(&qp->qp.resp, run, *n, &pkt, &offset);
		ret = lost ? open_run(qp, run, offset, &from) : 0;
		if (ret)
			return ret;
		skb = rxe_skb_build(qp, &qp->recv, &qp->qp.av, &pkt, &from);
		/* Without memory the packet is lost before it was made */
		lost = IS_ERR(skb);
		if (!lost) {
			if (rxe_dp_xmit(qp, &qp->recv, &qp->qp.av, skb))
				rxe_pause_forget(&qp->pause);
			else if (rxe_pause_begin(&qp->pause, ktime_get_ns()))
				break;
		} else if (PTR_ERR(skb) != -ENOMEM) {
			ret = rxe_fault(&qp->recv, &from, PTR_ERR(skb));
			if (ret == -EAGAIN)
				break;
			return ret;
		}
	}
	return 0;
}

/**
 * rxe_answer_read() - go on with the READ being answered
 * @qp: the QP, resp.reading
 * @max_pkts: packets at most, > 0
 *
 * Context: receive side lock, BH disabled, RCU read section.
 * Return: packets sent; 0: as many are on their way out as may be, and the tasklet
 * runs when there is room, or a queue is full or the way congested until
 * @qp->pause ends, or memory is waited for; a negative errno: the memory is gone, the
 * peer was told and the QP has to fail.
 */
int rxe_answer_read(struct rxe_dp_qp *qp, u32 max_pkts)
{
	struct rxe_resp *resp = &qp->qp.resp;
	struct rxe_read_run run;
	u32 room, n;
	int err;

	if (READ_ONCE(qp->rest_ns))
		rxe_pause_rest(&qp->pause, xchg(&qp->rest_ns, 0));
	if (qp->pause.until_ns && rxe_pause_lasts(&qp->pause, ktime_get_ns()))
		return 0;
	room = rxe_credit_room(qp->recv.credit);
	if (!room)
		return 0;
	rxe_resp_read_next(resp, min3(room, max_pkts, BURST_MAX), &run);
	err = send_read_run(qp, &run, &n);
	if (err) {
		resp->reading = false;
		/* A late packet must not end a QP whose memory went in good order */
		if (resp->read_again)
			return 1;
		send_aeth(qp, RXE_NAK_REM_ACCESS, rxe_psn_add(run.psn, n));
		return err;
	}
	if (n < run.n) {
		run.n = n;
		run.bytes = n * resp->mtu;
	}
	rxe_resp_read_sent(resp, &run);
	return run.n;
}
