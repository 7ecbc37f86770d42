/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Memory windows: what may be bound to what, and used by whom (IBTA 10.6.7) */
#ifndef RXE_PROTO_WINDOW_H
#define RXE_PROTO_WINDOW_H

#include "types.h"

/* Access flags; the numbers are those of the verbs ABI */
#define RXE_ACC_MW_BIND BIT(4)
#define RXE_ACC_ZERO_BASED BIT(5)

enum rxe_window_state {
	RXE_WINDOW_FREE,
	RXE_WINDOW_VALID,
	RXE_WINDOW_DEAD,
};

/**
 * struct rxe_window - a memory window
 * @pd: its protection domain, opaque here
 * @state: enum rxe_window_state
 * @type2: type 2B, used through one QP; else type 1
 * @key: remote key; while free the one that the next bind has to name
 * @qpn: type 2B: QP that it was bound on
 * @access: RXE_ACC_*
 * @addr: first byte, as the region names it
 * @length: bytes
 */
struct rxe_window {
	const void *pd;
	u8 state;
	bool type2;
	u32 key;
	u32 qpn;
	u32 access;
	u64 addr;
	u64 length;
};

/**
 * struct rxe_region - what a bind has to know of the region
 * @pd: its protection domain
 * @access: RXE_ACC_*
 * @iova: first address
 * @length: bytes
 */
struct rxe_region {
	const void *pd;
	u32 access;
	u64 iova;
	u64 length;
};

/**
 * struct rxe_bind - a bind request
 * @pd: protection domain of the QP
 * @qpn: the QP
 * @old_key: key of the window up to now
 * @new_key: its low byte is that of the key from now on
 * @access: RXE_ACC_*
 * @addr: first byte, as the region names it
 * @length: bytes; 0 unbinds a window of type 1
 */
struct rxe_bind {
	const void *pd;
	u32 qpn;
	u32 old_key;
	u32 new_key;
	u32 access;
	u64 addr;
	u64 length;
};

bool rxe_window_bindable(const struct rxe_window *win,
			 const struct rxe_bind *bind,
			 const struct rxe_region *region);
void rxe_window_bind(struct rxe_window *win, const struct rxe_bind *bind);
int rxe_window_check(const struct rxe_window *win, const void *pd, u32 qpn,
		     u32 key, u64 va, u64 len, u32 access, u64 *at);
bool rxe_window_invalidate(struct rxe_window *win, const void *pd, u32 qpn,
			   u32 key);

#endif /* RXE_PROTO_WINDOW_H */
