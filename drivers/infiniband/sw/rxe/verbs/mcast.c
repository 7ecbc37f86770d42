// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "../dp/mcast.h"
#include "../obj/qp.h"
#include "verbs.h"

/**
 * rxe_attach_mcast() - let a QP have the datagrams to a group (IBTA 11.3.1)
 * @ibqp: UD queue pair; the core has checked that it is one
 * @gid: the group: an IPv6 multicast address, or an IPv4 one mapped; checked by
 *	the core
 * @lid: not used with RoCE
 *
 * Context: process; takes rtnl.
 * Return: 0, -ENOSPC at the limit of groups or of queue pairs in one, -ENODEV
 * when the interface does not speak that IP version, -ENOMEM.
 */
int rxe_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	return rxe_dp_mcast_attach(to_rxe_qp(ibqp),
				   (const struct in6_addr *)gid->raw);
}

/**
 * rxe_detach_mcast() - undo rxe_attach_mcast()
 * @ibqp: queue pair
 * @gid: the group
 * @lid: not used with RoCE
 *
 * Context: process; takes rtnl.
 * Return: 0, -EINVAL when it is not attached to the group.
 */
int rxe_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	return rxe_dp_mcast_detach(to_rxe_qp(ibqp),
				   (const struct in6_addr *)gid->raw);
}
