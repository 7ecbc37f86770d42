// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* reg_user_mr takes a DMA handle. In 7.3, not in 6.12 */
#include <rdma/ib_verbs.h>

static struct ib_mr *reg(struct ib_pd *pd, u64 start, u64 length, u64 virt,
			 int access, struct ib_dmah *dmah,
			 struct ib_udata *udata)
{
	return NULL;
}

const struct ib_device_ops probe = { .reg_user_mr = reg };
