/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Memory of a ring, and its way into user space */
#ifndef RXE_OBJ_QUEUE_H
#define RXE_OBJ_QUEUE_H

#include <rdma/ib_verbs.h>

#include "ring.h"

struct mminfo;
struct vm_area_struct;

/**
 * struct rxe_queue - memory behind a ring
 * @entry: core's mmap entry; user queues only
 * @shared: the pages, from __vmalloc()
 * @bytes: page aligned size
 * @mapped: shared: lives as long as @entry does
 */
struct rxe_queue {
	struct rdma_user_mmap_entry entry;
	struct rxe_ring_shared *shared;
	size_t bytes;
	bool mapped;
};

struct rxe_queue *rxe_queue_create(struct rxe_ring *ring, u32 depth,
				   size_t elem_bytes);
int rxe_queue_share(struct rxe_queue *q, struct ib_ucontext *uctx,
		    struct mminfo *mi);
int rxe_queue_map(struct rxe_queue *q, struct vm_area_struct *vma);
void rxe_queue_destroy(struct rxe_queue *q);
void rxe_queue_mmap_free(struct rdma_user_mmap_entry *entry);

#endif /* RXE_OBJ_QUEUE_H */
