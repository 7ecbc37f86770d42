// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* asm/unaligned.h moved to linux/. In 6.12, not in 6.1 */
#include <linux/unaligned.h>

u32 probe(const void *p);

u32 probe(const void *p)
{
	return get_unaligned_be32(p);
}
