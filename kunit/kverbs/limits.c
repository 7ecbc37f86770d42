// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Limits that the device advertises: as many objects as it says may be created, and the
 * next one is refused until one of them goes. A million of each would take hours, so all
 * but the last are counted as if they were there.
 */
#include "obj/dev.h"
#include "rig.h"

/**
 * struct kind - objects that are counted
 * @count: how many there are
 * @limit: how many there may be
 * @make: creates one; or an error pointer
 * @end: destroys it
 * @spoil: tries to create one that is refused for another reason, once it is
 *	counted; an error pointer
 * @due: that error
 */
struct kind {
	atomic_t *count;
	int limit;
	void *(*make)(struct kv *kv);
	void (*end)(void *obj);
	void *(*spoil)(struct kv *kv);
	int due;
};

static void check_last(struct kunit *test, const struct kind *kind)
{
	struct kv *kv = test->priv;
	void *last = kind->make(kv);
	void *beyond;

	KUNIT_EXPECT_FALSE(test, IS_ERR(last));
	KUNIT_EXPECT_EQ(test, atomic_read(kind->count), kind->limit);
	beyond = kind->make(kv);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(beyond), -ENOSPC);
	if (!IS_ERR(beyond))
		kind->end(beyond);
	KUNIT_EXPECT_EQ(test, atomic_read(kind->count), kind->limit);
	if (!IS_ERR(last))
		kind->end(last);
	KUNIT_EXPECT_EQ(test, atomic_read(kind->count), kind->limit - 1);
}

static void check_limit(struct kunit *test, const struct kind *kind)
{
	int others = kind->limit - 1 - atomic_read(kind->count);

	KUNIT_ASSERT_GT(test, others, 0);
	atomic_add(others, kind->count);
	check_last(test, kind);
	check_last(test, kind);
	if (kind->spoil) {
		void *bad = kind->spoil(test->priv);

		KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(bad), kind->due);
		if (!IS_ERR(bad))
			kind->end(bad);
		check_last(test, kind);
	}
	atomic_sub(others, kind->count);
}

static struct rxe_dev *dev_of(struct kv *kv)
{
	return to_rxe_dev(kv->dev);
}

static void *make_pd(struct kv *kv)
{
	return ib_alloc_pd(kv->dev, 0);
}

static void end_pd(void *pd)
{
	ib_dealloc_pd(pd);
}

static void protection_domains(struct kunit *test)
{
	struct kv *kv = test->priv;
	struct kind kind = { .count = &dev_of(kv)->num_pd,
			     .limit = kv->dev->attrs.max_pd,
			     .make = make_pd,
			     .end = end_pd };

	check_limit(test, &kind);
}

static void *make_cq(struct kv *kv)
{
	return ib_alloc_cq(kv->dev, NULL, 10, 0, IB_POLL_DIRECT);
}

static void end_cq(void *cq)
{
	ib_free_cq(cq);
}

static void completion_queues(struct kunit *test)
{
	struct kv *kv = test->priv;
	struct kind kind = { .count = &dev_of(kv)->num_cq,
			     .limit = kv->dev->attrs.max_cq,
			     .make = make_cq,
			     .end = end_cq };

	check_limit(test, &kind);
}

static void *make_qp_with(struct kv *kv, u32 max_recv_sge)
{
	struct ib_qp_init_attr init = {
		.send_cq = kv->a.cq,
		.recv_cq = kv->a.cq,
		.cap = { .max_send_wr = 4,
			 .max_recv_wr = 4,
			 .max_send_sge = 1,
			 .max_recv_sge = max_recv_sge },
		.qp_type = IB_QPT_UD,
	};

	return ib_create_qp(kv->pd, &init);
}

static void *make_qp(struct kv *kv)
{
	return make_qp_with(kv, 1);
}

static void *spoil_qp(struct kv *kv)
{
	return make_qp_with(kv, kv->dev->attrs.max_recv_sge + 1);
}

static void end_qp(void *qp)
{
	ib_destroy_qp(qp);
}

static void queue_pairs(struct kunit *test)
{
	struct kv *kv = test->priv;
	struct kind kind = { .count = &dev_of(kv)->num_qp,
			     .limit = kv->dev->attrs.max_qp,
			     .make = make_qp,
			     .end = end_qp,
			     .spoil = spoil_qp,
			     .due = -EINVAL };

	check_limit(test, &kind);
}

static void *make_srq_with(struct kv *kv, u32 max_wr)
{
	struct ib_srq_init_attr init = {
		.attr = { .max_wr = max_wr, .max_sge = 1 },
		.srq_type = IB_SRQT_BASIC,
	};

	return ib_create_srq(kv->pd, &init);
}

static void *make_srq(struct kv *kv)
{
	return make_srq_with(kv, 10);
}

static void *spoil_srq(struct kv *kv)
{
	return make_srq_with(kv, kv->dev->attrs.max_srq_wr + 1);
}

static void end_srq(void *srq)
{
	ib_destroy_srq(srq);
}

static void shared_receive_queues(struct kunit *test)
{
	struct kv *kv = test->priv;
	struct kind kind = { .count = &dev_of(kv)->num_srq,
			     .limit = kv->dev->attrs.max_srq,
			     .make = make_srq,
			     .end = end_srq,
			     .spoil = spoil_srq,
			     .due = -EINVAL };

	check_limit(test, &kind);
}

static void *make_mr(struct kv *kv)
{
	return ib_alloc_mr(kv->pd, IB_MR_TYPE_MEM_REG, 4);
}

static void end_mr(void *mr)
{
	ib_dereg_mr(mr);
}

static void regions(struct kunit *test)
{
	struct kv *kv = test->priv;
	struct kind kind = { .count = &dev_of(kv)->num_mr,
			     .limit = kv->dev->attrs.max_mr,
			     .make = make_mr,
			     .end = end_mr };

	check_limit(test, &kind);
}

/* The core makes one with such a protection domain, or gives that back too */
static void *make_dma_mr(struct kv *kv)
{
	return ib_alloc_pd(kv->dev, IB_PD_UNSAFE_GLOBAL_RKEY);
}

static void regions_of_all_memory(struct kunit *test)
{
	struct kv *kv = test->priv;
	struct kind kind = { .count = &dev_of(kv)->num_mr,
			     .limit = kv->dev->attrs.max_mr,
			     .make = make_dma_mr,
			     .end = end_pd };
	int pds = atomic_read(&dev_of(kv)->num_pd);

	check_limit(test, &kind);
	KUNIT_EXPECT_EQ(test, atomic_read(&dev_of(kv)->num_pd), pds);
}

static void *make_ah(struct kv *kv)
{
	struct rdma_ah_attr attr = {};
	int err = kv_path(kv, &attr);

	return err ? ERR_PTR(err) :
		     rdma_create_ah(kv->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
}

/* To where the source has no address of the same kind */
static void *spoil_ah(struct kv *kv)
{
	struct rdma_ah_attr attr = {};
	int err = kv_path(kv, &attr);

	attr.grh.dgid.raw[0] = 0x20;
	return err ? ERR_PTR(err) :
		     rdma_create_ah(kv->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
}

static void end_ah(void *ah)
{
	rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
}

/* The limit is that of users: when they hold all they may there are some for the kernel */
static void address_handles(struct kunit *test)
{
	struct kv *kv = test->priv;
	atomic_t *count = &dev_of(kv)->num_ah;
	int users = atomic_xchg(count, kv->dev->attrs.max_ah);
	void *ah = make_ah(kv);

	KUNIT_EXPECT_FALSE(test, IS_ERR(ah));
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(spoil_ah(kv)), -EINVAL);
	if (!IS_ERR(ah))
		end_ah(ah);
	KUNIT_EXPECT_EQ(test, atomic_read(count), (int)kv->dev->attrs.max_ah);
	atomic_set(count, users);
}

/* What follows has no verb for kernel users: the driver is asked by its table */

static void *make_mw(struct kv *kv)
{
	struct ib_mw *mw = rdma_zalloc_drv_obj(kv->dev, ib_mw);
	int err;

	if (!mw)
		return ERR_PTR(-ENOMEM);
	mw->device = kv->dev;
	mw->pd = kv->pd;
	mw->type = IB_MW_TYPE_1;
	err = kv->dev->ops.alloc_mw(mw, NULL);
	if (!err)
		return mw;
	kfree(mw);
	return ERR_PTR(err);
}

static void end_mw(void *obj)
{
	struct ib_mw *mw = obj;

	mw->device->ops.dealloc_mw(mw);
	kfree(mw);
}

static void windows(struct kunit *test)
{
	struct kv *kv = test->priv;
	struct kind kind = { .count = &dev_of(kv)->num_mw,
			     .limit = kv->dev->attrs.max_mw,
			     .make = make_mw,
			     .end = end_mw };

	check_limit(test, &kind);
}

static void *make_ucontext(struct kv *kv)
{
	struct ib_ucontext *uctx = rdma_zalloc_drv_obj(kv->dev, ib_ucontext);
	int err;

	if (!uctx)
		return ERR_PTR(-ENOMEM);
	uctx->device = kv->dev;
	err = kv->dev->ops.alloc_ucontext(uctx, NULL);
	if (!err)
		return uctx;
	kfree(uctx);
	return ERR_PTR(err);
}

static void end_ucontext(void *obj)
{
	struct ib_ucontext *uctx = obj;

	uctx->device->ops.dealloc_ucontext(uctx);
	kfree(uctx);
}

static void user_contexts(struct kunit *test)
{
	struct kv *kv = test->priv;
	struct kind kind = { .count = &dev_of(kv)->num_ucontext,
			     .limit = RXE_MAX_UCONTEXT,
			     .make = make_ucontext,
			     .end = end_ucontext };

	check_limit(test, &kind);
}

static struct kunit_case limits_cases[] = { KUNIT_CASE(protection_domains),
					    KUNIT_CASE(completion_queues),
					    KUNIT_CASE(queue_pairs),
					    KUNIT_CASE(shared_receive_queues),
					    KUNIT_CASE(regions),
					    KUNIT_CASE(regions_of_all_memory),
					    KUNIT_CASE(address_handles),
					    KUNIT_CASE(windows),
					    KUNIT_CASE(user_contexts),
					    {} };

static struct kunit_suite limits_suite = {
	.name = "rxe_kverbs_limits",
	.init = kv_init,
	.exit = kv_exit,
	.test_cases = limits_cases,
};

kunit_test_suite(limits_suite);
