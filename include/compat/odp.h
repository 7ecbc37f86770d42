/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* On-demand paging as the RDMA core has it, also where it has none */
#ifndef RXE_COMPAT_ODP_H
#define RXE_COMPAT_ODP_H

#include <linux/hmm.h>
#include <linux/mmu_notifier.h>
#include <rdma/ib_umem_odp.h>

#include "features.h"

/* Rights to ask the core for, and its list of pages, one per page of the CPU */
#ifdef HAVE_UMEM_ODP_MAP
#define RXE_UMEM_READ HMM_PFN_VALID
#define RXE_UMEM_WRITE HMM_PFN_WRITE
#define rxe_umem_pfns(umem) ((umem)->map.pfn_list)
#else
#define RXE_UMEM_READ ODP_READ_ALLOWED_BIT
#define RXE_UMEM_WRITE ODP_WRITE_ALLOWED_BIT
#define rxe_umem_pfns(umem) ((umem)->pfn_list)
#endif

#ifndef CONFIG_INFINIBAND_ON_DEMAND_PAGING
static inline int ib_umem_odp_map_dma_and_lock(struct ib_umem_odp *umem,
					       u64 start, u64 bytes,
					       u64 access_mask, bool fault)
{
	return -EOPNOTSUPP;
}

static inline void ib_umem_odp_unmap_dma_pages(struct ib_umem_odp *umem,
					       u64 start, u64 end)
{
}
#endif

#ifndef CONFIG_MMU_NOTIFIER
static inline void mmu_interval_set_seq(struct mmu_interval_notifier *mni,
					unsigned long seq)
{
}
#endif

#endif /* RXE_COMPAT_ODP_H */
