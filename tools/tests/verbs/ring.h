/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Work requests that the installed libibverbs cannot post, put into the ring by hand */
#ifndef RVT_RING_H
#define RVT_RING_H

#include "ep.h"

/* A QP for ring_post_flush(). */
struct ibv_qp *ring_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init);
/* 0 or an errno. */
int ring_post_flush(struct ibv_qp *qp, const struct ep_wr *wr);

#endif
