// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The way out: route, then hand to the IP layer.
 *
 * A device belongs to an interface, so its packets leave there: by the one that
 * has the source GID, which may be a VLAN on top of it. That holds whatever the
 * routing table would prefer, as with an adapter whose port that is. Only
 * addresses of this host are reached as the host reaches them, over loopback.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <net/addrconf.h>
#include <net/dst_cache.h>
#include <net/ip.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>
#include <net/route.h>
#include <net/udp.h>

#include "compat/net.h"
#include "../obj/av.h"
#include "../wire/hdr.h"
#include "net.h"
#include "port.h"

static __be32 v4_addr(const u8 *addr)
{
	return *(const __be32 *)addr;
}

static const struct in6_addr *v6_addr(const u8 *addr)
{
	return (const struct in6_addr *)addr;
}

/* The interface that has the source GID, and says in which VRF the packet is routed */
static struct net_device *egress_of(struct rxe_dev *dev,
				    const struct rxe_av *av)
{
	return dev_get_by_index_rcu(dev_net(dev->ndev), av->ifindex) ?:
								       dev->ndev;
}

/* Also refuses a source address that the host has no more */
static struct dst_entry *route_v4(struct rxe_dev *dev, const struct rxe_av *av)
{
	struct net_device *egress = egress_of(dev, av);
	struct net *net = dev_net(dev->ndev);
	struct flowi4 fl4 = {
		.flowi4_oif = av->ifindex,
		.flowi4_proto = IPPROTO_UDP,
		.saddr = v4_addr(av->ip.saddr),
		.daddr = v4_addr(av->ip.daddr),
		.fl4_sport = htons(av->ip.sport),
		.fl4_dport = htons(RXE_UDP_DPORT),
	};
	struct rtable *rt;

	rxe_flowi4_set_tclass(&fl4, av->ip.tos);
	if (inet_addr_type_dev_table(net, egress, fl4.daddr) == RTN_LOCAL)
		fl4.flowi4_oif = l3mdev_master_ifindex_rcu(egress);
	rt = ip_route_output_flow(net, &fl4, NULL);
	return IS_ERR(rt) ? ERR_CAST(rt) : &rt->dst;
}

/* Has the host this address, in the VRF of @egress? */
static bool v6_own(struct net_device *egress, const struct in6_addr *addr)
{
	return ipv6_chk_addr_and_flags(dev_net(egress), addr, egress, true, 0,
				       0);
}

static bool v6_local(struct net_device *egress, const struct in6_addr *addr)
{
	return !(ipv6_addr_type(addr) &
		 (IPV6_ADDR_LINKLOCAL | IPV6_ADDR_MULTICAST)) &&
	       v6_own(egress, addr);
}

static struct dst_entry *route_v6(struct rxe_dev *dev, const struct rxe_av *av)
{
	struct net_device *egress = egress_of(dev, av);
	struct net *net = dev_net(dev->ndev);
	struct flowi6 fl6 = {
		.flowi6_oif = av->ifindex,
		.flowi6_proto = IPPROTO_UDP,
		.flowlabel = ip6_make_flowinfo(av->ip.tos, htonl(av->ip.flow)),
		.saddr = *v6_addr(av->ip.saddr),
		.daddr = *v6_addr(av->ip.daddr),
		.fl6_sport = htons(av->ip.sport),
		.fl6_dport = htons(RXE_UDP_DPORT),
	};

	/* The IPv6 route lookup does not look whose the source address is */
	if (!v6_own(egress, &fl6.saddr))
		return ERR_PTR(-EADDRNOTAVAIL);
	if (v6_local(egress, &fl6.daddr))
		fl6.flowi6_oif = l3mdev_master_ifindex_rcu(egress);
	return ip6_dst_lookup_flow(net, NULL, &fl6, NULL);
}

/* A route, referenced, or an error pointer; BH off for @cache */
static struct dst_entry *find_route(struct rxe_dev *dev,
				    const struct rxe_av *av,
				    struct dst_cache *cache)
{
	struct dst_entry *dst;

	if (cache) {
		dst = dst_cache_get(cache);
		if (dst)
			return dst;
	}
	if (av->ip.v6) {
		/* There are IPv6 GIDs all the same: made of the MAC address */
		if (!IS_ENABLED(CONFIG_IPV6) || !ipv6_mod_enabled())
			return ERR_PTR(-EAFNOSUPPORT);
		dst = route_v6(dev, av);
		if (cache && !IS_ERR(dst))
			dst_cache_set_ip6(cache, dst, v6_addr(av->ip.saddr));
	} else {
		dst = route_v4(dev, av);
		if (cache && !IS_ERR(dst))
			dst_cache_set_ip4(cache, dst, v4_addr(av->ip.saddr));
	}
	return dst;
}

/*
 * The socket is not named to the IP layer: it does not own these packets, and
 * it may be closed before they have left.
 */
static int hand_out(struct net *net, const struct rxe_av *av,
		    struct sk_buff *skb)
{
	skb->ip_summed = CHECKSUM_NONE;
	skb->ignore_df = 0;
	skb->priority = rt_tos2priority(av->ip.tos);
	if (!av->ip.v6) {
		skb->protocol = htons(ETH_P_IP);
		memset(IPCB(skb), 0, sizeof(*IPCB(skb)));
		return ip_local_out(net, NULL, skb);
	}
	skb->protocol = htons(ETH_P_IPV6);
	memset(IP6CB(skb), 0, sizeof(*IP6CB(skb)));
	return ip6_local_out(net, NULL, skb);
}

/*
 * Whatever goes wrong here is the loss of a packet, which the transport repairs
 * or reports; a queue that is full tells so by a code of its own.
 */
static int xmit(struct rxe_dev *dev, const struct rxe_av *av,
		struct dst_cache *cache, struct sk_buff *skb)
{
	struct dst_entry *dst;
	int ret;

	rcu_read_lock();
	dst = find_route(dev, av, cache);
	if (IS_ERR(dst)) {
		ret = PTR_ERR(dst);
		goto drop;
	}
	skb_dst_set(skb, dst);
	if (unlikely(skb->len > dst_mtu(dst))) {
		ret = -EMSGSIZE;
		goto drop;
	}
	ret = hand_out(dev_net(dev->ndev), av, skb);
	rcu_read_unlock();
	return ret;

drop:
	rcu_read_unlock();
	kfree_skb(skb);
	return ret;
}

/* What dp/ calls; see dp/net_ops.h */
const struct rxe_net_ops rxe_net_ops = {
	.xmit = xmit,
	.join = rxe_net_join,
	.leave = rxe_net_leave,
};
