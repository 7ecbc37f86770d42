// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "ip.h"

#include <linux/string.h>

#include "compat/unaligned.h"
#include "hdr.h"

#define PROTO_UDP 17
#define IPV4_DF 0x4000

static void build_udp(const struct rxe_ip *ip, u32 payload_bytes, u8 *p)
{
	put_unaligned_be16(ip->sport, p);
	put_unaligned_be16(RXE_UDP_DPORT, p + 2);
	put_unaligned_be16(RXE_UDP_HDR_BYTES + payload_bytes, p + 4);
	put_unaligned_be16(0, p + 6); /* the ICRC covers more than it would */
}

static void build_v4(const struct rxe_ip *ip, u32 payload_bytes, u8 *p)
{
	u32 len = RXE_IPV4_HDR_BYTES + RXE_UDP_HDR_BYTES + payload_bytes;

	p[0] = 0x45;
	p[1] = ip->tos;
	put_unaligned_be16(len, p + 2);
	put_unaligned_be16(0, p + 4); /* atomic datagram, RFC 6864 */
	put_unaligned_be16(IPV4_DF, p + 6);
	p[8] = ip->ttl;
	p[9] = PROTO_UDP;
	put_unaligned_be16(0,
			   p + 10); /* filled by the IP layer on its way out */
	memcpy(p + 12, ip->saddr, 4);
	memcpy(p + 16, ip->daddr, 4);
	build_udp(ip, payload_bytes, p + RXE_IPV4_HDR_BYTES);
}

static void build_v6(const struct rxe_ip *ip, u32 payload_bytes, u8 *p)
{
	put_unaligned_be32(6U << 28 | (u32)ip->tos << 20 | (ip->flow & 0xfffff),
			   p);
	put_unaligned_be16(RXE_UDP_HDR_BYTES + payload_bytes, p + 4);
	p[6] = PROTO_UDP;
	p[7] = ip->ttl;
	memcpy(p + 8, ip->saddr, 16);
	memcpy(p + 24, ip->daddr, 16);
	build_udp(ip, payload_bytes, p + RXE_IPV6_HDR_BYTES);
}

/**
 * rxe_ip_build() - write IP and UDP headers in their final form
 * @ip: addresses and fields
 * @udp_payload_bytes: BTH to ICRC, at most 65535 - 48
 * @hdr: rxe_ip_hdr_bytes() bytes, any alignment
 *
 * Only the IPv4 header checksum is left open; the ICRC does not cover it.
 *
 * Context: any.
 */
void rxe_ip_build(const struct rxe_ip *ip, u32 udp_payload_bytes, void *hdr)
{
	if (ip->v6)
		build_v6(ip, udp_payload_bytes, hdr);
	else
		build_v4(ip, udp_payload_bytes, hdr);
}
