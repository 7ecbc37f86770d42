// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "rx.h"

#include <linux/if_vlan.h>
#include <linux/percpu.h>

#include "../obj/complete.h"
#include "../wire/hdr.h"
#include "mcast.h"
#include "recv.h"
#include "send.h"
#include "skb.h"

#define PKEY_FULL 0x8000

/* Full members talk to all, limited ones to full ones (IBTA 10.9.3); our only
 * P_Key is the default one, full
 */
static bool pkey_ok(u16 pkey)
{
	return (pkey | PKEY_FULL) == RXE_PKEY_DEFAULT;
}

static bool class_ok(const struct rxe_qp *qp, u8 opcode)
{
	switch (opcode & RXE_OP_CLASS) {
	case RXE_OP_RC:
	case RXE_OP_CONGESTION:
		return qp->transport == RXE_RC;
	case RXE_OP_UC:
		return qp->transport == RXE_UC;
	case RXE_OP_UD:
		return qp->transport == RXE_UD;
	default:
		return false;
	}
}

/*
 * How deep this CPU is in packets that QPs of one device send to each other. The
 * second is an answer to a sender that is at work up the stack, and will see it
 * there; chains of QPs must not go deeper.
 */
static DEFINE_PER_CPU(unsigned int, local_depth);
#define LOCAL_DEPTH_MAX 2

static void demux(struct rxe_dev *dev, struct sk_buff *skb, bool local)
{
	struct rxe_pkt pkt;
	struct rxe_qp *qp;

	if (rxe_skb_parse(skb, &pkt) || !pkey_ok(pkt.pkey))
		goto drop;
	if (!local && !rxe_skb_icrc_ok(skb, &pkt))
		goto drop;

	rxe_count(dev, RXE_CNT_RCVD_PKTS);
	rxe_count_add(dev, RXE_CNT_RCVD_BYTES,
		      skb->len + skb_network_header_len(skb));

	*rxe_skb_cb(skb) = (struct rxe_skb_cb){
		.local = local,
		.icrc_twice = pkt.icrc_twice,
		.defer = local && this_cpu_read(local_depth) >= LOCAL_DEPTH_MAX,
		.vlan = is_vlan_dev(skb->dev) ? vlan_dev_vlan_id(skb->dev) :
						RXE_NO_VLAN,
	};
	if (pkt.dest_qpn == RXE_MULTICAST_QPN) {
		rxe_dp_mcast_rx(dev, skb, &pkt);
		return;
	}
	qp = rxe_qp_lookup(dev, pkt.dest_qpn);
	if (!qp || !class_ok(qp, pkt.opcode))
		goto drop;

	if (pkt.info->flags & RXE_F_REQUEST)
		rxe_recv_rx(to_dp_qp(qp), skb, &pkt);
	else
		rxe_send_rx(to_dp_qp(qp), skb, &pkt);
	return;

drop:
	kfree_skb(skb);
}

/**
 * rxe_dp_rx() - a UDP datagram to port 4791 arrived
 * @dev: device of the interface it came in by
 * @skb: skb->data at the UDP header, skb->len the UDP length, network header
 *	set, IP header checked by the stack and without options; consumed
 *
 * The peer controls every byte. Nothing changes state before the ICRC is right,
 * and nothing here prints.
 *
 * Context: softirq, RCU read section.
 */
void rxe_dp_rx(struct rxe_dev *dev, struct sk_buff *skb)
{
	demux(dev, skb, false);
}

/**
 * rxe_dp_rx_local() - a packet from a QP of the same device
 * @dev: the device
 * @skb: as for rxe_dp_rx()
 *
 * Context: BH disabled, RCU read section; a side lock of the sender is held.
 */
void rxe_dp_rx_local(struct rxe_dev *dev, struct sk_buff *skb)
{
	this_cpu_inc(local_depth);
	demux(dev, skb, true);
	this_cpu_dec(local_depth);
}
