// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* core sends port events for netdevs by itself. In 7.3, not in 6.12 */
#include <rdma/ib_verbs.h>

static void report(struct ib_device *dev, struct net_device *ndev,
		   unsigned long event)
{
}

const struct ib_device_ops probe = { .report_port_event = report };
