/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The way in from the network */
#ifndef RXE_DP_RX_H
#define RXE_DP_RX_H

struct rxe_dev;
struct sk_buff;

/* One received UDP datagram to port 4791 of @dev: skb->data at the UDP header,
 * network header set, IP header validated by the stack. Consumes @skb. Softirq,
 * under rcu_read_lock().
 */
void rxe_dp_rx(struct rxe_dev *dev, struct sk_buff *skb);

#endif /* RXE_DP_RX_H */
