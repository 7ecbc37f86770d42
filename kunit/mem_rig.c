// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "mem_rig.h"

#include <linux/scatterlist.h>
#include <linux/string.h>

/**
 * mem_rig_init() - .init of the suites that use the rig
 * @test: the case; the rig becomes its priv
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int mem_rig_init(struct kunit *test)
{
	struct mem_rig *r = kvzalloc(sizeof(*r), GFP_KERNEL);
	int i;

	if (!r)
		return -ENOMEM;
	test->priv = r;
	xa_init_flags(&r->dev.keys, XA_FLAGS_ALLOC);
	mutex_init(&r->dev.mcast_mutex);
	r->pd.device = &r->dev.ib;
	r->other_pd.device = &r->dev.ib;
	for (i = 0; i < MEM_RIG_QPS; i++) {
		struct rxe_qp *qp = &r->qp[i];

		spin_lock_init(&qp->send_lock);
		qp->dev = &r->dev;
		qp->ib.device = &r->dev.ib;
		qp->ib.pd = i == MEM_RIG_QPS - 1 ? &r->other_pd : &r->pd;
		qp->ib.qp_num = 0x50 + i;
		qp->transport = RXE_UD;
	}
	return 0;
}

/**
 * mem_rig_exit() - .exit of those suites
 * @test: the case; it has destroyed what it made
 *
 * Context: may sleep.
 */
void mem_rig_exit(struct kunit *test)
{
	struct mem_rig *r = test->priv;

	if (!r)
		return;
	KUNIT_EXPECT_TRUE(test, xa_empty(&r->dev.keys));
	xa_destroy(&r->dev.keys);
	mutex_destroy(&r->dev.mcast_mutex);
	kvfree(r);
}

/**
 * mem_rig_fast_mr() - a region for fast registration, registered
 * @test: the case
 * @iova: its first address
 * @bytes: its length, at most a page
 * @access: enum ib_access_flags
 *
 * Context: may sleep.
 * Return: the region; its memory is the case's.
 */
struct rxe_mr *mem_rig_fast_mr(struct kunit *test, u64 iova, u32 bytes,
			       int access)
{
	struct mem_rig *r = test->priv;
	struct rxe_mr *mr = rxe_mr_alloc_fast(&r->dev, &r->pd, 2);
	void *buf = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	struct scatterlist sg;
	int err;

	KUNIT_ASSERT_FALSE(test, IS_ERR(mr));
	KUNIT_ASSERT_NOT_NULL(test, buf);
	sg_init_one(&sg, buf, bytes);
	sg_dma_address(&sg) = (uintptr_t)buf;
	sg_dma_len(&sg) = bytes;
	mr->ib.page_size = PAGE_SIZE;
	KUNIT_ASSERT_EQ(test, rxe_mr_map_sg(mr, &sg, 1, NULL), 1);
	mr->ib.iova = iova;
	err = rxe_mr_fast_register(&r->dev, &r->pd, mr, mr->lkey, access);
	KUNIT_ASSERT_EQ(test, err, 0);
	return mr;
}

/**
 * mem_rig_user_mr() - the same as a user's region, one that windows are bound to
 * @test: the case
 * @iova: its first address
 * @bytes: its length, at most a page
 * @access: enum ib_access_flags
 *
 * Context: may sleep.
 * Return: the region; nothing is pinned for it.
 */
struct rxe_mr *mem_rig_user_mr(struct kunit *test, u64 iova, u32 bytes,
			       int access)
{
	struct rxe_mr *mr = mem_rig_fast_mr(test, iova, bytes, access);

	mr->type = RXE_MR_USER;
	return mr;
}

/**
 * mem_rig_bind() - bind a window, by its next key
 * @qp: who binds
 * @mw: the window
 * @mr: the region
 * @addr: first byte of the window in the region
 * @length: bytes; 0 takes the window back
 * @access: enum ib_access_flags
 *
 * Context: any but the QP's send side.
 * Return: what the bind does.
 */
int mem_rig_bind(struct rxe_qp *qp, const struct rxe_mw *mw,
		 const struct rxe_mr *mr, u64 addr, u64 length, int access)
{
	u32 key = mw->win.key;
	struct rxe_swqe w = {
		.rkey = key,
		.local = {
			.addr = addr,
			.length = length,
			.key = (key & ~0xffU) | ((key + 1) & 0xff),
			.mr_lkey = mr->lkey,
			.access = access,
		},
	};
	int err;

	spin_lock_bh(&qp->send_lock);
	rcu_read_lock();
	err = rxe_mw_bind(qp, &w);
	rcu_read_unlock();
	spin_unlock_bh(&qp->send_lock);
	return err;
}

/**
 * mem_rig_fill() - write where a cursor stands, as the payload of a packet is
 * @cur: the cursor; rests afterwards
 * @bytes: how many
 * @value: of each
 *
 * Context: BH disabled, RCU read section that @cur was set up in.
 * Return: 0 or the error of rxe_cursor_next().
 */
int mem_rig_fill(struct rxe_cursor *cur, u32 bytes, u8 value)
{
	ssize_t n = 0;
	void *kaddr;

	for (; bytes; bytes -= n) {
		n = rxe_cursor_next(cur, bytes, &kaddr);
		if (n < 0)
			break;
		memset(kaddr, value, n);
	}
	rxe_cursor_rest(cur);
	return bytes ? n : 0;
}
