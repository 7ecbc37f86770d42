// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "rig.h"

#include <linux/slab.h>
#include <rdma/ib_cache.h>

#define DEVICE "rxe_0"
#define PORT 1
#define LIMIT (60 * HZ)
#define REMOTE                                            \
	(IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE | \
	 IB_ACCESS_REMOTE_ATOMIC)

static void op_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kv_op *op = container_of(wc->wr_cqe, struct kv_op, cqe);

	op->wc = *wc;
	complete(&op->done);
}

/**
 * kv_op_init() - before a request is posted
 * @op: to be waited for; @op->cqe names it
 *
 * Context: any.
 */
void kv_op_init(struct kv_op *op)
{
	op->cqe.done = op_done;
	init_completion(&op->done);
}

/**
 * kv_op_wait() - until a request has ended
 * @op: the request
 *
 * Context: may sleep.
 * Return: enum ib_wc_status, or -1 when it does not end.
 */
int kv_op_wait(struct kv_op *op)
{
	return wait_for_completion_timeout(&op->done, LIMIT) ? op->wc.status :
							       -1;
}

/* ---- set-up ---- */

static int gid_index(struct ib_device *dev)
{
	const struct ib_gid_attr *attr;
	bool found;
	int i;

	for (i = 0; i < dev->port_data[PORT].immutable.gid_tbl_len; i++) {
		attr = rdma_get_gid_attr(dev, PORT, i);
		if (IS_ERR(attr))
			continue;
		found = !memchr_inv(attr->gid.raw, 0, 10) &&
			attr->gid.raw[10] == 0xff; /* has an IPv4 address */
		rdma_put_gid_attr(attr);
		if (found)
			return i;
	}
	return -ENOENT;
}

/**
 * kv_path() - the way to the device's own IPv4 address
 * @kv: the rig
 * @ah: filled
 *
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int kv_path(struct kv *kv, struct rdma_ah_attr *ah)
{
	int index = gid_index(kv->dev);
	union ib_gid gid;
	int err;

	if (index < 0)
		return index;
	err = rdma_query_gid(kv->dev, PORT, index, &gid);
	if (err)
		return err;
	ah->type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_grh(ah, &gid, 0, index, 64, 0);
	rdma_ah_set_port_num(ah, PORT);
	return 0;
}

/* What is set on the way to INIT, RTR and RTS */
static const int attr_masks[][3] = {
	[IB_QPT_RC] = { IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS,
			IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN |
				IB_QP_RQ_PSN | IB_QP_MAX_DEST_RD_ATOMIC |
				IB_QP_MIN_RNR_TIMER,
			IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
				IB_QP_SQ_PSN | IB_QP_MAX_QP_RD_ATOMIC },
	[IB_QPT_UC] = { IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS,
			IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN |
				IB_QP_RQ_PSN,
			IB_QP_SQ_PSN },
	[IB_QPT_UD] = { IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_QKEY, 0,
			IB_QP_SQ_PSN },
};

/**
 * kv_connect() - bring a QP to RTS
 * @kv: the rig
 * @qp: the QP, in RESET
 * @dest: QP number of the other end, on the same device; UD has none
 *
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int kv_connect(struct kv *kv, struct ib_qp *qp, u32 dest)
{
	struct ib_qp_attr attr = {
		.port_num = PORT,
		.qp_access_flags = REMOTE,
		.qkey = KV_QKEY,
		.path_mtu = IB_MTU_1024,
		.dest_qp_num = dest,
		.rq_psn = 0xfffff0,
		.sq_psn = 0xfffff0,
		.max_rd_atomic = 4,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 1,
		.timeout = 16,
		.retry_cnt = 7,
		.rnr_retry = 7,
	};
	int i, err = kv_path(kv, &attr.ah_attr);

	for (i = 0; i < 3 && !err; i++) {
		attr.qp_state = IB_QPS_INIT + i;
		err = ib_modify_qp(qp, &attr,
				   attr_masks[qp->qp_type][i] | IB_QP_STATE);
	}
	return err;
}

static void on_event(struct ib_event *event, void *context)
{
	struct kv_end *end = context;

	if (event->event == IB_EVENT_QP_LAST_WQE_REACHED)
		complete(&end->last_wqe);
}

static int make_end(struct kv *kv, struct kv_end *end, enum ib_qp_type type,
		    enum ib_poll_context ctx)
{
	struct ib_qp_init_attr init = {
		.event_handler = on_event,
		.qp_context = end,
		.srq = kv->srq,
		.cap = { .max_send_wr = KV_DEPTH,
			 .max_recv_wr = KV_DEPTH,
			 .max_send_sge = 3,
			 .max_recv_sge = 3,
			 .max_inline_data = 64 },
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = type,
	};
	struct ib_cq *cq = ib_alloc_cq(kv->dev, NULL, 2 * KV_DEPTH, 0, ctx);
	struct ib_qp *qp;

	if (IS_ERR(cq))
		return PTR_ERR(cq);
	end->cq = cq;
	init_completion(&end->last_wqe);
	init.send_cq = cq;
	init.recv_cq = cq;
	qp = ib_create_qp(kv->pd, &init);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	end->qp = qp;
	return 0;
}

static void end_end(struct kv_end *end)
{
	if (end->qp) {
		ib_drain_qp(end->qp);
		ib_destroy_qp(end->qp);
	}
	if (end->cq)
		ib_free_cq(end->cq);
	*end = (struct kv_end){};
}

/**
 * kv_make_ends() - two QPs, connected
 * @kv: the rig, without QPs; they receive by @kv->srq if there is one
 * @type: RC, UC or UD
 * @ctx: how the core polls their CQs
 *
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int kv_make_ends(struct kv *kv, enum ib_qp_type type, enum ib_poll_context ctx)
{
	return make_end(kv, &kv->a, type, ctx)			  ?:
		       make_end(kv, &kv->b, type, ctx)		  ?:
		       kv_connect(kv, kv->a.qp, kv->b.qp->qp_num) ?:
		       kv_connect(kv, kv->b.qp, kv->a.qp->qp_num);
}

/**
 * kv_remake_ends() - others, since those failed or are of another type
 * @test: the case
 * @type: RC, UC or UD
 *
 * Context: may sleep.
 */
void kv_remake_ends(struct kunit *test, enum ib_qp_type type)
{
	struct kv *kv = test->priv;

	kv_end_ends(kv);
	KUNIT_ASSERT_EQ(test, kv_make_ends(kv, type, IB_POLL_SOFTIRQ), 0);
}

/* Every other page of a run, so that no two lie side by side */
static int make_memory(struct kv *kv)
{
	struct page *page;
	int i;

	kv->buf = kzalloc(KV_BYTES, GFP_KERNEL);
	if (!kv->buf)
		return -ENOMEM;
	sg_init_table(kv->sg, KV_PAGES);
	for (i = 0; i < KV_PAGES; i++) {
		page = alloc_pages(GFP_KERNEL | __GFP_ZERO, 1);
		if (!page)
			return -ENOMEM;
		sg_set_page(&kv->sg[i], page, PAGE_SIZE, 0);
	}
	kv->sg[0].offset = KV_OFFSET;
	kv->sg[0].length = PAGE_SIZE - KV_OFFSET;
	kv->sg[KV_PAGES - 1].length = KV_OFFSET + 50;
	return ib_dma_map_sg(kv->dev, kv->sg, KV_PAGES, DMA_BIDIRECTIONAL) ==
			       KV_PAGES ?
		       0 :
		       -EIO;
}

/**
 * kv_init() - .init of the suites
 * @test: the case; the rig becomes its priv
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int kv_init(struct kunit *test)
{
	struct kv *kv = kunit_kzalloc(test, sizeof(*kv), GFP_KERNEL);

	if (!kv)
		return -ENOMEM;
	test->priv = kv;
	kv->dev = ib_device_get_by_name(DEVICE, RDMA_DRIVER_RXE);
	KUNIT_ASSERT_NOT_NULL(test, kv->dev);
	kv->pd = ib_alloc_pd(kv->dev, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kv->pd));
	kv->mr = ib_alloc_mr(kv->pd, IB_MR_TYPE_MEM_REG, KV_PAGES);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kv->mr));
	KUNIT_ASSERT_EQ(test, make_memory(kv), 0);
	KUNIT_ASSERT_EQ(test, kv_make_ends(kv, IB_QPT_RC, IB_POLL_SOFTIRQ), 0);
	return 0;
}

/**
 * kv_end_ends() - no QPs any more, all that was posted has completed
 * @kv: the rig
 *
 * Context: may sleep.
 */
void kv_end_ends(struct kv *kv)
{
	end_end(&kv->a);
	end_end(&kv->b);
}

/**
 * kv_exit() - .exit of the suites
 * @test: the case
 *
 * Context: may sleep.
 */
void kv_exit(struct kunit *test)
{
	struct kv *kv = test->priv;
	int i;

	if (!kv)
		return;
	kv_end_ends(kv);
	if (!IS_ERR_OR_NULL(kv->srq))
		ib_destroy_srq(kv->srq);
	if (!IS_ERR_OR_NULL(kv->mr))
		KUNIT_EXPECT_EQ(test, ib_dereg_mr(kv->mr), 0);
	if (!IS_ERR_OR_NULL(kv->pd))
		ib_dealloc_pd(kv->pd);
	for (i = 0; i < KV_PAGES && sg_page(&kv->sg[i]); i++)
		__free_pages(sg_page(&kv->sg[i]), 1);
	kfree(kv->buf);
	if (kv->dev)
		ib_device_put(kv->dev);
}

/* ---- requests ---- */

/**
 * kv_local() - memory by the key for all of it
 * @kv: the rig
 * @at: kernel memory
 * @bytes: of it
 *
 * Context: any.
 * Return: an SGE.
 */
struct ib_sge kv_local(struct kv *kv, void *at, u32 bytes)
{
	return (struct ib_sge){
		.addr = ib_dma_map_single(kv->dev, at, bytes,
					  DMA_BIDIRECTIONAL),
		.length = bytes,
		.lkey = kv->pd->local_dma_lkey,
	};
}

/**
 * kv_registered() - all of the region by its lkey
 * @kv: the rig
 *
 * Context: any.
 * Return: an SGE.
 */
struct ib_sge kv_registered(struct kv *kv)
{
	return (struct ib_sge){
		.addr = kv->mr->iova,
		.length = kv->mr->length,
		.lkey = kv->mr->lkey,
	};
}

/**
 * kv_post_recv() - post a receive work request
 * @qp: where
 * @op: initialised here; to be waited for
 * @sge: its memory, one span
 *
 * Context: any.
 * Return: 0 or a negative errno.
 */
int kv_post_recv(struct ib_qp *qp, struct kv_op *op, struct ib_sge *sge)
{
	struct ib_recv_wr wr = { .wr_cqe = &op->cqe,
				 .sg_list = sge,
				 .num_sge = 1 };

	kv_op_init(op);
	return ib_post_recv(qp, &wr, NULL);
}

/**
 * kv_send_wc() - post one request and wait for its end
 * @qp: where
 * @wr: the request; its cqe and flag are set here
 * @wc: how it ended, if it did
 *
 * Context: may sleep.
 * Return: enum ib_wc_status, or a negative errno.
 */
int kv_send_wc(struct ib_qp *qp, struct ib_send_wr *wr, struct ib_wc *wc)
{
	struct kv_op op = {};
	int err;

	kv_op_init(&op);
	wr->wr_cqe = &op.cqe;
	wr->send_flags |= IB_SEND_SIGNALED;
	err = ib_post_send(qp, wr, NULL) ?: kv_op_wait(&op);
	*wc = op.wc;
	return err;
}

/**
 * kv_send() - the same, when only its status matters
 * @qp: where
 * @wr: the request
 *
 * Context: may sleep.
 * Return: as kv_send_wc().
 */
int kv_send(struct ib_qp *qp, struct ib_send_wr *wr)
{
	struct ib_wc wc;

	return kv_send_wc(qp, wr, &wc);
}

/**
 * kv_rdma() - READ or WRITE
 * @qp: the QP
 * @op: which
 * @sge: memory on this side
 * @addr: there
 * @rkey: there
 * @inv: key to invalidate here, with IB_WR_RDMA_READ_WITH_INV
 *
 * Context: may sleep.
 * Return: as kv_send().
 */
int kv_rdma(struct ib_qp *qp, enum ib_wr_opcode op, struct ib_sge *sge,
	    u64 addr, u32 rkey, u32 inv)
{
	struct ib_rdma_wr wr = {
		.wr = { .opcode = op, .sg_list = sge, .num_sge = 1 },
		.remote_addr = addr,
		.rkey = rkey,
	};

	if (op == IB_WR_RDMA_READ_WITH_INV)
		wr.wr.ex.invalidate_rkey = inv;
	return kv_send(qp, &wr.wr);
}

/**
 * kv_invalidate() - LOCAL_INV
 * @qp: the QP
 * @key: of the region
 *
 * Context: may sleep.
 * Return: as kv_send().
 */
int kv_invalidate(struct ib_qp *qp, u32 key)
{
	struct ib_send_wr wr = {
		.opcode = IB_WR_LOCAL_INV,
		.ex.invalidate_rkey = key,
	};

	return kv_send(qp, &wr);
}

/**
 * kv_reg_mr() - register what a region was given under the next key
 * @qp: by this QP
 * @mr: the region
 *
 * Context: may sleep.
 * Return: as kv_send().
 */
int kv_reg_mr(struct ib_qp *qp, struct ib_mr *mr)
{
	struct ib_reg_wr wr = { .wr.opcode = IB_WR_REG_MR, .mr = mr };

	ib_update_fast_reg_key(mr, mr->rkey + 1);
	wr.key = mr->rkey;
	wr.access = IB_ACCESS_LOCAL_WRITE | REMOTE;
	return kv_send(qp, &wr.wr);
}

/**
 * kv_reg() - register the pages under the next key
 * @kv: the rig; @kv->mr is registered
 * @qp: by this QP
 *
 * Context: may sleep.
 * Return: as kv_send(), or -ERANGE.
 */
int kv_reg(struct kv *kv, struct ib_qp *qp)
{
	int n = ib_map_mr_sg(kv->mr, kv->sg, KV_PAGES, NULL, PAGE_SIZE);

	if (n != KV_PAGES)
		return n < 0 ? n : -ERANGE;
	return kv_reg_mr(qp, kv->mr);
}

/**
 * kv_fill() - a pattern
 * @buf: KV_BYTES bytes
 * @salt: which
 *
 * Context: any.
 */
void kv_fill(u8 *buf, u8 salt)
{
	u32 i;

	for (i = 0; i < KV_BYTES; i++)
		buf[i] = i * 7 + i / 251 + salt;
}

/**
 * kv_pages_hold() - is what kv_fill() makes in the registered pages?
 * @kv: the rig
 * @salt: which
 *
 * Context: may sleep.
 * Return: true when it is.
 */
bool kv_pages_hold(struct kv *kv, u8 salt)
{
	u8 *want = kmalloc(KV_BYTES, GFP_KERNEL);
	u8 *got = kzalloc(KV_BYTES, GFP_KERNEL);
	bool same = false;

	if (want && got) {
		kv_fill(want, salt);
		sg_copy_to_buffer(kv->sg, KV_PAGES, got, KV_BYTES);
		same = !memcmp(want, got, KV_BYTES);
	}
	kfree(want);
	kfree(got);
	return same;
}
