// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The engines against a peer that sends whatever parses, at PSNs that are close
 * to what is expected, and against a data path that fails now and then.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "proto/req.h"
#include "proto/resp.h"
#include "wire/hdr.h"

#define MTU 256
#define STEPS 64
#define SLOTS 8
#define MAX_SGE_BYTES 64

/* A packet with valid headers of one kind and random fields */
static void random_pkt(struct rxe_pkt *pkt, u8 class, u32 kind, u32 psn)
{
	u8 op;

	do {
		op = class | fuzz_below(32);
	} while (!(rxe_opcode[op].flags & kind));

	rxe_pkt_init(pkt, op, 2, psn & RXE_PSN_MASK);
	pkt->ack_req = fuzz_below(2);
	pkt->syndrome = fuzz_below(4) ? fuzz_random() & 0x7f : RXE_NAK_PSN;
	pkt->msn = fuzz_random() & RXE_PSN_MASK;
	pkt->va = fuzz_below(2) ? fuzz_random() : 8 * fuzz_below(1000);
	pkt->rkey = fuzz_below(3);
	switch (fuzz_below(8)) {
	case 0:
		pkt->dmalen = fuzz_random();
		break;
	case 1:
		pkt->dmalen = 0;
		break;
	default:
		pkt->dmalen = fuzz_below(5 * MTU);
		break;
	}
	if (pkt->info->flags & RXE_F_FETH) {
		pkt->flush_plt = fuzz_below(4) ? 1 + fuzz_below(3) : fuzz_below(16);
		pkt->flush_sel = fuzz_below(4) ? fuzz_below(2) : fuzz_below(4);
	}
	if (pkt->info->flags & RXE_F_PAYLOAD)
		rxe_pkt_set_payload(pkt, fuzz_below(3) ? MTU : fuzz_below(MTU + 8));
	if (fuzz_below(4) == 0 && (pkt->info->flags & RXE_F_PAYLOAD))
		rxe_pkt_set_payload(pkt, min_t(u32, pkt->dmalen, MTU));
}

static u32 near(u32 psn)
{
	if (!fuzz_below(16))
		return fuzz_random();
	return psn + fuzz_below(4) - fuzz_below(4);
}

static void stream_read(struct rxe_resp *resp)
{
	u32 budget = 64, i, offset, end;
	struct rxe_read_run run;
	struct rxe_pkt pkt;

	while (budget-- && rxe_resp_read_next(resp, 1 + fuzz_below(8), &run)) {
		FUZZ_EXPECT(run.n > 0 && run.bytes <= run.n * resp->mtu);
		for (end = 0, i = 0; i < run.n; i++) {
			rxe_resp_read_pkt(resp, &run, i, &pkt, &offset);
			FUZZ_EXPECT(offset == end);
			end = offset + pkt.payload_bytes;
			FUZZ_EXPECT(pkt.payload_bytes <= resp->mtu);
			FUZZ_EXPECT(pkt.info->flags & RXE_F_RESPONSE);
		}
		FUZZ_EXPECT(end == run.bytes);
		rxe_resp_read_sent(resp, &run);
	}
	/* As after an error: the rest is never sent */
	resp->reading = false;
}

static void execute(struct rxe_resp *resp, const struct rxe_pkt *pkt,
		    const struct rxe_rx_plan *plan, u32 mtu)
{
	u32 msn = resp->msn;

	FUZZ_EXPECT(resp->transport != RXE_RC || pkt->psn == resp->epsn);
	FUZZ_EXPECT(pkt->payload_bytes <= mtu);
	FUZZ_EXPECT(plan->bytes <= RXE_MAX_DMALEN || plan->what == RXE_DO_SEND);
	if (plan->what == RXE_DO_WRITE)
		FUZZ_EXPECT(pkt->payload_bytes <= plan->bytes);
	if (plan->what == RXE_DO_ATOMIC || plan->what == RXE_DO_ATOMIC_WRITE)
		FUZZ_EXPECT(plan->va % 8 == 0 && plan->bytes == 8);
	if (plan->what == RXE_DO_FLUSH)
		FUZZ_EXPECT(plan->access && !(plan->access & ~RXE_ACC_FLUSH) &&
			    (!plan->whole || !plan->bytes));

	if (plan->need_rwqe && !fuzz_below(8)) {
		rxe_resp_rnr(resp, pkt);
		FUZZ_EXPECT(resp->msn == msn);
		return;
	}
	switch (plan->what) {
	case RXE_DO_SEND:
	case RXE_DO_WRITE:
		FUZZ_EXPECT(plan->offset + pkt->payload_bytes == plan->msg_bytes);
		rxe_resp_done(resp, pkt, plan);
		break;
	case RXE_DO_READ:
		rxe_resp_read_start(resp, pkt, fuzz_below(10));
		stream_read(resp);
		break;
	case RXE_DO_ATOMIC:
		rxe_resp_atomic_done(resp, pkt, RXE_RES_ATOMIC, fuzz_random());
		break;
	case RXE_DO_ATOMIC_WRITE:
		rxe_resp_atomic_done(resp, pkt, RXE_RES_ATOMIC_WRITE, 0);
		break;
	case RXE_DO_FLUSH:
		rxe_resp_atomic_done(resp, pkt, RXE_RES_FLUSH, 0);
		break;
	}
}

void fuzz_resp(void)
{
	static const u8 class[] = { RXE_OP_RC, RXE_OP_UC, RXE_OP_UD };
	struct rxe_resp resp = {
		.transport = fuzz_below(3),
		.mtu = MTU,
		.peer_qpn = 18,
		.access = fuzz_below(16) | fuzz_below(4) << 8,
		.min_rnr_timer = fuzz_below(32),
		.max_res = fuzz_below(4) * fuzz_below(4),
	};
	struct rxe_rx_plan plan;
	struct rxe_pkt pkt;
	int i;

	resp.res = calloc(RXE_MAX_RD_ATOMIC, sizeof(*resp.res));
	if (!resp.res)
		abort();
	rxe_resp_reset(&resp, fuzz_below(2) ? fuzz_random() : -fuzz_below(8));
	for (i = 0; i < STEPS; i++) {
		u32 epsn = resp.epsn;

		random_pkt(&pkt, class[resp.transport], RXE_F_REQUEST,
			   fuzz_below(3) ? epsn : near(epsn));
		rxe_resp_rx(&resp, &pkt, &plan);
		if (plan.verdict == RXE_RX_EXEC)
			execute(&resp, &pkt, &plan, resp.mtu);
		else
			FUZZ_EXPECT(resp.transport != RXE_RC || resp.epsn == epsn);
		if (plan.verdict == RXE_RX_READ || plan.verdict == RXE_RX_ATOMIC)
			FUZZ_EXPECT(plan.res >= resp.res &&
				    plan.res < resp.res + RXE_MAX_RD_ATOMIC);
		if (plan.verdict == RXE_RX_READ) {
			rxe_resp_read_again(&resp, plan.res, &pkt, fuzz_below(10), fuzz_below(10));
			stream_read(&resp);
		}
		FUZZ_EXPECT(resp.epsn <= RXE_PSN_MASK && resp.msn <= RXE_PSN_MASK);
		FUZZ_EXPECT(resp.res_next < RXE_MAX_RD_ATOMIC);
		if (plan.verdict == RXE_RX_FATAL)
			break;
	}
	free(resp.res);
}

static void post(struct rxe_req *req)
{
	static const u8 ops[] = { RXE_WR_WRITE,	    RXE_WR_WRITE_IMM,	RXE_WR_SEND,
				  RXE_WR_SEND_IMM,  RXE_WR_READ,	RXE_WR_CMP_SWAP,
				  RXE_WR_FETCH_ADD, RXE_WR_LOCAL_INV,	RXE_WR_SEND_INV,
				  RXE_WR_FLUSH,	    RXE_WR_ATOMIC_WRITE };
	struct rxe_swqe *w = rxe_req_fetch_slot(req);

	FUZZ_EXPECT(!w == (req->prod - req->cons == SLOTS));
	if (!w)
		return;
	memset(w, 0, sizeof(*w));
	w->op = ops[fuzz_below(req->transport == RXE_RC ? ARRAY_SIZE(ops) : 4)];
	if (req->transport == RXE_UD)
		w->op = RXE_WR_SEND;
	w->flags = fuzz_below(16);
	w->length = fuzz_below(4) ? fuzz_below(6 * MTU) : 0;
	if (w->op == RXE_WR_FLUSH) {
		w->length = fuzz_below(RXE_MAX_DMALEN);
		w->flush_plt = 1 + fuzz_below(3);
		w->flush_sel = fuzz_below(2);
	}
	if (w->op == RXE_WR_CMP_SWAP || w->op == RXE_WR_FETCH_ADD || w->op == RXE_WR_ATOMIC_WRITE)
		w->length = 8;
	if (req->transport == RXE_UD)
		w->length = min_t(u32, w->length, MTU);
	if (!fuzz_below(32)) {
		w->state = RXE_SWQE_DONE;
		w->status = RXE_ST_LOC_QP_OP_ERR;
	}
	rxe_req_fetched(req);
}

/* False when the queue is to stop */
static bool transmit(struct rxe_req *req, u64 now)
{
	struct rxe_req_run run;
	struct rxe_pkt pkt;
	u32 i, offset;

	switch (rxe_req_next(req, now, 1 + fuzz_below(8), &run)) {
	case RXE_REQ_SEND:
		FUZZ_EXPECT(run.n > 0 && run.n <= 8);
		for (i = 0; i < run.n; i++) {
			rxe_req_pkt(req, &run, i, &pkt, &offset);
			FUZZ_EXPECT(offset <= run.w->length);
			FUZZ_EXPECT(pkt.payload_bytes <= req->mtu);
			FUZZ_EXPECT(offset + pkt.payload_bytes <= run.w->length);
			FUZZ_EXPECT(pkt.info->flags & RXE_F_REQUEST);
			FUZZ_EXPECT(pkt.psn == rxe_psn_add(run.psn, i));
		}
		rxe_req_sent(req, &run, fuzz_below(run.n + 1), now);
		return true;
	case RXE_REQ_LOCAL:
		if (!fuzz_below(8)) {
			rxe_req_done(req, run.w, RXE_ST_MW_BIND_ERR);
			return false;
		}
		rxe_req_done(req, run.w, RXE_ST_SUCCESS);
		return true;
	default:
		return true;
	}
}

static bool answered(struct rxe_req *req, u64 now)
{
	struct rxe_ack_plan plan;
	struct rxe_pkt pkt;
	u32 una = req->una;

	random_pkt(&pkt, RXE_OP_RC, RXE_F_RESPONSE,
		   una + (fuzz_below(8) ? fuzz_below(8) : fuzz_random()));
	rxe_req_ack(req, &pkt, now, &plan);
	if (plan.verdict == RXE_ACK_PLACE)
		FUZZ_EXPECT(plan.offset + pkt.payload_bytes <= plan.w->length);
	if (plan.verdict == RXE_ACK_PLACE && !fuzz_below(8)) {
		rxe_req_done(req, plan.w, RXE_ST_LOC_PROT_ERR);
		return false;
	}
	if (plan.verdict == RXE_ACK_DROP)
		FUZZ_EXPECT(req->una == una || !plan.w);
	return plan.verdict != RXE_ACK_FATAL;
}

static bool timed_out(struct rxe_req *req, u64 now)
{
	struct rxe_ack_plan plan;

	rxe_req_timeout(req, now, &plan);
	return plan.verdict != RXE_ACK_FATAL;
}

static bool retire(struct rxe_req *req)
{
	struct rxe_swqe *w;
	bool good = true;

	while ((w = rxe_req_oldest(req))) {
		good = good && w->status == RXE_ST_SUCCESS;
		rxe_req_retire(req);
	}
	return good;
}

static void check(const struct rxe_req *req)
{
	FUZZ_EXPECT(req->cur - req->cons <= req->prod - req->cons);
	FUZZ_EXPECT(req->prod - req->cons <= SLOTS);
	FUZZ_EXPECT(req->rd_atomic <= req->max_rd_atomic);
	FUZZ_EXPECT(req->rd_atomic || !req->rd_psns);
	FUZZ_EXPECT(rxe_psn_sub(req->psn, req->una) <= RXE_PSN_HALF);
	FUZZ_EXPECT(rxe_psn_sub(req->sent_psn, req->una) <= rxe_psn_sub(req->psn, req->una));
	FUZZ_EXPECT(rxe_psn_sub(req->npsn, req->una) <= rxe_psn_sub(req->psn, req->una));
}

void fuzz_req(void)
{
	struct rxe_req req = {
		.transport = fuzz_below(4) ? RXE_RC : fuzz_below(3),
		.mtu = MTU,
		.dest_qpn = 18,
		.src_qpn = 17,
		.timeout_ns = fuzz_below(2) * 1000,
		.retry_cnt = fuzz_below(8),
		.rnr_retry = fuzz_below(8),
		.max_rd_atomic = fuzz_below(4),
		.read_psns = 1 + fuzz_below(40),
		.window = 1 + fuzz_below(16),
		.mask = SLOTS - 1,
		.stride = sizeof(struct rxe_swqe) + MAX_SGE_BYTES,
	};
	bool good = true;
	u64 now = 1;
	int i;

	req.wqes = calloc(SLOTS, req.stride);
	if (!req.wqes)
		abort();
	rxe_req_reset(&req, fuzz_below(2) ? fuzz_random() : -fuzz_below(8));
	for (i = 0; i < STEPS && good; i++) {
		now += fuzz_below(500);
		switch (fuzz_below(5)) {
		case 0:
			post(&req);
			break;
		case 1:
		case 2:
			good = transmit(&req, now);
			break;
		case 3:
			good = answered(&req, now);
			break;
		default:
			good = timed_out(&req, now);
			break;
		}
		check(&req);
		good = retire(&req) && good;
		check(&req);
	}
	rxe_req_flush(&req);
	retire(&req);
	FUZZ_EXPECT(rxe_req_idle(&req) && !req.rd_atomic && !req.rd_psns);
	free(req.wqes);
}
