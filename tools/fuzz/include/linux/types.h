/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the pure layers use of the kernel, for user space. The other headers in
 * this folder only lead here.
 */
#ifndef RXE_FUZZ_TYPES_H
#define RXE_FUZZ_TYPES_H

#include <asm/errno.h>
#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;
typedef u16 __be16;
typedef u32 __be32;
typedef u64 __be64;
typedef u16 __le16;
typedef u32 __le32;
typedef u64 __le64;

#define U8_MAX ((u8)~0U)
#define U16_MAX ((u16)~0U)
#define U32_MAX (~0U)
#define U64_MAX (~0ULL)
#define S32_MAX ((s32)(U32_MAX >> 1))

#define __packed __attribute__((__packed__))
#undef __aligned
#define __aligned(n) __attribute__((__aligned__(n)))
#define __always_unused __attribute__((__unused__))
#define __maybe_unused __attribute__((__unused__))
#define fallthrough __attribute__((__fallthrough__))
#define likely(x) (x)
#define unlikely(x) (x)

#define BIT(n) (1UL << (n))
#define BIT_ULL(n) (1ULL << (n))
#define GENMASK(h, l) ((~0UL << (l)) & (~0UL >> (63 - (h))))
#define FIELD_SHIFT(mask) __builtin_ctzll(mask)
#define FIELD_GET(mask, reg) ((typeof(mask))(((reg) & (mask)) >> FIELD_SHIFT(mask)))
#define FIELD_PREP(mask, val) (((typeof(mask))(val) << FIELD_SHIFT(mask)) & (mask))
#define FIELD_MAX(mask) ((typeof(mask))((mask) >> FIELD_SHIFT(mask)))

#define BUILD_BUG_ON(c) _Static_assert(!(c), #c)
#undef static_assert
#define static_assert(c, ...) _Static_assert(c, #c)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d) (((n) + (d)-1) / (d))
#define DIV_ROUND_UP_ULL(n, d) DIV_ROUND_UP((u64)(n), d)
#define ALIGN(x, a) (((x) + (a)-1) & ~((typeof(x))(a)-1))
/* As in the kernel, each argument is evaluated once */
#define min_t(type, a, b)                      \
	({                                     \
		type min_a = (a);              \
		type min_b = (b);              \
		min_a < min_b ? min_a : min_b; \
	})
#define max_t(type, a, b)                      \
	({                                     \
		type max_a = (a);              \
		type max_b = (b);              \
		max_a > max_b ? max_a : max_b; \
	})
#define min(a, b) min_t(typeof(a), a, b)
#define max(a, b) max_t(typeof(a), a, b)
#define min_not_zero(a, b) (!(a) ? (b) : !(b) ? (a) : min(a, b))
#define min3(a, b, c) min(min(a, b), c)
#define clamp(v, lo, hi) min(max(v, lo), hi)
#define container_of(p, type, member) ((type *)((char *)(p)-offsetof(type, member)))
#define READ_ONCE(x) (*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile typeof(x) *)&(x) = (v))
#define NSEC_PER_SEC 1000000000L
#define NSEC_PER_MSEC 1000000L
#define NSEC_PER_USEC 1000L

#define cpu_to_be16(x) htobe16(x)
#define cpu_to_be32(x) htobe32(x)
#define cpu_to_be64(x) htobe64(x)
#define be16_to_cpu(x) be16toh(x)
#define be32_to_cpu(x) be32toh(x)
#define be64_to_cpu(x) be64toh(x)
#define cpu_to_le32(x) htole32(x)
#define le32_to_cpu(x) le32toh(x)

static inline u64 div_u64(u64 n, u32 d)
{
	return n / d;
}

static inline u64 div64_u64(u64 n, u64 d)
{
	return n / d;
}

static inline u64 mul_u64_u32_shr(u64 a, u32 mul, unsigned int shift)
{
	return (u64)(((unsigned __int128)a * mul) >> shift);
}

static inline int fls(u32 x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

static inline int ilog2(u64 x)
{
	return 63 - __builtin_clzll(x);
}

/* Bit by bit, as the definition has it: speed is no matter here */
static inline u32 crc32_le(u32 crc, const void *data, size_t len)
{
	const u8 *p = data;
	int i;

	while (len--) {
		crc ^= *p++;
		for (i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return crc;
}

#endif /* RXE_FUZZ_TYPES_H */
