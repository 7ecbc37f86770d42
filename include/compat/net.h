/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* UDP tunnel sockets and IPv4 flows */
#ifndef RXE_COMPAT_NET_H
#define RXE_COMPAT_NET_H

#include <net/flow.h>
#include <net/inet_dscp.h>
#include <net/sock.h>
#include <net/udp_tunnel.h>

#include "features.h"

/* Turn @sock into a tunnel socket; process context */
static inline void rxe_udp_tunnel_setup(struct net *net, struct socket *sock,
					struct udp_tunnel_sock_cfg *cfg)
{
#ifdef HAVE_TUNNEL_SETUP_SK
	setup_udp_tunnel_sock(net, sock->sk, cfg);
#else
	setup_udp_tunnel_sock(net, sock, cfg);
#endif
}

/*
 * Close @sock; may sleep. A receive hook that runs may run on for a grace period: the
 * caller waits for that before it frees what the hook uses.
 */
static inline void rxe_udp_tunnel_release(struct socket *sock)
{
#ifdef HAVE_TUNNEL_RELEASE_SK
	udp_tunnel_sock_release(sock->sk);
#else
	udp_tunnel_sock_release(sock);
#endif
}

/* Route by @tclass, the whole traffic class octet: DSCP and ECN */
static inline void rxe_flowi4_set_tclass(struct flowi4 *fl4, u8 tclass)
{
#ifdef HAVE_FLOWI4_DSCP
	fl4->flowi4_dscp = inet_dsfield_to_dscp(tclass);
#else
	fl4->flowi4_tos = tclass & INET_DSCP_MASK;
#endif
}

#endif /* RXE_COMPAT_NET_H */
