/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RXE_NATIVE_BYTEORDER_H
#define RXE_NATIVE_BYTEORDER_H

#include <linux/types.h>

/* One that may stand in the initializer of a table */
#undef cpu_to_be32
#define cpu_to_be32(x) ((u32)(__BYTE_ORDER == __LITTLE_ENDIAN ? __builtin_bswap32(x) : (x)))

#endif /* RXE_NATIVE_BYTEORDER_H */
