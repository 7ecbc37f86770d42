// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory windows (IBTA 10.6.7) */
#include <linux/build_bug.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "mw.h"
#include "qp.h"

#define KEY_INDEX(key) ((key) >> 8)

static_assert(RXE_ACC_MW_BIND == IB_ACCESS_MW_BIND);
static_assert(RXE_ACC_ZERO_BASED == IB_ZERO_BASED);

static struct rxe_mw *lookup(struct rxe_dev *dev, u32 key)
{
	u32 index = KEY_INDEX(key);

	if (index < RXE_MIN_MW_INDEX || index > RXE_MAX_MW_INDEX)
		return NULL;
	return xa_load(&dev->keys, index);
}

/**
 * rxe_mw_alloc - give a window its key
 * @mw: the window, zeroed but for what the core sets
 *
 * The key cannot be used before a bind. May sleep.
 *
 * Return: 0, -EBUSY when all keys are in use, -ENOMEM.
 */
int rxe_mw_alloc(struct rxe_mw *mw)
{
	struct rxe_dev *dev = to_rxe_dev(mw->ib.device);
	u32 index;
	int err;

	err = xa_alloc_cyclic(&dev->keys, &index, NULL,
			      XA_LIMIT(RXE_MIN_MW_INDEX, RXE_MAX_MW_INDEX),
			      &dev->mw_next, GFP_KERNEL);
	if (err < 0)
		return err;
	spin_lock_init(&mw->lock);
	mw->win.pd = mw->ib.pd;
	mw->win.type2 = mw->ib.type == IB_MW_TYPE_2;
	mw->win.key = index << 8 | get_random_u8();
	mw->ib.rkey = mw->win.key;
	/* The index is reserved: nothing can fail */
	xa_store(&dev->keys, index, mw, GFP_KERNEL);
	return 0;
}

/* Let go of region and QP, when nobody copies through the window any more. Nobody
 * begins, for that takes the lock; who has begun needs no lock to end.
 */
static void unbind(struct rxe_mw *mw)
{
	lockdep_assert_held(&mw->lock);

	rxe_hold_wait(&mw->hold);
	if (mw->mr)
		atomic_dec(&mw->mr->bound_mws);
	mw->mr = NULL;
	/* The QP may be gone as soon as it counts no windows */
	if (mw->qp)
		atomic_dec(&mw->qp->bound_mws);
	mw->qp = NULL;
}

/**
 * rxe_mw_dealloc - undo rxe_mw_alloc(), also while bound
 * @mw: the window; nobody finds it any more when this returns
 *
 * May sleep.
 */
void rxe_mw_dealloc(struct rxe_mw *mw)
{
	struct rxe_dev *dev = to_rxe_dev(mw->ib.device);
	u32 index = KEY_INDEX(mw->win.key);

	/* Unbound before it is unpublished: a QP that goes finds it till then */
	spin_lock_bh(&mw->lock);
	mw->win.state = RXE_WINDOW_DEAD;
	unbind(mw);
	spin_unlock_bh(&mw->lock);
	xa_store(&dev->keys, index, XA_ZERO_ENTRY, GFP_KERNEL);
	synchronize_rcu_expedited();
	xa_erase(&dev->keys, index);
}

/**
 * rxe_mw_bind - carry out a bind request (IBTA 10.6.7.2)
 * @qp: the QP that it was posted to
 * @w: the request
 *
 * Under @qp->send_lock and RCU, by nobody who is copying (see rxe_hold_get()).
 *
 * Return: 0, or -EINVAL when the window, the region or the range will not do.
 */
int rxe_mw_bind(struct rxe_qp *qp, const struct rxe_swqe *w)
{
	const struct rxe_bind bind = {
		.pd = qp->ib.pd,
		.qpn = qp->ib.qp_num,
		.old_key = w->rkey,
		.new_key = w->local.key,
		.access = w->local.access,
		.addr = w->local.addr,
		.length = w->local.length,
	};
	struct rxe_region region;
	struct rxe_mr *mr = NULL;
	struct rxe_mw *mw;
	int err = -EINVAL;

	lockdep_assert_held(&qp->send_lock);

	mw = lookup(qp->dev, w->rkey);
	if (!mw)
		return -EINVAL;
	if (bind.length) {
		mr = rxe_mr_get_bound(qp->dev, qp->ib.pd, w->local.mr_lkey,
				      &region);
		if (!mr)
			return -EINVAL;
	}

	spin_lock_bh(&mw->lock);
	if (rxe_window_bindable(&mw->win, &bind, mr ? &region : NULL)) {
		unbind(mw);
		rxe_window_bind(&mw->win, &bind);
		swap(mw->mr, mr);
		if (mw->win.type2) {
			mw->qp = qp;
			atomic_inc(&qp->bound_mws);
		}
		err = 0;
	}
	spin_unlock_bh(&mw->lock);

	if (mr)
		atomic_dec(&mr->bound_mws);
	return err;
}

/**
 * rxe_mw_invalidate - carry out LOCAL_INV, or a peer's SEND with invalidate
 * @dev: the device
 * @pd: protection domain of the QP
 * @qpn: the QP
 * @key: key to invalidate
 *
 * As rxe_mr_invalidate().
 *
 * Return: 0, or -EINVAL, see rxe_window_invalidate().
 */
int rxe_mw_invalidate(struct rxe_dev *dev, struct ib_pd *pd, u32 qpn, u32 key)
{
	struct rxe_mw *mw = lookup(dev, key);
	int err = -EINVAL;

	if (!mw)
		return -EINVAL;
	spin_lock_bh(&mw->lock);
	if (rxe_window_invalidate(&mw->win, pd, qpn, key)) {
		unbind(mw);
		err = 0;
	}
	spin_unlock_bh(&mw->lock);
	return err;
}

/**
 * rxe_mw_check - may a peer use this memory through a window?
 * @dev: the device
 * @pd: protection domain of the QP
 * @qpn: the QP
 * @key: key of the window
 * @va: first address, as the peer names it
 * @len: bytes, > 0
 * @access: enum ib_access_flags that the window must grant
 * @mr: set to the region; valid until rcu_read_unlock()
 * @at: set to the first address as the region names it
 * @hold: set to a count that was taken, to be put after the copy, or to NULL
 *
 * Softirq context or BH disabled, under RCU. What the region itself grants to
 * peers does not count, and it stays as long as it has windows.
 *
 * Return: 0, -EINVAL or -EACCES as rxe_window_check().
 */
int rxe_mw_check(struct rxe_dev *dev, struct ib_pd *pd, u32 qpn, u32 key,
		 u64 va, u64 len, int access, struct rxe_mr **mr, u64 *at,
		 struct rxe_hold **hold)
{
	struct rxe_mw *mw = lookup(dev, key);
	int err;

	*hold = NULL;
	if (!mw)
		return -EINVAL;
	spin_lock_bh(&mw->lock);
	err = rxe_window_check(&mw->win, pd, qpn, key, va, len, access, at);
	if (!err) {
		*mr = mw->mr;
		*hold = &mw->hold;
		rxe_hold_get(*hold);
	}
	spin_unlock_bh(&mw->lock);
	return err;
}

/**
 * rxe_rkey_check - may a peer use this memory, by the key of a window or a region?
 * @dev: the device
 * @pd: protection domain of the QP
 * @qpn: the QP
 * @rkey: the key
 * @va: first address, as the peer names it
 * @len: bytes, > 0
 * @access: enum ib_access_flags that the key must grant
 * @mr: set to the region; valid until rcu_read_unlock()
 * @at: set to the first address as the region names it
 * @hold: set to a count that was taken, to be put after the copy, or to NULL
 *
 * Softirq context or BH disabled, under RCU.
 *
 * Return: 0, or as rxe_mw_check() or rxe_mr_check().
 */
int rxe_rkey_check(struct rxe_dev *dev, struct ib_pd *pd, u32 qpn, u32 rkey,
		   u64 va, u64 len, int access, struct rxe_mr **mr, u64 *at,
		   struct rxe_hold **hold)
{
	if (rxe_mw_is_key(rkey))
		return rxe_mw_check(dev, pd, qpn, rkey, va, len, access, mr, at,
				    hold);
	*at = va;
	return rxe_mr_check(dev, pd, rkey, va, len, access, mr, hold);
}

/**
 * rxe_mw_bounds - the range that a window stands for
 * @dev: the device
 * @key: its key
 * @va: set to the first address, as a peer names it
 * @length: set to the number of bytes
 *
 * As rxe_mr_bounds(). Softirq context or BH disabled, under RCU.
 *
 * Return: 0, or -EINVAL for an unknown key.
 */
int rxe_mw_bounds(struct rxe_dev *dev, u32 key, u64 *va, u64 *length)
{
	struct rxe_mw *mw = lookup(dev, key);

	if (!mw)
		return -EINVAL;
	spin_lock_bh(&mw->lock);
	*va = mw->win.access & RXE_ACC_ZERO_BASED ? 0 : mw->win.addr;
	*length = mw->win.length;
	spin_unlock_bh(&mw->lock);
	return 0;
}

/**
 * rxe_mw_detach_qp - windows that are bound on a QP become free
 * @qp: the QP on its way out: nothing runs on it any more
 *
 * May sleep.
 */
void rxe_mw_detach_qp(struct rxe_qp *qp)
{
	struct rxe_dev *dev = qp->dev;
	unsigned long index;
	struct rxe_mw *mw;

	/* Nobody binds any more, so what is counted can only become less */
	if (!atomic_read(&qp->bound_mws))
		return;
	rcu_read_lock();
	xa_for_each_range(&dev->keys, index, mw, RXE_MIN_MW_INDEX,
			  RXE_MAX_MW_INDEX) {
		spin_lock_bh(&mw->lock);
		if (mw->qp == qp) {
			mw->win.state = RXE_WINDOW_FREE;
			unbind(mw);
		}
		spin_unlock_bh(&mw->lock);
		/* There may be half a million; the walk goes on by number */
		rcu_read_unlock();
		cond_resched();
		rcu_read_lock();
	}
	rcu_read_unlock();
}
