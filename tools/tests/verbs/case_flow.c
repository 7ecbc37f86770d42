// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Flow: receiver not ready, retries that run out, queue depth, fence, destruction. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "pair.h"

/* The receive comes late; the send waits for it and then arrives once. */
static void rnr_late(struct env *e, const void *arg)
{
	const enum ibv_wr_opcode op = *(const enum ibv_wr_opcode *)arg;
	struct ep_wr wr, rwr;
	struct pair p;

	pair_open(&p, e, &pair_defaults);
	ep_fill(p.a, &p.ma, 0, 3000, 5);
	for (unsigned int i = 0; i < 4; i++) {
		wr = wr_op(i, op, &p.ma, 0, 3000, &p.mb, 8192);
		ep_fill(p.b, &p.mb, 8192, 3000, KEY_POISON);
		ep_send(p.a, QP_0, &wr, 1);
		expect_none(p.a, CQ_SEND, 150, "there is no receive yet");
		rwr = wr_recv(100 + i, &p.mb, 8192, 3000);
		ep_recv(p.b, QP_0, &rwr, 1);
		expect_recv(p.b, CQ_RECV, 100 + i, op, 3000, wr.imm);
		expect_send(p.a, CQ_SEND, i, op);
		ep_verify(p.b, &p.mb, 8192, 3000, 5, "late received data");
	}
}

/* rnr_retry 7 never gives up, however often the peer says no. */
static void rnr_forever(struct env *e, const void *arg)
{
	struct pair_opts o = pair_defaults;
	struct ep_wr wr, rwr;
	struct pair p;

	(void)arg;
	o.conn.min_rnr = 1; /* 10 microseconds */
	pair_open(&p, e, &o);
	wr = wr_op(1, IBV_WR_SEND, &p.ma, 0, 100, NULL, 0);
	ep_send(p.a, QP_0, &wr, 1);
	expect_none(p.a, CQ_SEND, 2000, "rnr_retry 7 means for ever");
	rwr = wr_recv(2, &p.mb, 0, 100);
	ep_recv(p.b, QP_0, &rwr, 1);
	expect_recv(p.b, CQ_RECV, 2, IBV_WR_SEND, 100, 0);
	expect_send(p.a, CQ_SEND, 1, IBV_WR_SEND);
}

/* Some receives, then none: what fits completes, the next gives up, the rest is flushed. */
static void rnr_exhausted(struct env *e, const void *arg)
{
	const unsigned int retries = *(const unsigned int *)arg;
	struct pair_opts o = pair_defaults;
	struct ep_wr wr[6], rwr[3];
	struct pair p;

	o.conn.rnr_retry = retries;
	pair_open(&p, e, &o);
	for (unsigned int i = 0; i < ARRAY_SIZE(rwr); i++)
		rwr[i] = wr_recv(100 + i, &p.mb, 0, 2000);
	for (unsigned int i = 0; i < ARRAY_SIZE(wr); i++)
		wr[i] = wr_op(i, IBV_WR_SEND, &p.ma, 0, 2000, NULL, 0);
	ep_recv(p.b, QP_0, rwr, ARRAY_SIZE(rwr));
	ep_send(p.a, QP_0, wr, ARRAY_SIZE(wr));
	for (unsigned int i = 0; i < ARRAY_SIZE(rwr); i++) {
		expect_recv(p.b, CQ_RECV, 100 + i, IBV_WR_SEND, 2000, 0);
		expect_send(p.a, CQ_SEND, i, IBV_WR_SEND);
	}
	expect_wc(p.a, CQ_SEND, 3, IBV_WC_RNR_RETRY_EXC_ERR);
	expect_wc(p.a, CQ_SEND, 4, IBV_WC_WR_FLUSH_ERR);
	expect_wc(p.a, CQ_SEND, 5, IBV_WC_WR_FLUSH_ERR);
	expect_state(p.a, QP_0, IBV_QPS_ERR);
	expect_state(p.b, QP_0, IBV_QPS_RTS);
}

/* RNR in mid-stream behind WRITEs and before a READ: order and data hold. */
static void rnr_mixed(struct env *e, const void *arg)
{
	struct ep_wr wr[5], rwr;
	struct pair p;

	(void)arg;
	pair_open(&p, e, &pair_defaults);
	ep_fill(p.a, &p.ma, 0, 65536, 21);
	ep_fill(p.b, &p.mb, 0, 65536, KEY_POISON);
	wr[0] = wr_op(0, IBV_WR_RDMA_WRITE, &p.ma, 0, 5000, &p.mb, 0);
	wr[1] = wr_op(1, IBV_WR_SEND, &p.ma, 5000, 5000, NULL, 0);
	wr[2] = wr_op(2, IBV_WR_RDMA_WRITE, &p.ma, 10000, 5000, &p.mb, 10000);
	wr[3] = wr_op(3, IBV_WR_RDMA_READ, &p.ma, 100000, 15000, &p.mb, 0);
	wr[4] = wr_op(4, IBV_WR_RDMA_WRITE_WITH_IMM, &p.ma, 15000, 5000, &p.mb, 15000);
	ep_send(p.a, QP_0, wr, ARRAY_SIZE(wr));
	rvt_sleep_ms(50);
	rwr = wr_recv(100, &p.mb, 5000, 5000);
	ep_recv(p.b, QP_0, &rwr, 1);
	expect_recv(p.b, CQ_RECV, 100, IBV_WR_SEND, 5000, 0);
	for (unsigned int i = 0; i < 4; i++)
		expect_send(p.a, CQ_SEND, i, wr[i].opcode);
	ep_verify(p.a, &p.ma, 100000, 15000, 21, "what the READ brought back");
	rwr.wr_id = 101;
	rwr.nsge = 0;
	ep_recv(p.b, QP_0, &rwr, 1);
	expect_recv(p.b, CQ_RECV, 101, wr[4].opcode, 5000, wr[4].imm);
	expect_send(p.a, CQ_SEND, 4, wr[4].opcode);
	ep_verify(p.b, &p.mb, 0, 20000, 21, "all data");
}

static void expect_retry_exceeded(struct pair *p)
{
	struct ep_wr wr[3];

	for (unsigned int i = 0; i < ARRAY_SIZE(wr); i++)
		wr[i] = wr_op(i, IBV_WR_RDMA_WRITE, &p->ma, 0, 100, &p->mb, 0);
	ep_send(p->a, QP_0, wr, ARRAY_SIZE(wr));
	expect_wc(p->a, CQ_SEND, 0, IBV_WC_RETRY_EXC_ERR);
	expect_wc(p->a, CQ_SEND, 1, IBV_WC_WR_FLUSH_ERR);
	expect_wc(p->a, CQ_SEND, 2, IBV_WC_WR_FLUSH_ERR);
	expect_state(p->a, QP_0, IBV_QPS_ERR);
}

/* The peer's QP is gone: give up after the retries asked for, also after 7. */
static void retry_gone(struct env *e, const void *arg)
{
	struct pair_opts o = pair_defaults;
	struct pair p;

	o.conn.retry = *(const unsigned int *)arg;
	/* 4 ms; without a retry the guests must not stand still for so long */
	o.conn.timeout = o.conn.retry ? 10 : 18;
	pair_open(&p, e, &o);
	ep_destroy_qp(p.b, QP_0);
	expect_retry_exceeded(&p);
}

static void retry_peer_reset(struct env *e, const void *arg)
{
	struct pair_opts o = pair_defaults;
	struct pair p;

	(void)arg;
	o.conn.retry = 2;
	o.conn.timeout = 10;
	pair_open(&p, e, &o);
	set_state(p.b, QP_0, IBV_QPS_RESET);
	expect_retry_exceeded(&p);
}

/* A READ whose responder disappears fails too. */
static void retry_read(struct env *e, const void *arg)
{
	struct pair_opts o = pair_defaults;
	struct ep_wr wr;
	struct pair p;

	(void)arg;
	o.conn.retry = 2;
	o.conn.timeout = 10;
	pair_open(&p, e, &o);
	set_state(p.b, QP_0, IBV_QPS_ERR);
	wr = wr_op(1, IBV_WR_RDMA_READ, &p.ma, 0, 100, &p.mb, 0);
	ep_send(p.a, QP_0, &wr, 1);
	expect_wc(p.a, CQ_SEND, 1, IBV_WC_RETRY_EXC_ERR);
}

/* The send queue takes what it promised, refuses more, and frees on completion. */
static void sq_depth(struct env *e, const void *arg)
{
	struct pair_opts o = pair_defaults;
	struct ep_wr wr, rwr;
	unsigned int n = 0;
	struct pair p;
	int err;

	(void)arg;
	o.sq = 8;
	o.rq = 64;
	pair_open(&p, e, &o);
	wr = wr_op(0, IBV_WR_SEND, &p.ma, 0, 10, NULL, 0);
	for (; n < 64; n++) {
		wr.wr_id = n;
		err = ep_try_send(p.a, QP_0, &wr, 1);
		if (err)
			break;
	}
	CHECK(n >= p.cap_a.max_send_wr && n >= 8, "only %u sends fit, promised %u", n,
	      p.cap_a.max_send_wr);
	CHECK(n < 64 && err == ENOMEM, "a full queue gave %d (%u posted)", err, n);
	for (unsigned int i = 0; i < n; i++) {
		rwr = wr_recv(i, &p.mb, 0, 10);
		ep_recv(p.b, QP_0, &rwr, 1);
		expect_recv(p.b, CQ_RECV, i, IBV_WR_SEND, 10, 0);
		expect_send(p.a, CQ_SEND, i, IBV_WR_SEND);
	}
	transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_SEND, 100, 0, 1000, 3);
}

/* Unsignaled sends leave no completion, and their slots come back. */
static void unsignaled(struct env *e, const void *arg)
{
	struct pair_opts o = pair_defaults;
	struct ep_wr wr[7];
	struct pair p;

	(void)arg;
	o.sq = 8;
	pair_open(&p, e, &o);
	for (unsigned int round = 0; round < 20; round++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(wr); i++) {
			wr[i] = wr_op(10 * round + i, i % 3 ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ,
				      &p.ma, 0, 100, &p.mb, 0);
			wr[i].flags = i + 1 == ARRAY_SIZE(wr) ? IBV_SEND_SIGNALED : 0;
		}
		ep_send(p.a, QP_0, wr, ARRAY_SIZE(wr));
		expect_send(p.a, CQ_SEND, 10 * round + ARRAY_SIZE(wr) - 1,
			    wr[ARRAY_SIZE(wr) - 1].opcode);
	}
	expect_none(p.a, CQ_SEND, 50, "the others were unsignaled");
}

static void sq_sig_all(struct env *e, const void *arg)
{
	struct pair_opts o = pair_defaults;
	struct ep_wr wr[20];
	struct pair p;

	(void)arg;
	o.sig_all = true;
	pair_open(&p, e, &o);
	for (unsigned int i = 0; i < ARRAY_SIZE(wr); i++) {
		wr[i] = wr_op(i, IBV_WR_RDMA_WRITE, &p.ma, 0, i, &p.mb, 0);
		wr[i].flags = 0;
	}
	ep_send(p.a, QP_0, wr, ARRAY_SIZE(wr));
	for (unsigned int i = 0; i < ARRAY_SIZE(wr); i++)
		expect_send(p.a, CQ_SEND, i, IBV_WR_RDMA_WRITE);
}

/* A fenced send sees what the READ before it brought. */
static void fence(struct env *e, const void *arg)
{
	struct pair p;

	(void)arg;
	pair_open(&p, e, &pair_defaults);
	for (unsigned int i = 0; i < 10; i++) {
		struct ep_wr wr[2], rwr = wr_recv(i, &p.mb, 100000, 20000);

		ep_fill(p.b, &p.mb, 0, 20000, 30 + i);
		ep_fill(p.a, &p.ma, 0, 20000, KEY_POISON);
		ep_recv(p.b, QP_0, &rwr, 1);
		wr[0] = wr_op(1, IBV_WR_RDMA_READ, &p.ma, 0, 20000, &p.mb, 0);
		wr[1] = wr_op(2, IBV_WR_SEND, &p.ma, 0, 20000, NULL, 0);
		wr[1].flags |= IBV_SEND_FENCE;
		ep_send(p.a, QP_0, wr, 2);
		expect_recv(p.b, CQ_RECV, i, IBV_WR_SEND, 20000, 0);
		expect_send(p.a, CQ_SEND, 1, IBV_WR_RDMA_READ);
		expect_send(p.a, CQ_SEND, 2, IBV_WR_SEND);
		ep_verify(p.b, &p.mb, 100000, 20000, 30 + i, "data sent behind the fence");
	}
}

/* A QP with work outstanding can be destroyed at any moment. */
static void destroy_outstanding(struct env *e, const void *arg)
{
	struct ep_qp_init init = {
		.scq = CQ_SEND,
		.rcq = CQ_RECV,
		.cap = { .max_send_wr = 64,
			 .max_recv_wr = 64,
			 .max_send_sge = 4,
			 .max_recv_sge = 4 },
	};
	struct pair p;

	(void)arg;
	pair_open(&p, e, &pair_defaults);
	for (unsigned int round = 0; round < 8; round++) {
		struct ep_wr wr[30], rwr[5];
		struct ep *victim = round & 1 ? p.b : p.a;

		rvt_step("round %u", round);
		for (unsigned int i = 0; i < ARRAY_SIZE(rwr); i++)
			rwr[i] = wr_recv(i, &p.mb, 0, 50000);
		for (unsigned int i = 0; i < ARRAY_SIZE(wr); i++)
			wr[i] = wr_op(i, i % 3 ? IBV_WR_SEND : IBV_WR_RDMA_READ, &p.ma, 0, 50000,
				      &p.mb, 0);
		ep_recv(p.b, QP_0, rwr, ARRAY_SIZE(rwr));
		ep_send(p.a, QP_0, wr, ARRAY_SIZE(wr));
		rvt_sleep_ms(3 * round);
		ep_destroy_qp(victim, QP_0);
		ep_destroy_qp(victim == p.a ? p.b : p.a, QP_0);
		for (int i = 0; i < 2; i++) {
			ep_destroy_cq(i ? p.a : p.b, CQ_SEND);
			ep_destroy_cq(i ? p.a : p.b, CQ_RECV);
			ep_cq(i ? p.a : p.b, CQ_SEND, 256, false);
			ep_cq(i ? p.a : p.b, CQ_RECV, 256, false);
		}
		ep_qp(p.a, QP_0, &init, &p.qpn_a);
		ep_qp(p.b, QP_0, &init, &p.qpn_b);
		pair_connect(&p);
		transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_SEND, 5000, 0, 1000, 1);
	}
}

/* What is in use cannot be destroyed. */
static void destroy_busy(struct env *e, const void *arg)
{
	struct pair p;

	(void)arg;
	pair_open(&p, e, &pair_defaults);
	CHECK(ep_try_destroy_cq(p.a, CQ_SEND) == EBUSY, "a CQ with a QP was destroyed");
	transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_SEND, 100, 0, 1000, 1);
	ep_destroy_qp(p.a, QP_0);
	ep_destroy_cq(p.a, CQ_SEND);
}

static const enum ibv_wr_opcode op_send = IBV_WR_SEND, op_send_imm = IBV_WR_SEND_WITH_IMM,
				op_write_imm = IBV_WR_RDMA_WRITE_WITH_IMM;
static const unsigned int n_0 = 0, n_1 = 1, n_3 = 3, n_6 = 6, n_7 = 7;

struct watcher {
	struct env *e;
	bool ends;
};

static void *watch(void *arg)
{
	struct watcher *w = arg;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	while (!__atomic_load_n(&w->ends, __ATOMIC_RELAXED)) {
		ibv_query_qp(agent_qp(w->e->a->agent, QP_0), &attr, IBV_QP_SQ_PSN, &init);
		ibv_query_qp(agent_qp(w->e->b->agent, QP_0), &attr, IBV_QP_RQ_PSN, &init);
	}
	return NULL;
}

/* Who looks at a QP is in nobody's way. One request at a time and no timeout: what does
 * not go out, or is not looked at when it comes in, is never heard of again.
 */
static void watched(struct env *e, const void *arg)
{
	enum { ROUNDS = 100000 };
	struct watcher w = { .e = e };
	struct pair_opts o = pair_defaults;
	struct ep_wr wr;
	pthread_t thread;
	struct pair p;

	(void)arg;
	o.conn.timeout = 0;
	pair_open(&p, e, &o);
	CHECK(!pthread_create(&thread, NULL, watch, &w), "pthread_create");
	for (unsigned int i = 0; i < ROUNDS; i++) {
		wr = wr_op(i, IBV_WR_RDMA_WRITE, &p.ma, 0, 8, &p.mb, 0);
		ep_send(p.a, QP_0, &wr, 1);
		expect_send(p.a, CQ_SEND, i, IBV_WR_RDMA_WRITE);
	}
	__atomic_store_n(&w.ends, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
}

static const struct rvt_case cases[] = {
	{ .name = "flow.rnr_late_send", .run = rnr_late, .arg = &op_send },
	{ .name = "flow.rnr_late_send_imm", .run = rnr_late, .arg = &op_send_imm },
	{ .name = "flow.rnr_late_write_imm", .run = rnr_late, .arg = &op_write_imm },
	{ .name = "flow.rnr_retry_7_waits", .run = rnr_forever },
	{ .name = "flow.rnr_retry_0", .run = rnr_exhausted, .arg = &n_0 },
	{ .name = "flow.rnr_retry_1", .run = rnr_exhausted, .arg = &n_1 },
	{ .name = "flow.rnr_retry_6", .run = rnr_exhausted, .arg = &n_6 },
	{ .name = "flow.rnr_mixed", .run = rnr_mixed },
	{ .name = "flow.retry_0_exceeded", .run = retry_gone, .arg = &n_0 },
	{ .name = "flow.retry_3_exceeded", .run = retry_gone, .arg = &n_3 },
	{ .name = "flow.retry_7_exceeded", .run = retry_gone, .arg = &n_7 },
	{ .name = "flow.retry_peer_reset", .run = retry_peer_reset },
	{ .name = "flow.retry_read", .run = retry_read },
	{ .name = "flow.sq_depth", .run = sq_depth },
	{ .name = "flow.unsignaled", .run = unsignaled },
	{ .name = "flow.sq_sig_all", .run = sq_sig_all },
	{ .name = "flow.fence", .run = fence },
	{ .name = "flow.destroy_outstanding", .run = destroy_outstanding },
	{ .name = "flow.destroy_busy", .run = destroy_busy },
	{ .name = "flow.watched", .run = watched, .local = true },
};

const struct rvt_case_list rvt_flow_cases = { cases, ARRAY_SIZE(cases) };
