// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "icrc.h"

#include <linux/crc32.h>
#include <linux/string.h>

#include "compat/unaligned.h"
#include "hdr.h"
#include "ip.h"

/* State of the CRC after the eight bytes of ones that stand in for the LRH */
#define ICRC_SEED 0xdebb20e3U

#define BTH_BYTE4 4 /* FECN, BECN and reserved bits: not covered */

/**
 * rxe_crc32() - advance the CRC over a span of bytes
 * @crc: state so far
 * @data: bytes to add
 * @len: number of bytes
 *
 * The one place that decides which CRC-32 engine serves the driver.
 *
 * Context: any.
 * Return: the new state, not complemented.
 */
u32 rxe_crc32(u32 crc, const void *data, size_t len)
{
	/* Often there is no extension header, no pad, or no rest: not worth a call */
	return len ? crc32_le(crc, data, len) : crc;
}

/**
 * rxe_icrc_start_v4() - CRC state over IPv4 header, UDP header and BTH
 * @ip_udp_bth: 20 + 8 + 12 bytes as they stand on the wire
 *
 * What routers may change is covered as ones: TOS, TTL, header checksum, UDP
 * checksum and byte 4 of the BTH (IBTA A17.3.3).
 *
 * Context: any.
 * Return: state to continue with the extension headers.
 */
u32 rxe_icrc_start_v4(const void *ip_udp_bth)
{
	u8 b[RXE_IPV4_HDR_BYTES + RXE_UDP_HDR_BYTES + sizeof(struct rxe_bth)];

	memcpy(b, ip_udp_bth, sizeof(b));
	b[1] = 0xff;
	b[8] = 0xff;
	memset(b + 10, 0xff, 2);
	memset(b + RXE_IPV4_HDR_BYTES + 6, 0xff, 2);
	b[RXE_IPV4_HDR_BYTES + RXE_UDP_HDR_BYTES + BTH_BYTE4] = 0xff;

	return rxe_crc32(ICRC_SEED, b, sizeof(b));
}

/**
 * rxe_icrc_start_v6() - CRC state over IPv6 header, UDP header and BTH
 * @ip_udp_bth: 40 + 8 + 12 bytes as they stand on the wire
 *
 * Traffic class, flow label, hop limit, UDP checksum and byte 4 of the BTH are
 * covered as ones (IBTA A17.3.3).
 *
 * Context: any.
 * Return: state to continue with the extension headers.
 */
u32 rxe_icrc_start_v6(const void *ip_udp_bth)
{
	u8 b[RXE_IPV6_HDR_BYTES + RXE_UDP_HDR_BYTES + sizeof(struct rxe_bth)];

	memcpy(b, ip_udp_bth, sizeof(b));
	b[0] |= 0x0f;
	memset(b + 1, 0xff, 3);
	b[7] = 0xff;
	memset(b + RXE_IPV6_HDR_BYTES + 6, 0xff, 2);
	b[RXE_IPV6_HDR_BYTES + RXE_UDP_HDR_BYTES + BTH_BYTE4] = 0xff;

	return rxe_crc32(ICRC_SEED, b, sizeof(b));
}

/**
 * rxe_icrc_twice() - add the headers of a FLUSH once more
 * @crc: state after the last covered byte
 * @bth: BTH and extension headers as they stand on the wire
 * @hdr_bytes: how many they are
 *
 * The kernel's own driver takes them for the payload that a FLUSH does not have,
 * nothing masked. By IBTA 7.8.1 they are covered once.
 *
 * Context: any.
 * Return: the state that such a peer closes.
 */
u32 rxe_icrc_twice(u32 crc, const void *bth, size_t hdr_bytes)
{
	return rxe_crc32(crc, bth, hdr_bytes);
}

/**
 * rxe_icrc_put() - close the CRC and write it behind the payload
 * @trailer: 4 bytes behind the pad, any alignment
 * @crc: state after the last covered byte
 *
 * Context: any.
 */
void rxe_icrc_put(void *trailer, u32 crc)
{
	put_unaligned_le32(~crc, trailer);
}

/**
 * rxe_icrc_matches() - compare the CRC of a received packet
 * @trailer: the last 4 bytes of the packet, any alignment
 * @crc: state after the last covered byte
 *
 * Context: any.
 * Return: true when the packet is intact.
 */
bool rxe_icrc_matches(const void *trailer, u32 crc)
{
	return get_unaligned_le32(trailer) == (u32)~crc;
}
