// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * FLUSH (IBTA annex A19), for kernels whose core lets regions grant it.  What it does
 * to memory cannot be seen from here; that it is answered after what came before, what
 * it needs and how it is refused can.
 */
#include <errno.h>
#include <string.h>

#include "pair.h"

#define LEN 4096

/* A device offers what regions may grant, and only that. */
static void offered(struct env *e, const void *arg)
{
	int err;

	(void)arg;
	err = ep_try_mr(e->a, MR_0, LEN, MR_ALL | ACCESS_FLUSH_GLOBAL, 0, false);
	if (e->a->caps & CAP_FLUSH_GLOBAL)
		CHECK(!err, "a region that grants FLUSH is refused: %s", strerror(err));
	else
		CHECK(err == EINVAL, "a region may grant FLUSH, which is not offered (%d)", err);
	/* No memory of this program survives a loss of power. */
	err = ep_try_mr(e->a, MR_0 + 1, LEN, MR_ALL | ACCESS_FLUSH_PERSISTENT, 0, false);
	CHECK(err == EINVAL, "ordinary memory is registered as persistent (%d)", err);
}

#define MR_FLUSH (MR_ALL | ACCESS_FLUSH_GLOBAL)
/* The QP grants both: what a region grants is another matter. */
#define QP_FLUSH (QP_ALL | ACCESS_FLUSH_GLOBAL | ACCESS_FLUSH_PERSISTENT)

static void open_flush(struct pair *p, struct env *e, int mr_access)
{
	struct pair_opts o = pair_defaults;

	o.ring = true;
	o.conn.access_b = QP_FLUSH;
	o.mr_access_b = mr_access;
	pair_open(p, e, &o);
}

static struct ep_wr flush(uint64_t id, struct pair *p, uint32_t off, uint32_t len, uint8_t type,
			  uint8_t level)
{
	struct ep_wr wr = wr_op(id, IBV_WR_RDMA_WRITE, &p->ma, 0, 0, &p->mb, off);

	wr.ring = true;
	wr.opcode = WR_FLUSH;
	wr.ring_len = len;
	wr.flush_type = type;
	wr.flush_level = level;
	return wr;
}

static void expect_flushed(struct pair *p, uint64_t id)
{
	struct ibv_wc wc = ep_wait(p->a, CQ_SEND);

	CHECK(wc.wr_id == id && wc.status == IBV_WC_SUCCESS,
	      "FLUSH %llu completed as %llu with \"%s\"", (unsigned long long)id,
	      (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status));
	CHECK(wc.opcode == WC_FLUSH, "FLUSH completed with opcode %d", wc.opcode);
}

/* WRITEs, some without completions, and FLUSHes of what they wrote, by turns; more of
 * them at a time than may be outstanding.
 */
static void works(struct env *e, const void *arg)
{
	enum { ROUNDS = 20 };
	struct ep_wr wr;
	struct pair p;

	(void)arg;
	open_flush(&p, e, MR_FLUSH);
	ep_fill(p.a, &p.ma, 0, ROUNDS * LEN, 5);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		wr = wr_op(2 * i, IBV_WR_RDMA_WRITE, &p.ma, i * LEN, LEN, &p.mb, i * LEN);
		wr.flags = i % 2 ? IBV_SEND_SIGNALED : 0;
		ep_send(p.a, QP_0, &wr, 1);
		wr = flush(2 * i + 1, &p, i * LEN, LEN, FLUSH_GLOBAL,
			   i % 3 ? FLUSH_RANGE : FLUSH_REGION);
		ep_send(p.a, QP_0, &wr, 1);
	}
	for (unsigned int i = 0; i < ROUNDS; i++) {
		if (i % 2)
			expect_send(p.a, CQ_SEND, 2 * i, IBV_WR_RDMA_WRITE);
		expect_flushed(&p, 2 * i + 1);
		ep_verify_at(p.b, &p.mb, i * LEN, LEN, 5, i * LEN, "what was written and flushed");
	}
	/* Of all of a region whatever its address and length say; of nothing */
	wr = flush(77, &p, 0, 0xffff0000, FLUSH_GLOBAL, FLUSH_REGION);
	wr.ring_len = 0x7fffffff;
	wr.raddr = 1;
	ep_send(p.a, QP_0, &wr, 1);
	expect_flushed(&p, 77);
	wr = flush(78, &p, p.o.mr_len, 0, FLUSH_GLOBAL, FLUSH_RANGE);
	ep_send(p.a, QP_0, &wr, 1);
	expect_flushed(&p, 78);
	transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_RDMA_READ, LEN, 4096, 8192, 9);
}

/* Both ends flush the memory of the other. */
static void both_ways(struct env *e, const void *arg)
{
	struct pair_opts o = pair_defaults;
	struct ep_wr wr;
	struct pair p;

	(void)arg;
	o.ring = true;
	o.conn.access_a = QP_FLUSH;
	o.conn.access_b = QP_FLUSH;
	o.mr_access_a = MR_FLUSH;
	o.mr_access_b = MR_FLUSH;
	pair_open(&p, e, &o);
	for (unsigned int i = 0; i < 8; i++) {
		wr = flush(i, &p, 0, LEN, FLUSH_GLOBAL, FLUSH_RANGE);
		if (i % 2) {
			ep_send(p.a, QP_0, &wr, 1);
			expect_flushed(&p, i);
			continue;
		}
		wr.raddr = p.ma.addr;
		wr.rkey = p.ma.rkey;
		ep_send(p.b, QP_0, &wr, 1);
		expect_wc(p.b, CQ_SEND, i, IBV_WC_SUCCESS);
	}
}

/* What the requester's own device refuses. */
static void malformed(struct env *e, const void *arg)
{
	static const uint8_t bad[][2] = { { 0, 0 },   { 4, 0 }, { 5, 0 },
					  { 255, 0 }, { 1, 2 }, { 1, 255 } };
	struct ep_wr wr;
	struct pair p;

	(void)arg;
	open_flush(&p, e, MR_FLUSH);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		rvt_step("type %u, level %u", bad[i][0], bad[i][1]);
		wr = flush(i, &p, 0, LEN, bad[i][0], bad[i][1]);
		ep_send(p.a, QP_0, &wr, 1);
		expect_wc(p.a, CQ_SEND, i, IBV_WC_LOC_QP_OP_ERR);
		expect_state(p.a, QP_0, IBV_QPS_ERR);
		set_state(p.a, QP_0, IBV_QPS_RESET);
		set_state(p.b, QP_0, IBV_QPS_RESET);
		pair_connect(&p);
	}
	wr = flush(9, &p, 0, LEN, FLUSH_GLOBAL, FLUSH_RANGE);
	ep_send(p.a, QP_0, &wr, 1);
	expect_flushed(&p, 9);
}

/**
 * struct refusal - a FLUSH that the peer must not carry out
 * @mr: access flags of its region
 * @qp: access flags of its QP
 * @no_resources: it answers no READ and no atomic
 * @type: placement types
 * @level: selectivity
 * @off: added to the address
 * @key: xored to the key
 * @status: at the requester
 */
struct refusal {
	int mr;
	int qp;
	bool no_resources;
	uint8_t type;
	uint8_t level;
	int64_t off;
	uint32_t key;
	enum ibv_wc_status status;
};

static void refused(struct env *e, const void *arg)
{
	const struct refusal *t = arg;
	struct pair_opts o = pair_defaults;
	struct ep_wr wr, rwr;
	struct pair p;

	o.ring = true;
	o.mr_access_b = t->mr;
	o.conn.access_b = t->qp;
	o.conn.no_resources_b = t->no_resources;
	pair_open(&p, e, &o);
	rwr = wr_recv(7, &p.mb, 0, 8);
	ep_recv(p.b, QP_0, &rwr, 1);
	wr = flush(1, &p, 0, LEN, t->type, t->level);
	wr.raddr += t->off;
	wr.rkey ^= t->key;
	ep_send(p.a, QP_0, &wr, 1);
	expect_wc(p.a, CQ_SEND, 1, t->status);
	expect_wc(p.b, CQ_RECV, 7, IBV_WC_WR_FLUSH_ERR);
	expect_state(p.a, QP_0, IBV_QPS_ERR);
	expect_state(p.b, QP_0, IBV_QPS_ERR);
}

/* What was written to persistent memory, in pieces and as a whole of many portions. */
static void persistent(struct env *e, const void *arg)
{
	const int access = MR_FLUSH | ACCESS_FLUSH_PERSISTENT;
	const uint32_t big = 16u << 20;
	struct ep_mr mr;
	struct ep_wr wr;
	struct pair p;

	(void)arg;
	open_flush(&p, e, MR_ALL);
	mr = ep_pmem_mr(p.b, MR_0 + 1, big, access);
	p.mb = mr;
	for (unsigned int i = 0; i < 6; i++) {
		uint8_t type = 1 + i % 3, level = i / 3;

		rvt_step("type %u, level %u", type, level);
		ep_fill(p.a, &p.ma, 0, LEN, i);
		wr = wr_op(2 * i, IBV_WR_RDMA_WRITE, &p.ma, 0, LEN, &mr, i * LEN + 100);
		ep_send(p.a, QP_0, &wr, 1);
		expect_send(p.a, CQ_SEND, 2 * i, IBV_WR_RDMA_WRITE);
		wr = flush(2 * i + 1, &p, i * LEN + 100, LEN, type, level);
		ep_send(p.a, QP_0, &wr, 1);
		expect_flushed(&p, 2 * i + 1);
		ep_verify(p.b, &mr, i * LEN + 100, LEN, i, "what was written and flushed");
	}
	/* Others are served meanwhile, and in their turn. */
	rvt_step("many large ones");
	for (unsigned int i = 0; i < 8; i++) {
		wr = flush(100 + i, &p, i, big - 8, FLUSH_PERSISTENT, FLUSH_RANGE);
		ep_send(p.a, QP_0, &wr, 1);
		wr = wr_op(200 + i, IBV_WR_RDMA_READ, &p.ma, 64 * i, 64, &mr, 100);
		ep_send(p.a, QP_0, &wr, 1);
	}
	for (unsigned int i = 0; i < 8; i++) {
		expect_flushed(&p, 100 + i);
		expect_send(p.a, CQ_SEND, 200 + i, IBV_WR_RDMA_READ);
		ep_verify(p.a, &p.ma, 64 * i, 64, 0, "what was read behind a FLUSH");
	}
}

/* Persistent memory does not grant what it was not registered for; and the end of a QP
 * in the middle of a large FLUSH.
 */
static void persistent_denied(struct env *e, const void *arg)
{
	struct ep_wr wr;
	struct pair p;

	(void)arg;
	open_flush(&p, e, MR_ALL);
	p.mb = ep_pmem_mr(p.b, MR_0 + 1, 32u << 20, MR_FLUSH | ACCESS_FLUSH_PERSISTENT);
	for (unsigned int i = 0; i < 8; i++) {
		wr = flush(i, &p, 0, 0, FLUSH_PERSISTENT, FLUSH_REGION);
		ep_send(p.a, QP_0, &wr, 1);
	}
	set_state(p.b, QP_0, IBV_QPS_ERR);
	set_state(p.a, QP_0, IBV_QPS_ERR);
	for (unsigned int i = 0; i < 8; i++) {
		struct ibv_wc wc = ep_wait(p.a, CQ_SEND);

		CHECK(wc.wr_id == i, "FLUSH %u completed as %llu", i, (unsigned long long)wc.wr_id);
	}
	ep_dereg_mr(p.b, MR_0 + 1);
	p.mb = ep_pmem_mr(p.b, MR_0 + 1, LEN, MR_FLUSH);
	set_state(p.a, QP_0, IBV_QPS_RESET);
	set_state(p.b, QP_0, IBV_QPS_RESET);
	pair_connect(&p);
	wr = flush(20, &p, 0, LEN, FLUSH_PERSISTENT, FLUSH_RANGE);
	ep_send(p.a, QP_0, &wr, 1);
	expect_wc(p.a, CQ_SEND, 20, IBV_WC_REM_ACCESS_ERR);
}

#define REFUSED(label, ...)                                            \
	{                                                              \
		.name = "flush." label, .extra = true, .run = refused, \
		.arg = &(const struct refusal)                         \
		{                                                      \
			__VA_ARGS__                                    \
		}                                                      \
	}
#define ACCESS IBV_WC_REM_ACCESS_ERR
#define INVALID IBV_WC_REM_INV_REQ_ERR

static const struct rvt_case cases[] = {
	{ .name = "flush.offered", .run = offered },
	{ .name = "flush.works", .run = works, .extra = true },
	{ .name = "flush.both_ways", .run = both_ways, .extra = true },
	{ .name = "flush.malformed", .run = malformed, .extra = true },
	{ .name = "pmem.flush", .run = persistent, .extra = true },
	{ .name = "pmem.denied", .run = persistent_denied, .extra = true },
	REFUSED("mr_denied", MR_ALL, QP_FLUSH, false, 1, 0, 0, 0, ACCESS),
	REFUSED("mr_denied_whole", MR_ALL, QP_FLUSH, false, 1, 1, 0, 0, ACCESS),
	REFUSED("not_persistent", MR_FLUSH, QP_FLUSH, false, 2, 0, 0, 0, ACCESS),
	REFUSED("not_persistent_too", MR_FLUSH, QP_FLUSH, false, 3, 1, 0, 0, ACCESS),
	REFUSED("bad_rkey", MR_FLUSH, QP_FLUSH, false, 1, 0, 0, 0x100, ACCESS),
	REFUSED("bad_rkey_whole", MR_FLUSH, QP_FLUSH, false, 1, 1, 0, 0x100, ACCESS),
	REFUSED("past_end", MR_FLUSH, QP_FLUSH, false, 1, 0, 256 * 1024 - LEN + 1, 0, ACCESS),
	REFUSED("before_start", MR_FLUSH, QP_FLUSH, false, 1, 0, -1, 0, ACCESS),
	REFUSED("qp_denied", MR_FLUSH, QP_ALL | ACCESS_FLUSH_PERSISTENT, false, 1, 0, 0, 0,
		INVALID),
	REFUSED("no_resources", MR_FLUSH, QP_FLUSH, true, 1, 0, 0, 0, INVALID),
};

const struct rvt_case_list rvt_flush_cases = { cases, ARRAY_SIZE(cases) };
