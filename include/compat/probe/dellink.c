// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdma_link_ops.dellink. In 7.3, not in 6.12 */
#include <rdma/rdma_netlink.h>

static int del(struct ib_device *dev)
{
	return 0;
}

const struct rdma_link_ops probe = { .dellink = del };
