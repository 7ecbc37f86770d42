/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* As much of a device as memory keys, windows and groups need */
#ifndef RXE_KUNIT_MEM_RIG_H
#define RXE_KUNIT_MEM_RIG_H

#include "obj/cursor.h"
#include "obj/dev.h"
#include "obj/mr.h"
#include "obj/mw.h"
#include "obj/qp.h"
#include "util.h"

#define MEM_RIG_QPS 3
/* All rights that a region may be given */
#define MEM_RIG_ACCESS                                                      \
	(RXE_ACC_LOCAL_WRITE | RXE_ACC_REMOTE_WRITE | RXE_ACC_REMOTE_READ | \
	 RXE_ACC_REMOTE_ATOMIC | RXE_ACC_MW_BIND | RXE_ACC_FLUSH)

/**
 * struct mem_rig - a device without ports or users
 * @dev: the device
 * @pd: protection domain of the first QP and of what the rig makes
 * @other_pd: another one
 * @qp: QPs: the first two of @pd, the last of @other_pd
 */
struct mem_rig {
	struct rxe_dev dev;
	struct ib_pd pd;
	struct ib_pd other_pd;
	struct rxe_qp qp[MEM_RIG_QPS];
};

int mem_rig_init(struct kunit *test);
void mem_rig_exit(struct kunit *test);
struct rxe_mr *mem_rig_fast_mr(struct kunit *test, u64 iova, u32 bytes,
			       int access);
struct rxe_mr *mem_rig_user_mr(struct kunit *test, u64 iova, u32 bytes,
			       int access);
int mem_rig_bind(struct rxe_qp *qp, const struct rxe_mw *mw,
		 const struct rxe_mr *mr, u64 addr, u64 length, int access);
int mem_rig_fill(struct rxe_cursor *cur, u32 bytes, u8 value);

#endif /* RXE_KUNIT_MEM_RIG_H */
