// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <linux/overflow.h>

#include "../obj/mr.h"
#include "compat/rdma.h"
#include "verbs.h"

/* IBTA 10.6.3.1: who may write or do atomics from afar may write locally */
static int check_access(int access)
{
	if (access & ~RXE_ACCESS_SUPPORTED)
		return -EOPNOTSUPP;
	if ((access & IB_ACCESS_HUGETLB) && !(access & IB_ACCESS_ON_DEMAND))
		return -EOPNOTSUPP;
	if ((access & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)) &&
	    !(access & IB_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	return 0;
}

/**
 * rxe_get_dma_mr() - region of all kernel memory, for kernel consumers
 * @ibpd: its protection domain
 * @access: enum ib_access_flags
 *
 * Context: process.
 * Not all kernel memory is persistent, so the region is not either; nor does any of it
 * go away.
 *
 * Return: the region, or -EINVAL or -EOPNOTSUPP for @access, -ENOMEM, -ENOSPC at
 * the limit.
 */
struct ib_mr *rxe_get_dma_mr(struct ib_pd *ibpd, int access)
{
	struct rxe_dev *dev = to_rxe_dev(ibpd->device);
	struct rxe_mr *mr;
	int err;

	err = check_access(access);
	if (err)
		return ERR_PTR(err);
	if (access & (IB_ACCESS_FLUSH_PERSISTENT | IB_ACCESS_ON_DEMAND))
		return ERR_PTR(-EINVAL);
	if (!rxe_limit_get(&dev->num_mr, RXE_MAX_MR))
		return ERR_PTR(-ENOSPC);

	mr = rxe_mr_get_dma(dev, ibpd, access);
	if (IS_ERR(mr)) {
		rxe_limit_put(&dev->num_mr);
		return ERR_CAST(mr);
	}
	return &mr->ib;
}

/**
 * rxe_reg_user_mr() - register memory of the calling process
 * @ibpd: its protection domain
 * @start: first address in the process
 * @length: bytes, > 0
 * @iova: first address as work requests and peers will name it
 * @access: enum ib_access_flags
 * @udata: no private data either way
 *
 * Context: process, of the owner of the memory.
 * Return: the region, or -EINVAL for a bad range or @access, or for memory that is not
 * all persistent when @access says it is, -EOPNOTSUPP for an access flag not
 * supported, for implicit on-demand paging and for that of a kernel consumer, -ENOMEM,
 * -ENOSPC at the limit, -EFAULT.
 */
struct ib_mr *rxe_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
			      u64 iova, int access, struct ib_udata *udata)
{
	struct rxe_dev *dev = to_rxe_dev(ibpd->device);
	struct rxe_mr *mr;
	u64 last;
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return ERR_PTR(err);
	err = check_access(access);
	if (err)
		return ERR_PTR(err);
	/* Nobody brings pages in for the QPs of a kernel consumer. Implicit: all memory that
	 * the process has or will have
	 */
	if ((access & IB_ACCESS_ON_DEMAND) &&
	    (!udata || (!start && length == U64_MAX)))
		return ERR_PTR(-EOPNOTSUPP);
	if (!length || check_add_overflow(start, length - 1, &last) ||
	    check_add_overflow(iova, length - 1, &last))
		return ERR_PTR(-EINVAL);
	if (!rxe_limit_get(&dev->num_mr, RXE_MAX_MR))
		return ERR_PTR(-ENOSPC);

	mr = rxe_mr_reg_user(dev, ibpd, start, length, iova, access);
	if (IS_ERR(mr)) {
		rxe_limit_put(&dev->num_mr);
		return ERR_CAST(mr);
	}
	return &mr->ib;
}

/**
 * rxe_rereg_user_mr() - change a region (IBTA 11.2.9.5)
 * @ibmr: the region
 * @flags: enum ib_mr_rereg_flags: what to change
 * @start: with IB_MR_REREG_TRANS: first address in the process
 * @length: with IB_MR_REREG_TRANS: bytes
 * @iova: with IB_MR_REREG_TRANS: first address for work requests and peers
 * @access: with IB_MR_REREG_ACCESS: enum ib_access_flags
 * @ibpd: with IB_MR_REREG_PD: protection domain
 * @udata: no private data either way
 *
 * Where other memory has to be pinned, or the same for writing or not any more, the answer
 * is a new region with new keys, which the core puts in the place of the old one.
 *
 * Context: process, of the owner of the memory.
 * Return: NULL: changed in place; a new region; or -EOPNOTSUPP for flags not
 * supported, -EBUSY while memory windows are bound to it, and as
 * rxe_reg_user_mr().
 */
struct ib_mr *rxe_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start,
				u64 length, u64 iova, int access,
				struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct rxe_mr *mr = to_rxe_mr(ibmr);
	struct ib_mr *new;
	int err;

	if (flags & ~IB_MR_REREG_SUPPORTED)
		return ERR_PTR(-EOPNOTSUPP);
	if (mr->type != RXE_MR_USER)
		return ERR_PTR(-EINVAL);
	if (!(flags & IB_MR_REREG_PD))
		ibpd = ibmr->pd;
	if (!(flags & IB_MR_REREG_ACCESS))
		access = mr->access;
	err = check_access(access);
	if (err)
		return ERR_PTR(err);

	if (!(flags & IB_MR_REREG_TRANS)) {
		if (rxe_mr_can_grant(mr, access))
			return ERR_PTR(rxe_mr_change(mr, ibpd, access));
		start = mr->umem->address;
		length = mr->length;
		iova = mr->iova;
	}
	/*
	 * The core destroys the old region when it has the new one, and cannot be told
	 * that a window was bound to it meanwhile.
	 */
	if (!rxe_mr_close(mr))
		return ERR_PTR(-EBUSY);
	new = rxe_reg_user_mr(ibpd, start, length, iova, access, udata);
	if (IS_ERR(new))
		rxe_mr_reopen(mr);
	return new;
}

/**
 * rxe_alloc_mr() - region for fast registration, for kernel consumers
 * @ibpd: its protection domain
 * @type: IB_MR_TYPE_MEM_REG
 * @max_num_sg: pages it must have room for, 1 .. RXE_MAX_FMR_PAGES
 *
 * Context: process.
 * Return: the region, or -EOPNOTSUPP for another @type, -EINVAL for @max_num_sg,
 * -ENOMEM, -ENOSPC at the limit.
 */
struct ib_mr *rxe_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type,
			   u32 max_num_sg)
{
	struct rxe_dev *dev = to_rxe_dev(ibpd->device);
	struct rxe_mr *mr;

	if (type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(-EOPNOTSUPP);
	if (!rxe_limit_get(&dev->num_mr, RXE_MAX_MR))
		return ERR_PTR(-ENOSPC);

	mr = rxe_mr_alloc_fast(dev, ibpd, max_num_sg);
	if (IS_ERR(mr)) {
		rxe_limit_put(&dev->num_mr);
		return ERR_CAST(mr);
	}
	return &mr->ib;
}

/**
 * rxe_map_mr_sg() - page list that the next REG_MR request registers
 * @ibmr: from rxe_alloc_mr()
 * @sg: the memory, mapped for this device
 * @sg_nents: entries of @sg
 * @sg_offset: offset in the first entry in bytes, or NULL
 *
 * Context: any that the consumer posts in.
 * Return: number of entries mapped, or a negative errno.
 */
int rxe_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents,
		  unsigned int *sg_offset)
{
	return rxe_mr_map_sg(to_rxe_mr(ibmr), sg, sg_nents, sg_offset);
}

/**
 * rxe_dereg_mr() - end a region of any type
 * @ibmr: the region
 * @udata: unused
 *
 * Context: process.
 * Return: 0, or -EBUSY while memory windows are bound to it: it stays.
 */
int rxe_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct rxe_dev *dev = to_rxe_dev(ibmr->device);
	int err;

	err = rxe_mr_dereg(to_rxe_mr(ibmr));
	if (!err)
		rxe_limit_put(&dev->num_mr);
	return err;
}

/**
 * rxe_advise_mr() - bring in memory of regions that are not pinned
 * @ibpd: protection domain of the regions
 * @advice: reading, writing, or what is there without a fault
 * @flags: IB_UVERBS_ADVISE_MR_FLAG_FLUSH: now, else soon
 * @sg_list: the memory, by local keys
 * @num_sge: how many
 * @attrs: of the process
 *
 * Context: process.
 * Return: 0, or -EOPNOTSUPP for another @advice, -EINVAL for @flags or when there is no
 * such region that is not pinned, -EPERM when it must not be written to, -ENOMEM, and
 * for what is done now, -EFAULT and others when the owner has no such memory.
 */
int rxe_advise_mr(struct ib_pd *ibpd, enum ib_uverbs_advise_mr_advice advice,
		  u32 flags, struct ib_sge *sg_list, u32 num_sge,
		  struct uverbs_attr_bundle *attrs)
{
	int err;

	if (!RXE_HAS_ODP || !attrs ||
	    advice > IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		return -EOPNOTSUPP;
	if (flags & ~IB_UVERBS_ADVISE_MR_FLAG_FLUSH)
		return -EINVAL;
	err = rxe_odp_prefetch(to_rxe_dev(ibpd->device),
			       rxe_udata_pager(&attrs->driver_udata), ibpd,
			       advice, flags & IB_UVERBS_ADVISE_MR_FLAG_FLUSH,
			       sg_list, num_sge);
	return err == -EACCES ? -EPERM : err;
}
