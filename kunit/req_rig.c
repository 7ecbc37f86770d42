// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "req_rig.h"

#include <asm/byteorder.h>

/**
 * req_rig_init() - .init of the suites that use the rig
 * @test: the case
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int req_rig_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct req_rig), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

/**
 * req_rig() - the rig, with a fresh requester
 * @test: the case
 * @transport: RC, UC or UD
 * @psn: first PSN
 *
 * Context: any.
 * Return: the rig.
 */
struct req_rig *req_rig(struct kunit *test, enum rxe_transport transport,
			u32 psn)
{
	struct req_rig *r = test->priv;

	memset(r, 0, sizeof(*r));
	r->now = 1000000;
	r->req = (struct rxe_req){
		.transport = transport,
		.mtu = 256,
		.dest_qpn = 0x22,
		.src_qpn = 0x11,
		.timeout_ns = RIG_TIMEOUT,
		.retry_cnt = 3,
		.rnr_retry = 3,
		.max_rd_atomic = 2,
		.read_psns = RXE_GOT_PSNS,
		.window = 128,
		.window_max = 2048,
		.wqes = r->slots,
		.mask = RIG_SLOTS - 1,
		.stride = RIG_SLOT_BYTES,
	};
	rxe_req_reset(&r->req, psn);
	return r;
}

/**
 * req_post() - post a work request
 * @r: the rig, with a free slot
 * @op: enum rxe_wr_op
 * @length: message bytes
 * @flags: RXE_WR_*
 *
 * Context: any.
 * Return: its record, which the caller may change until it is sent.
 */
struct rxe_swqe *req_post(struct req_rig *r, u8 op, u32 length, u8 flags)
{
	struct rxe_swqe *w = rxe_req_fetch_slot(&r->req);

	memset(w, 0, sizeof(*w));
	w->wr_id = r->posted++;
	w->op = op;
	w->length = length;
	w->flags = flags;
	w->remote_addr = RIG_VA;
	w->rkey = RIG_RKEY;
	w->inv_rkey = RIG_INV;
	w->imm = cpu_to_be32(RIG_IMM);
	w->swap_add = RIG_SWAP;
	w->compare = RIG_COMPARE;
	w->remote_qpn = RIG_UD_QPN;
	rxe_req_fetched(&r->req);
	return w;
}

/**
 * req_send() - send all that may be sent, into @r->pkt
 * @r: the rig
 * @max_pkts: longest run
 *
 * Context: any.
 */
void req_send(struct req_rig *r, u32 max_pkts)
{
	enum rxe_req_verdict verdict;
	struct rxe_req_run run;
	u32 i;

	r->n = 0;
	for (;;) {
		verdict = rxe_req_next(&r->req, r->now, max_pkts, &run);
		if (verdict == RXE_REQ_LOCAL) {
			r->locals++;
			rxe_req_done(&r->req, run.w, RXE_ST_SUCCESS);
			continue;
		}
		if (verdict != RXE_REQ_SEND || r->n + run.n > RIG_PACKETS)
			return;
		for (i = 0; i < run.n; i++, r->n++)
			rxe_req_pkt(&r->req, &run, i, &r->pkt[r->n],
				    &r->offset[r->n]);
		rxe_req_sent(&r->req, &run, run.n, r->now);
	}
}

/**
 * req_ack() - an Acknowledge arrives
 * @r: the rig; @r->plan tells what came of it
 * @psn: its PSN
 * @syndrome: its syndrome
 *
 * Context: any.
 */
void req_ack(struct req_rig *r, u32 psn, u8 syndrome)
{
	struct rxe_pkt pkt;

	rxe_pkt_init(&pkt, 0x11, 0x11, psn);
	pkt.syndrome = syndrome;
	rxe_req_ack(&r->req, &pkt, r->now, &r->plan);
}

/**
 * req_response() - a READ response or atomic ACK arrives
 * @r: the rig; @r->plan tells what came of it
 * @opcode: its opcode
 * @psn: its PSN
 * @bytes: its payload
 *
 * Context: any.
 */
void req_response(struct req_rig *r, u8 opcode, u32 psn, u32 bytes)
{
	struct rxe_pkt pkt;

	rxe_pkt_init(&pkt, opcode, 0x11, psn);
	rxe_pkt_set_payload(&pkt, bytes);
	pkt.syndrome = 0x1f;
	rxe_req_ack(&r->req, &pkt, r->now, &r->plan);
}

/**
 * req_timer() - advance the time to the deadline and let the timer run
 * @r: the rig; @r->plan tells what came of it
 *
 * Context: any.
 */
void req_timer(struct req_rig *r)
{
	u64 deadline = rxe_req_deadline(&r->req);

	r->now = max(r->now, deadline);
	rxe_req_timeout(&r->req, r->now, &r->plan);
}

/**
 * req_finished() - retire what is finished
 * @r: the rig; @r->status is that of the last
 *
 * Context: any.
 * Return: how many there were.
 */
u32 req_finished(struct req_rig *r)
{
	struct rxe_swqe *w;
	u32 n = 0;

	while ((w = rxe_req_oldest(&r->req))) {
		r->status = w->status;
		rxe_req_retire(&r->req);
		n++;
	}
	return n;
}
