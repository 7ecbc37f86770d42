// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "mcast.h"

#include "../obj/mcast.h"
#include "../wire/hdr.h"
#include "net_ops.h"
#include "recv.h"
#include "skb.h"

/**
 * rxe_dp_mcast_attach() - attach a QP to a group; the first one joins it
 * @qp: a UD QP
 * @addr: the group, an IPv4 one as mapped address
 *
 * The interface joins before a member can be found, and leaves after the last.
 *
 * Context: may sleep; takes rtnl.
 * Return: 0, what rxe_mcast_attach() says, or why the interface cannot join.
 */
int rxe_dp_mcast_attach(struct rxe_qp *qp, const struct in6_addr *addr)
{
	struct rxe_dev *dev = qp->dev;
	bool first;
	int err = 0;

	mutex_lock(&dev->mcast_mutex);
	first = !rxe_mcast_find(dev, addr);
	if (first)
		err = dev->net_ops->join(dev, addr);
	if (err)
		goto unlock;
	err = rxe_mcast_attach(qp, addr);
	if (err && first)
		dev->net_ops->leave(dev, addr);
unlock:
	mutex_unlock(&dev->mcast_mutex);
	return err;
}

/**
 * rxe_dp_mcast_detach() - detach a QP from a group; the last one leaves it
 * @qp: the QP
 * @addr: the group
 *
 * Context: may sleep; takes rtnl.
 * Return: 0, -EINVAL when it is not attached.
 */
int rxe_dp_mcast_detach(struct rxe_qp *qp, const struct in6_addr *addr)
{
	struct rxe_dev *dev = qp->dev;
	int err;

	mutex_lock(&dev->mcast_mutex);
	err = rxe_mcast_detach(qp, addr);
	if (!err && !rxe_mcast_find(dev, addr))
		dev->net_ops->leave(dev, addr);
	mutex_unlock(&dev->mcast_mutex);
	return err;
}

static struct rxe_mcast_grp *group_of(struct rxe_dev *dev,
				      const struct sk_buff *skb)
{
	struct in6_addr addr;

	if (rxe_skb_is_v6(skb))
		return rxe_mcast_find(dev, &ipv6_hdr(skb)->daddr);
	ipv6_addr_set_v4mapped(ip_hdr(skb)->daddr, &addr);
	return rxe_mcast_find(dev, &addr);
}

static bool is_own(struct rxe_dev *dev, const struct sk_buff *skb)
{
	return rxe_av_owns(dev, rxe_skb_is_v6(skb), rxe_skb_saddr(skb));
}

/* A QP does not get what it sent itself (IBTA 10.5.2.1) */
static bool wants(const struct rxe_qp *qp, const struct rxe_pkt *pkt, bool own)
{
	return qp->transport == RXE_UD &&
	       !(own && qp->ib.qp_num == pkt->src_qpn);
}

/**
 * rxe_dp_mcast_rx() - a packet to the multicast QP number
 * @dev: the device
 * @skb: the packet, ICRC checked; consumed
 * @pkt: what rxe_skb_parse() found in it
 *
 * Every QP in the group gets a copy, and judges it like one sent to it alone.
 *
 * Context: BH disabled, RCU read section.
 */
void rxe_dp_mcast_rx(struct rxe_dev *dev, struct sk_buff *skb,
		     const struct rxe_pkt *pkt)
{
	struct rxe_mcast_member *m;
	struct rxe_mcast_grp *grp;
	struct sk_buff *copy;
	bool own;

	if (!(pkt->info->flags & RXE_F_REQUEST) ||
	    (pkt->opcode & RXE_OP_CLASS) != RXE_OP_UD)
		goto out;
	grp = group_of(dev, skb);
	if (!grp)
		goto out;
	/* Only where there are QPs there are GIDs to look at: packets come as soon as
	 * the port is published, before the core knows the device
	 */
	own = is_own(dev, skb);

	rxe_skb_cb(skb)->mcast = true;
	hlist_for_each_entry_rcu(m, &grp->members, link) {
		if (!wants(m->qp, pkt, own))
			continue;
		/* Nobody writes to what copies share */
		copy = skb_clone(skb, GFP_ATOMIC);
		if (copy)
			rxe_recv_rx(to_dp_qp(m->qp), copy, pkt);
	}
out:
	consume_skb(skb);
}
