// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dgram.h"

static struct ibv_context *open_name(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	for (int i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			return ibv_open_device(list[i]);
	return NULL;
}

static bool is_v4(const union ibv_gid *gid)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(gid->raw, mapped, sizeof(mapped));
}

static bool wanted(const union ibv_gid *gid, const char *ip)
{
	struct in6_addr addr;
	struct in_addr v4;

	if (!ip)
		return is_v4(gid);
	if (inet_pton(AF_INET, ip, &v4) == 1)
		return is_v4(gid) && !memcmp(gid->raw + 12, &v4, 4);
	return inet_pton(AF_INET6, ip, &addr) == 1 && !memcmp(gid->raw, &addr, 16);
}

void dg_open(struct dg *dg, const struct rvt_config *cfg)
{
	dg->ctx = open_name(cfg->a.name);
	CHECK(dg->ctx, "cannot open %s", cfg->a.name);
	CHECK(!ibv_query_device(dg->ctx, &dg->attr), "ibv_query_device");
	CHECK(!ibv_query_port(dg->ctx, 1, &dg->port), "ibv_query_port");
	dg->pd = ibv_alloc_pd(dg->ctx);
	CHECK(dg->pd, "ibv_alloc_pd: errno %d", errno);
	for (int i = 0; i < dg->port.gid_tbl_len; i++) {
		if (ibv_query_gid(dg->ctx, 1, i, &dg->gid))
			continue;
		dg->gid_index = i;
		if (wanted(&dg->gid, cfg->a.gid_ip))
			return;
	}
	FAIL("no such GID");
}

struct ibv_qp *dg_try_qp(struct dg *dg, struct ibv_cq *cq, const struct ibv_qp_cap *cap)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = IBV_QPT_UD,
		.cap = *cap,
	};

	return ibv_create_qp(dg->pd, &init);
}

void dg_rts(struct ibv_qp *qp, uint32_t qkey)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = qkey };

	CHECK(!ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY),
	      "to INIT");
	attr.qp_state = IBV_QPS_RTR;
	CHECK(!ibv_modify_qp(qp, &attr, IBV_QP_STATE), "to RTR");
	attr.qp_state = IBV_QPS_RTS;
	CHECK(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN), "to RTS");
}

static void make_qp(struct dg *dg, struct dg_qp *q, uint32_t qkey)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_UD,
		.cap = { .max_send_wr = 16,
			 .max_recv_wr = DG_SLOTS,
			 .max_send_sge = DG_SGES,
			 .max_recv_sge = DG_SGES },
		.srq = q->srq,
	};

	q->dg = dg;
	q->buf = calloc(DG_SLOTS + 1, DG_SLOT);
	CHECK(q->buf, "no memory");
	q->mr = ibv_reg_mr(dg->pd, q->buf, (DG_SLOTS + 1) * DG_SLOT, IBV_ACCESS_LOCAL_WRITE);
	CHECK(q->mr, "ibv_reg_mr: errno %d", errno);
	q->scq = ibv_create_cq(dg->ctx, 32, NULL, NULL, 0);
	q->rcq = ibv_create_cq(dg->ctx, 32, NULL, NULL, 0);
	CHECK(q->scq && q->rcq, "ibv_create_cq: errno %d", errno);
	init.send_cq = q->scq;
	init.recv_cq = q->rcq;
	q->qp = ibv_create_qp(dg->pd, &init);
	CHECK(q->qp, "ibv_create_qp: errno %d", errno);
	dg_rts(q->qp, qkey);
}

void dg_qp(struct dg *dg, struct dg_qp *q, uint32_t qkey)
{
	q->srq = NULL;
	make_qp(dg, q, qkey);
}

void dg_qp_srq(struct dg *dg, struct dg_qp *q, uint32_t qkey)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = DG_SLOTS, .max_sge = DG_SGES } };

	q->srq = ibv_create_srq(dg->pd, &init);
	CHECK(q->srq, "ibv_create_srq: errno %d", errno);
	make_qp(dg, q, qkey);
}

void dg_qp_destroy(struct dg_qp *q)
{
	CHECK(!ibv_destroy_qp(q->qp), "ibv_destroy_qp: errno %d", errno);
	CHECK(!q->srq || !ibv_destroy_srq(q->srq), "ibv_destroy_srq: errno %d", errno);
	CHECK(!ibv_destroy_cq(q->scq) && !ibv_destroy_cq(q->rcq), "ibv_destroy_cq");
	CHECK(!ibv_dereg_mr(q->mr), "ibv_dereg_mr");
	free(q->buf);
}

struct ibv_ah *dg_ah(struct dg *dg, const union ibv_gid *dgid)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh = { .dgid = *dgid, .sgid_index = dg->gid_index, .hop_limit = 64 },
	};

	return ibv_create_ah(dg->pd, &attr);
}

struct ibv_sge dg_sge(const struct dg_qp *q, unsigned int slot, uint32_t off, uint32_t bytes)
{
	return (struct ibv_sge){
		.addr = (uintptr_t)q->buf + slot * DG_SLOT + off,
		.length = bytes,
		.lkey = q->mr->lkey,
	};
}

void dg_post_recv(struct dg_qp *q, unsigned int slot, struct ibv_sge *sge, int num_sge)
{
	struct ibv_recv_wr wr = { .wr_id = slot, .sg_list = sge, .num_sge = num_sge }, *bad;
	int err = q->srq ? ibv_post_srq_recv(q->srq, &wr, &bad) : ibv_post_recv(q->qp, &wr, &bad);

	CHECK(!err, "posting a receive: errno %d", err);
}

void dg_recv(struct dg_qp *q, unsigned int slot, uint32_t bytes)
{
	struct ibv_sge sge = dg_sge(q, slot, 0, bytes);

	dg_post_recv(q, slot, &sge, 1);
}

struct ibv_send_wr dg_wr(struct ibv_ah *ah, uint32_t qpn, uint32_t qkey, struct ibv_sge *sge,
			 int num_sge)
{
	return (struct ibv_send_wr){
		.wr_id = 100,
		.sg_list = sge,
		.num_sge = num_sge,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { .ah = ah, .remote_qpn = qpn, .remote_qkey = qkey },
	};
}

void dg_post(struct dg_qp *q, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;
	int err = ibv_post_send(q->qp, wr, &bad);

	CHECK(!err, "ibv_post_send: errno %d", err);
}

void dg_send(struct dg_qp *q, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey, uint32_t bytes)
{
	struct ibv_sge sge = dg_sge(q, DG_SLOTS, 0, bytes);
	struct ibv_send_wr wr = dg_wr(ah, qpn, qkey, &sge, 1);

	dg_post(q, &wr);
}

bool dg_poll(struct ibv_cq *cq, struct ibv_wc *wc, unsigned int ms)
{
	uint64_t end = rvt_now_ms() + ms;

	do {
		int n = ibv_poll_cq(cq, 1, wc);

		CHECK(n >= 0, "ibv_poll_cq");
		if (n)
			return true;
		rvt_sleep_ms(1);
	} while (rvt_now_ms() < end);
	return false;
}

struct ibv_wc dg_wait(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	CHECK(dg_poll(cq, &wc, WAIT_MS), "no completion");
	return wc;
}
