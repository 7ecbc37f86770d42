// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "opcode.h"

#include "hdr.h"

#define HDR(f)                                                             \
	(sizeof(struct rxe_bth) +                                          \
	 (RXE_F_DETH & (f) ? sizeof(struct rxe_deth) : 0) +                \
	 (RXE_F_FETH & (f) ? sizeof(struct rxe_feth) : 0) +                \
	 (RXE_F_RETH & (f) ? sizeof(struct rxe_reth) : 0) +                \
	 (RXE_F_ATOMIC_ETH & (f) ? sizeof(struct rxe_atomic_eth) : 0) +    \
	 (RXE_F_AETH & (f) ? sizeof(struct rxe_aeth) : 0) +                \
	 (RXE_F_ATOMIC_ACK_ETH & (f) ? sizeof(struct rxe_atomic_ack_eth) : \
				       0) +                                \
	 (RXE_F_IMMDT & (f) ? sizeof(struct rxe_immdt) : 0) +              \
	 (RXE_F_IETH & (f) ? sizeof(struct rxe_ieth) : 0))

#define ROW(class, label, op, f)                                     \
	[RXE_OP_##class | RXE_OP_##op] = { .name = #class " " label, \
					   .flags = (f),             \
					   .hdr_bytes = HDR(f) }

#define F_SEND (RXE_F_REQUEST | RXE_F_SEND | RXE_F_PAYLOAD)
#define F_WRITE (RXE_F_REQUEST | RXE_F_WRITE | RXE_F_PAYLOAD)
#define F_READ_RESP (RXE_F_RESPONSE | RXE_F_READ | RXE_F_PAYLOAD)
#define F_ATOMIC (RXE_F_REQUEST | RXE_F_ATOMIC | RXE_F_ATOMIC_ETH | RXE_F_ONLY)

const struct rxe_opcode_info rxe_opcode[256] = {
	/* SEND and WRITE are alike in RC and UC (IBTA table 38) */
	ROW(RC, "SEND First", SEND_FIRST, F_SEND | RXE_F_FIRST | RXE_F_RWQE),
	ROW(RC, "SEND Middle", SEND_MIDDLE, F_SEND | RXE_F_MIDDLE),
	ROW(RC, "SEND Last", SEND_LAST, F_SEND | RXE_F_LAST),
	ROW(RC, "SEND Last Immediate", SEND_LAST_IMM,
	    F_SEND | RXE_F_LAST | RXE_F_IMMDT),
	ROW(RC, "SEND Only", SEND_ONLY, F_SEND | RXE_F_ONLY | RXE_F_RWQE),
	ROW(RC, "SEND Only Immediate", SEND_ONLY_IMM,
	    F_SEND | RXE_F_ONLY | RXE_F_RWQE | RXE_F_IMMDT),
	ROW(RC, "RDMA WRITE First", WRITE_FIRST,
	    F_WRITE | RXE_F_FIRST | RXE_F_RETH),
	ROW(RC, "RDMA WRITE Middle", WRITE_MIDDLE, F_WRITE | RXE_F_MIDDLE),
	ROW(RC, "RDMA WRITE Last", WRITE_LAST, F_WRITE | RXE_F_LAST),
	ROW(RC, "RDMA WRITE Last Immediate", WRITE_LAST_IMM,
	    F_WRITE | RXE_F_LAST | RXE_F_IMMDT | RXE_F_RWQE),
	ROW(RC, "RDMA WRITE Only", WRITE_ONLY,
	    F_WRITE | RXE_F_ONLY | RXE_F_RETH),
	ROW(RC, "RDMA WRITE Only Immediate", WRITE_ONLY_IMM,
	    F_WRITE | RXE_F_ONLY | RXE_F_RETH | RXE_F_IMMDT | RXE_F_RWQE),
	ROW(RC, "RDMA READ Request", READ_REQUEST,
	    RXE_F_REQUEST | RXE_F_READ | RXE_F_ONLY | RXE_F_RETH),
	ROW(RC, "RDMA READ Response First", READ_RESP_FIRST,
	    F_READ_RESP | RXE_F_FIRST | RXE_F_AETH),
	ROW(RC, "RDMA READ Response Middle", READ_RESP_MIDDLE,
	    F_READ_RESP | RXE_F_MIDDLE),
	ROW(RC, "RDMA READ Response Last", READ_RESP_LAST,
	    F_READ_RESP | RXE_F_LAST | RXE_F_AETH),
	ROW(RC, "RDMA READ Response Only", READ_RESP_ONLY,
	    F_READ_RESP | RXE_F_ONLY | RXE_F_AETH),
	ROW(RC, "Acknowledge", ACK,
	    RXE_F_RESPONSE | RXE_F_ACK | RXE_F_ONLY | RXE_F_AETH),
	ROW(RC, "Atomic Acknowledge", ATOMIC_ACK,
	    RXE_F_RESPONSE | RXE_F_ATOMIC | RXE_F_ONLY | RXE_F_AETH |
		    RXE_F_ATOMIC_ACK_ETH),
	ROW(RC, "Compare Swap", CMP_SWAP, F_ATOMIC),
	ROW(RC, "Fetch Add", FETCH_ADD, F_ATOMIC),
	ROW(RC, "SEND Last Invalidate", SEND_LAST_INV,
	    F_SEND | RXE_F_LAST | RXE_F_IETH),
	ROW(RC, "SEND Only Invalidate", SEND_ONLY_INV,
	    F_SEND | RXE_F_ONLY | RXE_F_RWQE | RXE_F_IETH),
	ROW(RC, "Flush", FLUSH,
	    RXE_F_REQUEST | RXE_F_FLUSH | RXE_F_ONLY | RXE_F_FETH | RXE_F_RETH),
	ROW(RC, "Atomic Write", ATOMIC_WRITE,
	    RXE_F_REQUEST | RXE_F_ATOMIC_WRITE | RXE_F_ONLY | RXE_F_RETH |
		    RXE_F_PAYLOAD),

	ROW(UC, "SEND First", SEND_FIRST, F_SEND | RXE_F_FIRST | RXE_F_RWQE),
	ROW(UC, "SEND Middle", SEND_MIDDLE, F_SEND | RXE_F_MIDDLE),
	ROW(UC, "SEND Last", SEND_LAST, F_SEND | RXE_F_LAST),
	ROW(UC, "SEND Last Immediate", SEND_LAST_IMM,
	    F_SEND | RXE_F_LAST | RXE_F_IMMDT),
	ROW(UC, "SEND Only", SEND_ONLY, F_SEND | RXE_F_ONLY | RXE_F_RWQE),
	ROW(UC, "SEND Only Immediate", SEND_ONLY_IMM,
	    F_SEND | RXE_F_ONLY | RXE_F_RWQE | RXE_F_IMMDT),
	ROW(UC, "RDMA WRITE First", WRITE_FIRST,
	    F_WRITE | RXE_F_FIRST | RXE_F_RETH),
	ROW(UC, "RDMA WRITE Middle", WRITE_MIDDLE, F_WRITE | RXE_F_MIDDLE),
	ROW(UC, "RDMA WRITE Last", WRITE_LAST, F_WRITE | RXE_F_LAST),
	ROW(UC, "RDMA WRITE Last Immediate", WRITE_LAST_IMM,
	    F_WRITE | RXE_F_LAST | RXE_F_IMMDT | RXE_F_RWQE),
	ROW(UC, "RDMA WRITE Only", WRITE_ONLY,
	    F_WRITE | RXE_F_ONLY | RXE_F_RETH),
	ROW(UC, "RDMA WRITE Only Immediate", WRITE_ONLY_IMM,
	    F_WRITE | RXE_F_ONLY | RXE_F_RETH | RXE_F_IMMDT | RXE_F_RWQE),

	ROW(UD, "SEND Only", SEND_ONLY,
	    F_SEND | RXE_F_ONLY | RXE_F_RWQE | RXE_F_DETH),
	ROW(UD, "SEND Only Immediate", SEND_ONLY_IMM,
	    F_SEND | RXE_F_ONLY | RXE_F_RWQE | RXE_F_DETH | RXE_F_IMMDT),

	[RXE_OP_CNP] = { .name = "CNP",
			 .flags = RXE_F_CNP | RXE_F_PAYLOAD,
			 .hdr_bytes = sizeof(struct rxe_bth) },
};
