/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the engines finished, as completions */
#ifndef RXE_OBJ_COMPLETE_H
#define RXE_OBJ_COMPLETE_H

#include "qp.h"

#define RXE_NO_VLAN 0xffff

/**
 * struct rxe_recv_info - what a receive completion says beside the WQE
 * @status: enum rxe_status
 * @write: RDMA WRITE with immediate, else SEND
 * @has_imm: @imm is valid
 * @has_inv: @inv_rkey is valid
 * @has_grh: UD: 40 bytes of GRH precede the payload
 * @v6: UD: the network header was IPv6
 * @vlan: UD: VLAN of the packet, RXE_NO_VLAN for none
 * @solicited: the sender asked for an event
 * @bytes: message bytes; UD: with the 40 GRH bytes
 * @imm: immediate data, wire order
 * @inv_rkey: invalidated key
 * @src_qpn: sender's QP
 */
struct rxe_recv_info {
	u8 status;
	bool write;
	bool has_imm;
	bool has_inv;
	bool has_grh;
	bool v6;
	bool solicited;
	u16 vlan;
	u32 bytes;
	__be32 imm;
	u32 inv_rkey;
	u32 src_qpn;
};

bool rxe_complete_send(struct rxe_qp *qp, const struct rxe_swqe *w);
bool rxe_complete_recv(struct rxe_qp *qp, const struct rxe_recv_info *info);

#endif /* RXE_OBJ_COMPLETE_H */
