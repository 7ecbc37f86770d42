// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* obj/ring.h: indices that a user may set to anything at any time */
#include <linux/stddef.h>

#include "obj/ring.h"
#include "util.h"

#define SHIFT 6

static const u32 masks[] = { 0, 1, 3, 7, 63 };

static const u32 hostile[] = { 0,	   1,	       2,	   62,
			       63,	   64,	       65,	   127,
			       0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
			       0x12345678, 0xffff0000 };

/* A ring whose last slot ends where its memory ends */
static struct rxe_ring make_ring(struct kunit *test, u32 mask)
{
	size_t bytes =
		offsetof(struct rxe_ring_shared, slots) + ((mask + 1) << SHIFT);
	struct rxe_tail mem = rxe_tail_alloc(test, bytes);

	return (struct rxe_ring){ .shared = (void *)mem.buf,
				  .mask = mask,
				  .shift = SHIFT };
}

/* The user fills the first page with what he likes, but for one index */
static void scribble(struct rxe_ring *ring, struct rxe_rng *rng, u32 *keep)
{
	u32 kept = keep ? *keep : 0;

	rxe_rng_fill(rng, ring->shared,
		     offsetof(struct rxe_ring_shared, slots));
	if (keep)
		*keep = kept;
}

static void layout_is_that_of_the_abi(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, offsetof(struct rxe_ring_shared, log2_elem_size),
			(size_t)0);
	KUNIT_EXPECT_EQ(test, offsetof(struct rxe_ring_shared, index_mask),
			(size_t)4);
	KUNIT_EXPECT_EQ(test, offsetof(struct rxe_ring_shared, producer),
			(size_t)128);
	KUNIT_EXPECT_EQ(test, offsetof(struct rxe_ring_shared, consumer),
			(size_t)256);
	KUNIT_EXPECT_EQ(test, offsetof(struct rxe_ring_shared, slots),
			(size_t)384);
}

static void any_index_of_the_user_is_bounded(struct kunit *test)
{
	int m, i;

	for (m = 0; m < ARRAY_SIZE(masks); m++) {
		struct rxe_ring ring = make_ring(test, masks[m]);

		for (ring.index = 0; ring.index <= ring.mask; ring.index++) {
			for (i = 0; i < ARRAY_SIZE(hostile); i++) {
				ring.shared->producer = hostile[i];
				ring.shared->consumer = hostile[i];
				KUNIT_ASSERT_LE(test, rxe_ring_filled(&ring),
						ring.mask);
				KUNIT_ASSERT_LE(test, rxe_ring_free(&ring),
						ring.mask);
			}
		}
	}
}

/* An index is what is left of it after the mask */
static void upper_bits_do_not_count(struct kunit *test)
{
	struct rxe_ring ring = make_ring(test, 63);
	int i;

	for (i = 0; i < ARRAY_SIZE(hostile); i++) {
		ring.index = 10;
		ring.shared->producer = hostile[i];
		ring.shared->consumer = hostile[i];
		KUNIT_EXPECT_EQ(test, rxe_ring_filled(&ring),
				(hostile[i] % 64 + 64 - 10) % 64);
		KUNIT_EXPECT_EQ(test, rxe_ring_free(&ring),
				(hostile[i] % 64 + 63 - 10) % 64);
	}
}

static void slots_lie_inside_whatever_the_numbers(struct kunit *test)
{
	struct rxe_rng rng = { rxe_kunit_seed };
	int m, i, k;

	for (m = 0; m < ARRAY_SIZE(masks); m++) {
		struct rxe_ring ring = make_ring(test, masks[m]);
		u8 *first = ring.shared->slots;

		for (i = 0; i < ARRAY_SIZE(hostile); i++) {
			for (k = 0; k < ARRAY_SIZE(hostile); k++) {
				u8 *slot;

				scribble(&ring, &rng, NULL);
				ring.index = hostile[k] & ring.mask;
				slot = rxe_ring_slot(&ring, hostile[i]);
				KUNIT_ASSERT_LE(test, (size_t)(slot - first),
						(size_t)ring.mask << SHIFT);
				KUNIT_ASSERT_EQ(test, (slot - first) % 64, 0L);
				memset(slot, 0xee, 1 << SHIFT);
			}
		}
	}
}

/* What the kernel needs it keeps to itself */
static void own_numbers_are_never_read_back(struct kunit *test)
{
	struct rxe_ring ring = make_ring(test, 7);
	struct rxe_rng rng = { rxe_kunit_seed };
	u32 i;

	for (i = 0; i < 1000; i++) {
		ring.shared->producer = ring.index + 3;
		scribble(&ring, &rng, &ring.shared->producer);
		KUNIT_ASSERT_EQ(test, rxe_ring_filled(&ring), 3U);
		rxe_ring_consume(&ring, 1);
		KUNIT_ASSERT_EQ(test, ring.index, (i + 1) % 8);
		KUNIT_ASSERT_EQ(test, ring.shared->consumer, ring.index);
	}
	for (i = 0; i < 1000; i++) {
		ring.shared->consumer = ring.index + 3;
		scribble(&ring, &rng, &ring.shared->consumer);
		KUNIT_ASSERT_EQ(test, rxe_ring_free(&ring), 2U);
		rxe_ring_publish(&ring, 2);
		KUNIT_ASSERT_EQ(test, ring.shared->producer, ring.index);
	}
	KUNIT_EXPECT_EQ(test, ring.mask, 7U);
	KUNIT_EXPECT_EQ(test, ring.shift, (u32)SHIFT);
}

/* Both ends at work: a queue that forgets, doubles and reorders nothing */
static void check_fifo(struct kunit *test, u32 mask)
{
	struct rxe_ring prod = make_ring(test, mask), cons = prod;
	struct rxe_rng rng = { rxe_kunit_seed };
	u32 in = 0, out = 0, i, k, n, value;

	for (i = 0; i < 2000; i++) {
		KUNIT_ASSERT_EQ(test, rxe_ring_filled(&cons), in - out);
		KUNIT_ASSERT_EQ(test, rxe_ring_free(&prod), mask - (in - out));

		n = rxe_rng_below(&rng, rxe_ring_free(&prod) + 1);
		for (k = 0; k < n; k++) {
			value = in + k;
			memcpy(rxe_ring_slot(&prod, k), &value, sizeof(value));
		}
		rxe_ring_publish(&prod, n);
		in += n;

		n = rxe_rng_below(&rng, rxe_ring_filled(&cons) + 1);
		for (k = 0; k < n; k++) {
			rxe_ring_read(&value, rxe_ring_slot(&cons, k),
				      sizeof(value));
			KUNIT_ASSERT_EQ(test, value, out + k);
		}
		rxe_ring_consume(&cons, n);
		out += n;
	}
	KUNIT_EXPECT_TRUE(test, !mask || in > 2 * mask);
}

static void first_in_first_out(struct kunit *test)
{
	int m;

	for (m = 0; m < ARRAY_SIZE(masks); m++)
		check_fifo(test, masks[m]);
}

static void a_ring_of_one_slot_holds_nothing(struct kunit *test)
{
	struct rxe_ring ring = make_ring(test, 0);
	int i;

	for (i = 0; i < ARRAY_SIZE(hostile); i++) {
		ring.shared->producer = hostile[i];
		ring.shared->consumer = hostile[i];
		KUNIT_EXPECT_EQ(test, rxe_ring_filled(&ring), 0U);
		KUNIT_EXPECT_EQ(test, rxe_ring_free(&ring), 0U);
	}
}

/* Resizing: what is filled moves in order, or nothing does */
static void check_move(struct kunit *test, u32 from_mask, u32 to_mask,
		       u32 start, u32 n)
{
	struct rxe_ring from = make_ring(test, from_mask);
	struct rxe_ring to = make_ring(test, to_mask);
	struct rxe_ring cons = to;
	u32 i;

	from.index = start & from_mask;
	for (i = 0; i < n; i++)
		*(u32 *)rxe_ring_slot(&from, i) = i + 1;
	from.shared->producer = (start + n) & from_mask;

	KUNIT_ASSERT_EQ(test, rxe_ring_move(&from, &to), n <= to_mask);
	if (n > to_mask) {
		KUNIT_ASSERT_EQ(test, rxe_ring_filled(&cons), 0U);
		return;
	}
	KUNIT_ASSERT_EQ(test, rxe_ring_filled(&cons), n);
	KUNIT_ASSERT_EQ(test, rxe_ring_free(&to), to_mask - n);
	for (i = 0; i < n; i++)
		KUNIT_ASSERT_EQ(test, *(u32 *)rxe_ring_slot(&cons, i), i + 1);
}

static void a_ring_moves_whole_or_not_at_all(struct kunit *test)
{
	static const u32 sizes[] = { 1, 3, 7, 15 };
	u32 start, n;
	int a, b;

	for (a = 0; a < ARRAY_SIZE(sizes); a++)
		for (b = 0; b < ARRAY_SIZE(sizes); b++)
			for (start = 0; start <= sizes[a]; start++)
				for (n = 0; n <= sizes[a]; n++)
					check_move(test, sizes[a], sizes[b],
						   start, n);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(layout_is_that_of_the_abi),
	KUNIT_CASE(any_index_of_the_user_is_bounded),
	KUNIT_CASE(upper_bits_do_not_count),
	KUNIT_CASE(slots_lie_inside_whatever_the_numbers),
	KUNIT_CASE(own_numbers_are_never_read_back),
	KUNIT_CASE(first_in_first_out),
	KUNIT_CASE(a_ring_of_one_slot_holds_nothing),
	KUNIT_CASE(a_ring_moves_whole_or_not_at_all),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "rxe_ring",
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);
