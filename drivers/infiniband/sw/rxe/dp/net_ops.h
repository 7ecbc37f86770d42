/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* How the data path reaches the network layer */
#ifndef RXE_DP_NET_OPS_H
#define RXE_DP_NET_OPS_H

#include <linux/types.h>

struct dst_cache;
struct in6_addr;
struct rxe_av;
struct rxe_dev;
struct sk_buff;

/**
 * struct rxe_net_ops - what net/ does for the data path
 * @xmit: send @skb, a whole IP packet (skb->data at the IP header, network and
 *	transport header offsets set), to @av. Consumes @skb always. @cache keeps
 *	the route of a QP and may be NULL; it is accessed with BH off. Softirq or
 *	process context, BH disabled by the caller. Returns 0, or a negative errno
 *	or NET_XMIT_DROP when the packet was dropped here, or NET_XMIT_CN when it
 *	or others of its flow were: to the transport these are lost packets like
 *	any other.
 * @join: have the interface take packets to a multicast group, an IPv4 one given
 *	as mapped address. May sleep; takes rtnl. Returns 0 or a negative errno.
 * @leave: undo one @join
 */
struct rxe_net_ops {
	int (*xmit)(struct rxe_dev *dev, const struct rxe_av *av,
		    struct dst_cache *cache, struct sk_buff *skb);
	int (*join)(struct rxe_dev *dev, const struct in6_addr *addr);
	void (*leave)(struct rxe_dev *dev, const struct in6_addr *addr);
};

#endif /* RXE_DP_NET_OPS_H */
