// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory of a ring, and its way into user space */
#include <linux/cache.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/vmalloc.h>

#include <compat/alloc.h>

#include "abi.h"
#include "queue.h"

/* Slots are never smaller than this; librxe refuses a CQ below 48 bytes */
#define MIN_SLOT_BYTES max_t(size_t, 64, L1_CACHE_BYTES)

/**
 * rxe_queue_create - make an empty ring
 * @ring: set up as the kernel's end, producer or consumer
 * @depth: slots that must be usable, 0 is legal; roundup_pow_of_two(@depth + 1)
 *	- 1 are, which is @ring->mask
 * @elem_bytes: bytes of a slot at least; rounded up to a power of two
 *
 * The memory is zeroed, since a user may see it, and charged, since a user
 * decides how much it is; that it cannot be had is no news for the log. May sleep.
 *
 * Return: the queue, -EINVAL when its size does not fit the ABI, -ENOMEM.
 */
struct rxe_queue *rxe_queue_create(struct rxe_ring *ring, u32 depth,
				   size_t elem_bytes)
{
	u64 slots = roundup_pow_of_two((unsigned long)depth + 1);
	u64 slot = roundup_pow_of_two(max(elem_bytes, MIN_SLOT_BYTES));
	struct rxe_queue *q;
	u64 bytes;

	if (check_mul_overflow(slots, slot, &bytes) || bytes > S32_MAX + 1ULL)
		return ERR_PTR(-EINVAL);
	bytes = PAGE_ALIGN(bytes + offsetof(struct rxe_ring_shared, slots));

	q = kzalloc_obj(*q, GFP_KERNEL);
	if (!q)
		return ERR_PTR(-ENOMEM);
	/*
	 * vmalloc_user() does not charge. What it does beyond that, a mark that
	 * remap_vmalloc_range() looks for, rxe_queue_map() does without.
	 */
	q->shared = __vmalloc(bytes,
			      GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!q->shared) {
		kfree(q);
		return ERR_PTR(-ENOMEM);
	}
	q->bytes = bytes;
	q->shared->log2_elem_size = ilog2(slot);
	q->shared->index_mask = slots - 1;

	ring->shared = q->shared;
	ring->mask = slots - 1;
	ring->shift = ilog2(slot);
	ring->index = 0;
	return q;
}

/**
 * rxe_queue_share - let a user map a queue
 * @q: the queue; not shared yet
 * @uctx: whose user
 * @mi: set to what the user passes to mmap()
 *
 * May sleep. On success the core's entry keeps @q alive: see
 * rxe_queue_destroy().
 *
 * Return: 0 or a negative errno.
 */
int rxe_queue_share(struct rxe_queue *q, struct ib_ucontext *uctx,
		    struct mminfo *mi)
{
	int err = rdma_user_mmap_entry_insert(uctx, &q->entry, q->bytes);

	if (err)
		return err;
	q->mapped = true;
	mi->offset = rdma_user_mmap_get_offset(&q->entry);
	mi->size = q->bytes;
	return 0;
}

/**
 * rxe_queue_map - put the pages of a queue into a user's mapping
 * @q: the queue, held by a reference to its mmap entry
 * @vma: mapping that starts at the queue's offset
 *
 * The mapping takes references to the pages, so it outlives the queue. Called
 * from the driver's mmap operation, mmap_lock held for writing. May sleep.
 *
 * Return: 0, -EINVAL when @vma is larger than the queue, or what
 * vm_insert_page() says.
 */
int rxe_queue_map(struct rxe_queue *q, struct vm_area_struct *vma)
{
	unsigned long len = vma->vm_end - vma->vm_start;
	unsigned long off;
	int err;

	if (len > q->bytes)
		return -EINVAL;
	for (off = 0; off < len; off += PAGE_SIZE) {
		err = vm_insert_page(vma, vma->vm_start + off,
				     vmalloc_to_page((void *)q->shared + off));
		if (err)
			return err;
	}
	return 0;
}

static void free_queue(struct rxe_queue *q)
{
	vfree(q->shared);
	kfree(q);
}

/**
 * rxe_queue_destroy - let go of a queue
 * @q: the queue; NULL is fine. Nobody in the kernel uses its ring any more
 *
 * What a user has mapped stays mapped, see rxe_queue_map(). May sleep.
 */
void rxe_queue_destroy(struct rxe_queue *q)
{
	if (!q)
		return;
	if (q->mapped)
		rdma_user_mmap_entry_remove(&q->entry);
	else
		free_queue(q);
}

/**
 * rxe_queue_mmap_free - the device's mmap_free operation
 * @entry: entry that rxe_queue_share() inserted; nobody refers to it any more
 */
void rxe_queue_mmap_free(struct rdma_user_mmap_entry *entry)
{
	free_queue(container_of(entry, struct rxe_queue, entry));
}
