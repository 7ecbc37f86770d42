// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* udp_tunnel_sock_release() takes struct sock. In 7.3, not in 6.12 */
#include <net/udp_tunnel.h>

void probe(struct sock *sk);

void probe(struct sock *sk)
{
	udp_tunnel_sock_release(sk);
}
