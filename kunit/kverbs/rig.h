/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A kernel user of a real device: two QPs that talk to each other, and memory */
#ifndef RXE_KUNIT_KVERBS_RIG_H
#define RXE_KUNIT_KVERBS_RIG_H

#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>

#define KV_DEPTH 64
#define KV_PAGES 4
#define KV_QKEY 0x11111111
#define KV_OFFSET 100 /* of the memory in its first page */
#define KV_BYTES \
	(3 * PAGE_SIZE + 50) /* of memory registered, on KV_PAGES pages */

/**
 * struct kv_end - one QP
 * @qp: the QP
 * @cq: its completions
 * @last_wqe: it takes nothing out of its SRQ any more
 */
struct kv_end {
	struct ib_qp *qp;
	struct ib_cq *cq;
	struct completion last_wqe;
};

/**
 * struct kv - what every case has
 * @dev: the device
 * @pd: protection domain of all
 * @a: one end
 * @b: the other end
 * @srq: where QPs receive that are made from now on, or NULL
 * @mr: a region for fast registration
 * @sg: its memory, KV_PAGES pages that do not lie side by side
 * @buf: memory of KV_BYTES bytes that needs no registration
 */
struct kv {
	struct ib_device *dev;
	struct ib_pd *pd;
	struct kv_end a;
	struct kv_end b;
	struct ib_srq *srq;
	struct ib_mr *mr;
	struct scatterlist sg[KV_PAGES];
	u8 *buf;
};

/**
 * struct kv_op - a work request under way
 * @cqe: the core calls back by it
 * @wc: how it ended
 * @done: that it has
 */
struct kv_op {
	struct ib_cqe cqe;
	struct ib_wc wc;
	struct completion done;
};

int kv_init(struct kunit *test);
void kv_exit(struct kunit *test);
int kv_make_ends(struct kv *kv, enum ib_qp_type type, enum ib_poll_context ctx);
void kv_remake_ends(struct kunit *test, enum ib_qp_type type);
void kv_end_ends(struct kv *kv);

int kv_connect(struct kv *kv, struct ib_qp *qp, u32 dest);
int kv_path(struct kv *kv, struct rdma_ah_attr *ah);

void kv_op_init(struct kv_op *op);
int kv_op_wait(struct kv_op *op);
int kv_post_recv(struct ib_qp *qp, struct kv_op *op, struct ib_sge *sge);
int kv_send_wc(struct ib_qp *qp, struct ib_send_wr *wr, struct ib_wc *wc);
int kv_send(struct ib_qp *qp, struct ib_send_wr *wr);
int kv_rdma(struct ib_qp *qp, enum ib_wr_opcode op, struct ib_sge *sge,
	    u64 addr, u32 rkey, u32 inv);
int kv_invalidate(struct ib_qp *qp, u32 key);
int kv_reg_mr(struct ib_qp *qp, struct ib_mr *mr);
int kv_reg(struct kv *kv, struct ib_qp *qp);
struct ib_sge kv_local(struct kv *kv, void *at, u32 bytes);
struct ib_sge kv_registered(struct kv *kv);
void kv_fill(u8 *buf, u8 salt);
bool kv_pages_hold(struct kv *kv, u8 salt);

#endif /* RXE_KUNIT_KVERBS_RIG_H */
