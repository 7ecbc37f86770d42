// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Multicast groups. The data path walks them under RCU; they are changed under
 * rxe_dev.mcast_mutex. A QP is attached at most as long as it exists: the core
 * refuses to destroy it before, and unpublishing it waits the grace period after
 * which no walk has it in its hands.
 */
#include <linux/jhash.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "compat/alloc.h"
#include "mcast.h"

static struct hlist_head *bucket(struct rxe_dev *dev,
				 const struct in6_addr *addr)
{
	u32 hash = jhash2((const u32 *)addr->s6_addr32, 4, 0);

	return &dev->mcast_grps[hash % RXE_MCAST_BUCKETS];
}

/**
 * rxe_mcast_find() - the group of an address
 * @dev: the device
 * @addr: multicast address, an IPv4 one as mapped address
 *
 * Context: RCU read section, or rxe_dev.mcast_mutex.
 * Return: the group, which has members, or NULL.
 */
struct rxe_mcast_grp *rxe_mcast_find(struct rxe_dev *dev,
				     const struct in6_addr *addr)
{
	struct rxe_mcast_grp *grp;

	hlist_for_each_entry_rcu(grp, bucket(dev, addr), link,
				 lockdep_is_held(&dev->mcast_mutex))
		if (ipv6_addr_equal(&grp->addr, addr))
			return grp;
	return NULL;
}

static struct rxe_mcast_member *find_member(struct rxe_mcast_grp *grp,
					    const struct rxe_qp *qp)
{
	struct rxe_mcast_member *m;

	hlist_for_each_entry(m, &grp->members, link)
		if (m->qp == qp)
			return m;
	return NULL;
}

static struct rxe_mcast_grp *new_group(struct rxe_dev *dev,
				       const struct in6_addr *addr)
{
	struct rxe_mcast_grp *grp;

	if (dev->num_mcast_grp >= RXE_MAX_MCAST_GRP)
		return ERR_PTR(-ENOSPC);
	grp = kzalloc_obj(*grp, GFP_KERNEL_ACCOUNT);
	if (!grp)
		return ERR_PTR(-ENOMEM);
	grp->addr = *addr;
	return grp;
}

static int add_member(struct rxe_mcast_grp *grp, struct rxe_qp *qp)
{
	struct rxe_mcast_member *m;

	if (grp->num >= RXE_MAX_MCAST_ATTACH)
		return -ENOSPC;
	m = kzalloc_obj(*m, GFP_KERNEL_ACCOUNT);
	if (!m)
		return -ENOMEM;
	m->qp = qp;
	m->times = 1;
	hlist_add_head_rcu(&m->link, &grp->members);
	grp->num++;
	return 0;
}

/**
 * rxe_mcast_attach() - let a QP have the datagrams to a group
 * @qp: a UD QP
 * @addr: the group; with its first member it comes into being
 *
 * A QP may be attached repeatedly; it gets one copy all the same.
 *
 * Context: rxe_dev.mcast_mutex; may sleep.
 * Return: 0, -ENOSPC at the limit of groups or of QPs in this one, -ENOMEM.
 */
int rxe_mcast_attach(struct rxe_qp *qp, const struct in6_addr *addr)
{
	struct rxe_dev *dev = qp->dev;
	struct rxe_mcast_member *m;
	struct rxe_mcast_grp *grp;
	int err;

	lockdep_assert_held(&dev->mcast_mutex);
	grp = rxe_mcast_find(dev, addr);
	if (grp) {
		m = find_member(grp, qp);
		if (!m)
			return add_member(grp, qp);
		m->times++;
		return 0;
	}

	grp = new_group(dev, addr);
	if (IS_ERR(grp))
		return PTR_ERR(grp);
	err = add_member(grp, qp);
	if (err) {
		kfree(grp);
		return err;
	}
	hlist_add_head_rcu(&grp->link, bucket(dev, addr));
	dev->num_mcast_grp++;
	return 0;
}

/**
 * rxe_mcast_detach() - undo one rxe_mcast_attach()
 * @qp: the QP
 * @addr: the group; with its last member it is gone
 *
 * Context: rxe_dev.mcast_mutex; may sleep.
 * Return: 0, -EINVAL when the QP is not attached to it.
 */
int rxe_mcast_detach(struct rxe_qp *qp, const struct in6_addr *addr)
{
	struct rxe_dev *dev = qp->dev;
	struct rxe_mcast_member *m;
	struct rxe_mcast_grp *grp;

	lockdep_assert_held(&dev->mcast_mutex);
	grp = rxe_mcast_find(dev, addr);
	m = grp ? find_member(grp, qp) : NULL;
	if (!m)
		return -EINVAL;
	if (--m->times)
		return 0;

	hlist_del_rcu(&m->link);
	kfree_rcu(m, rcu);
	if (!--grp->num) {
		hlist_del_rcu(&grp->link);
		kfree_rcu(grp, rcu);
		dev->num_mcast_grp--;
	}
	return 0;
}
