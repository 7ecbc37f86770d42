// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* obj/srq.c: limits, the limit event, resizing, entries that cannot be used */
#include "obj/abi.h"
#include "obj/srq.h"
#include "util.h"

#define MAX_SGE 4
#define DEPTH 7

/**
 * struct srq_rig - a shared receive queue and what it told its owner
 * @srq: the queue, of a kernel user
 * @limits: IB_EVENT_SRQ_LIMIT_REACHED raised
 * @errors: IB_EVENT_SRQ_ERR raised
 * @others: other events
 */
struct srq_rig {
	struct rxe_srq srq;
	u32 limits;
	u32 errors;
	u32 others;
};

static void handler(struct ib_event *event, void *context)
{
	struct srq_rig *r = context;

	if (event->element.srq != &r->srq.ib)
		r->others++;
	else if (event->event == IB_EVENT_SRQ_LIMIT_REACHED)
		r->limits++;
	else if (event->event == IB_EVENT_SRQ_ERR)
		r->errors++;
	else
		r->others++;
}

static int srq_init(struct kunit *test)
{
	struct ib_srq_attr attr = { .max_wr = DEPTH, .max_sge = MAX_SGE };
	struct srq_rig *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	if (!r)
		return -ENOMEM;
	test->priv = r;
	r->srq.ib.event_handler = handler;
	r->srq.ib.srq_context = r;
	return rxe_srq_init(&r->srq, &attr, false);
}

static void srq_exit(struct kunit *test)
{
	struct srq_rig *r = test->priv;

	rxe_srq_fini(&r->srq);
	KUNIT_EXPECT_EQ(test, r->others, 0U);
}

static void post(struct kunit *test, u64 first, u32 n)
{
	struct ib_sge sge = { .addr = 0x1000, .length = 9, .lkey = 3 };
	struct ib_recv_wr wr = { .sg_list = &sge, .num_sge = 1 };
	struct srq_rig *r = test->priv;
	u32 i;

	for (i = 0; i < n; i++) {
		wr.wr_id = first + i;
		KUNIT_ASSERT_EQ(test, rxe_rq_post(&r->srq.rq, &wr), 0);
	}
}

static void fetch(struct kunit *test, u64 first, u32 n)
{
	struct srq_rig *r = test->priv;
	struct rxe_rwqe rwqe;
	u32 i;

	for (i = 0; i < n; i++) {
		KUNIT_ASSERT_EQ(test, rxe_srq_fetch(&r->srq, &rwqe), 0);
		KUNIT_ASSERT_EQ(test, rwqe.wr_id, first + i);
		KUNIT_ASSERT_EQ(test, rwqe.length, 9U);
	}
}

/* Limit events so far; they come by a tasklet */
static u32 limits(struct kunit *test)
{
	struct srq_rig *r = test->priv;

	tasklet_unlock_wait(&r->srq.notify);
	while (test_bit(TASKLET_STATE_SCHED, &r->srq.notify.state))
		cond_resched();
	tasklet_unlock_wait(&r->srq.notify);
	return r->limits;
}

static void attributes_are_checked(struct kunit *test)
{
	static const struct {
		struct ib_srq_attr attr;
		int err;
	} rows[] = {
		{ { .max_wr = 0, .max_sge = 1 }, -EINVAL },
		{ { .max_wr = 1, .max_sge = 0 }, 0 },
		{ { .max_wr = 1, .max_sge = RXE_MAX_SRQ_SGE }, 0 },
		{ { .max_wr = 1, .max_sge = RXE_MAX_SRQ_SGE + 1 }, -EINVAL },
		{ { .max_wr = RXE_MAX_SRQ_WR + 1, .max_sge = 1 }, -EINVAL },
		{ { .max_wr = U32_MAX, .max_sge = 1 }, -EINVAL },
		{ { .max_wr = 8, .max_sge = 1, .srq_limit = 8 }, 0 },
		{ { .max_wr = 8, .max_sge = 1, .srq_limit = U32_MAX }, 0 },
	};
	struct rxe_srq *srq = kunit_kzalloc(test, sizeof(*srq), GFP_KERNEL);
	int i, err;

	KUNIT_ASSERT_NOT_NULL(test, srq);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		memset(srq, 0, sizeof(*srq));
		err = rxe_srq_init(srq, &rows[i].attr, true);
		KUNIT_EXPECT_EQ_MSG(test, err, rows[i].err, "row %d", i);
		if (err)
			continue;
		KUNIT_EXPECT_TRUE(test,
				  srq->rq.ring.mask >= rows[i].attr.max_wr);
		KUNIT_EXPECT_EQ(test, srq->limit, 0U);
		KUNIT_EXPECT_GT(test, srq->num, 0U);
		rxe_srq_fini(srq);
	}
}

static void oldest_first_and_once(struct kunit *test)
{
	struct srq_rig *r = test->priv;
	struct rxe_rwqe rwqe;
	u32 round;

	for (round = 0; round < 20; round++) {
		post(test, round * 10, 5);
		fetch(test, round * 10, 3);
		post(test, round * 10 + 5, 2);
		fetch(test, round * 10 + 3, 4);
		KUNIT_EXPECT_EQ(test, rxe_srq_fetch(&r->srq, &rwqe), -EAGAIN);
	}
	KUNIT_EXPECT_EQ(test, limits(test), 0U);
}

/* Below the mark, once; armed anew, once more (IBTA 11.2.3.3) */
static void limit_event_comes_once(struct kunit *test)
{
	struct srq_rig *r = test->priv;

	post(test, 0, 6);
	KUNIT_EXPECT_EQ(test, rxe_srq_set_limit(&r->srq, 4), 0);
	fetch(test, 0, 2); /* 4 are left */
	KUNIT_EXPECT_EQ(test, limits(test), 0U);
	fetch(test, 2, 1); /* 3 */
	KUNIT_EXPECT_EQ(test, limits(test), 1U);
	KUNIT_EXPECT_EQ(test, r->srq.limit, 0U);
	fetch(test, 3, 3);
	KUNIT_EXPECT_EQ(test, limits(test), 1U);
	post(test, 6, 3);
	KUNIT_EXPECT_EQ(test, rxe_srq_set_limit(&r->srq, 3), 0);
	KUNIT_EXPECT_EQ(test, limits(test), 1U);
	fetch(test, 6, 1);
	KUNIT_EXPECT_EQ(test, limits(test), 2U);
	fetch(test, 7, 2);
}

/* Armed when it is below already: at once */
static void limit_armed_too_late(struct kunit *test)
{
	struct srq_rig *r = test->priv;

	post(test, 0, 2);
	KUNIT_EXPECT_EQ(test, rxe_srq_set_limit(&r->srq, 2), 0);
	KUNIT_EXPECT_EQ(test, limits(test), 0U);
	KUNIT_EXPECT_EQ(test, rxe_srq_set_limit(&r->srq, 3), 0);
	KUNIT_EXPECT_EQ(test, limits(test), 1U);
	KUNIT_EXPECT_EQ(test, rxe_srq_set_limit(&r->srq, DEPTH + 1), -EINVAL);
	/* 0 disarms */
	KUNIT_EXPECT_EQ(test, rxe_srq_set_limit(&r->srq, 1), 0);
	KUNIT_EXPECT_EQ(test, rxe_srq_set_limit(&r->srq, 0), 0);
	fetch(test, 0, 2);
	KUNIT_EXPECT_EQ(test, limits(test), 1U);
}

static int resize(struct srq_rig *r, u32 depth)
{
	struct rxe_ring ring;
	struct rxe_queue *q;
	int err;

	q = rxe_rq_new_queue(depth, MAX_SGE, &ring);
	if (IS_ERR(q))
		return PTR_ERR(q);
	err = rxe_srq_resize(&r->srq, q, &ring);
	if (err)
		rxe_queue_destroy(q);
	return err;
}

/* From every fill and every place in the ring, to smaller and larger ones */
static void resizing_loses_nothing(struct kunit *test)
{
	static const u32 depths[] = { 1, 3, 7, 15, 100 };
	struct srq_rig *r = test->priv;
	u32 fill, turn, d;
	u64 id = 0;

	for (d = 0; d < ARRAY_SIZE(depths); d++) {
		for (turn = 0; turn < 8; turn++) {
			for (fill = 0; fill <= DEPTH; fill++) {
				bool fits = fill <= depths[d];

				KUNIT_ASSERT_EQ(test, resize(r, DEPTH), 0);
				post(test, id, turn % DEPTH);
				fetch(test, id, turn % DEPTH);
				post(test, id, fill);
				KUNIT_ASSERT_EQ_MSG(test, resize(r, depths[d]),
						    fits ? 0 : -EINVAL,
						    "%u into %u", fill,
						    depths[d]);
				fetch(test, id, fill);
				KUNIT_ASSERT_EQ(test, r->srq.rq.ring.mask,
						fits ? depths[d] < 100 ?
						       depths[d] :
						       127U :
						       DEPTH);
				id += 100;
			}
		}
	}
}

/* What QPs take while it is copied does not come again */
static void taken_while_resizing(struct kunit *test)
{
	struct srq_rig *r = test->priv;
	struct rxe_ring from, to;
	struct rxe_queue *q;
	u32 taken, turn;
	u64 id = 0;

	for (turn = 0; turn < 8; turn++) {
		for (taken = 0; taken <= 5; taken++) {
			KUNIT_ASSERT_EQ(test, resize(r, DEPTH), 0);
			post(test, id, turn % DEPTH);
			fetch(test, id, turn % DEPTH);
			post(test, id, 5);
			q = rxe_rq_new_queue(DEPTH, MAX_SGE, &to);
			KUNIT_ASSERT_FALSE(test, IS_ERR(q));
			from = r->srq.rq.ring;
			KUNIT_ASSERT_TRUE(test, rxe_rq_copy(&from, &to));
			fetch(test, id, taken);
			rxe_rq_switch(&r->srq.rq, &q, &from, &to);
			rxe_queue_destroy(q);
			post(test, id + 5, 2);
			fetch(test, id + taken, 7 - taken);
			id += 100;
		}
	}
	KUNIT_EXPECT_EQ(test, r->others, 0U);
}

/* An armed limit that could not be reached any more forbids it */
static void resizing_below_the_limit(struct kunit *test)
{
	struct srq_rig *r = test->priv;

	post(test, 0, 5);
	KUNIT_EXPECT_EQ(test, rxe_srq_set_limit(&r->srq, 5), 0);
	KUNIT_EXPECT_EQ(test, resize(r, 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, resize(r, 15), 0);
	fetch(test, 0, 1);
	KUNIT_EXPECT_EQ(test, limits(test), 1U);
	fetch(test, 1, 4);
	KUNIT_EXPECT_EQ(test, resize(r, 3), 0);
}

/* Entries that a user spoilt are told of once, and used up */
static void bad_entries_are_used_up(struct kunit *test)
{
	struct srq_rig *r = test->priv;
	struct rxe_recv_wqe *slot;
	struct rxe_rwqe rwqe;
	u32 i;

	post(test, 0, 4);
	for (i = 1; i < 3; i++) {
		slot = rxe_ring_slot(&r->srq.rq.ring, i);
		slot->dma.num_sge = MAX_SGE + i;
	}
	fetch(test, 0, 1);
	KUNIT_EXPECT_EQ(test, rxe_srq_fetch(&r->srq, &rwqe), -EINVAL);
	KUNIT_EXPECT_EQ(test, rwqe.wr_id, 1ULL);
	KUNIT_EXPECT_EQ(test, rxe_srq_fetch(&r->srq, &rwqe), -EINVAL);
	fetch(test, 3, 1);
	KUNIT_EXPECT_EQ(test, rxe_srq_fetch(&r->srq, &rwqe), -EAGAIN);
	KUNIT_EXPECT_EQ(test, limits(test), 0U);
	KUNIT_EXPECT_EQ(test, r->errors, 1U);
}

static struct kunit_case srq_cases[] = { KUNIT_CASE(attributes_are_checked),
					 KUNIT_CASE(oldest_first_and_once),
					 KUNIT_CASE(limit_event_comes_once),
					 KUNIT_CASE(limit_armed_too_late),
					 KUNIT_CASE(resizing_loses_nothing),
					 KUNIT_CASE(taken_while_resizing),
					 KUNIT_CASE(resizing_below_the_limit),
					 KUNIT_CASE(bad_entries_are_used_up),
					 {} };

static struct kunit_suite srq_suite = {
	.name = "rxe_srq",
	.init = srq_init,
	.exit = srq_exit,
	.test_cases = srq_cases,
};

kunit_test_suite(srq_suite);
