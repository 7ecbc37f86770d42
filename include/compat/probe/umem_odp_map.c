// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Pages of ODP memory are in a struct of their own. In 7.3, not in 6.12 */
#include <rdma/ib_umem_odp.h>

unsigned long *probe(struct ib_umem_odp *umem);

unsigned long *probe(struct ib_umem_odp *umem)
{
	return umem->map.pfn_list;
}
