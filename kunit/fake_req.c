// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What a device does around the requester */
#include "fake_pair.h"
#include "wire/hdr.h"

static void post(struct fake_pair *p)
{
	while (p->posted < p->cfg.n && !rxe_rng_chance(&p->rng, 100)) {
		const struct fake_wr *wr = &p->wr[p->posted];
		struct rxe_swqe *w = rxe_req_fetch_slot(&p->req);

		if (!w)
			return;
		memset(w, 0, sizeof(*w));
		w->wr_id = p->posted;
		w->op = wr->op;
		w->flags = wr->flags;
		w->length = wr->length;
		w->remote_addr = wr->remote_addr;
		w->rkey = wr->rkey;
		w->imm = wr->imm;
		w->inv_rkey = wr->inv_rkey;
		w->swap_add = wr->swap_add;
		w->compare = wr->compare;
		if (p->cfg.transport == RXE_UD)
			w->remote_qpn = 0x22;
		if (wr->op == RXE_WR_FLUSH) {
			w->flush_plt = wr->plt;
			w->flush_sel = wr->sel;
		}
		rxe_req_fetched(&p->req);
		p->posted++;
	}
}

static bool responds(const struct fake_wr *wr)
{
	return !fake_wr_receives(wr) && wr->op != RXE_WR_WRITE &&
	       wr->op != RXE_WR_LOCAL_INV && wr->op != RXE_WR_BIND_MW &&
	       wr->op != RXE_WR_REG_MR;
}

/* Rules for a work request that begins */
static void check_start(struct fake_pair *p, u32 k)
{
	u32 i, open = 0;

	if (p->wr[k].started)
		return;
	p->wr[k].started = true;
	for (i = p->completed; i < k; i++)
		if (responds(&p->wr[i]) && p->wr[i].status == 0xff)
			open++;
	if (k && !p->wr[k - 1].started)
		fake_bad(p, "begun before its predecessor", k);
	if (responds(&p->wr[k]) && p->cfg.transport == RXE_RC &&
	    p->req.rd_atomic > p->cfg.max_rd_atomic)
		fake_bad(p, "more READs and atomics than max_rd_atomic", k);
	/* Finished ones may wait here for an older one to complete */
	if ((p->wr[k].flags & RXE_WR_FENCE) && open && p->req.rd_atomic)
		fake_bad(p, "fence passed by a READ or atomic", k);
}

static void send(struct fake_pair *p, const struct rxe_req_run *run, u32 i)
{
	const struct fake_wr *wr = &p->wr[run->w->wr_id];
	u8 data[FAKE_PACKET_MAX] = {};
	struct rxe_pkt pkt;
	u32 offset;

	rxe_req_pkt(&p->req, run, i, &pkt, &offset);
	if (offset + pkt.payload_bytes > wr->length) {
		fake_bad(p, "payload beyond the message", run->w->wr_id);
		return;
	}
	rxe_pkt_build(&pkt, data);
	memcpy(data + pkt.hdr_bytes, p->src + wr->src + offset,
	       pkt.payload_bytes);
	fake_link_send(&p->out, p->now, data,
		       pkt.hdr_bytes + pkt.payload_bytes + pkt.pad + 4);
}

static void send_run(struct fake_pair *p, const struct rxe_req_run *run)
{
	u32 i, n = run->n;
	bool faulty;

	if (p->now < p->quiet_until)
		fake_bad(p, "sent while RNR asked to wait", run->w->wr_id);
	if (rxe_rng_chance(&p->rng, p->cfg.cut)) {
		n = rxe_rng_below(&p->rng, n);
		p->tx_again = p->now + 500;
	}
	check_start(p, run->w->wr_id);
	faulty = p->cfg.victim == FAKE_BAD_LKEY && run->w->wr_id == p->victim;
	if (faulty)
		n = rxe_rng_below(&p->rng, run->n);
	for (i = 0; i < n; i++)
		send(p, run, i);
	rxe_req_sent(&p->req, run, n, p->now);
	if (faulty)
		rxe_req_done(&p->req, run->w, RXE_ST_LOC_PROT_ERR);
}

static void run_local(struct fake_pair *p, struct rxe_swqe *w)
{
	u32 k = w->wr_id;

	if (p->wr[k].local_runs++)
		fake_bad(p, "local operation carried out twice", k);
	if (w->op == RXE_WR_LOCAL_INV && p->completed != k)
		fake_bad(p, "invalidated before its predecessors ended", k);
	check_start(p, k);
	rxe_req_done(&p->req, w, RXE_ST_SUCCESS);
}

static void check_done(struct fake_pair *p, const struct rxe_swqe *w, u32 k)
{
	struct fake_wr *wr = &p->wr[k];
	u32 slot = fake_slot(p, w);

	if (wr->status != RXE_ST_SUCCESS)
		return;
	if (wr->op == RXE_WR_READ &&
	    memcmp(p->read[slot], p->src + wr->src, wr->length))
		fake_bad(p, "READ brought wrong bytes", k);
	if ((wr->op == RXE_WR_CMP_SWAP || wr->op == RXE_WR_FETCH_ADD) &&
	    wr->got_orig != wr->want_orig)
		fake_bad(p, "atomic returned a wrong value", k);
}

/* Complete what is finished, in order, each once */
static void retire(struct fake_pair *p)
{
	struct rxe_swqe *w;

	while ((w = rxe_req_oldest(&p->req))) {
		u32 k = w->wr_id;

		if (k != p->completed || p->wr[k].status != 0xff)
			fake_bad(p, "completed out of order or twice", k);
		p->completed++;
		p->wr[k].status = w->status;
		check_done(p, w, k);
		if (w->status != RXE_ST_SUCCESS && !p->failed) {
			p->failed = true;
			rxe_req_flush(&p->req);
		}
		rxe_req_retire(&p->req);
	}
}

static void check_state(struct fake_pair *p)
{
	const struct rxe_req *req = &p->req;

	if (req->cur - req->cons > req->prod - req->cons ||
	    req->prod - req->cons > FAKE_SLOTS)
		fake_bad(p, "requester lost its place", p->completed);
	if (rxe_psn_sub(req->npsn, req->una) >
		    rxe_psn_sub(req->psn, req->una) ||
	    rxe_psn_sub(req->sent_psn, req->una) >
		    rxe_psn_sub(req->psn, req->una))
		fake_bad(p, "una, npsn, psn out of order", p->completed);
	if (rxe_req_idle(req) && (req->rd_atomic || req->rd_psns))
		fake_bad(p, "READ accounting leaks", p->completed);
	if ((req->psn | req->npsn | req->una | req->sent_psn) > RXE_PSN_MASK)
		fake_bad(p, "PSN of more than 24 bits", p->completed);
}

/**
 * fake_req_init() - set the requester up
 * @p: the run
 *
 * Context: any.
 */
void fake_req_init(struct fake_pair *p)
{
	p->req = (struct rxe_req){
		.transport = p->cfg.transport,
		.mtu = p->cfg.mtu,
		.dest_qpn = 0x22,
		.src_qpn = 0x11,
		.timeout_ns = p->cfg.timeout_ns,
		.retry_cnt = p->cfg.retry_cnt,
		.rnr_retry = p->cfg.rnr_retry,
		.max_rd_atomic = p->cfg.max_rd_atomic,
		.read_psns = p->cfg.read_psns,
		.window = p->cfg.window,
		.window_max = p->cfg.window_max,
		.wqes = p->slots,
		.mask = FAKE_SLOTS - 1,
		.stride = FAKE_SLOT_BYTES,
	};
	rxe_req_reset(&p->req, p->cfg.psn);
}

/**
 * fake_req_poll() - post, send and complete what can be
 * @p: the run
 *
 * Context: any.
 */
void fake_req_poll(struct fake_pair *p)
{
	enum rxe_req_verdict verdict;
	struct rxe_req_run run;

	if (p->failed) {
		post(p);
		rxe_req_flush(&p->req);
		retire(p);
		return;
	}
	if (p->now < p->tx_again)
		return;
	p->tx_again = 0;
	post(p);
	for (;;) {
		verdict = rxe_req_next(&p->req, p->now,
				       1 + rxe_rng_below(&p->rng, 16), &run);
		if (verdict == RXE_REQ_SEND)
			send_run(p, &run);
		else if (verdict == RXE_REQ_LOCAL)
			run_local(p, run.w);
		else
			break;
		retire(p);
		check_state(p);
		if (p->bad || p->tx_again)
			return;
	}
	retire(p);
}

static void place(struct fake_pair *p, const struct rxe_ack_plan *plan,
		  const u8 *payload, u32 bytes)
{
	u32 k = plan->w->wr_id, slot = fake_slot(p, plan->w);

	if (p->wr[k].op != RXE_WR_READ ||
	    plan->offset + bytes > p->wr[k].length) {
		fake_bad(p, "READ response placed where none belongs", k);
		return;
	}
	memcpy(p->read[slot] + plan->offset, payload, bytes);
}

static void act(struct fake_pair *p, const struct rxe_ack_plan *plan)
{
	if (plan->rnr) {
		p->rnrs++;
		p->quiet_until = p->now + rxe_rnr_code_to_ns(p->cfg.rnr_timer);
	}
	if (plan->verdict == RXE_ACK_FATAL && plan->w->status != plan->status)
		fake_bad(p, "fatal without its status", plan->w->wr_id);
	retire(p);
	check_state(p);
}

/**
 * fake_req_rx() - a packet from the responder
 * @p: the run
 * @packet: the packet
 *
 * Context: any.
 */
void fake_req_rx(struct fake_pair *p, const struct fake_packet *packet)
{
	struct rxe_ack_plan plan;
	struct rxe_pkt pkt;

	if (rxe_pkt_parse(&pkt, packet->data, packet->bytes, packet->bytes)) {
		fake_bad(p, "responder sent what cannot be parsed", 0);
		return;
	}
	if (!(pkt.info->flags & RXE_F_RESPONSE) || pkt.dest_qpn != 0x11)
		fake_bad(p, "responder sent a request, or to another QP", 0);
	if (p->failed)
		return;

	rxe_req_ack(&p->req, &pkt, p->now, &plan);
	if (plan.verdict == RXE_ACK_PLACE)
		place(p, &plan, packet->data + pkt.hdr_bytes,
		      pkt.payload_bytes);
	else if (plan.verdict == RXE_ACK_ATOMIC)
		p->wr[plan.w->wr_id].got_orig = pkt.orig;
	act(p, &plan);
}

/**
 * fake_req_timer() - run the timer when it is due
 * @p: the run
 *
 * Context: any.
 */
void fake_req_timer(struct fake_pair *p)
{
	u64 deadline = rxe_req_deadline(&p->req);
	struct rxe_ack_plan plan;

	if (p->failed || !deadline || p->now < deadline)
		return;
	rxe_req_timeout(&p->req, p->now, &plan);
	if (plan.rewound && p->req.timer.rto_ns == p->now)
		p->timeouts++;
	else if (plan.rewound)
		p->probes++;
	act(p, &plan);
	if (!p->failed && rxe_req_deadline(&p->req) &&
	    rxe_req_deadline(&p->req) <= p->now)
		fake_bad(p, "timer stays expired", p->completed);
}
