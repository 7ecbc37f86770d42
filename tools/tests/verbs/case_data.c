// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Data arrives byte for byte: every operation, size, path MTU and SGE layout. */
#include <string.h>

#include "pair.h"

struct op_mtu {
	enum ibv_wr_opcode op;
	unsigned int mtu;
};

/* Offsets chosen so that messages start and end inside pages and words. */
#define SRC_OFF 1021
#define DST_OFF 4093

static void run_op(struct env *e, const void *arg)
{
	const struct op_mtu *t = arg;
	const unsigned int m = t->mtu;
	const unsigned int sizes[] = { 0,	  1,	 2,	    3,	       4,     5,
				       m - 1,	  m,	 m + 1,	    2 * m - 1, 2 * m, 2 * m + 1,
				       3 * m + 2, 4 * m, 5 * m + 3, 16 * m,    65536, 65539 };
	struct pair_opts o = pair_defaults;
	struct pair p;

	o.conn.mtu = mtu_enum(m);
	o.mr_access_a |= IBV_ACCESS_MW_BIND;
	o.mr_access_b |= IBV_ACCESS_MW_BIND;
	pair_open(&p, e, &o);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		transfer(p.a, p.b, &p.ma, &p.mb, t->op, sizes[i], SRC_OFF, DST_OFF, 100 + i);
	/* And the other way round on the same QPs. */
	for (size_t i = 0; i < ARRAY_SIZE(sizes) - 2; i++)
		transfer(p.b, p.a, &p.mb, &p.ma, t->op, sizes[i], SRC_OFF, DST_OFF, 200 + i);
}

static void large(struct env *e, const void *arg)
{
	struct pair_opts o = pair_defaults;
	struct pair p;

	(void)arg;
	o.mr_len = 3 << 20;
	pair_open(&p, e, &o);
	transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_SEND, (1 << 20) + 1, SRC_OFF, DST_OFF, 1);
	transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_RDMA_WRITE, (1 << 20) + 2, SRC_OFF, DST_OFF, 2);
	transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_RDMA_READ, (1 << 20) + 3, SRC_OFF, DST_OFF, 3);
}

/* Each end asks for much and has much to say: neither waits for the other. */
static void crossing_reads(struct env *e, const void *arg)
{
	const uint32_t read = 1 << 20, write = 1 << 17;
	struct pair_opts o = pair_defaults;
	struct ep_wr wr[3];
	struct pair p;

	(void)arg;
	o.mr_len = 3 << 20;
	pair_open(&p, e, &o);
	ep_fill(p.a, &p.ma, 0, read, 1);
	ep_fill(p.b, &p.mb, 0, read, 2);
	for (unsigned int round = 0; round < 4; round++) {
		for (unsigned int end = 0; end < 2; end++) {
			const struct ep_mr *own = end ? &p.mb : &p.ma, *far = end ? &p.ma : &p.mb;

			wr[0] = wr_op(0, IBV_WR_RDMA_READ, own, read, read, far, 0);
			wr[1] = wr_op(1, IBV_WR_RDMA_WRITE, own, 0, write, far, 2 * read);
			wr[2] = wr_op(2, IBV_WR_RDMA_WRITE, own, 0, write, far, 2 * read + write);
			ep_send(end ? p.b : p.a, QP_0, wr, ARRAY_SIZE(wr));
		}
		for (unsigned int i = 0; i < ARRAY_SIZE(wr); i++) {
			expect_wc(p.a, CQ_SEND, i, IBV_WC_SUCCESS);
			expect_wc(p.b, CQ_SEND, i, IBV_WC_SUCCESS);
		}
		ep_verify(p.a, &p.ma, read, read, 2, "what a has read");
		ep_verify(p.b, &p.mb, read, read, 1, "what b has read");
	}
}

/* Unequal pieces with gaps between them; the sum is the same on both sides. */
static const unsigned int pieces_a[] = { 1, 1000, 3, 517, 2048, 7, 4097, 64 };
static const unsigned int pieces_b[] = { 13, 4096, 1, 3000, 100, 2, 522, 3 };

static struct ep_wr scatter(uint64_t id, const struct ep_mr *mr, uint32_t base,
			    const unsigned int *len, unsigned int n)
{
	struct ep_wr wr = { .wr_id = id, .nsge = n };

	for (unsigned int i = 0; i < n; i++) {
		wr.sge[i] = sge_of(mr, base, len[i]);
		base += len[i] + 37 + i;
	}
	return wr;
}

static void fill_scatter(struct ep *ep, const struct ep_mr *mr, const struct ep_wr *wr,
			 uint64_t key)
{
	uint64_t off = 0;

	for (unsigned int i = 0; i < wr->nsge; i++) {
		ep_fill_at(ep, mr, wr->sge[i].addr - mr->addr, wr->sge[i].length, key, off);
		off += wr->sge[i].length;
	}
}

static void verify_scatter(struct ep *ep, const struct ep_mr *mr, const struct ep_wr *wr,
			   uint64_t key)
{
	uint64_t off = 0;

	for (unsigned int i = 0; i < wr->nsge; i++) {
		uint32_t at = wr->sge[i].addr - mr->addr, len = wr->sge[i].length;

		ep_verify_at(ep, mr, at, len, key, off, "scattered piece");
		ep_verify_at(ep, mr, at + len, 37, KEY_POISON, at + len, "gap after a piece");
		off += len;
	}
}

static void multi_sge(struct env *e, const void *arg)
{
	/* READ is the last: others have none. */
	const enum ibv_wr_opcode ops[] = { IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE,
					   IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_READ };
	struct pair_opts o = pair_defaults;
	unsigned int total = 0;
	struct pair p;

	for (size_t i = 0; i < ARRAY_SIZE(pieces_a); i++)
		total += pieces_a[i];
	o.conn.uc = *(const bool *)arg;
	o.sge = ARRAY_SIZE(pieces_a);
	pair_open(&p, e, &o);
	for (size_t i = 0; i < ARRAY_SIZE(ops) - o.conn.uc; i++) {
		bool recv = op_consumes_recv(ops[i]);
		bool read = ops[i] == IBV_WR_RDMA_READ;
		struct ep_wr wr = scatter(i, &p.ma, 4000, pieces_a, ARRAY_SIZE(pieces_a));
		struct ep_wr rwr = scatter(i, &p.mb, 8190, pieces_b, ARRAY_SIZE(pieces_b));

		rvt_step("%s from %zu pieces to %zu", op_name(ops[i]), ARRAY_SIZE(pieces_a),
			 ARRAY_SIZE(pieces_b));
		ep_fill(p.a, &p.ma, 0, p.ma.len, KEY_POISON);
		ep_fill(p.b, &p.mb, 0, p.mb.len, KEY_POISON);
		wr.opcode = ops[i];
		wr.flags = IBV_SEND_SIGNALED;
		wr.imm = i;
		wr.raddr = p.mb.addr + 100001;
		wr.rkey = p.mb.rkey;
		if (read)
			ep_fill(p.b, &p.mb, 100001, total, 7 + i);
		else
			fill_scatter(p.a, &p.ma, &wr, 7 + i);
		if (recv)
			ep_recv(p.b, QP_0, &rwr, 1);
		ep_send(p.a, QP_0, &wr, 1);
		if (recv)
			expect_recv(p.b, CQ_RECV, i, ops[i], total, i);
		expect_send(p.a, CQ_SEND, i, ops[i]);
		pair_sync(&p);
		if (read)
			verify_scatter(p.a, &p.ma, &wr, 7 + i);
		else if (ops[i] == IBV_WR_SEND || ops[i] == IBV_WR_SEND_WITH_IMM)
			verify_scatter(p.b, &p.mb, &rwr, 7 + i);
		else
			ep_verify(p.b, &p.mb, 100001, total, 7 + i, "written data");
	}
}

/* @n pieces of different lengths; returns their sum. */
static uint32_t pieces(unsigned int *len, unsigned int n)
{
	uint32_t total = 0;

	CHECK(n <= EP_MAX_SGE, "the device takes %u SGEs, this program %u", n, EP_MAX_SGE);
	for (unsigned int i = 0; i < n; i++) {
		len[i] = 50 + 13 * i;
		total += len[i];
	}
	return total;
}

/* As many SGEs as the device says it takes; error.too_many_sges has one more. */
static void max_sge(struct env *e, const void *arg)
{
	unsigned int n = e->a->dev.max_sge < e->b->dev.max_sge ? e->a->dev.max_sge :
								 e->b->dev.max_sge;
	struct pair_opts o = pair_defaults;
	unsigned int len[EP_MAX_SGE];
	uint32_t total = pieces(len, n);
	struct ep_wr wr, rwr;
	struct pair p;

	(void)arg;
	o.sge = n;
	pair_open(&p, e, &o);
	wr = scatter(1, &p.ma, 3, len, n);
	rwr = scatter(2, &p.mb, 70001, len, n);
	wr.opcode = IBV_WR_SEND;
	wr.flags = IBV_SEND_SIGNALED;
	ep_fill(p.b, &p.mb, 0, p.mb.len, KEY_POISON);
	fill_scatter(p.a, &p.ma, &wr, 5);
	ep_recv(p.b, QP_0, &rwr, 1);
	ep_send(p.a, QP_0, &wr, 1);
	expect_recv(p.b, CQ_RECV, 2, IBV_WR_SEND, total, 0);
	expect_send(p.a, CQ_SEND, 1, IBV_WR_SEND);
	verify_scatter(p.b, &p.mb, &rwr, 5);
}

static void max_sge_read(struct env *e, const void *arg)
{
	unsigned int n = e->a->dev.max_sge_rd;
	struct pair_opts o = pair_defaults;
	unsigned int len[EP_MAX_SGE];
	uint32_t total = pieces(len, n);
	struct ep_wr wr;
	struct pair p;

	(void)arg;
	CHECK(n > 1, "max_sge_rd %u", n);
	o.sge = n;
	pair_open(&p, e, &o);
	wr = scatter(1, &p.ma, 3, len, n);
	wr.opcode = IBV_WR_RDMA_READ;
	wr.flags = IBV_SEND_SIGNALED;
	wr.raddr = p.mb.addr + 70001;
	wr.rkey = p.mb.rkey;
	ep_fill(p.a, &p.ma, 0, p.ma.len, KEY_POISON);
	ep_fill(p.b, &p.mb, 70001, total, 5);
	ep_send(p.a, QP_0, &wr, 1);
	expect_send(p.a, CQ_SEND, 1, IBV_WR_RDMA_READ);
	verify_scatter(p.a, &p.ma, &wr, 5);
}

static void inline_one(struct pair *p, enum ibv_wr_opcode op, uint32_t len, uint64_t id)
{
	struct ep_wr wr = wr_op(id, op, &p->ma, 11, len, &p->mb, 5001);
	struct ep_wr rwr = wr_recv(id, &p->mb, 5001, op == IBV_WR_RDMA_WRITE_WITH_IMM ? 0 : len);

	rvt_step("inline %s of %u bytes", op_name(op), len);
	ep_fill(p->b, &p->mb, 0, 8192, KEY_POISON);
	ep_fill(p->a, &p->ma, 11, len, id);
	wr.flags |= IBV_SEND_INLINE;
	for (unsigned int i = 0; i < wr.nsge; i++)
		wr.sge[i].lkey = 0xbad; /* not looked at */
	if (op_consumes_recv(op)) {
		rwr.nsge = rwr.sge[0].length ? 1 : 0;
		ep_recv(p->b, QP_0, &rwr, 1);
	}
	ep_send(p->a, QP_0, &wr, 1);
	/* The buffer belongs to the caller again at once. */
	ep_fill(p->a, &p->ma, 11, len, KEY_POISON);
	if (op_consumes_recv(op))
		expect_recv(p->b, CQ_RECV, id, op, len, wr.imm);
	expect_send(p->a, CQ_SEND, id, op);
	pair_sync(p);
	ep_verify(p->b, &p->mb, 5001, len, id, "inline data");
	ep_verify_at(p->b, &p->mb, 5001 + len, 64, KEY_POISON, 5001 + len, "bytes after it");
}

/**
 * struct inline_case - how a pair is opened for inline data
 * @bytes: asked for
 * @uc: on an unreliable connection
 */
struct inline_case {
	uint32_t bytes;
	bool uc;
};

static void inline_data(struct env *e, const void *arg)
{
	const struct inline_case *t = arg;
	const enum ibv_wr_opcode ops[] = { IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE,
					   IBV_WR_RDMA_WRITE_WITH_IMM };
	struct pair_opts o = pair_defaults;
	struct ep_wr wr;
	struct pair p;
	uint32_t max;

	o.conn.mtu = IBV_MTU_256;
	o.conn.uc = t->uc;
	o.inline_len = t->bytes;
	pair_open(&p, e, &o);
	max = p.cap_a.max_inline_data;
	CHECK(max >= o.inline_len, "asked for %u inline bytes, got %u", o.inline_len, max);
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		const uint32_t len[] = { 0, 1, 4, 255, 256, 257, max - 1, max };

		for (size_t j = 0; j < ARRAY_SIZE(len); j++)
			if (len[j] <= max)
				inline_one(&p, ops[i], len[j], 10 * (i + 1) + j);
	}
	rvt_step("one byte more than the maximum");
	wr = wr_op(1, IBV_WR_SEND, &p.ma, 0, max + 1, NULL, 0);
	wr.flags |= IBV_SEND_INLINE;
	CHECK(ep_try_send(p.a, QP_0, &wr, 1), "inline data beyond the limit was accepted");
}

/* Inline data gathered from several pieces. */
static void inline_gather(struct env *e, const void *arg)
{
	static const unsigned int len[] = { 1, 100, 3, 60 };
	struct pair_opts o = pair_defaults;
	struct ep_wr wr, rwr;
	struct pair p;

	(void)arg;
	o.inline_len = 256;
	pair_open(&p, e, &o);
	wr = scatter(1, &p.ma, 9, len, ARRAY_SIZE(len));
	fill_scatter(p.a, &p.ma, &wr, 3);
	wr.opcode = IBV_WR_SEND;
	wr.flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE;
	rwr = wr_recv(2, &p.mb, 77, 164);
	ep_recv(p.b, QP_0, &rwr, 1);
	ep_send(p.a, QP_0, &wr, 1);
	expect_recv(p.b, CQ_RECV, 2, IBV_WR_SEND, 164, 0);
	expect_send(p.a, CQ_SEND, 1, IBV_WR_SEND);
	ep_verify(p.b, &p.mb, 77, 164, 3, "gathered inline data");
}

/* A zero-length operation checks neither key nor address. */
static void zero_length_any_key(struct env *e, const void *arg)
{
	const enum ibv_wr_opcode ops[] = { IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
					   IBV_WR_RDMA_WRITE_WITH_IMM };
	struct pair p;

	(void)arg;
	pair_open(&p, e, &pair_defaults);
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		struct ep_wr wr = wr_op(i, ops[i], &p.ma, 0, 0, NULL, 0);
		struct ep_wr rwr = { .wr_id = i };

		rvt_step("zero-length %s", op_name(ops[i]));
		wr.rkey = 0x12345678;
		wr.raddr = ~0ULL;
		if (op_consumes_recv(ops[i]))
			ep_recv(p.b, QP_0, &rwr, 1);
		ep_send(p.a, QP_0, &wr, 1);
		if (op_consumes_recv(ops[i]))
			expect_recv(p.b, CQ_RECV, i, ops[i], 0, wr.imm);
		expect_send(p.a, CQ_SEND, i, ops[i]);
	}
}

/* Many READs in flight, more than the negotiated depth. */
static void read_depth(struct env *e, const void *arg)
{
	const unsigned int depth = *(const unsigned int *)arg;
	struct pair_opts o = pair_defaults;
	struct ep_wr wr[32];
	struct pair p;

	o.conn.rd_atomic = depth;
	pair_open(&p, e, &o);
	ep_fill(p.b, &p.mb, 0, p.mb.len, 42);
	for (unsigned int i = 0; i < ARRAY_SIZE(wr); i++)
		wr[i] = wr_op(i, IBV_WR_RDMA_READ, &p.ma, 5000 * i, 1 + 150 * i, &p.mb, 3000 * i);
	ep_send(p.a, QP_0, wr, ARRAY_SIZE(wr));
	for (unsigned int i = 0; i < ARRAY_SIZE(wr); i++)
		expect_send(p.a, CQ_SEND, i, IBV_WR_RDMA_READ);
	for (unsigned int i = 0; i < ARRAY_SIZE(wr); i++)
		ep_verify_at(p.a, &p.ma, 5000 * i, 1 + 150 * i, 42, 3000 * i, "read data");
}

/* A window is the peer's until its SEND with invalidate, and nobody's from then on. */
static void send_inv(struct env *e, const void *arg)
{
	struct pair_opts o = pair_defaults;
	struct ep_wr wr, rwr;
	struct pair p;
	uint32_t key;

	(void)arg;
	o.mr_access_b |= IBV_ACCESS_MW_BIND;
	pair_open(&p, e, &o);
	ep_fill(p.a, &p.ma, 0, 4096, 1);
	ep_fill(p.b, &p.mb, 0, 8192, KEY_POISON);
	key = ep_bind(p.b, MW_0, QP_0, &p.mb, 1000, 3000, IBV_ACCESS_REMOTE_WRITE);
	wr = wr_op(1, IBV_WR_RDMA_WRITE, &p.ma, 0, 3000, &p.mb, 1000);
	wr.rkey = key;
	ep_send(p.a, QP_0, &wr, 1);
	expect_send(p.a, CQ_SEND, 1, IBV_WR_RDMA_WRITE);
	ep_verify(p.b, &p.mb, 1000, 3000, 1, "written through the window");
	for (unsigned int i = 0; i < 2; i++) {
		rwr = wr_recv(10 + i, &p.mb, 8192, 64);
		ep_recv(p.b, QP_0, &rwr, 1);
	}
	wr = wr_op(2, IBV_WR_SEND_WITH_INV, &p.ma, 0, 64, NULL, 0);
	wr.rkey = key;
	ep_send(p.a, QP_0, &wr, 1);
	expect_recv(p.b, CQ_RECV, 10, IBV_WR_SEND_WITH_INV, 64, key);
	expect_send(p.a, CQ_SEND, 2, IBV_WR_SEND_WITH_INV);
	rvt_step("writing through it again");
	wr = wr_op(3, IBV_WR_RDMA_WRITE, &p.ma, 0, 10, &p.mb, 4000);
	wr.raddr = p.mb.addr + 1000;
	wr.rkey = key;
	ep_send(p.a, QP_0, &wr, 1);
	expect_wc(p.a, CQ_SEND, 3, IBV_WC_REM_ACCESS_ERR);
	expect_wc(p.b, CQ_RECV, 11, IBV_WC_WR_FLUSH_ERR);
	ep_verify(p.b, &p.mb, 1000, 3000, 1, "what was behind the window");
}

/* Start PSNs so that 24 bits wrap in every kind of packet, both directions. */
static void psn_wrap(struct env *e, const void *arg)
{
	const enum ibv_wr_opcode op = *(const enum ibv_wr_opcode *)arg;
	const uint32_t start[] = { 0xfffff0, 0xffffff, 0xfffffe, 0x7ffff8, 0 };

	for (size_t i = 0; i < ARRAY_SIZE(start); i++) {
		struct pair_opts o = pair_defaults;
		struct ibv_qp_attr attr;
		static struct pair p;
		int mask;

		rvt_step("start PSN %#x", start[i]);
		o.conn.mtu = IBV_MTU_256;
		o.conn.psn_a = start[i];
		o.conn.psn_b = start[ARRAY_SIZE(start) - 1 - i] ^ (i == 2 ? 1 : 0);
		if (!i) {
			pair_open(&p, e, &o);
		} else {
			mask = IBV_QP_STATE;
			attr.qp_state = IBV_QPS_RESET;
			ep_modify(p.a, QP_0, &attr, mask);
			ep_modify(p.b, QP_0, &attr, mask);
			p.o.conn = o.conn;
			pair_connect(&p);
		}
		for (unsigned int k = 0; k < 3; k++) {
			transfer(p.a, p.b, &p.ma, &p.mb, op, 256 * 9 + k, SRC_OFF, DST_OFF, k + 1);
			transfer(p.b, p.a, &p.mb, &p.ma, op, 256 * 7 + k, SRC_OFF, DST_OFF, k + 4);
		}
	}
}

static const struct inline_case inline_64 = { 64, false }, inline_512 = { 512, false },
				uc_inline_512 = { 512, true };
static const bool on_rc = false, on_uc = true;
static const unsigned int depth_1 = 1, depth_3 = 3, depth_16 = 16;
static const enum ibv_wr_opcode op_send = IBV_WR_SEND, op_write = IBV_WR_RDMA_WRITE,
				op_write_imm = IBV_WR_RDMA_WRITE_WITH_IMM,
				op_read = IBV_WR_RDMA_READ;

#define OP_MTU(label, wr_op, bytes)                                            \
	{                                                                      \
		.name = "data." label "." #bytes, .run = run_op, .mtu = bytes, \
		.arg = &(const struct op_mtu)                                  \
		{                                                              \
			.op = wr_op, .mtu = bytes                              \
		}                                                              \
	}
#define OP_ALL(label, wr_op)                                                              \
	OP_MTU(label, wr_op, 256), OP_MTU(label, wr_op, 512), OP_MTU(label, wr_op, 1024), \
		OP_MTU(label, wr_op, 2048), OP_MTU(label, wr_op, 4096)

static const struct rvt_case cases[] = {
	OP_ALL("send", IBV_WR_SEND),
	OP_ALL("send_imm", IBV_WR_SEND_WITH_IMM),
	OP_ALL("send_inv", IBV_WR_SEND_WITH_INV),
	OP_ALL("write", IBV_WR_RDMA_WRITE),
	OP_ALL("write_imm", IBV_WR_RDMA_WRITE_WITH_IMM),
	OP_ALL("read", IBV_WR_RDMA_READ),
	{ .name = "data.crossing_reads", .run = crossing_reads },
	{ .name = "data.large", .run = large },
	{ .name = "data.multi_sge", .run = multi_sge, .arg = &on_rc },
	{ .name = "uc.multi_sge", .run = multi_sge, .arg = &on_uc },
	{ .name = "data.max_sge", .run = max_sge },
	{ .name = "data.max_sge_read", .run = max_sge_read },
	{ .name = "data.inline_64", .run = inline_data, .arg = &inline_64 },
	{ .name = "data.inline_512", .run = inline_data, .arg = &inline_512 },
	{ .name = "uc.inline_512", .run = inline_data, .arg = &uc_inline_512 },
	{ .name = "data.inline_gather", .run = inline_gather },
	{ .name = "data.zero_length_any_key", .run = zero_length_any_key },
	{ .name = "data.read_depth_1", .run = read_depth, .arg = &depth_1 },
	{ .name = "data.read_depth_3", .run = read_depth, .arg = &depth_3 },
	{ .name = "data.read_depth_16", .run = read_depth, .arg = &depth_16 },
	{ .name = "data.invalidates", .run = send_inv },
	{ .name = "psn.wrap_send", .run = psn_wrap, .arg = &op_send },
	{ .name = "psn.wrap_write", .run = psn_wrap, .arg = &op_write },
	{ .name = "psn.wrap_write_imm", .run = psn_wrap, .arg = &op_write_imm },
	{ .name = "psn.wrap_read", .run = psn_wrap, .arg = &op_read },
};

const struct rvt_case_list rvt_data_cases = { cases, ARRAY_SIZE(cases) };
