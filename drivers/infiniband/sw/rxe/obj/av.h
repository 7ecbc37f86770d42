/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Address vector: everything about a destination that packets need */
#ifndef RXE_OBJ_AV_H
#define RXE_OBJ_AV_H

#include <rdma/ib_verbs.h>

#include "../wire/ip.h"
#include "dev.h"

/**
 * struct rxe_av - a destination, resolved
 * @ip: header fields, final but for lengths
 * @local: the destination is a GID of this device: no packet leaves
 * @multicast: destination is a multicast group
 * @ifindex: egress interface: that of the source GID (VLAN device or @dev's)
 */
struct rxe_av {
	struct rxe_ip ip;
	bool local;
	bool multicast;
	int ifindex;
};

int rxe_av_check(struct rxe_dev *dev, const struct rdma_ah_attr *attr);
int rxe_av_set(struct rxe_dev *dev, const struct rdma_ah_attr *attr,
	       u32 src_qpn, u32 dest_qpn, struct rxe_av *av);
bool rxe_av_owns(struct rxe_dev *dev, bool v6, const void *addr);
u16 rxe_av_ud_sport(const struct rxe_av *av, u32 src_qpn);

/**
 * struct rxe_ah_entry - what the data path sees of an address handle
 * @av: the destination
 * @pd: protection domain of the handle
 * @num: its number
 * @rcu: freed after a grace period; destroy may be in atomic context
 */
struct rxe_ah_entry {
	struct rxe_av av;
	struct ib_pd *pd;
	u32 num;
	struct rcu_head rcu;
};

struct rxe_ah {
	struct ib_ah ib;
	struct rdma_ah_attr attr;
	struct rxe_ah_entry *entry;
	bool user;
};

static inline struct rxe_ah *to_rxe_ah(struct ib_ah *ib)
{
	return container_of(ib, struct rxe_ah, ib);
}

#endif /* RXE_OBJ_AV_H */
