// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Must not compile: a probe can fail */
#include <linux/types.h>
#include <rdma/ib_verbs.h>

u32 probe(struct ib_device *dev);

u32 probe(struct ib_device *dev)
{
	return rxe_no_kernel_has_this(dev);
}
