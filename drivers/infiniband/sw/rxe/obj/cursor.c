// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "cursor.h"

#include "mw.h"

/* Find the memory that the cursor stands in, if it may be used */
static int resolve(struct rxe_cursor *cur)
{
	const struct rxe_sge *sge = cur->sge;

	if (cur->remote)
		return rxe_rkey_check(cur->dev, cur->pd, cur->qpn, sge->lkey,
				      cur->va, sge->length, cur->access,
				      &cur->mr, &cur->one.addr, &cur->hold);
	return rxe_mr_check(cur->dev, cur->pd, sge->lkey, sge->addr,
			    sge->length, cur->access, &cur->mr, &cur->hold);
}

/* Leave SGEs that are used up, empty ones too */
static void skip_used(struct rxe_cursor *cur)
{
	while (cur->sges_left && cur->off >= cur->sge->length) {
		rxe_cursor_rest(cur);
		cur->off -= cur->sge->length;
		cur->sge++;
		cur->sges_left--;
		cur->mr = NULL;
	}
}

/**
 * rxe_cursor_sges - stand in memory that local SGEs describe
 * @cur: the cursor
 * @dev: the device
 * @pd: protection domain that the keys must belong to
 * @sge: the SGEs; used until the cursor is done with
 * @num_sge: how many
 * @offset: bytes from the first of them
 * @access: enum ib_access_flags the keys must grant, 0 = read
 *
 * Keys are checked as the cursor gets there. Any context, under RCU.
 */
void rxe_cursor_sges(struct rxe_cursor *cur, struct rxe_dev *dev,
		     struct ib_pd *pd, const struct rxe_sge *sge, u32 num_sge,
		     u32 offset, int access)
{
	cur->dev = dev;
	cur->pd = pd;
	cur->access = access;
	cur->sge = sge;
	cur->sges_left = num_sge;
	cur->off = offset;
	cur->mr = NULL;
	cur->hold = NULL;
	cur->pages = NULL;
	cur->remote = false;
	cur->inl = NULL;
	skip_used(cur);
}

/**
 * rxe_cursor_inline - stand in bytes that are kernel memory
 * @cur: the cursor
 * @bytes: the bytes; the caller knows how many there are
 * @offset: bytes from there
 *
 * Any context.
 */
void rxe_cursor_inline(struct rxe_cursor *cur, const void *bytes, u32 offset)
{
	cur->inl = bytes + offset;
	cur->hold = NULL;
	cur->pages = NULL;
}

/**
 * rxe_cursor_remote - stand in memory that a peer named
 * @cur: the cursor; not to be copied
 * @dev: the device
 * @pd: protection domain of the QP
 * @qpn: the QP, for keys that belong to one
 * @rkey: key of a region or a window
 * @va: first address
 * @len: bytes, at most 2^31; with 0 no key is looked at (IBTA 9.4.3)
 * @access: enum ib_access_flags the key must grant
 *
 * Softirq context or BH disabled, under RCU.
 *
 * The key is checked here already, for all of @len; nothing is kept from being taken
 * away before the first rxe_cursor_next().
 *
 * Return: 0, or as rxe_mr_check().
 */
int rxe_cursor_remote(struct rxe_cursor *cur, struct rxe_dev *dev,
		      struct ib_pd *pd, u32 qpn, u32 rkey, u64 va, u64 len,
		      int access)
{
	int err;

	if (len > RXE_MAX_MSG_BYTES)
		return -EINVAL;
	cur->one = (struct rxe_sge){ .addr = va, .length = len, .lkey = rkey };
	rxe_cursor_sges(cur, dev, pd, &cur->one, 1, 0, access);
	if (!len)
		return 0;
	cur->remote = true;
	cur->qpn = qpn;
	cur->va = va;
	err = resolve(cur);
	rxe_cursor_rest(cur);
	return err;
}

/* What rxe_mr_span() does not know: pages that come and go */
static ssize_t find_page(struct rxe_cursor *cur, u64 va, size_t want,
			 void **kaddr)
{
	size_t n;

	if (!cur->mr->odp) {
		rxe_cursor_rest(cur);
		return -EINVAL;
	}
	if (!cur->pages) {
		cur->pages = &cur->mr->odp->hold;
		rxe_hold_get(cur->pages);
	}
	n = rxe_odp_span(cur->mr, va, want, cur->access, kaddr);
	if (n)
		return n;
	rxe_cursor_let_go(cur);
	return -EAGAIN;
}

/**
 * rxe_cursor_next - next span
 * @cur: the cursor; moves behind the span
 * @want: bytes wanted, > 0
 * @kaddr: set to its address
 *
 * A key is looked up once for all of its SGE, or once from one rxe_cursor_rest() to the
 * next. BH disabled, in the RCU read section in which the cursor was set up.
 *
 * Return: bytes that lie at @kaddr, 1 .. @want; -EINVAL when there is no such
 * memory (key, PD, bounds, or no SGE left), -EACCES for a lack of access rights, -EAGAIN
 * when it is not there now: see rxe_cursor_missing().
 */
ssize_t rxe_cursor_next(struct rxe_cursor *cur, size_t want, void **kaddr)
{
	const struct rxe_sge *sge;
	ssize_t n;
	u64 va;
	int err;

	if (cur->inl) {
		*kaddr = (void *)cur->inl;
		cur->inl += want;
		return want;
	}

	skip_used(cur);
	if (!cur->sges_left)
		return -EINVAL;
	sge = cur->sge;
	if (!cur->mr) {
		err = resolve(cur);
		if (err)
			return err;
	}
	va = sge->addr + cur->off;
	want = min_t(size_t, want, sge->length - cur->off);
	n = rxe_mr_span(cur->mr, va, want, kaddr);
	if (!n)
		n = find_page(cur, va, want, kaddr);
	if (n > 0)
		cur->off += n;
	return n;
}

/**
 * rxe_cursor_put - store a few bytes
 * @cur: the cursor; moves behind them, and does not rest
 * @bytes: the bytes
 * @n: how many
 *
 * As rxe_cursor_next().
 *
 * Return: 0, or the error of rxe_cursor_next(); some may have been stored then.
 */
int rxe_cursor_put(struct rxe_cursor *cur, const void *bytes, u32 n)
{
	while (n) {
		void *kaddr;
		ssize_t part = rxe_cursor_next(cur, n, &kaddr);

		if (part < 0)
			return part;
		memcpy(kaddr, bytes, part);
		bytes += part;
		n -= part;
	}
	return 0;
}

/**
 * rxe_cursor_missing - what has to be brought in
 * @cur: the cursor, just after rxe_cursor_next() said -EAGAIN
 * @range: filled: all of the SGE that is ahead; to be given back with rxe_odp_put()
 *
 * In the RCU read section in which the cursor was set up.
 */
void rxe_cursor_missing(const struct rxe_cursor *cur,
			struct rxe_odp_range *range)
{
	*range = (struct rxe_odp_range){
		.mr = cur->mr,
		.va = cur->sge->addr + cur->off,
		.length = cur->sge->length - cur->off,
		.write = ib_access_writable(cur->access),
	};
	rxe_odp_get(range);
}
