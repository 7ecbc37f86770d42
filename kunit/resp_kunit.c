// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* proto/resp.c, one rule at a time; pair_kunit.c has them all together */
#include "resp_rig.h"
#include "wire/hdr.h"

/**
 * struct step - a request opcode and the messages it may go on with
 * @opcode: of the packet
 * @idle: may come between messages
 * @send: may come in the middle of a SEND
 * @write: may come in the middle of a RDMA WRITE
 */
struct step {
	u8 opcode;
	bool idle;
	bool send;
	bool write;
};

/* IBTA table 38: schedule of valid opcode sequences */
static const struct step steps[] = {
	{ 0x00, true, false, false }, { 0x01, false, true, false },
	{ 0x02, false, true, false }, { 0x03, false, true, false },
	{ 0x04, true, false, false }, { 0x05, true, false, false },
	{ 0x06, true, false, false }, { 0x07, false, false, true },
	{ 0x08, false, false, true }, { 0x09, false, false, true },
	{ 0x0a, true, false, false }, { 0x0b, true, false, false },
	{ 0x0c, true, false, false }, { 0x13, true, false, false },
	{ 0x14, true, false, false }, { 0x16, false, true, false },
	{ 0x17, true, false, false }, { 0x1c, true, false, false },
	{ 0x1d, true, false, false },
};

/* Before: nothing, half a SEND, half a WRITE */
static struct resp_rig *halfway(struct kunit *test, int message)
{
	struct resp_rig *r = resp_rig(test, RXE_RC, 0xffffff);

	if (message == 1)
		resp_rx(r, 0x00, 0xffffff, 256);
	if (message == 2) {
		r->dmalen = 512 + 256;
		resp_rx(r, 0x06, 0xffffff, 256);
		r->dmalen = 0;
	}
	return r;
}

/* A good request is carried out, any other is invalid */
static void expect(struct kunit *test, const struct resp_rig *r, bool good,
		   int row)
{
	KUNIT_EXPECT_EQ_MSG(test, (int)r->plan.verdict,
			    good ? (int)RXE_RX_EXEC : (int)RXE_RX_FATAL,
			    "row or opcode %#x", row);
	if (!good)
		KUNIT_EXPECT_EQ(test, r->plan.nak, 0x61);
}

static void every_opcode_after_every_message(struct kunit *test)
{
	int i, message;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		const struct step *s = &steps[i];

		for (message = 0; message < 3; message++) {
			struct resp_rig *r = halfway(test, message);
			bool good[] = { s->idle, s->send, s->write };
			bool last = s->opcode == 0x08 || s->opcode == 0x09;

			/* What is left of the WRITE is two packets */
			if (last && message == 2)
				resp_rx(r, 0x07, 0, 256);
			resp_fit(r, s->opcode);
			resp_rx(r, s->opcode, r->resp.epsn, r->fit);
			expect(test, r, good[message], s->opcode);
		}
	}
}

/* Rights of the QP: bits 1 WRITE, 2 READ, 3 ATOMIC (IBTA 9.7.4.1.6), 8 and 9 FLUSH for
 * visibility, which the rig asks for, and persistence (annex A19)
 */
static void rights_of_the_qp(struct kunit *test)
{
	static const struct {
		u8 opcode;
		u32 right; /* 0: needs none */
	} needs[] = {
		{ 0x04, 0 },	  { 0x17, 0 },	    { 0x0a, BIT(1) },
		{ 0x0b, BIT(1) }, { 0x06, BIT(1) }, { 0x0c, BIT(2) },
		{ 0x13, BIT(3) }, { 0x14, BIT(3) }, { 0x1d, BIT(1) },
		{ 0x1c, BIT(8) },
	};
	u32 access;
	int i;

	for (i = 0; i < ARRAY_SIZE(needs); i++) {
		for (access = 0; access < 1024; access++) {
			struct resp_rig *r = resp_rig(test, RXE_RC, 5);
			bool good = !needs[i].right ||
				    (access & needs[i].right);

			r->resp.access = access;
			resp_fit(r, needs[i].opcode);
			resp_rx(r, needs[i].opcode, 5, r->fit);
			expect(test, r, good, needs[i].opcode);
		}
	}
}

/* max_dest_rd_atomic of 0 refuses all that needs a resource */
static void no_resources_no_reads(struct kunit *test)
{
	static const u8 opcodes[] = { 0x0c, 0x13, 0x14, 0x1c, 0x1d };
	int i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		struct resp_rig *r = resp_rig(test, RXE_RC, 5);

		r->resp.max_res = 0;
		resp_fit(r, opcodes[i]);
		resp_rx(r, opcodes[i], 5, r->fit);
		KUNIT_EXPECT_EQ_MSG(test, (int)r->plan.verdict,
				    (int)RXE_RX_FATAL, "%#x", opcodes[i]);
		/* and as a duplicate there is nothing to answer with */
		resp_rx(r, opcodes[i], 4, r->fit);
		KUNIT_EXPECT_EQ_MSG(test, (int)r->plan.verdict,
				    (int)RXE_RX_DROP, "%#x", opcodes[i]);
	}
}

static void lengths_must_fit(struct kunit *test)
{
	static const struct {
		u8 opcode;
		u32 dmalen;
		u64 va;
		u32 bytes;
		bool good;
	} rows[] = {
		/* against the path MTU of 256 */
		{ 0x00, 0, 0, 256, true },
		{ 0x00, 0, 0, 255, false },
		{ 0x00, 0, 0, 0, false },
		{ 0x00, 0, 0, 257, false },
		{ 0x04, 0, 0, 0, true },
		{ 0x04, 0, 0, 256, true },
		{ 0x04, 0, 0, 257, false },
		{ 0x04, 0, 0, 4096, false },
		/* against DMALen */
		{ 0x0a, 0, 1, 0, true },
		{ 0x0a, 256, 1, 256, true },
		{ 0x0a, 256, 1, 255, false },
		{ 0x0a, 255, 1, 256, false },
		{ 0x0a, 0, 1, 1, false },
		{ 0x0a, 1, 1, 0, false },
		{ 0x06, 257, 1, 256, true },
		{ 0x06, 256, 1, 256, false },
		{ 0x06, 0x80000000, 1, 256, true },
		{ 0x06, 0x80000001, 1, 256, false },
		{ 0x06, 0xffffffff, 1, 256, false },
		{ 0x0c, 0x80000000, 1, 0, true },
		{ 0x0c, 0x80000001, 1, 0, false },
		{ 0x1c, 0xffffffff, 1, 0, false },
		/* alignment of atomics */
		{ 0x13, 0, 8, 0, true },
		{ 0x13, 0, 4, 0, false },
		{ 0x14, 0, 0x1001, 0, false },
		{ 0x14, 0, -8ULL, 0, true },
		{ 0x1d, 8, 16, 8, true },
		{ 0x1d, 8, 12, 8, false },
		{ 0x1d, 4, 16, 4, false },
		{ 0x1d, 16, 16, 16, false },
		{ 0x1d, 8, 16, 4, false },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct resp_rig *r = resp_rig(test, RXE_RC, 5);

		r->dmalen = rows[i].dmalen;
		r->va = rows[i].va;
		resp_rx(r, rows[i].opcode, 5, rows[i].bytes);
		expect(test, r, rows[i].good, i);
	}
}

/* Middle and last packets: of a SEND, of a WRITE with one packet to come */
static void lengths_of_later_packets(struct kunit *test)
{
	static const struct {
		u8 opcode;
		int message;
		u32 bytes;
		bool good;
	} rows[] = {
		{ 0x01, 1, 256, true },	 { 0x01, 1, 255, false },
		{ 0x02, 1, 256, true },	 { 0x02, 1, 1, true },
		{ 0x02, 1, 0, false },	 { 0x02, 1, 257, false },
		{ 0x07, 2, 256, true },	 { 0x07, 2, 255, false },
		{ 0x08, 2, 256, false }, /* DMALen has 512 left */
	};
	struct resp_rig *r;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		r = halfway(test, rows[i].message);
		resp_rx(r, rows[i].opcode, 0, rows[i].bytes);
		expect(test, r, rows[i].good, i);
	}
	/* and a middle packet where the last one is due */
	r = halfway(test, 2);
	resp_rx(r, 0x07, 0, 256);
	resp_rx(r, 0x07, 1, 256);
	KUNIT_EXPECT_EQ(test, (int)r->plan.verdict, (int)RXE_RX_FATAL);
}

static void write_names_what_is_left(struct kunit *test)
{
	struct resp_rig *r = resp_rig(test, RXE_RC, 0xffffff);

	r->va = 0x1000;
	r->rkey = 0x77;
	r->dmalen = 600;
	resp_rx(r, 0x06, 0xffffff, 256);
	KUNIT_EXPECT_EQ(test, r->plan.va, 0x1000ULL);
	KUNIT_EXPECT_EQ(test, r->plan.bytes, 600U);
	r->va = 0;
	r->rkey = 0;
	r->dmalen = 0;
	resp_rx(r, 0x07, 0, 256);
	KUNIT_EXPECT_EQ(test, r->plan.va, 0x1100ULL);
	KUNIT_EXPECT_EQ(test, r->plan.rkey, 0x77U);
	KUNIT_EXPECT_EQ(test, r->plan.bytes, 344U);
	resp_rx(r, 0x09, 1, 88);
	KUNIT_EXPECT_EQ(test, r->plan.va, 0x1200ULL);
	KUNIT_EXPECT_EQ(test, r->plan.bytes, 88U);
	KUNIT_EXPECT_TRUE(test, r->plan.need_rwqe);
	KUNIT_EXPECT_TRUE(test, r->plan.complete);
	KUNIT_EXPECT_EQ(test, r->plan.msg_bytes, 600U);
}

static void send_counts_its_bytes(struct kunit *test)
{
	struct resp_rig *r = resp_rig(test, RXE_RC, 0xffffff);

	resp_rx(r, 0x00, 0xffffff, 256);
	KUNIT_EXPECT_TRUE(test, r->plan.need_rwqe);
	KUNIT_EXPECT_FALSE(test, r->plan.complete);
	resp_rx(r, 0x01, 0, 256);
	KUNIT_EXPECT_EQ(test, r->plan.offset, 256U);
	resp_rx(r, 0x02, 1, 3);
	KUNIT_EXPECT_EQ(test, r->plan.offset, 512U);
	KUNIT_EXPECT_EQ(test, r->plan.msg_bytes, 515U);
	KUNIT_EXPECT_TRUE(test, r->plan.complete);
	KUNIT_EXPECT_EQ(test, r->resp.msn, 1U);
	KUNIT_EXPECT_EQ(test, rxe_resp_acked_psn(&r->resp), 1U);
}

/* The MSN counts messages, each kind once, and wraps */
static void msn_counts_messages(struct kunit *test)
{
	static const u8 opcodes[] = { 0x04, 0x05, 0x17, 0x0a, 0x0b,
				      0x0c, 0x13, 0x14, 0x1c, 0x1d };
	struct resp_rig *r = resp_rig(test, RXE_RC, 5);
	struct rxe_pkt pkt;
	int i;

	r->resp.msn = 0xfffffa;
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		resp_fit(r, opcodes[i]);
		resp_rx(r, opcodes[i], r->resp.epsn, r->fit);
		resp_stream(r);
		KUNIT_EXPECT_EQ_MSG(test, r->resp.msn,
				    (0xfffffa + i + 1U) & 0xffffff, "%#x",
				    opcodes[i]);
	}
	rxe_resp_ack_pkt(&r->resp, 0x1f, 0x123, &pkt);
	KUNIT_EXPECT_EQ(test, pkt.opcode, 0x11);
	KUNIT_EXPECT_EQ(test, pkt.syndrome, 0x1f);
	KUNIT_EXPECT_EQ(test, pkt.msn, 4U);
	KUNIT_EXPECT_EQ(test, pkt.psn, 0x123U);
	KUNIT_EXPECT_EQ(test, pkt.dest_qpn, 0x11U);
}

static void rnr_leaves_no_trace(struct kunit *test)
{
	struct resp_rig *r = resp_rig(test, RXE_RC, 0xffffff);
	u8 code;

	for (code = 0; code < 32; code++) {
		r->resp.min_rnr_timer = code;
		r->no_rwqe = true;
		resp_rx(r, 0x04, 0xffffff, 10);
		KUNIT_EXPECT_EQ(test, r->syndrome, 0x20 | code);
		KUNIT_EXPECT_EQ(test, r->resp.epsn, 0xffffffU);
		KUNIT_EXPECT_EQ(test, r->resp.msn, 0U);
		/* What follows it is not NAKed besides */
		resp_rx(r, 0x04, 0, 10);
		KUNIT_EXPECT_EQ(test, (int)r->plan.verdict, (int)RXE_RX_AHEAD);
		KUNIT_EXPECT_EQ(test, r->nak, 0);
	}
	r->no_rwqe = false;
	resp_rx(r, 0x04, 0xffffff, 10);
	KUNIT_EXPECT_EQ(test, (int)r->plan.verdict, (int)RXE_RX_EXEC);
	KUNIT_EXPECT_EQ(test, r->resp.msn, 1U);
}

static struct kunit_case resp_cases[] = {
	KUNIT_CASE(every_opcode_after_every_message),
	KUNIT_CASE(rights_of_the_qp),
	KUNIT_CASE(no_resources_no_reads),
	KUNIT_CASE(lengths_must_fit),
	KUNIT_CASE(lengths_of_later_packets),
	KUNIT_CASE(write_names_what_is_left),
	KUNIT_CASE(send_counts_its_bytes),
	KUNIT_CASE(msn_counts_messages),
	KUNIT_CASE(rnr_leaves_no_trace),
	{}
};

static struct kunit_suite resp_suite = {
	.name = "rxe_resp",
	.init = resp_rig_init,
	.test_cases = resp_cases,
};

kunit_test_suite(resp_suite);
