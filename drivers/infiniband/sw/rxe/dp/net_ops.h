/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* How the data path reaches the network layer */
#ifndef RXE_DP_NET_OPS_H
#define RXE_DP_NET_OPS_H

#include <linux/types.h>

struct dst_cache;
struct rxe_av;
struct rxe_dev;
struct sk_buff;

/**
 * struct rxe_net_ops - transmit side of net/
 * @xmit: send @skb, a whole IP packet (skb->data at the IP header, network and
 *	transport header offsets set), to @av. Consumes @skb always. @cache keeps
 *	the route of a QP and may be NULL; it is accessed with BH off. Softirq or
 *	process context, BH disabled by the caller. Returns 0, or a negative errno
 *	or a positive NET_XMIT code when the packet was dropped here: to the
 *	transport that is a lost packet like any other.
 */
struct rxe_net_ops {
	int (*xmit)(struct rxe_dev *dev, const struct rxe_av *av,
		    struct dst_cache *cache, struct sk_buff *skb);
};

#endif /* RXE_DP_NET_OPS_H */
