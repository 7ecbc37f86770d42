/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The network under the devices: what the top layer calls and is called for */
#ifndef RXE_NET_NET_H
#define RXE_NET_NET_H

#include <linux/types.h>

#include "../dp/net_ops.h"

/* IPv6, UDP, the longest headers that payload has, ICRC */
#define RXE_HEADROOM_BYTES 84
#define RXE_MIN_PATH_MTU 256
#define RXE_MIN_NDEV_MTU (RXE_MIN_PATH_MTU + RXE_HEADROOM_BYTES)

struct rxe_dev;

/**
 * struct rxe_net_events - what net/ tells about the interface of a device
 * @port: it can carry packets now, or no longer; called for changes only
 * @gone: it is being unregistered, and waits until nobody holds it any more
 *
 * Called under rcu_read_lock(), for @gone also under rtnl: neither may sleep.
 */
struct rxe_net_events {
	void (*port)(struct rxe_dev *dev, bool up);
	void (*gone)(struct rxe_dev *dev);
};

int rxe_net_init(const struct rxe_net_events *events);
void rxe_net_exit(void);
int rxe_net_attach(struct rxe_dev *dev);
void rxe_net_detach(struct rxe_dev *dev);
bool rxe_net_alive(struct rxe_dev *dev);

extern const struct rxe_net_ops rxe_net_ops;

#endif /* RXE_NET_NET_H */
