// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completion queues that a kernel user polls by itself; shared receive queues */
#include <linux/delay.h>

#include "obj/cq.h"
#include "rig.h"

#define TRIES 60000 /* of a millisecond */
#define LONG (60 * HZ)
#define MORE (HZ / 10) /* for what must not come */

/**
 * struct own - a QP connected to itself, and its CQ, which nobody polls
 * @cq: the CQ
 * @qp: the QP
 * @event: the completion handler has run
 * @posted: requests posted, the next one's wr_id
 * @polled: completions polled, the next one's wr_id
 */
struct own {
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct completion event;
	u64 posted;
	u64 polled;
};

static void on_completion(struct ib_cq *cq, void *context)
{
	struct own *own = context;

	complete(&own->event);
}

static struct own *make_own(struct kunit *test)
{
	struct kv *kv = test->priv;
	struct own *own = kunit_kzalloc(test, sizeof(*own), GFP_KERNEL);
	struct ib_cq_init_attr cq_init = { .cqe = 15 };
	struct ib_qp_init_attr init = {
		.cap = { .max_send_wr = KV_DEPTH,
			 .max_recv_wr = KV_DEPTH,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
	};

	KUNIT_ASSERT_NOT_NULL(test, own);
	init_completion(&own->event);
	own->cq = ib_create_cq(kv->dev, on_completion, NULL, own, &cq_init);
	KUNIT_ASSERT_FALSE(test, IS_ERR(own->cq));
	init.send_cq = own->cq;
	init.recv_cq = own->cq;
	own->qp = ib_create_qp(kv->pd, &init);
	KUNIT_ASSERT_FALSE(test, IS_ERR(own->qp));
	KUNIT_ASSERT_EQ(test, kv_connect(kv, own->qp, own->qp->qp_num), 0);
	return own;
}

static void end_own(struct own *own)
{
	ib_destroy_qp(own->qp);
	ib_destroy_cq(own->cq);
}

static u32 entries(const struct own *own)
{
	return rxe_ring_filled(&to_rxe_cq(own->cq)->cons);
}

static bool has_entries(const struct own *own, u32 n)
{
	int i;

	for (i = 0; i < TRIES && entries(own) < n; i++)
		usleep_range(1000, 2000);
	return entries(own) == n;
}

/* @n more WRITEs of nothing, for which no key is needed */
static void post(struct kunit *test, struct own *own, u32 n)
{
	struct ib_rdma_wr wr = { .wr = { .opcode = IB_WR_RDMA_WRITE,
					 .send_flags = IB_SEND_SIGNALED } };

	while (n--) {
		wr.wr.wr_id = own->posted++;
		KUNIT_ASSERT_EQ(test, ib_post_send(own->qp, &wr.wr, NULL), 0);
	}
}

/* What there is comes in the order in which it was posted, none twice, none missing */
static void poll(struct kunit *test, struct own *own)
{
	struct ib_wc wc[3];
	int i, n;

	while ((n = ib_poll_cq(own->cq, ARRAY_SIZE(wc), wc)) > 0) {
		for (i = 0; i < n; i++) {
			KUNIT_ASSERT_EQ(test, wc[i].wr_id, own->polled++);
			KUNIT_ASSERT_EQ(test, (int)wc[i].status, 0);
		}
	}
	KUNIT_ASSERT_EQ(test, n, 0);
}

static void resize_keeps_completions(struct kunit *test)
{
	struct own *own = make_own(test);

	post(test, own, 10);
	KUNIT_ASSERT_TRUE(test, has_entries(own, 10));
	/* Fewer than there are is refused, and no size at all, and one beyond the limit */
	KUNIT_EXPECT_EQ(test, ib_resize_cq(own->cq, 5), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_resize_cq(own->cq, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_resize_cq(own->cq, RXE_MAX_CQE + 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, own->cq->cqe, 15);
	KUNIT_EXPECT_EQ(test, ib_resize_cq(own->cq, 100), 0);
	KUNIT_EXPECT_GE(test, own->cq->cqe, 100);
	poll(test, own);
	KUNIT_EXPECT_EQ(test, own->polled, 10ULL);
	/* It holds as many as it says */
	post(test, own, KV_DEPTH - 1);
	KUNIT_ASSERT_TRUE(test, has_entries(own, KV_DEPTH - 1));
	post(test, own, 100 - (KV_DEPTH - 1));
	KUNIT_ASSERT_TRUE(test, has_entries(own, 100));
	poll(test, own);
	KUNIT_EXPECT_EQ(test, ib_resize_cq(own->cq, 1), 0);
	post(test, own, 1);
	KUNIT_ASSERT_TRUE(test, has_entries(own, 1));
	poll(test, own);
	KUNIT_EXPECT_EQ(test, own->polled, own->posted);
	end_own(own);
}

/* Completions come while it changes its size, again and again */
static void resize_under_traffic(struct kunit *test)
{
	struct own *own = make_own(test);
	int i;

	for (i = 0; i < 200; i++) {
		post(test, own, 4);
		KUNIT_ASSERT_EQ(test, ib_resize_cq(own->cq, i & 1 ? 40 : 300),
				0);
		/* No more than the smaller one holds, and the send queue */
		if (own->posted - own->polled >= 32)
			has_entries(own, own->posted - own->polled);
		poll(test, own);
	}
	KUNIT_EXPECT_TRUE(test, has_entries(own, own->posted - own->polled));
	poll(test, own);
	KUNIT_EXPECT_EQ(test, own->polled, 800ULL);
	end_own(own);
}

/* Has the handler run, or does it, in that time? */
static bool event(struct own *own, unsigned long time)
{
	return wait_for_completion_timeout(&own->event, time);
}

/* A user polls, asks for an event, and must be told of what came in between */
static void missed_events_are_reported(struct kunit *test)
{
	const int next = IB_CQ_NEXT_COMP, report = IB_CQ_REPORT_MISSED_EVENTS;
	struct own *own = make_own(test);

	KUNIT_EXPECT_EQ(test, ib_req_notify_cq(own->cq, next | report), 0);
	post(test, own, 1);
	KUNIT_EXPECT_TRUE(test, event(own, LONG));
	/* Not armed any more, and no second event for the first entry */
	post(test, own, 1);
	KUNIT_ASSERT_TRUE(test, has_entries(own, 2));
	KUNIT_EXPECT_EQ(test, ib_req_notify_cq(own->cq, next), 0);
	KUNIT_EXPECT_FALSE(test, event(own, MORE));
	KUNIT_EXPECT_GT(test, ib_req_notify_cq(own->cq, next | report), 0);
	poll(test, own);
	/* It was armed all the same */
	KUNIT_EXPECT_EQ(test, ib_req_notify_cq(own->cq, next | report), 0);
	post(test, own, 1);
	KUNIT_EXPECT_TRUE(test, event(own, LONG));
	poll(test, own);
	KUNIT_EXPECT_EQ(test, own->polled, 3ULL);
	end_own(own);
}

/* Only what the peer has marked, or what failed, is an event for who waits for that */
static void solicited_events(struct kunit *test)
{
	struct kv *kv = test->priv;
	struct own *own = make_own(test);
	struct ib_sge none = kv_local(kv, kv->buf, 0);
	struct ib_recv_wr recv = { .sg_list = &none, .num_sge = 1 };
	struct ib_send_wr wr = { .opcode = IB_WR_SEND };
	int i;

	KUNIT_EXPECT_EQ(test, ib_req_notify_cq(own->cq, IB_CQ_SOLICITED), 0);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, ib_post_recv(own->qp, &recv, NULL), 0);
		wr.send_flags = i ? IB_SEND_SOLICITED : 0;
		KUNIT_EXPECT_EQ(test, ib_post_send(own->qp, &wr, NULL), 0);
		KUNIT_ASSERT_TRUE(test, has_entries(own, 1 + i));
		if (!i)
			KUNIT_EXPECT_FALSE(test, event(own, MORE));
	}
	KUNIT_EXPECT_TRUE(test, event(own, LONG));
	end_own(own);
}

/* A QP in error takes nothing out of its SRQ any more, and says so, once; others do */
static void last_request_out_of_an_srq(struct kunit *test)
{
	struct kv *kv = test->priv;
	struct ib_srq_init_attr init = {
		.attr = { .max_wr = 10, .max_sge = 1 },
		.srq_type = IB_SRQT_BASIC,
	};
	struct ib_qp_attr error = { .qp_state = IB_QPS_ERR };
	struct ib_sge sge = kv_local(kv, kv->buf, 100);
	struct ib_send_wr send = { .opcode = IB_WR_SEND,
				   .sg_list = &sge,
				   .num_sge = 1 };
	struct kv_op ops[3];
	unsigned long left;
	int i;

	kv->srq = ib_create_srq(kv->pd, &init);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kv->srq));
	kv_remake_ends(test, IB_QPT_RC);
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		struct ib_recv_wr wr = { .wr_cqe = &ops[i].cqe,
					 .sg_list = &sge,
					 .num_sge = 1 };

		kv_op_init(&ops[i]);
		KUNIT_ASSERT_EQ(test, ib_post_srq_recv(kv->srq, &wr, NULL), 0);
	}
	KUNIT_ASSERT_EQ(test, kv_send(kv->a.qp, &send), 0);
	KUNIT_ASSERT_EQ(test, kv_op_wait(&ops[0]), 0);
	KUNIT_EXPECT_PTR_EQ(test, ops[0].wc.qp, kv->b.qp);
	KUNIT_EXPECT_FALSE(test, completion_done(&kv->b.last_wqe));
	KUNIT_ASSERT_EQ(test, ib_modify_qp(kv->b.qp, &error, IB_QP_STATE), 0);
	left = wait_for_completion_timeout(&kv->b.last_wqe, LONG);
	KUNIT_EXPECT_GT(test, left, 0UL);
	/* Nothing that was in the SRQ is flushed: it is not that QP's */
	left = wait_for_completion_timeout(&kv->b.last_wqe, MORE);
	KUNIT_EXPECT_EQ(test, left, 0UL);
	KUNIT_EXPECT_FALSE(test, completion_done(&ops[1].done));
	KUNIT_EXPECT_FALSE(test, completion_done(&kv->a.last_wqe));
	/* A QP made in its place receives what is left */
	kv_remake_ends(test, IB_QPT_RC);
	for (i = 1; i < ARRAY_SIZE(ops); i++) {
		KUNIT_ASSERT_EQ(test, kv_send(kv->b.qp, &send), 0);
		KUNIT_ASSERT_EQ(test, kv_op_wait(&ops[i]), 0);
		KUNIT_EXPECT_PTR_EQ(test, ops[i].wc.qp, kv->a.qp);
	}
}

static struct kunit_case queues_cases[] = {
	KUNIT_CASE(resize_keeps_completions),
	KUNIT_CASE(resize_under_traffic),
	KUNIT_CASE(missed_events_are_reported),
	KUNIT_CASE(solicited_events),
	KUNIT_CASE(last_request_out_of_an_srq),
	{}
};

static struct kunit_suite queues_suite = {
	.name = "rxe_kverbs_queues",
	.init = kv_init,
	.exit = kv_exit,
	.test_cases = queues_cases,
};

kunit_test_suite(queues_suite);
