// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * IP multicast groups of an interface. Joined there and not by our sockets: those
 * may join a few only, and an interface that went down and up keeps its groups.
 * The IP layer tells routers (IGMP, MLD) and sets the filter of the adapter.
 *
 * A datagram to a group may come in on a VLAN of the interface as well, and who
 * attaches a QP does not say on which: it is joined on all of them. The IP layer
 * forgets the groups of an interface whose MTU does not do any more (1280 for
 * IPv6); they are joined again when it has come back.
 */
#include <linux/if_vlan.h>
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/addrconf.h>

#include "compat/alloc.h"
#include "../obj/dev.h"
#include "net.h"
#include "port.h"

/**
 * struct membership - a group on an interface
 * @link: in members
 * @dev: who joined
 * @on: interface in question: that of @dev or a VLAN of it
 * @addr: group, an IPv4 one as mapped address
 * @joined: the IP layer has it
 */
struct membership {
	struct list_head link;
	const struct rxe_dev *dev;
	struct net_device *on;
	struct in6_addr addr;
	bool joined;
};

/*
 * Under rtnl. Holds no interface: what names one that goes is taken out when it
 * tells.
 */
static LIST_HEAD(members);

static bool has_ip(struct net_device *ndev, const struct in6_addr *addr)
{
	if (ipv6_addr_v4mapped(addr))
		return __in_dev_get_rtnl(ndev);
	return IS_ENABLED(CONFIG_IPV6) && __in6_dev_get(ndev);
}

static int join(struct membership *m)
{
	int err = 0;

	if (!has_ip(m->on, &m->addr))
		return -ENODEV;
	if (ipv6_addr_v4mapped(&m->addr))
		ip_mc_inc_group(__in_dev_get_rtnl(m->on), m->addr.s6_addr32[3]);
	else if (IS_ENABLED(CONFIG_IPV6))
		err = ipv6_dev_mc_inc(m->on, &m->addr);
	m->joined = !err;
	return err;
}

static void leave(struct membership *m)
{
	/* Without that IP version on the interface its groups have gone already */
	if (!m->joined || !has_ip(m->on, &m->addr))
		return;
	if (ipv6_addr_v4mapped(&m->addr))
		ip_mc_dec_group(__in_dev_get_rtnl(m->on), m->addr.s6_addr32[3]);
	else if (IS_ENABLED(CONFIG_IPV6))
		ipv6_dev_mc_dec(m->on, &m->addr);
}

static void forget(struct membership *m)
{
	list_del(&m->link);
	kfree(m);
}

static struct membership *add(const struct rxe_dev *dev, struct net_device *on,
			      const struct in6_addr *addr)
{
	struct membership *m = kzalloc_obj(*m, GFP_KERNEL_ACCOUNT);

	if (!m)
		return NULL;
	m->dev = dev;
	m->on = on;
	m->addr = *addr;
	list_add(&m->link, &members);
	return m;
}

static bool is_vlan_of(struct net_device *ndev, const struct net_device *base)
{
	return is_vlan_dev(ndev) && vlan_dev_real_dev(ndev) == base;
}

static bool is_member(const struct rxe_dev *dev, const struct net_device *on,
		      const struct in6_addr *addr)
{
	struct membership *m;

	list_for_each_entry(m, &members, link)
		if (m->dev == dev && m->on == on &&
		    ipv6_addr_equal(&m->addr, addr))
			return true;
	return false;
}

/* A VLAN that cannot join does so later, or does without */
static void join_vlan(const struct rxe_dev *dev, struct net_device *vlan,
		      const struct in6_addr *addr)
{
	struct membership *m;

	if (is_member(dev, vlan, addr))
		return;
	m = add(dev, vlan, addr);
	if (m)
		join(m);
}

static void join_vlans(const struct rxe_dev *dev, const struct in6_addr *addr)
{
	struct net_device *ndev;

	for_each_netdev(dev_net(dev->ndev), ndev)
		if (is_vlan_of(ndev, dev->ndev))
			join_vlan(dev, ndev, addr);
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
	struct membership *m;
	int err = -ENOMEM;

	rtnl_lock();
	m = add(dev, dev->ndev, addr);
	if (!m)
		goto unlock;
	err = join(m);
	if (err)
		forget(m);
	else
		join_vlans(dev, addr);
unlock:
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
	struct membership *m, *next;

	rtnl_lock();
	list_for_each_entry_safe(m, next, &members, link) {
		if (m->dev != dev || !ipv6_addr_equal(&m->addr, addr))
			continue;
		leave(m);
		forget(m);
	}
	rtnl_unlock();
}

/* A VLAN gets all groups of the interface below that it has not */
static void follow_vlan(struct net_device *ndev)
{
	struct membership *m;

	/* What is added comes before where the walk is */
	list_for_each_entry(m, &members, link)
		if (m->on == m->dev->ndev && is_vlan_of(ndev, m->on))
			join_vlan(m->dev, ndev, &m->addr);
}

/**
 * rxe_net_mcast_follow() - an interface came up or got another MTU
 * @ndev: any interface
 *
 * Context: may sleep; rtnl held, after the IP layer has been told.
 */
void rxe_net_mcast_follow(struct net_device *ndev)
{
	struct membership *m;

	ASSERT_RTNL();
	if (is_vlan_dev(ndev))
		follow_vlan(ndev);
	list_for_each_entry(m, &members, link) {
		if (m->on != ndev)
			continue;
		if (!has_ip(ndev, &m->addr))
			m->joined = false;
		else if (!m->joined)
			join(m);
	}
}

/**
 * rxe_net_mcast_gone() - an interface is being unregistered
 * @ndev: any interface; the IP layer has left its groups
 *
 * Context: rtnl held.
 */
void rxe_net_mcast_gone(const struct net_device *ndev)
{
	struct membership *m, *next;

	ASSERT_RTNL();
	list_for_each_entry_safe(m, next, &members, link)
		if (m->on == ndev)
			forget(m);
}
