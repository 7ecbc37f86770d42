// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Life of a device.
 *
 * It is made by rxe_dev_newlink() and ends in rxe_dev_dealloc(), which the core
 * calls at the end of unregistration. Who asks for that: "rdma link del", the
 * removal of the interface (it leaves the namespace or the machine), or the
 * module's end; the core lets them come together and works once. By then it has
 * shut out new users and taken away the objects of those there were: clients
 * have returned from their remove callback, and user contexts are cut off from
 * their objects (disassociate_ucontext). So no verb runs and none will.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "dev.h"

#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/inetdevice.h>
#include <net/addrconf.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "compat/rdma.h"
#include "dp/credit.h"
#include "dp/sched.h"
#include "net/net.h"
#include "obj/dev.h"
#include "obj/qp.h"
#include "ops.h"

static bool carries_ip(struct net_device *ndev)
{
	bool ip;

	rcu_read_lock();
	ip = __in_dev_get_rcu(ndev) || __in6_dev_get(ndev);
	rcu_read_unlock();
	return ip;
}

/* newlink() has no netlink answer to put a sentence in: it goes to the log */
static int check_netdev(struct net_device *ndev)
{
	if (is_vlan_dev(ndev)) {
		netdev_err(ndev, "rxe: no link on a VLAN, take %s\n",
			   vlan_dev_real_dev(ndev)->name);
		return -EPERM;
	}
	if (!carries_ip(ndev)) {
		netdev_err(ndev, "rxe: this interface carries no IP\n");
		return -EOPNOTSUPP;
	}
	if (READ_ONCE(ndev->mtu) < RXE_MIN_NDEV_MTU) {
		netdev_err(ndev, "rxe: an MTU of %u holds no packet, %u will\n",
			   READ_ONCE(ndev->mtu), RXE_MIN_NDEV_MTU);
		return -EOPNOTSUPP;
	}
	return 0;
}

/* EUI-64 from the MAC address; without one, a number as good as unique */
static __be64 make_guid(const struct net_device *ndev)
{
	u8 mac[ETH_ALEN];
	__be64 guid;

	if (ndev->addr_len == ETH_ALEN && !is_zero_ether_addr(ndev->dev_addr))
		ether_addr_copy(mac, ndev->dev_addr);
	else
		eth_random_addr(mac);
	addrconf_addr_eui48((u8 *)&guid, (const char *)mac);
	return guid;
}

static void fill_ib(struct ib_device *ib, const struct net_device *ndev)
{
	strscpy(ib->node_desc, "rxe", sizeof(ib->node_desc));
	ib->node_type = RDMA_NODE_IB_CA;
	ib->node_guid = make_guid(ndev);
	ib->phys_port_cnt = 1;
	ib->num_comp_vectors = num_possible_cpus();
	ib->local_dma_lkey = 0;
	/* User space rings these by write(); all else is asked for by the core */
	ib->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
			       BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
}

/* From here on ib_dealloc_device() undoes whatever was done */
static struct rxe_dev *alloc_dev(struct net_device *ndev)
{
	struct rxe_dev *dev = ib_alloc_device(rxe_dev, ib);

	if (!dev)
		return NULL;
	ib_set_device_ops(&dev->ib, &rxe_dev_ops);
	fill_ib(&dev->ib, ndev);
	dev_hold(ndev);
	dev->ndev = ndev;
	dev->net_ops = &rxe_net_ops;
	xa_init_flags(&dev->qps, XA_FLAGS_ALLOC);
	xa_init_flags(&dev->keys, XA_FLAGS_ALLOC);
	xa_init_flags(&dev->ahs, XA_FLAGS_ALLOC);
	mutex_init(&dev->mcast_mutex);
	dev->counters = alloc_percpu(struct rxe_counters);
	if (!dev->counters) {
		ib_dealloc_device(&dev->ib);
		return NULL;
	}
	return dev;
}

/*
 * Hands the device to the core; on failure it is gone. The caller holds its
 * memory, since anybody can unregister it as soon as it is registered.
 */
static int register_dev(struct rxe_dev *dev, const char *name)
{
	int err;

	ib_mark_name_assigned_by_user(&dev->ib);
	err = ib_register_device(&dev->ib, name, NULL);
	if (err) {
		/* "Too many open files", says the core to a name in use */
		if (err == -ENFILE)
			err = -EEXIST;
		netdev_err(dev->ndev,
			   "rxe: cannot register %s: %s (error %d)\n", name,
			   err == -EEXIST ? "the name is in use" :
					    "the RDMA core refused",
			   err);
		ib_dealloc_device(&dev->ib);
		return err;
	}
	/* An end that was told before the core knew the device was not heard */
	if (!rxe_net_alive(dev)) {
		ib_unregister_device(&dev->ib);
		return -ENODEV;
	}
	return 0;
}

/**
 * rxe_dev_newlink() - make a device on an interface
 * @name: name of the device
 * @ndev: the interface; held by the caller
 *
 * Context: may sleep; takes rtnl. Callers may come together.
 * Return: 0, -EPERM for a VLAN, -EOPNOTSUPP for an interface without IP or with a
 * tiny MTU, -EEXIST
 * when it has a device or the name is in use, -ENODEV when it is on its way
 * out, -EADDRINUSE when UDP port 4791 is taken, -ENOMEM.
 */
int rxe_dev_newlink(const char *name, struct net_device *ndev)
{
	struct rxe_dev *dev;
	int err;

	err = check_netdev(ndev);
	if (err)
		return err;
	dev = alloc_dev(ndev);
	if (!dev)
		return -ENOMEM;

	err = rxe_net_attach(dev);
	if (err == -EEXIST)
		netdev_err(ndev,
			   "rxe: this interface has an rxe device already\n");
	if (err)
		goto dealloc;
	err = ib_device_set_netdev(&dev->ib, ndev, 1);
	if (err)
		goto dealloc;

	get_device(&dev->ib.dev);
	err = register_dev(dev, name);
	put_device(&dev->ib.dev);
	return err;

dealloc:
	ib_dealloc_device(&dev->ib);
	return err;
}

/**
 * rxe_dev_dealloc() - dealloc_driver of the operations table
 * @ibdev: device that is registered no more, or never was
 *
 * Packets still arrive until rxe_net_detach() returns, and find no QP: those were
 * destroyed with their owners. Nothing of ours runs for the device afterwards:
 * packets on their way out hold nothing of it but the module's code, and tasklets
 * and timers ended with their QPs. The interface is let go last, so that who removes it and waits
 * for that finds the UDP port closed.
 *
 * Context: may sleep; no rtnl.
 */
void rxe_dev_dealloc(struct ib_device *ibdev)
{
	struct rxe_dev *dev = to_rxe_dev(ibdev);

	rxe_net_detach(dev);
	WARN_ON(!xa_empty(&dev->qps) || !xa_empty(&dev->keys) ||
		!xa_empty(&dev->ahs) || dev->num_mcast_grp);
	mutex_destroy(&dev->mcast_mutex);
	xa_destroy(&dev->ahs);
	xa_destroy(&dev->keys);
	xa_destroy(&dev->qps);
	free_percpu(dev->counters);
	dev_put(dev->ndev);
	rxe_credit_settle();
}

static void port_event(struct rxe_dev *dev, bool up)
{
	struct ib_event event = {
		.device = &dev->ib,
		.event = up ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR,
		.element.port_num = 1,
	};

	if (!up)
		rxe_count(dev, RXE_CNT_LINK_DOWNED);
	if (rxe_ops_core_sends_port_events() || !ib_device_try_get(&dev->ib))
		return;
	ib_dispatch_event(&event);
	ib_device_put(&dev->ib);
}

static void interface_gone(struct rxe_dev *dev)
{
	if (!ib_device_try_get(&dev->ib))
		return;
	ib_unregister_device_queued(&dev->ib);
	ib_device_put(&dev->ib);
}

/* Told by net/ under rcu_read_lock() */
const struct rxe_net_events rxe_dev_net_events = {
	.port = port_event,
	.gone = interface_gone,
};

static int client_add(struct ib_device *ibdev)
{
	if (ibdev->ops.driver_id != RDMA_DRIVER_RXE)
		return -EOPNOTSUPP;
	/* It comes again when the device went to another network namespace */
	WRITE_ONCE(to_rxe_dev(ibdev)->going, false);
	return 0;
}

/* A program that waits for completions must see that none will come: when its
 * objects are taken away nobody can tell it any more
 */
static void client_remove(struct ib_device *ibdev, void *data)
{
	struct rxe_dev *dev = to_rxe_dev(ibdev);
	struct rxe_qp *qp;
	unsigned long qpn;

	WRITE_ONCE(dev->going, true);
	rcu_read_lock();
	xa_for_each(&dev->qps, qpn, qp) {
		if (qp->user)
			rxe_dp_qp_fail(qp);
		/* There may be a million; the walk goes on by number */
		rcu_read_unlock();
		cond_resched();
		rcu_read_lock();
	}
	rcu_read_unlock();
}

/* The core tells clients that a device goes, the latest first: this one before
 * ib_uverbs, which our module needs and which is loaded before it.
 */
struct ib_client rxe_dev_client = {
	.name = "rdma_rxe",
	.add = client_add,
	.remove = client_remove,
};
