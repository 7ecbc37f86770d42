// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* ib_mark_name_assigned_by_user(). In 6.12, not in 6.1 */
#include <rdma/ib_verbs.h>

void probe(struct ib_device *dev);

void probe(struct ib_device *dev)
{
	ib_mark_name_assigned_by_user(dev);
}
