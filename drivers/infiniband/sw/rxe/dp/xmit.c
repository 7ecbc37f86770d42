// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "xmit.h"

#include <linux/netdevice.h>

#include "../obj/counters.h"
#include "net_ops.h"
#include "rx.h"
#include "skb.h"

/**
 * rxe_dp_xmit() - send a packet on its way
 * @qp: the QP it is from
 * @side: side of @qp that built it, its lock held
 * @av: destination
 * @skb: from rxe_skb_build(); consumed
 *
 * A packet that is dropped on the way out is lost like one dropped in the
 * network: counted, and left to the transport to repair.
 *
 * Context: the side's lock, BH disabled, RCU read section.
 * Return: false: a queue of this machine is full and dropped it; it is wise to wait
 * a moment and send it again.
 */
bool rxe_dp_xmit(struct rxe_dp_qp *qp, struct rxe_dp_side *side,
		 const struct rxe_av *av, struct sk_buff *skb)
{
	/* A QP's own path is cached; datagrams each have their own */
	struct dst_cache *route = av == &qp->qp.av ? &side->route : NULL;
	struct rxe_dev *dev = qp->qp.dev;
	int ret;

	rxe_count(dev, RXE_CNT_SENT_PKTS);
	rxe_count_add(dev, RXE_CNT_SENT_BYTES, skb->len);

	if (av->local) {
		/* Interface of the GID: the receiver wants to know its VLAN */
		skb->dev =
			dev_get_by_index_rcu(dev_net(dev->ndev), av->ifindex) ?:
				dev->ndev;
		__skb_pull(skb, skb_transport_offset(skb));
		rxe_dp_rx_local(dev, skb);
		return true;
	}
	ret = dev->net_ops->xmit(dev, av, route, skb);
	if (ret)
		rxe_count(dev, RXE_CNT_SEND_ERR);
	return ret != NET_XMIT_DROP;
}
