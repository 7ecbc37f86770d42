/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Multicast: joining with the network, and the way in of a group's packets */
#ifndef RXE_DP_MCAST_H
#define RXE_DP_MCAST_H

struct in6_addr;
struct rxe_dev;
struct rxe_pkt;
struct rxe_qp;
struct sk_buff;

int rxe_dp_mcast_attach(struct rxe_qp *qp, const struct in6_addr *addr);
int rxe_dp_mcast_detach(struct rxe_qp *qp, const struct in6_addr *addr);
void rxe_dp_mcast_rx(struct rxe_dev *dev, struct sk_buff *skb,
		     const struct rxe_pkt *pkt);

#endif /* RXE_DP_MCAST_H */
