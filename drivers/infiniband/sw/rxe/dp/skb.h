/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Packets as skbs: building, checking, copying out */
#ifndef RXE_DP_SKB_H
#define RXE_DP_SKB_H

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>

#include "../obj/cursor.h"
#include "../wire/ip.h"
#include "../wire/pkt.h"
#include "qp.h"

/**
 * struct rxe_skb_cb - our part of skb->cb while a packet is inside the driver
 * @local: it came from this device without crossing a wire
 * @defer: queue it, do not run the QP it is for here
 * @icrc_twice: FLUSH: its ICRC covers the headers twice
 * @mcast: it goes to a multicast group that the QP is attached to
 * @vlan: VLAN it came in by or RXE_NO_VLAN; skb->dev may be gone later
 * @held: it was kept beyond a hole, or is
 * @psn: its PSN, while it is kept beyond a hole
 * @arrived_ns: READ request: when it arrived, if it had to wait, else 0
 */
struct rxe_skb_cb {
	bool local;
	bool defer;
	bool icrc_twice;
	bool mcast;
	bool held;
	u16 vlan;
	u32 psn;
	u64 arrived_ns;
};

static inline struct rxe_skb_cb *rxe_skb_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct rxe_skb_cb) > sizeof(skb->cb));
	return (struct rxe_skb_cb *)skb->cb;
}

static inline bool rxe_skb_is_v6(const struct sk_buff *skb)
{
	return skb->protocol == htons(ETH_P_IPV6);
}

/* Addresses of an IP packet, struct in6_addr or __be32 */
static inline const void *rxe_skb_saddr(const struct sk_buff *skb)
{
	return rxe_skb_is_v6(skb) ? (const void *)&ipv6_hdr(skb)->saddr :
				    &ip_hdr(skb)->saddr;
}

static inline const void *rxe_skb_daddr(const struct sk_buff *skb)
{
	return rxe_skb_is_v6(skb) ? (const void *)&ipv6_hdr(skb)->daddr :
				    &ip_hdr(skb)->daddr;
}

struct sk_buff *rxe_skb_build(struct rxe_dp_qp *qp, struct rxe_dp_side *side,
			      const struct rxe_av *av,
			      const struct rxe_pkt *pkt,
			      struct rxe_cursor *from);
int rxe_skb_parse(struct sk_buff *skb, struct rxe_pkt *pkt);
bool rxe_skb_icrc_ok(struct sk_buff *skb, struct rxe_pkt *pkt);
bool rxe_skb_is_marked(struct sk_buff *skb);
bool rxe_skb_from_peer(struct sk_buff *skb, const struct rxe_av *av);
int rxe_skb_copy_out(struct sk_buff *skb, const struct rxe_pkt *pkt,
		     struct rxe_cursor *to);

#endif /* RXE_DP_SKB_H */
