/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Inside net/: interfaces that carry a device, by network namespace */
#ifndef RXE_NET_PORT_H
#define RXE_NET_PORT_H

#include <linux/netdevice.h>
#include <linux/xarray.h>

#include "../obj/dev.h"

struct in6_addr;
struct rxe_net_events;
struct sk_buff;
struct sock;
struct socket;

/**
 * struct rxe_net_ns - what a network namespace has of ours
 * @v4: socket that owns UDP port 4791 for IPv4
 * @v6: the same for IPv6; NULL where there is none
 * @users: devices attached; the sockets exist while it is not 0
 * @ports: ifindex -> struct rxe_net_port; looked up under RCU
 *
 * Written under the mutex of udp.c.
 */
struct rxe_net_ns {
	struct socket *v4;
	struct socket *v6;
	unsigned int users;
	struct xarray ports;
};

/**
 * struct rxe_net_port - an interface that carries a device
 * @dev: the device
 * @ns: namespace in which it was attached; NULL once that is gone
 * @ifindex: number of the interface there; it may move on to another namespace
 * @up: last state told, under rtnl
 */
struct rxe_net_port {
	struct rxe_dev *dev;
	struct rxe_net_ns *ns;
	int ifindex;
	bool up;
};

struct rxe_net_ns *rxe_net_ns(const struct net *net);
struct rxe_net_port *rxe_net_port(const struct net_device *ndev);
void rxe_net_port_update(struct rxe_net_port *port);

int rxe_net_rcv(struct sock *sk, struct sk_buff *skb);

int rxe_net_join(struct rxe_dev *dev, const struct in6_addr *addr);
void rxe_net_leave(struct rxe_dev *dev, const struct in6_addr *addr);
void rxe_net_mcast_follow(struct net_device *ndev);
void rxe_net_mcast_gone(const struct net_device *ndev);

int rxe_net_notify_init(const struct rxe_net_events *events);
void rxe_net_notify_exit(void);

#endif /* RXE_NET_PORT_H */
