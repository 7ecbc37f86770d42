// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* ib_virt_dma_to_ptr(). In 6.12, not in 6.1 */
#include <rdma/ib_verbs.h>

void *probe(u64 addr);

void *probe(u64 addr)
{
	return ib_virt_dma_to_ptr(addr);
}
