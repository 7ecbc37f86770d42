// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* wire/pkt.c: round trips, truncation, bad lengths, noise */
#include <linux/errno.h>

#include "ref_pkt.h"
#include "util.h"
#include "wire/hdr.h"

#define MAX_PACKET (40 + 4096 + 3 + 4)

/* Parse a packet that is readable as far as the decoder may want */
static int parse(struct rxe_pkt *pkt, const u8 *p, size_t len)
{
	return rxe_pkt_parse(pkt, p, min_t(size_t, len, RXE_PKT_HDR_MAX), len);
}

/* IBTA 9.6.1.1 from the bytes alone, without the code under test */
static int ref_verdict(const u8 *p, size_t avail, size_t len)
{
	const struct ibta_op *op;
	size_t pad, rest;

	if (avail < 12 || len < 16)
		return -EMSGSIZE;
	op = ibta_find(p[0]);
	if (!op || p[1] % 16)
		return -EPROTO;
	pad = p[1] / 16 % 4;
	if (avail < op->hdr_bytes || len < op->hdr_bytes + 4)
		return -EMSGSIZE;
	rest = len - op->hdr_bytes - 4; /* payload and pad */
	if (rest % 4 || rest < pad)
		return -EMSGSIZE;
	if (!op->payload && rest)
		return -EMSGSIZE;
	return 0;
}

static void every_opcode_makes_the_round_trip(struct kunit *test)
{
	static const u16 sizes[] = { 0, 1,   2,	  3,	4,    5,    7,
				     8, 255, 256, 1023, 1024, 4093, 4096 };
	struct rxe_tail buf = rxe_tail_alloc(test, MAX_PACKET);
	struct rxe_rng rng = { rxe_kunit_seed };
	int i, k, round;

	for (i = 0; i < ibta_ops_count * ARRAY_SIZE(sizes); i++) {
		const struct ibta_op *op = &ibta_ops[i / ARRAY_SIZE(sizes)];

		k = i % ARRAY_SIZE(sizes);
		if (k && !op->payload)
			continue;
		for (round = 0; round < 4; round++) {
			struct rxe_pkt want, pkt;
			const char *diff;
			u8 again[40];
			size_t len;
			u8 *p;

			ref_random(&rng, op, &want);
			want.payload_bytes = sizes[k];
			want.pad = (4 - sizes[k] % 4) % 4;
			len = op->hdr_bytes + sizes[k] + want.pad + 4;
			p = rxe_tail(&buf, len);
			ref_encode(op, &want, p);
			KUNIT_ASSERT_EQ_MSG(test, parse(&pkt, p, len), 0,
					    "%s, %u bytes", op->name, sizes[k]);
			diff = ref_diff(&pkt, &want);
			KUNIT_ASSERT_NULL_MSG(test, diff, "%s: %s", op->name,
					      diff);
			rxe_pkt_build(&pkt, again);
			KUNIT_ASSERT_EQ_MSG(test,
					    memcmp(again, p, op->hdr_bytes), 0,
					    "%s", op->name);
		}
	}
}

/* All lengths up to that of a whole packet; nothing behind the cut is readable */
static void check_truncation(struct kunit *test, const struct ibta_op *op,
			     const struct rxe_tail *buf, u32 payload)
{
	struct rxe_rng rng = { rxe_kunit_seed + op->opcode };
	struct rxe_pkt whole, pkt;
	size_t full, len;
	u8 hdr[40];

	ref_random(&rng, op, &whole);
	whole.pad = (4 - payload % 4) % 4;
	ref_encode(op, &whole, hdr);
	full = op->hdr_bytes + payload + whole.pad + 4;

	for (len = 0; len <= full; len++) {
		size_t avail = min_t(size_t, len, 40);
		u8 *p = rxe_tail(buf, len);
		int want, got;

		memcpy(p, hdr, min_t(size_t, len, op->hdr_bytes));
		want = ref_verdict(p, avail, len);
		got = rxe_pkt_parse(&pkt, p, avail, len);
		KUNIT_ASSERT_EQ_MSG(test, got, want, "%s cut to %zu of %zu",
				    op->name, len, full);
		if (!got)
			KUNIT_ASSERT_EQ(test,
					op->hdr_bytes + pkt.payload_bytes +
						pkt.pad + 4,
					len);
	}
	KUNIT_ASSERT_EQ(test, parse(&pkt, rxe_tail(buf, full), full), 0);
}

static void every_opcode_cut_everywhere(struct kunit *test)
{
	static const u16 sizes[] = { 0, 1, 2, 3, 4, 9, 256 };
	struct rxe_tail buf = rxe_tail_alloc(test, MAX_PACKET);
	int i, k;

	for (i = 0; i < ibta_ops_count; i++)
		for (k = 0; k < ARRAY_SIZE(sizes); k++)
			if (!k || ibta_ops[i].payload)
				check_truncation(test, &ibta_ops[i], &buf,
						 sizes[k]);
}

/* Only the readable part shrinks: the header may sit in a first fragment */
static void every_header_read_no_further_than_it_may(struct kunit *test)
{
	struct rxe_tail buf = rxe_tail_alloc(test, 40);
	struct rxe_rng rng = { rxe_kunit_seed };
	size_t avail;
	int i;

	for (i = 0; i < ibta_ops_count; i++) {
		const struct ibta_op *op = &ibta_ops[i];
		struct rxe_pkt whole, pkt;
		int want, got;
		u8 hdr[40];

		ref_random(&rng, op, &whole);
		ref_encode(op, &whole, hdr);
		for (avail = 0; avail <= op->hdr_bytes; avail++) {
			u8 *p = rxe_tail(&buf, avail);
			size_t len = op->hdr_bytes + 4;

			memcpy(p, hdr, avail);
			want = avail < op->hdr_bytes ? -EMSGSIZE : 0;
			got = rxe_pkt_parse(&pkt, p, avail, len);
			KUNIT_ASSERT_EQ_MSG(test, got, want, "%s, %zu readable",
					    op->name, avail);
		}
	}
}

static void unassigned_opcodes_are_refused(struct kunit *test)
{
	u8 p[64] = {};
	struct rxe_pkt pkt;
	int opcode;

	for (opcode = 0; opcode < 256; opcode++) {
		if (ibta_find(opcode))
			continue;
		p[0] = opcode;
		KUNIT_EXPECT_EQ_MSG(test, parse(&pkt, p, 64), -EPROTO, "%#x",
				    opcode);
	}
}

static void other_header_versions_are_refused(struct kunit *test)
{
	u8 p[44] = {};
	struct rxe_pkt pkt;
	int i, version;

	for (i = 0; i < ibta_ops_count; i++) {
		const struct ibta_op *op = &ibta_ops[i];

		p[0] = op->opcode;
		for (version = 0; version < 16; version++) {
			p[1] = 0x40 | version;
			KUNIT_EXPECT_EQ_MSG(test,
					    parse(&pkt, p, op->hdr_bytes + 4),
					    version ? -EPROTO : 0,
					    "%s, version %d", op->name,
					    version);
		}
	}
}

/* Every pad with every number of bytes behind the headers */
static void pad_and_length_must_agree(struct kunit *test)
{
	struct rxe_tail buf = rxe_tail_alloc(test, 40 + 20 + 4);
	struct rxe_pkt pkt;
	int i, pad, rest;

	for (i = 0; i < ibta_ops_count; i++) {
		const struct ibta_op *op = &ibta_ops[i];

		for (pad = 0; pad < 4; pad++) {
			for (rest = 0; rest <= 20; rest++) {
				size_t len = op->hdr_bytes + rest + 4;
				u8 *p = rxe_tail(&buf, len);
				bool good = rest % 4 == 0 && rest >= pad &&
					    (op->payload || (!rest && !pad));

				memset(p, 0, len);
				p[0] = op->opcode;
				p[1] = pad * 16;
				KUNIT_ASSERT_EQ_MSG(test, parse(&pkt, p, len),
						    good ? 0 : -EMSGSIZE,
						    "%s, pad %d, %d bytes",
						    op->name, pad, rest);
				if (good)
					KUNIT_ASSERT_EQ(test, pkt.payload_bytes,
							(u32)(rest - pad));
			}
		}
	}
}

/* Clear what the encoder never sets: FECN and reserved bits */
static void clear_reserved(const struct ibta_op *op, u8 *p)
{
	u8 *ext = p + 12;
	const char *letter;

	p[4] &= 0x40;
	p[8] &= 0x80;
	for (letter = op->ext; *letter; letter++) {
		if (*letter == 'D')
			ext[4] = 0;
		if (*letter == 'F') {
			memset(ext, 0, 3);
			ext[3] &= 0x3f;
		}
		ext += ibta_ext_bytes(*letter);
	}
}

static void check_noise(struct kunit *test, const struct rxe_tail *buf,
			struct rxe_rng *rng, int round)
{
	size_t len = rxe_rng_below(rng, 96), avail = min_t(size_t, len, 40);
	u8 *p = rxe_tail(buf, len), again[40];
	struct rxe_pkt pkt;
	int want, got;

	rxe_rng_fill(rng, p, len);
	/* Half of them shall get past the first checks */
	if (len > 1 && round % 2) {
		p[0] = ibta_ops[rxe_rng_below(rng, ibta_ops_count)].opcode;
		p[1] &= 0xf0;
	}
	if (round % 5 == 0)
		avail = rxe_rng_below(rng, avail + 1);

	want = ref_verdict(p, avail, len);
	got = rxe_pkt_parse(&pkt, p, avail, len);
	KUNIT_ASSERT_EQ_MSG(test, got, want, "round %d: %*ph", round,
			    (int)min_t(size_t, len, 64), p);
	if (got)
		return;

	KUNIT_ASSERT_PTR_EQ(test, pkt.info, &rxe_opcode[p[0]]);
	rxe_pkt_build(&pkt, again);
	clear_reserved(ibta_find(p[0]), p);
	KUNIT_ASSERT_EQ_MSG(test, memcmp(again, p, pkt.hdr_bytes), 0,
			    "round %d: %*ph, built %*ph", round, pkt.hdr_bytes,
			    p, pkt.hdr_bytes, again);
}

static void noise(struct kunit *test)
{
	struct rxe_tail buf = rxe_tail_alloc(test, 96);
	struct rxe_rng rng = { rxe_kunit_seed };
	int round;

	for (round = 0; round < 100000; round++)
		check_noise(test, &buf, &rng, round);
}

/* A flipped bit either is refused or shows in the decoded packet */
static void no_header_bit_is_ignored(struct kunit *test)
{
	struct rxe_rng rng = { rxe_kunit_seed };
	int i, bit;

	for (i = 0; i < ibta_ops_count; i++) {
		const struct ibta_op *op = &ibta_ops[i];
		struct rxe_pkt whole, pkt;
		u8 hdr[48] = {}, clean[48];

		ref_random(&rng, op, &whole);
		ref_encode(op, &whole, hdr);
		for (bit = 8; bit < op->hdr_bytes * 8; bit++) {
			/* Pad and version have cases of their own */
			if (bit >= 10 && bit < 16)
				continue;
			hdr[bit / 8] ^= 0x80 >> bit % 8;
			memcpy(clean, hdr, sizeof(clean));
			clear_reserved(op, clean);
			KUNIT_ASSERT_EQ(test,
					parse(&pkt, hdr, op->hdr_bytes + 4), 0);
			KUNIT_ASSERT_EQ_MSG(test, !ref_diff(&pkt, &whole),
					    memcmp(clean, hdr, sizeof(hdr)) !=
						    0,
					    "%s, bit %d", op->name, bit);
			hdr[bit / 8] ^= 0x80 >> bit % 8;
		}
	}
}

static struct kunit_case pkt_cases[] = {
	KUNIT_CASE(every_opcode_makes_the_round_trip),
	KUNIT_CASE(every_opcode_cut_everywhere),
	KUNIT_CASE(every_header_read_no_further_than_it_may),
	KUNIT_CASE(unassigned_opcodes_are_refused),
	KUNIT_CASE(other_header_versions_are_refused),
	KUNIT_CASE(pad_and_length_must_agree),
	KUNIT_CASE(noise),
	KUNIT_CASE(no_header_bit_is_ignored),
	{}
};

static struct kunit_suite pkt_suite = {
	.name = "rxe_pkt",
	.test_cases = pkt_cases,
};

kunit_test_suite(pkt_suite);
