/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The IP and UDP headers around a RoCEv2 packet (IBTA annex A17.3) */
#ifndef RXE_WIRE_IP_H
#define RXE_WIRE_IP_H

#include <linux/types.h>

#define RXE_IPV4_HDR_BYTES 20
#define RXE_IPV6_HDR_BYTES 40
#define RXE_UDP_HDR_BYTES 8

/**
 * struct rxe_ip - what the IP and UDP headers of a packet say
 * @v6: IPv6, else IPv4
 * @tos: type of service or traffic class
 * @ttl: time to live or hop limit
 * @sport: UDP source port, host order
 * @flow: IPv6 flow label, 20 bits
 * @saddr: source address; IPv4 in the first 4 bytes
 * @daddr: destination address; IPv4 in the first 4 bytes
 */
struct rxe_ip {
	bool v6;
	u8 tos;
	u8 ttl;
	u16 sport;
	u32 flow;
	u8 saddr[16] __aligned(4);
	u8 daddr[16] __aligned(4);
};

static inline u32 rxe_ip_hdr_bytes(bool v6)
{
	return (v6 ? RXE_IPV6_HDR_BYTES : RXE_IPV4_HDR_BYTES) +
	       RXE_UDP_HDR_BYTES;
}

void rxe_ip_build(const struct rxe_ip *ip, u32 udp_payload_bytes, void *hdr);

#endif /* RXE_WIRE_IP_H */
