// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Datagrams (IBTA 9.8.3) and multicast (IBTA 10.5). */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dgram.h"

#define MULTICAST_QPN 0xffffff
#define QUIET_MS 200

static uint8_t *send_buf(struct dg_qp *q)
{
	return q->buf + DG_SLOTS * DG_SLOT;
}

static void sent(struct dg_qp *q, enum ibv_wc_status status)
{
	struct ibv_wc wc = dg_wait(q->scq);

	CHECK(wc.status == status, "send completed with %s", ibv_wc_status_str(wc.status));
}

/* A datagram of the pattern from @from, with its GRH area before it. */
static void check_packet(const uint8_t *packet, struct dg_qp *from, uint32_t bytes)
{
	bool v4 = from->dg->gid.raw[10] == 0xff;

	CHECK(rvt_find(packet + DG_GRH, 0, bytes, 7) == bytes, "payload differs");
	if (v4) {
		CHECK(packet[20] == 0x45, "no IPv4 header in the GRH area");
		CHECK(!memcmp(packet + 32, from->dg->gid.raw + 12, 4), "source address");
	} else {
		CHECK(packet[0] >> 4 == 6, "no IPv6 header in the GRH area");
		CHECK(!memcmp(packet + 8, from->dg->gid.raw, 16), "source address");
	}
}

/* A receive and nothing but what @flags say beside the GRH */
static struct ibv_wc taken(struct dg_qp *q, struct dg_qp *from, uint32_t bytes, unsigned int flags)
{
	struct ibv_wc wc = dg_wait(q->rcq);

	CHECK(wc.status == IBV_WC_SUCCESS, "receive: %s", ibv_wc_status_str(wc.status));
	CHECK(wc.opcode == IBV_WC_RECV, "opcode %d", wc.opcode);
	CHECK(wc.byte_len == bytes + DG_GRH, "byte_len %u", wc.byte_len);
	CHECK(wc.src_qp == from->qp->qp_num, "src_qp %u", wc.src_qp);
	CHECK(wc.wc_flags == (IBV_WC_GRH | flags), "flags %#x", wc.wc_flags);
	return wc;
}

static void received(struct dg_qp *q, struct dg_qp *from, uint32_t bytes)
{
	struct ibv_wc wc = taken(q, from, bytes, 0);

	check_packet(q->buf + wc.wr_id * DG_SLOT, from, bytes);
}

static void quiet(struct dg_qp *q, const char *why)
{
	struct ibv_wc wc;

	CHECK(!dg_poll(q->rcq, &wc, QUIET_MS), "something was received: %s", why);
}

static void start(struct env *e, struct dg *dg, struct dg_qp *a, struct dg_qp *b)
{
	dg_open(dg, e->cfg);
	dg_qp(dg, a, DG_QKEY);
	dg_qp(dg, b, DG_QKEY);
	rvt_fill(send_buf(a), 0, DG_SLOT, 7);
}

static void sizes(struct env *e, const void *arg)
{
	struct dg_qp a, b;
	struct dg dg;
	struct ibv_ah *ah;
	static const uint32_t len[] = { 0, 1, 2, 3, 4, 5, 255, 256, 257 };
	uint32_t mtu;

	(void)arg;
	start(e, &dg, &a, &b);
	mtu = 128u << dg.port.active_mtu;
	ah = dg_ah(&dg, &dg.gid);
	CHECK(ah, "ibv_create_ah: errno %d", errno);
	for (size_t i = 0; i < ARRAY_SIZE(len); i++) {
		rvt_step("%u bytes", len[i]);
		dg_recv(&b, 0, DG_SLOT);
		dg_send(&a, ah, b.qp->qp_num, DG_QKEY, len[i]);
		sent(&a, IBV_WC_SUCCESS);
		received(&b, &a, len[i]);
	}
	rvt_step("a whole MTU and a byte less");
	for (uint32_t bytes = mtu - 1; bytes <= mtu; bytes++) {
		dg_recv(&b, 1, bytes + DG_GRH);
		dg_send(&a, ah, b.qp->qp_num, DG_QKEY, bytes);
		sent(&a, IBV_WC_SUCCESS);
		received(&b, &a, bytes);
	}
	rvt_step("a byte more");
	dg_send(&a, ah, b.qp->qp_num, DG_QKEY, mtu + 1);
	sent(&a, IBV_WC_LOC_LEN_ERR);
	quiet(&b, "longer than the MTU");
}

/* From pieces to pieces, of which the first ones share the GRH. */
static void multi_sge(struct env *e, const void *arg)
{
	static const uint32_t from[DG_SGES] = { 1, 500, 3, 396 },
			      to[DG_SGES] = { 17, 30, 100, 793 };
	struct ibv_sge out[DG_SGES], in[DG_SGES];
	uint32_t off = 0, gaps = 0, bytes = 0;
	uint8_t packet[DG_GRH + 900];
	struct ibv_send_wr wr;
	struct dg_qp a, b;
	struct ibv_ah *ah;
	struct dg dg;

	(void)arg;
	start(e, &dg, &a, &b);
	ah = dg_ah(&dg, &dg.gid);
	for (unsigned int i = 0; i < DG_SGES; i++) {
		out[i] = dg_sge(&a, DG_SLOTS, bytes + 10 * i, from[i]);
		rvt_fill(send_buf(&a) + bytes + 10 * i, bytes, from[i], 7);
		bytes += from[i];
		in[i] = dg_sge(&b, 0, gaps, to[i]);
		gaps += to[i] + 1;
	}
	rvt_fill(b.buf, 0, DG_SLOT, KEY_POISON);
	dg_post_recv(&b, 0, in, DG_SGES);
	wr = dg_wr(ah, b.qp->qp_num, DG_QKEY, out, DG_SGES);
	dg_post(&a, &wr);
	sent(&a, IBV_WC_SUCCESS);
	taken(&b, &a, bytes, 0);
	for (unsigned int i = 0; i < DG_SGES; i++) {
		const uint8_t *piece = (const uint8_t *)(uintptr_t)in[i].addr;

		memcpy(packet + off, piece, to[i]);
		off += to[i];
		CHECK(rvt_find(piece + to[i], piece + to[i] - b.buf, 1, KEY_POISON),
		      "the byte behind piece %u", i);
	}
	check_packet(packet, &a, bytes);
}

static void immediate(struct env *e, const void *arg)
{
	struct ibv_send_wr wr;
	struct dg_qp a, b;
	struct ibv_sge sge;
	struct ibv_ah *ah;
	struct ibv_wc wc;
	struct dg dg;

	(void)arg;
	start(e, &dg, &a, &b);
	ah = dg_ah(&dg, &dg.gid);
	for (uint32_t bytes = 0; bytes < 600; bytes += 299) {
		dg_recv(&b, 0, DG_SLOT);
		sge = dg_sge(&a, DG_SLOTS, 0, bytes);
		wr = dg_wr(ah, b.qp->qp_num, DG_QKEY, &sge, 1);
		wr.opcode = IBV_WR_SEND_WITH_IMM;
		wr.imm_data = htonl(0xfeed0000 + bytes);
		dg_post(&a, &wr);
		sent(&a, IBV_WC_SUCCESS);
		wc = taken(&b, &a, bytes, IBV_WC_WITH_IMM);
		CHECK(ntohl(wc.imm_data) == 0xfeed0000 + bytes, "immediate %#x",
		      ntohl(wc.imm_data));
		check_packet(b.buf, &a, bytes);
	}
}

/* Receives of an SRQ are taken in order; without one a datagram is lost. */
static void shared_queue(struct env *e, const void *arg)
{
	struct dg_qp a, b;
	struct ibv_ah *ah;
	struct dg dg;

	(void)arg;
	dg_open(&dg, e->cfg);
	dg_qp(&dg, &a, DG_QKEY);
	dg_qp_srq(&dg, &b, DG_QKEY);
	rvt_fill(send_buf(&a), 0, DG_SLOT, 7);
	ah = dg_ah(&dg, &dg.gid);
	for (unsigned int round = 0; round < 2; round++) {
		for (unsigned int i = 0; i < 4; i++)
			dg_recv(&b, i, DG_SLOT);
		for (unsigned int i = 0; i < 4; i++) {
			struct ibv_wc wc;

			dg_send(&a, ah, b.qp->qp_num, DG_QKEY, 100 * i);
			sent(&a, IBV_WC_SUCCESS);
			wc = taken(&b, &a, 100 * i, 0);
			CHECK(wc.wr_id == i, "receive %llu before %u", (unsigned long long)wc.wr_id,
			      i);
			check_packet(b.buf + i * DG_SLOT, &a, 100 * i);
		}
		dg_send(&a, ah, b.qp->qp_num, DG_QKEY, 64);
		sent(&a, IBV_WC_SUCCESS);
		quiet(&b, "the SRQ is empty");
	}
	dg_qp_destroy(&b);
	dg_qp_destroy(&a);
}

static void expect_state(struct dg_qp *q, enum ibv_qp_state want)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	CHECK(!ibv_query_qp(q->qp, &attr, IBV_QP_STATE, &init), "ibv_query_qp");
	CHECK(attr.qp_state == want, "state %d, must be %d", attr.qp_state, want);
}

static void set_state(struct dg_qp *q, enum ibv_qp_state to, bool notify)
{
	struct ibv_qp_attr attr = { .qp_state = to, .en_sqd_async_notify = notify };
	int mask = IBV_QP_STATE | (notify ? IBV_QP_EN_SQD_ASYNC_NOTIFY : 0);
	int err = ibv_modify_qp(q->qp, &attr, mask);

	CHECK(!err, "to state %d: errno %d", to, err);
}

/* A send that fails stops the send queue, which flushes what it holds and gets; receives
 * go on, and the consumer starts it again (IBTA 10.3.1.5).
 */
static void sqe_recovers(struct env *e, const void *arg)
{
	struct ibv_send_wr wr[3];
	struct ibv_sge sge[3];
	struct dg_qp a, b;
	struct ibv_ah *ah;
	struct dg dg;

	(void)arg;
	start(e, &dg, &a, &b);
	rvt_fill(send_buf(&b), 0, DG_SLOT, 7);
	ah = dg_ah(&dg, &dg.gid);
	for (unsigned int round = 0; round < 4; round++) {
		bool bad_key = round % 2;

		rvt_step("%s", bad_key ? "a bad key" : "longer than the MTU");
		for (unsigned int i = 0; i < 3; i++) {
			sge[i] = dg_sge(&a, DG_SLOTS, 0, 64);
			wr[i] = dg_wr(ah, b.qp->qp_num, DG_QKEY, &sge[i], 1);
			wr[i].wr_id = i;
			wr[i].next = i < 2 ? &wr[i + 1] : NULL;
		}
		if (bad_key)
			sge[1].lkey ^= 0x5a00;
		else
			sge[1].length = (128u << dg.port.active_mtu) + 1;
		dg_recv(&b, 0, DG_SLOT);
		dg_recv(&b, 1, DG_SLOT);
		dg_post(&a, wr);
		sent(&a, IBV_WC_SUCCESS);
		sent(&a, bad_key ? IBV_WC_LOC_PROT_ERR : IBV_WC_LOC_LEN_ERR);
		sent(&a, IBV_WC_WR_FLUSH_ERR);
		received(&b, &a, 64);
		expect_state(&a, IBV_QPS_SQE);
		rvt_step("in SQE: sends are flushed, receives work");
		dg_send(&a, ah, b.qp->qp_num, DG_QKEY, 64);
		sent(&a, IBV_WC_WR_FLUSH_ERR);
		quiet(&b, "it was flushed");
		dg_recv(&a, 2, DG_SLOT);
		dg_send(&b, ah, a.qp->qp_num, DG_QKEY, 77);
		sent(&b, IBV_WC_SUCCESS);
		received(&a, &b, 77);
		rvt_step("back to RTS");
		set_state(&a, IBV_QPS_RTS, false);
		dg_send(&a, ah, b.qp->qp_num, DG_QKEY, 65);
		sent(&a, IBV_WC_SUCCESS);
		received(&b, &a, 65);
	}
}

/* Sends posted in SQD wait for RTS; receives do not. */
static void sqd(struct env *e, const void *arg)
{
	struct ibv_async_event ev;
	struct dg_qp a, b;
	struct ibv_ah *ah;
	struct ibv_wc wc;
	struct dg dg;

	(void)arg;
	start(e, &dg, &a, &b);
	rvt_fill(send_buf(&b), 0, DG_SLOT, 7);
	ah = dg_ah(&dg, &dg.gid);
	dg_recv(&b, 0, DG_SLOT);
	dg_recv(&a, 0, DG_SLOT);
	set_state(&a, IBV_QPS_SQD, true);
	CHECK(!ibv_get_async_event(dg.ctx, &ev), "ibv_get_async_event");
	ibv_ack_async_event(&ev);
	CHECK(ev.event_type == IBV_EVENT_SQ_DRAINED && ev.element.qp == a.qp, "event %d",
	      ev.event_type);
	dg_send(&a, ah, b.qp->qp_num, DG_QKEY, 64);
	CHECK(!dg_poll(a.scq, &wc, QUIET_MS), "it was sent");
	quiet(&b, "its sender is in SQD");
	dg_send(&b, ah, a.qp->qp_num, DG_QKEY, 77);
	sent(&b, IBV_WC_SUCCESS);
	received(&a, &b, 77);
	set_state(&a, IBV_QPS_RTS, false);
	sent(&a, IBV_WC_SUCCESS);
	received(&b, &a, 64);
}

/* What does not fit is dropped; neither receive nor QP suffers. */
static void short_buffer(struct env *e, const void *arg)
{
	struct dg_qp a, b;
	struct dg dg;
	struct ibv_ah *ah;

	(void)arg;
	start(e, &dg, &a, &b);
	ah = dg_ah(&dg, &dg.gid);
	dg_recv(&b, 0, DG_GRH + 100);
	dg_send(&a, ah, b.qp->qp_num, DG_QKEY, 101);
	sent(&a, IBV_WC_SUCCESS);
	quiet(&b, "it does not fit");
	dg_send(&a, ah, b.qp->qp_num, DG_QKEY, 100);
	sent(&a, IBV_WC_SUCCESS);
	received(&b, &a, 100);
}

static void qkeys(struct env *e, const void *arg)
{
	struct dg_qp a, b;
	struct dg dg;
	struct ibv_ah *ah;

	(void)arg;
	start(e, &dg, &a, &b);
	ah = dg_ah(&dg, &dg.gid);
	dg_recv(&b, 0, DG_SLOT);
	rvt_step("a wrong Q_Key");
	dg_send(&a, ah, b.qp->qp_num, DG_QKEY + 1, 64);
	sent(&a, IBV_WC_SUCCESS);
	quiet(&b, "wrong Q_Key");
	rvt_step("a privileged Q_Key stands for the QP's own (IBTA 10.2.5)");
	dg_send(&a, ah, b.qp->qp_num, 0x80000000, 64);
	sent(&a, IBV_WC_SUCCESS);
	received(&b, &a, 64);
	rvt_step("no receive posted: dropped");
	dg_send(&a, ah, b.qp->qp_num, DG_QKEY, 64);
	sent(&a, IBV_WC_SUCCESS);
	quiet(&b, "no receive was posted");
	dg_recv(&b, 1, DG_SLOT);
	dg_send(&a, ah, b.qp->qp_num, DG_QKEY, 64);
	sent(&a, IBV_WC_SUCCESS);
	received(&b, &a, 64);
}

static union ibv_gid group_of(const struct dg *dg, uint8_t last)
{
	union ibv_gid g = {};

	if (dg->gid.raw[10] == 0xff) {
		g.raw[10] = 0xff;
		g.raw[11] = 0xff;
		memcpy(g.raw + 12, (uint8_t[]){ 239, 77, 0, last }, 4);
	} else {
		g.raw[0] = 0xff;
		g.raw[1] = 0x15;
		g.raw[15] = last;
	}
	return g;
}

static void multicast(struct env *e, const void *arg)
{
	struct dg_qp a, b, c, other;
	union ibv_gid group, empty;
	struct ibv_ah *ah, *nobody;
	struct dg dg;

	(void)arg;
	start(e, &dg, &a, &b);
	dg_qp(&dg, &c, DG_QKEY);
	dg_qp(&dg, &other, DG_QKEY + 1);
	group = group_of(&dg, 1);
	empty = group_of(&dg, 2);
	CHECK(!ibv_attach_mcast(a.qp, &group, 0), "attach a: errno %d", errno);
	CHECK(!ibv_attach_mcast(b.qp, &group, 0), "attach b: errno %d", errno);
	CHECK(!ibv_attach_mcast(c.qp, &group, 0), "attach c: errno %d", errno);
	CHECK(!ibv_attach_mcast(c.qp, &group, 0), "attach c again: errno %d", errno);
	CHECK(!ibv_attach_mcast(other.qp, &group, 0), "attach other: errno %d", errno);
	for (unsigned int i = 0; i < 4; i++) {
		dg_recv(&a, i, DG_SLOT);
		dg_recv(&b, i, DG_SLOT);
		dg_recv(&c, i, DG_SLOT);
		dg_recv(&other, i, DG_SLOT);
	}
	ah = dg_ah(&dg, &group);
	nobody = dg_ah(&dg, &empty);
	CHECK(ah && nobody, "ibv_create_ah: errno %d", errno);

	rvt_step("one copy each");
	dg_send(&a, ah, MULTICAST_QPN, DG_QKEY, 200);
	sent(&a, IBV_WC_SUCCESS);
	received(&b, &a, 200);
	received(&c, &a, 200);
	quiet(&b, "second copy");
	quiet(&c, "second copy");
	quiet(&a, "its own datagram");
	quiet(&other, "wrong Q_Key");

	rvt_step("nobody is in that group");
	dg_send(&a, nobody, MULTICAST_QPN, DG_QKEY, 200);
	sent(&a, IBV_WC_SUCCESS);
	quiet(&b, "another group's");

	rvt_step("after detaching");
	CHECK(!ibv_detach_mcast(b.qp, &group, 0), "detach b: errno %d", errno);
	CHECK(ibv_detach_mcast(b.qp, &group, 0), "detach b again worked");
	dg_send(&a, ah, MULTICAST_QPN, DG_QKEY, 200);
	sent(&a, IBV_WC_SUCCESS);
	received(&c, &a, 200);
	quiet(&b, "it is detached");

	rvt_step("a QP does not go while it is attached");
	CHECK(ibv_destroy_qp(c.qp) == EBUSY, "destroyed while attached");
	CHECK(!ibv_detach_mcast(c.qp, &group, 0), "detach c: errno %d", errno);
	dg_qp_destroy(&c);
	dg_send(&a, ah, MULTICAST_QPN, DG_QKEY, 200);
	sent(&a, IBV_WC_SUCCESS);
	quiet(&other, "wrong Q_Key");
}

/* A QP that was made before the interface's MTU changed: a script changes it and sends a
 * line. The limit is that of the port, as it is now.
 */
static void mtu_changes(struct env *e, const void *arg)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS };
	struct dg_qp a, b;
	struct ibv_ah *ah;
	struct dg dg;
	uint32_t mtu;

	(void)arg;
	start(e, &dg, &a, &b);
	ah = dg_ah(&dg, &dg.gid);
	rvt_say("holding");
	while (getchar() != EOF) {
		CHECK(!ibv_query_port(dg.ctx, 1, &dg.port), "ibv_query_port");
		mtu = 128u << dg.port.active_mtu;
		rvt_step("MTU %u", mtu);
		dg_recv(&b, 0, DG_SLOT);
		dg_send(&a, ah, b.qp->qp_num, DG_QKEY, mtu);
		sent(&a, IBV_WC_SUCCESS);
		received(&b, &a, mtu);
		dg_send(&a, ah, b.qp->qp_num, DG_QKEY, mtu + 1);
		sent(&a, IBV_WC_LOC_LEN_ERR);
		CHECK(!ibv_modify_qp(a.qp, &attr, IBV_QP_STATE), "from SQE to RTS");
		rvt_say("done");
	}
}

static void srq_recv(struct ibv_srq *srq, const struct dg_qp *q, unsigned int slot, uint32_t lkey)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)q->buf + slot * DG_SLOT,
		.length = DG_SLOT,
		.lkey = lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = slot, .sg_list = &sge, .num_sge = 1 }, *bad;

	CHECK(!ibv_post_srq_recv(srq, &wr, &bad), "ibv_post_srq_recv");
}

/* Receives of an SRQ are in its protection domain, whatever the QP's (IBTA 10.2.9). */
static void srq_pd(struct env *e, const void *arg)
{
	struct ibv_srq_init_attr srq_init = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_UD,
		.cap = { .max_send_wr = 1, .max_send_sge = 1 },
	};
	struct dg_qp a, b;
	struct ibv_ah *ah;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	struct ibv_wc wc;
	struct dg dg;

	(void)arg;
	start(e, &dg, &a, &b);
	ah = dg_ah(&dg, &dg.gid);
	pd = ibv_alloc_pd(dg.ctx);
	CHECK(pd, "ibv_alloc_pd: errno %d", errno);
	mr = ibv_reg_mr(pd, b.buf, DG_SLOTS * DG_SLOT, IBV_ACCESS_LOCAL_WRITE);
	CHECK(mr, "ibv_reg_mr: errno %d", errno);
	init.srq = ibv_create_srq(pd, &srq_init);
	CHECK(init.srq, "ibv_create_srq: errno %d", errno);
	/* Completes where b's own receives do, for received() to look there */
	init.send_cq = b.scq;
	init.recv_cq = b.rcq;
	qp = ibv_create_qp(dg.pd, &init);
	CHECK(qp, "ibv_create_qp: errno %d", errno);
	dg_rts(qp, DG_QKEY);

	rvt_step("memory of the SRQ's domain");
	srq_recv(init.srq, &b, 0, mr->lkey);
	dg_send(&a, ah, qp->qp_num, DG_QKEY, 300);
	sent(&a, IBV_WC_SUCCESS);
	received(&b, &a, 300);
	rvt_step("memory of the QP's");
	srq_recv(init.srq, &b, 1, b.mr->lkey);
	dg_send(&a, ah, qp->qp_num, DG_QKEY, 300);
	sent(&a, IBV_WC_SUCCESS);
	wc = dg_wait(b.rcq);
	CHECK(wc.status == IBV_WC_LOC_PROT_ERR, "receive: %s", ibv_wc_status_str(wc.status));
}

/* Stays in groups, 239.78.9.N and ff0e::90N, N in the environment, until its input ends,
 * for scripts that change the interface
 */
static void hold_groups(struct env *e, const void *arg)
{
	const char *n = getenv("RVT_GROUP");
	uint8_t last = n ? atoi(n) : 1;
	union ibv_gid v4 = { .raw = { [10] = 0xff, 0xff, 239, 78, 9, last } };
	union ibv_gid v6 = { .raw = { 0xff, 0x0e, [14] = 9, last } };
	struct dg_qp a;
	struct dg dg;

	(void)arg;
	dg_open(&dg, e->cfg);
	dg_qp(&dg, &a, DG_QKEY);
	CHECK(!ibv_attach_mcast(a.qp, &v4, 0), "attach IPv4: errno %d", errno);
	CHECK(!ibv_attach_mcast(a.qp, &v6, 0), "attach IPv6: errno %d", errno);
	rvt_say("holding");
	while (getchar() != EOF)
		;
	CHECK(!ibv_detach_mcast(a.qp, &v4, 0), "detach IPv4: errno %d", errno);
	CHECK(!ibv_detach_mcast(a.qp, &v6, 0), "detach IPv6: errno %d", errno);
	dg_qp_destroy(&a);
}

static const struct rvt_case cases[] = {
	{ .name = "datagram.sizes", .run = sizes, .local = true },
	{ .name = "datagram.multi_sge", .run = multi_sge, .local = true },
	{ .name = "datagram.immediate", .run = immediate, .local = true },
	{ .name = "datagram.srq", .run = shared_queue, .local = true },
	{ .name = "datagram.sqe_recovers", .run = sqe_recovers, .local = true },
	{ .name = "datagram.sqd", .run = sqd, .local = true },
	{ .name = "datagram.short_buffer", .run = short_buffer, .local = true },
	{ .name = "datagram.qkeys", .run = qkeys, .local = true },
	{ .name = "datagram.multicast", .run = multicast, .local = true },
	{ .name = "datagram.srq_of_another_pd", .run = srq_pd, .local = true },
	{ .name = "hold.mtu_changes", .run = mtu_changes, .local = true, .extra = true },
	{ .name = "hold.groups", .run = hold_groups, .local = true, .extra = true },
};

const struct rvt_case_list rvt_dgram_cases = { cases, ARRAY_SIZE(cases) };
