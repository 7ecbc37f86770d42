/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Payload cursor: a position in memory described by SGEs, by inline bytes or by
 * a remote key, handed out as spans of kernel addresses. Valid inside the
 * rcu_read_lock() section in which it was set up.
 *
 * Some regions, and all windows, can be taken away by a work request, and pages that
 * are not pinned by the kernel. From rxe_cursor_next() until rxe_cursor_rest() the
 * cursor keeps the memory that it gave out from that; see rxe_hold_get() for what must
 * not be done in between.
 */
#ifndef RXE_OBJ_CURSOR_H
#define RXE_OBJ_CURSOR_H

#include "../proto/types.h"
#include "mr.h"

/**
 * struct rxe_cursor - where the next payload byte comes from or goes to
 * @dev: the device
 * @pd: protection domain that keys are checked against
 * @access: enum ib_access_flags the keys must grant, 0 = local read
 * @sge: SGE the cursor stands on
 * @sges_left: SGEs from @sge on
 * @off: bytes of @sge behind the cursor
 * @mr: region of @sge, looked up when first needed
 * @hold: count taken for the copy under way, or NULL
 * @pages: the same in a region whose pages come and go, besides @hold
 * @remote: @one is what a peer named, maybe by the key of a window
 * @qpn: the QP, for keys that belong to one, when @remote
 * @va: address as the peer named it, when @remote
 * @inl: inline bytes; no keys involved
 * @one: the only SGE of a cursor in remote memory
 */
struct rxe_cursor {
	struct rxe_dev *dev;
	struct ib_pd *pd;
	int access;
	const struct rxe_sge *sge;
	u32 sges_left;
	u32 off;
	struct rxe_mr *mr;
	struct rxe_hold *hold;
	struct rxe_hold *pages;
	bool remote;
	u32 qpn;
	u64 va;
	const u8 *inl;
	struct rxe_sge one;
};

void rxe_cursor_sges(struct rxe_cursor *cur, struct rxe_dev *dev,
		     struct ib_pd *pd, const struct rxe_sge *sge, u32 num_sge,
		     u32 offset, int access);
void rxe_cursor_inline(struct rxe_cursor *cur, const void *bytes, u32 offset);
int rxe_cursor_remote(struct rxe_cursor *cur, struct rxe_dev *dev,
		      struct ib_pd *pd, u32 qpn, u32 rkey, u64 va, u64 len,
		      int access);
ssize_t rxe_cursor_next(struct rxe_cursor *cur, size_t want, void **kaddr);
int rxe_cursor_put(struct rxe_cursor *cur, const void *bytes, u32 n);
void rxe_cursor_missing(const struct rxe_cursor *cur,
			struct rxe_odp_range *range);

/* No copy is under way any more; cur->mr is still known */
static inline void rxe_cursor_let_go(struct rxe_cursor *cur)
{
	if (cur->hold)
		rxe_hold_put(cur->hold);
	if (cur->pages)
		rxe_hold_put(cur->pages);
	cur->hold = NULL;
	cur->pages = NULL;
}

/**
 * rxe_cursor_rest - the copy is over for now
 * @cur: the cursor; it may be used again, and looks at its key again if that may have
 *	become invalid
 *
 * To be called after the last rxe_cursor_next() before anything else is done than
 * copying; it need not be after one that failed. As rxe_cursor_next().
 */
static inline void rxe_cursor_rest(struct rxe_cursor *cur)
{
	if (!cur->hold && !cur->pages)
		return;
	rxe_cursor_let_go(cur);
	cur->mr = NULL;
}

#endif /* RXE_OBJ_CURSOR_H */
