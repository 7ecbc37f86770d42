// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "ip.h"

#include <linux/errno.h>
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

/**
 * rxe_ip_parse() - read the headers of a received packet
 * @ip: result
 * @hdr: IP header with the UDP header behind it, any alignment
 * @ip_hdr_bytes: distance from @hdr to the UDP header
 *
 * IPv4 options and IPv6 extension headers are refused: RoCEv2 packets have none,
 * and the ICRC is not defined over them.
 *
 * Context: any.
 * Return: 0 or -EPROTO.
 */
int rxe_ip_parse(struct rxe_ip *ip, const void *hdr, u32 ip_hdr_bytes)
{
	const u8 *p = hdr;

	*ip = (struct rxe_ip){ .v6 = p[0] >> 4 == 6 };
	if (ip->v6) {
		u32 word = get_unaligned_be32(p);

		if (ip_hdr_bytes != RXE_IPV6_HDR_BYTES || p[6] != PROTO_UDP)
			return -EPROTO;
		ip->tos = word >> 20;
		ip->flow = word & 0xfffff;
		ip->ttl = p[7];
		memcpy(ip->saddr, p + 8, 16);
		memcpy(ip->daddr, p + 24, 16);
	} else {
		if (ip_hdr_bytes != RXE_IPV4_HDR_BYTES || p[0] != 0x45 ||
		    p[9] != PROTO_UDP)
			return -EPROTO;
		ip->tos = p[1];
		ip->ttl = p[8];
		memcpy(ip->saddr, p + 12, 4);
		memcpy(ip->daddr, p + 16, 4);
	}
	ip->sport = get_unaligned_be16(p + ip_hdr_bytes);
	return 0;
}
