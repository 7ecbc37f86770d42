// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* obj/mw.c: windows, the regions they hold and the QPs that hold them */
#include "mem_rig.h"

#define MR_ACCESS (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_MW_BIND)
#define MW_ACCESS (IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE)
#define IOVA 0x10000
#define BYTES 1000

static struct rxe_mw *make_window(struct kunit *test, enum ib_mw_type type)
{
	struct mem_rig *r = test->priv;
	struct rxe_mw *mw = kunit_kzalloc(test, sizeof(*mw), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, mw);
	mw->ib.device = &r->dev.ib;
	mw->ib.pd = &r->pd;
	mw->ib.type = type;
	KUNIT_ASSERT_EQ(test, rxe_mw_alloc(mw), 0);
	KUNIT_EXPECT_TRUE(test, rxe_mw_is_key(mw->ib.rkey));
	return mw;
}

/* Bind all of @mr, or nothing when @length is 0, through a QP */
static int bind(struct rxe_qp *qp, const struct rxe_mw *mw,
		const struct rxe_mr *mr, u64 length)
{
	return mem_rig_bind(qp, mw, mr, IOVA, length, MW_ACCESS);
}

static int use(struct rxe_qp *qp, const struct rxe_mw *mw, struct rxe_mr **mr)
{
	struct rxe_hold *hold;
	u64 at;
	int err;

	local_bh_disable();
	rcu_read_lock();
	err = rxe_mw_check(qp->dev, qp->ib.pd, qp->ib.qp_num, mw->win.key, IOVA,
			   BYTES, IB_ACCESS_REMOTE_WRITE, mr, &at, &hold);
	if (!err)
		rxe_hold_put(hold);
	rcu_read_unlock();
	local_bh_enable();
	return err;
}

static int invalidate(struct rxe_qp *qp, u32 key)
{
	int err;

	local_bh_disable();
	rcu_read_lock();
	err = rxe_mr_invalidate(qp->dev, qp->ib.pd, qp->ib.qp_num, key);
	rcu_read_unlock();
	local_bh_enable();
	return err;
}

/* A region stays as it is while a window is bound to it (IBTA 10.6.7.2.5) */
static void region_is_held_by_its_window(struct kunit *test)
{
	struct mem_rig *r = test->priv;
	struct rxe_mr *mr = mem_rig_user_mr(test, IOVA, BYTES, MR_ACCESS);
	struct rxe_mw *mw = make_window(test, IB_MW_TYPE_1);
	struct rxe_mr *got;

	KUNIT_EXPECT_EQ(test, use(&r->qp[0], mw, &got), -EINVAL);
	KUNIT_ASSERT_EQ(test, bind(&r->qp[0], mw, mr, BYTES), 0);
	KUNIT_EXPECT_EQ(test, use(&r->qp[0], mw, &got), 0);
	KUNIT_EXPECT_PTR_EQ(test, got, mr);
	KUNIT_EXPECT_EQ(test, atomic_read(&mr->bound_mws), 1);
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), -EBUSY);
	KUNIT_EXPECT_EQ(test, rxe_mr_change(mr, &r->pd, MR_ACCESS), -EBUSY);
	/* Type 1: bound again, it counts once; by any QP of the domain */
	KUNIT_EXPECT_EQ(test, bind(&r->qp[1], mw, mr, BYTES), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&mr->bound_mws), 1);
	KUNIT_EXPECT_EQ(test, use(&r->qp[0], mw, &got), 0);
	KUNIT_EXPECT_EQ(test, use(&r->qp[2], mw, &got), -EINVAL);
	/* Length 0 unbinds */
	KUNIT_EXPECT_EQ(test, bind(&r->qp[0], mw, mr, 0), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&mr->bound_mws), 0);
	KUNIT_EXPECT_EQ(test, use(&r->qp[0], mw, &got), -EINVAL);
	rxe_mw_dealloc(mw);
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
}

/* Nor is it given other rights or another domain; to a user's region it may be done */
static void region_is_not_changed_under_its_window(struct kunit *test)
{
	struct mem_rig *r = test->priv;
	struct rxe_mr *mr = mem_rig_fast_mr(test, IOVA, BYTES, MR_ACCESS);
	struct rxe_mw *mw = make_window(test, IB_MW_TYPE_1);
	struct rxe_mr *got;

	mr->type = RXE_MR_USER;
	KUNIT_ASSERT_EQ(test, bind(&r->qp[0], mw, mr, BYTES), 0);
	KUNIT_EXPECT_EQ(test, rxe_mr_change(mr, &r->other_pd, MR_ACCESS),
			-EBUSY);
	KUNIT_EXPECT_EQ(test, use(&r->qp[0], mw, &got), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&mr->bound_mws), 1);
	KUNIT_ASSERT_EQ(test, bind(&r->qp[0], mw, mr, 0), 0);
	/* It takes windows again afterwards, by its new rights and domain */
	KUNIT_EXPECT_EQ(test, rxe_mr_change(mr, &r->pd, IB_ACCESS_LOCAL_WRITE),
			0);
	KUNIT_EXPECT_EQ(test, bind(&r->qp[0], mw, mr, BYTES), -EINVAL);
	KUNIT_EXPECT_EQ(test, rxe_mr_change(mr, &r->other_pd, MR_ACCESS), 0);
	KUNIT_EXPECT_EQ(test, bind(&r->qp[0], mw, mr, BYTES), -EINVAL);
	KUNIT_EXPECT_EQ(test, rxe_mr_change(mr, &r->pd, MR_ACCESS), 0);
	KUNIT_EXPECT_EQ(test, bind(&r->qp[0], mw, mr, BYTES), 0);
	rxe_mw_dealloc(mw);
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
}

static void window_of_type_2_belongs_to_a_qp(struct kunit *test)
{
	struct mem_rig *r = test->priv;
	struct rxe_mr *mr = mem_rig_user_mr(test, IOVA, BYTES, MR_ACCESS);
	struct rxe_mw *mw = make_window(test, IB_MW_TYPE_2);
	struct rxe_mr *got;
	u32 key = mw->win.key;

	KUNIT_EXPECT_EQ(test, bind(&r->qp[2], mw, mr, BYTES), -EINVAL);
	KUNIT_EXPECT_EQ(test, bind(&r->qp[0], mw, mr, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, atomic_read(&mr->bound_mws), 0);
	KUNIT_ASSERT_EQ(test, bind(&r->qp[0], mw, mr, BYTES), 0);
	KUNIT_EXPECT_EQ(test, mw->win.key, (key & ~0xffU) | ((key + 1) & 0xff));
	KUNIT_EXPECT_EQ(test, atomic_read(&r->qp[0].bound_mws), 1);
	KUNIT_EXPECT_EQ(test, use(&r->qp[0], mw, &got), 0);
	KUNIT_EXPECT_EQ(test, use(&r->qp[1], mw, &got), -EINVAL);
	/* Not bound again while it is, and invalidated only by its QP */
	KUNIT_EXPECT_EQ(test, bind(&r->qp[0], mw, mr, BYTES), -EINVAL);
	KUNIT_EXPECT_EQ(test, invalidate(&r->qp[1], mw->win.key), -EINVAL);
	KUNIT_EXPECT_EQ(test, invalidate(&r->qp[0], mw->win.key), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&r->qp[0].bound_mws), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&mr->bound_mws), 0);
	KUNIT_EXPECT_EQ(test, invalidate(&r->qp[0], mw->win.key), -EINVAL);
	/* and then by another one */
	KUNIT_EXPECT_EQ(test, bind(&r->qp[1], mw, mr, BYTES), 0);
	KUNIT_EXPECT_EQ(test, use(&r->qp[1], mw, &got), 0);
	rxe_mw_dealloc(mw);
	KUNIT_EXPECT_EQ(test, atomic_read(&r->qp[1].bound_mws), 0);
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
}

/* Windows of a QP that goes are free, those of others stay */
static void qp_that_goes_frees_its_windows(struct kunit *test)
{
	struct mem_rig *r = test->priv;
	struct rxe_mr *mr = mem_rig_user_mr(test, IOVA, BYTES, MR_ACCESS);
	struct rxe_mw *mw[4];
	struct rxe_mr *got;
	int i;

	for (i = 0; i < 4; i++) {
		mw[i] = make_window(test, i == 3 ? IB_MW_TYPE_1 : IB_MW_TYPE_2);
		KUNIT_ASSERT_EQ(test, bind(&r->qp[i % 2], mw[i], mr, BYTES), 0);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&mr->bound_mws), 4);
	KUNIT_EXPECT_EQ(test, atomic_read(&r->qp[0].bound_mws), 2);
	rxe_mw_detach_qp(&r->qp[0]);
	KUNIT_EXPECT_EQ(test, atomic_read(&r->qp[0].bound_mws), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&mr->bound_mws), 2);
	KUNIT_EXPECT_EQ(test, use(&r->qp[0], mw[0], &got), -EINVAL);
	KUNIT_EXPECT_EQ(test, use(&r->qp[1], mw[1], &got), 0);
	KUNIT_EXPECT_EQ(test, use(&r->qp[0], mw[2], &got), -EINVAL);
	KUNIT_EXPECT_EQ(test, use(&r->qp[1], mw[3], &got), 0);
	for (i = 0; i < 4; i++)
		rxe_mw_dealloc(mw[i]);
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
}

/* What cannot be bound to leaves window and region as they were */
static void binds_that_fail_change_nothing(struct kunit *test)
{
	struct mem_rig *r = test->priv;
	struct rxe_mr *mr = mem_rig_user_mr(test, IOVA, BYTES, MR_ACCESS);
	struct rxe_mr *bare =
		mem_rig_user_mr(test, IOVA, BYTES, IB_ACCESS_LOCAL_WRITE);
	struct rxe_mr *fast = mem_rig_fast_mr(test, IOVA, BYTES, MR_ACCESS);
	struct rxe_mr *dma = rxe_mr_get_dma(&r->dev, &r->pd, MR_ACCESS);
	struct rxe_mw *mw = make_window(test, IB_MW_TYPE_1);
	struct rxe_mr *got;
	u32 key;

	KUNIT_ASSERT_EQ(test, bind(&r->qp[0], mw, mr, BYTES), 0);
	key = mw->win.key;
	KUNIT_EXPECT_EQ(test, bind(&r->qp[0], mw, bare, BYTES), -EINVAL);
	KUNIT_EXPECT_EQ(test, bind(&r->qp[0], mw, dma, BYTES), -EINVAL);
	KUNIT_EXPECT_EQ(test, bind(&r->qp[0], mw, mr, BYTES + 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, bind(&r->qp[0], mw, fast, BYTES), -EINVAL);
	KUNIT_EXPECT_EQ(test, mw->win.key, key);
	KUNIT_EXPECT_EQ(test, use(&r->qp[0], mw, &got), 0);
	KUNIT_EXPECT_PTR_EQ(test, got, mr);
	KUNIT_EXPECT_EQ(test, atomic_read(&mr->bound_mws), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&bare->bound_mws), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&dma->bound_mws), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&fast->bound_mws), 0);
	rxe_mw_dealloc(mw);
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(bare), 0);
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(dma), 0);
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(fast), 0);
}

/* Would a bind count @mr? */
static bool counted(struct rxe_mr *mr, struct ib_pd *pd, u32 lkey)
{
	struct rxe_region region;
	struct rxe_mr *got;

	rcu_read_lock();
	got = rxe_mr_get_bound(to_rxe_dev(mr->ib.device), pd, lkey, &region);
	rcu_read_unlock();
	if (got)
		atomic_dec(&got->bound_mws);
	return got;
}

/* The count keeps the owner from ending the region, if only for a moment */
static void strangers_do_not_hold_a_region(struct kunit *test)
{
	struct mem_rig *r = test->priv;
	struct rxe_mr *mr = mem_rig_user_mr(test, IOVA, BYTES, MR_ACCESS);

	KUNIT_EXPECT_TRUE(test, counted(mr, &r->pd, mr->lkey));
	KUNIT_EXPECT_FALSE(test, counted(mr, &r->other_pd, mr->lkey));
	KUNIT_EXPECT_FALSE(test, counted(mr, &r->pd, mr->lkey ^ 1));
	KUNIT_EXPECT_EQ(test, atomic_read(&mr->bound_mws), 0);
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
}

static struct kunit_case mw_cases[] = {
	KUNIT_CASE(region_is_held_by_its_window),
	KUNIT_CASE(region_is_not_changed_under_its_window),
	KUNIT_CASE(window_of_type_2_belongs_to_a_qp),
	KUNIT_CASE(qp_that_goes_frees_its_windows),
	KUNIT_CASE(binds_that_fail_change_nothing),
	KUNIT_CASE(strangers_do_not_hold_a_region),
	{}
};

static struct kunit_suite mw_suite = {
	.name = "rxe_mw",
	.init = mem_rig_init,
	.exit = mem_rig_exit,
	.test_cases = mw_cases,
};

kunit_test_suite(mw_suite);
