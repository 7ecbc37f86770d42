/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the RDMA core of 7.3 has and older ones lack, under its 7.3 name */
#ifndef RXE_COMPAT_RDMA_H
#define RXE_COMPAT_RDMA_H

#include <linux/uaccess.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>
#include <rdma/uverbs_ioctl.h>

#include "features.h"

#ifndef HAVE_UMEM_GET_VA
#define ib_umem_get_va(dev, addr, size, access) \
	ib_umem_get(dev, addr, size, access)
#endif

#ifndef HAVE_NAME_BY_USER
static inline void ib_mark_name_assigned_by_user(struct ib_device *ibdev)
{
}
#endif

#ifndef HAVE_VIRT_DMA_TO_PTR
static inline void *ib_virt_dma_to_ptr(u64 dma_addr)
{
	return (void *)(uintptr_t)dma_addr;
}
#endif

/*
 * Numbers of the user ABI, so that the verbs work for user QPs under a core
 * whose enums end before them.
 */
#ifndef HAVE_WR_FLUSH
#define IB_WR_FLUSH ((enum ib_wr_opcode)14)
#define IB_WR_ATOMIC_WRITE ((enum ib_wr_opcode)15)
#define IB_WC_FLUSH ((enum ib_wc_opcode)8)
#define IB_WC_ATOMIC_WRITE ((enum ib_wc_opcode)9)
#define IB_ACCESS_FLUSH_GLOBAL BIT(8)
#define IB_ACCESS_FLUSH_PERSISTENT BIT(9)
#define IB_DEVICE_FLUSH_GLOBAL BIT_ULL(38)
#define IB_DEVICE_FLUSH_PERSISTENT BIT_ULL(39)
#define IB_DEVICE_ATOMIC_WRITE BIT_ULL(40)
/* Its core refuses regions that grant FLUSH, so no peer can use it */
#define RXE_DEVICE_FLUSH 0
#elif defined(CONFIG_ARCH_HAS_PMEM_API)
#define RXE_DEVICE_FLUSH (IB_DEVICE_FLUSH_GLOBAL | IB_DEVICE_FLUSH_PERSISTENT)
#else
#define RXE_DEVICE_FLUSH IB_DEVICE_FLUSH_GLOBAL
#endif

#ifndef HAVE_UDATA_HELPERS
static inline int rxe_udata_out(struct ib_udata *udata, const void *resp,
				size_t size)
{
	size_t len = min(udata->outlen, size);

	if (copy_to_user(udata->outbuf, resp, len))
		return -EFAULT;
	if (udata->outlen > len &&
	    clear_user(udata->outbuf + len, udata->outlen - len))
		return -EFAULT;
	return 0;
}

/* Answer: cut to what the user has room for, its rest filled with zeroes */
#define ib_respond_udata(udata, resp) \
	rxe_udata_out(udata, &(resp), sizeof(resp))

/* For verbs without private data: refuse a request, zero the answer */
static inline int ib_no_udata_io(struct ib_udata *udata)
{
	if (!udata)
		return 0;
	if (udata->inlen && !ib_is_udata_cleared(udata, 0, udata->inlen))
		return -EOPNOTSUPP;
	if (udata->outlen && clear_user(udata->outbuf, udata->outlen))
		return -EFAULT;
	return 0;
}
#endif

#endif /* RXE_COMPAT_RDMA_H */
