/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Packet sequence numbers: 24-bit serial arithmetic (IBTA 9.7.1) */
#ifndef RXE_WIRE_PSN_H
#define RXE_WIRE_PSN_H

#include <linux/types.h>

#define RXE_PSN_BITS 24
#define RXE_PSN_MASK 0xffffffU

/* Numbers further ahead than this count as behind (IBTA 9.7.1, half the space) */
#define RXE_PSN_HALF 0x800000U

static inline u32 rxe_psn_add(u32 psn, u32 n)
{
	return (psn + n) & RXE_PSN_MASK;
}

static inline u32 rxe_psn_sub(u32 psn, u32 n)
{
	return (psn - n) & RXE_PSN_MASK;
}

/* Signed distance from @b to @a, in -2^23 .. 2^23 - 1; > 0: @a is ahead of @b */
static inline s32 rxe_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << (32 - RXE_PSN_BITS)) >> (32 - RXE_PSN_BITS);
}

/* True when @psn is one of @first .. @last, both included */
static inline bool rxe_psn_within(u32 psn, u32 first, u32 last)
{
	return rxe_psn_sub(psn, first) <= rxe_psn_sub(last, first);
}

#endif /* RXE_WIRE_PSN_H */
