// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* obj/mcast.c: groups and their members */
#include "mem_rig.h"
#include "obj/mcast.h"

static struct in6_addr group(u32 n)
{
	struct in6_addr addr = { .s6_addr = { 0xff, 0x0e } };

	addr.s6_addr32[3] = cpu_to_be32(n);
	return addr;
}

static int attach(struct rxe_qp *qp, u32 n)
{
	struct in6_addr addr = group(n);
	int err;

	mutex_lock(&qp->dev->mcast_mutex);
	err = rxe_mcast_attach(qp, &addr);
	mutex_unlock(&qp->dev->mcast_mutex);
	return err;
}

static int detach(struct rxe_qp *qp, u32 n)
{
	struct in6_addr addr = group(n);
	int err;

	mutex_lock(&qp->dev->mcast_mutex);
	err = rxe_mcast_detach(qp, &addr);
	mutex_unlock(&qp->dev->mcast_mutex);
	return err;
}

/* Members of group @n as the data path finds them, a bit per QP of the rig; -1
 * when there is no such group, -2 when one is there twice
 */
static int members(struct mem_rig *r, u32 n)
{
	struct in6_addr addr = group(n);
	struct rxe_mcast_member *m;
	struct rxe_mcast_grp *grp;
	int bits = 0;
	u32 count = 0;

	rcu_read_lock();
	grp = rxe_mcast_find(&r->dev, &addr);
	if (!grp) {
		rcu_read_unlock();
		return -1;
	}
	hlist_for_each_entry_rcu(m, &grp->members, link) {
		int bit = 1 << (m->qp - r->qp);

		if (bits & bit)
			bits = -2;
		else
			bits |= bit;
		count++;
	}
	if (count != grp->num)
		bits = -2;
	rcu_read_unlock();
	return bits;
}

static void group_lives_as_long_as_its_members(struct kunit *test)
{
	struct mem_rig *r = test->priv;

	KUNIT_EXPECT_EQ(test, members(r, 1), -1);
	KUNIT_EXPECT_EQ(test, attach(&r->qp[0], 1), 0);
	KUNIT_EXPECT_EQ(test, members(r, 1), 1);
	KUNIT_EXPECT_EQ(test, attach(&r->qp[2], 1), 0);
	KUNIT_EXPECT_EQ(test, members(r, 1), 5);
	KUNIT_EXPECT_EQ(test, r->dev.num_mcast_grp, 1U);
	KUNIT_EXPECT_EQ(test, members(r, 2), -1);
	KUNIT_EXPECT_EQ(test, detach(&r->qp[0], 1), 0);
	KUNIT_EXPECT_EQ(test, members(r, 1), 4);
	KUNIT_EXPECT_EQ(test, detach(&r->qp[2], 1), 0);
	KUNIT_EXPECT_EQ(test, members(r, 1), -1);
	KUNIT_EXPECT_EQ(test, r->dev.num_mcast_grp, 0U);
}

/* One copy for a QP however often it is attached; as many detaches end it */
static void attaches_are_counted(struct kunit *test)
{
	struct mem_rig *r = test->priv;
	int i;

	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, attach(&r->qp[1], 9), 0);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, members(r, 9), 2);
		KUNIT_EXPECT_EQ(test, detach(&r->qp[1], 9), 0);
	}
	KUNIT_EXPECT_EQ(test, members(r, 9), -1);
	KUNIT_EXPECT_EQ(test, detach(&r->qp[1], 9), -EINVAL);
}

static void strangers_are_not_detached(struct kunit *test)
{
	struct mem_rig *r = test->priv;

	KUNIT_EXPECT_EQ(test, detach(&r->qp[0], 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, attach(&r->qp[0], 1), 0);
	KUNIT_EXPECT_EQ(test, detach(&r->qp[1], 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, detach(&r->qp[0], 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, members(r, 1), 1);
	KUNIT_EXPECT_EQ(test, detach(&r->qp[0], 1), 0);
}

/* As many QPs in a group as is advertised, one more is refused, and again */
static void limit_of_members(struct kunit *test)
{
	struct mem_rig *r = test->priv;
	struct rxe_qp *qp;
	int i, round;

	qp = kvzalloc((RXE_MAX_MCAST_ATTACH + 1) * sizeof(*qp), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, qp);
	for (i = 0; i <= RXE_MAX_MCAST_ATTACH; i++)
		qp[i].dev = &r->dev;
	for (round = 0; round < 2; round++) {
		for (i = 0; i < RXE_MAX_MCAST_ATTACH; i++)
			KUNIT_EXPECT_EQ(test, attach(&qp[i], 5), 0);
		KUNIT_EXPECT_EQ(test, attach(&qp[i], 5), -ENOSPC);
		/* who is in may be attached again */
		KUNIT_EXPECT_EQ(test, attach(&qp[0], 5), 0);
		KUNIT_EXPECT_EQ(test, detach(&qp[0], 5), 0);
		for (i = 0; i < RXE_MAX_MCAST_ATTACH; i++)
			KUNIT_EXPECT_EQ(test, detach(&qp[i], 5), 0);
	}
	KUNIT_EXPECT_EQ(test, r->dev.num_mcast_grp, 0U);
	kvfree(qp);
}

static void limit_of_groups(struct kunit *test)
{
	struct mem_rig *r = test->priv;
	int round;
	u32 n;

	for (round = 0; round < 2; round++) {
		for (n = 0; n < RXE_MAX_MCAST_GRP; n++)
			KUNIT_ASSERT_EQ(test, attach(&r->qp[0], n), 0);
		KUNIT_EXPECT_EQ(test, attach(&r->qp[0], n), -ENOSPC);
		KUNIT_EXPECT_EQ(test, members(r, n), -1);
		/* A group that is there has room for others */
		KUNIT_EXPECT_EQ(test, attach(&r->qp[1], 0), 0);
		KUNIT_EXPECT_EQ(test, detach(&r->qp[1], 0), 0);
		for (n = 0; n < RXE_MAX_MCAST_GRP; n++) {
			KUNIT_ASSERT_EQ(test, members(r, n), 1);
			KUNIT_ASSERT_EQ(test, detach(&r->qp[0], n), 0);
		}
	}
	KUNIT_EXPECT_EQ(test, r->dev.num_mcast_grp, 0U);
}

static struct kunit_case mcast_cases[] = {
	KUNIT_CASE(group_lives_as_long_as_its_members),
	KUNIT_CASE(attaches_are_counted),
	KUNIT_CASE(strangers_are_not_detached),
	KUNIT_CASE(limit_of_members),
	KUNIT_CASE(limit_of_groups),
	{}
};

static struct kunit_suite mcast_suite = {
	.name = "rxe_mcast",
	.init = mem_rig_init,
	.exit = mem_rig_exit,
	.test_cases = mcast_cases,
};

kunit_test_suite(mcast_suite);
