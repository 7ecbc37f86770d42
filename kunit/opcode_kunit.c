// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* wire/opcode.c against the list of IBTA opcodes in ibta.c */
#include <linux/string.h>

#include "ibta.h"
#include "util.h"
#include "wire/opcode.h"

static u32 ext_flag(char letter)
{
	switch (letter) {
	case 'D':
		return RXE_F_DETH;
	case 'F':
		return RXE_F_FETH;
	case 'R':
		return RXE_F_RETH;
	case 'T':
		return RXE_F_ATOMIC_ETH;
	case 'A':
		return RXE_F_AETH;
	case 'O':
		return RXE_F_ATOMIC_ACK_ETH;
	case 'I':
		return RXE_F_IMMDT;
	case 'K':
		return RXE_F_IETH;
	}
	return 0;
}

static u32 pos_flags(char pos)
{
	switch (pos) {
	case 'F':
		return RXE_F_FIRST;
	case 'M':
		return RXE_F_MIDDLE;
	case 'L':
		return RXE_F_LAST;
	case 'O':
		return RXE_F_FIRST | RXE_F_LAST;
	}
	return 0;
}

static u32 all_flags(const struct ibta_op *op)
{
	u32 flags = op->kind | pos_flags(op->pos);
	const char *p;

	for (p = op->ext; *p; p++)
		flags |= ext_flag(*p);
	if (op->payload)
		flags |= RXE_F_PAYLOAD;
	if (op->rwqe)
		flags |= RXE_F_RWQE;
	return flags;
}

static void every_assigned_row(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ibta_ops_count; i++) {
		const struct ibta_op *op = &ibta_ops[i];
		const struct rxe_opcode_info *row = &rxe_opcode[op->opcode];

		KUNIT_ASSERT_NOT_NULL_MSG(test, row->name, "%#x", op->opcode);
		KUNIT_EXPECT_STREQ(test, row->name, op->name);
		KUNIT_EXPECT_EQ_MSG(test, row->flags, all_flags(op), "%s",
				    op->name);
		KUNIT_EXPECT_EQ_MSG(test, row->hdr_bytes, op->hdr_bytes, "%s",
				    op->name);
	}
}

static void every_unassigned_row_is_empty(struct kunit *test)
{
	unsigned int i, assigned = 0;

	for (i = 0; i < 256; i++) {
		const struct rxe_opcode_info *row = &rxe_opcode[i];

		if (ibta_find(i)) {
			assigned++;
			continue;
		}
		KUNIT_EXPECT_NULL_MSG(test, row->name, "%#x", i);
		KUNIT_EXPECT_EQ_MSG(test, row->flags, 0U, "%#x", i);
		KUNIT_EXPECT_EQ_MSG(test, row->hdr_bytes, 0, "%#x", i);
	}
	KUNIT_EXPECT_EQ(test, assigned, ibta_ops_count);
}

static void header_lengths_add_up(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ibta_ops_count; i++) {
		size_t bytes = 12;
		const char *p;

		for (p = ibta_ops[i].ext; *p; p++)
			bytes += ibta_ext_bytes(*p);
		KUNIT_EXPECT_EQ_MSG(test,
				    rxe_opcode[ibta_ops[i].opcode].hdr_bytes,
				    bytes, "%s", ibta_ops[i].name);
	}
}

static void class_is_in_the_upper_bits(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ibta_ops_count; i++) {
		const struct ibta_op *op = &ibta_ops[i];
		u8 class = op->opcode & RXE_OP_CLASS;

		if (op->opcode == RXE_OP_CNP)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, class == RXE_OP_RC,
				    !strncmp(op->name, "RC ", 3), "%s",
				    op->name);
		KUNIT_EXPECT_EQ_MSG(test, class == RXE_OP_UC,
				    !strncmp(op->name, "UC ", 3), "%s",
				    op->name);
		KUNIT_EXPECT_EQ_MSG(test, class == RXE_OP_UD,
				    !strncmp(op->name, "UD ", 3), "%s",
				    op->name);
	}
}

static void starts_and_ends(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ibta_ops_count; i++) {
		const struct ibta_op *op = &ibta_ops[i];
		u32 flags = rxe_opcode[op->opcode].flags;

		KUNIT_EXPECT_EQ_MSG(test, rxe_op_starts(flags),
				    op->pos == 'F' || op->pos == 'O', "%s",
				    op->name);
		KUNIT_EXPECT_EQ_MSG(test, rxe_op_ends(flags),
				    op->pos == 'L' || op->pos == 'O', "%s",
				    op->name);
	}
}

static struct kunit_case opcode_cases[] = {
	KUNIT_CASE(every_assigned_row),
	KUNIT_CASE(every_unassigned_row_is_empty),
	KUNIT_CASE(header_lengths_add_up),
	KUNIT_CASE(class_is_in_the_upper_bits),
	KUNIT_CASE(starts_and_ends),
	{}
};

static struct kunit_suite opcode_suite = {
	.name = "rxe_opcode",
	.test_cases = opcode_cases,
};

kunit_test_suite(opcode_suite);
