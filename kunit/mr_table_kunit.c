// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * obj/mr.c: use, registration, invalidation and binding of a region over everything
 * that counts together: its type, its state, who asks, by which key, for which rights,
 * for which bytes
 */
#include "mem_rig.h"

#define TYPES (RXE_MR_FAST_REG + 1)
#define STATES (RXE_MR_DEAD + 1)

/* Where regions lie, at both ends of the address space, an empty one too */
static const struct {
	u64 iova;
	u64 length;
} spans[] = {
	{ 0, U64_MAX }, { 0, 1 },	    { 0x1000, 0 },
	{ 0x1000, 1 },	{ 0x1234, 0x1000 }, { U64_MAX - 0xff, 0x100 },
	{ U64_MAX, 1 },
};

/**
 * struct ask - somebody who would use a region
 * @pd: of its QP
 * @key: that it names
 * @va: first address
 * @len: bytes
 * @access: rights that it needs
 */
struct ask {
	struct ib_pd *pd;
	u32 key;
	u64 va;
	u64 len;
	int access;
};

/* A region of each type. No process has pinned memory: one of a user is put in the
 * place of one for DMA.
 */
static struct rxe_mr *make_region(struct kunit *test, enum rxe_mr_type type)
{
	struct mem_rig *r = test->priv;
	struct rxe_mr *mr;

	if (type == RXE_MR_FAST_REG)
		mr = mem_rig_fast_mr(test, 0x1000, 16, 0);
	else
		mr = rxe_mr_get_dma(&r->dev, &r->pd, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(mr));
	mr->type = type;
	mr->iova = 0x1000;
	mr->length = 16;
	return mr;
}

/* All of @len bytes from @va on, which may not wrap, told by the first and last */
static bool inside(const struct rxe_mr *mr, u64 va, u64 len)
{
	u64 last = va + (len - 1);

	return last >= va && va - mr->iova < mr->length &&
	       last - mr->iova < mr->length && va >= mr->iova;
}

static int due(const struct mem_rig *r, const struct rxe_mr *mr,
	       const struct ask *ask)
{
	if (ask->key != mr->lkey || mr->state != RXE_MR_VALID ||
	    ask->pd != &r->pd)
		return -EINVAL;
	if ((mr->access & ask->access) != ask->access)
		return -EACCES;
	return inside(mr, ask->va, ask->len) ? 0 : -EINVAL;
}

static void check_ask(struct kunit *test, struct rxe_mr *mr,
		      const struct ask *ask)
{
	struct mem_rig *r = test->priv;
	struct rxe_hold *hold = &mr->hold;
	struct rxe_mr *got = NULL;
	int err = rxe_mr_check(&r->dev, ask->pd, ask->key, ask->va, ask->len,
			       ask->access, &got, &hold);
	bool held = !err && mr->type == RXE_MR_FAST_REG;

	KUNIT_ASSERT_EQ_MSG(test, err, due(r, mr, ask),
			    "type %d, state %d, has %#x, asks %#x, %llx+%llx",
			    mr->type, mr->state, mr->access, ask->access,
			    ask->va, ask->len);
	KUNIT_ASSERT_PTR_EQ(test, got, err ? NULL : mr);
	/* Only where a work request can take the memory away is a copy counted */
	KUNIT_ASSERT_PTR_EQ(test, hold, held ? &mr->hold : NULL);
	KUNIT_ASSERT_EQ(test, atomic_read(&mr->hold.copies), (int)held);
	if (held)
		rxe_hold_put(hold);
}

/* At the edges of the region, and around them */
static void check_bytes(struct kunit *test, struct rxe_mr *mr, struct ask *ask)
{
	u64 end = mr->iova + mr->length;
	u64 edges[] = { mr->iova, mr->iova - 1, mr->iova + 1, end - 1, end, 0 };
	u64 lens[] = { 1, mr->length, mr->length + 1, mr->length - 1, U64_MAX };
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(edges); i++) {
		for (k = 0; k < ARRAY_SIZE(lens); k++) {
			ask->va = edges[i];
			ask->len = lens[k];
			if (ask->len) /* no bytes need no key at all */
				check_ask(test, mr, ask);
		}
	}
}

/* By its own domain and another, with its key and with others */
static void check_askers(struct kunit *test, struct rxe_mr *mr, int access)
{
	struct mem_rig *r = test->priv;
	const u32 keys[] = {
		mr->lkey, mr->lkey ^ 1, mr->lkey + 0x100,	   0,
		0xff,	  U32_MAX,	(u32)RXE_MIN_MW_INDEX << 8
	};
	struct ask ask = { .access = access };
	u32 i;

	rcu_read_lock();
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		ask.key = keys[i];
		ask.pd = &r->pd;
		check_bytes(test, mr, &ask);
		ask.pd = &r->other_pd;
		check_bytes(test, mr, &ask);
	}
	rcu_read_unlock();
}

static void check_span(struct kunit *test, struct rxe_mr *mr)
{
	static const int access[] = { 0, IB_ACCESS_REMOTE_READ,
				      MEM_RIG_ACCESS };
	int state, has, asks;

	for (state = 0; state < STATES; state++) {
		mr->state = state;
		for (has = 0; has < ARRAY_SIZE(access); has++) {
			mr->access = access[has];
			for (asks = 0; asks < ARRAY_SIZE(access); asks++)
				check_askers(test, mr, access[asks]);
		}
	}
}

static void every_byte_of_every_region(struct kunit *test)
{
	int type, s;

	for (type = 0; type < TYPES; type++) {
		struct rxe_mr *mr = make_region(test, type);

		for (s = 0; s < ARRAY_SIZE(spans); s++) {
			mr->iova = spans[s].iova;
			mr->length = spans[s].length;
			check_span(test, mr);
		}
		KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
	}
}

/* Every set of rights of the region with every one that is asked for */
static void check_rights(struct kunit *test, struct rxe_mr *mr,
			 struct ib_pd *pd)
{
	static const struct {
		u64 va;
		u64 len;
	} at[] = { { 0x1000, 16 }, { 0x1000, 17 }, { 0xfff, 1 } };
	struct ask ask = { .pd = pd, .key = mr->lkey };
	u32 has = 0, asks, i;

	do {
		mr->access = has;
		asks = 0;
		rcu_read_lock();
		do {
			ask.access = asks;
			for (i = 0; i < ARRAY_SIZE(at); i++) {
				ask.va = at[i].va;
				ask.len = at[i].len;
				check_ask(test, mr, &ask);
			}
			asks = rxe_next_subset(asks, MEM_RIG_ACCESS);
		} while (asks);
		rcu_read_unlock();
		cond_resched();
		has = rxe_next_subset(has, MEM_RIG_ACCESS);
	} while (has);
}

static void every_right_of_every_region(struct kunit *test)
{
	struct mem_rig *r = test->priv;
	int type, state;

	for (type = 0; type < TYPES; type++) {
		struct rxe_mr *mr = make_region(test, type);

		for (state = 0; state < STATES; state++) {
			mr->state = state;
			check_rights(test, mr, &r->pd);
			check_rights(test, mr, &r->other_pd);
		}
		KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
	}
}

/* REG_MR (IBTA 10.6.4.4): of a region for it, that is free, of the QP's own domain,
 * under its own index; nobody has looked whether the memory is persistent
 */
static void check_registration(struct kunit *test, struct rxe_mr *mr,
			       struct ib_pd *pd, u32 key, int access)
{
	struct mem_rig *r = test->priv;
	enum rxe_mr_state was = mr->state;
	u32 old = mr->lkey;
	bool good = mr->type == RXE_MR_FAST_REG && was == RXE_MR_FREE &&
		    pd == &r->pd && (key ^ old) < 0x100 &&
		    !(access & RXE_ACC_FLUSH_PERSISTENT) &&
		    mr->ib.page_size == PAGE_SIZE;
	int err = rxe_mr_fast_register(&r->dev, pd, mr, key, access);

	KUNIT_ASSERT_EQ_MSG(test, err, good ? 0 : -EINVAL,
			    "type %d, state %d, key %#x for %#x, access %#x",
			    mr->type, was, key, old, access);
	KUNIT_ASSERT_EQ(test, (int)mr->state, (int)(good ? RXE_MR_VALID : was));
	KUNIT_ASSERT_EQ(test, mr->lkey, good ? key : old);
	if (good)
		KUNIT_ASSERT_EQ(test, mr->access, access);
	mr->state = was;
}

static void check_registrations(struct kunit *test, struct rxe_mr *mr,
				int access)
{
	static const u32 xors[] = { 0, 1, 0xff, 0x100, 0x80000000 };
	static const u32 page_sizes[] = { PAGE_SIZE, 3000, 0 };
	struct mem_rig *r = test->priv;
	int state, i, k;

	for (state = 0; state < STATES; state++) {
		for (i = 0; i < ARRAY_SIZE(xors); i++) {
			for (k = 0; k < ARRAY_SIZE(page_sizes); k++) {
				mr->state = state;
				mr->ib.page_size = page_sizes[k];
				check_registration(test, mr, &r->pd,
						   mr->lkey ^ xors[i], access);
				check_registration(test, mr, &r->other_pd,
						   mr->lkey ^ xors[i], access);
			}
		}
	}
}

static void every_registration_of_every_region(struct kunit *test)
{
	u32 access;
	int type;

	for (type = 0; type < TYPES; type++) {
		struct rxe_mr *mr = make_region(test, type);

		access = 0;
		do {
			check_registrations(test, mr, access);
			access = rxe_next_subset(access, MEM_RIG_ACCESS);
		} while (access);
		KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
	}
}

/* LOCAL_INV (IBTA 10.6.5): of a region for fast registration that is registered, of the
 * QP's own domain, by its whole key
 */
static void check_invalidation(struct kunit *test, struct rxe_mr *mr,
			       struct ib_pd *pd, u32 key)
{
	struct mem_rig *r = test->priv;
	enum rxe_mr_state was = mr->state;
	int windows = atomic_read(&mr->bound_mws);
	bool good = mr->type == RXE_MR_FAST_REG && was == RXE_MR_VALID &&
		    pd == &r->pd && key == mr->lkey;
	int err = rxe_mr_invalidate(&r->dev, pd, 0x50, key);

	KUNIT_ASSERT_EQ_MSG(test, err, good ? 0 : -EINVAL,
			    "type %d, state %d, key %#x for %#x, %d windows",
			    mr->type, was, key, mr->lkey, windows);
	KUNIT_ASSERT_EQ(test, (int)mr->state, (int)(good ? RXE_MR_FREE : was));
	KUNIT_ASSERT_EQ(test, atomic_read(&mr->bound_mws), windows);
	mr->state = was;
}

/* A window is bound to a user's region, of the QP's own domain, by its whole key */
static void check_bound(struct kunit *test, struct rxe_mr *mr, struct ib_pd *pd,
			u32 key)
{
	struct mem_rig *r = test->priv;
	struct rxe_region region = {};
	int windows = atomic_read(&mr->bound_mws);
	bool good = mr->type == RXE_MR_USER && pd == &r->pd && key == mr->lkey;
	struct rxe_mr *got = rxe_mr_get_bound(&r->dev, pd, key, &region);

	KUNIT_ASSERT_PTR_EQ(test, got, good ? mr : NULL);
	KUNIT_ASSERT_EQ(test, atomic_read(&mr->bound_mws), windows + good);
	if (!good)
		return;
	KUNIT_ASSERT_PTR_EQ(test, region.pd, (const void *)&r->pd);
	KUNIT_ASSERT_EQ(test, region.access, (u32)mr->access);
	KUNIT_ASSERT_EQ(test, region.iova, mr->iova);
	KUNIT_ASSERT_EQ(test, region.length, mr->length);
	atomic_dec(&mr->bound_mws);
}

static void every_invalidation_and_bind_of_every_region(struct kunit *test)
{
	static const u32 adds[] = { 0, 1, 0x100, 0x700 };
	struct mem_rig *r = test->priv;
	u32 n;
	int type;

	for (type = 0; type < TYPES; type++) {
		struct rxe_mr *mr = make_region(test, type);

		local_bh_disable();
		rcu_read_lock();
		for (n = 0; n < STATES * ARRAY_SIZE(adds) * 3; n++) {
			u32 key =
				mr->lkey + adds[n / STATES % ARRAY_SIZE(adds)];

			mr->state = n % STATES;
			if (type == RXE_MR_USER)
				atomic_set(&mr->bound_mws,
					   n / STATES / ARRAY_SIZE(adds));
			check_invalidation(test, mr, &r->pd, key);
			check_invalidation(test, mr, &r->other_pd, key);
			check_bound(test, mr, &r->pd, key);
			check_bound(test, mr, &r->other_pd, key);
		}
		rcu_read_unlock();
		local_bh_enable();
		atomic_set(&mr->bound_mws, 0);
		KUNIT_EXPECT_EQ(test, rxe_mr_dereg(mr), 0);
	}
}

static struct kunit_case mr_table_cases[] = {
	KUNIT_CASE(every_byte_of_every_region),
	KUNIT_CASE(every_right_of_every_region),
	KUNIT_CASE(every_registration_of_every_region),
	KUNIT_CASE(every_invalidation_and_bind_of_every_region),
	{}
};

static struct kunit_suite mr_table_suite = {
	.name = "rxe_mr_table",
	.init = mem_rig_init,
	.exit = mem_rig_exit,
	.test_cases = mr_table_cases,
};

kunit_test_suite(mr_table_suite);
