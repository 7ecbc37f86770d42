/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* FLUSH: what a peer wrote becomes visible to all, or persistent (IBTA annex A19) */
#ifndef RXE_OBJ_FLUSH_H
#define RXE_OBJ_FLUSH_H

#include <rdma/ib_verbs.h>

#include "dev.h"
#include "mr.h"

/**
 * struct rxe_flush - what a peer wants flushed
 * @rkey: key of a region or a window
 * @whole: all of it; else the range that follows
 * @va: first address
 * @length: bytes; with 0 no key is looked at
 * @access: RXE_ACC_FLUSH_* that the key must grant
 * @done: bytes written back so far, 0 at first
 */
struct rxe_flush {
	u32 rkey;
	bool whole;
	u64 va;
	u64 length;
	int access;
	u64 done;
};

bool rxe_flush_can_persist(const struct rxe_mr *mr);
int rxe_flush_some(struct rxe_dev *dev, struct ib_pd *pd, u32 qpn,
		   struct rxe_flush *flush);

#endif /* RXE_OBJ_FLUSH_H */
