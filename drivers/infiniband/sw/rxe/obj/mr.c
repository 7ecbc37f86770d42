// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory regions (IBTA 10.6) */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <rdma/ib_umem.h>
#include <rdma/iter.h>

#include <compat/alloc.h>
#include <compat/rdma.h>

#include "flush.h"
#include "mr.h"
#include "mw.h"

/* A table may be large, and a user decides how large: charge, do not warn */
#define TABLE_GFP (GFP_KERNEL_ACCOUNT | __GFP_NOWARN)

#define KEY_INDEX(key) ((key) >> 8)

/* rxe_mr.bound_mws of a region that no window may be bound to */
#define NO_MORE_MWS INT_MIN

static struct rxe_mr *lookup(struct rxe_dev *dev, u32 key)
{
	u32 index = KEY_INDEX(key);

	if (index < RXE_MIN_MR_INDEX || index > RXE_MAX_MR_INDEX)
		return NULL;
	return xa_load(&dev->keys, index);
}

/* A region with a key that nobody can find yet */
static struct rxe_mr *new_mr(struct rxe_dev *dev, struct ib_pd *pd,
			     enum rxe_mr_type type, int access)
{
	struct rxe_mr *mr;
	u32 index;
	int err;

	mr = kzalloc_obj(*mr, GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	err = xa_alloc_cyclic(&dev->keys, &index, NULL,
			      XA_LIMIT(RXE_MIN_MR_INDEX, RXE_MAX_MR_INDEX),
			      &dev->mr_next, GFP_KERNEL);
	if (err < 0) {
		kfree(mr);
		return ERR_PTR(err);
	}
	mr->type = type;
	mr->access = access;
	mr->lkey = index << 8 | get_random_u8();
	/* The core sets these after the region can be found: too late */
	mr->ib.device = &dev->ib;
	mr->ib.pd = pd;
	mr->ib.lkey = mr->lkey;
	mr->ib.rkey = mr->lkey;
	return mr;
}

static void free_mr(struct rxe_dev *dev, struct rxe_mr *mr)
{
	xa_erase(&dev->keys, KEY_INDEX(mr->lkey));
	if (mr->odp)
		rxe_odp_dereg(mr);
	else if (mr->umem)
		ib_umem_release(mr->umem);
	kvfree(mr->blocks);
	kfree(mr);
}

/* Let lookups find a region that is complete. The index is reserved, so there
 * is nothing to allocate and nothing that can fail.
 */
static void publish(struct rxe_dev *dev, struct rxe_mr *mr)
{
	xa_store(&dev->keys, KEY_INDEX(mr->lkey), mr, GFP_KERNEL);
}

/**
 * rxe_mr_get_dma - region that spans all kernel memory
 * @dev: the device
 * @pd: protection domain, a kernel user's
 * @access: enum ib_access_flags
 *
 * The device does no DMA of its own, so its DMA addresses are kernel addresses.
 * May sleep.
 *
 * Return: the region, -ENOMEM, or -EBUSY when all keys are in use.
 */
struct rxe_mr *rxe_mr_get_dma(struct rxe_dev *dev, struct ib_pd *pd, int access)
{
	struct rxe_mr *mr = new_mr(dev, pd, RXE_MR_DMA, access);

	if (IS_ERR(mr))
		return mr;
	mr->length = U64_MAX;
	mr->state = RXE_MR_VALID;
	publish(dev, mr);
	return mr;
}

/* Fill the block table with blocks as large as the pinned memory allows */
static int map_umem(struct rxe_mr *mr)
{
	struct ib_block_iter it;
	unsigned long block;
	size_t n;

	/* Every power of two from a page up will do */
	block = ib_umem_find_best_pgsz(mr->umem, PAGE_MASK, mr->iova);
	if (!block)
		return -EINVAL;
	n = ib_umem_num_dma_blocks(mr->umem, block);
	if (n > U32_MAX)
		return -ENOMEM;
	mr->blocks = kvmalloc_array(n, sizeof(*mr->blocks), TABLE_GFP);
	if (!mr->blocks)
		return -ENOMEM;
	mr->shift = ilog2(block);
	mr->block_offset = mr->iova & (block - 1);
	rdma_umem_for_each_dma_block(mr->umem, &it, block)
		mr->blocks[mr->num_blocks++] = rdma_block_iter_dma_address(&it);
	return 0;
}

/* Pin the memory, and know where it is */
static int pin(struct rxe_mr *mr, u64 start)
{
	int err;

	mr->umem = ib_umem_get_va(mr->ib.device, start, mr->length, mr->access);
	if (IS_ERR(mr->umem)) {
		err = PTR_ERR(mr->umem);
		mr->umem = NULL;
		return err;
	}
	err = map_umem(mr);
	if (err)
		return err;
	if ((mr->access & RXE_ACC_FLUSH_PERSISTENT) &&
	    !rxe_flush_can_persist(mr))
		return -EINVAL;
	return 0;
}

/**
 * rxe_mr_reg_user - register user memory, pinned or, with IB_ACCESS_ON_DEMAND, not
 * @dev: the device
 * @pd: protection domain
 * @start: first address in the process
 * @length: bytes, > 0
 * @iova: address that work requests and peers use for @start; neither range wraps
 * @access: enum ib_access_flags, checked by the caller
 *
 * May sleep; in the context of the process.
 *
 * Return: the region, -EINVAL, also when it is to be made persistent and is not all
 * persistent memory, -ENOMEM, -EBUSY when all keys are in use, or what pinning says.
 */
struct rxe_mr *rxe_mr_reg_user(struct rxe_dev *dev, struct ib_pd *pd, u64 start,
			       u64 length, u64 iova, int access)
{
	struct rxe_mr *mr;
	int err;

	mr = new_mr(dev, pd, RXE_MR_USER, access);
	if (IS_ERR(mr))
		return mr;
	mr->iova = iova;
	mr->length = length;

	err = access & IB_ACCESS_ON_DEMAND ? rxe_odp_reg(mr, start) :
					     pin(mr, start);
	if (err) {
		free_mr(dev, mr);
		return ERR_PTR(err);
	}
	/* The core sets these for a new region, and not for one that replaces another */
	mr->ib.iova = iova;
	mr->ib.length = length;
	mr->state = RXE_MR_VALID;
	publish(dev, mr);
	return mr;
}

/**
 * rxe_mr_alloc_fast - region for fast registration
 * @dev: the device
 * @pd: protection domain
 * @max_sg: pages it must be able to hold
 *
 * May sleep.
 *
 * Return: the region, not registered; -EINVAL beyond RXE_MAX_FMR_PAGES, -ENOMEM,
 * or -EBUSY when all keys are in use.
 */
struct rxe_mr *rxe_mr_alloc_fast(struct rxe_dev *dev, struct ib_pd *pd,
				 u32 max_sg)
{
	struct rxe_mr *mr;

	if (!max_sg || max_sg > RXE_MAX_FMR_PAGES)
		return ERR_PTR(-EINVAL);
	mr = new_mr(dev, pd, RXE_MR_FAST_REG, 0);
	if (IS_ERR(mr))
		return mr;
	mr->blocks = kvmalloc_array(max_sg, sizeof(*mr->blocks), GFP_KERNEL);
	if (!mr->blocks) {
		free_mr(dev, mr);
		return ERR_PTR(-ENOMEM);
	}
	mr->max_blocks = max_sg;
	mr->state = RXE_MR_FREE;
	publish(dev, mr);
	return mr;
}

static int set_page(struct ib_mr *ib, u64 addr)
{
	struct rxe_mr *mr = to_rxe_mr(ib);

	if (mr->num_blocks == mr->max_blocks)
		return -ENOMEM;
	mr->blocks[mr->num_blocks] = addr;
	WRITE_ONCE(mr->num_blocks, mr->num_blocks + 1);
	return 0;
}

/**
 * rxe_mr_map_sg - give a fast registration region its pages
 * @mr: the region; its owner sees to it that it is not registered
 * @sg: DMA mapped scatter list
 * @nents: entries of it
 * @offset: bytes to skip, or NULL
 *
 * The block size is @mr->ib.page_size; @mr->ib.iova and .length are set. They
 * count from rxe_mr_fast_register() on. Any context.
 *
 * Return: entries that fit, or a negative errno.
 */
int rxe_mr_map_sg(struct rxe_mr *mr, struct scatterlist *sg, int nents,
		  unsigned int *offset)
{
	if (mr->type != RXE_MR_FAST_REG || !is_power_of_2(mr->ib.page_size))
		return -EINVAL;
	WRITE_ONCE(mr->num_blocks, 0);
	return ib_sg_to_pages(&mr->ib, sg, nents, offset, set_page);
}

/* Keep windows from being bound to a region; false: some are */
static bool close_to_mws(struct rxe_mr *mr)
{
	return !atomic_cmpxchg(&mr->bound_mws, 0, NO_MORE_MWS);
}

/**
 * rxe_mr_close - a user's region is to be replaced: keep windows from being bound to it
 * @mr: the region; the core keeps others from deregistering or changing it
 *
 * rxe_mr_dereg() follows and does not fail, or rxe_mr_reopen(). Any context.
 *
 * Return: false, and nothing changed, while windows are bound to it.
 */
bool rxe_mr_close(struct rxe_mr *mr)
{
	mr->closed = close_to_mws(mr);
	return mr->closed;
}

/**
 * rxe_mr_reopen - undo rxe_mr_close()
 * @mr: the region
 *
 * Any context.
 */
void rxe_mr_reopen(struct rxe_mr *mr)
{
	mr->closed = false;
	atomic_set(&mr->bound_mws, 0);
}

/**
 * rxe_mr_dereg - destroy a region
 * @mr: the region; freed on success
 *
 * May sleep.
 *
 * Return: 0, or -EBUSY while memory windows are bound to it (IBTA 10.6.7.2.5).
 */
int rxe_mr_dereg(struct rxe_mr *mr)
{
	struct rxe_dev *dev = to_rxe_dev(mr->ib.device);

	if (!mr->closed && !close_to_mws(mr))
		return -EBUSY;
	WRITE_ONCE(mr->state, RXE_MR_DEAD);
	/* Keep the index taken: nobody gets a key that a reader may still use */
	xa_store(&dev->keys, KEY_INDEX(mr->lkey), XA_ZERO_ENTRY, GFP_KERNEL);
	/*
	 * The data path copies to and from the pages under RCU, so after a grace
	 * period nobody does. An ordinary one takes tens of milliseconds, and
	 * programs, or the exit of one, deregister thousands of regions in a row.
	 */
	synchronize_rcu_expedited();
	free_mr(dev, mr);
	return 0;
}

/**
 * rxe_mr_can_grant - may the memory be used like this, as it was registered?
 * @mr: a user's region
 * @access: enum ib_access_flags
 *
 * Return: false when it was registered for reading only and @access is more, or when
 * it would have to be persistent memory, or be pinned, or not be.
 */
bool rxe_mr_can_grant(const struct rxe_mr *mr, int access)
{
	if (access & ~mr->access & RXE_ACC_FLUSH_PERSISTENT)
		return false;
	if ((access ^ mr->access) & IB_ACCESS_ON_DEMAND)
		return false;
	return mr->umem->writable || !ib_access_writable(access);
}

/**
 * rxe_mr_change - give a user's region another PD and other rights; keys stay
 * @mr: the region
 * @pd: protection domain
 * @access: enum ib_access_flags that rxe_mr_can_grant() approved
 *
 * Who has lost a right does not use it any more when this returns. May sleep; the
 * core keeps others from deregistering or changing the region.
 *
 * Return: 0, -EINVAL for another kind of region, -EBUSY while memory windows are
 * bound to it (IBTA 11.2.9.5).
 */
int rxe_mr_change(struct rxe_mr *mr, struct ib_pd *pd, int access)
{
	if (mr->type != RXE_MR_USER)
		return -EINVAL;
	if (!close_to_mws(mr))
		return -EBUSY;
	/*
	 * A request that is being executed meanwhile is checked against a mix of
	 * old and new: the rights that both have.
	 */
	WRITE_ONCE(mr->access, mr->access & access);
	smp_wmb(); /* pairs with usable(): the old rights never go with the new PD */
	WRITE_ONCE(mr->ib.pd, pd);
	/* It is checked and copies in one read section: nor the new with the old PD */
	synchronize_rcu_expedited();
	WRITE_ONCE(mr->access, access);
	atomic_set(&mr->bound_mws, 0);
	return 0;
}

/**
 * rxe_mr_fast_register - carry out a REG_MR work request (IBTA 10.6.4.4)
 * @dev: the device
 * @pd: protection domain of the QP
 * @mr: the region
 * @key: its new key; only the changing byte may differ from the old one
 * @access: enum ib_access_flags; without persistence, for nobody looked what memory
 *	it is
 *
 * Any context, under RCU; by the send side of one QP at a time.
 *
 * Return: 0 or -EINVAL.
 */
int rxe_mr_fast_register(struct rxe_dev *dev, struct ib_pd *pd,
			 struct rxe_mr *mr, u32 key, int access)
{
	if (mr->ib.device != &dev->ib || mr->ib.pd != pd ||
	    mr->type != RXE_MR_FAST_REG || mr->state != RXE_MR_FREE ||
	    !is_power_of_2(mr->ib.page_size) ||
	    (access & RXE_ACC_FLUSH_PERSISTENT) ||
	    KEY_INDEX(key) != KEY_INDEX(mr->lkey))
		return -EINVAL;
	mr->lkey = key;
	mr->access = access;
	mr->iova = mr->ib.iova;
	mr->length = mr->ib.length;
	mr->shift = ilog2(mr->ib.page_size);
	mr->block_offset = mr->iova & (mr->ib.page_size - 1);
	/* Pairs with the acquire in rxe_mr_check() */
	smp_store_release(&mr->state, RXE_MR_VALID);
	return 0;
}

/**
 * rxe_mr_invalidate - carry out LOCAL_INV, or a peer's SEND with invalidate
 * @dev: the device
 * @pd: protection domain of the QP
 * @qpn: the QP, for keys that belong to one
 * @key: key to invalidate
 *
 * Only a fast registration region that is registered and belongs to @pd will do
 * (IBTA 10.6.5), or a window of type 2B bound on this QP; no windows are ever bound to
 * such a region, since only users bind, and only to memory of their own. When
 * this returns nobody uses the memory by that key any more: the consumer may use it for
 * something else. Softirq context or BH disabled, under RCU, by nobody who is copying
 * (see rxe_hold_get()).
 *
 * Return: 0 or -EINVAL.
 */
int rxe_mr_invalidate(struct rxe_dev *dev, struct ib_pd *pd, u32 qpn, u32 key)
{
	struct rxe_mr *mr;

	if (rxe_mw_is_key(key))
		return rxe_mw_invalidate(dev, pd, qpn, key);
	mr = lookup(dev, key);
	if (!mr || mr->lkey != key || mr->ib.pd != pd ||
	    mr->type != RXE_MR_FAST_REG)
		return -EINVAL;
	/* Once: sender and peer may both try */
	if (cmpxchg(&mr->state, RXE_MR_VALID, RXE_MR_ENDING) != RXE_MR_VALID)
		return -EINVAL;
	rxe_hold_wait(&mr->hold);
	/* Unless it has been deregistered meanwhile */
	cmpxchg(&mr->state, RXE_MR_ENDING, RXE_MR_FREE);
	return 0;
}

/**
 * rxe_mr_get_bound - a region that a window is to be bound to
 * @dev: the device
 * @pd: protection domain of the QP that binds
 * @lkey: its key
 * @region: filled: what the bind has to be checked against, the domain once more
 *
 * Any context, under RCU.
 *
 * Return: the region, one more in its bound_mws, which keeps it as it is; NULL when
 * there is none to bind to.
 */
struct rxe_mr *rxe_mr_get_bound(struct rxe_dev *dev, struct ib_pd *pd, u32 lkey,
				struct rxe_region *region)
{
	struct rxe_mr *mr = lookup(dev, lkey);

	/* A stranger's region is not even counted: the count stops its owner */
	if (!mr || mr->type != RXE_MR_USER || mr->lkey != lkey ||
	    READ_ONCE(mr->ib.pd) != pd ||
	    !atomic_inc_unless_negative(&mr->bound_mws))
		return NULL;
	*region = (struct rxe_region){
		.pd = mr->ib.pd,
		.access = mr->access,
		.iova = mr->iova,
		.length = mr->length,
	};
	return mr;
}

static int usable(const struct rxe_mr *m, struct ib_pd *pd, u32 key, u64 va,
		  u64 len, int access)
{
	/* Pairs with the release in rxe_mr_fast_register() */
	if (smp_load_acquire(&m->state) != RXE_MR_VALID ||
	    READ_ONCE(m->lkey) != key || READ_ONCE(m->ib.pd) != pd)
		return -EINVAL;
	smp_rmb(); /* pairs with rxe_mr_change() */
	if (access & ~READ_ONCE(m->access))
		return -EACCES;
	if (va < m->iova || va - m->iova > m->length ||
	    len > m->length - (va - m->iova))
		return -EINVAL;
	return 0;
}

/**
 * rxe_mr_check - may this memory be used? (IBTA 10.6.3)
 * @dev: the device
 * @pd: protection domain of the QP
 * @key: lkey or rkey
 * @va: first address
 * @len: bytes; a zero length needs no key at all, do not call
 * @access: enum ib_access_flags that the region must grant, all of them
 * @mr: set to the region; valid until rcu_read_unlock()
 * @hold: set to a count that was taken, to be put after the copy, or to NULL
 *
 * BH disabled, under RCU.
 *
 * Return: 0, -EINVAL for an unknown key, another PD or an address outside, -EACCES
 * for a lack of access rights.
 */
int rxe_mr_check(struct rxe_dev *dev, struct ib_pd *pd, u32 key, u64 va,
		 u64 len, int access, struct rxe_mr **mr,
		 struct rxe_hold **hold)
{
	struct rxe_mr *m = lookup(dev, key);
	int err;

	*hold = NULL;
	if (!m)
		return -EINVAL;
	/* Who takes the memory away waits for no stranger */
	if (m->type == RXE_MR_FAST_REG && m->ib.pd == pd) {
		*hold = &m->hold;
		rxe_hold_get(*hold);
	}
	err = usable(m, pd, key, va, len, access);
	if (!err) {
		*mr = m;
	} else if (*hold) {
		rxe_hold_put(*hold);
		*hold = NULL;
	}
	return err;
}

/**
 * rxe_mr_bounds - the range that a key stands for
 * @dev: the device
 * @key: lkey or rkey
 * @va: set to the first address
 * @length: set to the number of bytes
 *
 * It says nothing about who may use it, nor for how long: rxe_mr_check() does. Any
 * context, under RCU.
 *
 * Return: 0, or -EINVAL for an unknown key.
 */
int rxe_mr_bounds(struct rxe_dev *dev, u32 key, u64 *va, u64 *length)
{
	const struct rxe_mr *mr = lookup(dev, key);

	/* Pairs with the release in rxe_mr_fast_register() */
	if (!mr || smp_load_acquire(&mr->state) != RXE_MR_VALID)
		return -EINVAL;
	*va = READ_ONCE(mr->iova);
	*length = READ_ONCE(mr->length);
	return 0;
}

/**
 * rxe_mr_span - kernel address of memory in a region
 * @mr: region that rxe_mr_check() approved for the range
 * @va: first address
 * @want: bytes wanted, > 0
 * @kaddr: set to the address
 *
 * Any context, in the same RCU read section as the check.
 *
 * Return: bytes that are contiguous from there, 1 .. @want; 0 when the region has
 * been given other pages since the check and does not reach so far, or has pages that
 * come and go, which rxe_odp_span() knows of.
 */
size_t rxe_mr_span(const struct rxe_mr *mr, u64 va, size_t want, void **kaddr)
{
	u32 shift = READ_ONCE(mr->shift);
	u32 blocks = READ_ONCE(mr->num_blocks);
	u64 off = va - mr->iova + mr->block_offset;
	u64 in_block = off & (BIT_ULL(shift) - 1);
	u64 i = off >> shift;
	u64 have, start;

	if (mr->type == RXE_MR_DMA) {
		*kaddr = ib_virt_dma_to_ptr(va);
		return want;
	}
	if (i >= blocks)
		return 0;

	start = mr->blocks[i];
	have = BIT_ULL(shift) - in_block;
	/* Blocks often lie next to each other */
	for (; have < want && ++i < blocks; have += BIT_ULL(shift))
		if (mr->blocks[i] != start + in_block + have)
			break;
	*kaddr = ib_virt_dma_to_ptr(start + in_block);
	return min_t(u64, have, want);
}
