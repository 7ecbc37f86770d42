// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* obj/flush.c: who may flush what, through regions and windows, in portions */
#include "mem_rig.h"
#include "obj/flush.h"

#define IOVA 0x1234
#define BYTES 1000
#define GLOBAL RXE_ACC_FLUSH_GLOBAL
#define PERSISTENT RXE_ACC_FLUSH_PERSISTENT
#define OTHERS                                                              \
	(RXE_ACC_LOCAL_WRITE | RXE_ACC_REMOTE_WRITE | RXE_ACC_REMOTE_READ | \
	 RXE_ACC_REMOTE_ATOMIC | RXE_ACC_MW_BIND)

static int flush(const struct rxe_qp *qp, struct rxe_flush *f)
{
	int err;

	local_bh_disable();
	rcu_read_lock();
	err = rxe_flush_some(qp->dev, qp->ib.pd, qp->ib.qp_num, f);
	rcu_read_unlock();
	local_bh_enable();
	return err;
}

/* No bytes need no key (IBTA 9.4.3); all of a region is inside it */
static int due(const struct rxe_mr *mr, const struct rxe_qp *qp,
	       const struct rxe_flush *f)
{
	u64 last = f->va + f->length - 1;

	if (!f->whole && !f->length)
		return 0;
	if (f->rkey != mr->lkey || mr->state != RXE_MR_VALID ||
	    mr->ib.pd != qp->ib.pd)
		return -EINVAL;
	if ((mr->access & f->access) != f->access)
		return -EACCES;
	if (f->whole)
		return 0;
	return f->va >= IOVA && last >= f->va && last < IOVA + BYTES ? 0 :
								       -EINVAL;
}

static void check_one(struct kunit *test, struct rxe_mr *mr,
		      const struct rxe_qp *qp, struct rxe_flush *f)
{
	int want = due(mr, qp, f);

	KUNIT_EXPECT_EQ_MSG(test, flush(qp, f), want,
			    "%llx+%llx, whole %u, has %#x, asks %#x", f->va,
			    f->length, f->whole, mr->access, f->access);
	KUNIT_ASSERT_EQ(test, atomic_read(&mr->hold.copies), 0);
}

static void check_ranges(struct kunit *test, struct rxe_mr *mr,
			 const struct rxe_qp *qp, u32 rkey, int access)
{
	static const u64 vas[] = { 0,	     IOVA - 1,	       IOVA,
				   IOVA + 1, IOVA + BYTES - 1, IOVA + BYTES,
				   U64_MAX };
	static const u64 lengths[] = { 0,	  1,	      BYTES - 1, BYTES,
				       BYTES + 1, 0x80000000, U32_MAX };
	u32 i, k, whole;

	for (i = 0; i < ARRAY_SIZE(vas); i++) {
		for (k = 0; k < ARRAY_SIZE(lengths); k++) {
			for (whole = 0; whole < 2; whole++) {
				struct rxe_flush f = { .rkey = rkey,
						       .whole = whole,
						       .va = vas[i],
						       .length = lengths[k],
						       .access = access };

				check_one(test, mr, qp, &f);
			}
		}
	}
}

/* type x level x rights of the region x bounds x key x domain x state */
static void every_flush_of_a_region(struct kunit *test)
{
	static const int has[] = { 0,
				   GLOBAL,
				   PERSISTENT,
				   OTHERS,
				   GLOBAL | OTHERS,
				   PERSISTENT | OTHERS,
				   GLOBAL | PERSISTENT };
	static const int asks[] = { GLOBAL, PERSISTENT, GLOBAL | PERSISTENT };
	struct mem_rig *r = test->priv;
	struct rxe_mr *mr = mem_rig_fast_mr(test, IOVA, BYTES, 0);
	u32 i, k, state, q;

	for (i = 0; i < ARRAY_SIZE(has); i++) {
		/* As if somebody had looked what memory it is */
		mr->access = has[i];
		for (state = RXE_MR_FREE; state <= RXE_MR_DEAD; state++) {
			mr->state = state;
			for (k = 0; k < ARRAY_SIZE(asks); k++) {
				for (q = 0; q < MEM_RIG_QPS; q++)
					check_ranges(test, mr, &r->qp[q],
						     mr->lkey, asks[k]);
				check_ranges(test, mr, &r->qp[0], mr->lkey ^ 1,
					     asks[k]);
				check_ranges(test, mr, &r->qp[0],
					     mr->lkey + 0x100, asks[k]);
			}
		}
	}
	mr->state = RXE_MR_VALID;
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
}

/* Fast registration does not look what memory it is given */
static void no_persistence_unseen(struct kunit *test)
{
	struct mem_rig *r = test->priv;
	struct rxe_mr *mr = mem_rig_fast_mr(test, IOVA, BYTES, GLOBAL);

#define REG(access) rxe_mr_fast_register(&r->dev, &r->pd, mr, mr->lkey, access)
	mr->state = RXE_MR_FREE;
	KUNIT_EXPECT_EQ(test, REG(PERSISTENT), -EINVAL);
	KUNIT_EXPECT_EQ(test, REG(PERSISTENT | GLOBAL | OTHERS), -EINVAL);
	KUNIT_EXPECT_EQ(test, REG(GLOBAL | OTHERS), 0);
#undef REG
	/* Nor is this persistent memory */
	KUNIT_EXPECT_FALSE(test, rxe_flush_can_persist(mr));
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
}

/* A window grants no more than its region, and its range is its own */
static void through_a_window(struct kunit *test)
{
	struct mem_rig *r = test->priv;
	struct rxe_mr *mr =
		mem_rig_user_mr(test, IOVA, BYTES, GLOBAL | RXE_ACC_MW_BIND);
	struct rxe_mw *mw = kunit_kzalloc(test, sizeof(*mw), GFP_KERNEL);
	struct rxe_flush f = { .access = GLOBAL };
	struct rxe_qp *qp = &r->qp[0];

	KUNIT_ASSERT_NOT_NULL(test, mw);
	mw->ib.device = &r->dev.ib;
	mw->ib.pd = &r->pd;
	mw->ib.type = IB_MW_TYPE_2;
	KUNIT_ASSERT_EQ(test, rxe_mw_alloc(mw), 0);
	f.rkey = mw->win.key;
	f.whole = true;
	KUNIT_EXPECT_EQ(test, flush(qp, &f), -EINVAL);

	KUNIT_EXPECT_EQ(test,
			mem_rig_bind(qp, mw, mr, IOVA + 10, 100, PERSISTENT),
			-EINVAL);
	KUNIT_ASSERT_EQ(test,
			mem_rig_bind(qp, mw, mr, IOVA + 10, 100,
				     GLOBAL | RXE_ACC_ZERO_BASED),
			0);
	f.rkey = mw->win.key;
	KUNIT_EXPECT_EQ(test, flush(qp, &f), 0);
	KUNIT_EXPECT_EQ(test, f.done, 100ULL);
	KUNIT_EXPECT_EQ(test, flush(&r->qp[1], &f), -EINVAL);
	f = (struct rxe_flush){ .rkey = mw->win.key, .access = GLOBAL };
	f.length = 100;
	KUNIT_EXPECT_EQ(test, flush(qp, &f), 0);
	f.va = 1;
	f.done = 0;
	KUNIT_EXPECT_EQ(test, flush(qp, &f), -EINVAL);
	f.length = 99;
	f.access = PERSISTENT;
	KUNIT_EXPECT_EQ(test, flush(qp, &f), -EACCES);
	KUNIT_EXPECT_EQ(test, atomic_read(&mw->hold.copies), 0);
	rxe_mw_dealloc(mw);
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
}

/* Persistence in portions, each checked anew; the blocks are all the same page */
static void portion_by_portion(struct kunit *test)
{
	struct mem_rig *r = test->priv;
	struct rxe_mr *mr = rxe_mr_alloc_fast(&r->dev, &r->pd, 100);
	void *page = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	struct rxe_flush f = { .whole = true, .access = PERSISTENT };
	u32 n = 1;

	KUNIT_ASSERT_FALSE(test, IS_ERR(mr));
	KUNIT_ASSERT_NOT_NULL(test, page);
	while (mr->num_blocks < 100)
		mr->blocks[mr->num_blocks++] = (uintptr_t)page;
	mr->ib.page_size = PAGE_SIZE;
	mr->ib.iova = IOVA;
	mr->ib.length = 99 * PAGE_SIZE;
	KUNIT_ASSERT_EQ(test,
			rxe_mr_fast_register(&r->dev, &r->pd, mr, mr->lkey, 0),
			0);
	mr->access = PERSISTENT;
	f.rkey = mr->lkey;
	for (; flush(&r->qp[0], &f) == 1; n++)
		KUNIT_ASSERT_EQ(test, f.done, n * 65536ULL);
	KUNIT_EXPECT_EQ(test, n, 7U);
	KUNIT_EXPECT_EQ(test, f.done, 99ULL * PAGE_SIZE);
	/* In the middle the region goes */
	f.done = 65536;
	mr->state = RXE_MR_ENDING;
	KUNIT_EXPECT_EQ(test, flush(&r->qp[0], &f), -EINVAL);
	mr->state = RXE_MR_VALID;
	/* or has become shorter than it was */
	f.done = U64_MAX - 10;
	KUNIT_EXPECT_EQ(test, flush(&r->qp[0], &f), 0);
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
}

static struct kunit_case flush_mem_cases[] = {
	KUNIT_CASE(every_flush_of_a_region),
	KUNIT_CASE(no_persistence_unseen),
	KUNIT_CASE(through_a_window),
	KUNIT_CASE(portion_by_portion),
	{}
};

static struct kunit_suite flush_mem_suite = {
	.name = "rxe_flush_mem",
	.init = mem_rig_init,
	.exit = mem_rig_exit,
	.test_cases = flush_mem_cases,
};

kunit_test_suite(flush_mem_suite);
