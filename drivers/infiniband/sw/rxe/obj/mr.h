/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Memory regions: lifetime, key check, translation to kernel addresses */
#ifndef RXE_OBJ_MR_H
#define RXE_OBJ_MR_H

#include <rdma/ib_verbs.h>

#include "../proto/window.h"
#include "dev.h"
#include "hold.h"
#include "odp.h"

enum rxe_mr_type {
	RXE_MR_USER,
	RXE_MR_DMA,
	RXE_MR_FAST_REG,
};

enum rxe_mr_state {
	RXE_MR_FREE, /* fast registration: may be registered */
	RXE_MR_VALID,
	RXE_MR_ENDING, /* fast registration: being invalidated */
	RXE_MR_DEAD,
};

/**
 * struct rxe_mr - a memory region
 * @ib: the core's region; the core sets its iova and length too late to be used
 *	here, but for fast registration, where they are those of the last mapping
 * @type: enum rxe_mr_type
 * @state: enum rxe_mr_state; RXE_MR_VALID is stored with release after, and read
 *	with acquire before, the members it vouches for
 * @lkey: key, also the rkey
 * @access: enum ib_access_flags
 * @iova: first address
 * @length: bytes
 * @umem: user memory, pinned but for regions with @odp
 * @blocks: kernel addresses of blocks of 1 << @shift bytes
 * @num_blocks: how many
 * @max_blocks: fast registration: room in @blocks
 * @shift: log2 of the block size
 * @block_offset: offset of @iova in the first block
 * @bound_mws: a user's: memory windows bound to it; dereg and change refuse while any
 *	is, and make it negative to keep others from binding
 * @closed: rxe_mr_close() made it negative for good; under the core's lock of the object
 * @hold: fast registration: copies under way
 * @odp: pages that come and go, of a region that has no @blocks; else NULL
 *
 * Fast registration changes @lkey, @access, @iova, @length, @shift and
 * @block_offset only while @state is RXE_MR_FREE, when no copy is under way. @blocks
 * may be filled anew while the region is still registered, since consumers post the
 * invalidation after that: rxe_mr_span() stays inside @blocks whatever the rest says.
 *
 * Lookups are under RCU; dereg sets RXE_MR_DEAD, unpublishes and waits a grace
 * period before the pages go. Invalidation has no time for one: it waits for @hold.
 */
struct rxe_mr {
	struct ib_mr ib;
	enum rxe_mr_type type;
	enum rxe_mr_state state;
	u32 lkey;
	int access;
	u64 iova;
	u64 length;
	struct ib_umem *umem;
	u64 *blocks;
	u32 num_blocks;
	u32 max_blocks;
	u32 shift;
	u64 block_offset;
	atomic_t bound_mws;
	bool closed;
	struct rxe_hold hold;
	struct rxe_odp *odp;
};

static inline struct rxe_mr *to_rxe_mr(struct ib_mr *ib)
{
	return container_of(ib, struct rxe_mr, ib);
}

struct rxe_mr *rxe_mr_get_dma(struct rxe_dev *dev, struct ib_pd *pd,
			      int access);
struct rxe_mr *rxe_mr_reg_user(struct rxe_dev *dev, struct ib_pd *pd, u64 start,
			       u64 length, u64 iova, int access);
struct rxe_mr *rxe_mr_alloc_fast(struct rxe_dev *dev, struct ib_pd *pd,
				 u32 max_sg);
int rxe_mr_map_sg(struct rxe_mr *mr, struct scatterlist *sg, int nents,
		  unsigned int *offset);
int rxe_mr_dereg(struct rxe_mr *mr);
bool rxe_mr_close(struct rxe_mr *mr);
void rxe_mr_reopen(struct rxe_mr *mr);
int rxe_mr_change(struct rxe_mr *mr, struct ib_pd *pd, int access);
bool rxe_mr_can_grant(const struct rxe_mr *mr, int access);

int rxe_mr_fast_register(struct rxe_dev *dev, struct ib_pd *pd,
			 struct rxe_mr *mr, u32 key, int access);
int rxe_mr_invalidate(struct rxe_dev *dev, struct ib_pd *pd, u32 qpn, u32 key);
int rxe_mr_check(struct rxe_dev *dev, struct ib_pd *pd, u32 key, u64 va,
		 u64 len, int access, struct rxe_mr **mr,
		 struct rxe_hold **hold);
struct rxe_mr *rxe_mr_get_bound(struct rxe_dev *dev, struct ib_pd *pd, u32 lkey,
				struct rxe_region *region);
int rxe_mr_bounds(struct rxe_dev *dev, u32 key, u64 *va, u64 *length);
size_t rxe_mr_span(const struct rxe_mr *mr, u64 va, size_t want, void **kaddr);

#endif /* RXE_OBJ_MR_H */
