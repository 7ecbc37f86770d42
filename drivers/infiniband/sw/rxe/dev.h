/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Life of a device: made by "rdma link add", gone with its interface at last */
#ifndef RXE_DEV_H
#define RXE_DEV_H

struct ib_client;
struct ib_device;
struct net_device;
struct rxe_net_events;

int rxe_dev_newlink(const char *name, struct net_device *ndev);
void rxe_dev_dealloc(struct ib_device *ibdev);

extern const struct rxe_net_events rxe_dev_net_events;
extern struct ib_client rxe_dev_client;

#endif /* RXE_DEV_H */
