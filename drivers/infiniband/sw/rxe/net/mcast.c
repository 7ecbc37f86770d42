// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * IP multicast groups of an interface. Joined there and not by our sockets: those
 * may join a few only, and an interface that went down and up keeps its groups.
 * The IP layer tells routers (IGMP, MLD) and sets the filter of the adapter.
 */
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>

#include "../obj/dev.h"
#include "net.h"
#include "port.h"

static int join_v4(struct net_device *ndev, __be32 group)
{
	struct in_device *in_dev = __in_dev_get_rtnl(ndev);

	if (!in_dev)
		return -ENODEV;
	ip_mc_inc_group(in_dev, group);
	return 0;
}

static void leave_v4(struct net_device *ndev, __be32 group)
{
	struct in_device *in_dev = __in_dev_get_rtnl(ndev);

	/* Without IPv4 on the interface its groups have gone already */
	if (in_dev)
		ip_mc_dec_group(in_dev, group);
}

/**
 * rxe_net_join() - see struct rxe_net_ops
 * @dev: device
 * @addr: group
 *
 * Context: may sleep; takes rtnl.
 * Return: 0, -ENODEV without that IP version on the interface, -ENOMEM.
 */
int rxe_net_join(struct rxe_dev *dev, const struct in6_addr *addr)
{
	int err = -ENODEV;

	rtnl_lock();
	if (ipv6_addr_v4mapped(addr))
		err = join_v4(dev->ndev, addr->s6_addr32[3]);
	else if (IS_ENABLED(CONFIG_IPV6))
		err = ipv6_dev_mc_inc(dev->ndev, addr);
	rtnl_unlock();
	return err;
}

/**
 * rxe_net_leave() - see struct rxe_net_ops
 * @dev: device
 * @addr: group that was joined
 *
 * Context: may sleep; takes rtnl.
 */
void rxe_net_leave(struct rxe_dev *dev, const struct in6_addr *addr)
{
	rtnl_lock();
	if (ipv6_addr_v4mapped(addr))
		leave_v4(dev->ndev, addr->s6_addr32[3]);
	else if (IS_ENABLED(CONFIG_IPV6))
		ipv6_dev_mc_dec(dev->ndev, addr);
	rtnl_unlock();
}
