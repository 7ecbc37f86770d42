/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The opcode table: which headers a packet carries and what it means (IBTA 9.2.1) */
#ifndef RXE_WIRE_OPCODE_H
#define RXE_WIRE_OPCODE_H

#include <linux/bits.h>
#include <linux/types.h>

/* Transport class, the upper three bits of the opcode */
#define RXE_OP_CLASS 0xe0
#define RXE_OP_RC 0x00
#define RXE_OP_UC 0x20
#define RXE_OP_UD 0x60
#define RXE_OP_CONGESTION 0x80 /* CNP, for RC QPs (IBTA annex A17.9.3) */

/* Operation, the lower five bits; the same in every class that has it */
enum rxe_op {
	RXE_OP_SEND_FIRST = 0x00,
	RXE_OP_SEND_MIDDLE = 0x01,
	RXE_OP_SEND_LAST = 0x02,
	RXE_OP_SEND_LAST_IMM = 0x03,
	RXE_OP_SEND_ONLY = 0x04,
	RXE_OP_SEND_ONLY_IMM = 0x05,
	RXE_OP_WRITE_FIRST = 0x06,
	RXE_OP_WRITE_MIDDLE = 0x07,
	RXE_OP_WRITE_LAST = 0x08,
	RXE_OP_WRITE_LAST_IMM = 0x09,
	RXE_OP_WRITE_ONLY = 0x0a,
	RXE_OP_WRITE_ONLY_IMM = 0x0b,
	RXE_OP_READ_REQUEST = 0x0c,
	RXE_OP_READ_RESP_FIRST = 0x0d,
	RXE_OP_READ_RESP_MIDDLE = 0x0e,
	RXE_OP_READ_RESP_LAST = 0x0f,
	RXE_OP_READ_RESP_ONLY = 0x10,
	RXE_OP_ACK = 0x11,
	RXE_OP_ATOMIC_ACK = 0x12,
	RXE_OP_CMP_SWAP = 0x13,
	RXE_OP_FETCH_ADD = 0x14,
	RXE_OP_SEND_LAST_INV = 0x16,
	RXE_OP_SEND_ONLY_INV = 0x17,
	RXE_OP_FLUSH = 0x1c,
	RXE_OP_ATOMIC_WRITE = 0x1d,
};

#define RXE_OP_CNP 0x81

/* Position in the message */
#define RXE_F_FIRST BIT(0)
#define RXE_F_MIDDLE BIT(1)
#define RXE_F_LAST BIT(2)
#define RXE_F_ONLY (RXE_F_FIRST | RXE_F_LAST)

/* Kind */
#define RXE_F_REQUEST BIT(3)
#define RXE_F_RESPONSE BIT(4)
#define RXE_F_SEND BIT(5)
#define RXE_F_WRITE BIT(6)
#define RXE_F_READ BIT(7)
#define RXE_F_ATOMIC BIT(8)
#define RXE_F_FLUSH BIT(9)
#define RXE_F_ATOMIC_WRITE BIT(10)
#define RXE_F_ACK BIT(11)
#define RXE_F_CNP BIT(12)

/* Extension headers after the BTH, in wire order */
#define RXE_F_DETH BIT(16)
#define RXE_F_FETH BIT(17)
#define RXE_F_RETH BIT(18)
#define RXE_F_ATOMIC_ETH BIT(19)
#define RXE_F_AETH BIT(20)
#define RXE_F_ATOMIC_ACK_ETH BIT(21)
#define RXE_F_IMMDT BIT(22)
#define RXE_F_IETH BIT(23)

/* Payload rules */
#define RXE_F_PAYLOAD BIT(24) /* may carry payload */
#define RXE_F_RWQE BIT(25) /* consumes a receive work request (IBTA 9.9) */

/**
 * struct rxe_opcode_info - one row of the opcode table
 * @name: name as people and capture tools print it
 * @flags: RXE_F_*; 0 in a row that no packet may use
 * @hdr_bytes: length of BTH and extension headers, in bytes
 */
struct rxe_opcode_info {
	const char *name;
	u32 flags;
	u8 hdr_bytes;
};

extern const struct rxe_opcode_info rxe_opcode[256];

/* True for the packet that starts a message */
static inline bool rxe_op_starts(u32 flags)
{
	return flags & RXE_F_FIRST;
}

/* True for the packet that ends a message */
static inline bool rxe_op_ends(u32 flags)
{
	return flags & RXE_F_LAST;
}

#endif /* RXE_WIRE_OPCODE_H */
