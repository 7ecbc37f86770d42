// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "window.h"

#include <linux/errno.h>

#define ACC_REMOTE \
	(RXE_ACC_REMOTE_WRITE | RXE_ACC_REMOTE_READ | RXE_ACC_REMOTE_ATOMIC)
#define ACC_WINDOW \
	(RXE_ACC_LOCAL_WRITE | ACC_REMOTE | RXE_ACC_FLUSH | RXE_ACC_ZERO_BASED)
/* What a region grants only when it grants local write */
#define ACC_WRITES (RXE_ACC_REMOTE_WRITE | RXE_ACC_REMOTE_ATOMIC)

static bool covers(u64 start, u64 length, u64 va, u64 len)
{
	return va >= start && va - start <= length &&
	       len <= length - (va - start);
}

/* Does the region give what the window is to give on? (IBTA 10.6.7.2.3) */
static bool region_allows(const struct rxe_region *region,
			  const struct rxe_bind *bind)
{
	if (region->pd != bind->pd || !(region->access & RXE_ACC_MW_BIND))
		return false;
	if ((bind->access & ACC_WRITES) &&
	    !(region->access & RXE_ACC_LOCAL_WRITE))
		return false;
	/* Only a region whose memory is persistent grants persistence */
	if (bind->access & RXE_ACC_FLUSH & ~region->access)
		return false;
	return covers(region->iova, region->length, bind->addr, bind->length);
}

/**
 * rxe_window_bindable() - may this bind be carried out? (IBTA 10.6.7.2)
 * @win: the window
 * @bind: the request
 * @region: region it names, NULL when there is none
 *
 * A window of type 1 may be bound again and again, and is unbound by a bind of
 * length 0, for which no region counts. One of type 2 must be free, and its
 * length is not 0. Only type 2 may be zero based. The low byte of the old key counts
 * with type 1 only: user libraries do not keep track of it for type 2.
 *
 * Context: any; the caller keeps @win from changing.
 * Return: true when it may.
 */
bool rxe_window_bindable(const struct rxe_window *win,
			 const struct rxe_bind *bind,
			 const struct rxe_region *region)
{
	if (win->state == RXE_WINDOW_DEAD || win->pd != bind->pd ||
	    (win->key ^ bind->old_key) >> 8 || (bind->access & ~ACC_WINDOW))
		return false;
	if (win->type2) {
		if (win->state != RXE_WINDOW_FREE || !bind->length)
			return false;
	} else {
		if (win->key != bind->old_key ||
		    (bind->access & RXE_ACC_ZERO_BASED))
			return false;
		if (!bind->length)
			return true;
	}
	return region && region_allows(region, bind);
}

/**
 * rxe_window_bind() - carry out a bind
 * @win: the window
 * @bind: a request that rxe_window_bindable() approved
 *
 * Context: any; the caller keeps others off @win.
 */
void rxe_window_bind(struct rxe_window *win, const struct rxe_bind *bind)
{
	win->key = (win->key & ~0xffU) | (bind->new_key & 0xff);
	win->qpn = bind->qpn;
	win->access = bind->access;
	win->addr = bind->addr;
	win->length = bind->length;
	win->state = bind->length ? RXE_WINDOW_VALID : RXE_WINDOW_FREE;
}

/**
 * rxe_window_check() - may a peer use this memory? (IBTA 10.6.7.2.4)
 * @win: the window
 * @pd: protection domain of the QP
 * @qpn: the QP
 * @key: key that the peer named
 * @va: first address that it named: of the region, or, in a zero based window,
 *	counted from the window's first byte
 * @len: bytes, > 0
 * @access: RXE_ACC_* that are needed, all of them
 * @at: set to the first address as the region names it
 *
 * Context: any; the caller keeps @win from changing.
 * Return: 0, -EINVAL for key, PD, QP, state or bounds, -EACCES for a lack of
 * access rights.
 */
int rxe_window_check(const struct rxe_window *win, const void *pd, u32 qpn,
		     u32 key, u64 va, u64 len, u32 access, u64 *at)
{
	bool zero_based = win->access & RXE_ACC_ZERO_BASED;

	if (win->state != RXE_WINDOW_VALID || win->key != key ||
	    win->pd != pd || (win->type2 && win->qpn != qpn))
		return -EINVAL;
	if (access & ~win->access)
		return -EACCES;
	if (!covers(zero_based ? 0 : win->addr, win->length, va, len))
		return -EINVAL;
	*at = zero_based ? win->addr + va : va;
	return 0;
}

/**
 * rxe_window_invalidate() - LOCAL_INV, or a peer's SEND with invalidate
 * @win: the window
 * @pd: protection domain of the QP
 * @qpn: the QP
 * @key: key named in the request
 *
 * Only a bound window of type 2B, on the QP that it was bound on (IBTA 10.6.7.2.6).
 *
 * Context: any; the caller keeps others off @win.
 * Return: false when it may not be; nothing changed then.
 */
bool rxe_window_invalidate(struct rxe_window *win, const void *pd, u32 qpn,
			   u32 key)
{
	if (!win->type2 || win->state != RXE_WINDOW_VALID || win->key != key ||
	    win->pd != pd || win->qpn != qpn)
		return false;
	win->state = RXE_WINDOW_FREE;
	return true;
}
