// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What a device does around the responder */
#include "fake_pair.h"
#include "wire/hdr.h"

static void reply(struct fake_pair *p, struct rxe_pkt *pkt, const u8 *payload,
		  u32 bytes)
{
	u8 data[FAKE_PACKET_MAX] = {};

	rxe_pkt_set_payload(pkt, bytes);
	rxe_pkt_build(pkt, data);
	if (bytes)
		memcpy(data + pkt->hdr_bytes, payload, bytes);
	fake_link_send(&p->back, p->now, data,
		       pkt->hdr_bytes + bytes + pkt->pad + 4);
}

static void send_ack(struct fake_pair *p, u8 syndrome, u32 psn)
{
	struct rxe_pkt pkt;

	rxe_resp_ack_pkt(&p->resp, syndrome, psn, &pkt);
	reply(p, &pkt, NULL, 0);
}

static void die(struct fake_pair *p, u8 syndrome)
{
	send_ack(p, syndrome, p->resp.epsn);
	p->dead = true;
}

static void send_result(struct fake_pair *p, u8 type, u32 psn, u64 orig)
{
	struct rxe_res res = { .type = type, .first_psn = psn, .orig = orig };
	struct rxe_pkt pkt;

	rxe_resp_result_pkt(&p->resp, &res, &pkt);
	reply(p, &pkt, NULL, 0);
}

static u8 *at(struct fake_pair *p, u32 access, const struct rxe_rx_plan *plan)
{
	return fake_mem_at(p->mem, ARRAY_SIZE(p->mem), plan->rkey, access,
			   plan->va, plan->bytes);
}

/* Take a receive work request; false when there is none */
static bool attach(struct fake_pair *p)
{
	if (p->attached)
		return true;
	if (!p->rq)
		return false;
	p->rq--;
	p->attached = true;
	return true;
}

/* Work request whose message must be the next one received */
static u32 next_message(struct fake_pair *p)
{
	while (p->next_recv < p->cfg.n &&
	       !fake_wr_receives(&p->wr[p->next_recv]))
		p->next_recv++;
	return p->next_recv;
}

static u32 next_flush(struct fake_pair *p)
{
	while (p->next_flush < p->cfg.n &&
	       p->wr[p->next_flush].op != RXE_WR_FLUSH)
		p->next_flush++;
	return p->next_flush;
}

/* All that the key stands for; false: it stands for nothing */
static bool whole(const struct fake_pair *p, struct rxe_rx_plan *plan)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(p->mem); i++) {
		if (p->mem[i].key != plan->rkey)
			continue;
		plan->va = p->mem[i].va;
		plan->bytes = p->mem[i].bytes;
		return true;
	}
	return false;
}

static bool has_imm(const struct rxe_pkt *pkt)
{
	return pkt->info->flags & RXE_F_IMMDT;
}

static bool wants_imm(const struct fake_wr *wr)
{
	return wr->op == RXE_WR_SEND_IMM || wr->op == RXE_WR_WRITE_IMM;
}

static void check_extras(struct fake_pair *p, const struct rxe_pkt *pkt,
			 const struct fake_wr *wr, u32 k)
{
	bool has_key = pkt->info->flags & RXE_F_IETH;
	bool wants_key = wr->op == RXE_WR_SEND_INV;

	if (has_imm(pkt) != wants_imm(wr))
		fake_bad(p, "immediate data missing or too much", k);
	if (has_imm(pkt) && pkt->imm != wr->imm)
		fake_bad(p, "wrong immediate data", k);
	if (has_key != wants_key)
		fake_bad(p, "IETH missing or too much", k);
	if (has_key && pkt->rkey != wr->inv_rkey)
		fake_bad(p, "wrong key to invalidate", k);
	if (pkt->se != !!(wr->flags & RXE_WR_SOLICITED))
		fake_bad(p, "solicited event bit lost or invented", k);
}

/* A lossy transport may skip messages: find the one that arrived */
static void skip_lost(struct fake_pair *p, const struct rxe_pkt *pkt,
		      const u8 *data, u32 bytes)
{
	while (next_message(p) < p->cfg.n) {
		const struct fake_wr *wr = &p->wr[p->next_recv];

		if (wr->length == bytes && has_imm(pkt) == wants_imm(wr) &&
		    pkt->se == !!(wr->flags & RXE_WR_SOLICITED) &&
		    (!has_imm(pkt) || pkt->imm == wr->imm) &&
		    !memcmp(data, p->src + wr->src, bytes))
			return;
		p->next_recv++;
		p->lost_msgs++;
	}
}

/* A receive work request completes: it must be the next message, whole */
static void receive(struct fake_pair *p, const struct rxe_pkt *pkt,
		    const u8 *data, u32 bytes)
{
	const struct fake_wr *wr;
	u32 k;

	if (p->cfg.transport != RXE_RC)
		skip_lost(p, pkt, data, bytes);
	k = next_message(p);
	p->attached = false;
	if (k >= p->cfg.n) {
		fake_bad(p, "one message more than were sent", k);
		return;
	}
	wr = &p->wr[k];
	if (!wr->started)
		fake_bad(p, "message received before it was sent", k);
	if (bytes != wr->length)
		fake_bad(p, "message of wrong length", k);
	else if (memcmp(data, p->src + wr->src, bytes))
		fake_bad(p, "message with wrong bytes", k);
	check_extras(p, pkt, wr, k);
	p->next_recv++;
	p->received++;
}

static void exec_send(struct fake_pair *p, const struct rxe_pkt *pkt,
		      const struct rxe_rx_plan *plan, const u8 *payload)
{
	if (plan->msg_bytes > FAKE_MSG_MAX ||
	    plan->offset + pkt->payload_bytes != plan->msg_bytes) {
		fake_bad(p, "SEND placed outside its buffer", p->next_recv);
		return;
	}
	memcpy(p->recv + plan->offset, payload, pkt->payload_bytes);
	if (plan->complete)
		receive(p, pkt, p->recv, plan->msg_bytes);
	rxe_resp_done(&p->resp, pkt, plan);
}

static void exec_write(struct fake_pair *p, const struct rxe_pkt *pkt,
		       const struct rxe_rx_plan *plan, const u8 *payload)
{
	u8 *to = p->dst;

	if (plan->bytes) {
		to = at(p, RXE_ACC_REMOTE_WRITE, plan);
		if (!to) {
			die(p, RXE_NAK_REM_ACCESS);
			return;
		}
		memcpy(to, payload, pkt->payload_bytes);
	}
	if (plan->complete)
		receive(p, pkt, to + pkt->payload_bytes - plan->msg_bytes,
			plan->msg_bytes);
	rxe_resp_done(&p->resp, pkt, plan);
}

static void exec_read(struct fake_pair *p, const struct rxe_pkt *pkt,
		      const struct rxe_rx_plan *plan)
{
	if (plan->bytes && !at(p, RXE_ACC_REMOTE_READ, plan)) {
		die(p, RXE_NAK_REM_ACCESS);
		return;
	}
	rxe_resp_read_start(&p->resp, pkt, p->now);
}

static void exec_atomic(struct fake_pair *p, const struct rxe_pkt *pkt,
			const struct rxe_rx_plan *plan)
{
	u64 *word = (void *)at(p, RXE_ACC_REMOTE_ATOMIC, plan);
	u64 orig;

	if (!word) {
		die(p, RXE_NAK_REM_ACCESS);
		return;
	}
	orig = *word;
	if (pkt->opcode == RXE_OP_FETCH_ADD)
		*word += pkt->swap_add;
	else if (*word == pkt->compare)
		*word = pkt->swap_add;
	rxe_resp_atomic_done(&p->resp, pkt, RXE_RES_ATOMIC, orig);
	send_result(p, RXE_RES_ATOMIC, pkt->psn, orig);
}

static void exec_atomic_write(struct fake_pair *p, const struct rxe_pkt *pkt,
			      const struct rxe_rx_plan *plan, const u8 *payload)
{
	u8 *to = at(p, RXE_ACC_REMOTE_WRITE, plan);

	if (!to) {
		die(p, RXE_NAK_REM_ACCESS);
		return;
	}
	memcpy(to, payload, 8);
	rxe_resp_atomic_done(&p->resp, pkt, RXE_RES_ATOMIC_WRITE, 0);
	send_result(p, RXE_RES_ATOMIC_WRITE, pkt->psn, 0);
}

/* Each once, in its turn, and as it was posted: all that a later one could tell of
 * those before it
 */
static void exec_flush(struct fake_pair *p, const struct rxe_pkt *pkt,
		       const struct rxe_rx_plan *plan)
{
	struct rxe_rx_plan range = *plan;
	const struct fake_wr *wr;
	u32 k = next_flush(p);

	if (plan->whole && !whole(p, &range)) {
		die(p, RXE_NAK_REM_ACCESS);
		return;
	}
	if (range.bytes && !at(p, plan->access, &range)) {
		die(p, RXE_NAK_REM_ACCESS);
		return;
	}
	wr = &p->wr[k];
	if (k >= p->cfg.n || !wr->started)
		fake_bad(p, "one FLUSH more than were sent", k);
	else if (wr->plt != pkt->flush_plt || wr->sel != pkt->flush_sel ||
		 wr->remote_addr != pkt->va || wr->length != pkt->dmalen)
		fake_bad(p, "another FLUSH than was posted", k);
	p->next_flush++;
	rxe_resp_atomic_done(&p->resp, pkt, RXE_RES_FLUSH, 0);
	send_result(p, RXE_RES_FLUSH, pkt->psn, 0);
}

#define NO_PSN U32_MAX

static void drop_kept(struct fake_pair *p)
{
	memset(p->kept_psn, 0xff, sizeof(p->kept_psn));
	p->n_kept = 0;
}

static enum rxe_kept put_aside(struct fake_pair *p, u32 psn,
			       const struct fake_packet *packet)
{
	u32 slot = psn % FAKE_HOLD;

	if (p->kept_psn[slot] == psn)
		return RXE_KEPT_BEFORE;
	if (rxe_psn_sub(psn, p->resp.epsn) >= FAKE_HOLD)
		fake_bad(p, "kept what is too far ahead", 0);
	if (p->kept_psn[slot] == NO_PSN)
		p->n_kept++;
	p->kept[slot] = *packet;
	p->kept_psn[slot] = psn;
	return RXE_KEPT;
}

/* The packet now expected, when it was kept */
static const struct fake_packet *take_kept(struct fake_pair *p)
{
	u32 slot = p->resp.epsn % FAKE_HOLD;

	if (p->dead || p->resp.reading || p->kept_psn[slot] != p->resp.epsn)
		return NULL;
	p->kept_psn[slot] = NO_PSN;
	p->n_kept--;
	return &p->kept[slot];
}

static void ahead(struct fake_pair *p, const struct rxe_pkt *pkt,
		  const struct fake_packet *packet, bool may_keep)
{
	enum rxe_kept kept = RXE_NOT_KEPT;
	u8 syndrome;

	if (may_keep)
		kept = put_aside(p, pkt->psn, packet);
	syndrome = rxe_resp_ahead(&p->resp, pkt, kept, p->now);
	if (syndrome)
		send_ack(p, syndrome, p->resp.epsn);
}

static void execute(struct fake_pair *p, const struct rxe_pkt *pkt,
		    const struct rxe_rx_plan *plan, const u8 *payload)
{
	if (plan->need_rwqe && !attach(p)) {
		u8 syndrome = rxe_resp_rnr(&p->resp, pkt);

		if (syndrome)
			send_ack(p, syndrome, p->resp.epsn);
		drop_kept(p);
		return;
	}
	switch (plan->what) {
	case RXE_DO_SEND:
		exec_send(p, pkt, plan, payload);
		break;
	case RXE_DO_WRITE:
		exec_write(p, pkt, plan, payload);
		break;
	case RXE_DO_READ:
		exec_read(p, pkt, plan);
		break;
	case RXE_DO_ATOMIC:
		exec_atomic(p, pkt, plan);
		break;
	case RXE_DO_ATOMIC_WRITE:
		exec_atomic_write(p, pkt, plan, payload);
		break;
	case RXE_DO_FLUSH:
		exec_flush(p, pkt, plan);
		break;
	}
	p->ack_due |= plan->ack;
}

/* Is this READ to be repeated from before where it last was? */
static bool goes_back(struct fake_pair *p, u32 psn)
{
	const struct rxe_res *res = p->res;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(p->res); i++, res++) {
		if (res->type != RXE_RES_READ ||
		    !rxe_psn_within(psn, res->first_psn, res->last_psn))
			continue;
		if (p->res_first[i] != res->first_psn)
			p->res_from[i] = res->first_psn;
		p->res_first[i] = res->first_psn;
		if (rxe_psn_diff(psn, p->res_from[i]) < 0)
			return true;
		p->res_from[i] = psn;
	}
	return false;
}

/**
 * fake_resp_init() - set the responder and its memory up
 * @p: the run
 *
 * Context: any.
 */
void fake_resp_init(struct fake_pair *p)
{
	p->mem[0] = (struct fake_mem){ 0x101, RXE_ACC_REMOTE_READ,
				       0x7f0000000123, FAKE_SRC_BYTES, p->src };
	p->mem[1] =
		(struct fake_mem){ 0x202, RXE_ACC_REMOTE_WRITE | RXE_ACC_FLUSH,
				   0xfffffffffff00001, FAKE_DST_BYTES, p->dst };
	p->mem[2] =
		(struct fake_mem){ 0x303,
				   RXE_ACC_REMOTE_WRITE | RXE_ACC_REMOTE_ATOMIC,
				   0x1000, sizeof(p->words), (u8 *)p->words };
	p->mem[3] =
		(struct fake_mem){ 0x404,
				   RXE_ACC_REMOTE_WRITE | RXE_ACC_FLUSH_GLOBAL,
				   0x2000, FAKE_MSG_MAX, p->dst };
	p->resp = (struct rxe_resp){
		.transport = p->cfg.transport,
		.mtu = p->cfg.mtu,
		.peer_qpn = 0x11,
		.access = RXE_ACC_REMOTE_WRITE | RXE_ACC_REMOTE_READ |
			  RXE_ACC_REMOTE_ATOMIC | RXE_ACC_FLUSH,
		.min_rnr_timer = p->cfg.rnr_timer,
		.max_res = p->cfg.max_res,
		.hold = p->cfg.hold,
		.res = p->res,
	};
	rxe_resp_reset(&p->resp, p->cfg.psn);
	drop_kept(p);
}

static void take(struct fake_pair *p, const struct fake_packet *packet)
{
	struct rxe_rx_plan plan;
	struct rxe_pkt pkt;

	if (rxe_pkt_parse(&pkt, packet->data, packet->bytes, packet->bytes)) {
		fake_bad(p, "requester sent what cannot be parsed", 0);
		return;
	}
	if (!(pkt.info->flags & RXE_F_REQUEST) || pkt.dest_qpn != 0x22)
		fake_bad(p, "requester sent a response, or to another QP", 0);
	if (p->dead)
		return;

	rxe_resp_rx(&p->resp, &pkt, &plan);
	switch (plan.verdict) {
	case RXE_RX_DROP:
		break;
	case RXE_RX_READ:
		if (!p->cfg.forward || !goes_back(p, pkt.psn))
			rxe_resp_read_again(&p->resp, plan.res, &pkt,
					    packet->due, p->now);
		break;
	case RXE_RX_EXEC:
		execute(p, &pkt, &plan, packet->data + pkt.hdr_bytes);
		break;
	case RXE_RX_ACK:
		p->ack_due = true;
		break;
	case RXE_RX_ATOMIC:
		send_result(p, plan.res->type, pkt.psn, plan.res->orig);
		break;
	case RXE_RX_AHEAD:
		ahead(p, &pkt, packet, plan.keep);
		break;
	case RXE_RX_FATAL:
		die(p, plan.nak);
		break;
	}
}

static void replay(struct fake_pair *p)
{
	const struct fake_packet *packet;

	while ((packet = take_kept(p)))
		take(p, packet);
	if (p->n_kept && !p->resp.hole_ns)
		rxe_resp_hole(&p->resp, p->now);
}

/**
 * fake_resp_rx() - a packet from the requester; not while a READ is answered
 * @p: the run
 * @packet: the packet
 *
 * Context: any.
 */
void fake_resp_rx(struct fake_pair *p, const struct fake_packet *packet)
{
	take(p, packet);
	replay(p);
}

/**
 * fake_resp_timer() - run the timer when it is due
 * @p: the run
 *
 * Context: any.
 */
void fake_resp_timer(struct fake_pair *p)
{
	bool give_up;
	u8 syndrome;

	if (p->dead)
		return;
	syndrome = rxe_resp_timeout(&p->resp, p->now, &give_up);
	if (syndrome)
		send_ack(p, syndrome, p->resp.epsn);
	if (give_up)
		drop_kept(p);
}

/* Post receives, or leave the queue empty for a while */
static void refill(struct fake_pair *p)
{
	u32 n;

	if (!p->rq_left || p->now < p->refill_at)
		return;
	if (rxe_rng_chance(&p->rng, p->cfg.rnr)) {
		p->refill_at = p->now + rxe_rng_below(&p->rng, 50000);
		return;
	}
	n = p->rq_left;
	if (p->cfg.rnr)
		n = 1 + rxe_rng_below(&p->rng, n);
	p->rq += n;
	p->rq_left -= n;
	p->refill_at = p->now + 1000;
}

static void stream(struct fake_pair *p)
{
	struct rxe_read_run run;
	struct rxe_pkt pkt;
	u32 i, offset;
	u8 *from;

	if (!rxe_resp_read_next(&p->resp, 1 + rxe_rng_below(&p->rng, 8), &run))
		return;
	from = fake_mem_at(p->mem, ARRAY_SIZE(p->mem), p->resp.read_rkey,
			   RXE_ACC_REMOTE_READ, run.va, run.bytes);
	if (run.bytes && !from) {
		fake_bad(p, "READ answer from outside its region", 0);
		return;
	}
	for (i = 0; i < run.n; i++) {
		rxe_resp_read_pkt(&p->resp, &run, i, &pkt, &offset);
		reply(p, &pkt, from + offset, pkt.payload_bytes);
	}
	rxe_resp_read_sent(&p->resp, &run);
}

/**
 * fake_resp_poll() - answer READs and send the ACK that is owed
 * @p: the run
 *
 * Context: any.
 */
void fake_resp_poll(struct fake_pair *p)
{
	refill(p);
	if (p->dead)
		return;
	stream(p);
	replay(p);
	/* An ACK must not overtake the answer to a READ before it */
	if (!p->ack_due || p->resp.reading ||
	    rxe_rng_chance(&p->rng, p->cfg.coalesce))
		return;
	p->ack_due = false;
	send_ack(p, RXE_AETH_ACK | RXE_CREDIT_UNLIMITED,
		 rxe_resp_acked_psn(&p->resp));
}
