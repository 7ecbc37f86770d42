// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "fake_mem.h"

#include <linux/stddef.h>

/**
 * fake_mem_at() - find a span
 * @mem: regions
 * @n: how many there are
 * @key: key that must be the region's
 * @access: rights that it must grant
 * @va: first address
 * @bytes: length
 *
 * Context: any.
 * Return: the bytes, or NULL when key, rights or bounds are not right.
 */
u8 *fake_mem_at(const struct fake_mem *mem, u32 n, u32 key, u32 access, u64 va,
		u32 bytes)
{
	u32 i;

	for (i = 0; i < n; i++) {
		if (mem[i].key != key || (mem[i].access & access) != access)
			continue;
		if (va < mem[i].va || bytes > mem[i].bytes ||
		    va - mem[i].va > mem[i].bytes - bytes)
			return NULL;
		return mem[i].data + (va - mem[i].va);
	}
	return NULL;
}
