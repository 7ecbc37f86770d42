/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What all suites share: seeds, random numbers, buffers with a guarded end */
#ifndef RXE_KUNIT_UTIL_H
#define RXE_KUNIT_UTIL_H

#include <kunit/test.h>
#include <linux/types.h>

/* Module parameters: `insmod rxe_kunit.ko seed=77 seeds=1` repeats seed 77 */
extern unsigned long rxe_kunit_seed;
extern unsigned int rxe_kunit_seeds;

/* Number of seeds of a case that is content with @enough */
static inline unsigned int rxe_seeds(unsigned int enough)
{
	return rxe_kunit_seeds ? rxe_kunit_seeds : enough;
}

/**
 * struct rxe_rng - random numbers that a seed repeats
 * @state: any value
 */
struct rxe_rng {
	u64 state;
};

/* splitmix64: full period, good from any seed */
static inline u64 rxe_rng_u64(struct rxe_rng *rng)
{
	u64 z = (rng->state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static inline u32 rxe_rng_u32(struct rxe_rng *rng)
{
	return rxe_rng_u64(rng) >> 32;
}

/* Uniform in 0 .. @n - 1; 0 when @n is 0 */
static inline u32 rxe_rng_below(struct rxe_rng *rng, u32 n)
{
	return ((u64)rxe_rng_u32(rng) * n) >> 32;
}

/* True in @permille of 1000 calls */
static inline bool rxe_rng_chance(struct rxe_rng *rng, u32 permille)
{
	return rxe_rng_below(rng, 1000) < permille;
}

static inline void rxe_rng_fill(struct rxe_rng *rng, void *to, size_t bytes)
{
	u8 *p = to;
	u64 v = 0;
	size_t i;

	for (i = 0; i < bytes; i++) {
		if (!(i & 7))
			v = rxe_rng_u64(rng);
		p[i] = v;
		v >>= 8;
	}
}

/* The next of all sets of bits out of @mask, in turn: after the last comes 0 */
static inline u32 rxe_next_subset(u32 set, u32 mask)
{
	return (set - mask) & mask;
}

/**
 * struct rxe_tail - buffer whose last byte is the last byte of its allocation
 * @buf: start of the allocation
 * @size: bytes allocated
 *
 * What is put at its end stands against KASAN's red zone, so that reading one
 * byte too far is reported.
 */
struct rxe_tail {
	u8 *buf;
	size_t size;
};

static inline struct rxe_tail rxe_tail_alloc(struct kunit *test, size_t size)
{
	struct rxe_tail t = { .buf = kunit_kzalloc(test, size, GFP_KERNEL),
			      .size = size };

	KUNIT_ASSERT_NOT_NULL(test, t.buf);
	return t;
}

/* The last @bytes bytes of @t */
static inline u8 *rxe_tail(const struct rxe_tail *t, size_t bytes)
{
	return t->buf + t->size - bytes;
}

#endif /* RXE_KUNIT_UTIL_H */
