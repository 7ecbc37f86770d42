// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "aeth.h"

/* IBTA table 47, in units of 10 us */
static const u32 rnr_10us[32] = {
	65536, 1,    2,	   3,	 4,    6,     8,     12,    16,	   24,	  32,
	48,    64,   96,   128,	 192,  256,   384,   512,   768,   1024,  1536,
	2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};

/**
 * rxe_rnr_code_to_ns() - wait that an RNR NAK timer code asks for
 * @code: timer field of the syndrome, only bits 4:0 are used
 *
 * Context: any.
 * Return: nanoseconds, 10 us .. 655.36 ms (IBTA 9.7.5.2.8, table 47).
 */
u64 rxe_rnr_code_to_ns(u8 code)
{
	return rnr_10us[code & RXE_AETH_VALUE] * 10000ULL;
}

/**
 * rxe_timeout_to_ns() - local ACK timeout of a QP attribute
 * @exponent: the attribute, 0 .. 31; only bits 4:0 are used
 *
 * Context: any.
 * Return: 4.096 us * 2^@exponent in nanoseconds; 0 when the timer is disabled
 * by an exponent of 0 (IBTA 9.7.6.1.3).
 */
u64 rxe_timeout_to_ns(u8 exponent)
{
	exponent &= 31;
	return exponent ? 4096ULL << exponent : 0;
}
