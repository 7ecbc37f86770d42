// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Unreliable connections: data of every length; a message that cannot be taken is
 * lost alone, nobody is told, and the next one arrives (IBTA 9.8.2.2).
 */
#include "pair.h"

#define SRC 8192
#define DST 16384

static void open_uc(struct pair *p, struct env *e, unsigned int mtu, int access_b)
{
	struct pair_opts o = pair_defaults;

	o.conn.uc = true;
	o.conn.mtu = mtu_enum(mtu);
	o.conn.access_b = access_b;
	pair_open(p, e, &o);
}

/* Both ends are as they were, and a SEND arrives. */
static void lives_on(struct pair *p)
{
	rvt_step("the next message");
	expect_state(p->a, QP_0, IBV_QPS_RTS);
	expect_state(p->b, QP_0, IBV_QPS_RTS);
	transfer(p->a, p->b, &p->ma, &p->mb, IBV_WR_SEND, 5000, SRC, DST, 77);
}

/**
 * struct uc_op - an operation at a path MTU
 * @op: it ends with a completion at the receiver, or is a WRITE
 * @mtu: bytes
 */
struct uc_op {
	enum ibv_wr_opcode op;
	unsigned int mtu;
};

static void sizes(struct env *e, const void *arg)
{
	const struct uc_op *t = arg;
	const unsigned int m = t->mtu;
	const unsigned int len[] = { 0, 1, m - 1, m, m + 1, 2 * m, 3 * m + 2, 16 * m };
	struct pair p;

	open_uc(&p, e, m, QP_ALL);
	for (size_t i = 0; i < ARRAY_SIZE(len); i++) {
		transfer(p.a, p.b, &p.ma, &p.mb, t->op, len[i], SRC, DST, 100 + i);
		transfer(p.b, p.a, &p.mb, &p.ma, t->op, len[i], SRC, DST, 200 + i);
	}
}

/* WRITEs tell nobody: a SEND behind each says that it is there. */
static void write_sizes(struct env *e, const void *arg)
{
	const unsigned int m = ((const struct uc_op *)arg)->mtu;
	const unsigned int len[] = { 0, 1, m - 1, m, m + 1, 2 * m, 3 * m + 2, 16 * m };
	struct ep_wr wr;
	struct pair p;

	open_uc(&p, e, m, QP_ALL);
	ep_fill(p.b, &p.mb, 0, p.mb.len, KEY_POISON);
	for (size_t i = 0; i < ARRAY_SIZE(len); i++) {
		rvt_step("WRITE of %u bytes", len[i]);
		ep_fill(p.a, &p.ma, SRC, len[i], i);
		wr = wr_op(i, IBV_WR_RDMA_WRITE, &p.ma, SRC, len[i], &p.mb, DST);
		ep_send(p.a, QP_0, &wr, 1);
		expect_send(p.a, CQ_SEND, i, IBV_WR_RDMA_WRITE);
		pair_sync(&p);
		ep_verify(p.b, &p.mb, DST, len[i], i, "what was written");
		ep_verify(p.b, &p.mb, 0, DST, KEY_POISON, "bytes before it");
		ep_verify_at(p.b, &p.mb, DST + len[i], 8192, KEY_POISON, DST + len[i],
			     "bytes after it");
	}
}

static void no_receive(struct env *e, const void *arg)
{
	struct ep_wr wr;
	struct pair p;

	(void)arg;
	open_uc(&p, e, 256, QP_ALL);
	for (unsigned int i = 0; i < 3; i++) {
		wr = wr_op(i, i ? IBV_WR_SEND : IBV_WR_SEND_WITH_IMM, &p.ma, 0, 1 + 1000 * i, NULL,
			   0);
		ep_send(p.a, QP_0, &wr, 1);
		expect_send(p.a, CQ_SEND, i, wr.opcode);
	}
	expect_none(p.b, CQ_RECV, 50, "there was no receive");
	lives_on(&p);
}

/* What the receiver does not allow is lost, with not a byte written. */
static void refused(struct env *e, const void *arg)
{
	bool denied = *(const bool *)arg;
	struct ep_wr wr;
	struct pair p;

	open_uc(&p, e, 256, denied ? 0 : QP_ALL);
	ep_fill(p.b, &p.mb, 0, 8192, KEY_POISON);
	wr = wr_op(1, IBV_WR_RDMA_WRITE, &p.ma, 0, 3000, &p.mb, 0);
	if (!denied)
		wr.rkey ^= 0x100;
	ep_send(p.a, QP_0, &wr, 1);
	expect_send(p.a, CQ_SEND, 1, IBV_WR_RDMA_WRITE);
	rvt_sleep_ms(50);
	ep_verify(p.b, &p.mb, 0, 8192, KEY_POISON, "memory of the receiver");
	lives_on(&p);
}

#define UC_RUN(label, how, wr_op, bytes)                                  \
	{                                                                 \
		.name = "uc." label "." #bytes, .run = how, .mtu = bytes, \
		.arg = &(const struct uc_op)                              \
		{                                                         \
			.op = wr_op, .mtu = bytes                         \
		}                                                         \
	}

#define UC(label, wr_op, bytes) UC_RUN(label, sizes, wr_op, bytes)
#define UC_WRITE(bytes) UC_RUN("write", write_sizes, IBV_WR_RDMA_WRITE, bytes)

static const struct rvt_case cases[] = {
	UC("send", IBV_WR_SEND, 256),
	UC("send", IBV_WR_SEND, 1024),
	UC("send", IBV_WR_SEND, 4096),
	UC("send_imm", IBV_WR_SEND_WITH_IMM, 1024),
	UC("send", IBV_WR_SEND, 2048),
	UC_WRITE(256),
	UC_WRITE(1024),
	UC_WRITE(2048),
	UC_WRITE(4096),
	UC("write_imm", IBV_WR_RDMA_WRITE_WITH_IMM, 256),
	UC("write_imm", IBV_WR_RDMA_WRITE_WITH_IMM, 1024),
	UC("write_imm", IBV_WR_RDMA_WRITE_WITH_IMM, 4096),
	{ .name = "uc.no_receive", .run = no_receive },
	{ .name = "uc.bad_rkey", .run = refused, .arg = &(const bool){ false } },
	{ .name = "uc.denied", .run = refused, .arg = &(const bool){ true } },
};

const struct rvt_case_list rvt_uc_cases = { cases, ARRAY_SIZE(cases) };
