// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* proto/window.c: who may bind, use and invalidate a memory window */
#include <linux/errno.h>

#include "proto/window.h"
#include "util.h"

#define LW RXE_ACC_LOCAL_WRITE
#define RW RXE_ACC_REMOTE_WRITE
#define RR RXE_ACC_REMOTE_READ
#define RA RXE_ACC_REMOTE_ATOMIC
#define BIND RXE_ACC_MW_BIND
#define ZB RXE_ACC_ZERO_BASED
#define FG RXE_ACC_FLUSH_GLOBAL
#define FP RXE_ACC_FLUSH_PERSISTENT
#define ALL (LW | RW | RR | RA | BIND | ZB | FG | FP)

static const int pd, other_pd;

static const struct rxe_window free_1 = { .pd = &pd, .key = 0x123400 };

static const struct rxe_window free_2 = {
	.pd = &pd,
	.type2 = true,
	.key = 0x123400,
};

static const struct rxe_region region = {
	.pd = &pd,
	.access = LW | RW | RR | RA | BIND,
	.iova = 0x10000,
	.length = 0x1000,
};

static const struct rxe_bind good_bind = {
	.pd = &pd,
	.qpn = 0x55,
	.old_key = 0x123400,
	.new_key = 0xffffff07,
	.access = RW | RR,
	.addr = 0x10100,
	.length = 0x200,
};

static void plain_binds_are_allowed(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test,
			  rxe_window_bindable(&free_1, &good_bind, &region));
	KUNIT_EXPECT_TRUE(test,
			  rxe_window_bindable(&free_2, &good_bind, &region));
	KUNIT_EXPECT_FALSE(test,
			   rxe_window_bindable(&free_1, &good_bind, NULL));
	KUNIT_EXPECT_FALSE(test,
			   rxe_window_bindable(&free_2, &good_bind, NULL));
}

static void states_and_types(struct kunit *test)
{
	struct rxe_window one = free_1, two = free_2;
	struct rxe_bind unbind = good_bind;

	unbind.length = 0;
	/* Type 1: again and again, and off by length 0, for which no region counts */
	one.state = RXE_WINDOW_VALID;
	KUNIT_EXPECT_TRUE(test, rxe_window_bindable(&one, &good_bind, &region));
	KUNIT_EXPECT_TRUE(test, rxe_window_bindable(&one, &unbind, NULL));
	/* Type 2: only while free, and never empty */
	two.state = RXE_WINDOW_VALID;
	KUNIT_EXPECT_FALSE(test,
			   rxe_window_bindable(&two, &good_bind, &region));
	KUNIT_EXPECT_FALSE(test,
			   rxe_window_bindable(&free_2, &unbind, &region));
	one.state = RXE_WINDOW_DEAD;
	two.state = RXE_WINDOW_DEAD;
	KUNIT_EXPECT_FALSE(test,
			   rxe_window_bindable(&one, &good_bind, &region));
	KUNIT_EXPECT_FALSE(test, rxe_window_bindable(&one, &unbind, NULL));
	KUNIT_EXPECT_FALSE(test,
			   rxe_window_bindable(&two, &good_bind, &region));
}

static void keys_and_domains_must_match(struct kunit *test)
{
	struct rxe_bind bind = good_bind;
	struct rxe_region alien = region;

	/* Libraries know the low byte of the last key with type 1 only */
	bind.old_key++;
	KUNIT_EXPECT_FALSE(test, rxe_window_bindable(&free_1, &bind, &region));
	KUNIT_EXPECT_TRUE(test, rxe_window_bindable(&free_2, &bind, &region));
	bind.old_key = good_bind.old_key + 0x100;
	KUNIT_EXPECT_FALSE(test, rxe_window_bindable(&free_2, &bind, &region));
	bind = good_bind;
	bind.pd = &other_pd;
	KUNIT_EXPECT_FALSE(test, rxe_window_bindable(&free_2, &bind, &region));
	alien.pd = &other_pd;
	KUNIT_EXPECT_FALSE(test,
			   rxe_window_bindable(&free_2, &good_bind, &alien));
}

/* A window gives no more than its region: IBTA 10.6.7.2.3, A19 for FLUSH. What a
 * window cannot have at all, a bit without a meaning too, is refused.
 */
static bool grantable(u32 have, u32 want)
{
	u32 flush = want & (FG | FP);

	if ((want | ALL) != ALL || (want & BIND) || !(have & BIND))
		return false;
	if ((want & RW || want & RA) && !(have & LW))
		return false;
	return (have & flush) == flush;
}

static void check_grant(struct kunit *test, u32 have, u32 want)
{
	bool got, good = grantable(have, want);
	struct rxe_bind bind = good_bind;
	struct rxe_region r = region;

	r.access = have;
	bind.access = want;
	got = rxe_window_bindable(&free_2, &bind, &r);
	KUNIT_ASSERT_EQ_MSG(test, got, good, "have %#x, want %#x", have, want);
	/* Only type 2 may be zero based */
	got = rxe_window_bindable(&free_1, &bind, &r);
	KUNIT_ASSERT_EQ_MSG(test, got, good && !(want & ZB),
			    "have %#x, want %#x", have, want);
}

static void rights_of_the_region(struct kunit *test)
{
	u32 have = 0, want;

	do {
		for (want = 0; want < 0x400; want++)
			check_grant(test, have, want);
		have = rxe_next_subset(have, ALL);
	} while (have);
}

static void bounds_of_the_region(struct kunit *test)
{
	static const struct {
		u64 iova, size, addr, length;
		bool good;
	} rows[] = {
		{ 0x1000, 0x1000, 0x1000, 0x1000, true },
		{ 0x1000, 0x1000, 0x1fff, 1, true },
		{ 0x1000, 0x1000, 0xfff, 1, false },
		{ 0x1000, 0x1000, 0x1fff, 2, false },
		{ 0x1000, 0x1000, 0x2000, 1, false },
		{ 0x1000, 0x1000, 0x1000, 0x1001, false },
		{ 0x1000, 0x1000, 0x1800, U64_MAX, false },
		{ 0x1000, 0x1000, U64_MAX, 2, false },
		{ 0, U64_MAX, 0, U64_MAX, true },
		{ U64_MAX - 0xfff, 0x1000, U64_MAX, 1, true },
		{ U64_MAX - 0xfff, 0x1000, U64_MAX, 2, false },
		{ U64_MAX - 0xfff, 0x1000, 0, 1, false },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rxe_region r = region;
		struct rxe_bind bind = good_bind;

		r.iova = rows[i].iova;
		r.length = rows[i].size;
		bind.addr = rows[i].addr;
		bind.length = rows[i].length;
		KUNIT_EXPECT_EQ_MSG(test,
				    rxe_window_bindable(&free_2, &bind, &r),
				    rows[i].good, "row %d", i);
	}
}

static void bind_changes_the_low_byte_of_the_key(struct kunit *test)
{
	struct rxe_window win = free_2;
	struct rxe_bind bind = good_bind;

	rxe_window_bind(&win, &bind);
	KUNIT_EXPECT_EQ(test, win.key, 0x123407U);
	KUNIT_EXPECT_EQ(test, win.state, RXE_WINDOW_VALID);
	KUNIT_EXPECT_EQ(test, win.qpn, 0x55U);
	KUNIT_EXPECT_EQ(test, win.addr, 0x10100ULL);
	KUNIT_EXPECT_EQ(test, win.length, 0x200ULL);
	bind.length = 0;
	rxe_window_bind(&win, &bind);
	KUNIT_EXPECT_EQ(test, win.state, RXE_WINDOW_FREE);
}

static struct rxe_window bound(bool type2, u32 access)
{
	struct rxe_window win = type2 ? free_2 : free_1;
	struct rxe_bind bind = good_bind;

	bind.access = access;
	rxe_window_bind(&win, &bind);
	return win;
}

static void users_must_match(struct kunit *test)
{
	static const struct {
		bool type2;
		const void *pd;
		u32 qpn, key;
		int want;
	} rows[] = {
		{ true, &pd, 0x55, 0x123407, 0 },
		{ true, &pd, 0x56, 0x123407, -EINVAL },
		{ true, &pd, 0x55, 0x123408, -EINVAL },
		{ true, &pd, 0x55, 0x023407, -EINVAL },
		{ true, &other_pd, 0x55, 0x123407, -EINVAL },
		{ false, &pd, 0x55, 0x123407, 0 },
		{ false, &pd, 0x56, 0x123407, 0 },
		{ false, &pd, 0x55, 0x123408, -EINVAL },
		{ false, &other_pd, 0x55, 0x123407, -EINVAL },
	};
	u64 at;
	int i, got;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rxe_window win = bound(rows[i].type2, RW | RR);

		got = rxe_window_check(&win, rows[i].pd, rows[i].qpn,
				       rows[i].key, 0x10100, 1, RR, &at);
		KUNIT_EXPECT_EQ_MSG(test, got, rows[i].want, "row %d", i);
		win.state = RXE_WINDOW_FREE;
		got = rxe_window_check(&win, rows[i].pd, rows[i].qpn,
				       rows[i].key, 0x10100, 1, RR, &at);
		KUNIT_EXPECT_EQ_MSG(test, got, -EINVAL, "row %d, free", i);
	}
}

/* Use of a window as its own QP does it, for one right */
static int use(const struct rxe_window *win, u64 va, u64 len, u32 access,
	       u64 *at)
{
	return rxe_window_check(win, &pd, 0x55, 0x123407, va, len, access, at);
}

static void bounds_of_the_window(struct kunit *test)
{
	static const struct {
		u64 va, len;
		bool good;
	} rows[] = {
		{ 0, 0x200, true },  { 0x1ff, 1, true },    { 0x1ff, 2, false },
		{ 0x200, 1, false }, { 0, 0x201, false },   { -1ULL, 1, false },
		{ -1ULL, 2, false }, { 1, U64_MAX, false },
	};
	struct rxe_window zero = bound(true, RR | ZB), based = bound(true, RR);
	u64 at;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		int got, want = rows[i].good ? 0 : -EINVAL;

		at = 0;
		got = use(&zero, rows[i].va, rows[i].len, RR, &at);
		KUNIT_EXPECT_EQ_MSG(test, got, want, "row %d", i);
		if (rows[i].good)
			KUNIT_EXPECT_EQ(test, at, 0x10100 + rows[i].va);
		got = use(&based, 0x10100 + rows[i].va, rows[i].len, RR, &at);
		KUNIT_EXPECT_EQ_MSG(test, got, want, "row %d", i);
	}
}

static void only_its_qp_invalidates_a_window(struct kunit *test)
{
	struct rxe_window one = bound(false, RR), two = bound(true, RR);
	u32 key = 0x123407;
	u64 at;

	KUNIT_EXPECT_FALSE(test, rxe_window_invalidate(&one, &pd, 0x55, key));
	KUNIT_EXPECT_FALSE(test, rxe_window_invalidate(&two, &pd, 0x56, key));
	KUNIT_EXPECT_FALSE(test,
			   rxe_window_invalidate(&two, &pd, 0x55, key + 1));
	KUNIT_EXPECT_FALSE(test,
			   rxe_window_invalidate(&two, &other_pd, 0x55, key));
	KUNIT_EXPECT_EQ(test, two.state, RXE_WINDOW_VALID);
	KUNIT_EXPECT_TRUE(test, rxe_window_invalidate(&two, &pd, 0x55, key));
	KUNIT_EXPECT_EQ(test,
			rxe_window_check(&two, &pd, 0x55, key, 0x10100, 1, RR,
					 &at),
			-EINVAL);
	KUNIT_EXPECT_FALSE(test, rxe_window_invalidate(&two, &pd, 0x55, key));
}

static struct kunit_case window_cases[] = {
	KUNIT_CASE(plain_binds_are_allowed),
	KUNIT_CASE(states_and_types),
	KUNIT_CASE(keys_and_domains_must_match),
	KUNIT_CASE(rights_of_the_region),
	KUNIT_CASE(bounds_of_the_region),
	KUNIT_CASE(bind_changes_the_low_byte_of_the_key),
	KUNIT_CASE(users_must_match),
	KUNIT_CASE(bounds_of_the_window),
	KUNIT_CASE(only_its_qp_invalidates_a_window),
	{}
};

static struct kunit_suite window_suite = {
	.name = "rxe_window",
	.test_cases = window_cases,
};

kunit_test_suite(window_suite);
