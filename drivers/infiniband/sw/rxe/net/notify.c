// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What happens to interfaces that carry a device: up, down, MTU, removal */
#include <linux/rtnetlink.h>

#include "net.h"
#include "port.h"

#define MAX_PATH_MTU 4096

static const struct rxe_net_events *events;

/* Largest path MTU that fits into interface frames (IBTA A17.3.2), in bytes */
static u32 path_mtu(unsigned int ndev_mtu)
{
	u32 mtu = MAX_PATH_MTU;

	while (mtu > RXE_MIN_PATH_MTU && mtu + RXE_HEADROOM_BYTES > ndev_mtu)
		mtu /= 2;
	return mtu;
}

/**
 * rxe_net_port_update() - take over state and MTU of the interface
 * @port: the port, published or about to be
 *
 * Context: rtnl held.
 */
void rxe_net_port_update(struct rxe_net_port *port)
{
	const struct net_device *ndev = port->dev->ndev;

	ASSERT_RTNL();
	WRITE_ONCE(port->dev->mtu, path_mtu(READ_ONCE(ndev->mtu)));
	port->up = netif_running(ndev) && netif_carrier_ok(ndev);
}

static void follow(struct rxe_net_port *port)
{
	bool was_up = port->up;

	rxe_net_port_update(port);
	if (port->up != was_up)
		events->port(port->dev, port->up);
}

/* Groups are not the port's alone: its VLANs have them, too; and joining sleeps */
static void follow_groups(struct net_device *ndev, unsigned long event)
{
	switch (event) {
	case NETDEV_UP:
	case NETDEV_CHANGEMTU:
		rxe_net_mcast_follow(ndev);
		break;
	case NETDEV_UNREGISTER:
		rxe_net_mcast_gone(ndev);
		break;
	}
}

/* rtnl held, so events of one interface come one at a time */
static int netdev_event(struct notifier_block *nb, unsigned long event,
			void *info)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(info);
	struct rxe_net_port *port;

	follow_groups(ndev, event);
	rcu_read_lock();
	port = rxe_net_port(ndev);
	if (!port)
		goto unlock;
	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_CHANGEMTU:
		follow(port);
		break;
	case NETDEV_UNREGISTER:
		/* Comes again each second while somebody holds the interface */
		events->gone(port->dev);
		break;
	}
unlock:
	rcu_read_unlock();
	return NOTIFY_DONE;
}

static struct notifier_block netdev_nb = {
	.notifier_call = netdev_event,
};

/**
 * rxe_net_notify_init() - start following interfaces
 * @ev: whom to tell
 *
 * Context: may sleep; takes rtnl.
 */
int rxe_net_notify_init(const struct rxe_net_events *ev)
{
	events = ev;
	return register_netdevice_notifier(&netdev_nb);
}

/**
 * rxe_net_notify_exit() - stop; no event is being told when this returns
 *
 * Context: may sleep; takes rtnl.
 */
void rxe_net_notify_exit(void)
{
	unregister_netdevice_notifier(&netdev_nb);
}
