// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <linux/ethtool.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <rdma/ib_mad.h>

#include "../obj/dev.h"
#include "../wire/hdr.h"
#include "verbs.h"

static void fill_link(struct rxe_dev *dev, struct ib_port_attr *attr)
{
	if (!netif_running(dev->ndev)) {
		attr->state = IB_PORT_DOWN;
		attr->phys_state = IB_PORT_PHYS_STATE_DISABLED;
	} else if (!netif_carrier_ok(dev->ndev)) {
		attr->state = IB_PORT_DOWN;
		attr->phys_state = IB_PORT_PHYS_STATE_POLLING;
	} else {
		attr->state = IB_PORT_ACTIVE;
		attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	}
}

/* The table of ib_get_eth_speed(), which logs each time that an interface cannot tell, so
 * that any user could fill the log
 */
static void fill_speed(struct rxe_dev *dev, struct ib_port_attr *attr)
{
	static const struct {
		u32 mbps;
		u8 width;
		u16 speed;
	} rows[] = {
		{ SPEED_1000, IB_WIDTH_1X, IB_SPEED_SDR },
		{ SPEED_10000, IB_WIDTH_1X, IB_SPEED_FDR10 },
		{ SPEED_20000, IB_WIDTH_4X, IB_SPEED_DDR },
		{ SPEED_25000, IB_WIDTH_1X, IB_SPEED_EDR },
		{ SPEED_40000, IB_WIDTH_4X, IB_SPEED_FDR10 },
		{ SPEED_100000, IB_WIDTH_4X, IB_SPEED_EDR },
		{ SPEED_200000, IB_WIDTH_4X, IB_SPEED_HDR },
		{ U32_MAX, IB_WIDTH_4X, IB_SPEED_NDR },
	};
	struct ethtool_link_ksettings link;
	u32 mbps = 0; /* cannot tell: the slowest that exists */
	int i = 0;

	rtnl_lock();
	if (!__ethtool_get_link_ksettings(dev->ndev, &link) &&
	    link.base.speed != (u32)SPEED_UNKNOWN)
		mbps = link.base.speed;
	rtnl_unlock();

	while (rows[i].mbps < mbps)
		i++;
	attr->active_width = rows[i].width;
	attr->active_speed = rows[i].speed;
}

/**
 * rxe_query_port() - attributes of the port; state and MTU follow the interface
 * @ibdev: the device
 * @port: 1, checked by the core
 * @attr: filled; zeroed by the caller
 *
 * Context: process, rtnl not held: the speed is asked for under it.
 * Return: 0.
 */
int rxe_query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr)
{
	struct rxe_dev *dev = to_rxe_dev(ibdev);
	u32 mtu = READ_ONCE(dev->mtu);

	fill_link(dev, attr);
	fill_speed(dev, attr);
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = ib_mtu_int_to_enum(mtu);
	attr->phys_mtu = mtu;
	attr->gid_tbl_len = RXE_PORT_GIDS;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->max_msg_sz = RXE_MAX_MSG_BYTES;
	attr->pkey_tbl_len = RXE_PORT_PKEYS;
	attr->max_vl_num = 1;
	return 0;
}

/**
 * rxe_modify_port() - reset a counter or declare a capability
 * @ibdev: the device
 * @port: 1, checked by the core
 * @mask: enum ib_port_modify_flags; only RESET_QKEY_CNTR, which counts nothing
 * @attr: capabilities to set or clear; only CM, which is always on
 *
 * Context: process.
 * Return: 0, -EOPNOTSUPP.
 */
int rxe_modify_port(struct ib_device *ibdev, u32 port, int mask,
		    struct ib_port_modify *attr)
{
	if (mask & ~IB_PORT_RESET_QKEY_CNTR)
		return -EOPNOTSUPP;
	if ((attr->set_port_cap_mask | attr->clr_port_cap_mask) &
	    ~IB_PORT_CM_SUP)
		return -EOPNOTSUPP;
	return 0;
}

/**
 * rxe_query_pkey() - the only P_Key, the default one (IBTA annex A17.7)
 * @ibdev: the device
 * @port: 1, checked by the core
 * @index: 0
 * @pkey: filled, host order
 *
 * Context: any.
 * Return: 0, -EINVAL for another index.
 */
int rxe_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey)
{
	if (index >= RXE_PORT_PKEYS)
		return -EINVAL;

	*pkey = RXE_PKEY_DEFAULT;
	return 0;
}

/**
 * rxe_get_link_layer() - Ethernet
 * @ibdev: the device
 * @port: any
 *
 * Context: any.
 * Return: IB_LINK_LAYER_ETHERNET.
 */
enum rdma_link_layer rxe_get_link_layer(struct ib_device *ibdev, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

/**
 * rxe_get_port_immutable() - what the core must know to register the port
 * @ibdev: the device
 * @port: 1
 * @immutable: filled: RoCE over UDP only
 *
 * Context: process.
 * Return: 0.
 */
int rxe_get_port_immutable(struct ib_device *ibdev, u32 port,
			   struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->gid_tbl_len = RXE_PORT_GIDS;
	immutable->pkey_tbl_len = RXE_PORT_PKEYS;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}
