/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Plain verbs for the cases about datagrams and limits: both ends are QPs of one
 * process on one device, and nothing stands between the case and libibverbs.
 */
#ifndef RVT_DGRAM_H
#define RVT_DGRAM_H

#include "rvt.h"

#define DG_QKEY 0x11111111
#define DG_GRH 40
#define DG_SLOT 8192 /* bytes of buffer per receive */
#define DG_SLOTS 8
#define DG_SGES 4

struct dg {
	struct ibv_context *ctx;
	struct ibv_device_attr attr;
	struct ibv_port_attr port;
	union ibv_gid gid;
	int gid_index;
	struct ibv_pd *pd;
};

/* A UD QP with CQs and buffers of its own, ready to send. */
struct dg_qp {
	struct dg *dg;
	struct ibv_cq *scq, *rcq;
	struct ibv_qp *qp;
	struct ibv_srq *srq; /* or NULL */
	struct ibv_mr *mr;
	uint8_t *buf; /* DG_SLOTS receive slots, then one to send from */
};

void dg_open(struct dg *dg, const struct rvt_config *cfg);
struct ibv_qp *dg_try_qp(struct dg *dg, struct ibv_cq *cq, const struct ibv_qp_cap *cap);
void dg_rts(struct ibv_qp *qp, uint32_t qkey); /* from RESET */
void dg_qp(struct dg *dg, struct dg_qp *q, uint32_t qkey);
void dg_qp_srq(struct dg *dg, struct dg_qp *q, uint32_t qkey); /* takes from an SRQ */
void dg_qp_destroy(struct dg_qp *q);
struct ibv_ah *dg_ah(struct dg *dg, const union ibv_gid *dgid);
void dg_recv(struct dg_qp *q, unsigned int slot, uint32_t bytes);
/* A SEND with a completion, of the pieces @sge. */
struct ibv_send_wr dg_wr(struct ibv_ah *ah, uint32_t qpn, uint32_t qkey, struct ibv_sge *sge,
			 int num_sge);
struct ibv_sge dg_sge(const struct dg_qp *q, unsigned int slot, uint32_t off, uint32_t bytes);
void dg_post(struct dg_qp *q, struct ibv_send_wr *wr);
void dg_post_recv(struct dg_qp *q, unsigned int slot, struct ibv_sge *sge, int num_sge);
/* The same, of one piece */
void dg_send(struct dg_qp *q, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey, uint32_t bytes);
/* One completion within WAIT_MS, or within @ms: false when there is none. */
struct ibv_wc dg_wait(struct ibv_cq *cq);
bool dg_poll(struct ibv_cq *cq, struct ibv_wc *wc, unsigned int ms);

#endif
