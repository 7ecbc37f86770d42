// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Sockets: every network namespace in which a device lives owns UDP port 4791,
 * for IPv4 and IPv6 apart. They come with its first device and go with its last.
 *
 * Lock order: ns_mutex > rtnl. The notifier, which runs under rtnl, and the
 * receive hook find ports under RCU and take no lock of ours.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/rtnetlink.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "compat/alloc.h"
#include "compat/net.h"
#include "../wire/hdr.h"
#include "net.h"
#include "port.h"

static unsigned int ns_id;

/* Sockets, users and ports of all namespaces; may sleep */
static DEFINE_MUTEX(ns_mutex);

/**
 * rxe_net_ns() - our part of a namespace
 * @net: a namespace that has not gone
 *
 * Context: any.
 */
struct rxe_net_ns *rxe_net_ns(const struct net *net)
{
	return net_generic(net, ns_id);
}

/**
 * rxe_net_port() - the port on an interface
 * @ndev: exactly this interface, not one on top of it
 *
 * Context: rcu_read_lock().
 * Return: port or NULL.
 */
struct rxe_net_port *rxe_net_port(const struct net_device *ndev)
{
	struct rxe_net_ns *ns = rxe_net_ns(dev_net(ndev));
	struct rxe_net_port *port = xa_load(&ns->ports, ndev->ifindex);

	/* Numbers are per namespace, and an interface can change that */
	return port && port->dev->ndev == ndev ? port : NULL;
}

static int open_socket(struct net *net, bool v6, struct socket **sock)
{
	struct udp_port_cfg port = {
		.family = v6 ? AF_INET6 : AF_INET,
		.local_udp_port = htons(RXE_UDP_DPORT),
		.ipv6_v6only = v6,
		/* RoCEv2 sends no UDP checksum (IBTA A17.3.1.2) */
		.use_udp6_rx_checksums = false,
	};
	struct udp_tunnel_sock_cfg tunnel = {
		.encap_type = 1,
		.encap_rcv = rxe_net_rcv,
	};
	int err;

	err = udp_sock_create(net, &port, sock);
	if (err) {
		*sock = NULL;
		return err;
	}
	rxe_udp_tunnel_setup(net, *sock, &tunnel);
	return 0;
}

static void close_sockets(struct rxe_net_ns *ns)
{
	lockdep_assert_held(&ns_mutex);
	if (ns->v6)
		rxe_udp_tunnel_release(ns->v6);
	if (ns->v4)
		rxe_udp_tunnel_release(ns->v4);
	ns->v4 = NULL;
	ns->v6 = NULL;
}

static int open_sockets(struct net *net, struct rxe_net_ns *ns)
{
	int err;

	lockdep_assert_held(&ns_mutex);
	err = open_socket(net, false, &ns->v4);
	if (err)
		goto failed;

	err = open_socket(net, true, &ns->v6);
	if (err == -EAFNOSUPPORT || err == -EPFNOSUPPORT)
		pr_info("no IPv6 here, using IPv4 only\n");
	else if (err)
		goto close_v4;
	return 0;

close_v4:
	close_sockets(ns);
failed:
	pr_err("cannot open UDP port %d: %s (error %d)\n", RXE_UDP_DPORT,
	       err == -EADDRINUSE ? "another program or driver uses it" :
				    "the network refused",
	       err);
	return err;
}

static int get_ns(struct net *net, struct rxe_net_ns *ns)
{
	int err = 0;

	lockdep_assert_held(&ns_mutex);
	if (!ns->users)
		err = open_sockets(net, ns);
	if (!err)
		ns->users++;
	return err;
}

static void put_ns(struct rxe_net_ns *ns)
{
	lockdep_assert_held(&ns_mutex);
	if (!--ns->users)
		close_sockets(ns);
}

/* Namespace of an interface; NULL: on its way out */
static struct net *hold_net(const struct net_device *ndev)
{
	struct net *net;

	/* Under rtnl no interface changes its namespace, and none loses it */
	rtnl_lock();
	net = maybe_get_net(dev_net(ndev));
	rtnl_unlock();
	return net;
}

/*
 * Under rtnl an interface is registered or not: either we see here that it is
 * going, or its NETDEV_UNREGISTER comes later and finds the port.
 */
static int publish(struct net *net, struct rxe_net_port *port)
{
	struct net_device *ndev = port->dev->ndev;
	int err;

	rtnl_lock();
	if (ndev->reg_state != NETREG_REGISTERED ||
	    !net_eq(dev_net(ndev), net)) {
		err = -ENODEV;
		goto unlock;
	}
	port->ifindex = ndev->ifindex;
	rxe_net_port_update(port);
	err = xa_insert(&port->ns->ports, port->ifindex, port, GFP_KERNEL);
	if (err == -EBUSY)
		err = -EEXIST;
unlock:
	rtnl_unlock();
	return err;
}

/**
 * rxe_net_attach() - receive packets for a device
 * @dev: device; @dev->ndev is set and held
 *
 * Opens the sockets of the interface's namespace when they are not open, and
 * sets the MTU of @dev. What cannot be told by an error code goes to the log,
 * since rdma_link_ops.newlink() has no other way to say it.
 *
 * Context: may sleep; takes rtnl.
 * Return: 0, -EEXIST when the interface carries a device already, -ENODEV when
 * it is being removed, -EADDRINUSE when the port is taken, -ENOMEM or what
 * opening a socket says.
 */
int rxe_net_attach(struct rxe_dev *dev)
{
	struct net *net = hold_net(dev->ndev);
	struct rxe_net_port *port;
	int err;

	if (!net)
		return -ENODEV;
	port = kzalloc_obj(*port, GFP_KERNEL);
	if (!port) {
		err = -ENOMEM;
		goto put_net;
	}
	port->dev = dev;
	port->ns = rxe_net_ns(net);

	mutex_lock(&ns_mutex);
	err = get_ns(net, port->ns);
	if (err)
		goto free_port;
	err = publish(net, port);
	if (err)
		goto put_ns;
	dev->net_port = port;
	goto unlock;

put_ns:
	put_ns(port->ns);
free_port:
	kfree(port);
unlock:
	mutex_unlock(&ns_mutex);
put_net:
	put_net(net);
	return err;
}

/**
 * rxe_net_detach() - undo rxe_net_attach(); nothing happens when it failed
 * @dev: device
 *
 * When this returns, no receive hook and no notifier runs for @dev or will: both
 * find it under RCU, it is unpublished, and a grace period has passed. The
 * sockets are closed when @dev was the last in its namespace.
 *
 * Context: may sleep.
 */
void rxe_net_detach(struct rxe_dev *dev)
{
	struct rxe_net_port *port = dev->net_port;

	if (!port)
		return;
	mutex_lock(&ns_mutex);
	if (port->ns) {
		xa_erase(&port->ns->ports, port->ifindex);
		put_ns(port->ns);
	}
	mutex_unlock(&ns_mutex);
	synchronize_net();
	dev->net_port = NULL;
	kfree(port);
}

/**
 * rxe_net_alive() - does the interface still exist?
 * @dev: a device that was attached; the caller holds its interface
 *
 * Once this said yes, its end is announced by rxe_net_events.gone.
 *
 * Context: may sleep; takes rtnl.
 */
bool rxe_net_alive(struct rxe_dev *dev)
{
	bool alive;

	rtnl_lock();
	rcu_read_lock();
	alive = dev->ndev->reg_state == NETREG_REGISTERED &&
		rxe_net_port(dev->ndev);
	rcu_read_unlock();
	rtnl_unlock();
	return alive;
}

static int __net_init ns_init(struct net *net)
{
	struct rxe_net_ns *ns = rxe_net_ns(net);

	xa_init(&ns->ports);
	return 0;
}

/*
 * Interfaces are gone by now, since this is a subsystem and not a device. One
 * that moved away has told so, but its device may still be on its way out, and
 * must not touch the namespace any more.
 */
static void __net_exit ns_exit(struct net *net)
{
	struct rxe_net_ns *ns = rxe_net_ns(net);
	struct rxe_net_port *port;
	unsigned long ifindex;

	mutex_lock(&ns_mutex);
	xa_for_each(&ns->ports, ifindex, port)
		port->ns = NULL;
	xa_destroy(&ns->ports);
	if (ns->users)
		close_sockets(ns);
	ns->users = 0;
	mutex_unlock(&ns_mutex);
}

static struct pernet_operations ns_ops = {
	.init = ns_init,
	.exit = ns_exit,
	.id = &ns_id,
	.size = sizeof(struct rxe_net_ns),
};

/**
 * rxe_net_init() - start following namespaces and interfaces
 * @events: whom to tell about interfaces; stays valid
 *
 * Context: may sleep.
 */
int rxe_net_init(const struct rxe_net_events *events)
{
	int err;

	err = register_pernet_subsys(&ns_ops);
	if (err)
		return err;
	err = rxe_net_notify_init(events);
	if (err)
		unregister_pernet_subsys(&ns_ops);
	return err;
}

/**
 * rxe_net_exit() - undo rxe_net_init(); no device is attached any more
 *
 * Context: may sleep.
 */
void rxe_net_exit(void)
{
	rxe_net_notify_exit();
	unregister_pernet_subsys(&ns_ops);
}
