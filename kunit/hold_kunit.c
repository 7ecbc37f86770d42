// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * obj/cursor.c, obj/hold.h: memory that a work request gives and takes away, while
 * others copy.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "mem_rig.h"

#define BYTES 4096 /* of memory registered */
#define PAGES 4
#define IOVA 0x12340000ULL /* aligned to every block size used */
#define ACCESS \
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_MW_BIND)
#define QPN 17

/**
 * struct hold_rig - a device with nothing but keys, and a fast registration region
 * @dev: the device
 * @pd: its protection domain
 * @other_pd: another one
 * @qp: a QP that may bind windows
 * @mr: the region
 * @buf: the memory it is given
 */
struct hold_rig {
	struct rxe_dev dev;
	struct ib_pd pd;
	struct ib_pd other_pd;
	struct rxe_qp qp;
	struct rxe_mr *mr;
	u8 *buf;
};

/* Give the region the whole buffer, in blocks of @block bytes */
static int map(struct hold_rig *r, u32 block)
{
	struct scatterlist sg;

	sg_init_one(&sg, r->buf, BYTES);
	sg_dma_address(&sg) = (uintptr_t)r->buf;
	sg_dma_len(&sg) = BYTES;
	r->mr->ib.page_size = block;
	return rxe_mr_map_sg(r->mr, &sg, 1, NULL);
}

static int reg(struct hold_rig *r, u32 key)
{
	int err;

	rcu_read_lock_bh();
	r->mr->ib.iova = IOVA + (r->mr->ib.iova & (r->mr->ib.page_size - 1));
	err = rxe_mr_fast_register(&r->dev, &r->pd, r->mr, key, ACCESS);
	rcu_read_unlock_bh();
	return err;
}

static int invalidate(struct hold_rig *r, struct ib_pd *pd, u32 key)
{
	int err;

	local_bh_disable();
	rcu_read_lock();
	err = rxe_mr_invalidate(&r->dev, pd, QPN, key);
	rcu_read_unlock();
	local_bh_enable();
	return err;
}

static struct hold_rig *make_rig(struct kunit *test)
{
	struct hold_rig *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	r->buf = kunit_kzalloc(test, BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, r->buf);
	xa_init_flags(&r->dev.keys, XA_FLAGS_ALLOC);
	spin_lock_init(&r->qp.send_lock);
	r->qp.dev = &r->dev;
	r->qp.ib.pd = &r->pd;
	r->qp.ib.qp_num = QPN;
	r->mr = rxe_mr_alloc_fast(&r->dev, &r->pd, PAGES);
	KUNIT_ASSERT_FALSE(test, IS_ERR(r->mr));
	return r;
}

static void end_rig(struct kunit *test, struct hold_rig *r)
{
	KUNIT_EXPECT_EQ(test, atomic_read(&r->mr->hold.copies), 0);
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(r->mr), 0);
	KUNIT_EXPECT_TRUE(test, xa_empty(&r->dev.keys));
	xa_destroy(&r->dev.keys);
}

/* The key after @key that only differs in the byte that may differ */
static u32 next_key(u32 key)
{
	return (key & ~0xffU) | ((key + 1) & 0xff);
}

/* One packet's worth: write @bytes of @value at the place that @key and @va name */
static int fill(struct hold_rig *r, u32 key, u64 va, u32 bytes, u8 value)
{
	struct rxe_cursor cur;
	int err;

	local_bh_disable();
	rcu_read_lock();
	err = rxe_cursor_remote(&cur, &r->dev, &r->pd, QPN, key, va, bytes,
				IB_ACCESS_REMOTE_WRITE);
	err = err ?: mem_rig_fill(&cur, bytes, value);
	rcu_read_unlock();
	local_bh_enable();
	return err;
}

static void registered_is_usable(struct kunit *test)
{
	static const u32 blocks[] = { 4096, 8192, 65536 };
	struct hold_rig *r = make_rig(test);
	u32 key = r->mr->lkey;
	int i;

	KUNIT_EXPECT_EQ(test, fill(r, key, IOVA, 1, 1), -EINVAL);
	for (i = 0; i < ARRAY_SIZE(blocks); i++) {
		u64 va;

		KUNIT_ASSERT_EQ(test, map(r, blocks[i]), 1);
		key = next_key(key);
		KUNIT_ASSERT_EQ(test, reg(r, key), 0);
		/* Only by an invalidation it can be had again */
		KUNIT_EXPECT_EQ(test, reg(r, next_key(key)), -EINVAL);
		va = r->mr->iova;
		memset(r->buf, 0, BYTES);
		KUNIT_EXPECT_EQ(test, fill(r, key, va + 3, BYTES - 4, 7), 0);
		KUNIT_EXPECT_EQ(test, r->buf[2], (u8)0);
		KUNIT_EXPECT_PTR_EQ(test, memchr_inv(r->buf + 3, 7, BYTES - 4),
				    NULL);
		KUNIT_EXPECT_EQ(test, r->buf[BYTES - 1], (u8)0);

		KUNIT_EXPECT_EQ(test, fill(r, key, va, BYTES + 1, 7), -EINVAL);
		KUNIT_EXPECT_EQ(test, fill(r, key, va - 1, 1, 7), -EINVAL);
		KUNIT_EXPECT_EQ(test, fill(r, next_key(key), va, 1, 7),
				-EINVAL);
		KUNIT_EXPECT_EQ(test, atomic_read(&r->mr->hold.copies), 0);

		KUNIT_EXPECT_EQ(test, invalidate(r, &r->other_pd, key),
				-EINVAL);
		KUNIT_EXPECT_EQ(test, invalidate(r, &r->pd, next_key(key)),
				-EINVAL);
		KUNIT_EXPECT_EQ(test, invalidate(r, &r->pd, key), 0);
		KUNIT_EXPECT_EQ(test, invalidate(r, &r->pd, key), -EINVAL);
		KUNIT_EXPECT_EQ(test, fill(r, key, va, 1, 1), -EINVAL);
	}
	end_rig(test, r);
}

/**
 * struct taker - a thread that takes memory away
 * @r: the rig
 * @key: key of it
 * @began: it is about to
 * @ended: it is done
 * @done: for those who do not want to wait
 * @err: with this
 */
struct taker {
	struct hold_rig *r;
	u32 key;
	struct completion began;
	struct completion ended;
	bool done;
	int err;
};

static int take_away(void *arg)
{
	struct taker *t = arg;

	complete(&t->began);
	t->err = invalidate(t->r, &t->r->pd, t->key);
	/* Whoever sees it sees that it is over */
	smp_store_release(&t->done, true);
	complete(&t->ended);
	return 0;
}

/* Not here: the one who copies has its CPU to itself */
static int other_cpu(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (cpu != raw_smp_processor_id())
			return cpu;
	return -1;
}

/* Begin a copy by @key, have the key taken away meanwhile, and end the copy. */
static void check_waits(struct kunit *test, struct hold_rig *r, u32 key)
{
	struct taker t = { .r = r, .key = key };
	struct task_struct *task;
	struct rxe_cursor cur;
	bool early;
	void *kaddr;
	ssize_t n;
	int cpu, i;

	init_completion(&t.began);
	init_completion(&t.ended);
	task = kthread_create_on_node(take_away, &t, NUMA_NO_NODE, "rxe_taker");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	migrate_disable();
	cpu = other_cpu();
	if (cpu < 0) {
		migrate_enable();
		kthread_stop(task);
		KUNIT_FAIL(test, "one CPU is not enough");
		return;
	}
	kthread_bind(task, cpu);

	local_bh_disable();
	rcu_read_lock();
	KUNIT_EXPECT_EQ(test,
			rxe_cursor_remote(&cur, &r->dev, &r->pd, QPN, key,
					  r->mr->iova, 8,
					  IB_ACCESS_REMOTE_WRITE),
			0);
	n = rxe_cursor_next(&cur, 4, &kaddr);
	wake_up_process(task);
	while (!try_wait_for_completion(&t.began))
		cpu_relax();
	for (i = 0; i < 2000; i++)
		udelay(5);
	early = smp_load_acquire(&t.done); /* is it over? */
	if (n > 0)
		memset(kaddr, 5, n);
	rxe_cursor_rest(&cur);
	rcu_read_unlock();
	local_bh_enable();
	migrate_enable();

	wait_for_completion(&t.ended);
	KUNIT_EXPECT_EQ(test, n, (ssize_t)4);
	KUNIT_EXPECT_FALSE(test, early);
	KUNIT_EXPECT_EQ(test, t.err, 0);
	/* The cursor has what it needs to go on, but the key is gone */
	rcu_read_lock_bh();
	KUNIT_EXPECT_EQ(test, rxe_cursor_next(&cur, 4, &kaddr),
			(ssize_t)-EINVAL);
	rcu_read_unlock_bh();
}

static void invalidation_waits_for_a_copy(struct kunit *test)
{
	struct hold_rig *r = make_rig(test);
	u32 key = next_key(r->mr->lkey);

	KUNIT_ASSERT_EQ(test, map(r, PAGE_SIZE), 1);
	KUNIT_ASSERT_EQ(test, reg(r, key), 0);
	check_waits(test, r, key);
	end_rig(test, r);
}

static int bind(struct hold_rig *r, struct rxe_mw *mw, u64 length)
{
	return mem_rig_bind(&r->qp, mw, r->mr, r->mr->iova, length,
			    IB_ACCESS_REMOTE_WRITE);
}

static void window_waits_for_a_copy(struct kunit *test)
{
	struct hold_rig *r = make_rig(test);
	u32 key = next_key(r->mr->lkey);
	struct rxe_mw mw = {
		.ib.device = &r->dev.ib,
		.ib.pd = &r->pd,
		.ib.type = IB_MW_TYPE_2,
	};

	KUNIT_ASSERT_EQ(test, map(r, PAGE_SIZE), 1);
	KUNIT_ASSERT_EQ(test, reg(r, key), 0);
	KUNIT_ASSERT_EQ(test, rxe_mw_alloc(&mw), 0);
	/* Windows are bound to users' regions alone */
	KUNIT_EXPECT_EQ(test, bind(r, &mw, 100), -EINVAL);
	r->mr->type = RXE_MR_USER;
	KUNIT_ASSERT_EQ(test, bind(r, &mw, 100), 0);
	KUNIT_EXPECT_EQ(test, fill(r, mw.win.key, r->mr->iova, 100, 3), 0);
	KUNIT_EXPECT_EQ(test, fill(r, mw.win.key, r->mr->iova, 101, 3),
			-EINVAL);
	check_waits(test, r, mw.win.key);
	KUNIT_EXPECT_EQ(test, atomic_read(&mw.hold.copies), 0);
	r->mr->type = RXE_MR_FAST_REG;
	KUNIT_EXPECT_EQ(test, invalidate(r, &r->pd, key), 0);
	rxe_mw_dealloc(&mw);
	end_rig(test, r);
}

/* A peer that writes by whatever key is valid, for ever */
static int write_on(void *arg)
{
	struct hold_rig *r = arg;

	while (!kthread_should_stop()) {
		fill(r, READ_ONCE(r->mr->lkey), READ_ONCE(r->mr->iova), BYTES,
		     0xee);
		cond_resched();
	}
	return 0;
}

static void nobody_writes_after_invalidation(struct kunit *test)
{
	struct hold_rig *r = make_rig(test);
	const unsigned int turns = 3000;
	unsigned int seen = 0, dirty = 0;
	u32 key = r->mr->lkey;
	struct task_struct *writer;
	unsigned int i;

	writer = kthread_run(write_on, r, "rxe_writer");
	KUNIT_ASSERT_FALSE(test, IS_ERR(writer));
	for (i = 0; i < turns; i++) {
		key = next_key(key);
		KUNIT_ASSERT_EQ(test, map(r, PAGE_SIZE), 1);
		KUNIT_ASSERT_EQ(test, reg(r, key), 0);
		if (i & 1)
			udelay(i % 50);
		else
			cond_resched();
		KUNIT_ASSERT_EQ(test, invalidate(r, &r->pd, key), 0);
		/* Ours again: what we write is what stays there */
		seen += r->buf[0] == 0xee;
		memset(r->buf, 0x11, BYTES);
		udelay(5);
		dirty += !!memchr_inv(r->buf, 0x11, BYTES);
	}
	kthread_stop(writer);
	KUNIT_EXPECT_EQ(test, dirty, 0U);
	/* or the test has tested nothing */
	KUNIT_EXPECT_GT(test, seen, 0U);
	end_rig(test, r);
}

static struct kunit_case hold_cases[] = {
	KUNIT_CASE(registered_is_usable),
	KUNIT_CASE(invalidation_waits_for_a_copy),
	KUNIT_CASE(window_waits_for_a_copy),
	KUNIT_CASE(nobody_writes_after_invalidation),
	{}
};

static struct kunit_suite hold_suite = {
	.name = "rxe_hold",
	.test_cases = hold_cases,
};

kunit_test_suite(hold_suite);
