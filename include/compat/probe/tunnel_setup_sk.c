// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* setup_udp_tunnel_sock() takes struct sock. In 7.3, not in 6.12 */
#include <net/udp_tunnel.h>

void probe(struct net *net, struct sock *sk, struct udp_tunnel_sock_cfg *cfg);

void probe(struct net *net, struct sock *sk, struct udp_tunnel_sock_cfg *cfg)
{
	setup_udp_tunnel_sock(net, sk, cfg);
}
