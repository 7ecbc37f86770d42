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
 * struct wait - work that waits for memory
 * @work: the work
 * @all: what it has in common with others
 */
struct wait {
	struct work_struct work;
	struct waits {
		struct completion memory; /* is there */
		struct completion end; /* of one of them */
		atomic_t begun;
	} * all;
};

static void wait(struct work_struct *work)
{
	struct waits *all = container_of(work, struct wait, work)->all;

	atomic_inc(&all->begun);
	wait_for_completion(&all->memory);
	complete(&all->end);
}

static struct wait *make_waits(struct kunit *test, u32 n)
{
	struct waits *all = kunit_kzalloc(test, sizeof(*all), GFP_KERNEL);
	struct wait *waits = kunit_kcalloc(test, n, sizeof(*waits), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, all);
	KUNIT_ASSERT_NOT_NULL(test, waits);
	init_completion(&all->memory);
	init_completion(&all->end);
	for (i = 0; i < n; i++) {
		INIT_WORK(&waits[i].work, wait);
		waits[i].all = all;
	}
	return waits;
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
	struct wait *wait = make_waits(test, 1);
	bool done;

	complete_all(&wait->all->memory);
	queue_work(queue, &wait->work);
	done = wait_for_completion_timeout(&wait->all->end, LONG);
	cancel_work_sync(&wait->work);
	return done;
}

static void users_do_not_wait_for_each_other(struct kunit *test)
{
	struct rxe_pager *one = get(test, ONE), *other = get(test, OTHER);
	struct wait *waits = make_waits(test, MANY);
	struct waits *all = waits->all;
	int i;

	for (i = 0; i < MANY; i++)
		queue_work(one->faults, &waits[i].work);
	for (i = 0; i < TRIES && atomic_read(&all->begun) < AT_ONCE; i++)
		usleep_range(1000, 2000);
	msleep(100);
	KUNIT_EXPECT_EQ(test, atomic_read(&all->begun), AT_ONCE);
	KUNIT_EXPECT_TRUE(test, is_done(test, other->faults));
	KUNIT_EXPECT_TRUE(test, is_done(test, other->prefetches));
	KUNIT_EXPECT_TRUE(test, is_done(test, one->prefetches));
	complete_all(&all->memory);
	/* Waits for all of them */
	rxe_pager_put(one);
	KUNIT_EXPECT_EQ(test, atomic_read(&all->begun), MANY);
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
	KUNIT_CASE(users_do_not_wait_for_each_other),
	KUNIT_CASE(processes_of_a_user_share_one),
	{}
};

static struct kunit_suite pager_suite = {
	.name = "rxe_pager",
	.test_cases = pager_cases,
};

kunit_test_suite(pager_suite);
