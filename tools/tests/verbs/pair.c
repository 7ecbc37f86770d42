// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Connected pairs and the expectations cases are written in. */
#include <arpa/inet.h>
#include <string.h>

#include "pair.h"

struct pair_opts pair_defaults = {
	.conn = {
		.mtu = IBV_MTU_1024,
		.psn_a = 0x123456,
		.psn_b = 0x654321,
		.timeout = 16, /* 268 ms: emulated guests stand still for long */
		.retry = 7,
		.rnr_retry = 7,
		.min_rnr = 12,
		.rd_atomic = 16,
		.access_a = QP_ALL,
		.access_b = QP_ALL,
	},
	.mr_len = 256 * 1024,
	.mr_access_a = MR_ALL,
	.mr_access_b = MR_ALL,
	.sq = 64,
	.rq = 64,
	.sge = 4,
	.cq_depth = 256,
};

void pair_slow(int times)
{
	for (; times > 1; times /= 2)
		pair_defaults.conn.timeout++;
}

static const struct {
	const char *name;
	bool recv;
	unsigned int recv_flags; /* of the receive's completion */
	enum ibv_wc_opcode wc;
} ops[] = {
	[IBV_WR_RDMA_WRITE] = { "WRITE", false, 0, IBV_WC_RDMA_WRITE },
	[IBV_WR_RDMA_WRITE_WITH_IMM] = { "WRITE_IMM", true, IBV_WC_WITH_IMM, IBV_WC_RDMA_WRITE },
	[IBV_WR_SEND] = { "SEND", true, 0, IBV_WC_SEND },
	[IBV_WR_SEND_WITH_IMM] = { "SEND_IMM", true, IBV_WC_WITH_IMM, IBV_WC_SEND },
	[IBV_WR_SEND_WITH_INV] = { "SEND_INV", true, IBV_WC_WITH_INV, IBV_WC_SEND },
	[IBV_WR_ATOMIC_CMP_AND_SWP] = { "CMP_SWAP", false, 0, IBV_WC_COMP_SWAP },
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = { "FETCH_ADD", false, 0, IBV_WC_FETCH_ADD },
	[IBV_WR_ATOMIC_WRITE] = { "ATOMIC_WRITE", false, 0, IBV_WC_ATOMIC_WRITE },
	[IBV_WR_RDMA_READ] = { "READ", false, 0, IBV_WC_RDMA_READ },
};

const char *op_name(enum ibv_wr_opcode op)
{
	return ops[op].name;
}

bool op_consumes_recv(enum ibv_wr_opcode op)
{
	return ops[op].recv;
}

const char *state_name(enum ibv_qp_state state)
{
	static const char *const names[] = { "RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR" };

	return state < ARRAY_SIZE(names) ? names[state] : "?";
}

enum ibv_mtu mtu_enum(unsigned int bytes)
{
	enum ibv_mtu m = IBV_MTU_256;

	while (m < IBV_MTU_4096 && (128u << m) < bytes)
		m++;
	return m;
}

int attr_init(struct ibv_qp_attr *attr, int access)
{
	memset(attr, 0, sizeof(*attr));
	attr->qp_state = IBV_QPS_INIT;
	attr->port_num = 1;
	attr->qp_access_flags = access;
	return IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
}

int attr_rtr(struct ibv_qp_attr *attr, const struct conn *c, const struct ep *self,
	     const struct ep *peer, uint32_t dest_qpn, uint32_t psn)
{
	int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;

	memset(attr, 0, sizeof(*attr));
	attr->qp_state = IBV_QPS_RTR;
	attr->path_mtu = c->mtu;
	attr->dest_qp_num = dest_qpn;
	attr->rq_psn = psn;
	if (!c->uc) {
		attr->max_dest_rd_atomic = c->rd_atomic;
		attr->min_rnr_timer = c->min_rnr;
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	}
	attr->ah_attr.is_global = 1;
	attr->ah_attr.port_num = 1;
	attr->ah_attr.grh.dgid = peer->gid;
	attr->ah_attr.grh.sgid_index = self->gid_index;
	attr->ah_attr.grh.hop_limit = 64;
	return mask;
}

int attr_rts(struct ibv_qp_attr *attr, const struct conn *c, uint32_t psn)
{
	memset(attr, 0, sizeof(*attr));
	attr->qp_state = IBV_QPS_RTS;
	attr->sq_psn = psn;
	if (c->uc)
		return IBV_QP_STATE | IBV_QP_SQ_PSN;
	attr->timeout = c->timeout;
	attr->retry_cnt = c->retry;
	attr->rnr_retry = c->rnr_retry;
	attr->max_rd_atomic = c->rd_atomic;
	return IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
	       IBV_QP_MAX_QP_RD_ATOMIC;
}

void connect_slot(struct env *e, const struct conn *c, uint32_t slot, uint32_t qpn_a,
		  uint32_t qpn_b)
{
	uint32_t psn_a = (c->psn_a + slot) & 0xffffff, psn_b = (c->psn_b + slot) & 0xffffff;
	struct ibv_qp_attr attr;
	int mask;

	mask = attr_init(&attr, c->access_a);
	ep_modify(e->a, slot, &attr, mask);
	mask = attr_init(&attr, c->access_b);
	ep_modify(e->b, slot, &attr, mask);
	mask = attr_rtr(&attr, c, e->a, e->b, qpn_b, psn_b);
	ep_modify(e->a, slot, &attr, mask);
	mask = attr_rtr(&attr, c, e->b, e->a, qpn_a, psn_a);
	ep_modify(e->b, slot, &attr, mask);
	mask = attr_rts(&attr, c, psn_a);
	ep_modify(e->a, slot, &attr, mask);
	mask = attr_rts(&attr, c, psn_b);
	ep_modify(e->b, slot, &attr, mask);
}

void set_state(struct ep *ep, uint32_t qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	ep_modify(ep, qp, &attr, IBV_QP_STATE);
}

void expect_state(struct ep *ep, uint32_t qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = ep_query(ep, qp, NULL);

	CHECK(attr.qp_state == state, "%s: QP is in %s, must be in %s", ep->tag,
	      state_name(attr.qp_state), state_name(state));
}

void pair_create(struct pair *p, struct env *e, const struct pair_opts *o)
{
	struct ep_qp_init init = {
		.scq = CQ_SEND,
		.rcq = CQ_RECV,
		.sq_sig_all = o->sig_all,
		.type = o->conn.uc ? IBV_QPT_UC : IBV_QPT_RC,
		.ring = o->ring,
		.cap = {
			.max_send_wr = o->sq,
			.max_recv_wr = o->rq,
			.max_send_sge = o->sge,
			.max_recv_sge = o->sge,
			.max_inline_data = o->inline_len,
		},
	};
	struct ep *both[2] = { e->a, e->b };

	memset(p, 0, sizeof(*p));
	p->a = e->a;
	p->b = e->b;
	p->o = *o;
	for (int i = 0; i < 2; i++) {
		ep_cq(both[i], CQ_SEND, o->cq_depth, o->channel);
		ep_cq(both[i], CQ_RECV, o->cq_depth, o->channel);
	}
	p->ma = ep_mr(p->a, MR_0, o->mr_len, o->mr_access_a, 0);
	p->mb = ep_mr(p->b, MR_0, o->mr_len, o->mr_access_b, 0);
	p->cap_a = ep_qp(p->a, QP_0, &init, &p->qpn_a);
	p->cap_b = ep_qp(p->b, QP_0, &init, &p->qpn_b);
}

void pair_init(struct pair *p)
{
	struct ibv_qp_attr attr;
	int mask;

	mask = attr_init(&attr, p->o.conn.access_a);
	ep_modify(p->a, QP_0, &attr, mask);
	mask = attr_init(&attr, p->o.conn.access_b);
	ep_modify(p->b, QP_0, &attr, mask);
}

void pair_half(struct pair *p)
{
	const struct conn *c = &p->o.conn;
	struct ibv_qp_attr attr;
	int mask;

	mask = attr_rtr(&attr, c, p->a, p->b, p->qpn_b, c->psn_b);
	ep_modify(p->a, QP_0, &attr, mask);
	mask = attr_rtr(&attr, c, p->b, p->a, p->qpn_a, c->psn_a);
	if (c->no_resources_b && !c->uc)
		attr.max_dest_rd_atomic = 0;
	ep_modify(p->b, QP_0, &attr, mask);
	mask = attr_rts(&attr, c, c->psn_a);
	ep_modify(p->a, QP_0, &attr, mask);
}

void pair_connect(struct pair *p)
{
	struct ibv_qp_attr attr;
	int mask;

	pair_init(p);
	pair_half(p);
	mask = attr_rts(&attr, &p->o.conn, p->o.conn.psn_b);
	ep_modify(p->b, QP_0, &attr, mask);
}

void pair_open(struct pair *p, struct env *e, const struct pair_opts *o)
{
	pair_create(p, e, o);
	pair_connect(p);
}

struct ibv_sge sge_of(const struct ep_mr *mr, uint32_t off, uint32_t len)
{
	return (struct ibv_sge){ .addr = mr->addr + off, .length = len, .lkey = mr->lkey };
}

struct ep_wr wr_recv(uint64_t id, const struct ep_mr *mr, uint32_t off, uint32_t len)
{
	struct ep_wr wr = { .wr_id = id, .nsge = 1 };

	wr.sge[0] = sge_of(mr, off, len);
	return wr;
}

struct ep_wr wr_op(uint64_t id, enum ibv_wr_opcode op, const struct ep_mr *mr, uint32_t off,
		   uint32_t len, const struct ep_mr *remote, uint32_t roff)
{
	struct ep_wr wr = wr_recv(id, mr, off, len);

	wr.opcode = op;
	wr.flags = IBV_SEND_SIGNALED;
	wr.imm = 0xa5000000u + id;
	if (!len)
		wr.nsge = 0;
	if (remote) {
		wr.raddr = remote->addr + roff;
		wr.rkey = remote->rkey;
	}
	return wr;
}

void expect_wc(struct ep *ep, uint32_t cq, uint64_t wr_id, enum ibv_wc_status status)
{
	struct ibv_wc wc = ep_wait(ep, cq);

	CHECK(wc.wr_id == wr_id && wc.status == status,
	      "%s: CQ %u: work request %llu completed with \"%s\", must be %llu with \"%s\"",
	      ep->tag, cq, (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status),
	      (unsigned long long)wr_id, ibv_wc_status_str(status));
}

struct ibv_wc expect_send(struct ep *ep, uint32_t cq, uint64_t wr_id, enum ibv_wr_opcode op)
{
	struct ibv_wc wc = ep_wait(ep, cq);

	CHECK(wc.wr_id == wr_id && wc.status == IBV_WC_SUCCESS,
	      "%s: %s %llu completed as %llu with \"%s\"", ep->tag, op_name(op),
	      (unsigned long long)wr_id, (unsigned long long)wc.wr_id,
	      ibv_wc_status_str(wc.status));
	CHECK(wc.opcode == ops[op].wc, "%s: %s completed with opcode %d, must be %d", ep->tag,
	      op_name(op), wc.opcode, ops[op].wc);
	return wc;
}

struct ibv_wc expect_recv(struct ep *ep, uint32_t cq, uint64_t wr_id, enum ibv_wr_opcode op,
			  uint32_t len, uint32_t tell)
{
	struct ibv_wc wc = ep_wait(ep, cq);
	enum ibv_wc_opcode want = op == IBV_WR_RDMA_WRITE_WITH_IMM ? IBV_WC_RECV_RDMA_WITH_IMM :
								     IBV_WC_RECV;
	/* The kernel's own driver has flags of its own */
	uint32_t flags = ep->dev.vendor_part_id == RVT_PART_ID ? wc.wc_flags : ops[op].recv_flags;
	uint32_t told = flags & IBV_WC_WITH_INV ? wc.invalidated_rkey : ntohl(wc.imm_data);

	CHECK(wc.wr_id == wr_id && wc.status == IBV_WC_SUCCESS,
	      "%s: receive %llu completed as %llu with \"%s\"", ep->tag, (unsigned long long)wr_id,
	      (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status));
	CHECK(wc.opcode == want, "%s: receive of %s has opcode %d, must be %d", ep->tag,
	      op_name(op), wc.opcode, want);
	CHECK(wc.byte_len == len, "%s: receive of %s has length %u, must be %u", ep->tag,
	      op_name(op), wc.byte_len, len);
	CHECK(flags == ops[op].recv_flags, "%s: receive of %s has flags %#x, must be %#x", ep->tag,
	      op_name(op), flags, ops[op].recv_flags);
	CHECK(!flags || told == tell, "%s: immediate or key is %#x, must be %#x", ep->tag, told,
	      tell);
	return wc;
}

void pair_sync(struct pair *p)
{
	const uint64_t id = 0x51c;
	struct ep_wr wr = wr_op(id, IBV_WR_SEND, &p->ma, 0, 0, NULL, 0);
	struct ep_wr rwr = { .wr_id = id };

	ep_recv(p->b, QP_0, &rwr, 1);
	ep_send(p->a, QP_0, &wr, 1);
	expect_recv(p->b, CQ_RECV, id, IBV_WR_SEND, 0, 0);
	expect_send(p->a, CQ_SEND, id, IBV_WR_SEND);
}

void expect_none(struct ep *ep, uint32_t cq, uint32_t ms, const char *why)
{
	struct ibv_wc wc;

	CHECK(!ep_poll(ep, cq, &wc, 1, ms),
	      "%s: unexpected completion of %llu with \"%s\" on CQ %u: %s", ep->tag,
	      (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status), cq, why);
}

/* Bytes kept at the poison pattern before and after the target of a transfer. */
#define GUARD 64

void transfer(struct ep *from, struct ep *to, const struct ep_mr *mfrom, const struct ep_mr *mto,
	      enum ibv_wr_opcode op, uint32_t len, uint32_t soff, uint32_t doff, uint64_t key)
{
	bool read = op == IBV_WR_RDMA_READ;
	struct ep *src = read ? to : from, *dst = read ? from : to;
	const struct ep_mr *msrc = read ? mto : mfrom, *mdst = read ? mfrom : mto;
	struct ep_wr wr, rwr;
	uint32_t tell;

	rvt_step("%s->%s %s of %u bytes", from->tag, to->tag, op_name(op), len);
	CHECK(doff >= GUARD, "no room for the guard");
	ep_fill(src, msrc, soff, len, key);
	ep_fill(dst, mdst, doff - GUARD, len + 2 * GUARD, KEY_POISON);
	if (op_consumes_recv(op)) {
		/* WRITE_IMM must not touch the receive's buffer: give it none. */
		rwr = wr_recv(key & 0xffff, mto, doff, len);
		if (!len || op == IBV_WR_RDMA_WRITE_WITH_IMM)
			rwr.nsge = 0;
		ep_recv(to, QP_0, &rwr, 1);
	}
	if (read)
		wr = wr_op(key & 0xff, op, mfrom, doff, len, mto, soff);
	else
		wr = wr_op(key & 0xff, op, mfrom, soff, len, mto, doff);
	tell = wr.imm;
	if (op == IBV_WR_SEND_WITH_INV) {
		wr.rkey = ep_bind(to, MW_0, QP_0, mto, doff, GUARD, IBV_ACCESS_REMOTE_READ);
		tell = wr.rkey;
	}
	ep_send(from, QP_0, &wr, 1);
	if (op_consumes_recv(op))
		expect_recv(to, CQ_RECV, key & 0xffff, op, len, tell);
	expect_send(from, CQ_SEND, key & 0xff, op);
	ep_verify(dst, mdst, doff, len, key, op_name(op));
	ep_verify(dst, mdst, doff - GUARD, GUARD, KEY_POISON, "bytes before the target");
	ep_verify_at(dst, mdst, doff + len, GUARD, KEY_POISON, GUARD + len,
		     "bytes after the target");
}
