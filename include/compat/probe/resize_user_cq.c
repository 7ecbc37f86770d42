// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* resize_cq became resize_user_cq. In 7.3, not in 6.12 */
#include <rdma/ib_verbs.h>

static int resize(struct ib_cq *cq, unsigned int cqe, struct ib_udata *udata)
{
	return 0;
}

const struct ib_device_ops probe = { .resize_user_cq = resize };
