/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Transport headers as they stand on the wire (IBTA 9.2 .. 9.3) */
#ifndef RXE_WIRE_HDR_H
#define RXE_WIRE_HDR_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>

#define RXE_UDP_DPORT 4791
#define RXE_ICRC_BYTES 4
#define RXE_MAX_PAD 3
#define RXE_MAX_DMALEN 0x80000000U
#define RXE_CNP_BYTES 16 /* reserved, all zero (IBTA annex A17.9.3) */
#define RXE_ATOMIC_BYTES 8
#define RXE_GSI_QPN 1
#define RXE_GSI_QKEY 0x80010000U /* (IBTA 13.5.3) */
#define RXE_MULTICAST_QPN 0xffffffU
#define RXE_QPN_MASK 0xffffffU
#define RXE_PKEY_DEFAULT 0xffff

/* Base Transport Header (IBTA 9.2) */
struct rxe_bth {
	u8 opcode;
	u8 flags;
	__be16 pkey;
	__be32 fecn_becn_qpn;
	__be32 ack_psn;
} __packed;

#define RXE_BTH_SE BIT(7)
#define RXE_BTH_MIGREQ BIT(6)
#define RXE_BTH_PAD GENMASK(5, 4)
#define RXE_BTH_TVER GENMASK(3, 0)
#define RXE_BTH_FECN BIT(31)
#define RXE_BTH_BECN BIT(30)
#define RXE_BTH_QPN GENMASK(23, 0)
#define RXE_BTH_ACKREQ BIT(31)
#define RXE_BTH_PSN GENMASK(23, 0)

/* Datagram Extended Transport Header (IBTA 9.3.2) */
struct rxe_deth {
	__be32 qkey;
	__be32 src_qpn;
} __packed;

/* RDMA Extended Transport Header (IBTA 9.3.3) */
struct rxe_reth {
	__be64 va;
	__be32 rkey;
	__be32 dmalen;
} __packed;

/* Atomic Extended Transport Header (IBTA 9.3.4) */
struct rxe_atomic_eth {
	__be64 va;
	__be32 rkey;
	__be64 swap_add;
	__be64 compare;
} __packed;

/* ACK Extended Transport Header (IBTA 9.3.5) */
struct rxe_aeth {
	__be32 syndrome_msn;
} __packed;

#define RXE_AETH_SYNDROME GENMASK(31, 24)
#define RXE_AETH_MSN GENMASK(23, 0)

/* Atomic ACK Extended Transport Header (IBTA 9.5.3) */
struct rxe_atomic_ack_eth {
	__be64 orig;
} __packed;

/* Immediate data and the R_Key to invalidate (IBTA 9.3.6, 9.3.7) */
struct rxe_immdt {
	__be32 imm;
} __packed;

struct rxe_ieth {
	__be32 rkey;
} __packed;

/* Flush Extended Transport Header (IBTA annex A19) */
struct rxe_feth {
	__be32 sel_plt;
} __packed;

#define RXE_FETH_SEL GENMASK(5, 4)
#define RXE_FETH_PLT GENMASK(3, 0)

/* Placement types, any of them, and the selectivities */
#define RXE_PLT_GLOBAL BIT(0) /* visible to all */
#define RXE_PLT_PERSISTENT BIT(1) /* survives a loss of power */
#define RXE_PLT_ALL (RXE_PLT_GLOBAL | RXE_PLT_PERSISTENT)
#define RXE_SEL_RANGE 0
#define RXE_SEL_REGION 1 /* all of it; address and length mean nothing */

static_assert(sizeof(struct rxe_bth) == 12);
static_assert(sizeof(struct rxe_deth) == 8);
static_assert(sizeof(struct rxe_reth) == 16);
static_assert(sizeof(struct rxe_atomic_eth) == 28);
static_assert(sizeof(struct rxe_aeth) == 4);
static_assert(sizeof(struct rxe_atomic_ack_eth) == 8);

#endif /* RXE_WIRE_HDR_H */
