// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* obj/mr.c: keys of regions, other rights for them, the walk over their blocks */
#include <linux/scatterlist.h>
#include <rdma/ib_umem.h>

#include "mem_rig.h"

/* The low byte of a key is the user's to choose; the old key is dead then */
static void key_of_the_next_registration(struct kunit *test)
{
	struct mem_rig *r = test->priv;
	struct rxe_mr *mr = mem_rig_fast_mr(test, 0x1000, 100, 0);
	u32 key = mr->lkey;
	int err;

#define INV(key) rxe_mr_invalidate(&r->dev, &r->pd, 0x50, key)
	KUNIT_EXPECT_EQ(test, INV(key), 0);
	err = rxe_mr_fast_register(&r->dev, &r->pd, mr, key ^ 0xff, 0);
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_EQ(test, INV(key), -EINVAL);
	KUNIT_EXPECT_EQ(test, INV(key ^ 0xff), 0);
#undef INV
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
}

/* LOCAL_INV and SEND with invalidate: once, in the own domain (IBTA 10.6.5) */
static void invalidating(struct kunit *test)
{
	struct mem_rig *r = test->priv;
	struct rxe_mr *mr =
		mem_rig_fast_mr(test, 0x1000, 100, IB_ACCESS_REMOTE_READ);
	struct rxe_mr *dma = rxe_mr_get_dma(&r->dev, &r->pd, MEM_RIG_ACCESS);
	struct rxe_hold *hold;
	struct rxe_mr *got;
	u32 key = mr->lkey;

#define INV(pd, key) rxe_mr_invalidate(&r->dev, pd, 0x50, key)
	KUNIT_EXPECT_EQ(test, INV(&r->other_pd, key), -EINVAL);
	KUNIT_EXPECT_EQ(test, INV(&r->pd, key ^ 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, INV(&r->pd, key + 0x700), -EINVAL);
	KUNIT_EXPECT_EQ(test, INV(&r->pd, dma->lkey), -EINVAL);
	KUNIT_EXPECT_EQ(test,
			rxe_mr_check(&r->dev, &r->pd, key, 0x1000, 100,
				     IB_ACCESS_REMOTE_READ, &got, &hold),
			0);
	KUNIT_ASSERT_PTR_EQ(test, hold, &mr->hold);
	KUNIT_EXPECT_EQ(test, atomic_read(&hold->copies), 1);
	rxe_hold_put(hold);
	KUNIT_EXPECT_EQ(test, INV(&r->pd, key), 0);
	KUNIT_EXPECT_EQ(test, INV(&r->pd, key), -EINVAL);
	KUNIT_EXPECT_EQ(test,
			rxe_mr_check(&r->dev, &r->pd, key, 0x1000, 100,
				     IB_ACCESS_REMOTE_READ, &got, &hold),
			-EINVAL);
	KUNIT_EXPECT_NULL(test, hold);
	KUNIT_EXPECT_EQ(test, atomic_read(&mr->hold.copies), 0);
#undef INV
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(dma), 0);
}

/* A region as a user has it, but for pages: no process is needed to change it */
static struct rxe_mr *user_mr(struct kunit *test, bool writable, int access)
{
	struct mem_rig *r = test->priv;
	struct ib_umem *umem = kunit_kzalloc(test, sizeof(*umem), GFP_KERNEL);
	struct rxe_mr *mr = rxe_mr_get_dma(&r->dev, &r->pd, access);

	KUNIT_ASSERT_NOT_NULL(test, umem);
	KUNIT_ASSERT_FALSE(test, IS_ERR(mr));
	umem->writable = writable;
	mr->type = RXE_MR_USER;
	mr->umem = umem;
	mr->iova = 0x1000;
	mr->length = 100;
	return mr;
}

static void end_user_mr(struct kunit *test, struct rxe_mr *mr)
{
	mr->umem = NULL; /* is the case's */
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
}

static int use(struct kunit *test, const struct rxe_mr *mr, struct ib_pd *pd,
	       int access)
{
	struct mem_rig *r = test->priv;
	struct rxe_hold *hold;
	struct rxe_mr *got;
	int err;

	local_bh_disable();
	rcu_read_lock();
	err = rxe_mr_check(&r->dev, pd, mr->ib.rkey, 0x1000, 100, access, &got,
			   &hold);
	if (!err && hold)
		rxe_hold_put(hold);
	rcu_read_unlock();
	local_bh_enable();
	return err;
}

/* Who may use it, and for what: @pd, for all sets out of @access, by the key it had */
static void check_users(struct kunit *test, const struct rxe_mr *mr,
			struct ib_pd *pd, int access)
{
	struct mem_rig *r = test->priv;
	struct ib_pd *other = pd == &r->pd ? &r->other_pd : &r->pd;
	u32 asks = 0;

	do {
		KUNIT_ASSERT_EQ_MSG(test, use(test, mr, pd, asks),
				    (asks | access) == access ? 0 : -EACCES,
				    "has %#x, asks %#x", access, asks);
		KUNIT_ASSERT_EQ(test, use(test, mr, other, asks), -EINVAL);
		asks = rxe_next_subset(asks, MEM_RIG_ACCESS);
	} while (asks);
}

/* Rereg (IBTA 11.2.9.5): other rights, or another domain, or both; the key stays */
static void region_is_changed(struct kunit *test)
{
	struct mem_rig *r = test->priv;
	struct rxe_mr *mr = user_mr(test, true, MEM_RIG_ACCESS);
	u32 key = mr->lkey, access = 0;

	check_users(test, mr, &r->pd, MEM_RIG_ACCESS);
	do {
		KUNIT_ASSERT_EQ(test, rxe_mr_change(mr, &r->pd, access), 0);
		check_users(test, mr, &r->pd, access);
		KUNIT_ASSERT_EQ(test, rxe_mr_change(mr, &r->other_pd, access),
				0);
		check_users(test, mr, &r->other_pd, access);
		access = rxe_next_subset(access, MEM_RIG_ACCESS);
	} while (access);
	KUNIT_EXPECT_EQ(test, rxe_mr_change(mr, &r->pd, MEM_RIG_ACCESS), 0);
	check_users(test, mr, &r->pd, MEM_RIG_ACCESS);
	KUNIT_EXPECT_EQ(test, mr->lkey, key);
	KUNIT_EXPECT_EQ(test, mr->ib.lkey, key);
	KUNIT_EXPECT_EQ(test, mr->ib.rkey, key);
	KUNIT_EXPECT_EQ(test, atomic_read(&mr->bound_mws), 0);
	end_user_mr(test, mr);
}

/* Not one of another type, not one with windows or on its way out; it stays as it was */
static void what_cannot_be_changed(struct kunit *test)
{
	static const struct {
		enum rxe_mr_type type;
		int windows;
		int due;
	} rows[] = {
		{ RXE_MR_DMA, 0, -EINVAL },
		{ RXE_MR_FAST_REG, 0, -EINVAL },
		{ RXE_MR_USER, 1, -EBUSY },
		{ RXE_MR_USER, 100, -EBUSY },
		{ RXE_MR_USER, INT_MIN, -EBUSY },
	};
	const int had = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ;
	struct mem_rig *r = test->priv;
	struct rxe_mr *mr = user_mr(test, true, had);
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		mr->type = rows[i].type;
		atomic_set(&mr->bound_mws, rows[i].windows);
		KUNIT_EXPECT_EQ(test,
				rxe_mr_change(mr, &r->other_pd, MEM_RIG_ACCESS),
				rows[i].due);
		KUNIT_EXPECT_EQ(test, atomic_read(&mr->bound_mws),
				rows[i].windows);
		check_users(test, mr, &r->pd, had);
	}
	mr->type = RXE_MR_USER;
	atomic_set(&mr->bound_mws, 0);
	/* Nor is one brought back that nobody may use */
	for (i = RXE_MR_FREE; i <= RXE_MR_DEAD; i++) {
		mr->state = i;
		rxe_mr_change(mr, &r->pd, had);
		KUNIT_EXPECT_EQ(test, (int)mr->state, i);
		KUNIT_EXPECT_EQ(test, use(test, mr, &r->pd, 0),
				i == RXE_MR_VALID ? 0 : -EINVAL);
	}
	end_user_mr(test, mr);
}

/* Memory that was pinned for reading is not written, and is not taken for persistent */
static bool grantable(bool writable, u32 has, u32 asks)
{
	if (asks & ~has & RXE_ACC_FLUSH_PERSISTENT)
		return false;
	return writable ||
	       !(asks & (RXE_ACC_LOCAL_WRITE | RXE_ACC_REMOTE_WRITE |
			 RXE_ACC_REMOTE_ATOMIC | RXE_ACC_MW_BIND));
}

static void check_grant(struct kunit *test, struct rxe_mr *mr, u32 asks)
{
	bool got = rxe_mr_can_grant(mr, asks);

	KUNIT_ASSERT_EQ_MSG(test, got,
			    grantable(mr->umem->writable, mr->access, asks),
			    "has %#x, asks %#x", mr->access, asks);
}

static void rights_that_need_other_pages(struct kunit *test)
{
	struct rxe_mr *mr = user_mr(test, true, 0);
	u32 asks = 0;

	mr->access = 0;
	do {
		do {
			mr->umem->writable = true;
			check_grant(test, mr, asks);
			mr->umem->writable = false;
			check_grant(test, mr, asks);
			asks = rxe_next_subset(asks, MEM_RIG_ACCESS);
		} while (asks);
		mr->access = rxe_next_subset(mr->access, MEM_RIG_ACCESS);
	} while (mr->access);
	end_user_mr(test, mr);
}

/* A key is not given again at once, so that a late user of it finds nothing */
static void keys_are_not_reused_at_once(struct kunit *test)
{
	struct mem_rig *r = test->priv;
	struct rxe_mr *mr, *got;
	struct rxe_hold *hold;
	u32 first = 0, last = 0;
	int i;

	for (i = 0; i < 10; i++) {
		mr = rxe_mr_get_dma(&r->dev, &r->pd, 0);
		KUNIT_ASSERT_FALSE(test, IS_ERR(mr));
		KUNIT_EXPECT_GT(test, mr->lkey >> 8, last >> 8);
		KUNIT_EXPECT_EQ(test, mr->ib.lkey, mr->lkey);
		KUNIT_EXPECT_EQ(test, mr->ib.rkey, mr->lkey);
		last = mr->lkey;
		first = first ?: last;
		KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
		KUNIT_EXPECT_EQ(test,
				rxe_mr_check(&r->dev, &r->pd, last, 0, 1, 0,
					     &got, &hold),
				-EINVAL);
	}
	KUNIT_EXPECT_EQ(test, last >> 8, (first >> 8) + 9);
	/* At the end of the range it begins anew */
	r->dev.mr_next = RXE_MAX_MR_INDEX;
	mr = rxe_mr_get_dma(&r->dev, &r->pd, 0);
	KUNIT_EXPECT_EQ(test, mr->lkey >> 8, (u32)RXE_MAX_MR_INDEX);
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
	mr = rxe_mr_get_dma(&r->dev, &r->pd, 0);
	KUNIT_EXPECT_EQ(test, mr->lkey >> 8, (u32)RXE_MIN_MR_INDEX);
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
}

#define BLOCK 512
#define BLOCKS 6

/* Three runs: of two blocks, of one, of three; the first begins inside its block */
static void spans_of_scattered_blocks(struct kunit *test)
{
	static const u8 where[BLOCKS] = { 2, 3, 8, 10, 11, 12 };
	static const u8 run_ends[BLOCKS] = { 2, 2, 3, 6, 6, 6 };
	struct mem_rig *r = test->priv;
	struct rxe_mr *mr = rxe_mr_alloc_fast(&r->dev, &r->pd, BLOCKS);
	u8 *buf = kunit_kzalloc(test, 16 * BLOCK, GFP_KERNEL);
	struct scatterlist sg[BLOCKS];
	u32 skip = 100, off, want;
	void *at;
	int i;

	KUNIT_ASSERT_FALSE(test, IS_ERR(mr));
	KUNIT_ASSERT_NOT_NULL(test, buf);
	KUNIT_ASSERT_TRUE(test, IS_ALIGNED((uintptr_t)buf, BLOCK));
	sg_init_table(sg, BLOCKS);
	for (i = 0; i < BLOCKS; i++) {
		sg_dma_address(&sg[i]) = (uintptr_t)buf + where[i] * BLOCK;
		sg_dma_len(&sg[i]) = BLOCK;
	}
	mr->ib.page_size = BLOCK;
	KUNIT_ASSERT_EQ(test, rxe_mr_map_sg(mr, sg, BLOCKS, &skip), BLOCKS);
	mr->ib.iova = 0x7000 + 100;
	KUNIT_ASSERT_EQ(test,
			rxe_mr_fast_register(&r->dev, &r->pd, mr, mr->lkey, 0),
			0);
	KUNIT_EXPECT_EQ(test, mr->length, BLOCKS * BLOCK - 100ULL);
	rcu_read_lock();
	for (off = 100; off < BLOCKS * BLOCK; off += 3) {
		u32 block = off / BLOCK;
		u32 run = run_ends[block] * BLOCK - off;

		for (want = 1; want <= BLOCKS * BLOCK - off; want += 61) {
			size_t n = rxe_mr_span(mr, 0x7000 + off, want, &at);

			KUNIT_ASSERT_EQ_MSG(test, n, (size_t)min(want, run),
					    "at %u, want %u", off, want);
			KUNIT_ASSERT_PTR_EQ(test, at,
					    (void *)(buf +
						     where[block] * BLOCK +
						     off % BLOCK));
		}
	}
	/* Given other pages, and fewer, since the check */
	KUNIT_EXPECT_EQ(test, rxe_mr_span(mr, 0x7000 + BLOCKS * BLOCK, 1, &at),
			(size_t)0);
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
}

/* All kinds of objects are counted like this */
static void objects_are_counted(struct kunit *test)
{
	struct mem_rig *r = test->priv;
	int round;

	atomic_set(&r->dev.num_mr, RXE_MAX_MR - 2);
	for (round = 0; round < 2; round++) {
		KUNIT_EXPECT_TRUE(test,
				  rxe_limit_get(&r->dev.num_mr, RXE_MAX_MR));
		KUNIT_EXPECT_TRUE(test,
				  rxe_limit_get(&r->dev.num_mr, RXE_MAX_MR));
		KUNIT_EXPECT_FALSE(test,
				   rxe_limit_get(&r->dev.num_mr, RXE_MAX_MR));
		KUNIT_EXPECT_FALSE(test,
				   rxe_limit_get(&r->dev.num_mr, RXE_MAX_MR));
		rxe_limit_put(&r->dev.num_mr);
		KUNIT_EXPECT_TRUE(test,
				  rxe_limit_get(&r->dev.num_mr, RXE_MAX_MR));
		rxe_limit_put(&r->dev.num_mr);
		rxe_limit_put(&r->dev.num_mr);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&r->dev.num_mr), RXE_MAX_MR - 2);
}

static void limits_of_fast_registration(struct kunit *test)
{
	struct mem_rig *r = test->priv;
	struct rxe_mr *mr;

	mr = rxe_mr_alloc_fast(&r->dev, &r->pd, 0);
	KUNIT_EXPECT_EQ(test, PTR_ERR(mr), (long)-EINVAL);
	mr = rxe_mr_alloc_fast(&r->dev, &r->pd, RXE_MAX_FMR_PAGES + 1);
	KUNIT_EXPECT_EQ(test, PTR_ERR(mr), (long)-EINVAL);
	mr = rxe_mr_alloc_fast(&r->dev, &r->pd, RXE_MAX_FMR_PAGES);
	KUNIT_ASSERT_FALSE(test, IS_ERR(mr));
	KUNIT_EXPECT_EQ(test, mr->state, RXE_MR_FREE);
	KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
}

static struct kunit_case mr_cases[] = {
	KUNIT_CASE(key_of_the_next_registration),
	KUNIT_CASE(invalidating),
	KUNIT_CASE(region_is_changed),
	KUNIT_CASE(what_cannot_be_changed),
	KUNIT_CASE(rights_that_need_other_pages),
	KUNIT_CASE(keys_are_not_reused_at_once),
	KUNIT_CASE(spans_of_scattered_blocks),
	KUNIT_CASE(objects_are_counted),
	KUNIT_CASE(limits_of_fast_registration),
	{}
};

static struct kunit_suite mr_suite = {
	.name = "rxe_mr",
	.init = mem_rig_init,
	.exit = mem_rig_exit,
	.test_cases = mr_cases,
};

kunit_test_suite(mr_suite);
