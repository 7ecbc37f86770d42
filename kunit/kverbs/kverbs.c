// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The verbs of kernel users, on the device rxe_0: memory that requests give and take
 * away, completion handlers that post, draining.
 */
#include <linux/module.h>

#include "rig.h"

/* Requests that a drain finds */
#define DRAINED 20

static void registered_memory_is_written_and_read(struct kunit *test)
{
	struct kv *kv = test->priv;
	struct ib_sge sge = kv_local(kv, kv->buf, KV_BYTES);
	int i;

	KUNIT_ASSERT_EQ(test, (u64)KV_BYTES,
			(u64)sg_dma_len(&kv->sg[0]) + 2 * PAGE_SIZE +
				sg_dma_len(&kv->sg[3]));
	for (i = 0; i < 300; i++) {
		KUNIT_ASSERT_EQ(test, kv_reg(kv, kv->b.qp), 0);
		KUNIT_ASSERT_EQ(test, (u32)kv->mr->length, (u32)KV_BYTES);
		kv_fill(kv->buf, i);
		KUNIT_ASSERT_EQ(test,
				kv_rdma(kv->a.qp, IB_WR_RDMA_WRITE, &sge,
					kv->mr->iova, kv->mr->rkey, 0),
				0);
		KUNIT_ASSERT_TRUE(test, kv_pages_hold(kv, i));
		memset(kv->buf, 0, KV_BYTES);
		KUNIT_ASSERT_EQ(test,
				kv_rdma(kv->a.qp, IB_WR_RDMA_READ, &sge,
					kv->mr->iova, kv->mr->rkey, 0),
				0);
		sg_copy_from_buffer(kv->sg, KV_PAGES, kv->buf, KV_BYTES);
		KUNIT_ASSERT_TRUE(test, kv_pages_hold(kv, i));
		KUNIT_ASSERT_EQ(test, kv_invalidate(kv->b.qp, kv->mr->rkey), 0);
	}
	KUNIT_EXPECT_EQ(test,
			kv_rdma(kv->a.qp, IB_WR_RDMA_WRITE, &sge, kv->mr->iova,
				kv->mr->rkey, 0),
			(int)IB_WC_REM_ACCESS_ERR);
}

/* A list with a gap is registered up to the gap */
static void list_with_a_gap_is_cut(struct kunit *test)
{
	struct kv *kv = test->priv;

	kv->sg[1].length = 1000;
	sg_dma_len(&kv->sg[1]) = 1000;
	KUNIT_EXPECT_EQ(test,
			ib_map_mr_sg(kv->mr, kv->sg, KV_PAGES, NULL, PAGE_SIZE),
			2);
	KUNIT_EXPECT_EQ(test, (u32)kv->mr->length,
			(u32)PAGE_SIZE - KV_OFFSET + 1000);
}

static void registering_twice_fails(struct kunit *test)
{
	struct kv *kv = test->priv;

	KUNIT_ASSERT_EQ(test, kv_reg(kv, kv->a.qp), 0);
	KUNIT_EXPECT_EQ(test, kv_reg(kv, kv->a.qp), (int)IB_WC_LOC_QP_OP_ERR);
}

/* The peer takes the region away that it sends from: on one device that happens on
 * the sender's stack, and must not wait for the sender's own copy.
 */
static void send_with_invalidate(struct kunit *test)
{
	struct kv *kv = test->priv;
	struct ib_sge to = kv_local(kv, kv->buf, KV_BYTES);
	struct kv_op op;
	int i;

	for (i = 0; i < 300; i++) {
		struct ib_send_wr wr = { .opcode = IB_WR_SEND_WITH_INV };
		struct ib_sge from;

		KUNIT_ASSERT_EQ(test, kv_reg(kv, kv->b.qp), 0);
		kv_fill(kv->buf, i);
		sg_copy_from_buffer(kv->sg, KV_PAGES, kv->buf, KV_BYTES);
		memset(kv->buf, 0, KV_BYTES);
		from = kv_registered(kv);
		KUNIT_ASSERT_EQ(test, kv_post_recv(kv->b.qp, &op, &to), 0);
		wr.sg_list = &from;
		wr.num_sge = 1;
		wr.ex.invalidate_rkey = kv->mr->rkey;
		KUNIT_ASSERT_EQ(test, kv_send(kv->a.qp, &wr), 0);
		KUNIT_ASSERT_EQ(test, kv_op_wait(&op), 0);
		KUNIT_ASSERT_EQ(test, op.wc.byte_len, (u32)KV_BYTES);
		KUNIT_ASSERT_TRUE(test, op.wc.wc_flags & IB_WC_WITH_INVALIDATE);
		KUNIT_ASSERT_EQ(test, op.wc.ex.invalidate_rkey, kv->mr->rkey);
		sg_copy_from_buffer(kv->sg, KV_PAGES, kv->buf, KV_BYTES);
		KUNIT_ASSERT_TRUE(test, kv_pages_hold(kv, i));
	}
	KUNIT_EXPECT_EQ(test, kv_invalidate(kv->b.qp, kv->mr->rkey),
			(int)IB_WC_LOC_QP_OP_ERR);
}

/* Read from a region into memory, and into the region it takes away */
static void read_with_invalidate(struct kunit *test)
{
	struct kv *kv = test->priv;
	struct ib_sge to;
	int i;

	for (i = 0; i < 100; i++) {
		KUNIT_ASSERT_EQ(test, kv_reg(kv, kv->a.qp), 0);
		kv_fill(kv->buf, i);
		sg_copy_from_buffer(kv->sg, KV_PAGES, kv->buf, KV_BYTES);
		to = i & 1 ? kv_registered(kv) :
			     kv_local(kv, kv->buf, KV_BYTES);
		KUNIT_ASSERT_EQ(test,
				kv_rdma(kv->a.qp, IB_WR_RDMA_READ_WITH_INV, &to,
					kv->mr->iova, kv->mr->rkey,
					kv->mr->rkey),
				0);
		KUNIT_ASSERT_TRUE(test, kv_pages_hold(kv, i));
	}
	KUNIT_EXPECT_EQ(test, kv_invalidate(kv->a.qp, kv->mr->rkey),
			(int)IB_WC_LOC_QP_OP_ERR);
}

static void inline_of_two_spans(struct kunit *test)
{
	struct kv *kv = test->priv;
	struct ib_sge to = kv_local(kv, kv->buf, KV_BYTES);
	char text[] = "first second";
	struct ib_sge from[] = { kv_local(kv, text + 6, 6),
				 kv_local(kv, text, 6) };
	struct ib_send_wr wr = { .opcode = IB_WR_SEND,
				 .send_flags = IB_SEND_INLINE,
				 .sg_list = from,
				 .num_sge = 2 };
	struct kv_op op;

	KUNIT_ASSERT_EQ(test, kv_post_recv(kv->b.qp, &op, &to), 0);
	KUNIT_ASSERT_EQ(test, kv_send(kv->a.qp, &wr), 0);
	KUNIT_ASSERT_EQ(test, kv_op_wait(&op), 0);
	KUNIT_EXPECT_STREQ(test, (char *)kv->buf, "secondfirst ");
}

/* Everything posted has completed when ib_drain_qp() returns */
static void drain_leaves_nothing(struct kunit *test)
{
	struct kv *kv = test->priv;
	struct ib_sge sge = kv_local(kv, kv->buf, 100);
	struct ib_recv_wr recv = { .sg_list = &sge, .num_sge = 1 };
	struct ib_send_wr wr = { .opcode = IB_WR_SEND,
				 .send_flags = IB_SEND_SIGNALED,
				 .sg_list = &sge,
				 .num_sge = 1 };
	struct kv_op *ops;
	int i;

	ops = kunit_kcalloc(test, DRAINED, sizeof(*ops), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ops);

	/* The peer has posted nothing, so sends wait */
	for (i = 0; i < DRAINED; i++) {
		kv_op_init(&ops[i]);
		recv.wr_cqe = &ops[i].cqe;
		wr.wr_cqe = &ops[i].cqe;
		KUNIT_ASSERT_EQ(test,
				i & 1 ? ib_post_send(kv->a.qp, &wr, NULL) :
					ib_post_recv(kv->a.qp, &recv, NULL),
				0);
	}
	ib_drain_qp(kv->a.qp);
	for (i = 0; i < DRAINED; i++) {
		KUNIT_EXPECT_TRUE(test, completion_done(&ops[i].done));
		KUNIT_EXPECT_EQ(test, (int)ops[i].wc.status,
				(int)IB_WC_WR_FLUSH_ERR);
	}
}

/**
 * struct ball - one end of a game that completion handlers play
 * @recv: its receive has completed
 * @sent: its send has
 * @qp: the QP
 * @sge: what it sends and receives
 * @left: messages that are still to come
 * @over: no more are, or one failed
 * @status: the first failure
 */
struct ball {
	struct ib_cqe recv;
	struct ib_cqe sent;
	struct ib_qp *qp;
	struct ib_sge sge;
	u32 left;
	struct completion over;
	int status;
};

static int post_recv(struct ball *ball)
{
	struct ib_recv_wr wr = { .wr_cqe = &ball->recv,
				 .sg_list = &ball->sge,
				 .num_sge = 1 };

	return ib_post_recv(ball->qp, &wr, NULL);
}

static int post_send(struct ball *ball)
{
	struct ib_send_wr wr = { .wr_cqe = &ball->sent,
				 .opcode = IB_WR_SEND,
				 .send_flags = IB_SEND_SIGNALED,
				 .sg_list = &ball->sge,
				 .num_sge = 1 };

	return ib_post_send(ball->qp, &wr, NULL);
}

static void ball_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct ball *ball = container_of(wc->wr_cqe, struct ball, sent);

	if (wc->status && !ball->status)
		ball->status = wc->status;
}

static void ball_came(struct ib_cq *cq, struct ib_wc *wc)
{
	struct ball *ball = container_of(wc->wr_cqe, struct ball, recv);
	int err = wc->status;

	if (!err && --ball->left)
		err = post_recv(ball) ?: post_send(ball);
	else if (!err)
		err = post_send(ball);
	if (err && err != IB_WC_WR_FLUSH_ERR && !ball->status)
		ball->status = err;
	if (err || !ball->left)
		complete(&ball->over);
}

static void play(struct kunit *test)
{
	struct kv *kv = test->priv;
	struct ball balls[2] = {};
	int i;

	for (i = 0; i < 2; i++) {
		balls[i].recv.done = ball_came;
		balls[i].sent.done = ball_sent;
		balls[i].qp = i ? kv->b.qp : kv->a.qp;
		balls[i].sge = kv_local(kv, kv->buf + i * 2000, 2000);
		balls[i].left = 500;
		init_completion(&balls[i].over);
		KUNIT_ASSERT_EQ(test, post_recv(&balls[i]), 0);
	}
	KUNIT_ASSERT_EQ(test, post_send(&balls[0]), 0);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_GT(test,
				wait_for_completion_timeout(&balls[i].over,
							    120 * HZ),
				0UL);
		KUNIT_EXPECT_EQ(test, balls[i].left, 0U);
		KUNIT_EXPECT_EQ(test, balls[i].status, 0);
	}
	/* The last ball found nobody: its send is flushed */
	kv_end_ends(kv);
}

static void handlers_post_in_softirq(struct kunit *test)
{
	play(test);
}

static void handlers_post_in_a_workqueue(struct kunit *test)
{
	struct kv *kv = test->priv;

	kv_end_ends(kv);
	KUNIT_ASSERT_EQ(test, kv_make_ends(kv, IB_QPT_RC, IB_POLL_WORKQUEUE),
			0);
	play(test);
}

static struct kunit_case kverbs_cases[] = {
	KUNIT_CASE(registered_memory_is_written_and_read),
	KUNIT_CASE(list_with_a_gap_is_cut),
	KUNIT_CASE(registering_twice_fails),
	KUNIT_CASE(send_with_invalidate),
	KUNIT_CASE(read_with_invalidate),
	KUNIT_CASE(inline_of_two_spans),
	KUNIT_CASE(drain_leaves_nothing),
	KUNIT_CASE(handlers_post_in_softirq),
	KUNIT_CASE(handlers_post_in_a_workqueue),
	{}
};

static struct kunit_suite kverbs_suite = {
	.name = "rxe_kverbs",
	.init = kv_init,
	.exit = kv_exit,
	.test_cases = kverbs_cases,
};

kunit_test_suite(kverbs_suite);

MODULE_DESCRIPTION("KUnit suite of rdma_rxe as kernel users see it");
MODULE_LICENSE("Dual BSD/GPL");
