// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The QP state machine as user space sees it: transitions, attributes, queries. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "pair.h"

/* Attributes and mask for the last step into @state. */
static int attr_for(struct ibv_qp_attr *attr, struct pair *p, enum ibv_qp_state from,
		    enum ibv_qp_state to)
{
	const struct conn *c = &p->o.conn;

	if (to == IBV_QPS_INIT)
		return attr_init(attr, QP_ALL);
	if (to == IBV_QPS_RTR)
		return attr_rtr(attr, c, p->a, p->b, p->qpn_b, c->psn_b);
	if (to == IBV_QPS_RTS && from != IBV_QPS_RTS && from != IBV_QPS_SQD)
		return attr_rts(attr, c, c->psn_a);
	memset(attr, 0, sizeof(*attr));
	attr->qp_state = to;
	return IBV_QP_STATE;
}

static void step(struct pair *p, enum ibv_qp_state from, enum ibv_qp_state to)
{
	struct ibv_qp_attr attr;
	int mask = attr_for(&attr, p, from, to);
	int err = ep_try_modify(p->a, QP_0, &attr, mask);

	CHECK(!err, "%s to %s failed: %s", state_name(from), state_name(to), strerror(err));
	expect_state(p->a, QP_0, to);
}

static void walk_to(struct pair *p, enum ibv_qp_state state)
{
	set_state(p->a, QP_0, IBV_QPS_RESET);
	for (enum ibv_qp_state s = IBV_QPS_RESET; s < state && s < IBV_QPS_RTS; s++)
		step(p, s, s + 1);
	if (state == IBV_QPS_SQD || state == IBV_QPS_ERR)
		step(p, IBV_QPS_RTS, state);
}

static const struct {
	enum ibv_qp_state from;
	uint32_t to; /* bits of the states it may go to */
} legal[] = {
	{ IBV_QPS_RESET, 1 << IBV_QPS_RESET | 1 << IBV_QPS_INIT },
	{ IBV_QPS_INIT,
	  1 << IBV_QPS_RESET | 1 << IBV_QPS_ERR | 1 << IBV_QPS_INIT | 1 << IBV_QPS_RTR },
	{ IBV_QPS_RTR, 1 << IBV_QPS_RESET | 1 << IBV_QPS_ERR | 1 << IBV_QPS_RTS },
	{ IBV_QPS_RTS,
	  1 << IBV_QPS_RESET | 1 << IBV_QPS_ERR | 1 << IBV_QPS_RTS | 1 << IBV_QPS_SQD },
	{ IBV_QPS_SQD,
	  1 << IBV_QPS_RESET | 1 << IBV_QPS_ERR | 1 << IBV_QPS_RTS | 1 << IBV_QPS_SQD },
	{ IBV_QPS_ERR, 1 << IBV_QPS_RESET | 1 << IBV_QPS_ERR },
};

/* RESET to ERR is legal in the specification, refused by the kernel's core: not judged. */
static bool judged(enum ibv_qp_state from, enum ibv_qp_state to)
{
	return !(from == IBV_QPS_RESET && to == IBV_QPS_ERR);
}

static void transitions(struct env *e, const void *arg)
{
	struct pair p;

	(void)arg;
	pair_create(&p, e, &pair_defaults);
	for (size_t i = 0; i < ARRAY_SIZE(legal); i++) {
		for (enum ibv_qp_state to = IBV_QPS_RESET; to <= IBV_QPS_ERR; to++) {
			struct ibv_qp_attr attr;
			int mask, err;

			if (!judged(legal[i].from, to))
				continue;
			rvt_step("%s to %s", state_name(legal[i].from), state_name(to));
			walk_to(&p, legal[i].from);
			mask = attr_for(&attr, &p, legal[i].from, to);
			err = ep_try_modify(p.a, QP_0, &attr, mask);
			if (legal[i].to & 1 << to)
				CHECK(!err, "legal step refused: %s", strerror(err));
			else
				CHECK(err == EINVAL, "illegal step gave %d, must be EINVAL", err);
			expect_state(p.a, QP_0, err ? legal[i].from : to);
		}
	}
}

/* A required attribute that is missing, or one that does not belong: EINVAL. */
static void attr_masks(struct env *e, const void *arg)
{
	struct ibv_qp_attr attr;
	struct pair p;
	int full;

	(void)arg;
	pair_create(&p, e, &pair_defaults);
	for (enum ibv_qp_state to = IBV_QPS_INIT; to <= IBV_QPS_RTS; to++) {
		walk_to(&p, to - 1);
		full = attr_for(&attr, &p, to - 1, to);
		for (int bit = 1; bit <= IBV_QP_DEST_QPN; bit <<= 1) {
			if (!(full & bit) || bit == IBV_QP_STATE)
				continue;
			rvt_step("to %s without attribute %#x", state_name(to), bit);
			CHECK(ep_try_modify(p.a, QP_0, &attr, full & ~bit) == EINVAL,
			      "accepted to %s without required attribute %#x", state_name(to), bit);
			expect_state(p.a, QP_0, to - 1);
		}
	}
	walk_to(&p, IBV_QPS_RESET);
	full = attr_for(&attr, &p, IBV_QPS_RESET, IBV_QPS_INIT);
	CHECK(ep_try_modify(p.a, QP_0, &attr, full | IBV_QP_SQ_PSN) == EINVAL,
	      "INIT accepted a send PSN");
}

enum bad_value {
	BAD_PORT,
	BAD_PKEY_INDEX,
	BAD_MTU_ENUM,
	BAD_MTU_ACTIVE,
	BAD_RNR_TIMER,
	BAD_DEST_RD,
	BAD_SGID,
	BAD_TIMEOUT,
	BAD_RETRY,
	BAD_RNR_RETRY,
	BAD_RD,
	BAD_CUR_STATE,
	BAD_ACCESS,
};

/* Breaks one attribute; returns the state it is set on the way to. */
static enum ibv_qp_state bad_target(enum bad_value v)
{
	if (v == BAD_PORT || v == BAD_PKEY_INDEX || v == BAD_ACCESS)
		return IBV_QPS_INIT;
	return v <= BAD_SGID ? IBV_QPS_RTR : IBV_QPS_RTS;
}

static int apply_bad(struct ibv_qp_attr *attr, enum bad_value v, const struct ep *ep)
{
	switch (v) {
	case BAD_PORT:
		attr->port_num = 2;
		break;
	case BAD_PKEY_INDEX:
		attr->pkey_index = 1;
		break;
	case BAD_ACCESS:
		attr->qp_access_flags |= 1 << 30;
		break;
	case BAD_MTU_ENUM:
		attr->path_mtu = 6;
		break;
	case BAD_MTU_ACTIVE:
		attr->path_mtu = ep->port.active_mtu + 1;
		break;
	case BAD_RNR_TIMER:
		attr->min_rnr_timer = 32;
		break;
	case BAD_DEST_RD:
		attr->max_dest_rd_atomic = 255;
		break;
	case BAD_SGID:
		attr->ah_attr.grh.sgid_index = 250;
		break;
	case BAD_TIMEOUT:
		attr->timeout = 32;
		break;
	case BAD_RETRY:
		attr->retry_cnt = 8;
		break;
	case BAD_RNR_RETRY:
		attr->rnr_retry = 8;
		break;
	case BAD_RD:
		attr->max_rd_atomic = 255;
		break;
	case BAD_CUR_STATE:
		attr->cur_qp_state = IBV_QPS_RTS;
		return IBV_QP_CUR_STATE;
	}
	return 0;
}

static void bad_value(struct env *e, const void *arg)
{
	const enum bad_value v = *(const enum bad_value *)arg;
	enum ibv_qp_state to = bad_target(v);
	struct ibv_qp_attr attr;
	struct pair p;
	int mask, err;

	pair_create(&p, e, &pair_defaults);
	if (v == BAD_DEST_RD || v == BAD_RD)
		CHECK(p.a->dev.max_qp_rd_atom < 255, "the device takes 255: nothing to refuse");
	walk_to(&p, to - 1);
	mask = attr_for(&attr, &p, to - 1, to);
	mask |= apply_bad(&attr, v, p.a);
	err = ep_try_modify(p.a, QP_0, &attr, mask);
	CHECK(err, "the bad value was accepted");
	expect_state(p.a, QP_0, to - 1);
	/* The refusal left nothing behind: the good value works. */
	step(&p, to - 1, to);
}

static void query(struct env *e, const void *arg)
{
	struct pair_opts o = pair_defaults;
	struct ibv_qp_attr q;
	struct ibv_qp_cap cap;
	struct pair p;
	int enough;

	(void)arg;
	o.conn.mtu = IBV_MTU_512;
	o.conn.rd_atomic = 5;
	o.conn.timeout = 13;
	o.conn.retry = 3;
	o.conn.rnr_retry = 4;
	o.conn.min_rnr = 9;
	o.conn.access_a = IBV_ACCESS_REMOTE_WRITE;
	o.sq = 17;
	o.rq = 33;
	o.sge = 3;
	o.inline_len = 40;
	pair_open(&p, e, &o);
	q = ep_query(p.a, QP_0, &cap);
#define SAME(got, want) \
	CHECK((got) == (want), #got " is %lld, must be %lld", (long long)(got), (long long)(want))
	SAME(q.qp_state, IBV_QPS_RTS);
	SAME(q.cur_qp_state, IBV_QPS_RTS);
	SAME(q.path_mtu, IBV_MTU_512);
	SAME(q.rq_psn, o.conn.psn_b);
	SAME(q.sq_psn, o.conn.psn_a);
	SAME(q.dest_qp_num, p.qpn_b);
	SAME(q.qp_access_flags, (unsigned int)IBV_ACCESS_REMOTE_WRITE);
	SAME(q.max_rd_atomic, 5);
	SAME(q.max_dest_rd_atomic, 5);
	SAME(q.min_rnr_timer, 9);
	SAME(q.timeout, 13);
	SAME(q.retry_cnt, 3);
	SAME(q.rnr_retry, 4);
	SAME(q.port_num, 1);
	SAME(q.pkey_index, 0);
	SAME(q.sq_draining, 0);
	SAME(q.ah_attr.is_global, 1);
	SAME(q.ah_attr.port_num, 1);
	SAME(q.ah_attr.grh.sgid_index, p.a->gid_index);
	SAME(q.ah_attr.grh.hop_limit, 64);
	CHECK(!memcmp(&q.ah_attr.grh.dgid, &p.b->gid, sizeof(p.b->gid)),
	      "the destination GID is not the one set");
	enough = cap.max_send_wr >= 17 && cap.max_recv_wr >= 33 && cap.max_send_sge >= 3 &&
		 cap.max_recv_sge >= 3 && cap.max_inline_data >= 40;
	CHECK(enough, "capacities below what was asked: %u %u %u %u %u", cap.max_send_wr,
	      cap.max_recv_wr, cap.max_send_sge, cap.max_recv_sge, cap.max_inline_data);
#undef SAME
}

static void expect_psns(struct ep *ep, uint32_t sq_psn, uint32_t rq_psn)
{
	struct ibv_qp_cap cap;
	struct ibv_qp_attr q = ep_query(ep, QP_0, &cap);

	CHECK(q.sq_psn == (sq_psn & 0xffffff) && q.rq_psn == (rq_psn & 0xffffff),
	      "%s: sq_psn %#x, rq_psn %#x, must be %#x, %#x", ep->tag, q.sq_psn, q.rq_psn,
	      sq_psn & 0xffffff, rq_psn & 0xffffff);
}

/* The current PSNs (IBTA 11.2.4.3): 10 packets one way, 10 of an answer the other */
static void query_psns(struct env *e, const void *arg)
{
	struct pair_opts o = pair_defaults;
	struct pair p;

	(void)arg;
	o.conn.mtu = IBV_MTU_512;
	o.conn.psn_a = 0xfffffa;
	o.conn.psn_b = 77;
	pair_open(&p, e, &o);
	expect_psns(p.a, 0xfffffa, 77);
	expect_psns(p.b, 77, 0xfffffa);
	transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_SEND, 5000, 5, 1000, 1);
	expect_psns(p.a, 0xfffffa + 10, 77);
	expect_psns(p.b, 77, 0xfffffa + 10);
	transfer(p.b, p.a, &p.mb, &p.ma, IBV_WR_RDMA_READ, 5000, 5, 1000, 2);
	expect_psns(p.a, 0xfffffa + 10, 77 + 10);
	expect_psns(p.b, 77 + 10, 0xfffffa + 10);
	set_state(p.a, QP_0, IBV_QPS_RESET);
	expect_psns(p.a, 0, 0);
}

static void expect_draining(struct ep *ep, bool draining)
{
	struct ibv_qp_attr attr = ep_query(ep, QP_0, NULL);

	CHECK(attr.qp_state == IBV_QPS_SQD && attr.sq_draining == draining,
	      "%s: QP is in %s, draining %d, must be in SQD, draining %d", ep->tag,
	      state_name(attr.qp_state), attr.sq_draining, draining);
}

/* A send that waits for the peer keeps the queue from being drained. */
static void sq_draining(struct env *e, const void *arg)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };
	struct ep_wr wr, rwr;
	struct pair p;
	int ev;

	(void)arg;
	pair_open(&p, e, &pair_defaults);
	wr = wr_op(1, IBV_WR_SEND, &p.ma, 0, 64, NULL, 0);
	ep_send(p.a, QP_0, &wr, 1);
	ep_modify(p.a, QP_0, &attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY);
	expect_draining(p.a, true);
	CHECK(ep_async(p.a, 200) < 0, "drained, with a send that was not answered");
	expect_draining(p.a, true);
	rvt_step("the receive that it waits for");
	rwr = wr_recv(2, &p.mb, 0, 64);
	ep_recv(p.b, QP_0, &rwr, 1);
	ev = ep_async(p.a, WAIT_MS);
	CHECK(ev == IBV_EVENT_SQ_DRAINED, "event %d, must be SQ_DRAINED", ev);
	expect_send(p.a, CQ_SEND, 1, IBV_WR_SEND);
	expect_recv(p.b, CQ_RECV, 2, IBV_WR_SEND, 64, 0);
	expect_draining(p.a, false);
	set_state(p.a, QP_0, IBV_QPS_RTS);
	transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_SEND, 3000, 5, 1000, 1);
}

/* Work posted in SQD waits, and starts when the QP goes back to RTS. */
static void sqd_resume(struct env *e, const void *arg)
{
	struct ep_wr wr[6], rwr[6];
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };
	struct pair_opts o = pair_defaults;
	struct pair p;
	int ev;

	o.conn.uc = *(const bool *)arg;
	pair_open(&p, e, &o);
	ep_fill(p.a, &p.ma, 0, 65536, 11);
	ep_fill(p.b, &p.mb, 0, 65536, KEY_POISON);
	for (unsigned int i = 0; i < ARRAY_SIZE(wr); i++) {
		rwr[i] = wr_recv(100 + i, &p.mb, 8192 * i, 5000);
		wr[i] = wr_op(i, IBV_WR_SEND, &p.ma, 8192 * i, 5000, NULL, 0);
	}
	ep_recv(p.b, QP_0, rwr, ARRAY_SIZE(rwr));
	rvt_step("two sends, then drain");
	ep_send(p.a, QP_0, wr, 2);
	ep_modify(p.a, QP_0, &attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY);
	ev = ep_async(p.a, WAIT_MS);
	CHECK(ev == IBV_EVENT_SQ_DRAINED, "event %d, must be SQ_DRAINED", ev);
	expect_draining(p.a, false);
	for (unsigned int i = 0; i < 2; i++) {
		expect_send(p.a, CQ_SEND, i, IBV_WR_SEND);
		expect_recv(p.b, CQ_RECV, 100 + i, IBV_WR_SEND, 5000, 0);
	}
	rvt_step("sends posted while drained");
	ep_send(p.a, QP_0, wr + 2, 4);
	expect_none(p.a, CQ_SEND, 300, "the queue is drained");
	expect_none(p.b, CQ_RECV, 10, "the queue is drained");
	rvt_step("back to RTS");
	set_state(p.a, QP_0, IBV_QPS_RTS);
	for (unsigned int i = 2; i < ARRAY_SIZE(wr); i++) {
		expect_send(p.a, CQ_SEND, i, IBV_WR_SEND);
		expect_recv(p.b, CQ_RECV, 100 + i, IBV_WR_SEND, 5000, 0);
		ep_verify_at(p.b, &p.mb, 8192 * i, 5000, 11, 8192 * i, "data sent after SQD");
	}
}

/* So does what fails as soon as it is looked at. */
static void sqd_fails_later(struct env *e, const void *arg)
{
	struct ep_wr wr[2];
	struct pair p;

	(void)arg;
	pair_open(&p, e, &pair_defaults);
	set_state(p.a, QP_0, IBV_QPS_SQD);
	wr[0] = wr_op(1, IBV_WR_RDMA_WRITE, &p.ma, 0, 1, &p.mb, 0);
	wr[0].sge[0].length = p.a->port.max_msg_sz;
	wr[0].sge[1] = sge_of(&p.ma, 0, 1);
	wr[0].nsge = 2;
	wr[1] = wr_op(2, IBV_WR_RDMA_WRITE, &p.ma, 0, 1, &p.mb, 0);
	ep_send(p.a, QP_0, wr, 2);
	expect_none(p.a, CQ_SEND, 300, "the queue is drained");
	expect_state(p.a, QP_0, IBV_QPS_SQD);
	set_state(p.a, QP_0, IBV_QPS_RTS);
	expect_wc(p.a, CQ_SEND, 1, IBV_WC_LOC_LEN_ERR);
	expect_wc(p.a, CQ_SEND, 2, IBV_WC_WR_FLUSH_ERR);
	expect_state(p.a, QP_0, IBV_QPS_ERR);
}

/* A drained queue still answers the peer. */
static void sqd_responds(struct env *e, const void *arg)
{
	struct pair p;

	(void)arg;
	pair_open(&p, e, &pair_defaults);
	set_state(p.b, QP_0, IBV_QPS_SQD);
	transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_SEND, 3000, 5, 1000, 1);
	transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_RDMA_WRITE, 3000, 5, 1000, 2);
	transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_RDMA_READ, 3000, 5, 1000, 3);
}

/* Receives posted in INIT are there when the QP gets to RTR; RTR answers. */
static void rtr_receives(struct env *e, const void *arg)
{
	struct ep_wr wr, rwr;
	struct pair p;

	(void)arg;
	pair_create(&p, e, &pair_defaults);
	pair_init(&p);
	rwr = wr_recv(7, &p.mb, 0, 2000);
	ep_recv(p.b, QP_0, &rwr, 1);
	pair_half(&p);
	ep_fill(p.a, &p.ma, 0, 2000, 9);
	wr = wr_op(8, IBV_WR_SEND, &p.ma, 0, 2000, NULL, 0);
	ep_send(p.a, QP_0, &wr, 1);
	expect_recv(p.b, CQ_RECV, 7, IBV_WR_SEND, 2000, 0);
	expect_send(p.a, CQ_SEND, 8, IBV_WR_SEND);
	ep_verify(p.b, &p.mb, 0, 2000, 9, "data received in RTR");
}

/* ERR to RESET empties both queues; the same QP connects and works again. */
static void reuse(struct env *e, const void *arg)
{
	struct pair_opts o = pair_defaults;
	struct ep_wr wr[4], rwr[4];
	struct pair p;

	(void)arg;
	pair_open(&p, e, &o);
	for (unsigned int round = 0; round < 3; round++) {
		rvt_step("round %u", round);
		for (unsigned int i = 0; i < ARRAY_SIZE(wr); i++) {
			wr[i] = wr_op(900 + i, IBV_WR_RDMA_WRITE, &p.ma, 0, 64, &p.mb, 0);
			wr[i].rkey ^= 0x100;
			rwr[i] = wr_recv(950 + i, &p.ma, 0, 64);
		}
		ep_recv(p.a, QP_0, rwr, ARRAY_SIZE(rwr));
		ep_send(p.a, QP_0, wr, ARRAY_SIZE(wr));
		expect_wc(p.a, CQ_SEND, 900, IBV_WC_REM_ACCESS_ERR);
		for (unsigned int i = 1; i < ARRAY_SIZE(wr); i++)
			expect_wc(p.a, CQ_SEND, 900 + i, IBV_WC_WR_FLUSH_ERR);
		for (unsigned int i = 0; i < ARRAY_SIZE(rwr); i++)
			expect_wc(p.a, CQ_RECV, 950 + i, IBV_WC_WR_FLUSH_ERR);
		set_state(p.a, QP_0, IBV_QPS_RESET);
		set_state(p.b, QP_0, IBV_QPS_RESET);
		p.o.conn.psn_a = 0xffffff - round;
		p.o.conn.psn_b = 77 * round;
		pair_connect(&p);
		transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_SEND, 5000, 5, 1000, 1);
		transfer(p.b, p.a, &p.mb, &p.ma, IBV_WR_RDMA_READ, 5000, 5, 1000, 2);
		transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_RDMA_WRITE, 5000, 5, 1000, 3);
	}
}

/* RESET with work outstanding drops it without completions. */
static void reset_drops(struct env *e, const void *arg)
{
	struct ep_wr wr[10], rwr[10];
	struct pair p;

	(void)arg;
	pair_open(&p, e, &pair_defaults);
	for (unsigned int i = 0; i < ARRAY_SIZE(wr); i++) {
		wr[i] = wr_op(i, IBV_WR_SEND, &p.ma, 0, 64, NULL, 0);
		rwr[i] = wr_recv(100 + i, &p.ma, 0, 64);
	}
	ep_recv(p.a, QP_0, rwr, ARRAY_SIZE(rwr));
	ep_send(p.a, QP_0, wr, ARRAY_SIZE(wr));
	set_state(p.a, QP_0, IBV_QPS_RESET);
	set_state(p.b, QP_0, IBV_QPS_RESET);
	pair_connect(&p);
	expect_none(p.a, CQ_SEND, 100, "RESET drops work silently");
	expect_none(p.a, CQ_RECV, 10, "RESET drops work silently");
	/* The old receives are gone: the next one posted is the next one used. */
	transfer(p.b, p.a, &p.mb, &p.ma, IBV_WR_SEND, 500, 5, 1000, 1);
	transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_SEND, 500, 5, 1000, 2);
}

/* Runs of tasklets on this machine so far */
static unsigned long tasklets(void)
{
	unsigned long sum = 0, n;
	char line[4096], *at;
	int skip;
	FILE *f;

	f = fopen("/proc/softirqs", "r");
	CHECK(f, "cannot read /proc/softirqs");
	while (fgets(line, sizeof(line), f)) {
		at = strstr(line, "TASKLET:");
		if (!at)
			continue;
		for (at += strlen("TASKLET:"); sscanf(at, "%lu%n", &n, &skip) == 1; at += skip)
			sum += n;
	}
	fclose(f);
	return sum;
}

/* A QP that rests in RESET, or in INIT, costs nothing, though timers of before be armed. */
static void rest_is_quiet(struct env *e, const void *arg)
{
	const enum ibv_qp_state *state = arg;
	unsigned long before;
	struct pair p;

	pair_open(&p, e, &pair_defaults);
	set_state(p.a, QP_0, IBV_QPS_ERR);
	set_state(p.b, QP_0, IBV_QPS_ERR);
	set_state(p.a, QP_0, IBV_QPS_RESET);
	set_state(p.b, QP_0, IBV_QPS_RESET);
	if (*state == IBV_QPS_INIT)
		pair_init(&p);
	before = tasklets();
	expect_none(p.a, CQ_SEND, 500, "nothing was posted");
	before = tasklets() - before;
	CHECK(before < 500, "%lu tasklets ran within half a second", before);
}

/* Holds a connected QP until the device is taken away under it. */
static void hold_until_gone(struct env *e, const void *arg)
{
	struct ep_wr wr;
	struct pair p;
	int ev;

	(void)arg;
	pair_open(&p, e, &pair_defaults);
	rvt_say("holding");
	ev = ep_async(p.a, 2 * WAIT_MS);
	while (ev >= 0 && ev != IBV_EVENT_DEVICE_FATAL)
		ev = ep_async(p.a, WAIT_MS);
	CHECK(ev == IBV_EVENT_DEVICE_FATAL, "no DEVICE_FATAL event");
	wr = wr_op(1, IBV_WR_SEND, &p.ma, 0, 16, NULL, 0);
	CHECK(ep_try_send(p.a, QP_0, &wr, 1), "a send was accepted by a device that is gone");
}

#define BAD(label, value)                                                                    \
	{                                                                                    \
		.name = "state.bad_" label, .run = bad_value, .arg = &(const enum bad_value) \
		{                                                                            \
			value                                                                \
		}                                                                            \
	}

static const struct rvt_case cases[] = {
	{ .name = "state.transitions", .run = transitions },
	{ .name = "state.attr_masks", .run = attr_masks },
	BAD("port", BAD_PORT),
	BAD("pkey_index", BAD_PKEY_INDEX),
	BAD("access", BAD_ACCESS),
	BAD("mtu", BAD_MTU_ENUM),
	BAD("mtu_above_active", BAD_MTU_ACTIVE),
	BAD("rnr_timer", BAD_RNR_TIMER),
	BAD("dest_rd_atomic", BAD_DEST_RD),
	BAD("sgid_index", BAD_SGID),
	BAD("timeout", BAD_TIMEOUT),
	BAD("retry_cnt", BAD_RETRY),
	BAD("rnr_retry", BAD_RNR_RETRY),
	BAD("rd_atomic", BAD_RD),
	BAD("cur_state", BAD_CUR_STATE),
	{ .name = "state.query", .run = query },
	{ .name = "state.query_psns", .run = query_psns },
	{ .name = "state.sq_draining", .run = sq_draining },
	{ .name = "state.sqd_resume", .run = sqd_resume, .arg = &(const bool){ false } },
	{ .name = "uc.sqd_resume", .run = sqd_resume, .arg = &(const bool){ true } },
	{ .name = "state.sqd_fails_later", .run = sqd_fails_later },
	{ .name = "state.sqd_responds", .run = sqd_responds },
	{ .name = "state.rtr_receives", .run = rtr_receives },
	{ .name = "state.reuse_after_error", .run = reuse },
	{ .name = "state.reset_drops", .run = reset_drops },
	{ .name = "state.reset_is_quiet",
	  .run = rest_is_quiet,
	  .arg = &(const enum ibv_qp_state){ IBV_QPS_RESET } },
	{ .name = "state.init_is_quiet",
	  .run = rest_is_quiet,
	  .arg = &(const enum ibv_qp_state){ IBV_QPS_INIT } },
	{ .name = "hold.until_gone", .run = hold_until_gone, .extra = true },
};

const struct rvt_case_list rvt_state_cases = { cases, ARRAY_SIZE(cases) };
