// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Module: comes up without a device; "rdma link add" makes them */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "compat/rdma.h"
#include "dev.h"
#include "dp/credit.h"
#include "net/net.h"
#include "version.h"

static struct rdma_link_ops link_ops = {
	.type = "rxe",
	.newlink = rxe_dev_newlink,
};

static int __init rxe_init(void)
{
	int err;

	err = rxe_net_init(&rxe_dev_net_events);
	if (err)
		return err;
	err = ib_register_client(&rxe_dev_client);
	if (err)
		goto net_exit;
	rdma_link_register(&link_ops);
	return 0;

net_exit:
	rxe_net_exit();
	return err;
}

/*
 * First no device can be made any more: rdma_link_unregister() waits for a
 * newlink() that is running. Then those there are go; the core returns when each
 * has passed rxe_dev_dealloc(), also those that somebody else is taking down. No
 * event of an interface can find a device by then, so net/ can go.
 */
static void __exit rxe_exit(void)
{
	rdma_link_unregister(&link_ops);
	ib_unregister_driver(RDMA_DRIVER_RXE);
	ib_unregister_client(&rxe_dev_client);
	rxe_net_exit();
	rxe_credit_drain();
}

module_init(rxe_init);
module_exit(rxe_exit);

MODULE_DESCRIPTION("RDMA over Converged Ethernet (RoCEv2) in software");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(RXE_VERSION);
MODULE_ALIAS_RDMA_LINK("rxe");
