/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Work requests that libibverbs does not know or refuses, put into the ring by hand */
#ifndef RVT_RING_H
#define RVT_RING_H

#include "ep.h"

/* A QP for ring_post_send(), and for what only the extended interface can post. */
struct ibv_qp *ring_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init);
/*
 * Post a work request as it is, nothing checked: with its number of SGEs, of which
 * only the first one is there, and with a length of ring_len. 0 or an errno.
 */
int ring_post_send(struct ibv_qp *qp, const struct ep_wr *wr);
int ring_post_recv(struct ibv_qp *qp, const struct ep_wr *wr);

#endif
