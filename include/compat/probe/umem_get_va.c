// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* ib_umem_get became ib_umem_get_va. In 7.3, not in 6.12 */
#include <rdma/ib_umem.h>

struct ib_umem *probe(struct ib_device *dev);

struct ib_umem *probe(struct ib_device *dev)
{
	return ib_umem_get_va(dev, 0UL, (size_t)1, 0);
}
