// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* ib_virt_dma_to_ptr() and _to_page(). In 6.12, not in 6.1 */
#include <rdma/ib_verbs.h>

bool probe(u64 addr);

bool probe(u64 addr)
{
	void *p = ib_virt_dma_to_ptr(addr);
	struct page *page = ib_virt_dma_to_page(addr);

	return p && page;
}
