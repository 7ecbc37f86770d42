// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Every header's bytes, written down by hand from IBTA 9.2, 9.3, A17 and A19 */
#include <asm/byteorder.h>

#include "ref_pkt.h"
#include "util.h"
#include "wire/hdr.h"

/**
 * struct golden - bytes and what they mean
 * @what: for people
 * @bytes: BTH and extension headers
 * @payload: bytes of payload that follow
 * @want: what the decoder must say; info, opcode and lengths are filled in
 */
struct golden {
	const char *what;
	u8 bytes[40];
	u32 payload;
	struct rxe_pkt want;
};

#define IMM(v) cpu_to_be32(v)

static const struct golden golden[] = {
	{ .what = "every bit of a BTH off",
	  .bytes = { 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		     0x00, 0x00 } },
	{ .what = "solicited event",
	  .bytes = { 0x04, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		     0x00, 0x00 },
	  .want = { .se = 1 } },
	{ .what = "migration request",
	  .bytes = { 0x04, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		     0x00, 0x00 },
	  .want = { .migreq = 1 } },
	{ .what = "one byte of payload, three of pad",
	  .bytes = { 0x04, 0x30, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		     0x00, 0x00 },
	  .payload = 1,
	  .want = { .pad = 3 } },
	{ .what = "backward congestion notification",
	  .bytes = { 0x04, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00,
		     0x00, 0x00 },
	  .want = { .becn = 1 } },
	{ .what = "acknowledge request",
	  .bytes = { 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x00,
		     0x00, 0x00 },
	  .want = { .ack_req = 1 } },
	{ .what = "P_Key, QP and PSN of a SEND First",
	  .bytes = { 0x00, 0x00, 0x81, 0x23, 0x00, 0x45, 0x67, 0x89, 0x00, 0xab,
		     0xcd, 0xef },
	  .payload = 1024,
	  .want = { .pkey = 0x8123, .dest_qpn = 0x456789, .psn = 0xabcdef } },
	{ .what = "all ones that a SEND Last may have",
	  .bytes = { 0x02, 0xf0, 0xff, 0xff, 0x40, 0xff, 0xff, 0xff, 0x80, 0xff,
		     0xff, 0xff },
	  .payload = 4093,
	  .want = { .se = 1,
		    .migreq = 1,
		    .pad = 3,
		    .pkey = 0xffff,
		    .becn = 1,
		    .dest_qpn = 0xffffff,
		    .ack_req = 1,
		    .psn = 0xffffff } },
	{ .what = "ImmDt",
	  .bytes = { 0x05, 0x40, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11, 0x80, 0x00,
		     0x00, 0x22, 0x01, 0x02, 0x03, 0x04 },
	  .payload = 8,
	  .want = { .migreq = 1,
		    .pkey = 0xffff,
		    .dest_qpn = 0x11,
		    .ack_req = 1,
		    .psn = 0x22,
		    .imm = IMM(0x01020304) } },
	{ .what = "RETH of a WRITE First",
	  .bytes = { 0x06, 0x40, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11, 0x00, 0x00,
		     0x00, 0x23, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10,
		     0x0a, 0x0b, 0x0c, 0x0d, 0x80, 0x00, 0x00, 0x01 },
	  .payload = 256,
	  .want = { .migreq = 1,
		    .pkey = 0xffff,
		    .dest_qpn = 0x11,
		    .psn = 0x23,
		    .va = 0xfedcba9876543210,
		    .rkey = 0x0a0b0c0d,
		    .dmalen = 0x80000001 } },
	{ .what = "RETH before ImmDt in a UC WRITE Only Immediate",
	  .bytes = { 0x2b, 0x60, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11,
		     0x00, 0x00, 0x00, 0x24, 0x00, 0x00, 0x7f, 0xff,
		     0x00, 0x00, 0x10, 0x01, 0x00, 0x00, 0x02, 0x01,
		     0x00, 0x00, 0x00, 0x06, 0xca, 0xfe, 0xba, 0xbe },
	  .payload = 6,
	  .want = { .migreq = 1,
		    .pad = 2,
		    .pkey = 0xffff,
		    .dest_qpn = 0x11,
		    .psn = 0x24,
		    .va = 0x7fff00001001,
		    .rkey = 0x201,
		    .dmalen = 6,
		    .imm = IMM(0xcafebabe) } },
	{ .what = "RDMA READ Request",
	  .bytes = { 0x0c, 0x40, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11, 0x80, 0x00,
		     0x00, 0x25, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
		     0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x03 },
	  .want = { .migreq = 1,
		    .pkey = 0xffff,
		    .dest_qpn = 0x11,
		    .ack_req = 1,
		    .psn = 0x25,
		    .va = 1,
		    .rkey = 2,
		    .dmalen = 3 } },
	{ .what = "AETH of a READ Response First",
	  .bytes = { 0x0d, 0x40, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11, 0x00, 0x00,
		     0x00, 0x26, 0x1f, 0x12, 0x34, 0x56 },
	  .payload = 2048,
	  .want = { .migreq = 1,
		    .pkey = 0xffff,
		    .dest_qpn = 0x11,
		    .psn = 0x26,
		    .syndrome = 0x1f,
		    .msn = 0x123456 } },
	{ .what = "READ Response Middle has no AETH",
	  .bytes = { 0x0e, 0x40, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11, 0x00, 0x00,
		     0x00, 0x27 },
	  .payload = 2048,
	  .want = { .migreq = 1,
		    .pkey = 0xffff,
		    .dest_qpn = 0x11,
		    .psn = 0x27 } },
	{ .what = "Acknowledge with a PSN sequence NAK",
	  .bytes = { 0x11, 0x40, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11, 0x00, 0xff,
		     0xff, 0xff, 0x60, 0xff, 0xff, 0xfe },
	  .want = { .migreq = 1,
		    .pkey = 0xffff,
		    .dest_qpn = 0x11,
		    .psn = 0xffffff,
		    .syndrome = 0x60,
		    .msn = 0xfffffe } },
	{ .what = "AtomicAckETH",
	  .bytes = { 0x12, 0x40, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11,
		     0x00, 0x00, 0x00, 0x28, 0x1f, 0x00, 0x00, 0x09,
		     0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef },
	  .want = { .migreq = 1,
		    .pkey = 0xffff,
		    .dest_qpn = 0x11,
		    .psn = 0x28,
		    .syndrome = 0x1f,
		    .msn = 9,
		    .orig = 0x0123456789abcdef } },
	{ .what = "AtomicETH of a Compare Swap",
	  .bytes = { 0x13, 0x40, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11, 0x80, 0x00,
		     0x00, 0x29, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
		     0x99, 0xaa, 0xbb, 0xcc, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06,
		     0x07, 0x08, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8 },
	  .want = { .migreq = 1,
		    .pkey = 0xffff,
		    .dest_qpn = 0x11,
		    .ack_req = 1,
		    .psn = 0x29,
		    .va = 0x1122334455667788,
		    .rkey = 0x99aabbcc,
		    .swap_add = 0x0102030405060708,
		    .compare = 0xf1f2f3f4f5f6f7f8 } },
	{ .what = "IETH",
	  .bytes = { 0x17, 0x40, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11, 0x80, 0x00,
		     0x00, 0x2a, 0xde, 0xad, 0xbe, 0xef },
	  .want = { .migreq = 1,
		    .pkey = 0xffff,
		    .dest_qpn = 0x11,
		    .ack_req = 1,
		    .psn = 0x2a,
		    .rkey = 0xdeadbeef } },
	{ .what = "FETH before RETH in a Flush",
	  .bytes = { 0x1c, 0x40, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11,
		     0x80, 0x00, 0x00, 0x2b, 0x00, 0x00, 0x00, 0x12,
		     0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x00,
		     0x00, 0x00, 0x03, 0x04, 0x00, 0x00, 0x10, 0x00 },
	  .want = { .migreq = 1,
		    .pkey = 0xffff,
		    .dest_qpn = 0x11,
		    .ack_req = 1,
		    .psn = 0x2b,
		    .flush_sel = 1,
		    .flush_plt = 2,
		    .va = 0x2000,
		    .rkey = 0x304,
		    .dmalen = 0x1000 } },
	{ .what = "Atomic Write",
	  .bytes = { 0x1d, 0x40, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11, 0x80, 0x00,
		     0x00, 0x2c, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x08,
		     0x00, 0x00, 0x03, 0x05, 0x00, 0x00, 0x00, 0x08 },
	  .payload = 8,
	  .want = { .migreq = 1,
		    .pkey = 0xffff,
		    .dest_qpn = 0x11,
		    .ack_req = 1,
		    .psn = 0x2c,
		    .va = 0x2008,
		    .rkey = 0x305,
		    .dmalen = 8 } },
	{ .what = "DETH before ImmDt",
	  .bytes = { 0x65, 0x40, 0xff, 0xff, 0x00, 0xff, 0xff, 0xff,
		     0x00, 0x00, 0x00, 0x2d, 0x80, 0x01, 0x00, 0x00,
		     0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07 },
	  .payload = 4,
	  .want = { .migreq = 1,
		    .pkey = 0xffff,
		    .dest_qpn = 0xffffff,
		    .psn = 0x2d,
		    .qkey = 0x80010000,
		    .src_qpn = 0x010203,
		    .imm = IMM(0x04050607) } },
	{ .what = "CNP as a ConnectX-4 Lx sends it",
	  .bytes = { 0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18, 0x00, 0x00,
		     0x00, 0x00 },
	  .payload = 16,
	  .want = { .pkey = 0xffff, .becn = 1, .dest_qpn = 0x118 } },
};

/* Complete the expectation of a row */
static struct rxe_pkt wanted(const struct golden *g)
{
	struct rxe_pkt want = g->want;

	want.opcode = g->bytes[0];
	want.info = &rxe_opcode[want.opcode];
	want.hdr_bytes = ibta_find(want.opcode)->hdr_bytes;
	want.payload_bytes = g->payload;
	return want;
}

static void bytes_are_decoded(struct kunit *test)
{
	struct rxe_tail buf = rxe_tail_alloc(test, 64 + 4096);
	int i;

	for (i = 0; i < ARRAY_SIZE(golden); i++) {
		const struct golden *g = &golden[i];
		struct rxe_pkt want = wanted(g), pkt;
		size_t len = want.hdr_bytes + g->payload + want.pad + 4;
		u8 *p = rxe_tail(&buf, len);
		const char *diff;
		int err;

		memset(p, 0xee, len);
		memcpy(p, g->bytes, want.hdr_bytes);
		err = rxe_pkt_parse(&pkt, p, min_t(size_t, len, 40), len);
		KUNIT_ASSERT_EQ_MSG(test, err, 0, "%s", g->what);
		diff = ref_diff(&pkt, &want);
		KUNIT_EXPECT_NULL_MSG(test, diff, "%s: %s", g->what, diff);
	}
}

static void fields_are_encoded(struct kunit *test)
{
	struct rxe_tail buf = rxe_tail_alloc(test, 40);
	int i;

	for (i = 0; i < ARRAY_SIZE(golden); i++) {
		const struct golden *g = &golden[i];
		struct rxe_pkt want = wanted(g);
		u8 *p = rxe_tail(&buf, want.hdr_bytes);

		memset(p, 0xee, want.hdr_bytes);
		rxe_pkt_build(&want, p);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(p, g->bytes, want.hdr_bytes),
				    0, "%s: %*ph", g->what, want.hdr_bytes, p);
	}
}

/* The other encoder of these suites is held against the same bytes */
static void reference_agrees(struct kunit *test)
{
	u8 p[40];
	int i;

	for (i = 0; i < ARRAY_SIZE(golden); i++) {
		const struct golden *g = &golden[i];
		struct rxe_pkt want = wanted(g);
		size_t n = ref_encode(ibta_find(g->bytes[0]), &want, p);

		KUNIT_EXPECT_EQ_MSG(test, n, want.hdr_bytes, "%s", g->what);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(p, g->bytes, n), 0, "%s",
				    g->what);
	}
}

/* Each header of the specification is in the table above */
static void every_header_is_here(struct kunit *test)
{
	static const char letters[] = "DFRTAOIK";
	int i, k;

	for (k = 0; letters[k]; k++) {
		bool found = false;

		for (i = 0; i < ARRAY_SIZE(golden); i++)
			if (strchr(ibta_find(golden[i].bytes[0])->ext,
				   letters[k]))
				found = true;
		KUNIT_EXPECT_TRUE_MSG(test, found, "%c", letters[k]);
	}
}

static void reserved_bits_are_not_decoded(struct kunit *test)
{
	/* UD SEND Only with FECN and all reserved bits set */
	static const u8 bytes[24] = {
		0x64, 0x40, 0xff, 0xff, 0xbf, 0x00, 0x00, 0x11, 0x7f, 0x00,
		0x00, 0x22, 0x00, 0x00, 0x00, 0x33, 0xff, 0x00, 0x00, 0x44,
	};
	struct rxe_pkt pkt;

	KUNIT_ASSERT_EQ(test, rxe_pkt_parse(&pkt, bytes, 24, 24), 0);
	KUNIT_EXPECT_FALSE(test, pkt.becn);
	KUNIT_EXPECT_EQ(test, pkt.dest_qpn, 0x11U);
	KUNIT_EXPECT_FALSE(test, pkt.ack_req);
	KUNIT_EXPECT_EQ(test, pkt.psn, 0x22U);
	KUNIT_EXPECT_EQ(test, pkt.src_qpn, 0x44U);
}

/* What must not reach the bits beside a field when a caller passes too much */
static void numbers_are_cut_to_24_bits(struct kunit *test)
{
	struct rxe_pkt pkt;
	u8 p[24];

	rxe_pkt_init(&pkt, 0x64, 0xff000011, 0xff000022);
	pkt.src_qpn = 0xff000033;
	rxe_pkt_build(&pkt, p);
	KUNIT_EXPECT_EQ(test, p[4], 0);
	KUNIT_EXPECT_EQ(test, p[8], 0);
	KUNIT_EXPECT_EQ(test, p[16], 0);

	rxe_pkt_init(&pkt, 0x11, 0x11, 0x22);
	pkt.syndrome = 0x60;
	pkt.msn = 0x9f000001;
	rxe_pkt_build(&pkt, p);
	KUNIT_EXPECT_EQ(test, p[12], 0x60);
	KUNIT_EXPECT_EQ(test, p[13], 0);
	KUNIT_EXPECT_EQ(test, p[15], 1);
}

static void init_sets_what_all_packets_have(struct kunit *test)
{
	static const u8 bytes[16] = { 0x11, 0x40, 0xff, 0xff, 0x00, 0x12,
				      0x34, 0x56, 0x00, 0x65, 0x43, 0x21 };
	struct rxe_pkt pkt;
	u8 p[16];

	memset(&pkt, 0xee, sizeof(pkt));
	rxe_pkt_init(&pkt, 0x11, 0x123456, 0x654321);
	KUNIT_ASSERT_EQ(test, pkt.hdr_bytes, 16);
	KUNIT_EXPECT_EQ(test, pkt.payload_bytes, 0U);
	rxe_pkt_build(&pkt, p);
	KUNIT_EXPECT_EQ(test, memcmp(p, bytes, 16), 0);
}

static void pad_fills_the_word(struct kunit *test)
{
	struct rxe_pkt pkt = {};
	u32 n;

	for (n = 0; n <= 4096; n++) {
		rxe_pkt_set_payload(&pkt, n);
		KUNIT_ASSERT_EQ(test, pkt.payload_bytes, n);
		KUNIT_ASSERT_EQ(test, (n + pkt.pad) % 4, 0U);
		KUNIT_ASSERT_LT(test, pkt.pad, 4);
	}
}

static struct kunit_case hdr_cases[] = {
	KUNIT_CASE(bytes_are_decoded),
	KUNIT_CASE(fields_are_encoded),
	KUNIT_CASE(reference_agrees),
	KUNIT_CASE(every_header_is_here),
	KUNIT_CASE(reserved_bits_are_not_decoded),
	KUNIT_CASE(numbers_are_cut_to_24_bits),
	KUNIT_CASE(init_sets_what_all_packets_have),
	KUNIT_CASE(pad_fills_the_word),
	{}
};

static struct kunit_suite hdr_suite = {
	.name = "rxe_hdr",
	.test_cases = hdr_cases,
};

kunit_test_suite(hdr_suite);
