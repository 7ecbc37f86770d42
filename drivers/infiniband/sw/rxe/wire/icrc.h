/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Invariant CRC of RoCEv2 (IBTA 7.8.1, annex A17.3.3) */
#ifndef RXE_WIRE_ICRC_H
#define RXE_WIRE_ICRC_H

#include <linux/types.h>

u32 rxe_crc32(u32 crc, const void *data, size_t len);
u32 rxe_icrc_start_v4(const void *ip_udp_bth);
u32 rxe_icrc_start_v6(const void *ip_udp_bth);
u32 rxe_icrc_twice(u32 crc, const void *bth, size_t hdr_bytes);
void rxe_icrc_put(void *trailer, u32 crc);
bool rxe_icrc_matches(const void *trailer, u32 crc);

#endif /* RXE_WIRE_ICRC_H */
