// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* obj/pager.c: users do not wait for each other's memory */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>

#include "obj/pager.h"

#define ONE KUIDT_INIT(1001)
#define OTHER KUIDT_INIT(1002)
#define MANY 100
#define AT_ONCE 64 /* of these, for one user */
#define TRIES 60000 /* of a millisecond */
#define LONG (60 * HZ)

/**
 * struct memory - what work waits for
 * @there: it came
 * @end: of one that waited
 * @begun: how many wait, or have waited
 */
struct memory {
	struct completion there;
	struct completion end;
	atomic_t begun;
};

/**
 * struct waiter - work that waits for memory
 * @work: the work
 * @memory: the memory
 */
struct waiter {
	struct work_struct work;
	struct memory *memory;
};

static void wait(struct work_struct *work)
{
	struct memory *memory = container_of(work, struct waiter, work)->memory;

	atomic_inc(&memory->begun);
	wait_for_completion(&memory->there);
	complete(&memory->end);
}

static struct waiter *make_waiters(struct kunit *test, u32 n)
{
	struct memory *memory =
		kunit_kzalloc(test, sizeof(*memory), GFP_KERNEL);
	struct waiter *waiters =
		kunit_kcalloc(test, n, sizeof(*waiters), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_ASSERT_NOT_NULL(test, waiters);
	init_completion(&memory->there);
	init_completion(&memory->end);
	for (i = 0; i < n; i++) {
		INIT_WORK(&waiters[i].work, wait);
		waiters[i].memory = memory;
	}
	return waiters;
}

static struct rxe_pager *get(struct kunit *test, kuid_t uid)
{
	struct rxe_pager *pager = rxe_pager_get(uid);

	KUNIT_ASSERT_FALSE(test, IS_ERR(pager));
	return pager;
}

/* Work for which there is memory is done */
static bool is_done(struct kunit *test, struct workqueue_struct *queue)
{
	struct waiter *waiter = make_waiters(test, 1);
	bool done;

	complete_all(&waiter->memory->there);
	queue_work(queue, &waiter->work);
	done = wait_for_completion_timeout(&waiter->memory->end, LONG);
	cancel_work_sync(&waiter->work);
	return done;
}

static void each_user_waits_alone(struct kunit *test)
{
	struct rxe_pager *one = get(test, ONE), *other = get(test, OTHER);
	struct waiter *waiters = make_waiters(test, MANY);
	struct memory *memory = waiters->memory;
	int i;

	for (i = 0; i < MANY; i++)
		queue_work(one->faults, &waiters[i].work);
	for (i = 0; i < TRIES && atomic_read(&memory->begun) < AT_ONCE; i++)
		usleep_range(1000, 2000);
	msleep(100);
	KUNIT_EXPECT_EQ(test, atomic_read(&memory->begun), AT_ONCE);
	KUNIT_EXPECT_TRUE(test, is_done(test, other->faults));
	KUNIT_EXPECT_TRUE(test, is_done(test, other->prefetches));
	KUNIT_EXPECT_TRUE(test, is_done(test, one->prefetches));
	complete_all(&memory->there);
	/* Waits for all of them */
	rxe_pager_put(one);
	KUNIT_EXPECT_EQ(test, atomic_read(&memory->begun), MANY);
	rxe_pager_put(other);
}

static void processes_of_a_user_share_one(struct kunit *test)
{
	struct rxe_pager *one = get(test, ONE), *other = get(test, OTHER);

	KUNIT_EXPECT_PTR_NE(test, one, other);
	KUNIT_EXPECT_PTR_EQ(test, get(test, ONE), one);
	rxe_pager_put(one);
	KUNIT_EXPECT_TRUE(test, is_done(test, one->faults));
	KUNIT_EXPECT_PTR_EQ(test, get(test, OTHER), other);
	rxe_pager_put(other);
	rxe_pager_put(other);
	rxe_pager_put(one);
}

static struct kunit_case pager_cases[] = {
	KUNIT_CASE(each_user_waits_alone),
	KUNIT_CASE(processes_of_a_user_share_one),
	{}
};

static struct kunit_suite pager_suite = {
	.name = "rxe_pager",
	.test_cases = pager_cases,
};

kunit_test_suite(pager_suite);
