/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RXE_FUZZ_BITMAP_H
#define RXE_FUZZ_BITMAP_H

#include "bitops.h"
#include "string.h"

static inline void bitmap_zero(unsigned long *map, unsigned int n)
{
	memset(map, 0, BITS_TO_LONGS(n) * sizeof(long));
}

#endif /* RXE_FUZZ_BITMAP_H */
