// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * proto/window.c: use of a window over everything that counts together: its type,
 * its state, who asks, by which key, for which rights, for which bytes
 */
#include <linux/errno.h>

#include "proto/window.h"
#include "util.h"

#define KEY 0x123456U
#define QPN 0x55U
#define RIGHTS \
	(RXE_ACC_REMOTE_WRITE | RXE_ACC_REMOTE_READ | RXE_ACC_REMOTE_ATOMIC)
#define ALL_BITS                                                               \
	(RIGHTS | RXE_ACC_LOCAL_WRITE | RXE_ACC_MW_BIND | RXE_ACC_ZERO_BASED | \
	 RXE_ACC_FLUSH)

static const int pd, other_pd;

/* Where windows lie, at both ends of the address space */
static const struct {
	u64 addr;
	u64 length;
} spans[] = {
	{ 0, 1 },
	{ 0, 8 },
	{ 0x1000, 1 },
	{ 0x1000, 0x1000 },
	{ 0, U64_MAX },
	{ U64_MAX, 1 },
	{ U64_MAX - 0xff, 0x100 },
	{ 1, U64_MAX },
};

/* The @i-th kind of window there is, by state and type; false: there are no more */
static bool window_of(u32 i, struct rxe_window *win)
{
	*win = (struct rxe_window){
		.pd = &pd,
		.state = i / 2,
		.type2 = i % 2,
		.key = KEY,
		.qpn = QPN,
	};
	return i / 2 <= RXE_WINDOW_DEAD;
}

/* Does the window hold byte @offset, counted from its first one? */
static bool holds(u64 length, u64 offset)
{
	return offset < length;
}

/* All of @len bytes from @va on, which may not wrap, told by the first and last */
static bool inside(u64 start, u64 length, u64 va, u64 len)
{
	u64 last = va + (len - 1);

	return last >= va && va >= start && holds(length, va - start) &&
	       holds(length, last - start);
}

/**
 * struct asker - who uses a window
 * @pd: of its QP
 * @qpn: the QP
 * @key: that it names
 */
struct asker {
	const void *pd;
	u32 qpn;
	u32 key;
};

static int due(const struct rxe_window *win, const struct asker *who, u64 va,
	       u64 len, u32 access)
{
	u64 start = win->access & RXE_ACC_ZERO_BASED ? 0 : win->addr;

	if (win->state != RXE_WINDOW_VALID || who->pd != &pd ||
	    who->key != KEY || (win->type2 && who->qpn != QPN))
		return -EINVAL;
	if ((win->access & access) != access)
		return -EACCES;
	return inside(start, win->length, va, len) ? 0 : -EINVAL;
}

static void report(struct kunit *test, const struct rxe_window *win, u32 access,
		   u64 va, u64 len)
{
	KUNIT_FAIL(test, "type %d, state %d, has %#x, asks %#x", 1 + win->type2,
		   win->state, win->access, access);
	KUNIT_FAIL(test, "%llx+%llx in %llx+%llx", va, len, win->addr,
		   win->length);
}

static u32 check_bytes(struct kunit *test, const struct rxe_window *win,
		       const struct asker *who, u32 access)
{
	u64 start = win->access & RXE_ACC_ZERO_BASED ? 0 : win->addr;
	u64 edges[] = { start,
			start - 1,
			start + 1,
			start + win->length,
			start + win->length - 1,
			start + win->length + 1,
			0,
			U64_MAX };
	u64 lens[] = { 1,      2, win->length, win->length + 1, win->length - 1,
		       U64_MAX };
	u32 i, k, granted = 0;

	for (i = 0; i < ARRAY_SIZE(edges); i++) {
		for (k = 0; k < ARRAY_SIZE(lens); k++) {
			u64 at = 0xa5a5;
			int err, want;

			if (!lens[k])
				continue; /* nobody asks for no bytes */
			want = due(win, who, edges[i], lens[k], access);
			err = rxe_window_check(win, who->pd, who->qpn, who->key,
					       edges[i], lens[k], access, &at);
			if (err != want) {
				report(test, win, access, edges[i], lens[k]);
				return 0;
			}
			/* And it is that byte of the window, in the region */
			if (!err)
				KUNIT_ASSERT_EQ(test, at - win->addr,
						edges[i] - start);
			granted += !err;
		}
	}
	return granted;
}

/* Every asker and every set of rights, for one window */
static u32 check_window(struct kunit *test, const struct rxe_window *win)
{
	static const struct asker askers[] = {
		{ &pd, QPN, KEY },	   { &other_pd, QPN, KEY },
		{ NULL, QPN, KEY },	   { &pd, QPN + 1, KEY },
		{ &pd, 0, KEY },	   { &pd, QPN, KEY ^ 1 },
		{ &pd, QPN, KEY + 0x100 }, { &pd, QPN, 0 },
		{ &pd, QPN, U32_MAX },
	};
	u32 i, access, granted = 0;

	for (i = 0; i < ARRAY_SIZE(askers); i++)
		for (access = 0; access <= RIGHTS; access += 2)
			granted += check_bytes(test, win, &askers[i], access);
	return granted;
}

static void every_use_of_every_window(struct kunit *test)
{
	struct rxe_window win;
	u32 i, s, access, granted = 0;

	for (i = 0; window_of(i, &win); i++) {
		for (s = 0; s < ARRAY_SIZE(spans); s++) {
			win.addr = spans[s].addr;
			win.length = spans[s].length;
			for (access = 0; access <= RIGHTS; access += 2) {
				win.access = access;
				granted += check_window(test, &win);
				win.access |= RXE_ACC_ZERO_BASED;
				granted += check_window(test, &win);
			}
		}
	}
	/* The table has both answers */
	KUNIT_EXPECT_GT(test, granted, 1000U);
}

/* Asked for @access at the edges of a window */
static void check_edges(struct kunit *test, const struct rxe_window *win,
			const struct asker *who, u32 access)
{
	static const struct {
		u64 before;
		u64 len;
	} asks[] = { { 0, 1 }, { 0, 16 }, { 0, 17 }, { 1, 1 } };
	u64 start = win->access & RXE_ACC_ZERO_BASED ? 0 : win->addr;
	u64 at;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(asks); i++) {
		u64 va = start - asks[i].before;
		int got = rxe_window_check(win, who->pd, who->qpn, who->key, va,
					   asks[i].len, access, &at);

		KUNIT_ASSERT_EQ_MSG(test, got,
				    due(win, who, va, asks[i].len, access),
				    "state %d, has %#x, asks %#x", win->state,
				    win->access, access);
	}
}

/* Every set of rights that a window may have with every one that is asked for */
static void check_rights(struct kunit *test, struct rxe_window *win,
			 const struct asker *who)
{
	u32 asks;

	win->access = 0;
	do {
		asks = 0;
		do {
			check_edges(test, win, who, asks);
			asks = rxe_next_subset(asks, ALL_BITS);
		} while (asks);
		win->access = rxe_next_subset(win->access, ALL_BITS);
	} while (win->access);
}

static void every_right_of_every_window(struct kunit *test)
{
	static const struct asker askers[] = {
		{ &pd, QPN, KEY },
		{ &other_pd, QPN, KEY },
		{ &pd, QPN + 1, KEY },
		{ &pd, QPN, KEY ^ 1 },
	};
	struct rxe_window win;
	u32 i, k;

	for (i = 0; window_of(i, &win); i++) {
		win.addr = 0x1000;
		win.length = 16;
		for (k = 0; k < ARRAY_SIZE(askers); k++)
			check_rights(test, &win, &askers[k]);
	}
}

/* Every bind of every window: type, state, domain, key, region and length */
static bool bind_due(const struct rxe_window *win, const struct rxe_bind *bind,
		     bool region, const void *region_pd)
{
	bool key = win->type2 ? bind->old_key >> 8 == KEY >> 8 :
				bind->old_key == KEY;

	if (win->state == RXE_WINDOW_DEAD || bind->pd != &pd || !key)
		return false;
	if (win->type2 && win->state == RXE_WINDOW_VALID)
		return false;
	if (!bind->length)
		return !win->type2;
	return region && region_pd == &pd;
}

static void check_bind(struct kunit *test, const struct rxe_window *win,
		       u32 key, const void *bind_pd, const void *region_pd)
{
	struct rxe_region region = {
		.pd = region_pd,
		.access = 0x1f,
		.iova = 0x1000,
		.length = 16,
	};
	struct rxe_bind bind = {
		.pd = bind_pd,
		.qpn = QPN,
		.old_key = key,
		.access = RIGHTS,
		.addr = 0x1000,
	};
	bool there = region_pd; /* or there is no such region */
	bool got;

	for (bind.length = 0; bind.length < 2; bind.length++) {
		got = rxe_window_bindable(win, &bind, there ? &region : NULL);
		KUNIT_ASSERT_EQ_MSG(test, got,
				    bind_due(win, &bind, there, region_pd),
				    "type %d, state %d, key %#x, length %llu",
				    1 + win->type2, win->state, key,
				    bind.length);
	}
}

static void check_binds(struct kunit *test, const struct rxe_window *win)
{
	static const u32 keys[] = { KEY, KEY ^ 1, KEY + 0x100, 0, U32_MAX };
	static const void *const pds[] = { &pd, &other_pd, NULL };
	u32 k, p, r;

	for (k = 0; k < ARRAY_SIZE(keys); k++)
		for (p = 0; p < ARRAY_SIZE(pds); p++)
			for (r = 0; r < ARRAY_SIZE(pds); r++)
				check_bind(test, win, keys[k], pds[p], pds[r]);
}

static void every_bind_of_every_window(struct kunit *test)
{
	struct rxe_window win;
	u32 i;

	for (i = 0; window_of(i, &win); i++)
		check_binds(test, &win);
}

/* Every invalidation: only of a window of type 2 in use, by its own QP */
static void check_invalidations(struct kunit *test, const struct rxe_window *of)
{
	static const u32 keys[] = { KEY, KEY ^ 1, KEY + 0x100 };
	static const u32 qpns[] = { QPN, QPN + 1, 0 };
	static const void *const pds[] = { &pd, &other_pd };
	u32 n;

	for (n = 0; n < 3 * 3 * 2; n++) {
		u32 k = n % 3, q = n / 3 % 3, p = n / 9;
		struct rxe_window win = *of;
		bool good = of->type2 && of->state == RXE_WINDOW_VALID && !n;

		KUNIT_EXPECT_EQ_MSG(test,
				    rxe_window_invalidate(&win, pds[p], qpns[q],
							  keys[k]),
				    good, "combination %u", n);
		KUNIT_EXPECT_EQ(test, (u32)win.state,
				good ? (u32)RXE_WINDOW_FREE : (u32)of->state);
	}
}

static void every_invalidation_of_every_window(struct kunit *test)
{
	struct rxe_window win;
	u32 i;

	for (i = 0; window_of(i, &win); i++)
		check_invalidations(test, &win);
}

static struct kunit_case window_table_cases[] = {
	KUNIT_CASE(every_use_of_every_window),
	KUNIT_CASE(every_right_of_every_window),
	KUNIT_CASE(every_bind_of_every_window),
	KUNIT_CASE(every_invalidation_of_every_window),
	{}
};

static struct kunit_suite window_table_suite = {
	.name = "rxe_window_table",
	.test_cases = window_table_cases,
};

kunit_test_suite(window_table_suite);
