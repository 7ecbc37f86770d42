// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Datagrams from one end to the other and back: who sent them stands in the GRH area. */
#include <string.h>

#include "pair.h"

#define QKEY 0x11111111
#define GRH 40
#define SRC 16384

static void to_rts(struct ep *ep)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY };

	ep_modify(ep, QP_0, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
	attr.qp_state = IBV_QPS_RTR;
	ep_modify(ep, QP_0, &attr, IBV_QP_STATE);
	attr.qp_state = IBV_QPS_RTS;
	ep_modify(ep, QP_0, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
}

static struct ep_mr open_ud(struct ep *ep, const struct ep *peer, uint32_t *qpn)
{
	struct ep_qp_init init = {
		.scq = CQ_SEND, .rcq = CQ_RECV, .type = IBV_QPT_UD, .cap = { 8, 8, 1, 1, 0 }
	};

	ep_cq(ep, CQ_SEND, 8, false);
	ep_cq(ep, CQ_RECV, 8, false);
	ep_qp(ep, QP_0, &init, qpn);
	to_rts(ep);
	ep_ah(ep, &peer->gid);
	return ep_mr(ep, MR_0, 2 * SRC, IBV_ACCESS_LOCAL_WRITE, 0);
}

/* The header of IPv6, or of IPv4 in the last 20 bytes (IBTA annex A17.4.5.2) */
static void check_grh(struct ep *ep, const struct ep_mr *mr, const struct ep *from)
{
	uint64_t word[GRH / sizeof(uint64_t)];
	const uint8_t *grh = (const uint8_t *)word;
	bool v4 = from->gid.raw[10] == 0xff;
	unsigned int at = v4 ? 32 : 8, bytes = v4 ? 4 : 16;

	for (unsigned int i = 0; i < ARRAY_SIZE(word); i++)
		word[i] = ep_u64(ep, mr, i * sizeof(word[0]));
	CHECK(v4 ? grh[20] == 0x45 : grh[0] >> 4 == 6, "%s: not an IP header", ep->tag);
	CHECK(!memcmp(grh + at, from->gid.raw + 16 - bytes, bytes), "%s: source", ep->tag);
	CHECK(!memcmp(grh + at + bytes, ep->gid.raw + 16 - bytes, bytes), "%s: destination",
	      ep->tag);
}

static void one(struct ep *from, struct ep *to, const struct ep_mr *mfrom, const struct ep_mr *mto,
		uint32_t qpn_from, uint32_t qpn_to, uint32_t len)
{
	struct ep_wr rwr = wr_recv(1, mto, 0, GRH + len);
	struct ep_wr wr = wr_op(2, IBV_WR_SEND, mfrom, SRC, len, NULL, 0);
	struct ibv_wc wc;

	rvt_step("%s->%s %u bytes", from->tag, to->tag, len);
	ep_fill(from, mfrom, SRC, len, len);
	ep_fill(to, mto, 0, SRC, KEY_POISON);
	ep_recv(to, QP_0, &rwr, 1);
	wr.qpn = qpn_to;
	wr.qkey = QKEY;
	ep_send(from, QP_0, &wr, 1);
	expect_send(from, CQ_SEND, 2, IBV_WR_SEND);
	wc = ep_wait(to, CQ_RECV);
	CHECK(wc.status == IBV_WC_SUCCESS && wc.opcode == IBV_WC_RECV, "%s: \"%s\", opcode %d",
	      to->tag, ibv_wc_status_str(wc.status), wc.opcode);
	CHECK(wc.wc_flags == IBV_WC_GRH, "%s: flags %#x", to->tag, wc.wc_flags);
	CHECK(wc.byte_len == GRH + len, "%s: length %u", to->tag, wc.byte_len);
	CHECK(wc.src_qp == qpn_from, "%s: from QP %#x, not %#x", to->tag, wc.src_qp, qpn_from);
	check_grh(to, mto, from);
	ep_verify(to, mto, GRH, len, len, "payload");
	ep_verify_at(to, mto, GRH + len, 64, KEY_POISON, GRH + len, "bytes behind it");
}

static void both_ways(struct env *e, const void *arg)
{
	const uint32_t mtu_a = 128u << e->a->port.active_mtu, mtu_b = 128u << e->b->port.active_mtu;
	const uint32_t len[] = { 0, 1, 3, 511, mtu_a < mtu_b ? mtu_a : mtu_b };
	struct ep_mr ma, mb;
	uint32_t qpn_a, qpn_b;

	(void)arg;
	ma = open_ud(e->a, e->b, &qpn_a);
	mb = open_ud(e->b, e->a, &qpn_b);
	for (size_t i = 0; i < ARRAY_SIZE(len); i++) {
		one(e->a, e->b, &ma, &mb, qpn_a, qpn_b, len[i]);
		one(e->b, e->a, &mb, &ma, qpn_b, qpn_a, len[i]);
	}
}

static const struct rvt_case cases[] = {
	{ .name = "datagram.both_ways", .run = both_ways },
};

const struct rvt_case_list rvt_ud_cases = { cases, ARRAY_SIZE(cases) };
