// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Address handles. All of it may run in atomic context. The data path finds a
 * handle by number under RCU and sees only its struct rxe_ah_entry, which is
 * replaced as a whole and freed after a grace period: nobody waits.
 */
#include "../obj/abi.h"
#include "../obj/av.h"
#include "compat/alloc.h"
#include "compat/rdma.h"
#include "verbs.h"

static struct rxe_ah_entry *make_entry(struct rxe_dev *dev, struct ib_pd *pd,
				       const struct rdma_ah_attr *attr,
				       gfp_t gfp)
{
	struct rxe_ah_entry *entry;
	int err;

	err = rxe_av_check(dev, attr);
	if (err)
		return ERR_PTR(err);

	entry = kzalloc_obj(*entry, gfp);
	if (!entry)
		return ERR_PTR(-ENOMEM);

	/* no QP yet: the sender puts in its own source port */
	err = rxe_av_set(dev, attr, 0, 0, &entry->av);
	if (err) {
		kfree(entry);
		return ERR_PTR(err);
	}
	entry->pd = pd;
	return entry;
}

/* Keep what query returns; the core holds the reference to the source GID */
static void keep_attr(struct rxe_ah *ah, const struct rdma_ah_attr *attr)
{
	ah->attr = *attr;
	ah->attr.grh.sgid_attr = NULL;
}

/* Number 0 is never given out: user space takes it for "no handle". When users hold all
 * they may there is still one for the kernel, whose connection manager needs them.
 */
static int publish_entry(struct rxe_dev *dev, struct rxe_ah_entry *entry)
{
	struct xa_limit limit = XA_LIMIT(1, 2 * RXE_MAX_AH);
	unsigned long flags;
	int err;

	xa_lock_irqsave(&dev->ahs, flags);
	err = __xa_alloc_cyclic(&dev->ahs, &entry->num, entry, limit,
				&dev->ah_next, GFP_ATOMIC);
	xa_unlock_irqrestore(&dev->ahs, flags);

	if (err == -EBUSY)
		return -ENOSPC;
	return err < 0 ? err : 0;
}

static void unpublish_entry(struct rxe_dev *dev, struct rxe_ah_entry *entry)
{
	unsigned long flags;

	xa_lock_irqsave(&dev->ahs, flags);
	__xa_erase(&dev->ahs, entry->num);
	xa_unlock_irqrestore(&dev->ahs, flags);
	kfree_rcu(entry, rcu);
}

/**
 * rxe_create_ah() - address handle, for kernel and user consumers
 * @ibah: new handle
 * @init: destination; RDMA_CREATE_AH_SLEEPABLE says that it may sleep
 * @udata: answer: number that send work requests name the handle by
 *
 * A provider that has no room for the number could not use the handle: what
 * it would put into its work requests instead is not taken from user memory.
 *
 * Context: any without RDMA_CREATE_AH_SLEEPABLE.
 * Return: 0, -EINVAL for a bad destination or private request, -EOPNOTSUPP for
 * a provider as above, -ENOMEM, -ENOSPC at the limit, -EFAULT.
 */
int rxe_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		  struct ib_udata *udata)
{
	bool sleepable = init->flags & RDMA_CREATE_AH_SLEEPABLE;
	struct rxe_dev *dev = to_rxe_dev(ibah->device);
	struct rxe_ah *ah = to_rxe_ah(ibah);
	struct rxe_create_ah_resp resp = {};
	struct rxe_ah_entry *entry;
	int err;

	if (udata && udata->inlen)
		return -EINVAL;
	if (udata && udata->outlen < sizeof(resp))
		return -EOPNOTSUPP;
	ah->user = udata;
	if (ah->user && !rxe_limit_get(&dev->num_ah, RXE_MAX_AH))
		return -ENOSPC;

	entry = make_entry(dev, ibah->pd, init->ah_attr,
			   sleepable ? GFP_KERNEL_ACCOUNT : GFP_ATOMIC);
	if (IS_ERR(entry)) {
		err = PTR_ERR(entry);
		goto put_limit;
	}

	err = publish_entry(dev, entry);
	if (err)
		goto free_entry;

	if (udata) {
		resp.ah_num = entry->num;
		err = ib_respond_udata(udata, resp);
		if (err)
			goto unpublish;
	}

	ah->entry = entry;
	keep_attr(ah, init->ah_attr);
	return 0;

unpublish:
	unpublish_entry(dev, entry);
	goto put_limit;
free_entry:
	kfree(entry);
put_limit:
	if (ah->user)
		rxe_limit_put(&dev->num_ah);
	return err;
}

/**
 * rxe_modify_ah() - change the destination of a handle, its number stays
 * @ibah: the handle
 * @attr: new destination
 *
 * Context: any; the consumer does not use the handle at the same time.
 * Return: 0, -EINVAL for a bad destination, -ENOMEM.
 */
int rxe_modify_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	struct rxe_dev *dev = to_rxe_dev(ibah->device);
	struct rxe_ah *ah = to_rxe_ah(ibah);
	struct rxe_ah_entry *entry, *old = ah->entry;
	unsigned long flags;

	entry = make_entry(dev, ibah->pd, attr, GFP_ATOMIC);
	if (IS_ERR(entry))
		return PTR_ERR(entry);

	/* takes the place of a present entry: no memory is needed */
	entry->num = old->num;
	xa_lock_irqsave(&dev->ahs, flags);
	__xa_store(&dev->ahs, entry->num, entry, GFP_ATOMIC);
	xa_unlock_irqrestore(&dev->ahs, flags);

	ah->entry = entry;
	keep_attr(ah, attr);
	kfree_rcu(old, rcu);
	return 0;
}

/**
 * rxe_query_ah() - destination of a handle
 * @ibah: the handle
 * @attr: filled, as it was set
 *
 * Context: any.
 * Return: 0.
 */
int rxe_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	*attr = to_rxe_ah(ibah)->attr;
	return 0;
}

/**
 * rxe_destroy_ah() - give a handle back
 * @ibah: the handle
 * @flags: RDMA_DESTROY_AH_SLEEPABLE or not, it makes no difference
 *
 * Context: any.
 * Return: 0.
 */
int rxe_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	struct rxe_dev *dev = to_rxe_dev(ibah->device);
	struct rxe_ah *ah = to_rxe_ah(ibah);

	unpublish_entry(dev, ah->entry);
	if (ah->user)
		rxe_limit_put(&dev->num_ah);
	return 0;
}
