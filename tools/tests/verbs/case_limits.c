// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Limits: what the device advertises can be had, one more is refused with an
 * errno that says why, and afterwards everything can be had again. Only limits
 * that a test reaches in seconds and a few MiB.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dgram.h"
#include "pair.h"

/* The version of the module, as the kernel tells it */
static void module_version(char *text, size_t len)
{
	FILE *f = fopen("/sys/module/rdma_rxe/version", "r");

	CHECK(f && fgets(text, len, f), "the module tells no version");
	fclose(f);
	text[strcspn(text, "\n")] = 0;
}

static void advertised(struct env *e, const void *arg)
{
	struct ibv_device_attr *a;
	char version[64];
	struct dg dg;

	(void)arg;
	dg_open(&dg, e->cfg);
	a = &dg.attr;
	CHECK(a->max_qp > 0 && a->max_cq > 0 && a->max_pd > 0 && a->max_mr > 0, "objects");
	CHECK(a->max_ah > 0 && a->max_srq > 0, "AHs, SRQs");
	CHECK(a->max_qp_wr > 0 && a->max_sge > 0 && a->max_cqe > 0, "queues");
	CHECK(a->max_mcast_grp > 0 && a->max_mcast_qp_attach > 0, "multicast");
	CHECK((uint64_t)a->max_total_mcast_qp_attach ==
		      (uint64_t)a->max_mcast_grp * a->max_mcast_qp_attach,
	      "multicast in total");
	CHECK(dg.port.max_msg_sz == 1u << 31, "max_msg_sz %u", dg.port.max_msg_sz);
	CHECK(a->vendor_id == 0xffffff, "vendor_id %#x", a->vendor_id);
	CHECK(a->vendor_part_id == RVT_PART_ID, "vendor_part_id %u", a->vendor_part_id);
	CHECK(a->hw_ver == 2, "hw_ver %u", a->hw_ver);
	module_version(version, sizeof(version));
	CHECK(!strcmp(a->fw_ver, version), "fw_ver \"%s\", of version \"%s\"", a->fw_ver, version);
}

static void cqe(struct env *e, const void *arg)
{
	struct ibv_cq *cq;
	struct dg dg;

	(void)arg;
	dg_open(&dg, e->cfg);
	for (int round = 0; round < 2; round++) {
		cq = ibv_create_cq(dg.ctx, dg.attr.max_cqe, NULL, NULL, 0);
		CHECK(cq, "%d CQEs: errno %d", dg.attr.max_cqe, errno);
		CHECK(cq->cqe >= dg.attr.max_cqe, "granted %d", cq->cqe);
		CHECK(!ibv_create_cq(dg.ctx, dg.attr.max_cqe + 1, NULL, NULL, 0), "one more");
		CHECK(errno == EINVAL, "errno %d", errno);
		CHECK(!ibv_destroy_cq(cq), "destroy");
	}
}

enum member { SEND_WR, RECV_WR, SEND_SGE, RECV_SGE, INLINE };

static uint32_t *member_of(struct ibv_qp_cap *cap, enum member m)
{
	switch (m) {
	case SEND_WR:
		return &cap->max_send_wr;
	case RECV_WR:
		return &cap->max_recv_wr;
	case SEND_SGE:
		return &cap->max_send_sge;
	case RECV_SGE:
		return &cap->max_recv_sge;
	default:
		return &cap->max_inline_data;
	}
}

static uint32_t limit_of(const struct dg *dg, enum member m)
{
	if (m == INLINE)
		return 512; /* not advertised: Documentation/abi.rst */
	return m <= RECV_WR ? dg->attr.max_qp_wr : dg->attr.max_sge;
}

static void qp_cap(struct env *e, const void *arg)
{
	enum member m = *(const enum member *)arg;
	struct ibv_qp_cap cap = { 1, 1, 1, 1, 0 };
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct dg dg;

	dg_open(&dg, e->cfg);
	cq = ibv_create_cq(dg.ctx, 1, NULL, NULL, 0);
	CHECK(cq, "ibv_create_cq: errno %d", errno);
	for (int round = 0; round < 2; round++) {
		/* A million send work requests are 800 MiB: less of them */
		*member_of(&cap, m) = m == SEND_WR ? 1 << 17 : limit_of(&dg, m);
		qp = dg_try_qp(&dg, cq, &cap);
		CHECK(qp, "at %u: errno %d", *member_of(&cap, m), errno);
		CHECK(!ibv_destroy_qp(qp), "destroy");
		*member_of(&cap, m) = limit_of(&dg, m) + 1;
		CHECK(!dg_try_qp(&dg, cq, &cap), "one more was granted");
		CHECK(errno == EINVAL, "errno %d", errno);
	}
}

/* A receive queue as deep and as wide as can be is 1 GiB: too much for some machines,
 * whose log must not tell of it; the script that runs this looks
 */
static void largest_queue(struct env *e, const void *arg)
{
	struct ibv_qp_cap cap = { 1, 1, 1, 1, 0 };
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct dg dg;

	(void)arg;
	dg_open(&dg, e->cfg);
	cap.max_recv_wr = dg.attr.max_qp_wr;
	cap.max_recv_sge = dg.attr.max_sge;
	cq = ibv_create_cq(dg.ctx, 1, NULL, NULL, 0);
	CHECK(cq, "ibv_create_cq: errno %d", errno);
	qp = dg_try_qp(&dg, cq, &cap);
	CHECK(!qp && errno == ENOMEM, "it was granted, or errno %d", errno);
}

/* As many as a user may have; what the kernel's own users have does not count */
static struct ibv_ah **all_ahs(struct dg *dg)
{
	struct ibv_ah **ahs = calloc(dg->attr.max_ah, sizeof(*ahs));

	CHECK(ahs, "no memory");
	for (int n = 0; n < dg->attr.max_ah; n++) {
		ahs[n] = dg_ah(dg, &dg->gid);
		CHECK(ahs[n], "%d of %d, errno %d", n, dg->attr.max_ah, errno);
	}
	return ahs;
}

static void ah(struct env *e, const void *arg)
{
	struct ibv_ah **ahs;
	struct dg dg;
	int n;

	(void)arg;
	dg_open(&dg, e->cfg);
	ahs = all_ahs(&dg);
	n = dg.attr.max_ah;
	CHECK(!dg_ah(&dg, &dg.gid), "one more");
	CHECK(errno == ENOSPC, "errno %d", errno);
	CHECK(!ibv_destroy_ah(ahs[n / 2]), "destroy");
	ahs[n / 2] = dg_ah(&dg, &dg.gid);
	CHECK(ahs[n / 2], "after one went: errno %d", errno);
	while (n--)
		CHECK(!ibv_destroy_ah(ahs[n]), "destroy %d", n);
	CHECK(dg_ah(&dg, &dg.gid), "after all went: errno %d", errno);
}

/* Holds all until its input ends, for scripts that see how others fare */
static void hold_ahs(struct env *e, const void *arg)
{
	struct dg dg;

	(void)arg;
	dg_open(&dg, e->cfg);
	free(all_ahs(&dg));
	rvt_say("holding");
	while (getchar() != EOF)
		;
}

static void mcast_attach(struct env *e, const void *arg)
{
	union ibv_gid group = { .raw = { [10] = 0xff, 0xff, 239, 78, 0, 1 } };
	struct ibv_qp_cap cap = { 1, 1, 1, 1, 0 };
	struct ibv_qp **qp;
	struct ibv_cq *cq;
	struct dg dg;
	int n, i;

	(void)arg;
	dg_open(&dg, e->cfg);
	n = dg.attr.max_mcast_qp_attach;
	cq = ibv_create_cq(dg.ctx, 1, NULL, NULL, 0);
	qp = calloc(n + 1, sizeof(*qp));
	CHECK(cq && qp, "no memory");
	for (i = 0; i <= n; i++) {
		qp[i] = dg_try_qp(&dg, cq, &cap);
		CHECK(qp[i], "QP %d: errno %d", i, errno);
	}
	for (i = 0; i < n; i++)
		CHECK(!ibv_attach_mcast(qp[i], &group, 0), "attach %d: errno %d", i, errno);
	CHECK(ibv_attach_mcast(qp[n], &group, 0) == ENOSPC, "one more, errno %d", errno);
	CHECK(!ibv_detach_mcast(qp[0], &group, 0), "detach");
	CHECK(!ibv_attach_mcast(qp[n], &group, 0), "after one went: errno %d", errno);
	for (i = 1; i <= n; i++)
		CHECK(!ibv_detach_mcast(qp[i], &group, 0), "detach %d: errno %d", i, errno);
	for (i = 0; i <= n; i++)
		CHECK(!ibv_destroy_qp(qp[i]), "destroy %d: errno %d", i, errno);
}

/* As many groups as the device says, each of one QP */
static void mcast_groups(struct env *e, const void *arg)
{
	union ibv_gid group = { .raw = { [10] = 0xff, 0xff, 239, 78 } };
	struct ibv_qp_cap cap = { 1, 1, 1, 1, 0 };
	struct ibv_qp *qp;
	struct ibv_cq *cq;
	struct dg dg;
	int n, i;

	(void)arg;
	dg_open(&dg, e->cfg);
	n = dg.attr.max_mcast_grp;
	cq = ibv_create_cq(dg.ctx, 1, NULL, NULL, 0);
	CHECK(cq, "no CQ");
	qp = dg_try_qp(&dg, cq, &cap);
	CHECK(qp, "QP: errno %d", errno);
	for (i = 0; i <= n; i++) {
		int err;

		group.raw[14] = i >> 8;
		group.raw[15] = i;
		err = ibv_attach_mcast(qp, &group, 0);
		CHECK(err == (i < n ? 0 : ENOSPC), "group %d of %d: errno %d", i, n, err);
	}
	for (i = 0; i < n; i++) {
		group.raw[14] = i >> 8;
		group.raw[15] = i;
		CHECK(!ibv_detach_mcast(qp, &group, 0), "detach %d: errno %d", i, errno);
	}
	group.raw[14] = 0xff;
	CHECK(!ibv_attach_mcast(qp, &group, 0), "after all went: errno %d", errno);
	CHECK(!ibv_detach_mcast(qp, &group, 0), "detach");
	CHECK(!ibv_destroy_qp(qp), "destroy: errno %d", errno);
}

static void srq_cap(struct env *e, const void *arg)
{
	bool wr = *(const bool *)arg;
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 1, .max_sge = 1 } };
	uint32_t *member = wr ? &init.attr.max_wr : &init.attr.max_sge;
	struct ibv_srq *srq;
	uint32_t limit;
	struct dg dg;

	dg_open(&dg, e->cfg);
	limit = wr ? dg.attr.max_srq_wr : dg.attr.max_srq_sge;
	for (int round = 0; round < 2; round++) {
		*member = limit;
		srq = ibv_create_srq(dg.pd, &init);
		CHECK(srq, "at %u: errno %d", limit, errno);
		CHECK(*member >= limit, "granted %u", *member);
		CHECK(!ibv_destroy_srq(srq), "destroy");
		*member = limit + 1;
		CHECK(!ibv_create_srq(dg.pd, &init), "one more was granted");
		CHECK(errno == EINVAL, "errno %d", errno);
	}
}

static void try_rd_atomic(struct pair *p, struct ibv_qp_attr *attr, int mask, uint8_t *field,
			  unsigned int limit)
{
	int err;

	*field = limit + 1;
	err = ep_try_modify(p->a, QP_0, attr, mask);
	CHECK(err == EINVAL, "one more: errno %d", err);
	*field = limit;
	ep_modify(p->a, QP_0, attr, mask);
}

/* As many READs as may be outstanding, posted while the queue is held and then some */
static void rd_atomic(struct env *e, const void *arg)
{
	enum { CHAIN = 32, BYTES = 700 };
	struct pair_opts o = pair_defaults;
	unsigned int limit = e->a->dev.max_qp_rd_atom, n = limit + CHAIN;
	struct ibv_qp_attr attr;
	struct ep_wr wr[CHAIN];
	struct pair p;
	int mask;

	(void)arg;
	CHECK(limit == 128 && (int)limit == e->a->dev.max_qp_init_rd_atom, "%u and %d", limit,
	      e->a->dev.max_qp_init_rd_atom);
	o.conn.rd_atomic = limit;
	o.sq = n;
	pair_create(&p, e, &o);
	pair_init(&p);
	mask = attr_rtr(&attr, &o.conn, p.b, p.a, p.qpn_a, o.conn.psn_a);
	ep_modify(p.b, QP_0, &attr, mask);
	mask = attr_rtr(&attr, &o.conn, p.a, p.b, p.qpn_b, o.conn.psn_b);
	try_rd_atomic(&p, &attr, mask, &attr.max_dest_rd_atomic, limit);
	mask = attr_rts(&attr, &o.conn, o.conn.psn_a);
	try_rd_atomic(&p, &attr, mask, &attr.max_rd_atomic, limit);

	set_state(p.a, QP_0, IBV_QPS_SQD);
	ep_fill(p.b, &p.mb, 0, p.mb.len, 3);
	for (unsigned int i = 0; i < n; i++) {
		wr[i % CHAIN] = wr_op(i, IBV_WR_RDMA_READ, &p.ma, BYTES * i, BYTES, &p.mb, 7 * i);
		if (i % CHAIN == CHAIN - 1)
			ep_send(p.a, QP_0, wr, CHAIN);
	}
	expect_none(p.a, CQ_SEND, 50, "the queue is held");
	set_state(p.a, QP_0, IBV_QPS_RTS);
	for (unsigned int i = 0; i < n; i++) {
		expect_send(p.a, CQ_SEND, i, IBV_WR_RDMA_READ);
		ep_verify_at(p.a, &p.ma, BYTES * i, BYTES, 3, 7 * i, "read data");
	}
}

/* A byte beyond the largest message is refused before a key is looked at */
static void message_too_long(struct env *e, const void *arg)
{
	struct ep_wr wr;
	struct pair p;

	(void)arg;
	pair_open(&p, e, &pair_defaults);
	wr = wr_op(1, IBV_WR_RDMA_WRITE, &p.ma, 0, 1, &p.mb, 0);
	wr.sge[0].length = p.a->port.max_msg_sz;
	wr.sge[1] = sge_of(&p.ma, 0, 1);
	wr.nsge = 2;
	ep_send(p.a, QP_0, &wr, 1);
	expect_wc(p.a, CQ_SEND, 1, IBV_WC_LOC_LEN_ERR);
	expect_state(p.a, QP_0, IBV_QPS_ERR);
}

/* The largest message there is. Memory is one piece mapped again and again. */
static void largest_message(struct env *e, const void *arg)
{
	static const uint32_t piece = 2 << 20;
	struct pair_opts o = pair_defaults;
	struct ibv_wc wc;
	struct ep_wr wr;
	struct pair p;

	(void)arg;
	o.conn.timeout = 20;
	o.mr_len = e->a->port.max_msg_sz;
	pair_open(&p, e, &o);
	ep_fill(p.a, &p.ma, 0, piece, 1);
	ep_fill(p.b, &p.mb, 0, piece, KEY_POISON);
	wr = wr_op(1, IBV_WR_RDMA_WRITE, &p.ma, 0, o.mr_len, &p.mb, 0);
	ep_send(p.a, QP_0, &wr, 1);
	CHECK(ep_poll(p.a, CQ_SEND, &wc, 1, 20 * 60 * 1000), "no completion");
	CHECK(wc.status == IBV_WC_SUCCESS, "\"%s\"", ibv_wc_status_str(wc.status));
	ep_verify(p.b, &p.mb, 0, piece, 1, "what was written");
}

#define CAP(label, value)                                                                     \
	{                                                                                     \
		.name = "limits." label, .run = qp_cap, .arg = &(const enum member){ value }, \
		.local = true                                                                 \
	}

static const struct rvt_case cases[] = {
	{ .name = "limits.advertised", .run = advertised, .local = true },
	{ .name = "limits.cqe", .run = cqe, .local = true },
	CAP("send_wr", SEND_WR),
	CAP("recv_wr", RECV_WR),
	CAP("send_sge", SEND_SGE),
	CAP("recv_sge", RECV_SGE),
	CAP("inline", INLINE),
	{ .name = "limits.largest_queue", .run = largest_queue, .local = true, .extra = true },
	{ .name = "limits.ah", .run = ah, .local = true },
	{ .name = "hold.ahs", .run = hold_ahs, .local = true, .extra = true },
	{ .name = "limits.mcast_attach", .run = mcast_attach, .local = true },
	{ .name = "limits.mcast_groups", .run = mcast_groups, .local = true, .extra = true },
	{ .name = "limits.srq_wr", .run = srq_cap, .arg = &(const bool){ true }, .local = true },
	{ .name = "limits.srq_sge", .run = srq_cap, .arg = &(const bool){ false }, .local = true },
	{ .name = "limits.rd_atomic", .run = rd_atomic },
	{ .name = "limits.message_too_long", .run = message_too_long },
	{ .name = "limits.largest_message", .run = largest_message, .extra = true },
};

const struct rvt_case_list rvt_limits_cases = { cases, ARRAY_SIZE(cases) };
