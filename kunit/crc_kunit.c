// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* dp/crc.c against a CRC that takes one bit at a time */
#include "dp/crc.h"
#include "util.h"

#define LONGEST 9000

static u32 ref(u32 crc, const u8 *p, size_t n)
{
	int bit;

	while (n--) {
		crc ^= *p++;
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	}
	return crc;
}

/* @n random bytes that end where the allocation ends */
static u8 *bytes(struct kunit *test, struct rxe_rng *rng, size_t n)
{
	u8 *p = kunit_kmalloc(test, n ?: 1, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	rxe_rng_fill(rng, p, n);
	return p;
}

static void check(struct kunit *test, struct rxe_rng *rng, size_t n)
{
	u8 *from = bytes(test, rng, n);
	u8 *to = bytes(test, rng, n);
	u32 crc = rxe_rng_u32(rng);
	u32 want = ref(crc, from, n);

	KUNIT_EXPECT_EQ_MSG(test, rxe_crc32_bulk(crc, from, n), want,
			    "%zu bytes", n);
	KUNIT_EXPECT_EQ_MSG(test, rxe_crc32_copy(crc, to, from, n), want,
			    "%zu bytes copied", n);
	KUNIT_EXPECT_TRUE_MSG(test, !memcmp(to, from, n), "copy of %zu bytes",
			      n);
	kunit_kfree(test, to);
	kunit_kfree(test, from);
}

static void every_short_length(struct kunit *test)
{
	struct rxe_rng rng = { .state = 1 };
	size_t n;

	for (n = 0; n <= 700; n++)
		check(test, &rng, n);
}

static void long_lengths(struct kunit *test)
{
	struct rxe_rng rng = { .state = 2 };
	int i;

	for (i = 0; i < 100; i++)
		check(test, &rng, rxe_rng_below(&rng, LONGEST));
}

/* In pieces of any size it is the same CRC */
static void pieces(struct kunit *test)
{
	struct rxe_rng rng = { .state = 3 };
	u8 *p;
	int i;

	p = bytes(test, &rng, LONGEST);
	for (i = 0; i < 50; i++) {
		u32 want = rxe_crc32_bulk(~0U, p, LONGEST);
		u32 crc = ~0U;
		size_t done = 0, n;

		for (; done < LONGEST; done += n) {
			n = min_t(size_t, LONGEST - done,
				  1 + rxe_rng_below(&rng, 2000));
			crc = rxe_crc32_bulk(crc, p + done, n);
		}
		KUNIT_EXPECT_EQ_MSG(test, crc, want, "round %d", i);
	}
}

static struct kunit_case crc_cases[] = { KUNIT_CASE(every_short_length),
					 KUNIT_CASE(long_lengths),
					 KUNIT_CASE(pieces),
					 {} };

static struct kunit_suite crc_suite = {
	.name = "rxe_crc",
	.test_cases = crc_cases,
};

kunit_test_suite(crc_suite);
