/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Loads and stores of unaligned big and little endian words */
#ifndef RXE_COMPAT_UNALIGNED_H
#define RXE_COMPAT_UNALIGNED_H

#if __has_include(<linux/unaligned.h>)
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

#endif /* RXE_COMPAT_UNALIGNED_H */
