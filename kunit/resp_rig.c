// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "resp_rig.h"

#include "wire/hdr.h"

/**
 * resp_rig_init() - .init of the suites that use the rig
 * @test: the case
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int resp_rig_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct resp_rig), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

/**
 * resp_rig() - the rig, with a fresh responder
 * @test: the case
 * @transport: RC, UC or UD
 * @psn: first PSN
 *
 * Context: any.
 * Return: the rig.
 */
struct resp_rig *resp_rig(struct kunit *test, enum rxe_transport transport,
			  u32 psn)
{
	struct resp_rig *r = test->priv;

	memset(r, 0, sizeof(*r));
	r->kept = RXE_NOT_KEPT;
	r->now = 1000000;
	r->plt = RXE_PLT_GLOBAL;
	r->resp = (struct rxe_resp){
		.transport = transport,
		.mtu = 256,
		.peer_qpn = 0x11,
		.access = RXE_ACC_REMOTE_WRITE | RXE_ACC_REMOTE_READ |
			  RXE_ACC_REMOTE_ATOMIC | RXE_ACC_FLUSH,
		.max_res = 4,
		.res = r->res,
	};
	rxe_resp_reset(&r->resp, psn);
	return r;
}

/**
 * resp_fit() - address and lengths that suit an opcode
 * @r: the rig; the payload is put into @r->fit
 * @opcode: of the next request
 *
 * Context: any.
 */
void resp_fit(struct resp_rig *r, u8 opcode)
{
	u32 flags = rxe_opcode[opcode].flags;

	r->va = 0x1000;
	r->fit = 256;
	r->dmalen = 256;
	if (flags & RXE_F_ATOMIC_WRITE) {
		r->fit = 8;
		r->dmalen = 8;
	} else if (!(flags & RXE_F_PAYLOAD)) {
		r->fit = 0;
	} else if ((flags & RXE_F_WRITE) && !rxe_op_ends(flags)) {
		r->dmalen = 768;
	}
}

static void carry_out(struct resp_rig *r, const struct rxe_pkt *pkt)
{
	const struct rxe_rx_plan *plan = &r->plan;

	if (plan->need_rwqe && r->no_rwqe) {
		r->syndrome = rxe_resp_rnr(&r->resp, pkt);
		return;
	}
	r->executed++;
	switch (plan->what) {
	case RXE_DO_SEND:
	case RXE_DO_WRITE:
		rxe_resp_done(&r->resp, pkt, plan);
		break;
	case RXE_DO_READ:
		rxe_resp_read_start(&r->resp, pkt, r->now);
		break;
	case RXE_DO_ATOMIC:
		rxe_resp_atomic_done(&r->resp, pkt, RXE_RES_ATOMIC,
				     r->executed);
		break;
	case RXE_DO_ATOMIC_WRITE:
		rxe_resp_atomic_done(&r->resp, pkt, RXE_RES_ATOMIC_WRITE, 0);
		break;
	case RXE_DO_FLUSH:
		rxe_resp_atomic_done(&r->resp, pkt, RXE_RES_FLUSH, 0);
		break;
	}
}

/**
 * resp_rx() - a request arrives and is carried out if it may be
 * @r: the rig; @r->plan tells the verdict
 * @opcode: of the request
 * @psn: its PSN
 * @bytes: its payload
 *
 * Context: any.
 */
void resp_rx(struct resp_rig *r, u8 opcode, u32 psn, u32 bytes)
{
	struct rxe_pkt pkt;

	rxe_pkt_init(&pkt, opcode, 0x22, psn);
	rxe_pkt_set_payload(&pkt, bytes);
	if (pkt.info->flags & (RXE_F_RETH | RXE_F_ATOMIC_ETH)) {
		pkt.va = r->va;
		pkt.rkey = r->rkey;
	}
	if (pkt.info->flags & RXE_F_RETH)
		pkt.dmalen = r->dmalen;
	if (pkt.info->flags & RXE_F_FETH) {
		pkt.flush_plt = r->plt;
		pkt.flush_sel = r->sel;
	}
	pkt.ack_req = r->ack_req;
	rxe_resp_rx(&r->resp, &pkt, &r->plan);
	if (r->plan.verdict == RXE_RX_EXEC)
		carry_out(r, &pkt);
	if (r->plan.verdict == RXE_RX_READ)
		rxe_resp_read_again(&r->resp, r->plan.res, &pkt, r->arrived_ns,
				    r->now);
	r->nak = 0;
	if (r->plan.verdict == RXE_RX_AHEAD)
		r->nak = rxe_resp_ahead(&r->resp, &pkt, r->kept, r->now);
}

/**
 * resp_stream() - send the answer to a READ off
 * @r: the rig
 *
 * Context: any.
 */
void resp_stream(struct resp_rig *r)
{
	struct rxe_read_run run;

	while (rxe_resp_read_next(&r->resp, 100, &run))
		rxe_resp_read_sent(&r->resp, &run);
}
