/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Loads and stores of unaligned big and little endian words */
#ifndef RXE_COMPAT_UNALIGNED_H
#define RXE_COMPAT_UNALIGNED_H

#include "features.h"

#ifdef HAVE_LINUX_UNALIGNED
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

#endif /* RXE_COMPAT_UNALIGNED_H */
