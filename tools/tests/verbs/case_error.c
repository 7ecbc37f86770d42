// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Bad input gives the completion status the IBTA specification names, at both
 * ends, then a flushed queue, never silence and never a stray byte.
 */
#include <string.h>

#include "pair.h"

enum fault {
	LKEY_BAD,
	LKEY_AFTER, /* ends past the MR */
	LKEY_BEFORE, /* starts before it */
	LKEY_WRAP, /* address + length overflows */
	LKEY_PD, /* MR of another protection domain */
	LKEY_DEREG, /* key of a deregistered MR */
	LKEY_RDONLY, /* no LOCAL_WRITE where the data goes */
	RKEY_BAD,
	RKEY_AFTER,
	RKEY_BEFORE,
	RKEY_WRAP,
	RKEY_PD,
	RKEY_DEREG,
	RKEY_ACCESS, /* MR without the remote right */
	QP_ACCESS, /* QP without the remote right */
	RECV_LKEY,
	RECV_AFTER,
	RECV_PD,
	RECV_RDONLY,
	RECV_SHORT,
	RECV_EMPTY,
};

/* What the responder's receive completes with. A request that needs none, or is refused
 * before one is taken for it: flushed. The fault is at the requester alone, of which the
 * responder never hears: not at all.
 */
#define FLUSHED IBV_WC_WR_FLUSH_ERR
#define UNTOUCHED IBV_WC_SUCCESS

struct err_case {
	enum ibv_wr_opcode op;
	enum fault fault;
	uint32_t len;
	enum ibv_wc_status requester, responder;
};

/* Where the bad operation reads and writes; the bytes there must survive. */
#define TARGET 65536
/* A second MR for faults about one. */
#define MR_X 1

static void need_mr(struct ep *ep, struct ep_mr *x, int access, int pd, bool dereg)
{
	*x = ep_mr(ep, MR_X, 16384, access, pd);
	if (dereg)
		ep_dereg_mr(ep, MR_X);
}

static void break_local(struct pair *p, struct ep_wr *wr, enum fault f)
{
	struct ibv_sge *sge = &wr->sge[0];
	struct ep_mr x;

	switch (f) {
	case LKEY_BAD:
		sge->lkey ^= 0x5a00;
		return;
	case LKEY_AFTER:
		sge->addr = p->ma.addr + p->ma.len - sge->length + 1;
		return;
	case LKEY_BEFORE:
		sge->addr = p->ma.addr - 1;
		return;
	case LKEY_WRAP:
		sge->addr = ~0ULL - sge->length / 2;
		return;
	case LKEY_PD:
		need_mr(p->a, &x, MR_ALL, 1, false);
		break;
	case LKEY_DEREG:
		need_mr(p->a, &x, MR_ALL, 0, true);
		break;
	case LKEY_RDONLY:
		need_mr(p->a, &x, 0, 0, false);
		break;
	default:
		return;
	}
	sge->addr = x.addr;
	sge->lkey = x.lkey;
}

static void break_remote(struct pair *p, struct ep_wr *wr, enum fault f)
{
	struct ep_mr x;

	switch (f) {
	case RKEY_BAD:
		wr->rkey ^= 0x5a00;
		return;
	case RKEY_AFTER:
		wr->raddr = p->mb.addr + p->mb.len - wr->sge[0].length + 1;
		return;
	case RKEY_BEFORE:
		wr->raddr = p->mb.addr - 1;
		return;
	case RKEY_WRAP:
		wr->raddr = ~0ULL - wr->sge[0].length / 2;
		return;
	case RKEY_PD:
		need_mr(p->b, &x, MR_ALL, 1, false);
		break;
	case RKEY_DEREG:
		need_mr(p->b, &x, MR_ALL, 0, true);
		break;
	case RKEY_ACCESS:
		/* The other remote right only. */
		need_mr(p->b, &x,
			IBV_ACCESS_LOCAL_WRITE |
				(wr->opcode == IBV_WR_RDMA_READ ? IBV_ACCESS_REMOTE_WRITE :
								  IBV_ACCESS_REMOTE_READ),
			0, false);
		break;
	default:
		return;
	}
	wr->raddr = x.addr;
	wr->rkey = x.rkey;
}

static void break_recv(struct pair *p, struct ep_wr *wr, enum fault f)
{
	struct ibv_sge *sge = &wr->sge[0];
	struct ep_mr x;

	switch (f) {
	case RECV_LKEY:
		sge->lkey ^= 0x5a00;
		return;
	case RECV_AFTER:
		sge->addr = p->mb.addr + p->mb.len - 1;
		return;
	case RECV_SHORT:
		sge->length--;
		return;
	case RECV_EMPTY:
		wr->nsge = 0;
		return;
	case RECV_PD:
		need_mr(p->b, &x, MR_ALL, 1, false);
		break;
	case RECV_RDONLY:
		need_mr(p->b, &x, 0, 0, false);
		break;
	default:
		return;
	}
	sge->addr = x.addr;
	sge->lkey = x.lkey;
}

/* The good message before the bad one completes on both sides. */
static void expect_good_first(struct pair *p)
{
	expect_recv(p->b, CQ_RECV, 100, IBV_WR_SEND, 16, 0);
	expect_send(p->a, CQ_SEND, 1, IBV_WR_SEND);
}

static void expect_responder(struct pair *p, const struct err_case *t)
{
	if (t->responder == UNTOUCHED) {
		expect_none(p->b, CQ_RECV, 50, "the fault was the requester's");
		expect_state(p->b, QP_0, IBV_QPS_RTS);
		return;
	}
	expect_wc(p->b, CQ_RECV, 101, t->responder);
	expect_wc(p->b, CQ_RECV, 102, IBV_WC_WR_FLUSH_ERR);
	expect_state(p->b, QP_0, IBV_QPS_ERR);
}

static void run_error(struct env *e, const void *arg)
{
	const struct err_case *t = arg;
	struct pair_opts o = pair_defaults;
	struct ep_wr wr[4], rwr[3];
	struct pair p;

	if (t->fault == QP_ACCESS)
		o.conn.access_b = t->op == IBV_WR_RDMA_READ ? IBV_ACCESS_REMOTE_WRITE :
							      IBV_ACCESS_REMOTE_READ;
	o.conn.mtu = IBV_MTU_256;
	pair_open(&p, e, &o);
	ep_fill(p.b, &p.mb, 0, p.mb.len, KEY_POISON);
	for (unsigned int i = 0; i < ARRAY_SIZE(rwr); i++)
		rwr[i] = wr_recv(100 + i, &p.mb, 4096 * i, t->len > 16 ? t->len : 16);
	if (t->fault >= RECV_LKEY)
		rwr[1].sge[0].length = t->len;
	break_recv(&p, &rwr[1], t->fault);
	ep_recv(p.b, QP_0, rwr, ARRAY_SIZE(rwr));

	wr[0] = wr_op(1, IBV_WR_SEND, &p.ma, 0, 16, NULL, 0);
	wr[1] = wr_op(2, t->op, &p.ma, 1000, t->len, &p.mb, TARGET);
	break_local(&p, &wr[1], t->fault);
	break_remote(&p, &wr[1], t->fault);
	/* The fence keeps what follows a bad READ from overtaking its failure. */
	wr[2] = wr_op(3, IBV_WR_SEND, &p.ma, 0, 16, NULL, 0);
	wr[2].flags |= IBV_SEND_FENCE;
	wr[3] = wr_op(4, IBV_WR_RDMA_WRITE, &p.ma, 0, 16, &p.mb, TARGET);
	ep_send(p.a, QP_0, wr, ARRAY_SIZE(wr));

	rvt_step("good message before the bad one");
	expect_good_first(&p);
	rvt_step("the bad one at the requester");
	expect_wc(p.a, CQ_SEND, 2, t->requester);
	rvt_step("flush of what follows");
	expect_wc(p.a, CQ_SEND, 3, IBV_WC_WR_FLUSH_ERR);
	expect_wc(p.a, CQ_SEND, 4, IBV_WC_WR_FLUSH_ERR);
	expect_state(p.a, QP_0, IBV_QPS_ERR);
	rvt_step("the responder");
	expect_responder(&p, t);
	ep_verify_at(p.b, &p.mb, TARGET, p.mb.len - TARGET, KEY_POISON, TARGET,
		     "memory the bad operation aimed at");
	expect_none(p.a, CQ_SEND, 20, "everything had completed");
}

/* Work posted to a QP already in the error state is flushed. */
static void post_in_error(struct env *e, const void *arg)
{
	struct ep_wr wr, rwr;
	struct pair p;

	(void)arg;
	pair_open(&p, e, &pair_defaults);
	set_state(p.a, QP_0, IBV_QPS_ERR);
	wr = wr_op(1, IBV_WR_SEND, &p.ma, 0, 16, NULL, 0);
	rvt_step("send posted in ERR");
	ep_send(p.a, QP_0, &wr, 1);
	expect_wc(p.a, CQ_SEND, 1, IBV_WC_WR_FLUSH_ERR);
	rvt_step("receive posted in ERR");
	rwr = wr_recv(2, &p.ma, 0, 16);
	ep_recv(p.a, QP_0, &rwr, 1);
	expect_wc(p.a, CQ_RECV, 2, IBV_WC_WR_FLUSH_ERR);
}

/* Sends before RTS are refused. */
static void post_send_state(struct env *e, const void *arg)
{
	const struct conn *c = &pair_defaults.conn;
	struct ibv_qp_attr attr;
	struct pair p;
	struct ep_wr wr;
	int mask;

	(void)arg;
	pair_create(&p, e, &pair_defaults);
	wr = wr_op(1, IBV_WR_SEND, &p.ma, 0, 16, NULL, 0);
	CHECK(ep_try_send(p.a, QP_0, &wr, 1), "a send was accepted in RESET");
	set_state(p.a, QP_0, IBV_QPS_RESET);
	mask = attr_init(&attr, QP_ALL);
	ep_modify(p.a, QP_0, &attr, mask);
	CHECK(ep_try_send(p.a, QP_0, &wr, 1), "a send was accepted in INIT");
	mask = attr_rtr(&attr, c, p.a, p.b, p.qpn_b, 0);
	ep_modify(p.a, QP_0, &attr, mask);
	CHECK(ep_try_send(p.a, QP_0, &wr, 1), "a send was accepted in RTR");
}

/* Moving a QP to ERR completes what it holds, in order, each once. */
static void flush_outstanding(struct env *e, const void *arg)
{
	struct ep_wr wr[20], rwr[30];
	struct pair p;

	(void)arg;
	pair_open(&p, e, &pair_defaults);
	for (unsigned int i = 0; i < ARRAY_SIZE(rwr); i++)
		rwr[i] = wr_recv(100 + i, &p.ma, 0, 64);
	ep_recv(p.a, QP_0, rwr, ARRAY_SIZE(rwr));
	for (unsigned int i = 0; i < ARRAY_SIZE(wr); i++)
		wr[i] = wr_op(i, IBV_WR_SEND, &p.ma, 0, 64, NULL, 0);
	/* b has no receive: nothing can complete. */
	ep_send(p.a, QP_0, wr, ARRAY_SIZE(wr));
	set_state(p.a, QP_0, IBV_QPS_ERR);
	for (unsigned int i = 0; i < ARRAY_SIZE(wr); i++)
		expect_wc(p.a, CQ_SEND, i, IBV_WC_WR_FLUSH_ERR);
	for (unsigned int i = 0; i < ARRAY_SIZE(rwr); i++)
		expect_wc(p.a, CQ_RECV, 100 + i, IBV_WC_WR_FLUSH_ERR);
	expect_none(p.a, CQ_SEND, 50, "flushed twice");
	expect_none(p.a, CQ_RECV, 50, "flushed twice");
}

/* Unsignaled work is reported too when it fails. */
static void unsignaled_error(struct env *e, const void *arg)
{
	struct ep_wr wr[3];
	struct pair p;

	(void)arg;
	pair_open(&p, e, &pair_defaults);
	for (unsigned int i = 0; i < ARRAY_SIZE(wr); i++) {
		wr[i] = wr_op(i, IBV_WR_RDMA_WRITE, &p.ma, 0, 64, &p.mb, 0);
		wr[i].flags = 0;
	}
	wr[1].rkey ^= 0x100;
	ep_send(p.a, QP_0, wr, ARRAY_SIZE(wr));
	expect_wc(p.a, CQ_SEND, 1, IBV_WC_REM_ACCESS_ERR);
	expect_wc(p.a, CQ_SEND, 2, IBV_WC_WR_FLUSH_ERR);
}

/**
 * struct forged - a work request that no library posts
 * @op: what it says
 * @flags: besides SIGNALED
 * @nsge: it says it has so many SGEs; 0: one
 * @beyond: inline bytes more than the queue takes
 * @uc: on an unreliable connection
 * @status: what it completes with
 */
struct forged {
	uint32_t op;
	uint32_t flags;
	uint32_t nsge;
	uint32_t beyond;
	bool uc;
	enum ibv_wc_status status;
};

static void forged(struct env *e, const void *arg)
{
	const struct forged *t = arg;
	struct pair_opts o = pair_defaults;
	struct ep_wr wr, rwr;
	struct pair p;

	o.ring = true;
	o.conn.uc = t->uc;
	o.inline_len = 64;
	pair_open(&p, e, &o);
	ep_fill(p.a, &p.ma, 0, p.ma.len, KEY_POISON);
	ep_fill(p.b, &p.mb, 0, p.mb.len, KEY_POISON);
	rwr = wr_recv(100, &p.mb, 0, 64);
	ep_recv(p.b, QP_0, &rwr, 1);
	wr = wr_op(1, t->op, &p.ma, 0, 8, &p.mb, TARGET);
	wr.ring = true;
	wr.flags |= t->flags;
	wr.nsge = t->nsge ? t->nsge : 1;
	wr.ring_len = t->beyond ? p.cap_a.max_inline_data + t->beyond : 8;
	ep_send(p.a, QP_0, &wr, 1);
	expect_wc(p.a, CQ_SEND, 1, t->status);
	/* With nobody to tell, a fault stops the send queue alone (IBTA 10.3.1.5) */
	expect_state(p.a, QP_0, t->uc ? IBV_QPS_SQE : IBV_QPS_ERR);
	expect_none(p.b, CQ_RECV, 50, "the fault was the requester's");
	expect_state(p.b, QP_0, IBV_QPS_RTS);
	ep_verify(p.b, &p.mb, 0, p.mb.len, KEY_POISON, "memory of the responder");
	ep_verify(p.a, &p.ma, 0, p.ma.len, KEY_POISON, "memory of the requester");
}

/* A receive that says it has more SGEs than its queue takes */
static void forged_recv(struct env *e, const void *arg)
{
	struct pair_opts o = pair_defaults;
	struct ep_wr wr, rwr;
	struct pair p;

	o.ring = true;
	pair_open(&p, e, &o);
	ep_fill(p.b, &p.mb, 0, p.mb.len, KEY_POISON);
	rwr = wr_recv(100, &p.mb, 0, 64);
	rwr.ring = true;
	rwr.nsge = *(const uint32_t *)arg;
	ep_recv(p.b, QP_0, &rwr, 1);
	wr = wr_op(1, IBV_WR_SEND, &p.ma, 0, 8, NULL, 0);
	ep_send(p.a, QP_0, &wr, 1);
	expect_wc(p.a, CQ_SEND, 1, IBV_WC_REM_OP_ERR);
	expect_wc(p.b, CQ_RECV, 100, IBV_WC_LOC_QP_OP_ERR);
	expect_state(p.a, QP_0, IBV_QPS_ERR);
	expect_state(p.b, QP_0, IBV_QPS_ERR);
	ep_verify(p.b, &p.mb, 0, p.mb.len, KEY_POISON, "memory of the responder");
}

#define FORGED(label, ...)                                                  \
	{                                                                   \
		.name = label, .run = forged, .arg = &(const struct forged) \
		{                                                           \
			__VA_ARGS__                                         \
		}                                                           \
	}
#define BAD_OP IBV_WC_LOC_QP_OP_ERR
#define REG_MR 0x20 /* kernel users' */
#define READ_INV 11 /* kernel users' */

#define ERR(label, wr_op, what, bytes, req, resp)                                            \
	{                                                                                    \
		.name = "error." label, .run = run_error, .arg = &(const struct err_case)    \
		{                                                                            \
			.op = wr_op, .fault = what, .len = bytes, .requester = IBV_WC_##req, \
			.responder = resp                                                    \
		}                                                                            \
	}

#define SEND IBV_WR_SEND
#define WRITE IBV_WR_RDMA_WRITE
#define WRITE_IMM IBV_WR_RDMA_WRITE_WITH_IMM
#define READ IBV_WR_RDMA_READ

static const uint32_t sges_33 = 33, sges_wrap = 1u << 28;

static const struct rvt_case cases[] = {
	ERR("send_bad_lkey", SEND, LKEY_BAD, 100, LOC_PROT_ERR, UNTOUCHED),
	ERR("send_past_end", SEND, LKEY_AFTER, 100, LOC_PROT_ERR, UNTOUCHED),
	ERR("send_before_start", SEND, LKEY_BEFORE, 100, LOC_PROT_ERR, UNTOUCHED),
	ERR("send_wrapping", SEND, LKEY_WRAP, 100, LOC_PROT_ERR, UNTOUCHED),
	ERR("send_other_pd", SEND, LKEY_PD, 100, LOC_PROT_ERR, UNTOUCHED),
	ERR("send_dereg", SEND, LKEY_DEREG, 100, LOC_PROT_ERR, UNTOUCHED),
	ERR("write_bad_lkey", WRITE, LKEY_BAD, 100, LOC_PROT_ERR, UNTOUCHED),
	ERR("read_bad_lkey", READ, LKEY_BAD, 100, LOC_PROT_ERR, UNTOUCHED),
	ERR("read_past_end", READ, LKEY_AFTER, 600, LOC_PROT_ERR, UNTOUCHED),
	ERR("read_into_read_only", READ, LKEY_RDONLY, 100, LOC_PROT_ERR, UNTOUCHED),
	ERR("write_bad_rkey", WRITE, RKEY_BAD, 100, REM_ACCESS_ERR, FLUSHED),
	ERR("write_bad_rkey_long", WRITE, RKEY_BAD, 3000, REM_ACCESS_ERR, FLUSHED),
	ERR("write_past_end", WRITE, RKEY_AFTER, 100, REM_ACCESS_ERR, FLUSHED),
	ERR("write_past_end_long", WRITE, RKEY_AFTER, 3000, REM_ACCESS_ERR, FLUSHED),
	ERR("write_before_start", WRITE, RKEY_BEFORE, 100, REM_ACCESS_ERR, FLUSHED),
	ERR("write_wrapping", WRITE, RKEY_WRAP, 100, REM_ACCESS_ERR, FLUSHED),
	ERR("write_other_pd", WRITE, RKEY_PD, 100, REM_ACCESS_ERR, FLUSHED),
	ERR("write_dereg", WRITE, RKEY_DEREG, 100, REM_ACCESS_ERR, FLUSHED),
	ERR("write_mr_denied", WRITE, RKEY_ACCESS, 100, REM_ACCESS_ERR, FLUSHED),
	ERR("write_qp_denied", WRITE, QP_ACCESS, 100, REM_INV_REQ_ERR, FLUSHED),
	ERR("write_imm_bad_rkey", WRITE_IMM, RKEY_BAD, 100, REM_ACCESS_ERR, IBV_WC_LOC_ACCESS_ERR),
	ERR("write_imm_qp_denied", WRITE_IMM, QP_ACCESS, 100, REM_INV_REQ_ERR, FLUSHED),
	ERR("read_bad_rkey", READ, RKEY_BAD, 100, REM_ACCESS_ERR, FLUSHED),
	ERR("read_past_end_remote", READ, RKEY_AFTER, 3000, REM_ACCESS_ERR, FLUSHED),
	ERR("read_wrapping", READ, RKEY_WRAP, 100, REM_ACCESS_ERR, FLUSHED),
	ERR("read_other_pd", READ, RKEY_PD, 100, REM_ACCESS_ERR, FLUSHED),
	ERR("read_mr_denied", READ, RKEY_ACCESS, 100, REM_ACCESS_ERR, FLUSHED),
	ERR("read_qp_denied", READ, QP_ACCESS, 100, REM_INV_REQ_ERR, FLUSHED),
	ERR("recv_bad_lkey", SEND, RECV_LKEY, 100, REM_OP_ERR, IBV_WC_LOC_PROT_ERR),
	ERR("recv_past_end", SEND, RECV_AFTER, 100, REM_OP_ERR, IBV_WC_LOC_PROT_ERR),
	ERR("recv_other_pd", SEND, RECV_PD, 100, REM_OP_ERR, IBV_WC_LOC_PROT_ERR),
	ERR("recv_read_only", SEND, RECV_RDONLY, 100, REM_OP_ERR, IBV_WC_LOC_PROT_ERR),
	ERR("recv_too_small", SEND, RECV_SHORT, 100, REM_INV_REQ_ERR, IBV_WC_LOC_LEN_ERR),
	ERR("recv_too_small_long", SEND, RECV_SHORT, 3000, REM_INV_REQ_ERR, IBV_WC_LOC_LEN_ERR),
	ERR("recv_no_sge", SEND, RECV_EMPTY, 100, REM_INV_REQ_ERR, IBV_WC_LOC_LEN_ERR),
	{ .name = "error.post_in_error", .run = post_in_error },
	{ .name = "error.post_send_before_rts", .run = post_send_state },
	{ .name = "error.flush_outstanding", .run = flush_outstanding },
	FORGED("error.unknown_op", 99, 0, 0, 0, false, BAD_OP),
	FORGED("error.largest_op", ~0u, 0, 0, 0, false, BAD_OP),
	FORGED("error.kernels_reg_mr", REG_MR, 0, 0, 0, false, BAD_OP),
	FORGED("error.kernels_read_inv", READ_INV, 0, 0, 0, false, BAD_OP),
	FORGED("error.inline_read", READ, IBV_SEND_INLINE, 0, 0, false, BAD_OP),
	FORGED("error.inline_too_long", SEND, IBV_SEND_INLINE, 0, 1, false, IBV_WC_LOC_LEN_ERR),
	FORGED("error.inline_huge", SEND, IBV_SEND_INLINE, 0, 1 << 30, false, IBV_WC_LOC_LEN_ERR),
	FORGED("error.too_many_sges", SEND, 0, 33, 0, false, BAD_OP),
	FORGED("error.sges_wrap", SEND, 0, 1u << 28, 0, false, BAD_OP),
	FORGED("uc.no_read", READ, 0, 0, 0, true, BAD_OP),
	FORGED("uc.no_cmp_swap", IBV_WR_ATOMIC_CMP_AND_SWP, 0, 0, 0, true, BAD_OP),
	FORGED("uc.no_fetch_add", IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 0, 0, true, BAD_OP),
	FORGED("uc.no_atomic_write", IBV_WR_ATOMIC_WRITE, 0, 0, 0, true, BAD_OP),
	FORGED("uc.no_send_inv", IBV_WR_SEND_WITH_INV, 0, 0, 0, true, BAD_OP),
	FORGED("uc.no_flush", WR_FLUSH, 0, 0, 0, true, BAD_OP),
	{ .name = "error.recv_too_many_sges", .run = forged_recv, .arg = &sges_33 },
	{ .name = "error.recv_sges_wrap", .run = forged_recv, .arg = &sges_wrap },
	{ .name = "error.unsignaled", .run = unsignaled_error },
};

const struct rvt_case_list rvt_error_cases = { cases, ARRAY_SIZE(cases) };
