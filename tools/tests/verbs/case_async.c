// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Asynchronous events of a QP (IBTA 11.6.3): what no completion tells comes as an
 * event, once, and nothing comes that was not asked for.
 */
#include "pair.h"

#define QUIET_MS 200

static void expect_event(struct ep *ep, enum ibv_event_type want)
{
	int got = ep_async(ep, WAIT_MS);

	CHECK(got == (int)want, "%s: event %d, must be \"%s\"", ep->tag, got,
	      ibv_event_type_str(want));
}

static void expect_quiet(struct ep *ep, const char *why)
{
	int got = ep_async(ep, QUIET_MS);

	CHECK(got < 0, "%s: event \"%s\": %s", ep->tag, ibv_event_type_str(got), why);
}

/* The responder's QP fails with one event; the requester has its completion */
static void expect_one_event(struct pair *p, enum ibv_event_type want)
{
	expect_event(p->b, want);
	expect_state(p->b, QP_0, IBV_QPS_ERR);
	expect_quiet(p->b, "one event for one error");
	expect_quiet(p->a, "a completion has told");
}

/* A request that the QP does not allow, and no receive to complete with an error */
static void req_err(struct env *e, const void *arg)
{
	struct pair_opts o = pair_defaults;
	struct ep_wr wr;
	struct pair p;

	(void)arg;
	o.conn.access_b = IBV_ACCESS_REMOTE_READ;
	pair_open(&p, e, &o);
	wr = wr_op(1, IBV_WR_RDMA_WRITE, &p.ma, 0, 32, &p.mb, 0);
	ep_send(p.a, QP_0, &wr, 1);
	expect_wc(p.a, CQ_SEND, 1, IBV_WC_REM_INV_REQ_ERR);
	expect_one_event(&p, IBV_EVENT_QP_REQ_ERR);
}

/* A key that is wrong, for a WRITE and for a READ */
static void access_err(struct env *e, const void *arg)
{
	enum ibv_wr_opcode op = *(const enum ibv_wr_opcode *)arg;
	struct ep_wr wr;
	struct pair p;

	pair_open(&p, e, &pair_defaults);
	wr = wr_op(1, op, &p.ma, 0, 3000, &p.mb, 0);
	wr.rkey ^= 0x100;
	ep_send(p.a, QP_0, &wr, 1);
	expect_wc(p.a, CQ_SEND, 1, IBV_WC_REM_ACCESS_ERR);
	expect_one_event(&p, IBV_EVENT_QP_ACCESS_ERR);
}

/* A fault that a completion tells about: no event besides */
static void told_by_completion(struct env *e, const void *arg)
{
	struct ep_wr wr, rwr;
	struct pair p;

	(void)arg;
	pair_open(&p, e, &pair_defaults);
	rwr = wr_recv(1, &p.mb, 0, 31);
	ep_recv(p.b, QP_0, &rwr, 1);
	wr = wr_op(1, IBV_WR_SEND, &p.ma, 0, 32, NULL, 0);
	ep_send(p.a, QP_0, &wr, 1);
	expect_wc(p.a, CQ_SEND, 1, IBV_WC_REM_INV_REQ_ERR);
	expect_wc(p.b, CQ_RECV, 1, IBV_WC_LOC_LEN_ERR);
	expect_quiet(p.b, "the receive has told");
	expect_quiet(p.a, "the send has told");
}

/* Completions that do not fit: the CQ is lost, and the QP with it */
static void overflow(struct ep *ep)
{
	bool cq = false, fatal = false;

	for (unsigned int i = 0; i < 2; i++) {
		int ev = ep_async(ep, WAIT_MS);

		cq |= ev == IBV_EVENT_CQ_ERR;
		fatal |= ev == IBV_EVENT_QP_FATAL;
	}
	CHECK(cq, "%s: no CQ_ERR", ep->tag);
	CHECK(fatal, "%s: no QP_FATAL", ep->tag);
	expect_state(ep, QP_0, IBV_QPS_ERR);
	expect_quiet(ep, "each once");
}

static void send_overflow(struct env *e, const void *arg)
{
	struct pair_opts o = pair_defaults;
	struct ep_wr wr;
	struct pair p;

	(void)arg;
	o.cq_depth = 4;
	pair_open(&p, e, &o);
	for (unsigned int i = 0; i < 30; i++) {
		wr = wr_op(i, IBV_WR_RDMA_WRITE, &p.ma, 0, 8, &p.mb, 0);
		if (ep_try_send(p.a, QP_0, &wr, 1))
			break;
	}
	overflow(p.a);
}

static void recv_overflow(struct env *e, const void *arg)
{
	struct pair_opts o = pair_defaults;
	struct ep_wr wr, rwr;
	struct pair p;

	(void)arg;
	o.cq_depth = 4;
	pair_open(&p, e, &o);
	for (unsigned int i = 0; i < 30; i++) {
		rwr = wr_recv(i, &p.mb, 0, 8);
		ep_recv(p.b, QP_0, &rwr, 1);
	}
	for (unsigned int i = 0; i < 30; i++) {
		struct ibv_wc wc;

		wr = wr_op(i, IBV_WR_SEND, &p.ma, 0, 8, NULL, 0);
		if (ep_try_send(p.a, QP_0, &wr, 1) || !ep_poll(p.a, CQ_SEND, &wc, 1, 1000))
			break;
	}
	overflow(p.b);
}

/* The first message before the QP is told that the connection stands: once */
static void comm_est(struct env *e, const void *arg)
{
	struct ibv_qp_attr attr;
	struct ep_wr wr, rwr;
	struct pair p;
	int mask;

	(void)arg;
	pair_create(&p, e, &pair_defaults);
	pair_init(&p);
	pair_half(&p);
	for (unsigned int i = 0; i < 3; i++) {
		rwr = wr_recv(i, &p.mb, 0, 32);
		ep_recv(p.b, QP_0, &rwr, 1);
		wr = wr_op(i, IBV_WR_SEND, &p.ma, 0, 32, NULL, 0);
		ep_send(p.a, QP_0, &wr, 1);
		expect_recv(p.b, CQ_RECV, i, IBV_WR_SEND, 32, 0);
		expect_send(p.a, CQ_SEND, i, IBV_WR_SEND);
	}
	expect_event(p.b, IBV_EVENT_COMM_EST);
	mask = attr_rts(&attr, &p.o.conn, p.o.conn.psn_b);
	ep_modify(p.b, QP_0, &attr, mask);
	expect_quiet(p.b, "once, and not in RTS");
	expect_quiet(p.a, "a is in RTS");
}

/* SQ_DRAINED is for those who asked (IBTA 10.3.1.6) */
static void drained_unasked(struct env *e, const void *arg)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD };
	struct ep_wr wr;
	struct pair p;

	(void)arg;
	pair_open(&p, e, &pair_defaults);
	wr = wr_op(1, IBV_WR_RDMA_WRITE, &p.ma, 0, 5000, &p.mb, 0);
	ep_send(p.a, QP_0, &wr, 1);
	ep_modify(p.a, QP_0, &attr, IBV_QP_STATE);
	expect_send(p.a, CQ_SEND, 1, IBV_WR_RDMA_WRITE);
	expect_quiet(p.a, "not asked for");
	rvt_step("asked for, again and again, on an empty queue");
	attr.en_sqd_async_notify = 1;
	for (unsigned int i = 0; i < 3; i++) {
		set_state(p.a, QP_0, IBV_QPS_RTS);
		ep_modify(p.a, QP_0, &attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY);
		expect_event(p.a, IBV_EVENT_SQ_DRAINED);
	}
	expect_quiet(p.a, "one for each");
}

static const enum ibv_wr_opcode op_write = IBV_WR_RDMA_WRITE, op_read = IBV_WR_RDMA_READ;

static const struct rvt_case cases[] = {
	{ .name = "async.req_err", .run = req_err },
	{ .name = "async.access_err_write", .run = access_err, .arg = &op_write },
	{ .name = "async.access_err_read", .run = access_err, .arg = &op_read },
	{ .name = "async.told_by_completion", .run = told_by_completion },
	{ .name = "async.send_cq_overflow", .run = send_overflow },
	{ .name = "async.recv_cq_overflow", .run = recv_overflow },
	{ .name = "async.comm_est", .run = comm_est },
	{ .name = "async.sq_drained_when_asked", .run = drained_unasked },
};

const struct rvt_case_list rvt_async_cases = { cases, ARRAY_SIZE(cases) };
