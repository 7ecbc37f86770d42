// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Requests of kernel users: atomics, immediate data, and what UC has of all that */
#include "compat/rdma.h"
#include "rig.h"

#define IMM 0x12345678
/* The first address in the region that an atomic may name, and the same in its page */
#define ATOMIC_AT(kv) ((kv)->mr->iova + 4)
#define ATOMIC_WORD(kv) ((u64 *)(sg_virt(&(kv)->sg[0]) + 4))

/* An atomic, and what was there before; or a status or an errno, negative */
static s64 atomic(struct kv *kv, enum ib_wr_opcode op, u64 compare_add,
		  u64 swap, struct ib_wc *wc)
{
	struct ib_sge sge = kv_local(kv, kv->buf, sizeof(u64));
	struct ib_atomic_wr wr = {
		.wr = { .opcode = op, .sg_list = &sge, .num_sge = 1 },
		.remote_addr = ATOMIC_AT(kv),
		.compare_add = compare_add,
		.swap = swap,
		.rkey = kv->mr->rkey,
	};
	int err = kv_send_wc(kv->a.qp, &wr.wr, wc);
	s64 old;

	memcpy(&old, kv->buf, sizeof(old));
	return err ? -abs(err) : old;
}

static void atomics(struct kunit *test)
{
	struct kv *kv = test->priv;
	u64 *word = ATOMIC_WORD(kv);
	struct ib_wc wc;
	s64 old, i;

	KUNIT_ASSERT_EQ(test, kv_reg(kv, kv->b.qp), 0);
	*word = S64_MAX;
	old = atomic(kv, IB_WR_ATOMIC_FETCH_AND_ADD, 1ULL << 63, 77, &wc);
	KUNIT_EXPECT_EQ(test, old, S64_MAX);
	KUNIT_EXPECT_EQ(test, *word, U64_MAX);
	KUNIT_EXPECT_EQ(test, (int)wc.opcode, (int)IB_WC_FETCH_ADD);
	KUNIT_EXPECT_EQ(test, wc.byte_len, 8U);
	*word = 0;
	for (i = 0; i < 10; i++) {
		old = atomic(kv, IB_WR_ATOMIC_FETCH_AND_ADD, 1, 77, &wc);
		KUNIT_EXPECT_EQ(test, old, i);
	}
	old = atomic(kv, IB_WR_ATOMIC_CMP_AND_SWP, 10, 0x1122334455667788, &wc);
	KUNIT_EXPECT_EQ(test, old, 10LL);
	KUNIT_EXPECT_EQ(test, *word, 0x1122334455667788ULL);
	KUNIT_EXPECT_EQ(test, (int)wc.opcode, (int)IB_WC_COMP_SWAP);
	old = atomic(kv, IB_WR_ATOMIC_CMP_AND_SWP, 10, 3, &wc);
	KUNIT_EXPECT_EQ(test, old, 0x1122334455667788LL);
	KUNIT_EXPECT_EQ(test, *word, 0x1122334455667788ULL);
}

static int atomic_write(struct kv *kv, u64 *value, u32 bytes, u64 addr,
			struct ib_wc *wc)
{
	struct ib_sge sge = kv_local(kv, value, bytes);
	struct ib_rdma_wr wr = {
		.wr = { .opcode = IB_WR_ATOMIC_WRITE,
			.sg_list = &sge,
			.num_sge = 1 },
		.remote_addr = addr,
		.rkey = kv->mr->rkey,
	};

	return kv_send_wc(kv->a.qp, &wr.wr, wc);
}

static void atomic_writes(struct kunit *test)
{
	struct kv *kv = test->priv;
	u64 *word = ATOMIC_WORD(kv);
	u64 value = 0x0102030405060708;
	struct ib_wc wc;

	KUNIT_ASSERT_EQ(test, kv_reg(kv, kv->b.qp), 0);
	memset(word - 1, 0xee, 3 * sizeof(*word));
	KUNIT_ASSERT_EQ(test, atomic_write(kv, &value, 8, ATOMIC_AT(kv), &wc),
			0);
	KUNIT_EXPECT_EQ(test, *word, value);
	KUNIT_EXPECT_EQ(test, word[-1], 0xeeeeeeeeeeeeeeeeULL);
	KUNIT_EXPECT_EQ(test, word[1], 0xeeeeeeeeeeeeeeeeULL);
	KUNIT_EXPECT_EQ(test, (int)wc.opcode, (int)IB_WC_ATOMIC_WRITE);
	/* Eight bytes, no other number, at an address that they fit */
	KUNIT_EXPECT_EQ(test, atomic_write(kv, &value, 4, ATOMIC_AT(kv), &wc),
			-EINVAL);
	KUNIT_EXPECT_EQ(test,
			atomic_write(kv, &value, 8, ATOMIC_AT(kv) + 4, &wc),
			(int)IB_WC_REM_INV_REQ_ERR);
	KUNIT_EXPECT_EQ(test, *word, value);
}

static void odd_atomics(struct kunit *test)
{
	struct kv *kv = test->priv;
	struct ib_sge sge = kv_local(kv, kv->buf, sizeof(u64));
	struct ib_atomic_wr wr = {
		.wr = { .opcode = IB_WR_ATOMIC_FETCH_AND_ADD,
			.sg_list = &sge,
			.num_sge = 1 },
		.rkey = kv->mr->rkey,
	};

	KUNIT_ASSERT_EQ(test, kv_reg(kv, kv->b.qp), 0);
	wr.rkey = kv->mr->rkey;
	sge.length = 4;
	KUNIT_EXPECT_EQ(test, kv_send(kv->a.qp, &wr.wr), -EINVAL);
	sge.length = 8;
	wr.remote_addr = ATOMIC_AT(kv) + 1;
	KUNIT_EXPECT_EQ(test, kv_send(kv->a.qp, &wr.wr),
			(int)IB_WC_REM_INV_REQ_ERR);
}

/* What a receive tells: what came, and no GRH, which only UD has */
static void check_recv(struct kunit *test, const struct kv_op *op,
		       enum ib_wc_opcode opcode, int flags, u32 bytes)
{
	const struct kv *kv = test->priv;

	KUNIT_EXPECT_EQ(test, (int)op->wc.opcode, (int)opcode);
	KUNIT_EXPECT_EQ(test, op->wc.wc_flags, flags);
	KUNIT_EXPECT_EQ(test, op->wc.byte_len, bytes);
	KUNIT_EXPECT_PTR_EQ(test, op->wc.qp, kv->b.qp);
	if (flags & IB_WC_WITH_IMM)
		KUNIT_EXPECT_EQ(test, be32_to_cpu(op->wc.ex.imm_data),
				(u32)IMM);
}

static void check_messages(struct kunit *test)
{
	static const struct {
		enum ib_wr_opcode op;
		enum ib_wc_opcode opcode;
		int flags;
	} rows[] = {
		{ IB_WR_SEND, IB_WC_RECV, 0 },
		{ IB_WR_SEND_WITH_IMM, IB_WC_RECV, IB_WC_WITH_IMM },
		{ IB_WR_RDMA_WRITE_WITH_IMM, IB_WC_RECV_RDMA_WITH_IMM,
		  IB_WC_WITH_IMM },
	};
	struct kv *kv = test->priv;
	struct ib_sge from = kv_local(kv, kv->buf, 5000);
	struct ib_sge to = kv_local(kv, kv->buf + 5000, 5000);
	struct kv_op op;
	int i;

	KUNIT_ASSERT_EQ(test, kv_reg(kv, kv->b.qp), 0);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ib_rdma_wr wr = {
			.wr = { .opcode = rows[i].op,
				.sg_list = &from,
				.num_sge = 1,
				.ex.imm_data = cpu_to_be32(IMM) },
			.remote_addr = kv->mr->iova,
			.rkey = kv->mr->rkey,
		};

		KUNIT_ASSERT_EQ(test, kv_post_recv(kv->b.qp, &op, &to), 0);
		KUNIT_ASSERT_EQ(test, kv_send(kv->a.qp, &wr.wr), 0);
		KUNIT_ASSERT_EQ(test, kv_op_wait(&op), 0);
		check_recv(test, &op, rows[i].opcode, rows[i].flags, 5000);
	}
}

static void messages_by_rc(struct kunit *test)
{
	check_messages(test);
}

static void messages_by_uc(struct kunit *test)
{
	kv_remake_ends(test, IB_QPT_UC);
	check_messages(test);
}

/* UC writes, and has nothing that waits for an answer */
static void writes_by_uc(struct kunit *test)
{
	static const enum ib_wr_opcode refused[] = {
		IB_WR_RDMA_READ,
		IB_WR_RDMA_READ_WITH_INV,
		IB_WR_ATOMIC_FETCH_AND_ADD,
		IB_WR_ATOMIC_WRITE,
		IB_WR_SEND_WITH_INV,
	};
	struct kv *kv = test->priv;
	struct ib_sge sge = kv_local(kv, kv->buf, KV_BYTES);
	struct ib_sge word = kv_local(kv, kv->buf, sizeof(u64));
	struct ib_sge none = {};
	struct kv_op op;
	int i;

	kv_remake_ends(test, IB_QPT_UC);
	KUNIT_ASSERT_EQ(test, kv_reg(kv, kv->b.qp), 0);
	kv_fill(kv->buf, 7);
	KUNIT_ASSERT_EQ(test, kv_post_recv(kv->b.qp, &op, &none), 0);
	KUNIT_ASSERT_EQ(test,
			kv_rdma(kv->a.qp, IB_WR_RDMA_WRITE_WITH_IMM, &sge,
				kv->mr->iova, kv->mr->rkey, 0),
			0);
	/* The sender knows only that it has sent */
	KUNIT_ASSERT_EQ(test, kv_op_wait(&op), 0);
	KUNIT_EXPECT_TRUE(test, kv_pages_hold(kv, 7));
	for (i = 0; i < ARRAY_SIZE(refused); i++)
		KUNIT_EXPECT_EQ(test,
				kv_rdma(kv->a.qp, refused[i], &word,
					kv->mr->iova, kv->mr->rkey, 0),
				-EINVAL);
	KUNIT_EXPECT_EQ(test, kv_invalidate(kv->b.qp, kv->mr->rkey), 0);
}

static struct kunit_case requests_cases[] = { KUNIT_CASE(atomics),
					      KUNIT_CASE(atomic_writes),
					      KUNIT_CASE(odd_atomics),
					      KUNIT_CASE(messages_by_rc),
					      KUNIT_CASE(messages_by_uc),
					      KUNIT_CASE(writes_by_uc),
					      {} };

static struct kunit_suite requests_suite = {
	.name = "rxe_kverbs_requests",
	.init = kv_init,
	.exit = kv_exit,
	.test_cases = requests_cases,
};

kunit_test_suite(requests_suite);
