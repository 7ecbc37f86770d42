// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* wire/ip.c: bytes of the IP and UDP headers, written down by hand */
#include <linux/errno.h>

#include "util.h"
#include "wire/ip.h"

static const struct rxe_ip v4 = {
	.tos = 0x12,
	.ttl = 0x40,
	.sport = 0xc123,
	.saddr = { 192, 168, 95, 128 },
	.daddr = { 192, 168, 95, 130 },
};

static const u8 v4_bytes[28] = {
	0x45, 0x12, 0x04, 0x2c, /* 20 + 8 + 1040 bytes */
	0x00, 0x00, 0x40, 0x00, /* DF */
	0x40, 0x11, 0x00, 0x00, /* checksum left open */
	0xc0, 0xa8, 0x5f, 0x80, 0xc0, 0xa8, 0x5f, 0x82,
	0xc1, 0x23, 0x12, 0xb7, 0x04, 0x18, 0x00, 0x00,
};

static const struct rxe_ip v6 = {
	.v6 = true,
	.tos = 0x9b,
	.ttl = 0x07,
	.sport = 0xffff,
	.flow = 0xcdef1,
	.saddr = { 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8 },
	.daddr = { 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 9, 10, 11, 12, 13, 14, 15,
		   16 },
};

static const u8 v6_bytes[48] = {
	0x69, 0xbc, 0xde, 0xf1, 0x00, 0x18, 0x11, 0x07, 0xfe, 0x80, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
	0xfe, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x09, 0x0a, 0x0b, 0x0c,
	0x0d, 0x0e, 0x0f, 0x10, 0xff, 0xff, 0x12, 0xb7, 0x00, 0x18, 0x00, 0x00,
};

static void check_build(struct kunit *test, const struct rxe_ip *ip, u32 bytes,
			const u8 *want, size_t n)
{
	struct rxe_tail buf = rxe_tail_alloc(test, n);

	KUNIT_ASSERT_EQ(test, (size_t)rxe_ip_hdr_bytes(ip->v6), n);
	memset(buf.buf, 0xee, n);
	rxe_ip_build(ip, bytes, buf.buf);
	KUNIT_EXPECT_EQ_MSG(test, memcmp(buf.buf, want, n), 0, "%*ph", (int)n,
			    buf.buf);
}

static void ipv4_is_built(struct kunit *test)
{
	check_build(test, &v4, 1040, v4_bytes, sizeof(v4_bytes));
}

static void ipv6_is_built(struct kunit *test)
{
	check_build(test, &v6, 16, v6_bytes, sizeof(v6_bytes));
}

static void long_flow_label_is_cut(struct kunit *test)
{
	struct rxe_ip ip = v6;

	ip.flow |= 0xfff00000;
	check_build(test, &ip, 16, v6_bytes, sizeof(v6_bytes));
}

static struct kunit_case ip_cases[] = { KUNIT_CASE(ipv4_is_built),
					KUNIT_CASE(ipv6_is_built),
					KUNIT_CASE(long_flow_label_is_cut),
					{} };

static struct kunit_suite ip_suite = {
	.name = "rxe_ip",
	.test_cases = ip_cases,
};

kunit_test_suite(ip_suite);
