// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* wire/psn.h against arithmetic in 64 bits */
#include "util.h"
#include "wire/psn.h"

#define SPACE 16777216LL /* 2^24 */
#define STEP \
	1021 /* prime: visits every region of the space, and odd and even */

static const u32 edges[] = {
	0,	  1,	    2,	      0x7ffffe, 0x7fffff, 0x800000,
	0x800001, 0xfffffd, 0xfffffe, 0xffffff, 0x123456, 0x00ff00,
};

/* What is left of @v in the space of PSNs */
static u32 ref_wrap(s64 v)
{
	while (v < 0)
		v += SPACE;
	while (v >= SPACE)
		v -= SPACE;
	return v;
}

/* Signed distance by the rule of IBTA 9.7.1 */
static s32 ref_diff(u32 a, u32 b)
{
	s64 d = (s64)a - b;

	if (d >= SPACE / 2)
		d -= SPACE;
	if (d < -SPACE / 2)
		d += SPACE;
	return d;
}

static void check_pair(struct kunit *test, u32 a, u32 b)
{
	KUNIT_ASSERT_EQ_MSG(test, rxe_psn_add(a, b), ref_wrap((s64)a + b),
			    "%#x + %#x", a, b);
	KUNIT_ASSERT_EQ_MSG(test, rxe_psn_sub(a, b), ref_wrap((s64)a - b),
			    "%#x - %#x", a, b);
	KUNIT_ASSERT_EQ_MSG(test, rxe_psn_diff(a, b), ref_diff(a, b),
			    "%#x from %#x", a, b);
	KUNIT_ASSERT_EQ_MSG(test, rxe_psn_add(b, rxe_psn_diff(a, b)), a,
			    "%#x and back to %#x", b, a);
}

static void edges_match_reference(struct kunit *test)
{
	int i, k;

	for (i = 0; i < ARRAY_SIZE(edges); i++)
		for (k = 0; k < ARRAY_SIZE(edges); k++)
			check_pair(test, edges[i], edges[k]);
}

static void whole_space_matches_reference(struct kunit *test)
{
	u32 psn;
	int i;

	for (psn = 0; psn < SPACE; psn += STEP)
		for (i = 0; i < ARRAY_SIZE(edges); i++)
			check_pair(test, psn, edges[i]);
}

static void random_pairs_match_reference(struct kunit *test)
{
	struct rxe_rng rng = { rxe_kunit_seed };
	int i;

	for (i = 0; i < 100000; i++)
		check_pair(test, rxe_rng_u32(&rng) & 0xffffff,
			   rxe_rng_u32(&rng) & 0xffffff);
}

static void sum_of_any_32_bits_wraps(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rxe_psn_add(0xffffff, 1), 0U);
	KUNIT_EXPECT_EQ(test, rxe_psn_add(1, 0xffffffff), 0U);
	KUNIT_EXPECT_EQ(test, rxe_psn_add(5, 0x1000000), 5U);
	KUNIT_EXPECT_EQ(test, rxe_psn_sub(0, 1), 0xffffffU);
	KUNIT_EXPECT_EQ(test, rxe_psn_sub(5, 0x1000000), 5U);
	KUNIT_EXPECT_EQ(test, rxe_psn_sub(0, 0xffffffff), 1U);
}

static void half_of_the_space_is_ahead(struct kunit *test)
{
	static const s32 ahead[] = { 1, 2, 128, 0x7ffffe, 0x7fffff };
	u32 psn;
	int i;

	for (psn = 0; psn < SPACE; psn += STEP) {
		KUNIT_ASSERT_EQ(test, rxe_psn_diff(psn, psn), 0);
		for (i = 0; i < ARRAY_SIZE(ahead); i++) {
			u32 later = rxe_psn_add(psn, ahead[i]);

			KUNIT_ASSERT_EQ(test, rxe_psn_diff(later, psn),
					ahead[i]);
			KUNIT_ASSERT_EQ(test, rxe_psn_diff(psn, later),
					-ahead[i]);
		}
		KUNIT_ASSERT_EQ(test,
				rxe_psn_diff(rxe_psn_add(psn, 0x800000), psn),
				-0x800000);
	}
}

/* Walk a window one number at a time and ask for its members and neighbours */
static void check_window(struct kunit *test, u32 first, u32 count)
{
	u32 last = ref_wrap((s64)first + count - 1);
	u32 i, psn = first;

	for (i = 0; i < count; i++) {
		KUNIT_ASSERT_TRUE_MSG(test, rxe_psn_within(psn, first, last),
				      "%#x in %#x..%#x", psn, first, last);
		psn = psn == 0xffffff ? 0 : psn + 1;
	}
	for (i = 0; i < 64; i++) {
		KUNIT_ASSERT_FALSE_MSG(test, rxe_psn_within(psn, first, last),
				       "%#x in %#x..%#x", psn, first, last);
		psn = psn == 0xffffff ? 0 : psn + 1;
	}
	psn = ref_wrap((s64)first - 1);
	KUNIT_ASSERT_FALSE_MSG(test, rxe_psn_within(psn, first, last),
			       "%#x in %#x..%#x", psn, first, last);
}

static void windows_hold_exactly_their_members(struct kunit *test)
{
	static const u32 counts[] = { 1, 2, 3, 64, 128, 1000, 65536 };
	int i, k;

	for (i = 0; i < ARRAY_SIZE(edges); i++)
		for (k = 0; k < ARRAY_SIZE(counts); k++)
			check_window(test, edges[i], counts[k]);
}

static void window_of_the_whole_space_holds_all(struct kunit *test)
{
	u32 psn;

	for (psn = 0; psn < SPACE; psn += STEP) {
		KUNIT_ASSERT_TRUE(test, rxe_psn_within(psn, 0, 0xffffff));
		KUNIT_ASSERT_TRUE(test,
				  rxe_psn_within(psn, 0x800000, 0x7fffff));
	}
}

static struct kunit_case psn_cases[] = {
	KUNIT_CASE(edges_match_reference),
	KUNIT_CASE(whole_space_matches_reference),
	KUNIT_CASE(random_pairs_match_reference),
	KUNIT_CASE(sum_of_any_32_bits_wraps),
	KUNIT_CASE(half_of_the_space_is_ahead),
	KUNIT_CASE(windows_hold_exactly_their_members),
	KUNIT_CASE(window_of_the_whole_space_holds_all),
	{}
};

static struct kunit_suite psn_suite = {
	.name = "rxe_psn",
	.test_cases = psn_cases,
};

kunit_test_suite(psn_suite);
