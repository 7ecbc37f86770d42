// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Datagrams of kernel users, their address handles, the QP of the subnet's management */
#include <linux/spinlock.h>
#include <rdma/ib_cache.h>

#include "obj/qp.h"
#include "rig.h"

#define GRH_BYTES 40
#define BYTES 900
#define TOS 0x28

static DEFINE_SPINLOCK(lock);

static bool same_path(const struct rdma_ah_attr *a,
		      const struct rdma_ah_attr *b)
{
	return !memcmp(&a->grh.dgid, &b->grh.dgid, sizeof(a->grh.dgid)) &&
	       a->grh.sgid_index == b->grh.sgid_index &&
	       a->grh.traffic_class == b->grh.traffic_class &&
	       a->grh.hop_limit == b->grh.hop_limit &&
	       a->port_num == b->port_num && a->type == b->type &&
	       a->ah_flags == b->ah_flags;
}

/* Under a spinlock, with interrupts off: some users have no other place for it */
static struct ib_ah *make_changed_ah(struct kunit *test)
{
	struct kv *kv = test->priv;
	struct rdma_ah_attr path = {}, got = {};
	unsigned long irq;
	struct ib_ah *ah;
	bool same = false;
	int err = 0;

	KUNIT_ASSERT_EQ(test, kv_path(kv, &path), 0);
	spin_lock_irqsave(&lock, irq);
	ah = rdma_create_ah(kv->pd, &path, 0);
	if (IS_ERR(ah))
		goto out;
	err = rdma_query_ah(ah, &got);
	same = same_path(&path, &got);
	path.grh.traffic_class = TOS;
	err = err ?: rdma_modify_ah(ah, &path);
	err = err ?: rdma_query_ah(ah, &got);
	same = same && same_path(&path, &got);
out:
	spin_unlock_irqrestore(&lock, irq);
	KUNIT_ASSERT_FALSE(test, IS_ERR(ah));
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_TRUE(test, same);
	return ah;
}

static void end_ah(struct ib_ah *ah)
{
	unsigned long irq;

	spin_lock_irqsave(&lock, irq);
	rdma_destroy_ah(ah, 0);
	spin_unlock_irqrestore(&lock, irq);
}

/* It arrives behind a GRH, and the receiver is told so and who has sent it */
static void check_datagram(struct kunit *test, struct ib_ah *ah,
			   enum ib_wr_opcode opcode)
{
	struct kv *kv = test->priv;
	struct ib_sge from = kv_local(kv, kv->buf, BYTES);
	struct ib_sge to = kv_local(kv, kv->buf + BYTES, GRH_BYTES + BYTES);
	struct ib_ud_wr wr = {
		.wr = { .opcode = opcode,
			.sg_list = &from,
			.num_sge = 1,
			.ex.imm_data = cpu_to_be32(99) },
		.ah = ah,
		.remote_qpn = kv->b.qp->qp_num,
		.remote_qkey = KV_QKEY,
	};
	bool imm = opcode == IB_WR_SEND_WITH_IMM;
	int flags = IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE |
		    (imm ? IB_WC_WITH_IMM : 0);
	struct kv_op op;

	kv_fill(kv->buf, 3);
	memset(kv->buf + BYTES, 0, GRH_BYTES + BYTES);
	KUNIT_ASSERT_EQ(test, kv_post_recv(kv->b.qp, &op, &to), 0);
	KUNIT_ASSERT_EQ(test, kv_send(kv->a.qp, &wr.wr), 0);
	KUNIT_ASSERT_EQ(test, kv_op_wait(&op), 0);
	KUNIT_EXPECT_EQ(test, op.wc.byte_len, (u32)GRH_BYTES + BYTES);
	KUNIT_EXPECT_EQ(test, op.wc.src_qp, kv->a.qp->qp_num);
	KUNIT_EXPECT_EQ(test, op.wc.wc_flags, flags);
	KUNIT_EXPECT_EQ(test, (int)op.wc.network_hdr_type,
			(int)RDMA_NETWORK_IPV4);
	if (imm)
		KUNIT_EXPECT_EQ(test, be32_to_cpu(op.wc.ex.imm_data), 99U);
	KUNIT_EXPECT_EQ(test,
			memcmp(kv->buf, kv->buf + BYTES + GRH_BYTES, BYTES), 0);
	/* The IPv4 header is the last half of the GRH: its TOS is the handle's */
	KUNIT_EXPECT_EQ(test, (int)kv->buf[BYTES + 20], 0x45);
	KUNIT_EXPECT_EQ(test, (int)kv->buf[BYTES + 21] & 0xfc, TOS);
}

static void datagrams_by_handles_of_atomic_context(struct kunit *test)
{
	struct kv *kv = test->priv;
	int handles = atomic_read(&to_rxe_dev(kv->dev)->num_ah);
	struct ib_ah *ah;
	int i;

	kv_remake_ends(test, IB_QPT_UD);
	for (i = 0; i < 10; i++) {
		ah = make_changed_ah(test);
		check_datagram(test, ah, IB_WR_SEND);
		check_datagram(test, ah, IB_WR_SEND_WITH_IMM);
		end_ah(ah);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&to_rxe_dev(kv->dev)->num_ah),
			handles);
}

static struct ib_qp *make_gsi(struct kv *kv, u32 port)
{
	struct ib_qp_init_attr init = {
		.send_cq = kv->a.cq,
		.recv_cq = kv->a.cq,
		.cap = { .max_send_wr = 4,
			 .max_recv_wr = 4,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IB_QPT_GSI,
		.port_num = port,
	};

	return ib_create_qp(kv->pd, &init);
}

/* The device's GSI QP from now on; returns the one that it had */
static struct rxe_qp *swap_gsi(struct rxe_dev *dev, struct rxe_qp *gsi)
{
	struct rxe_qp *old;

	xa_lock(&dev->qps);
	old = rcu_replace_pointer(dev->gsi, gsi,
				  lockdep_is_held(&dev->qps.xa_lock));
	xa_unlock(&dev->qps);
	return old;
}

/* There is one, and it stays when another is refused; when it has gone, the next may
 * come. The core's own stands aside meanwhile.
 */
static void one_gsi_at_a_time(struct kunit *test)
{
	struct kv *kv = test->priv;
	struct rxe_dev *dev = to_rxe_dev(kv->dev);
	int i, qps = atomic_read(&dev->num_qp);
	struct rxe_qp *cores;
	struct ib_qp *gsi;

	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(make_gsi(kv, 1)), -EBUSY);
	cores = swap_gsi(dev, NULL);
	KUNIT_EXPECT_TRUE(test, cores);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(make_gsi(kv, 2)), -EINVAL);
	for (i = 0; i < 3; i++) {
		gsi = make_gsi(kv, 1);
		KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(gsi), 0);
		if (IS_ERR(gsi))
			break;
		KUNIT_EXPECT_EQ(test, gsi->qp_num, 1U);
		KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(make_gsi(kv, 1)), -EBUSY);
		KUNIT_EXPECT_PTR_EQ(test, rcu_access_pointer(dev->gsi),
				    container_of(gsi, struct rxe_qp, ib));
		KUNIT_EXPECT_EQ(test, ib_destroy_qp(gsi), 0);
		KUNIT_EXPECT_FALSE(test, rcu_access_pointer(dev->gsi));
	}
	swap_gsi(dev, cores);
	KUNIT_EXPECT_EQ(test, atomic_read(&dev->num_qp), qps);
}

static struct kunit_case dgram_cases[] = {
	KUNIT_CASE(datagrams_by_handles_of_atomic_context),
	KUNIT_CASE(one_gsi_at_a_time),
	{}
};

static struct kunit_suite dgram_suite = {
	.name = "rxe_kverbs_dgram",
	.init = kv_init,
	.exit = kv_exit,
	.test_cases = dgram_cases,
};

kunit_test_suite(dgram_suite);
