// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* obj/queue.c and obj/rq.c: rings of receive work requests */
#include "obj/abi.h"
#include "obj/rq.h"
#include "util.h"

#define MAX_SGE 4

static void depth_is_rounded_up(struct kunit *test)
{
	static const struct {
		u32 depth, mask;
	} rows[] = { { 0, 0 }, { 1, 1 }, { 2, 3 },  { 3, 3 },
		     { 4, 7 }, { 7, 7 }, { 8, 15 }, { 1000, 1023 } };
	struct rxe_ring ring;
	struct rxe_queue *q;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		q = rxe_queue_create(&ring, rows[i].depth, 100);
		KUNIT_ASSERT_FALSE(test, IS_ERR(q));
		KUNIT_EXPECT_EQ(test, ring.mask, rows[i].mask);
		KUNIT_EXPECT_EQ(test, ring.shift, 7U);
		KUNIT_EXPECT_EQ(test, q->shared->index_mask, ring.mask);
		KUNIT_EXPECT_EQ(test, q->shared->log2_elem_size, 7U);
		KUNIT_EXPECT_EQ(test, q->bytes % PAGE_SIZE, 0UL);
		memset(rxe_ring_slot(&ring, ring.mask), 1, 1 << ring.shift);
		rxe_queue_destroy(q);
	}
}

static void absurd_sizes_are_refused(struct kunit *test)
{
	struct rxe_ring ring;

	KUNIT_EXPECT_EQ(test, PTR_ERR(rxe_queue_create(&ring, 0xffffffff, 64)),
			(long)-EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(rxe_queue_create(&ring, 0x7fffffff, 64)),
			(long)-EINVAL);
	KUNIT_EXPECT_EQ(test,
			PTR_ERR(rxe_queue_create(&ring, 1 << 20, 1UL << 40)),
			(long)-EINVAL);
}

static int rq_init(struct kunit *test)
{
	struct rxe_rq *rq = kunit_kzalloc(test, sizeof(*rq), GFP_KERNEL);

	if (!rq)
		return -ENOMEM;
	test->priv = rq;
	return rxe_rq_init(rq, 7, MAX_SGE, true);
}

static void rq_exit(struct kunit *test)
{
	spinlock_t lock; /* nobody looks at the ring */

	spin_lock_init(&lock);
	rxe_rq_fini(test->priv, &lock);
}

/* The slot that the user fills next */
static struct rxe_recv_wqe *user_slot(struct rxe_rq *rq)
{
	return rxe_ring_slot(&rq->ring, 0);
}

static void empty_is_empty(struct kunit *test)
{
	struct rxe_rq *rq = test->priv;
	struct rxe_rwqe rwqe;

	KUNIT_EXPECT_EQ(test, rxe_rq_fetch(rq, &rwqe), -EAGAIN);
	KUNIT_EXPECT_EQ(test, rq->ring.mask, 7U);
	KUNIT_EXPECT_EQ(test, rq->max_sge, (u32)MAX_SGE);
}

static void sges_are_counted(struct kunit *test)
{
	static const u32 counts[] = {
		0, 1, 3, 4, 5, 27, 33, 0x10000001, 0x80000000, 0xffffffff
	};
	struct rxe_rq *rq = test->priv;
	struct rxe_rwqe rwqe;
	int i;

	rq->ring.shared->producer = 1;
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		struct rxe_recv_wqe *slot = user_slot(rq);
		bool good = counts[i] <= MAX_SGE;

		slot->wr_id = 100 + i;
		slot->dma.num_sge = counts[i];
		KUNIT_EXPECT_EQ_MSG(test, rxe_rq_fetch(rq, &rwqe),
				    good ? 0 : -EINVAL, "%#x", counts[i]);
		KUNIT_EXPECT_EQ(test, rwqe.wr_id, 100ULL + i);
		KUNIT_EXPECT_EQ(test, rwqe.num_sge, good ? counts[i] : 0);
	}
}

static void lengths_are_added_without_overflow(struct kunit *test)
{
	struct rxe_rq *rq = test->priv;
	struct rxe_recv_wqe *slot = user_slot(rq);
	struct rxe_rwqe rwqe;

	rq->ring.shared->producer = 1;
	slot->dma.num_sge = 2;
	slot->dma.sge[0].length = 0x7fffffff;
	slot->dma.sge[1].length = 1;
	KUNIT_EXPECT_EQ(test, rxe_rq_fetch(rq, &rwqe), 0);
	KUNIT_EXPECT_EQ(test, rwqe.length, 0x80000000U);
	slot->dma.sge[1].length = 2;
	KUNIT_EXPECT_EQ(test, rxe_rq_fetch(rq, &rwqe), -EINVAL);
	slot->dma.sge[0].length = 0xffffffff;
	slot->dma.sge[1].length = 9;
	KUNIT_EXPECT_EQ(test, rxe_rq_fetch(rq, &rwqe), -EINVAL);
	KUNIT_EXPECT_EQ(test, rwqe.length, 0U);
}

static void posted_in_order_and_once(struct kunit *test)
{
	struct rxe_rq *rq = test->priv;
	struct ib_sge sge = { .addr = 0x1000, .length = 9, .lkey = 3 };
	struct ib_recv_wr wr = { .sg_list = &sge, .num_sge = 1 };
	struct rxe_rwqe rwqe;
	u32 i, round;

	for (round = 0; round < 20; round++) {
		for (i = 0; i < 7; i++) {
			wr.wr_id = round * 7 + i;
			KUNIT_ASSERT_EQ(test, rxe_rq_post(rq, &wr), 0);
		}
		KUNIT_ASSERT_EQ(test, rxe_rq_post(rq, &wr), -ENOMEM);
		for (i = 0; i < 7; i++) {
			KUNIT_ASSERT_EQ(test, rxe_rq_fetch(rq, &rwqe), 0);
			KUNIT_ASSERT_EQ(test, rwqe.wr_id, round * 7ULL + i);
			KUNIT_ASSERT_EQ(test, rwqe.sge[0].addr, 0x1000ULL);
			KUNIT_ASSERT_EQ(test, rwqe.length, 9U);
			rxe_ring_consume(&rq->ring, 1);
		}
		KUNIT_ASSERT_EQ(test, rxe_rq_fetch(rq, &rwqe), -EAGAIN);
	}
	wr.num_sge = MAX_SGE + 1;
	KUNIT_EXPECT_EQ(test, rxe_rq_post(rq, &wr), -EINVAL);
	wr.num_sge = -1;
	KUNIT_EXPECT_EQ(test, rxe_rq_post(rq, &wr), -EINVAL);
}

static struct kunit_case rq_cases[] = {
	KUNIT_CASE(depth_is_rounded_up),
	KUNIT_CASE(absurd_sizes_are_refused),
	KUNIT_CASE(empty_is_empty),
	KUNIT_CASE(sges_are_counted),
	KUNIT_CASE(lengths_are_added_without_overflow),
	KUNIT_CASE(posted_in_order_and_once),
	{}
};

static struct kunit_suite rq_suite = {
	.name = "rxe_rq",
	.init = rq_init,
	.exit = rq_exit,
	.test_cases = rq_cases,
};

kunit_test_suite(rq_suite);
