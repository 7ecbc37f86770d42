/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Registered memory of a simulated QP */
#ifndef RXE_KUNIT_FAKE_MEM_H
#define RXE_KUNIT_FAKE_MEM_H

#include <linux/types.h>

/**
 * struct fake_mem - a region
 * @key: its key
 * @access: RXE_ACC_REMOTE_*
 * @va: address that the peer uses
 * @bytes: length
 * @data: the bytes
 */
struct fake_mem {
	u32 key;
	u32 access;
	u64 va;
	u32 bytes;
	u8 *data;
};

u8 *fake_mem_at(const struct fake_mem *mem, u32 n, u32 key, u32 access, u64 va,
		u32 bytes);

#endif /* RXE_KUNIT_FAKE_MEM_H */
