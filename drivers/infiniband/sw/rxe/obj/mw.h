/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Memory windows: lifetime, binding, the way through them to a region */
#ifndef RXE_OBJ_MW_H
#define RXE_OBJ_MW_H

#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "../proto/window.h"
#include "mr.h"

struct rxe_qp;

/**
 * struct rxe_mw - a memory window
 * @ib: the core's window
 * @hold: copies under way through it
 * @lock: bh leaf; protects what follows
 * @win: rules and bounds
 * @mr: region it is bound to; counts in the region's bound_mws
 * @qp: type 2: QP it is bound on; counts in the QP's bound_mws
 */
struct rxe_mw {
	struct ib_mw ib;
	struct rxe_hold hold;
	spinlock_t lock; /* bh leaf */
	struct rxe_window win;
	struct rxe_mr *mr;
	struct rxe_qp *qp;
};

static inline struct rxe_mw *to_rxe_mw(struct ib_mw *ib)
{
	return container_of(ib, struct rxe_mw, ib);
}

static inline bool rxe_mw_is_key(u32 key)
{
	return key >> 8 >= RXE_MIN_MW_INDEX;
}

int rxe_mw_alloc(struct rxe_mw *mw);
void rxe_mw_dealloc(struct rxe_mw *mw);
int rxe_mw_bind(struct rxe_qp *qp, const struct rxe_swqe *w);
int rxe_mw_invalidate(struct rxe_dev *dev, struct ib_pd *pd, u32 qpn, u32 key);
int rxe_mw_check(struct rxe_dev *dev, struct ib_pd *pd, u32 qpn, u32 key,
		 u64 va, u64 len, int access, struct rxe_mr **mr, u64 *at,
		 struct rxe_hold **hold);
int rxe_rkey_check(struct rxe_dev *dev, struct ib_pd *pd, u32 qpn, u32 rkey,
		   u64 va, u64 len, int access, struct rxe_mr **mr, u64 *at,
		   struct rxe_hold **hold);
int rxe_mw_bounds(struct rxe_dev *dev, u32 key, u64 *va, u64 *length);
void rxe_mw_detach_qp(struct rxe_qp *qp);

#endif /* RXE_OBJ_MW_H */
