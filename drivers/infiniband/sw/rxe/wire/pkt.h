/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Bytes <-> struct rxe_pkt: the one place that checks packet lengths */
#ifndef RXE_WIRE_PKT_H
#define RXE_WIRE_PKT_H

#include <linux/types.h>

#include "hdr.h"
#include "opcode.h"

/**
 * struct rxe_pkt - one transport packet, decoded
 * @info: row of the opcode table; never one without flags
 * @opcode: BTH opcode
 * @se: solicited event
 * @migreq: migration request; sent as 1, either is accepted
 * @ack_req: the sender asks for an acknowledgment
 * @becn: backward congestion notification
 * @icrc_twice: FLUSH: the ICRC covers the headers twice; no bit of the packet
 * @pad: pad bytes behind the payload, 0 .. 3
 * @syndrome: AETH
 * @flush_sel: FETH selectivity
 * @flush_plt: FETH placement type
 * @pkey: partition key
 * @hdr_bytes: BTH and extension headers
 * @payload_bytes: payload without pad and ICRC
 * @dest_qpn: destination QP, 24 bits
 * @psn: packet sequence number, 24 bits
 * @msn: AETH message sequence number, 24 bits
 * @rkey: RETH, AtomicETH or IETH remote key
 * @dmalen: RETH length of the whole message in bytes
 * @qkey: DETH
 * @src_qpn: DETH, 24 bits
 * @imm: immediate data in wire order
 * @va: RETH or AtomicETH virtual address
 * @swap_add: AtomicETH swap or add operand
 * @compare: AtomicETH compare operand
 * @orig: AtomicAckETH original value
 *
 * Members whose header the opcode does not carry hold zero.
 */
struct rxe_pkt {
	const struct rxe_opcode_info *info;
	u8 opcode;
	u8 se : 1;
	u8 migreq : 1;
	u8 ack_req : 1;
	u8 becn : 1;
	u8 icrc_twice : 1;
	u8 pad;
	u8 syndrome;
	u8 flush_sel;
	u8 flush_plt;
	u16 pkey;
	u16 hdr_bytes;
	u32 payload_bytes;
	u32 dest_qpn;
	u32 psn;
	u32 msn;
	u32 rkey;
	u32 dmalen;
	u32 qkey;
	u32 src_qpn;
	__be32 imm;
	u64 va;
	u64 swap_add;
	u64 compare;
	u64 orig;
};

int rxe_pkt_parse(struct rxe_pkt *pkt, const void *hdr, size_t hdr_avail,
		  size_t len);
void rxe_pkt_build(const struct rxe_pkt *pkt, void *hdr);

/* Prepare @pkt for building: everything zero but what every packet needs */
static inline void rxe_pkt_init(struct rxe_pkt *pkt, u8 opcode, u32 dest_qpn,
				u32 psn)
{
	*pkt = (struct rxe_pkt){
		.info = &rxe_opcode[opcode],
		.opcode = opcode,
		.migreq = 1,
		.pkey = RXE_PKEY_DEFAULT,
		.hdr_bytes = rxe_opcode[opcode].hdr_bytes,
		.dest_qpn = dest_qpn,
		.psn = psn,
	};
}

/* Set the payload of @pkt and the pad that goes with it (IBTA 9.2.5) */
static inline void rxe_pkt_set_payload(struct rxe_pkt *pkt, u32 bytes)
{
	pkt->payload_bytes = bytes;
	pkt->pad = -bytes & 3;
}

/* Longest header that rxe_pkt_parse() may want to see, given a whole packet */
#define RXE_PKT_HDR_MAX 40

#endif /* RXE_WIRE_PKT_H */
