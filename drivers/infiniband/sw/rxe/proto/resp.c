// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "resp.h"

#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "../wire/hdr.h"

static void next_psn(struct rxe_resp *resp, u32 n)
{
	resp->epsn = rxe_psn_add(resp->epsn, n);
	rxe_resp_hole_closed(resp);
}

/**
 * rxe_resp_reset() - wait for a first message
 * @resp: the responder; configuration stays as it is
 * @psn: first PSN expected, 24 bits
 *
 * Context: receive side lock, or no other user.
 */
void rxe_resp_reset(struct rxe_resp *resp, u32 psn)
{
	resp->epsn = psn & RXE_PSN_MASK;
	resp->msn = 0;
	resp->msg = RXE_MSG_NONE;
	resp->offset = 0;
	rxe_resp_hole_closed(resp);
	resp->reading = false;
	resp->res_next = 0;
	if (resp->res)
		memset(resp->res, 0, RXE_MAX_RD_ATOMIC * sizeof(*resp->res));
}

static void nak(struct rxe_rx_plan *plan, enum rxe_rx_verdict verdict, u8 code)
{
	plan->verdict = verdict;
	plan->nak = code;
}

/* Newest first: an old one may bear the same PSN, 2^24 packets ago */
static struct rxe_res *find_res(struct rxe_resp *resp, u32 psn)
{
	u32 i;

	for (i = 1; i <= RXE_MAX_RD_ATOMIC; i++) {
		u32 slot = resp->res_next + RXE_MAX_RD_ATOMIC - i;
		struct rxe_res *res = &resp->res[slot % RXE_MAX_RD_ATOMIC];

		if (res->type != RXE_RES_NONE &&
		    rxe_psn_within(psn, res->first_psn, res->last_psn))
			return res;
	}
	return NULL;
}

static struct rxe_res *new_res(struct rxe_resp *resp, u8 type,
			       const struct rxe_pkt *pkt)
{
	struct rxe_res *res = &resp->res[resp->res_next];

	resp->res_next = (resp->res_next + 1) % RXE_MAX_RD_ATOMIC;
	*res = (struct rxe_res){ .type = type,
				 .first_psn = pkt->psn,
				 .last_psn = pkt->psn,
				 .va = pkt->va,
				 .rkey = pkt->rkey,
				 .length = pkt->dmalen };
	return res;
}

static u8 res_type(u32 flags)
{
	if (flags & RXE_F_READ)
		return RXE_RES_READ;
	if (flags & RXE_F_ATOMIC)
		return RXE_RES_ATOMIC;
	if (flags & RXE_F_ATOMIC_WRITE)
		return RXE_RES_ATOMIC_WRITE;
	return RXE_RES_FLUSH;
}

static void begin_reading(struct rxe_resp *resp, struct rxe_res *res,
			  const struct rxe_pkt *pkt, bool again, u64 now)
{
	resp->reading = true;
	resp->read_again = again;
	resp->read_rkey = pkt->rkey;
	resp->read.va = pkt->va;
	resp->read.psn = pkt->psn;
	resp->read.index = 0;
	resp->read_left = pkt->dmalen;
	resp->read_pkts = max(DIV_ROUND_UP(pkt->dmalen, resp->mtu), 1U);
	res->begun_ns = now;
	res->begun_psn = pkt->psn;
	res->begun_bytes = pkt->dmalen;
}

/* A READ may be asked again from any of its packets on (IBTA 9.9.4.4.1) */
static bool replays_read(const struct rxe_resp *resp, const struct rxe_res *res,
			 const struct rxe_pkt *pkt)
{
	u64 skip = (u64)rxe_psn_sub(pkt->psn, res->first_psn) * resp->mtu;

	return pkt->rkey == res->rkey && skip <= res->length &&
	       pkt->va == res->va + skip && pkt->dmalen <= res->length - skip;
}

/* Already executed: answer again, change nothing (IBTA 9.7.5.1.4) */
static void duplicate(struct rxe_resp *resp, const struct rxe_pkt *pkt,
		      struct rxe_rx_plan *plan)
{
	u32 flags = pkt->info->flags;
	struct rxe_res *res;

	resp->stats.duplicates++;
	plan->duplicate = true;
	/* The requester visibly restarted: a hole may be reported again */
	resp->nak_sent = false;

	if (flags & (RXE_F_SEND | RXE_F_WRITE)) {
		if (pkt->ack_req)
			plan->verdict = RXE_RX_ACK;
		return;
	}

	res = resp->max_res ? find_res(resp, pkt->psn) : NULL;
	if (!res || res->type != res_type(flags))
		return;
	plan->res = res;
	if (res->type != RXE_RES_READ) {
		if (res->first_psn == pkt->psn)
			plan->verdict = RXE_RX_ATOMIC;
	} else if (replays_read(resp, res, pkt)) {
		plan->verdict = RXE_RX_READ;
	}
}

/* A receiver that was not ready is sent everything again. What is longer than any packet
 * may be is refused in its turn; it takes no memory until then.
 */
static void out_of_sequence(struct rxe_resp *resp, const struct rxe_pkt *pkt,
			    struct rxe_rx_plan *plan)
{
	plan->verdict = RXE_RX_AHEAD;
	plan->keep = !resp->not_ready && pkt->payload_bytes <= resp->mtu &&
		     rxe_psn_sub(pkt->psn, resp->epsn) < resp->hold;
}

/* Opcode sequence (IBTA 9.7.4.1.2, table 38) */
static bool follows(const struct rxe_resp *resp, u32 flags)
{
	if (rxe_op_starts(flags))
		return resp->msg == RXE_MSG_NONE;
	if (flags & RXE_F_SEND)
		return resp->msg == RXE_MSG_SEND;
	return resp->msg == RXE_MSG_WRITE;
}

/* Does the QP let the peer do this at all? (IBTA 9.7.4.1.6) */
static bool permitted(const struct rxe_resp *resp, u32 flags)
{
	if (flags & RXE_F_WRITE)
		return resp->access & RXE_ACC_REMOTE_WRITE;
	if (flags & RXE_F_ATOMIC_WRITE)
		return resp->max_res && (resp->access & RXE_ACC_REMOTE_WRITE);
	if (flags & RXE_F_READ)
		return resp->max_res && (resp->access & RXE_ACC_REMOTE_READ);
	if (flags & RXE_F_ATOMIC)
		return resp->max_res && (resp->access & RXE_ACC_REMOTE_ATOMIC);
	if (flags & RXE_F_FLUSH)
		return resp->max_res && (resp->access & RXE_ACC_FLUSH);
	return true;
}

/* Payload against path MTU and place in the message (IBTA 9.7.4.1.3) */
static bool fits_mtu(const struct rxe_resp *resp, const struct rxe_pkt *pkt)
{
	u32 flags = pkt->info->flags;

	if (!rxe_op_ends(flags))
		return pkt->payload_bytes == resp->mtu;
	if (!rxe_op_starts(flags) && !pkt->payload_bytes)
		return false;
	return pkt->payload_bytes <= resp->mtu;
}

/* Rights that a FLUSH needs, of the QP and of the key */
static u32 flush_access(const struct rxe_pkt *pkt)
{
	u32 access = 0;

	if (pkt->flush_plt & RXE_PLT_GLOBAL)
		access |= RXE_ACC_FLUSH_GLOBAL;
	if (pkt->flush_plt & RXE_PLT_PERSISTENT)
		access |= RXE_ACC_FLUSH_PERSISTENT;
	return access;
}

/* Placement types and selectivity are those there are, and the QP grants each of the
 * types (IBTA annex A19)
 */
static bool good_feth(const struct rxe_resp *resp, const struct rxe_pkt *pkt)
{
	if (!pkt->flush_plt || (pkt->flush_plt & ~RXE_PLT_ALL) ||
	    (flush_access(pkt) & ~resp->access))
		return false;
	return pkt->flush_sel == RXE_SEL_RANGE ||
	       pkt->flush_sel == RXE_SEL_REGION;
}

/* Payload against DMALen (IBTA 9.7.4.1.4) */
static bool fits_dmalen(const struct rxe_resp *resp, const struct rxe_pkt *pkt)
{
	u32 flags = pkt->info->flags;
	u32 left = rxe_op_starts(flags) ? pkt->dmalen : resp->write_left;

	if ((flags & RXE_F_FLUSH) && pkt->flush_sel == RXE_SEL_REGION)
		return true;
	if (pkt->dmalen > RXE_MAX_DMALEN)
		return false;
	if (flags & RXE_F_ATOMIC)
		return !(pkt->va % RXE_ATOMIC_BYTES);
	if (flags & RXE_F_ATOMIC_WRITE)
		return pkt->dmalen == RXE_ATOMIC_BYTES &&
		       pkt->payload_bytes == RXE_ATOMIC_BYTES &&
		       !(pkt->va % RXE_ATOMIC_BYTES);
	if (!(flags & RXE_F_WRITE))
		return true;
	return rxe_op_ends(flags) ? pkt->payload_bytes == left :
				    pkt->payload_bytes < left;
}

static bool valid(const struct rxe_resp *resp, const struct rxe_pkt *pkt)
{
	return follows(resp, pkt->info->flags) &&
	       permitted(resp, pkt->info->flags) && fits_mtu(resp, pkt) &&
	       fits_dmalen(resp, pkt) &&
	       (!(pkt->info->flags & RXE_F_FLUSH) || good_feth(resp, pkt));
}

static void execute(struct rxe_resp *resp, const struct rxe_pkt *pkt,
		    struct rxe_rx_plan *plan)
{
	u32 flags = pkt->info->flags;
	bool starts = rxe_op_starts(flags);
	/* An unreliable service answers nothing, whatever the bit says */
	bool ack = pkt->ack_req && resp->transport == RXE_RC;

	plan->verdict = RXE_RX_EXEC;
	plan->va = pkt->va;
	plan->rkey = pkt->rkey;
	plan->bytes = pkt->dmalen;
	plan->offset = starts ? 0 : resp->offset;
	plan->msg_bytes = plan->offset + pkt->payload_bytes;

	if (flags & RXE_F_SEND) {
		plan->what = RXE_DO_SEND;
		plan->need_rwqe = true;
		plan->complete = rxe_op_ends(flags);
		plan->ack = ack;
	} else if (flags & RXE_F_WRITE) {
		plan->what = RXE_DO_WRITE;
		if (!starts) {
			plan->va = resp->write_va;
			plan->rkey = resp->write_rkey;
			plan->bytes = resp->write_left;
		}
		plan->need_rwqe = flags & RXE_F_RWQE;
		plan->complete = plan->need_rwqe;
		plan->ack = ack;
	} else if (flags & RXE_F_READ) {
		plan->what = RXE_DO_READ;
	} else if (flags & RXE_F_ATOMIC) {
		plan->what = RXE_DO_ATOMIC;
		plan->bytes = RXE_ATOMIC_BYTES;
	} else if (flags & RXE_F_ATOMIC_WRITE) {
		plan->what = RXE_DO_ATOMIC_WRITE;
	} else {
		plan->what = RXE_DO_FLUSH;
		plan->whole = pkt->flush_sel == RXE_SEL_REGION;
		if (plan->whole)
			plan->bytes = 0;
		plan->access = flush_access(pkt);
	}
}

static void rx_rc(struct rxe_resp *resp, const struct rxe_pkt *pkt,
		  struct rxe_rx_plan *plan)
{
	s32 ahead = rxe_psn_diff(pkt->psn, resp->epsn);

	if (ahead < 0)
		duplicate(resp, pkt, plan);
	else if (ahead > 0)
		out_of_sequence(resp, pkt, plan);
	else if (!valid(resp, pkt))
		nak(plan, RXE_RX_FATAL, RXE_NAK_INVALID_REQ);
	else
		execute(resp, pkt, plan);
}

/* A message that starts is always welcome; one with a hole is discarded whole
 * (IBTA 9.8.2.2.1)
 */
static void rx_uc(struct rxe_resp *resp, const struct rxe_pkt *pkt,
		  struct rxe_rx_plan *plan)
{
	if (rxe_op_starts(pkt->info->flags)) {
		resp->msg = RXE_MSG_NONE;
		resp->epsn = pkt->psn;
	}
	if (pkt->psn == resp->epsn && valid(resp, pkt))
		execute(resp, pkt, plan);
	else
		resp->msg = RXE_MSG_NONE;
}

/**
 * rxe_resp_rx() - judge a request packet
 * @resp: the responder; not while @resp->reading
 * @pkt: the packet, of this QP's transport
 * @plan: what to do
 *
 * RXE_RX_EXEC is to be carried out and then reported: rxe_resp_done() when it
 * succeeded, rxe_resp_rnr() when there was no receive work request, nothing when
 * it failed and the QP goes to error. RXE_RX_AHEAD is reported to rxe_resp_ahead();
 * what was kept comes here again when resp->epsn has got to it. For RXE_DO_READ and the atomics
 * rxe_resp_read_start() or rxe_resp_atomic_done() report success.
 *
 * Context: receive side lock.
 */
void rxe_resp_rx(struct rxe_resp *resp, const struct rxe_pkt *pkt,
		 struct rxe_rx_plan *plan)
{
	*plan = (struct rxe_rx_plan){ .verdict = RXE_RX_DROP };

	switch (resp->transport) {
	case RXE_RC:
		rx_rc(resp, pkt, plan);
		break;
	case RXE_UC:
		rx_uc(resp, pkt, plan);
		break;
	case RXE_UD:
		if (pkt->payload_bytes <= resp->mtu)
			execute(resp, pkt, plan);
		break;
	}
}

static void message_done(struct rxe_resp *resp)
{
	resp->msg = RXE_MSG_NONE;
	resp->msn = (resp->msn + 1) & RXE_PSN_MASK;
}

/**
 * rxe_resp_done() - a SEND or RDMA WRITE packet was executed
 * @resp: the responder
 * @pkt: the packet
 * @plan: its plan
 *
 * Context: receive side lock.
 */
void rxe_resp_done(struct rxe_resp *resp, const struct rxe_pkt *pkt,
		   const struct rxe_rx_plan *plan)
{
	if (resp->transport == RXE_UD)
		return;

	next_psn(resp, 1);
	resp->offset = plan->msg_bytes;
	if (plan->what == RXE_DO_SEND) {
		resp->msg = RXE_MSG_SEND;
	} else {
		resp->msg = RXE_MSG_WRITE;
		resp->write_va = plan->va + pkt->payload_bytes;
		resp->write_rkey = plan->rkey;
		resp->write_left = plan->bytes - pkt->payload_bytes;
	}
	if (rxe_op_ends(pkt->info->flags))
		message_done(resp);
}

/**
 * rxe_resp_rnr() - no receive work request for a packet
 * @resp: the responder
 * @pkt: the packet; it is as if it had not arrived, nor what is kept beyond it
 *
 * Context: receive side lock.
 * Return: RC: syndrome to send with PSN @resp->epsn; UC, UD: 0, say nothing.
 */
u8 rxe_resp_rnr(struct rxe_resp *resp, const struct rxe_pkt *pkt)
{
	if (resp->transport != RXE_RC) {
		resp->msg = RXE_MSG_NONE;
		return 0;
	}
	resp->nak_sent = true;
	resp->not_ready = true;
	resp->stats.rnr_naks++;
	resp->hole_ns = 0;
	resp->high_psn = pkt->psn;
	return RXE_AETH_RNR | resp->min_rnr_timer;
}

/**
 * rxe_resp_read_start() - a READ request was accepted
 * @resp: the responder
 * @pkt: the request
 * @now: current time, ns; 0 will do when no packet waits behind @pkt
 *
 * Context: receive side lock.
 */
void rxe_resp_read_start(struct rxe_resp *resp, const struct rxe_pkt *pkt,
			 u64 now)
{
	struct rxe_res *res = new_res(resp, RXE_RES_READ, pkt);

	begin_reading(resp, res, pkt, false, now);
	res->last_psn = rxe_psn_add(pkt->psn, resp->read_pkts - 1);
	next_psn(resp, resp->read_pkts);
	message_done(resp);
}

/* Was an answer with all of it begun after it was asked for? What that lost is asked for
 * again.
 */
static bool answered_since(const struct rxe_resp *resp,
			   const struct rxe_res *res, const struct rxe_pkt *pkt,
			   u64 arrived_ns)
{
	u64 skip = (u64)rxe_psn_sub(pkt->psn, res->begun_psn) * resp->mtu;

	return arrived_ns && arrived_ns < res->begun_ns &&
	       skip + pkt->dmalen <= res->begun_bytes;
}

/**
 * rxe_resp_read_again() - answer a READ that was answered before
 * @resp: the responder
 * @res: from rxe_resp_rx()
 * @pkt: the request
 * @arrived_ns: when it arrived, ns; 0: just now
 * @now: current time, ns; 0 will do when no packet waits behind @pkt
 *
 * Not when that was begun after @pkt had come: a peer that asks often because we are
 * slow is not to be answered as often, which would make us slower.
 *
 * Context: receive side lock.
 */
void rxe_resp_read_again(struct rxe_resp *resp, struct rxe_res *res,
			 const struct rxe_pkt *pkt, u64 arrived_ns, u64 now)
{
	if (!answered_since(resp, res, pkt, arrived_ns))
		begin_reading(resp, res, pkt, true, now);
}

/**
 * rxe_resp_atomic_done() - an atomic, ATOMIC WRITE or FLUSH was performed
 * @resp: the responder
 * @pkt: the request
 * @type: enum rxe_res_type
 * @orig: atomic: value before
 *
 * Context: receive side lock.
 */
void rxe_resp_atomic_done(struct rxe_resp *resp, const struct rxe_pkt *pkt,
			  u8 type, u64 orig)
{
	new_res(resp, type, pkt)->orig = orig;
	next_psn(resp, 1);
	message_done(resp);
}

/**
 * rxe_resp_read_next() - next packets of the READ answer being streamed
 * @resp: the responder
 * @max_pkts: how many at most, > 0
 * @run: the packets
 *
 * Context: receive side lock.
 * Return: false when no answer is being streamed.
 */
bool rxe_resp_read_next(struct rxe_resp *resp, u32 max_pkts,
			struct rxe_read_run *run)
{
	if (!resp->reading)
		return false;
	*run = resp->read;
	run->n = min(max_pkts, resp->read_pkts);
	run->bytes = run->n == resp->read_pkts ? resp->read_left :
						 run->n * resp->mtu;
	return true;
}

/**
 * rxe_resp_read_pkt() - header of one packet of a run
 * @resp: the responder
 * @run: from rxe_resp_read_next()
 * @i: which of its packets, 0 .. run->n - 1
 * @pkt: the packet, complete but for its payload
 * @offset: byte of the run that its payload starts at
 *
 * Context: receive side lock.
 */
void rxe_resp_read_pkt(const struct rxe_resp *resp,
		       const struct rxe_read_run *run, u32 i,
		       struct rxe_pkt *pkt, u32 *offset)
{
	static const u8 op[] = { RXE_OP_READ_RESP_MIDDLE,
				 RXE_OP_READ_RESP_FIRST, RXE_OP_READ_RESP_LAST,
				 RXE_OP_READ_RESP_ONLY };
	bool first = run->index + i == 0;
	bool last = i + 1 == resp->read_pkts;

	rxe_pkt_init(pkt, op[first | last << 1], resp->peer_qpn,
		     rxe_psn_add(run->psn, i));
	if (pkt->info->flags & RXE_F_AETH) {
		pkt->syndrome = RXE_AETH_ACK | RXE_CREDIT_UNLIMITED;
		pkt->msn = resp->msn;
	}
	*offset = i * resp->mtu;
	rxe_pkt_set_payload(pkt, last ? run->bytes - *offset : resp->mtu);
}

/**
 * rxe_resp_read_sent() - packets of a run are on their way, or lost on it
 * @resp: the responder
 * @run: from rxe_resp_read_next(); with n and bytes cut when fewer were sent
 *
 * Context: receive side lock.
 */
void rxe_resp_read_sent(struct rxe_resp *resp, const struct rxe_read_run *run)
{
	resp->read.va += run->bytes;
	resp->read.psn = rxe_psn_add(resp->read.psn, run->n);
	resp->read.index += run->n;
	resp->read_left -= run->bytes;
	resp->read_pkts -= run->n;
	resp->reading = resp->read_pkts;
}

/**
 * rxe_resp_ack_pkt() - an ACK or NAK packet
 * @resp: the responder
 * @syndrome: AETH syndrome
 * @psn: PSN it carries: the last one acknowledged, or the one refused
 * @pkt: the packet
 *
 * Context: receive side lock.
 */
void rxe_resp_ack_pkt(const struct rxe_resp *resp, u8 syndrome, u32 psn,
		      struct rxe_pkt *pkt)
{
	rxe_pkt_init(pkt, RXE_OP_ACK, resp->peer_qpn, psn);
	pkt->syndrome = syndrome;
	pkt->msn = resp->msn;
}

/**
 * rxe_resp_result_pkt() - answer to an atomic, ATOMIC WRITE or FLUSH
 * @resp: the responder
 * @res: what it brought (IBTA 9.4.5, annex A19); type, first_psn and orig are looked at
 * @pkt: the packet
 *
 * Context: receive side lock.
 */
void rxe_resp_result_pkt(const struct rxe_resp *resp, const struct rxe_res *res,
			 struct rxe_pkt *pkt)
{
	u8 op = res->type == RXE_RES_ATOMIC ? RXE_OP_ATOMIC_ACK :
					      RXE_OP_READ_RESP_ONLY;

	rxe_pkt_init(pkt, op, resp->peer_qpn, res->first_psn);
	pkt->syndrome = RXE_AETH_ACK | RXE_CREDIT_UNLIMITED;
	pkt->msn = resp->msn;
	pkt->orig = res->orig;
}
