// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <linux/mm.h>

#include "../obj/queue.h"
#include "verbs.h"

/**
 * rxe_mmap() - map the memory of a queue into the process that created it
 * @ibuctx: context of the process
 * @vma: its offset is the cookie that creation returned, its size that of the
 *	queue; shared, not executable
 *
 * The pages are counted by the mapping, so it may outlive the queue.
 *
 * Context: process, mmap lock held.
 * Return: 0, -EINVAL when offset or size are no queue's of this context, -EPERM
 * for an executable mapping, -ENOMEM.
 */
int rxe_mmap(struct ib_ucontext *ibuctx, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry;
	struct rxe_queue *q;
	int err;

	if (vma->vm_flags & VM_EXEC)
		return -EPERM;

	/* compares context, offset and size */
	entry = rdma_user_mmap_entry_get(ibuctx, vma);
	if (!entry)
		return -EINVAL;

	q = container_of(entry, struct rxe_queue, entry);
	err = rxe_queue_map(q, vma);
	rdma_user_mmap_entry_put(entry);
	return err;
}
