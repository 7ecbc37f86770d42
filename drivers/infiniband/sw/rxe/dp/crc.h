/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* CRC-32 over payload, where the bytes are many */
#ifndef RXE_DP_CRC_H
#define RXE_DP_CRC_H

#include <linux/types.h>

u32 rxe_crc32_bulk(u32 crc, const void *data, size_t len);
u32 rxe_crc32_copy(u32 crc, void *to, const void *from, size_t len);

#endif /* RXE_DP_CRC_H */
