// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "ibta.h"

#include <linux/kernel.h>

#include "wire/opcode.h"

#define OP_SEND (RXE_F_REQUEST | RXE_F_SEND)
#define OP_WRITE (RXE_F_REQUEST | RXE_F_WRITE)
#define OP_READ (RXE_F_REQUEST | RXE_F_READ)
#define OP_RDRSP (RXE_F_RESPONSE | RXE_F_READ)
#define OP_ACK (RXE_F_RESPONSE | RXE_F_ACK)
#define OP_ATACK (RXE_F_RESPONSE | RXE_F_ATOMIC)
#define OP_ATOMIC (RXE_F_REQUEST | RXE_F_ATOMIC)
#define OP_FLUSH (RXE_F_REQUEST | RXE_F_FLUSH)
#define OP_ATWR (RXE_F_REQUEST | RXE_F_ATOMIC_WRITE)

/*
 * Letters: D ETH, F ETH, R ETH, T atomic ETH, A ETH, O riginal value of an
 * atomic, I mmediate, K ey to invalidate.
 *
 * No macro builds these rows: each is what the specification says of it.
 */
/* clang-format off */
const struct ibta_op ibta_ops[] = {
	{ 0x00, "RC SEND First", 12, 'F', OP_SEND, "", true, true },
	{ 0x01, "RC SEND Middle", 12, 'M', OP_SEND, "", true, false },
	{ 0x02, "RC SEND Last", 12, 'L', OP_SEND, "", true, false },
	{ 0x03, "RC SEND Last Immediate", 16, 'L', OP_SEND, "I", true, false },
	{ 0x04, "RC SEND Only", 12, 'O', OP_SEND, "", true, true },
	{ 0x05, "RC SEND Only Immediate", 16, 'O', OP_SEND, "I", true, true },
	{ 0x06, "RC RDMA WRITE First", 28, 'F', OP_WRITE, "R", true, false },
	{ 0x07, "RC RDMA WRITE Middle", 12, 'M', OP_WRITE, "", true, false },
	{ 0x08, "RC RDMA WRITE Last", 12, 'L', OP_WRITE, "", true, false },
	{ 0x09, "RC RDMA WRITE Last Immediate", 16, 'L', OP_WRITE, "I", true, true },
	{ 0x0a, "RC RDMA WRITE Only", 28, 'O', OP_WRITE, "R", true, false },
	{ 0x0b, "RC RDMA WRITE Only Immediate", 32, 'O', OP_WRITE, "RI", true, true },
	{ 0x0c, "RC RDMA READ Request", 28, 'O', OP_READ, "R", false, false },
	{ 0x0d, "RC RDMA READ Response First", 16, 'F', OP_RDRSP, "A", true, false },
	{ 0x0e, "RC RDMA READ Response Middle", 12, 'M', OP_RDRSP, "", true, false },
	{ 0x0f, "RC RDMA READ Response Last", 16, 'L', OP_RDRSP, "A", true, false },
	{ 0x10, "RC RDMA READ Response Only", 16, 'O', OP_RDRSP, "A", true, false },
	{ 0x11, "RC Acknowledge", 16, 'O', OP_ACK, "A", false, false },
	{ 0x12, "RC Atomic Acknowledge", 24, 'O', OP_ATACK, "AO", false, false },
	{ 0x13, "RC Compare Swap", 40, 'O', OP_ATOMIC, "T", false, false },
	{ 0x14, "RC Fetch Add", 40, 'O', OP_ATOMIC, "T", false, false },
	{ 0x16, "RC SEND Last Invalidate", 16, 'L', OP_SEND, "K", true, false },
	{ 0x17, "RC SEND Only Invalidate", 16, 'O', OP_SEND, "K", true, true },
	{ 0x1c, "RC Flush", 32, 'O', OP_FLUSH, "FR", false, false },
	{ 0x1d, "RC Atomic Write", 28, 'O', OP_ATWR, "R", true, false },
	{ 0x20, "UC SEND First", 12, 'F', OP_SEND, "", true, true },
	{ 0x21, "UC SEND Middle", 12, 'M', OP_SEND, "", true, false },
	{ 0x22, "UC SEND Last", 12, 'L', OP_SEND, "", true, false },
	{ 0x23, "UC SEND Last Immediate", 16, 'L', OP_SEND, "I", true, false },
	{ 0x24, "UC SEND Only", 12, 'O', OP_SEND, "", true, true },
	{ 0x25, "UC SEND Only Immediate", 16, 'O', OP_SEND, "I", true, true },
	{ 0x26, "UC RDMA WRITE First", 28, 'F', OP_WRITE, "R", true, false },
	{ 0x27, "UC RDMA WRITE Middle", 12, 'M', OP_WRITE, "", true, false },
	{ 0x28, "UC RDMA WRITE Last", 12, 'L', OP_WRITE, "", true, false },
	{ 0x29, "UC RDMA WRITE Last Immediate", 16, 'L', OP_WRITE, "I", true, true },
	{ 0x2a, "UC RDMA WRITE Only", 28, 'O', OP_WRITE, "R", true, false },
	{ 0x2b, "UC RDMA WRITE Only Immediate", 32, 'O', OP_WRITE, "RI", true, true },
	{ 0x64, "UD SEND Only", 20, 'O', OP_SEND, "D", true, true },
	{ 0x65, "UD SEND Only Immediate", 24, 'O', OP_SEND, "DI", true, true },
	{ 0x81, "CNP", 12, 0, RXE_F_CNP, "", true, false },
};

/* clang-format on */

const unsigned int ibta_ops_count = ARRAY_SIZE(ibta_ops);

/**
 * ibta_find() - look an opcode up in the list
 * @opcode: all eight bits
 *
 * Context: any.
 * Return: its row, NULL when the specification does not assign it.
 */
const struct ibta_op *ibta_find(u8 opcode)
{
	unsigned int i;

	for (i = 0; i < ibta_ops_count; i++)
		if (ibta_ops[i].opcode == opcode)
			return &ibta_ops[i];
	return NULL;
}

/**
 * ibta_ext_bytes() - length of an extension header
 * @letter: as in struct ibta_op
 *
 * Context: any.
 * Return: bytes (IBTA 9.3).
 */
size_t ibta_ext_bytes(char letter)
{
	switch (letter) {
	case 'D':
	case 'O':
		return 8;
	case 'R':
		return 16;
	case 'T':
		return 28;
	default: /* F, A, I, K */
		return 4;
	}
}
