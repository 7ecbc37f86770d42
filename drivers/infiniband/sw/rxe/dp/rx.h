/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The way in */
#ifndef RXE_DP_RX_H
#define RXE_DP_RX_H

struct rxe_dev;
struct sk_buff;

void rxe_dp_rx(struct rxe_dev *dev, struct sk_buff *skb);
void rxe_dp_rx_local(struct rxe_dev *dev, struct sk_buff *skb);

#endif /* RXE_DP_RX_H */
