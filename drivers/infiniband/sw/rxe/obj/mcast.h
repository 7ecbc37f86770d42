/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Multicast groups of a device and the QPs attached to each (IBTA 10.5) */
#ifndef RXE_OBJ_MCAST_H
#define RXE_OBJ_MCAST_H

#include <linux/in6.h>
#include <linux/list.h>
#include <linux/rcupdate.h>

#include "qp.h"

/**
 * struct rxe_mcast_grp - a group that has members
 * @link: in rxe_dev.mcast_grps, RCU
 * @addr: the group, IPv4 ones as mapped addresses
 * @members: struct rxe_mcast_member, RCU
 * @num: how many
 * @rcu: freed after a grace period
 */
struct rxe_mcast_grp {
	struct hlist_node link;
	struct in6_addr addr;
	struct hlist_head members;
	u32 num;
	struct rcu_head rcu;
};

/**
 * struct rxe_mcast_member - a QP in a group
 * @link: in rxe_mcast_grp.members, RCU
 * @qp: the QP; detached before it is destroyed
 * @times: how often it was attached; it leaves after as many detaches
 * @rcu: freed after a grace period
 */
struct rxe_mcast_member {
	struct hlist_node link;
	struct rxe_qp *qp;
	u32 times;
	struct rcu_head rcu;
};

struct rxe_mcast_grp *rxe_mcast_find(struct rxe_dev *dev,
				     const struct in6_addr *addr);
int rxe_mcast_attach(struct rxe_qp *qp, const struct in6_addr *addr);
int rxe_mcast_detach(struct rxe_qp *qp, const struct in6_addr *addr);

#endif /* RXE_OBJ_MCAST_H */
