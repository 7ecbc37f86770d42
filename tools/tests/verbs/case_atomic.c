// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Atomics: results, and refusals with the status that IBTA 9.7.4 names. */
#include <pthread.h>
#include <sched.h>

#include "pair.h"

#define ACC_ALL (MR_ALL | IBV_ACCESS_REMOTE_ATOMIC)
#define TARGET 4096
#define BYTES 8

static void open_atomic(struct pair *p, struct env *e, int qp_access, int mr_access)
{
	struct pair_opts o = pair_defaults;

	o.conn.access_b = qp_access;
	o.mr_access_b = mr_access;
	pair_open(p, e, &o);
}

static struct ep_wr atomic(uint64_t id, enum ibv_wr_opcode op, struct pair *p, uint64_t compare_add,
			   uint64_t swap)
{
	struct ep_wr wr = wr_op(id, op, &p->ma, BYTES * id, BYTES, &p->mb, TARGET);

	wr.compare_add = compare_add;
	wr.swap = swap;
	return wr;
}

static void expect_u64(struct ep *ep, const struct ep_mr *mr, uint32_t off, uint64_t want,
		       const char *what)
{
	uint64_t got = ep_u64(ep, mr, off);

	CHECK(got == want, "%s is %#llx, must be %#llx", what, (unsigned long long)got,
	      (unsigned long long)want);
}

static void fetch_add(struct env *e, const void *arg)
{
	uint64_t value = 0xfffffffffffffff0ULL;
	struct ep_wr wr[32];
	struct pair p;

	(void)arg;
	open_atomic(&p, e, QP_ALL | IBV_ACCESS_REMOTE_ATOMIC, ACC_ALL);
	ep_set_u64(p.b, &p.mb, TARGET, value);
	ep_set_u64(p.b, &p.mb, TARGET + 8, 77);
	for (unsigned int i = 0; i < ARRAY_SIZE(wr); i++)
		wr[i] = atomic(i, IBV_WR_ATOMIC_FETCH_AND_ADD, &p, i + 1, 0);
	ep_send(p.a, QP_0, wr, ARRAY_SIZE(wr));
	for (unsigned int i = 0; i < ARRAY_SIZE(wr); i++) {
		expect_send(p.a, CQ_SEND, i, IBV_WR_ATOMIC_FETCH_AND_ADD);
		expect_u64(p.a, &p.ma, BYTES * i, value, "value before");
		value += i + 1;
	}
	expect_u64(p.b, &p.mb, TARGET, value, "value in the end");
	expect_u64(p.b, &p.mb, TARGET + 8, 77, "the word behind it");
}

static void cmp_swap(struct env *e, const void *arg)
{
	struct ep_wr wr;
	struct pair p;

	(void)arg;
	open_atomic(&p, e, QP_ALL | IBV_ACCESS_REMOTE_ATOMIC, ACC_ALL);
	ep_set_u64(p.b, &p.mb, TARGET, 5);
	wr = atomic(1, IBV_WR_ATOMIC_CMP_AND_SWP, &p, 6, 100);
	ep_send(p.a, QP_0, &wr, 1);
	expect_send(p.a, CQ_SEND, 1, IBV_WR_ATOMIC_CMP_AND_SWP);
	expect_u64(p.a, &p.ma, BYTES, 5, "value before");
	expect_u64(p.b, &p.mb, TARGET, 5, "value that did not compare");
	wr = atomic(2, IBV_WR_ATOMIC_CMP_AND_SWP, &p, 5, 0x1122334455667788ULL);
	ep_send(p.a, QP_0, &wr, 1);
	expect_send(p.a, CQ_SEND, 2, IBV_WR_ATOMIC_CMP_AND_SWP);
	expect_u64(p.a, &p.ma, 2 * BYTES, 5, "value before");
	expect_u64(p.b, &p.mb, TARGET, 0x1122334455667788ULL, "value that did compare");
}

/* Words at any place that is aligned, of a region that starts anywhere; what comes behind
 * one, and reads it, finds it.
 */
static void atomic_write(struct env *e, const void *arg)
{
	const uint32_t at[] = { 0, 8, 4088, 4096, 65536 - 8 };
	struct pair_opts o = pair_defaults;
	struct ep_wr wr;
	struct pair p;

	(void)arg;
	o.ring = true;
	pair_open(&p, e, &o);
	ep_fill(p.b, &p.mb, 0, p.mb.len, KEY_POISON);
	for (unsigned int i = 0; i < ARRAY_SIZE(at); i++) {
		uint64_t value = rvt_mix(i);

		rvt_step("at %u", at[i]);
		wr = wr_op(2 * i, IBV_WR_ATOMIC_WRITE, &p.ma, 0, 0, &p.mb, at[i]);
		wr.swap = value;
		ep_send(p.a, QP_0, &wr, 1);
		wr = wr_op(2 * i + 1, IBV_WR_RDMA_READ, &p.ma, 64, BYTES, &p.mb, at[i]);
		ep_send(p.a, QP_0, &wr, 1);
		expect_send(p.a, CQ_SEND, 2 * i, IBV_WR_ATOMIC_WRITE);
		expect_send(p.a, CQ_SEND, 2 * i + 1, IBV_WR_RDMA_READ);
		expect_u64(p.a, &p.ma, 64, value, "what a READ found");
		expect_u64(p.b, &p.mb, at[i], value, "the word");
		ep_fill_at(p.b, &p.mb, at[i], BYTES, KEY_POISON, at[i]);
		ep_verify(p.b, &p.mb, 0, p.mb.len, KEY_POISON, "memory around the word");
	}
}

/**
 * struct refusal - an atomic that must not be carried out
 * @qp: access flags of the responder's QP
 * @mr: access flags of its region
 * @off: added to the address
 * @key: xored to the key
 * @no_resources: the responder's QP answers no READ and no atomic
 * @write: it is an ATOMIC WRITE
 * @status: at the requester
 */
struct refusal {
	int qp;
	int mr;
	int64_t off;
	uint32_t key;
	bool no_resources;
	bool write;
	enum ibv_wc_status status;
};

static void refused(struct env *e, const void *arg)
{
	const struct refusal *t = arg;
	struct pair_opts o = pair_defaults;
	struct ep_wr wr, rwr;
	struct pair p;

	o.conn.access_b = t->qp;
	o.mr_access_b = t->mr;
	o.conn.no_resources_b = t->no_resources;
	o.ring = t->write || t->off % BYTES;
	pair_open(&p, e, &o);
	ep_set_u64(p.b, &p.mb, TARGET, 5);
	rwr = wr_recv(7, &p.mb, 0, 8);
	ep_recv(p.b, QP_0, &rwr, 1);
	wr = atomic(1, t->write ? IBV_WR_ATOMIC_WRITE : IBV_WR_ATOMIC_FETCH_AND_ADD, &p, 1, 0);
	wr.raddr += t->off;
	wr.rkey ^= t->key;
	/* The library does not post what is misaligned. */
	wr.ring = t->off % BYTES;
	wr.ring_len = BYTES;
	ep_send(p.a, QP_0, &wr, 1);
	expect_wc(p.a, CQ_SEND, 1, t->status);
	expect_wc(p.b, CQ_RECV, 7, IBV_WC_WR_FLUSH_ERR);
	expect_state(p.a, QP_0, IBV_QPS_ERR);
	expect_state(p.b, QP_0, IBV_QPS_ERR);
	expect_u64(p.b, &p.mb, TARGET, 5, "value");
}

/* One word that many QPs change at a time: what each found there, nobody else did. */
#define SHARERS 8 /* QPs */
#define THREADS 4
#define BATCH 16 /* requests of a QP between two looks at its CQ */
#define ROUNDS 800 /* two that meet by chance do so once in thousands of requests */

struct contest {
	struct env *e;
	enum ibv_wr_opcode op;
	struct ep_mr ma, mb;
	pthread_barrier_t start;
	uint32_t sum; /* times the word was changed */
	uint8_t found[SHARERS * ROUNDS * BATCH]; /* by value: one who changed it saw it */
};

struct contender {
	struct contest *c;
	uint32_t first_qp;
	pthread_t thread;
};

/* Each adds 1, some by comparing the word with what it should be when it is their turn. */
static void post_batch(const struct contest *c, uint32_t q, uint64_t guess)
{
	struct ibv_send_wr wr[BATCH] = {}, *bad;
	struct ibv_sge sge[BATCH];

	for (unsigned int i = 0; i < BATCH; i++) {
		bool last = i + 1 == BATCH;

		sge[i] = sge_of(&c->ma, (q * BATCH + i) * BYTES, BYTES);
		wr[i].next = last ? NULL : &wr[i + 1];
		wr[i].sg_list = &sge[i];
		wr[i].num_sge = 1;
		wr[i].opcode = c->op;
		wr[i].send_flags = last ? IBV_SEND_SIGNALED : 0;
		wr[i].wr.atomic.remote_addr = c->mb.addr;
		wr[i].wr.atomic.rkey = c->mb.rkey;
		wr[i].wr.atomic.compare_add = c->op == IBV_WR_ATOMIC_FETCH_AND_ADD ? 1 : guess + i;
		wr[i].wr.atomic.swap = guess + i + 1;
	}
	CHECK(!ibv_post_send(agent_qp(c->e->a->agent, q), wr, &bad), "ibv_post_send");
}

/* Returns what the word should be by now. */
static uint64_t take_batch(struct contest *c, uint32_t q, uint64_t guess)
{
	const uint64_t *was = (const uint64_t *)(uintptr_t)c->ma.addr + q * BATCH;
	struct ibv_wc wc;
	bool changed = false;
	int n;

	while (!(n = ibv_poll_cq(agent_cq(c->e->a->agent, q), 1, &wc)))
		sched_yield();
	CHECK(n == 1 && wc.status == IBV_WC_SUCCESS, "QP %u: \"%s\"", q,
	      ibv_wc_status_str(wc.status));
	for (unsigned int i = 0; i < BATCH; i++) {
		changed = c->op == IBV_WR_ATOMIC_FETCH_AND_ADD || was[i] == guess + i;
		if (!changed)
			continue;
		CHECK(was[i] < ARRAY_SIZE(c->found), "the word was %#llx",
		      (unsigned long long)was[i]);
		CHECK(!__atomic_fetch_add(&c->found[was[i]], 1, __ATOMIC_RELAXED),
		      "two changed the word when it was %llu", (unsigned long long)was[i]);
		__atomic_fetch_add(&c->sum, 1, __ATOMIC_RELAXED);
	}
	return was[BATCH - 1] + changed;
}

static void *contend(void *arg)
{
	enum { MINE = SHARERS / THREADS };
	const struct contender *t = arg;
	uint64_t guess[MINE] = {};

	pthread_barrier_wait(&t->c->start);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		for (unsigned int i = 0; i < MINE; i++)
			post_batch(t->c, t->first_qp + i, guess[i]);
		for (unsigned int i = 0; i < MINE; i++)
			guess[i] = take_batch(t->c, t->first_qp + i, guess[i]);
	}
	return NULL;
}

static void shared_word(struct env *e, const void *arg)
{
	static struct contest c;
	struct ep_qp_init init = { .cap = { .max_send_wr = BATCH,
					    .max_recv_wr = 1,
					    .max_send_sge = 1,
					    .max_recv_sge = 1 } };
	struct conn conn = pair_defaults.conn;
	struct contender t[THREADS];

	c.e = e;
	c.op = *(const enum ibv_wr_opcode *)arg;
	c.ma = ep_mr(e->a, MR_0, SHARERS * BATCH * BYTES, MR_ALL, 0);
	c.mb = ep_mr(e->b, MR_0, BYTES, ACC_ALL, 0);
	conn.access_b |= IBV_ACCESS_REMOTE_ATOMIC;
	for (uint32_t q = 0; q < SHARERS; q++) {
		uint32_t qpn_a, qpn_b;

		init.scq = q;
		init.rcq = q;
		ep_cq(e->a, q, BATCH, false);
		ep_cq(e->b, q, BATCH, false);
		ep_qp(e->a, q, &init, &qpn_a);
		ep_qp(e->b, q, &init, &qpn_b);
		connect_slot(e, &conn, q, qpn_a, qpn_b);
	}
	pthread_barrier_init(&c.start, NULL, THREADS);
	for (unsigned int i = 0; i < THREADS; i++) {
		t[i] = (struct contender){ .c = &c, .first_qp = i * SHARERS / THREADS };
		CHECK(!pthread_create(&t[i].thread, NULL, contend, &t[i]), "pthread_create");
	}
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(t[i].thread, NULL);
	expect_u64(e->b, &c.mb, 0, c.sum, "value in the end");
}

#define QP_ATOMIC (QP_ALL | IBV_ACCESS_REMOTE_ATOMIC)
#define REFUSED(label, ...)                                                             \
	{                                                                               \
		.name = "atomic." label, .run = refused, .arg = &(const struct refusal) \
		{                                                                       \
			__VA_ARGS__                                                     \
		}                                                                       \
	}

static const enum ibv_wr_opcode op_add = IBV_WR_ATOMIC_FETCH_AND_ADD,
				op_swap = IBV_WR_ATOMIC_CMP_AND_SWP;

static const struct rvt_case cases[] = {
	{ .name = "atomic.fetch_add", .run = fetch_add },
	{ .name = "atomic.cmp_swap", .run = cmp_swap },
	{ .name = "atomic.write", .run = atomic_write },
	{ .name = "atomic.shared_word_add", .run = shared_word, .arg = &op_add, .local = true },
	{ .name = "atomic.shared_word_swap", .run = shared_word, .arg = &op_swap, .local = true },
	REFUSED("qp_denied", QP_ALL, ACC_ALL, 0, 0, false, false, IBV_WC_REM_INV_REQ_ERR),
	REFUSED("no_resources", QP_ATOMIC, ACC_ALL, 0, 0, true, false, IBV_WC_REM_INV_REQ_ERR),
	REFUSED("mr_denied", QP_ATOMIC, MR_ALL, 0, 0, false, false, IBV_WC_REM_ACCESS_ERR),
	REFUSED("bad_rkey", QP_ATOMIC, ACC_ALL, 0, 0x100, false, false, IBV_WC_REM_ACCESS_ERR),
	REFUSED("past_end", QP_ATOMIC, ACC_ALL, 256 * 1024 - TARGET, 0, false, false,
		IBV_WC_REM_ACCESS_ERR),
	REFUSED("misaligned_4", QP_ATOMIC, ACC_ALL, 4, 0, false, false, IBV_WC_REM_INV_REQ_ERR),
	REFUSED("misaligned_1", QP_ATOMIC, ACC_ALL, 1, 0, false, false, IBV_WC_REM_INV_REQ_ERR),
	REFUSED("before_start", QP_ATOMIC, ACC_ALL, -TARGET - 8, 0, false, false,
		IBV_WC_REM_ACCESS_ERR),
	REFUSED("write_qp_denied", IBV_ACCESS_REMOTE_READ, MR_ALL, 0, 0, false, true,
		IBV_WC_REM_INV_REQ_ERR),
	REFUSED("write_no_resources", QP_ALL, MR_ALL, 0, 0, true, true, IBV_WC_REM_INV_REQ_ERR),
	REFUSED("write_mr_denied", QP_ALL, IBV_ACCESS_REMOTE_READ, 0, 0, false, true,
		IBV_WC_REM_ACCESS_ERR),
	REFUSED("write_bad_rkey", QP_ALL, MR_ALL, 0, 0x100, false, true, IBV_WC_REM_ACCESS_ERR),
	REFUSED("write_past_end", QP_ALL, MR_ALL, 256 * 1024 - TARGET, 0, false, true,
		IBV_WC_REM_ACCESS_ERR),
	REFUSED("write_misaligned", QP_ALL, MR_ALL, 4, 0, false, true, IBV_WC_REM_INV_REQ_ERR),
};

const struct rvt_case_list rvt_atomic_cases = { cases, ARRAY_SIZE(cases) };
