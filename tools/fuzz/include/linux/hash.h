/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RXE_FUZZ_HASH_H
#define RXE_FUZZ_HASH_H

#include "types.h"

static inline u32 hash_64(u64 val, unsigned int bits)
{
	return val * 0x61c8864680b583ebULL >> (64 - bits);
}

#endif /* RXE_FUZZ_HASH_H */
