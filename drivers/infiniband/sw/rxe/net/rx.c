// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The way in: from the UDP sockets to the device that a packet is for */
#include <linux/if_vlan.h>
#include <linux/inetdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/addrconf.h>
#include <net/ip.h>
#include <net/ipv6.h>

#include "../dp/rx.h"
#include "../wire/ip.h"
#include "port.h"

/* An interface on top of one that carries a device: VLAN, bridge, bond ... */
static struct rxe_net_port *port_below(const struct net *net,
				       struct net_device *ndev)
{
	struct rxe_net_port *port;
	unsigned long ifindex;

	if (is_vlan_dev(ndev)) {
		port = rxe_net_port(vlan_dev_real_dev(ndev));
		if (port)
			return port;
	}
	xa_for_each(&rxe_net_ns(net)->ports, ifindex, port)
		if (netdev_has_upper_dev_all_rcu(port->dev->ndev, ndev))
			return port;
	return NULL;
}

static struct rxe_net_port *port_of(const struct net *net,
				    struct net_device *ndev)
{
	return rxe_net_port(ndev) ?: port_below(net, ndev);
}

/* Interface that owns the destination address, under rcu_read_lock() */
static struct net_device *owner_of(struct net *net, const struct sk_buff *skb)
{
	if (ip_hdr(skb)->version == 4)
		return __ip_dev_find(net, ip_hdr(skb)->daddr, false);
	if (IS_ENABLED(CONFIG_IPV6))
		return ipv6_dev_find(net, &ipv6_hdr(skb)->daddr, NULL);
	return NULL;
}

/* Interface on which the packet came in, under rcu_read_lock() */
static struct net_device *ingress_of(struct net *net, const struct sk_buff *skb)
{
	struct net_device *ndev = NULL;
	int slave;

	/* A VRF puts itself in place of the interface */
	slave = ip_hdr(skb)->version == 4 ? inet_sdif(skb) : inet6_sdif(skb);
	if (slave)
		ndev = dev_get_by_index_rcu(net, slave);
	/* What this host sends to itself comes in on the loopback interface */
	else if (skb->dev->flags & IFF_LOOPBACK)
		ndev = owner_of(net, skb);
	return ndev ?: skb->dev;
}

/*
 * A RoCEv2 packet is one UDP datagram in one IP packet without options or
 * extension headers (IBTA A17.3.1); the ICRC is not defined over anything else.
 * Fragments have been put together before they come here.
 */
static bool plain_ip(const struct sk_buff *skb)
{
	u32 hdr_bytes = skb_transport_header(skb) - skb_network_header(skb);

	if (ip_hdr(skb)->version == 4)
		return hdr_bytes == RXE_IPV4_HDR_BYTES &&
		       !IPCB(skb)->frag_max_size;
	return hdr_bytes == RXE_IPV6_HDR_BYTES &&
	       !(IP6CB(skb)->flags & IP6SKB_FRAGMENTED);
}

/**
 * rxe_net_rcv() - receive hook of the UDP sockets
 * @sk: socket
 * @skb: datagram, with its UDP header at skb->data; consumed
 *
 * The IP and UDP layers have checked lengths and checksums and cut off what is
 * behind the datagram. Segments merged by GRO come one by one. A packet that
 * nobody wants ends here: no one else can own it.
 *
 * Context: softirq, rcu_read_lock().
 * Return: 0, always.
 */
int rxe_net_rcv(struct sock *sk, struct sk_buff *skb)
{
	struct net *net = sock_net(sk);
	struct rxe_net_port *port;

	if (!pskb_may_pull(skb, sizeof(struct udphdr)) || !plain_ip(skb))
		goto drop;
	port = port_of(net, ingress_of(net, skb));
	if (!port)
		goto drop;
	rxe_dp_rx(port->dev, skb);
	return 0;

drop:
	kfree_skb(skb);
	return 0;
}
