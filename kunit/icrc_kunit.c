// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* wire/icrc.c against a CRC that takes one bit at a time */
#include <asm/byteorder.h>

#include "util.h"
#include "wire/icrc.h"

#define BTH 12
#define V4 (20 + 8 + BTH)
#define V6 (40 + 8 + BTH)

/* CRC-32 of IBTA 7.8.1: polynomial 0x04c11db7, least significant bit first */
static u32 ref_byte(u32 crc, u8 byte)
{
	int bit;

	for (bit = 0; bit < 8; bit++) {
		u32 out = (crc ^ (byte >> bit)) & 1;

		crc >>= 1;
		if (out)
			crc ^= 0xedb88320;
	}
	return crc;
}

static u32 ref_bytes(u32 crc, const u8 *p, size_t n)
{
	while (n--)
		crc = ref_byte(crc, *p++);
	return crc;
}

/* Bits of the headers that A17.3.3 replaces by ones, as a mask per byte */
static u8 ref_mask(bool v6, unsigned int byte)
{
	unsigned int ip = v6 ? 40 : 20;

	if (byte == ip + 6 || byte == ip + 7) /* UDP checksum */
		return 0xff;
	if (byte == ip + 8 + 4) /* BTH: FECN, BECN, reserved */
		return 0xff;
	if (v6) {
		if (byte == 0) /* traffic class, upper half */
			return 0x0f;
		if (byte >= 1 && byte <= 3) /* the rest of it, flow label */
			return 0xff;
		return byte == 7 ? 0xff : 0; /* hop limit */
	}
	if (byte == 1) /* TOS */
		return 0xff;
	if (byte == 8) /* TTL */
		return 0xff;
	return byte == 10 || byte == 11 ? 0xff : 0; /* header checksum */
}

/* State over what stands in for the LRH, and the headers up to the BTH */
static u32 ref_start(bool v6, const u8 *hdr)
{
	unsigned int i, n = v6 ? V6 : V4;
	u32 crc = 0xffffffff;

	for (i = 0; i < 8; i++)
		crc = ref_byte(crc, 0xff);
	for (i = 0; i < n; i++)
		crc = ref_byte(crc, hdr[i] | ref_mask(v6, i));
	return crc;
}

static u32 start(bool v6, const void *hdr)
{
	return v6 ? rxe_icrc_start_v6(hdr) : rxe_icrc_start_v4(hdr);
}

static void put16(u8 *p, u16 v)
{
	p[0] = v >> 8;
	p[1] = v;
}

/* Plausible headers in front of @bytes between BTH and ICRC */
static void make_hdr(struct rxe_rng *rng, bool v6, u8 *hdr, size_t bytes,
		     u8 pad)
{
	u8 *udp = hdr + (v6 ? 40 : 20);
	u16 udp_len = 8 + BTH + bytes + 4;

	rxe_rng_fill(rng, hdr, v6 ? V6 : V4);
	hdr[0] = v6 ? 0x60 | (hdr[0] & 15) : 0x45;
	if (v6) {
		put16(hdr + 4, udp_len);
		hdr[6] = 17;
	} else {
		put16(hdr + 2, 20 + udp_len);
		hdr[9] = 17;
	}
	put16(udp + 2, 4791);
	put16(udp + 4, udp_len);
	udp[8 + 1] = 0x40 | pad << 4;
}

/* Whole packets of one length, both IP versions */
static void check_length(struct kunit *test, struct rxe_rng *rng,
			 const struct rxe_tail *head,
			 const struct rxe_tail *body, size_t payload)
{
	u8 pad = (4 - payload % 4) % 4;
	size_t n = payload + pad;
	int v6;

	for (v6 = 0; v6 < 2; v6++) {
		u8 *hdr = rxe_tail(head, v6 ? V6 : V4);
		u8 *data = rxe_tail(body, n + 4);
		u32 want, got;
		__le32 sent;

		make_hdr(rng, v6, hdr, n, pad);
		memset(data + payload, 0, pad);
		want = ~ref_bytes(ref_start(v6, hdr), data, n);
		got = rxe_crc32(start(v6, hdr), data, n);
		KUNIT_ASSERT_EQ_MSG(test, ~got, want, "v%d, %zu bytes",
				    v6 ? 6 : 4, payload);
		rxe_icrc_put(data + n, got);
		sent = cpu_to_le32(want);
		KUNIT_ASSERT_EQ(test, memcmp(data + n, &sent, 4), 0);
		KUNIT_ASSERT_TRUE(test, rxe_icrc_matches(data + n, got));
	}
}

static void every_payload_length(struct kunit *test)
{
	struct rxe_tail head = rxe_tail_alloc(test, V6);
	struct rxe_tail body = rxe_tail_alloc(test, 4096 + 4);
	struct rxe_rng rng = { rxe_kunit_seed };
	size_t payload;

	for (payload = 0; payload <= 4096; payload++) {
		rxe_rng_fill(&rng, body.buf, 64);
		rxe_rng_fill(&rng, rxe_tail(&body, 64), 64);
		check_length(test, &rng, &head, &body, payload);
	}
}

/* Pads are covered, whatever they hold */
static void every_pad(struct kunit *test)
{
	struct rxe_rng rng = { rxe_kunit_seed };
	u8 hdr[V6], data[16], pad, fill;
	u32 got, want;
	int v6;

	for (v6 = 0; v6 < 2; v6++) {
		for (pad = 0; pad < 4; pad++) {
			for (fill = 0; fill < 3; fill++) {
				make_hdr(&rng, v6, hdr, 16, pad);
				rxe_rng_fill(&rng, data, sizeof(data));
				memset(data + 16 - pad, fill, pad);
				got = rxe_crc32(start(v6, hdr), data, 16);
				want = ref_bytes(ref_start(v6, hdr), data, 16);
				KUNIT_EXPECT_EQ_MSG(test, got, want, "pad %d",
						    pad);
			}
		}
	}
}

/* Flip each bit of the headers: seen exactly when it is not masked */
static void check_header_bits(struct kunit *test, bool v6)
{
	struct rxe_rng rng = { rxe_kunit_seed };
	unsigned int bit;
	u8 hdr[V6];
	u32 crc;

	make_hdr(&rng, v6, hdr, 64, 0);
	crc = start(v6, hdr);
	for (bit = 0; bit < 8 * (v6 ? V6 : V4); bit++) {
		u8 one = 1 << bit % 8;
		bool same;

		hdr[bit / 8] ^= one;
		same = start(v6, hdr) == crc;
		KUNIT_EXPECT_EQ_MSG(test, same,
				    (ref_mask(v6, bit / 8) & one) != 0,
				    "byte %u, bit %u", bit / 8, bit % 8);
		hdr[bit / 8] ^= one;
	}
	KUNIT_EXPECT_EQ(test, start(v6, hdr), crc);
}

static void ipv4_header_bits(struct kunit *test)
{
	check_header_bits(test, false);
}

static void ipv6_header_bits(struct kunit *test)
{
	check_header_bits(test, true);
}

static void every_payload_bit_counts(struct kunit *test)
{
	struct rxe_rng rng = { rxe_kunit_seed };
	struct rxe_tail body = rxe_tail_alloc(test, 256 + 4);
	u8 hdr[V4], *data = body.buf;
	unsigned int bit;
	u32 crc;

	make_hdr(&rng, false, hdr, 256, 0);
	rxe_rng_fill(&rng, data, 256);
	crc = rxe_crc32(start(false, hdr), data, 256);
	rxe_icrc_put(data + 256, crc);
	for (bit = 0; bit < 8 * (256 + 4); bit++) {
		data[bit / 8] ^= 1 << bit % 8;
		crc = rxe_crc32(start(false, hdr), data, 256);
		KUNIT_EXPECT_FALSE_MSG(test, rxe_icrc_matches(data + 256, crc),
				       "bit %u", bit);
		data[bit / 8] ^= 1 << bit % 8;
	}
}

/* The span may come in pieces of any size and alignment */
static void spans_may_be_split(struct kunit *test)
{
	struct rxe_tail body = rxe_tail_alloc(test, 200);
	struct rxe_rng rng = { rxe_kunit_seed };
	size_t from, cut;
	int round;
	u32 whole;

	rxe_rng_fill(&rng, body.buf, 200);
	for (from = 0; from < 9; from++) {
		const u8 *p = body.buf + from;
		size_t n = 200 - from;

		whole = ref_bytes(0x12345678, p, n);
		for (cut = 0; cut <= n; cut++) {
			u32 crc = rxe_crc32(0x12345678, p, cut);

			crc = rxe_crc32(crc, p + cut, n - cut);
			KUNIT_ASSERT_EQ_MSG(test, crc, whole, "%zu of %zu", cut,
					    n);
		}
	}
	for (round = 0; round < 1000; round++) {
		size_t done = 0;
		u32 crc = 1;

		while (done < 200) {
			size_t n = min_t(size_t, rxe_rng_below(&rng, 40),
					 200 - done);

			crc = rxe_crc32(crc, body.buf + done, n);
			done += n;
		}
		KUNIT_ASSERT_EQ(test, crc, ref_bytes(1, body.buf, 200));
	}
}

/* A CNP captured on a ConnectX-4 Lx; published with scapy's RoCE tests */
static const u8 cnp[] = {
	0x45, 0xc2, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0x40, 0x11, 0x91, 0x61,
	0x0a, 0x00, 0x11, 0x01, 0x0a, 0x00, 0x12, 0x01, 0x00, 0x00, 0x12, 0xb7,
	0x00, 0x28, 0x00, 0x00, 0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x82, 0xfd, 0x00, 0x2a,
};

/* UC SEND Only of 18 bytes, two of pad; published with scapy's RoCE tests */
static const u8 uc_send[] = {
	0x45, 0x01, 0x00, 0x40, 0x04, 0x78, 0x40, 0x00, 0x40, 0x11, 0xb4,
	0xd5, 0xc0, 0xa8, 0x00, 0x07, 0xc0, 0xa8, 0x00, 0x07, 0xc0, 0x00,
	0x12, 0xb7, 0x00, 0x2c, 0xac, 0xa2, 0x24, 0x60, 0xff, 0xff, 0x00,
	0x00, 0x00, 0xd3, 0x00, 0xcf, 0x17, 0x10, 0x46, 0x30, 0x81, 0x8b,
	0xe2, 0x89, 0x35, 0xd9, 0x0e, 0x9a, 0x95, 0x50, 0x54, 0x01, 0xbe,
	0x88, 0x5e, 0x50, 0x00, 0x00, 0x78, 0xf3, 0x53, 0xf3,
};

/* RC SEND Only over IPv6, 11 bytes; the CRC is zlib's over masked bytes */
static const u8 v6_send[] = {
	0x60, 0x12, 0x34, 0x56, 0x00, 0x24, 0x11, 0x40, 0xfe, 0x80, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x01, 0x02, 0xff, 0xfe, 0x03,
	0x04, 0x05, 0xfe, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,
	0x0a, 0x0b, 0xff, 0xfe, 0x0c, 0x0d, 0x0e, 0xc1, 0x23, 0x12, 0xb7,
	0x00, 0x24, 0x00, 0x00, 0x04, 0x50, 0xff, 0xff, 0x00, 0x00, 0x00,
	0x11, 0x00, 0x00, 0xff, 0xf0, 0x52, 0x6f, 0x43, 0x45, 0x76, 0x36,
	0x20, 0x6f, 0x6b, 0x21, 0x21, 0x00, 0x5a, 0x16, 0x65, 0xd6,
};

static void check_captured(struct kunit *test, const u8 *p, size_t n, bool v6)
{
	size_t hdr = v6 ? V6 : V4;
	u32 crc = rxe_crc32(start(v6, p), p + hdr, n - hdr - 4);
	u8 trailer[4];

	KUNIT_EXPECT_TRUE(test, rxe_icrc_matches(p + n - 4, crc));
	KUNIT_EXPECT_FALSE(test, rxe_icrc_matches(p + n - 4, crc ^ 1));
	rxe_icrc_put(trailer, crc);
	KUNIT_EXPECT_EQ_MSG(test, memcmp(trailer, p + n - 4, 4), 0, "%4ph",
			    trailer);
	/* and the reference of this file against the same packet */
	KUNIT_EXPECT_EQ(test, ref_bytes(ref_start(v6, p), p + hdr, n - hdr - 4),
			crc);
}

static void packets_of_others(struct kunit *test)
{
	check_captured(test, cnp, sizeof(cnp), false);
	check_captured(test, uc_send, sizeof(uc_send), false);
	check_captured(test, v6_send, sizeof(v6_send), true);
}

/* A FLUSH as it leaves two peers: by the book, and with the 32 bytes of headers covered
 * once more, as they are
 */
static void both_forms_of_a_flush(struct kunit *test)
{
	struct rxe_rng rng = { rxe_kunit_seed };
	u8 hdr[V6 + 20], trailer[4];
	u32 once, twice, want;
	int v6;

	for (v6 = 0; v6 < 2; v6++) {
		size_t n = v6 ? V6 : V4;
		const u8 *bth = hdr + n - BTH;

		rxe_rng_fill(&rng, hdr, sizeof(hdr));
		make_hdr(&rng, v6, hdr, 20, 0);
		once = rxe_crc32(start(v6, hdr), hdr + n, 20);
		want = ref_bytes(ref_start(v6, hdr), hdr + n, 20);
		KUNIT_EXPECT_EQ(test, once, want);
		twice = rxe_icrc_twice(once, bth, 32);
		want = ref_bytes(want, bth, 32);
		KUNIT_EXPECT_EQ(test, twice, want);
		rxe_icrc_put(trailer, twice);
		KUNIT_EXPECT_TRUE(test, rxe_icrc_matches(trailer, twice));
		KUNIT_EXPECT_FALSE(test, rxe_icrc_matches(trailer, once));
	}
}

/* The value every CRC-32 catalogue gives for this polynomial */
static void check_value(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ~rxe_crc32(0xffffffff, "123456789", 9),
			0xcbf43926U);
	KUNIT_EXPECT_EQ(test, rxe_crc32(0x1234, NULL, 0), 0x1234U);
}

static struct kunit_case icrc_cases[] = {
	KUNIT_CASE(check_value),	   KUNIT_CASE(packets_of_others),
	KUNIT_CASE(every_payload_length),  KUNIT_CASE(every_pad),
	KUNIT_CASE(both_forms_of_a_flush), KUNIT_CASE(ipv4_header_bits),
	KUNIT_CASE(ipv6_header_bits),	   KUNIT_CASE(every_payload_bit_counts),
	KUNIT_CASE(spans_may_be_split),	   {}
};

static struct kunit_suite icrc_suite = {
	.name = "rxe_icrc",
	.test_cases = icrc_cases,
};

kunit_test_suite(icrc_suite);
