// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Address vectors: RoCEv2 addressing (IBTA annex A17.4) */
#include <linux/hash.h>
#include <linux/inetdevice.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>

#include "av.h"

#define DEFAULT_HOP_LIMIT 64
#define SPORT_BITS 14

static struct in6_addr *gid_to_in6(const union ib_gid *gid)
{
	return (struct in6_addr *)gid->raw;
}

static bool is_v4(const union ib_gid *gid)
{
	return ipv6_addr_v4mapped(gid_to_in6(gid));
}

/**
 * rxe_av_check - can this address be used?
 * @dev: the device
 * @attr: the address, with the source GID that the core has resolved
 *
 * Any context.
 *
 * Return: 0, or -EINVAL for another port, no GRH, or source and destination of
 * different IP versions.
 */
int rxe_av_check(struct rxe_dev *dev, const struct rdma_ah_attr *attr)
{
	const struct ib_global_route *grh = &attr->grh;

	if (attr->type != RDMA_AH_ATTR_TYPE_ROCE || attr->port_num != 1 ||
	    !(attr->ah_flags & IB_AH_GRH))
		return -EINVAL;
	if (!grh->sgid_attr || grh->sgid_attr->device != &dev->ib ||
	    grh->sgid_attr->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		return -EINVAL;
	if (is_v4(&grh->sgid_attr->gid) != is_v4(&grh->dgid))
		return -EINVAL;
	return 0;
}

static void set_ip(struct rxe_ip *ip, const struct ib_global_route *grh)
{
	const union ib_gid *sgid = &grh->sgid_attr->gid;

	ip->v6 = !is_v4(sgid);
	ip->tos = grh->traffic_class;
	ip->ttl = grh->hop_limit ?: DEFAULT_HOP_LIMIT;
	ip->flow = grh->flow_label & 0xfffff;
	if (ip->v6) {
		memcpy(ip->saddr, sgid->raw, sizeof(ip->saddr));
		memcpy(ip->daddr, grh->dgid.raw, sizeof(ip->daddr));
	} else {
		memcpy(ip->saddr, sgid->raw + 12, sizeof(struct in_addr));
		memcpy(ip->daddr, grh->dgid.raw + 12, sizeof(struct in_addr));
	}
}

/* Is the destination an address of this device, on whatever VLAN? */
static bool is_own_gid(struct rxe_dev *dev, const union ib_gid *gid)
{
	const struct ib_gid_attr *own;

	own = rdma_find_gid_by_port(&dev->ib, gid, IB_GID_TYPE_ROCE_UDP_ENCAP,
				    1, NULL);
	if (IS_ERR(own))
		return false;
	rdma_put_gid_attr(own);
	return true;
}

/**
 * rxe_av_owns - is this address one of the device's GIDs?
 * @dev: the device
 * @v6: IPv6, else IPv4
 * @addr: 16 or 4 bytes, any alignment
 *
 * Any context.
 *
 * Return: true when it is.
 */
bool rxe_av_owns(struct rxe_dev *dev, bool v6, const void *addr)
{
	union ib_gid gid = {};

	if (v6) {
		memcpy(gid.raw, addr, sizeof(gid.raw));
	} else {
		memset(gid.raw + 10, 0xff, 2);
		memcpy(gid.raw + 12, addr, sizeof(struct in_addr));
	}
	return is_own_gid(dev, &gid);
}

/**
 * rxe_av_ud_sport - UDP source port for a datagram
 * @av: the destination
 * @src_qpn: the QP that sends
 *
 * A UD QP uses one port for all destinations, unless the consumer gave a flow
 * label. Any context.
 *
 * Return: the port, in 0xC000 .. 0xFFFF, host order.
 */
u16 rxe_av_ud_sport(const struct rxe_av *av, u32 src_qpn)
{
	if (av->ip.flow)
		return rdma_flow_label_to_udp_sport(av->ip.flow);
	return IB_ROCE_UDP_ENCAP_VALID_PORT_MIN | hash_32(src_qpn, SPORT_BITS);
}

/**
 * rxe_av_set - resolve an address
 * @dev: the device
 * @attr: the address; rxe_av_check() has approved it
 * @src_qpn: connected QPs: this end
 * @dest_qpn: connected QPs: the other end; 0 for an address handle, whose users
 *	have rxe_av_ud_sport() for the source port
 * @av: the result
 *
 * Any context.
 *
 * Return: 0, or -ENODEV when the source GID has lost its interface.
 */
int rxe_av_set(struct rxe_dev *dev, const struct rdma_ah_attr *attr,
	       u32 src_qpn, u32 dest_qpn, struct rxe_av *av)
{
	const struct ib_global_route *grh = &attr->grh;
	const struct net_device *ndev;

	memset(av, 0, sizeof(*av));
	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(grh->sgid_attr);
	if (IS_ERR(ndev)) {
		rcu_read_unlock();
		return -ENODEV;
	}
	av->ifindex = ndev->ifindex;
	rcu_read_unlock();

	set_ip(&av->ip, grh);
	if (dest_qpn)
		av->ip.sport =
			rdma_get_udp_sport(av->ip.flow, src_qpn, dest_qpn);
	else
		av->ip.sport = rxe_av_ud_sport(av, src_qpn);
	av->multicast = rdma_is_multicast_addr(gid_to_in6(&grh->dgid));
	av->local = !av->multicast && is_own_gid(dev, &grh->dgid);
	return 0;
}
