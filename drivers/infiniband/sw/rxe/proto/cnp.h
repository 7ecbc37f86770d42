/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Congestion notifications that one side of a QP sends (IBTA annex A17.9.3) */
#ifndef RXE_PROTO_CNP_H
#define RXE_PROTO_CNP_H

#include <linux/types.h>

#include "../wire/pkt.h"

#define RXE_CNP_NS 50000ULL /* those of a QP within this time are one */

/**
 * struct rxe_cnp - what was sent
 * @last_ns: when the last one was, 0 = never
 * @sent: how many
 */
struct rxe_cnp {
	u64 last_ns;
	u64 sent;
};

bool rxe_cnp_due(struct rxe_cnp *cnp, u64 now);
void rxe_cnp_pkt(u32 dest_qpn, struct rxe_pkt *pkt);

#endif /* RXE_PROTO_CNP_H */
