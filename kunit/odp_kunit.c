// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * obj/odp.c, obj/cursor.c: the page table of a region whose pages come and go, without a
 * process: the pages are those of the test.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/hmm.h>
#include <linux/kthread.h>
#include <linux/mm.h>

#include "mem_rig.h"
#include "obj/cursor.h"
#include "obj/odp.h"

#define PAGES 4
#define IOVA 0x7700000000ULL
#define FIRST 100 /* offset of the region's first byte in its first page */
#define LENGTH (PAGES * PAGE_SIZE - 2 * FIRST)
#define ACCESS                                            \
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
	 IB_ACCESS_REMOTE_READ | IB_ACCESS_ON_DEMAND)

/**
 * struct odp_test - a region, and memory that it may be given
 * @mr: the region; found by its key
 * @odp: its pages
 * @mem: PAGES + 1 pages in a row; the last one is another for the last of the region
 * @pfns: what the kernel would say of the pages of the region
 */
struct odp_test {
	struct rxe_mr mr;
	struct rxe_odp *odp;
	u8 *mem;
	unsigned long pfns[PAGES];
};

static unsigned long pfn_of(struct odp_test *t, int page, unsigned long flags)
{
	return page_to_pfn(virt_to_page(t->mem + page * PAGE_SIZE)) | flags;
}

static struct odp_test *begin(struct kunit *test)
{
	struct mem_rig *r = test->priv;
	struct odp_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->odp = kunit_kzalloc(test, struct_size(t->odp, pages, PAGES),
			       GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->odp);
	t->mem = (u8 *)__get_free_pages(GFP_KERNEL | __GFP_ZERO | __GFP_COMP,
					get_order((PAGES + 1) * PAGE_SIZE));
	KUNIT_ASSERT_NOT_NULL(test, t->mem);
	for (i = 0; i < PAGES; i++)
		t->pfns[i] = pfn_of(t, i, HMM_PFN_VALID | HMM_PFN_WRITE);
	t->odp->first_byte = FIRST;
	t->odp->num_pages = PAGES;
	t->mr.type = RXE_MR_USER;
	t->mr.state = RXE_MR_VALID;
	t->mr.odp = t->odp;
	t->mr.ib.pd = &r->pd;
	t->mr.lkey = RXE_MIN_MR_INDEX << 8;
	t->mr.access = ACCESS;
	t->mr.iova = IOVA;
	t->mr.length = LENGTH;
	xa_store(&r->dev.keys, RXE_MIN_MR_INDEX, &t->mr, GFP_KERNEL);
	return t;
}

static void end(struct kunit *test, struct odp_test *t)
{
	struct mem_rig *r = test->priv;

	KUNIT_EXPECT_EQ(test, atomic_read(&t->odp->hold.copies), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->odp->faults), 0);
	xa_erase(&r->dev.keys, RXE_MIN_MR_INDEX);
	ClearPageDirty(virt_to_page(t->mem));
	free_pages((unsigned long)t->mem, get_order((PAGES + 1) * PAGE_SIZE));
}

/* The span at @off bytes of the region */
static size_t span(struct odp_test *t, u64 off, size_t want, int access,
		   void **kaddr)
{
	size_t n;

	rcu_read_lock_bh();
	rxe_hold_get(&t->odp->hold);
	n = rxe_odp_span(&t->mr, IOVA + off, want, access, kaddr);
	rxe_hold_put(&t->odp->hold);
	rcu_read_unlock_bh();
	return n;
}

static void pages_come(struct kunit *test)
{
	struct odp_test *t = begin(test);
	void *kaddr;

	KUNIT_EXPECT_EQ(test, span(t, 0, 1, 0, &kaddr), 0UL);
	rxe_odp_fill(t->odp, t->pfns, 1, 3, true);
	/* Those that were asked for, by the addresses that the region has them at */
	KUNIT_EXPECT_EQ(test, span(t, PAGE_SIZE - FIRST - 1, 1, 0, &kaddr),
			0UL);
	KUNIT_EXPECT_EQ(test, span(t, PAGE_SIZE - FIRST, 10, 0, &kaddr), 10UL);
	KUNIT_EXPECT_PTR_EQ(test, kaddr, (void *)t->mem + PAGE_SIZE);
	/* Two that lie next to each other are one span, and no more than two */
	KUNIT_EXPECT_EQ(test, span(t, PAGE_SIZE, LENGTH - PAGE_SIZE, 0, &kaddr),
			2 * PAGE_SIZE - FIRST);
	KUNIT_EXPECT_PTR_EQ(test, kaddr, (void *)t->mem + PAGE_SIZE + FIRST);
	KUNIT_EXPECT_EQ(test, span(t, 3 * PAGE_SIZE - FIRST, 1, 0, &kaddr),
			0UL);
	/* The last byte of all */
	rxe_odp_fill(t->odp, t->pfns, 3, PAGES, false);
	KUNIT_EXPECT_EQ(test, span(t, LENGTH - 1, 1, 0, &kaddr), 1UL);
	KUNIT_EXPECT_PTR_EQ(test, kaddr,
			    (void *)t->mem + PAGES * PAGE_SIZE - FIRST - 1);
	end(test, t);
}

static void pages_apart(struct kunit *test)
{
	struct odp_test *t = begin(test);
	void *kaddr;

	/* The third of the region is the fifth of the memory */
	t->pfns[2] = pfn_of(t, PAGES, HMM_PFN_VALID | HMM_PFN_WRITE);
	rxe_odp_fill(t->odp, t->pfns, 0, PAGES, true);
	KUNIT_EXPECT_EQ(test, span(t, 0, LENGTH, 0, &kaddr),
			2 * PAGE_SIZE - FIRST);
	KUNIT_EXPECT_EQ(test, span(t, 2 * PAGE_SIZE - FIRST, LENGTH, 0, &kaddr),
			PAGE_SIZE);
	KUNIT_EXPECT_PTR_EQ(test, kaddr, (void *)t->mem + PAGES * PAGE_SIZE);
	end(test, t);
}

static void rights(struct kunit *test)
{
	struct odp_test *t = begin(test);
	const int write = IB_ACCESS_REMOTE_WRITE;
	void *kaddr;

	/* Not there at all */
	t->pfns[1] = 0;
	/* The process may not write */
	t->pfns[2] &= ~HMM_PFN_WRITE;
	rxe_odp_fill(t->odp, t->pfns, 0, PAGES, true);
	KUNIT_EXPECT_EQ(test, span(t, 0, 1, write, &kaddr), 1UL);
	KUNIT_EXPECT_EQ(test, span(t, PAGE_SIZE, 1, 0, &kaddr), 0UL);
	KUNIT_EXPECT_EQ(test, span(t, 2 * PAGE_SIZE, 1, 0, &kaddr), 1UL);
	KUNIT_EXPECT_EQ(test, span(t, 2 * PAGE_SIZE, 1, write, &kaddr), 0UL);
	/* Asked for reading only, so it would not be marked dirty */
	rxe_odp_drop(t->odp, 0, PAGES);
	rxe_odp_fill(t->odp, t->pfns, 0, PAGES, false);
	KUNIT_EXPECT_EQ(test, span(t, 0, 1, 0, &kaddr), 1UL);
	KUNIT_EXPECT_EQ(test, span(t, 0, 1, write, &kaddr), 0UL);
	KUNIT_EXPECT_EQ(test, span(t, 0, 1, IB_ACCESS_REMOTE_ATOMIC, &kaddr),
			0UL);
	KUNIT_EXPECT_EQ(test, span(t, 0, 1, IB_ACCESS_LOCAL_WRITE, &kaddr),
			0UL);
	end(test, t);
}

static void written_is_dirty(struct kunit *test)
{
	struct odp_test *t = begin(test);
	struct page *page = virt_to_page(t->mem);
	void *kaddr;

	rxe_odp_fill(t->odp, t->pfns, 0, PAGES, false);
	rxe_odp_drop(t->odp, 0, PAGES);
	KUNIT_EXPECT_FALSE(test, PageDirty(page));
	rxe_odp_fill(t->odp, t->pfns, 1, 2, true);
	/* Looked at again for reading: it may have been written to all the same */
	rxe_odp_fill(t->odp, t->pfns, 0, PAGES, false);
	rxe_odp_drop(t->odp, 2, PAGES);
	KUNIT_EXPECT_FALSE(test, PageDirty(page));
	KUNIT_EXPECT_EQ(test, span(t, PAGE_SIZE, 1, 0, &kaddr), 1UL);
	KUNIT_EXPECT_EQ(test, span(t, 2 * PAGE_SIZE, 1, 0, &kaddr), 0UL);
	rxe_odp_drop(t->odp, 1, 2);
	KUNIT_EXPECT_TRUE(test, PageDirty(page));
	KUNIT_EXPECT_EQ(test, span(t, 0, 1, 0, &kaddr), 1UL);
	KUNIT_EXPECT_EQ(test, span(t, PAGE_SIZE, 1, 0, &kaddr), 0UL);
	end(test, t);
}

/* One packet's worth of @bytes at @off. What is missing is told in @missing. */
static int copy(struct kunit *test, struct odp_test *t, u64 off, u32 bytes,
		struct rxe_odp_range *missing)
{
	struct mem_rig *r = test->priv;
	struct rxe_cursor cur;
	int err;

	rcu_read_lock_bh();
	err = rxe_cursor_remote(&cur, &r->dev, &r->pd, 1, t->mr.lkey,
				IOVA + off, bytes, IB_ACCESS_REMOTE_WRITE);
	err = err ?: mem_rig_fill(&cur, bytes, 7);
	if (err == -EAGAIN)
		rxe_cursor_missing(&cur, missing);
	rcu_read_unlock_bh();
	return err;
}

static void missing_is_told(struct kunit *test)
{
	struct odp_test *t = begin(test);
	struct rxe_odp_range missing = {};

	KUNIT_EXPECT_EQ(test, copy(test, t, LENGTH, 1, &missing), -EINVAL);
	rxe_odp_fill(t->odp, t->pfns, 0, 1, true);
	KUNIT_EXPECT_EQ(test, copy(test, t, 8, PAGE_SIZE, &missing), -EAGAIN);
	KUNIT_EXPECT_PTR_EQ(test, missing.mr, &t->mr);
	KUNIT_EXPECT_EQ(test, missing.va, IOVA + PAGE_SIZE - FIRST);
	KUNIT_EXPECT_EQ(test, missing.length, (u64)FIRST + 8);
	KUNIT_EXPECT_TRUE(test, missing.write);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->odp->faults), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->odp->hold.copies), 0);
	rxe_odp_put(&missing);
	rxe_odp_fill(t->odp, t->pfns, 1, 2, true);
	KUNIT_EXPECT_EQ(test, copy(test, t, 8, PAGE_SIZE, &missing), 0);
	KUNIT_EXPECT_EQ(test, t->mem[FIRST + 7], (u8)0);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(t->mem + FIRST + 8, 7, PAGE_SIZE),
			    NULL);
	KUNIT_EXPECT_EQ(test, t->mem[FIRST + 8 + PAGE_SIZE], (u8)0);
	/* While pages of others are being taken away nobody begins */
	t->odp->closed = true;
	KUNIT_EXPECT_EQ(test, copy(test, t, 8, 8, &missing), -EAGAIN);
	rxe_odp_put(&missing);
	end(test, t);
}

/**
 * struct writer - one who writes for ever, whatever is there
 * @test: the case
 * @t: the region
 * @written: how often it was there
 */
struct writer {
	struct kunit *test;
	struct odp_test *t;
	unsigned int written;
};

static int write_on(void *arg)
{
	struct writer *w = arg;
	struct rxe_odp_range missing;

	while (!kthread_should_stop()) {
		if (copy(w->test, w->t, 0, LENGTH, &missing) == -EAGAIN)
			rxe_odp_put(&missing);
		else
			w->written++;
		cond_resched();
	}
	return 0;
}

/* What was taken away is not touched any more, though another page stays in use */
static void nobody_writes_to_what_was_dropped(struct kunit *test)
{
	struct odp_test *t = begin(test);
	struct writer w = { .test = test, .t = t };
	struct task_struct *task;
	unsigned int i, dirty = 0;

	task = kthread_run(write_on, &w, "rxe_odp_writer");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	for (i = 0; i < 3000; i++) {
		rxe_odp_fill(t->odp, t->pfns, 0, PAGES, true);
		if (i & 1)
			udelay(i % 50);
		else
			cond_resched();
		rxe_odp_drop(t->odp, 1, 2);
		memset(t->mem + PAGE_SIZE, 0x11, PAGE_SIZE);
		udelay(5);
		dirty += !!memchr_inv(t->mem + PAGE_SIZE, 0x11, PAGE_SIZE);
	}
	kthread_stop(task);
	KUNIT_EXPECT_EQ(test, dirty, 0U);
	/* or the test has tested nothing */
	KUNIT_EXPECT_GT(test, w.written, 0U);
	end(test, t);
}

static struct kunit_case odp_cases[] = {
	KUNIT_CASE(pages_come),
	KUNIT_CASE(pages_apart),
	KUNIT_CASE(rights),
	KUNIT_CASE(written_is_dirty),
	KUNIT_CASE(missing_is_told),
	KUNIT_CASE(nobody_writes_to_what_was_dropped),
	{}
};

static struct kunit_suite odp_suite = {
	.name = "rxe_odp",
	.init = mem_rig_init,
	.exit = mem_rig_exit,
	.test_cases = odp_cases,
};

kunit_test_suite(odp_suite);
