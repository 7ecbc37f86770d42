/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The opcodes of IBTA table 38, annexes A17 and A19, written out by hand */
#ifndef RXE_KUNIT_IBTA_H
#define RXE_KUNIT_IBTA_H

#include <linux/types.h>

/**
 * struct ibta_op - one opcode as the specification has it
 * @opcode: all eight bits
 * @name: as capture tools print it
 * @hdr_bytes: BTH and extension headers
 * @pos: F irst, M iddle, L ast, O nly, or 0
 * @kind: RXE_F_ bits of direction and operation
 * @ext: extension headers in wire order, one letter each (see ibta.c)
 * @payload: may carry payload
 * @rwqe: takes a receive work request
 */
struct ibta_op {
	u8 opcode;
	const char *name;
	u8 hdr_bytes;
	char pos;
	u32 kind;
	const char *ext;
	bool payload;
	bool rwqe;
};

extern const struct ibta_op ibta_ops[];
extern const unsigned int ibta_ops_count;

const struct ibta_op *ibta_find(u8 opcode);
size_t ibta_ext_bytes(char letter);

#endif /* RXE_KUNIT_IBTA_H */
