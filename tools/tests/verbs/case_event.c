// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completion channels, solicited events and asynchronous events. */
#include "pair.h"

/* How long to watch for an event that must not come. */
#define QUIET_MS 200

static void open_with_channel(struct pair *p, struct env *e)
{
	struct pair_opts o = pair_defaults;

	o.channel = true;
	pair_open(p, e, &o);
}

/* One message with flags of its own; completions stay in the queues. */
static void send_one(struct pair *p, uint64_t id, unsigned int flags)
{
	struct ep_wr wr = wr_op(id, IBV_WR_SEND, &p->ma, 0, 32, NULL, 0);
	struct ep_wr rwr = wr_recv(id, &p->mb, 0, 32);

	wr.flags |= flags;
	ep_recv(p->b, QP_0, &rwr, 1);
	ep_send(p->a, QP_0, &wr, 1);
}

static void drain(struct pair *p, uint64_t id)
{
	expect_send(p->a, CQ_SEND, id, IBV_WR_SEND);
	expect_recv(p->b, CQ_RECV, id, IBV_WR_SEND, 32, 0);
}

/* An armed queue gives one event for the next completion, an unarmed one none. */
static void next_completion(struct env *e, const void *arg)
{
	struct pair p;

	(void)arg;
	open_with_channel(&p, e);
	rvt_step("not armed");
	send_one(&p, 1, 0);
	CHECK(!ep_event(p.a, CQ_SEND, QUIET_MS), "event from a queue that was not armed");
	CHECK(!ep_event(p.b, CQ_RECV, 0), "event from a queue that was not armed");
	drain(&p, 1);
	for (uint64_t id = 2; id < 6; id++) {
		rvt_step("armed, message %llu", (unsigned long long)id);
		ep_arm(p.a, CQ_SEND, false);
		ep_arm(p.b, CQ_RECV, false);
		send_one(&p, id, 0);
		CHECK(ep_event(p.b, CQ_RECV, WAIT_MS), "no event for a receive");
		CHECK(ep_event(p.a, CQ_SEND, WAIT_MS), "no event for a send");
		drain(&p, id);
	}
	rvt_step("one event for one arming");
	ep_arm(p.b, CQ_RECV, false);
	send_one(&p, 10, 0);
	send_one(&p, 11, 0);
	CHECK(ep_event(p.b, CQ_RECV, WAIT_MS), "no event");
	CHECK(!ep_event(p.b, CQ_RECV, QUIET_MS), "two events for one arming");
}

static void solicited(struct env *e, const void *arg)
{
	struct pair p;

	(void)arg;
	open_with_channel(&p, e);
	ep_arm(p.b, CQ_RECV, true);
	send_one(&p, 1, 0);
	CHECK(!ep_event(p.b, CQ_RECV, QUIET_MS), "event for an unsolicited message");
	drain(&p, 1);
	rvt_step("still armed, solicited message");
	send_one(&p, 2, IBV_SEND_SOLICITED);
	CHECK(ep_event(p.b, CQ_RECV, WAIT_MS), "no event for a solicited message");
	drain(&p, 2);
	rvt_step("armed for any, then for solicited: any stays");
	ep_arm(p.b, CQ_RECV, false);
	ep_arm(p.b, CQ_RECV, true);
	send_one(&p, 3, 0);
	CHECK(ep_event(p.b, CQ_RECV, WAIT_MS), "arming for solicited undid arming for any");
	drain(&p, 3);
}

static void solicited_write_imm(struct env *e, const void *arg)
{
	struct ep_wr wr, rwr = { .wr_id = 1 };
	struct pair p;

	(void)arg;
	open_with_channel(&p, e);
	ep_arm(p.b, CQ_RECV, true);
	wr = wr_op(1, IBV_WR_RDMA_WRITE_WITH_IMM, &p.ma, 0, 3000, &p.mb, 0);
	wr.flags |= IBV_SEND_SOLICITED;
	ep_recv(p.b, QP_0, &rwr, 1);
	ep_send(p.a, QP_0, &wr, 1);
	CHECK(ep_event(p.b, CQ_RECV, WAIT_MS), "no event for a solicited WRITE_IMM");
	expect_recv(p.b, CQ_RECV, 1, IBV_WR_RDMA_WRITE_WITH_IMM, 3000, wr.imm);
}

/* A completion in error counts as solicited, at both queues. */
static void solicited_error(struct env *e, const void *arg)
{
	struct ep_wr rwr;
	struct ep_wr wr;
	struct pair p;

	(void)arg;
	open_with_channel(&p, e);
	rwr = wr_recv(1, &p.ma, 0, 32);
	ep_recv(p.a, QP_0, &rwr, 1);
	ep_arm(p.a, CQ_SEND, true);
	ep_arm(p.a, CQ_RECV, true);
	wr = wr_op(1, IBV_WR_RDMA_WRITE, &p.ma, 0, 32, &p.mb, 0);
	wr.rkey ^= 0x100;
	ep_send(p.a, QP_0, &wr, 1);
	CHECK(ep_event(p.a, CQ_SEND, WAIT_MS), "no event for a send in error");
	CHECK(ep_event(p.a, CQ_RECV, WAIT_MS), "no event for a flushed receive");
	expect_wc(p.a, CQ_SEND, 1, IBV_WC_REM_ACCESS_ERR);
	expect_wc(p.a, CQ_RECV, 1, IBV_WC_WR_FLUSH_ERR);
}

/* More completions than the queue holds: an event says so, never silence. */
static void cq_overflow(struct env *e, const void *arg)
{
	struct pair_opts o = pair_defaults;
	struct ep_wr wr;
	struct pair p;
	int ev;

	(void)arg;
	o.cq_depth = 4;
	o.sq = 128;
	pair_open(&p, e, &o);
	for (unsigned int i = 0; i < 120; i++) {
		wr = wr_op(i, IBV_WR_RDMA_WRITE, &p.ma, 0, 8, &p.mb, 0);
		if (ep_try_send(p.a, QP_0, &wr, 1))
			break; /* the QP may be in error by now */
	}
	ev = ep_async(p.a, WAIT_MS);
	CHECK(ev == IBV_EVENT_CQ_ERR || ev == IBV_EVENT_QP_FATAL,
	      "asynchronous event is %d, must be CQ_ERR", ev);
}

/* What the queue promised to hold it holds. */
static void cq_full(struct env *e, const void *arg)
{
	struct pair_opts o = pair_defaults;
	struct ep_wr wr[EP_MAX_WR];
	struct pair p;

	(void)arg;
	o.cq_depth = 40;
	pair_open(&p, e, &o);
	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int i = 0; i < 40; i++)
			wr[i] = wr_op(i, IBV_WR_RDMA_WRITE, &p.ma, 0, 8, &p.mb, 0);
		ep_send(p.a, QP_0, wr, 40);
		rvt_sleep_ms(100);
		for (unsigned int i = 0; i < 40; i++)
			expect_send(p.a, CQ_SEND, i, IBV_WR_RDMA_WRITE);
		expect_none(p.a, CQ_SEND, 0, "more completions than sends");
	}
}

static const struct rvt_case cases[] = {
	{ .name = "event.next_completion", .run = next_completion },
	{ .name = "event.solicited", .run = solicited },
	{ .name = "event.solicited_write_imm", .run = solicited_write_imm },
	{ .name = "event.error_is_solicited", .run = solicited_error },
	{ .name = "event.cq_overflow", .run = cq_overflow },
	{ .name = "event.cq_full", .run = cq_full },
};

const struct rvt_case_list rvt_event_cases = { cases, ARRAY_SIZE(cases) };
