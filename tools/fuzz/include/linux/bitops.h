/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RXE_FUZZ_BITOPS_H
#define RXE_FUZZ_BITOPS_H

#include "types.h"

#define BITS_PER_LONG 64
#define BITS_TO_LONGS(n) (((n) + BITS_PER_LONG - 1) / BITS_PER_LONG)
#define DECLARE_BITMAP(name, n) unsigned long name[BITS_TO_LONGS(n)]

static inline bool test_bit(long nr, const unsigned long *map)
{
	return map[nr / BITS_PER_LONG] >> nr % BITS_PER_LONG & 1;
}

static inline bool __test_and_set_bit(long nr, unsigned long *map)
{
	bool was = test_bit(nr, map);

	map[nr / BITS_PER_LONG] |= 1UL << nr % BITS_PER_LONG;
	return was;
}

static inline bool __test_and_clear_bit(long nr, unsigned long *map)
{
	bool was = test_bit(nr, map);

	map[nr / BITS_PER_LONG] &= ~(1UL << nr % BITS_PER_LONG);
	return was;
}

#endif /* RXE_FUZZ_BITOPS_H */
