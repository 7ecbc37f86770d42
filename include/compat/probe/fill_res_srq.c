// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* fill_res_srq_entry slot. In 6.12, not in 6.1 */
#include <rdma/ib_verbs.h>

static int fill(struct sk_buff *msg, struct ib_srq *srq)
{
	return 0;
}

const struct ib_device_ops probe = { .fill_res_srq_entry = fill };
