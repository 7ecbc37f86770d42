// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* wire/aeth.c against IBTA tables 45 .. 47 */
#include "util.h"
#include "wire/aeth.h"

/* IBTA table 47 in microseconds, code 0 first */
static const u32 rnr_us[32] = {
	655360, 10,    20,    30,     40,     60,     80,     120,
	160,	240,   320,   480,    640,    960,    1280,   1920,
	2560,	3840,  5120,  7680,   10240,  15360,  20480,  30720,
	40960,	61440, 81920, 122880, 163840, 245760, 327680, 491520,
};

static void rnr_table(struct kunit *test)
{
	int code;

	for (code = 0; code < 32; code++)
		KUNIT_EXPECT_EQ_MSG(test, rxe_rnr_code_to_ns(code),
				    rnr_us[code] * 1000ULL, "code %d", code);
}

static void rnr_code_may_be_a_whole_syndrome(struct kunit *test)
{
	int syndrome;

	for (syndrome = 0; syndrome < 256; syndrome++)
		KUNIT_EXPECT_EQ_MSG(test, rxe_rnr_code_to_ns(syndrome),
				    rnr_us[syndrome % 32] * 1000ULL,
				    "syndrome %#x", syndrome);
}

/* From code 1 on a higher code never means a shorter wait */
static void rnr_codes_grow(struct kunit *test)
{
	int code;

	for (code = 2; code < 32; code++)
		KUNIT_EXPECT_GT(test, rxe_rnr_code_to_ns(code),
				rxe_rnr_code_to_ns(code - 1));
	KUNIT_EXPECT_GT(test, rxe_rnr_code_to_ns(0), rxe_rnr_code_to_ns(31));
}

static void timeout_doubles(struct kunit *test)
{
	u64 ns = 8192; /* 4.096 us * 2^1 */
	int exponent;

	KUNIT_EXPECT_EQ(test, rxe_timeout_to_ns(0), 0ULL);
	for (exponent = 1; exponent < 32; exponent++) {
		KUNIT_EXPECT_EQ_MSG(test, rxe_timeout_to_ns(exponent), ns,
				    "exponent %d", exponent);
		ns += ns;
	}
	/* 8796 s is what 31 means: no 32-bit overflow on the way */
	KUNIT_EXPECT_EQ(test, rxe_timeout_to_ns(31), 8796093022208ULL);
}

static void timeout_takes_five_bits(struct kunit *test)
{
	int v;

	for (v = 0; v < 256; v++)
		KUNIT_EXPECT_EQ_MSG(test, rxe_timeout_to_ns(v),
				    rxe_timeout_to_ns(v % 32), "value %d", v);
}

/* IBTA table 45: bit 7 reserved, 00 ACK, 01 RNR NAK, 10 reserved, 11 NAK */
static void syndrome_types(struct kunit *test)
{
	int s;

	for (s = 0; s < 256; s++) {
		u8 type = s & RXE_AETH_TYPE;

		KUNIT_EXPECT_EQ_MSG(test, type == RXE_AETH_ACK, s <= 0x1f,
				    "%#x", s);
		KUNIT_EXPECT_EQ_MSG(test, type == RXE_AETH_RNR,
				    s >= 0x20 && s <= 0x3f, "%#x", s);
		KUNIT_EXPECT_EQ_MSG(test, type == RXE_AETH_NAK,
				    s >= 0x60 && s <= 0x7f, "%#x", s);
		KUNIT_EXPECT_EQ_MSG(test, s & RXE_AETH_VALUE, s % 32, "%#x", s);
	}
}

/* IBTA table 46 */
static void nak_codes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, (int)RXE_NAK_PSN, 0x60 + 0);
	KUNIT_EXPECT_EQ(test, (int)RXE_NAK_INVALID_REQ, 0x60 + 1);
	KUNIT_EXPECT_EQ(test, (int)RXE_NAK_REM_ACCESS, 0x60 + 2);
	KUNIT_EXPECT_EQ(test, (int)RXE_NAK_REM_OP, 0x60 + 3);
	KUNIT_EXPECT_EQ(test, (int)RXE_NAK_INVALID_RD_REQ, 0x60 + 4);
	KUNIT_EXPECT_EQ(test, RXE_CREDIT_UNLIMITED, 31);
}

static struct kunit_case aeth_cases[] = {
	KUNIT_CASE(rnr_table),
	KUNIT_CASE(rnr_code_may_be_a_whole_syndrome),
	KUNIT_CASE(rnr_codes_grow),
	KUNIT_CASE(timeout_doubles),
	KUNIT_CASE(timeout_takes_five_bits),
	KUNIT_CASE(syndrome_types),
	KUNIT_CASE(nak_codes),
	{}
};

static struct kunit_suite aeth_suite = {
	.name = "rxe_aeth",
	.test_cases = aeth_cases,
};

kunit_test_suite(aeth_suite);
