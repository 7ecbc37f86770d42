// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CRC-32 with carry-less multiplication. A polynomial of any length is congruent
 * to a short one: 64 bytes at a time are multiplied by what x^512 is modulo the
 * generator and added to the next 64, until 16 are left, then 12, 8 and the
 * remainder. What older kernels export is table code only.
 */
#include "crc.h"

#include <linux/string.h>

#include "../wire/icrc.h"

#ifdef CONFIG_X86_64

#include <asm/cpufeature.h>
#include <asm/fpu/api.h>

/* Below this an FPU section costs more than it saves */
#define BULK_MIN 256
/* Preemption is off in an FPU section */
#define SECTION_MAX 65536

/* Bit-reflected x^n modulo the generator, times x: n = 544 and 480 for the low
 * and high half of 16 bytes that move by 64, 160 and 96 for a move by 16
 */
static const u64 by_64[2] __aligned(16) = { 0x154442bd4, 0x1c6e41596 };
static const u64 by_16[2] __aligned(16) = { 0x1751997d0, 0x0ccaa009e };
/* The same for n = 64, by which the first 4 of 12 bytes come to be 8 */
static const u64 by_8[2] __aligned(16) = { 0x163cd6124 };
/* Bit-reflected generator, and x^64 divided by it (Barrett) */
static const u64 divisor[2] __aligned(16) = { 0x1db710641, 0x1f7011641 };
static const u64 low_half[2] __aligned(16) = { 0xffffffff };

/* xmm\i, moved on by the distance that the constants in xmm7 stand for, plus
 * \plus
 */
#define FOLD(i, plus)                             \
	"movdqa %%xmm" i ", %%xmm6\n\t"           \
	"pclmulqdq $0x00, %%xmm7, %%xmm" i "\n\t" \
	"pclmulqdq $0x11, %%xmm7, %%xmm6\n\t"     \
	"pxor %%xmm6, %%xmm" i "\n\t"             \
	"pxor %%xmm" plus ", %%xmm" i "\n\t"

#define LOAD(a, b, c, d)                    \
	"movdqu (%[src]), %%xmm" a "\n\t"   \
	"movdqu 16(%[src]), %%xmm" b "\n\t" \
	"movdqu 32(%[src]), %%xmm" c "\n\t" \
	"movdqu 48(%[src]), %%xmm" d "\n\t" \
	"add $64, %[src]\n\t"

#define STORE(a, b, c, d)                   \
	"movdqu %%xmm" a ", (%[dst])\n\t"   \
	"movdqu %%xmm" b ", 16(%[dst])\n\t" \
	"movdqu %%xmm" c ", 32(%[dst])\n\t" \
	"movdqu %%xmm" d ", 48(%[dst])\n\t" \
	"add $64, %[dst]\n\t"

#define NO_STORE(a, b, c, d)

/* The remainder of the 16 bytes in xmm0 and 4 of zeros behind them; xmm7 is by_16 */
#define REDUCE                                            \
	"movdqa %%xmm0, %%xmm1\n\t"                       \
	"pclmulqdq $0x10, %%xmm7, %%xmm1\n\t"             \
	"psrldq $8, %%xmm0\n\t"                           \
	"pxor %%xmm1, %%xmm0\n\t" /* 12 bytes */          \
	"movdqa %%xmm0, %%xmm1\n\t"                       \
	"pand %[low_half], %%xmm1\n\t"                    \
	"pclmulqdq $0x00, %[by_8], %%xmm1\n\t"            \
	"psrldq $4, %%xmm0\n\t"                           \
	"pxor %%xmm1, %%xmm0\n\t" /* 8 bytes */           \
	"movdqa %%xmm0, %%xmm1\n\t"                       \
	"pand %[low_half], %%xmm1\n\t"                    \
	"pclmulqdq $0x10, %[divisor], %%xmm1\n\t"         \
	"pand %[low_half], %%xmm1\n\t" /* the quotient */ \
	"pclmulqdq $0x00, %[divisor], %%xmm1\n\t"         \
	"pxor %%xmm1, %%xmm0\n\t"                         \
	"psrlq $32, %%xmm0\n\t"                           \
	"movd %%xmm0, %[crc]\n\t"

#define CONSTANTS                                                 \
	[by_64] "m"(by_64), [by_16] "m"(by_16), [by_8] "m"(by_8), \
		[divisor] "m"(divisor), [low_half] "m"(low_half)

/* clang-format off */
#define FOLD_BLOCKS(store)			\
	"movd %[crc], %%xmm6\n\t"		\
	"movdqa %[by_64], %%xmm7\n\t"		\
	LOAD("0", "1", "2", "3")		\
	store("0", "1", "2", "3")		\
	"pxor %%xmm6, %%xmm0\n\t"		\
	"dec %[blocks]\n\t"			\
	"jz 2f\n"				\
	"1:\n\t"				\
	LOAD("8", "9", "10", "11")		\
	store("8", "9", "10", "11")		\
	FOLD("0", "8")				\
	FOLD("1", "9")				\
	FOLD("2", "10")				\
	FOLD("3", "11")				\
	"dec %[blocks]\n\t"			\
	"jnz 1b\n"				\
	"2:\n\t"				\
	"movdqa %[by_16], %%xmm7\n\t"		\
	FOLD("0", "1")				\
	FOLD("0", "2")				\
	FOLD("0", "3")				\
	REDUCE

/* @blocks > 0 times 64 bytes, copied to @dst when there is one. The compiler
 * keeps nothing in xmm registers here, so none is named as clobbered.
 */
static u32 fold(u32 crc, const u8 *src, u8 *dst, size_t blocks)
{
	if (dst)
		asm volatile(FOLD_BLOCKS(STORE)
			     : [src] "+r"(src), [dst] "+r"(dst),
			       [blocks] "+r"(blocks), [crc] "+r"(crc)
			     : CONSTANTS
			     : "memory", "cc");
	else
		asm volatile(FOLD_BLOCKS(NO_STORE)
			     : [src] "+r"(src), [blocks] "+r"(blocks),
			       [crc] "+r"(crc)
			     : CONSTANTS
			     : "memory", "cc");
	return crc;
}

/* clang-format on */

static bool may_fold(size_t len)
{
	return len >= BULK_MIN && boot_cpu_has(X86_FEATURE_PCLMULQDQ) &&
	       irq_fpu_usable();
}

/* The whole blocks of a span. Return: bytes done; 0 when it may not be. */
static size_t bulk(u32 *crc, const u8 *src, u8 *dst, size_t len)
{
	size_t done = 0;

	if (!may_fold(len))
		return 0;
	while (len - done >= 64) {
		size_t n = min_t(size_t, len - done, SECTION_MAX) & ~63;

		kernel_fpu_begin();
		*crc = fold(*crc, src + done, dst ? dst + done : NULL, n / 64);
		kernel_fpu_end();
		done += n;
	}
	return done;
}

#else

static size_t bulk(u32 *crc, const u8 *src, u8 *dst, size_t len)
{
	return 0;
}

#endif

/**
 * rxe_crc32_bulk() - advance the CRC over a span of payload
 * @crc: state so far
 * @data: bytes to add, any alignment
 * @len: number of bytes
 *
 * Context: any.
 * Return: the new state, as rxe_crc32() gives it.
 */
u32 rxe_crc32_bulk(u32 crc, const void *data, size_t len)
{
	size_t done = bulk(&crc, data, NULL, len);

	return rxe_crc32(crc, data + done, len - done);
}

/**
 * rxe_crc32_copy() - copy a span of payload and advance the CRC over the copy
 * @crc: state so far
 * @to: destination, any alignment
 * @from: source; may change at any time
 * @len: number of bytes
 *
 * Every byte is read once, so the CRC is that of the copy whatever happens to
 * the source.
 *
 * Context: any.
 * Return: the new state, as rxe_crc32() gives it.
 */
u32 rxe_crc32_copy(u32 crc, void *to, const void *from, size_t len)
{
	size_t done = bulk(&crc, from, to, len);

	memcpy(to + done, from + done, len - done);
	return rxe_crc32(crc, to + done, len - done);
}
