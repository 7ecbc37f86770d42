/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A second encoder of packets, to hold wire/pkt.c against */
#ifndef RXE_KUNIT_REF_PKT_H
#define RXE_KUNIT_REF_PKT_H

#include "ibta.h"
#include "util.h"
#include "wire/pkt.h"

size_t ref_encode(const struct ibta_op *op, const struct rxe_pkt *pkt, u8 *to);
void ref_random(struct rxe_rng *rng, const struct ibta_op *op,
		struct rxe_pkt *pkt);
const char *ref_diff(const struct rxe_pkt *a, const struct rxe_pkt *b);

#endif /* RXE_KUNIT_REF_PKT_H */
