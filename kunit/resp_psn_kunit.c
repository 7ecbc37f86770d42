// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* proto/resp.c: holes, duplicates, replays, answers to READs, UC and UD */
#include "resp_rig.h"
#include "wire/hdr.h"

static int verdict(struct resp_rig *r, u8 opcode, u32 psn, u32 bytes)
{
	resp_rx(r, opcode, psn, bytes);
	return r->plan.verdict;
}

/* Ahead up to half the space: NAK. Behind: duplicate */
static void halves_of_the_psn_space(struct kunit *test)
{
	static const u32 firsts[] = { 0, 1, 0x7fffff, 0x800000, 0xffffff };
	static const s32 ahead[] = { 1, 2, 0x7ffffe, 0x7fffff };
	static const s32 behind[] = { 1, 2, 0x7fffff, 0x800000 };
	int i, k;

	for (i = 0; i < ARRAY_SIZE(firsts); i++) {
		for (k = 0; k < 4; k++) {
			struct resp_rig *r = resp_rig(test, RXE_RC, firsts[i]);
			u32 psn = rxe_psn_add(firsts[i], ahead[k]);

			KUNIT_EXPECT_EQ(test, verdict(r, 0x04, psn, 1),
					(int)RXE_RX_AHEAD);
			KUNIT_EXPECT_EQ(test, r->nak, 0x60);
			r->ack_req = true;
			psn = rxe_psn_sub(firsts[i], behind[k]);
			KUNIT_EXPECT_EQ(test, verdict(r, 0x04, psn, 1),
					(int)RXE_RX_ACK);
			KUNIT_EXPECT_EQ(test, r->executed, 0U);
			KUNIT_EXPECT_EQ(test, r->resp.epsn, firsts[i]);
		}
	}
}

/* What is said to a SEND of one packet that must be beyond a hole */
static int nak_of(struct kunit *test, u32 psn)
{
	struct resp_rig *r = test->priv;

	KUNIT_EXPECT_EQ(test, verdict(r, 0x04, psn, 1), (int)RXE_RX_AHEAD);
	return r->nak;
}

static void one_nak_per_hole(struct kunit *test)
{
	struct resp_rig *r = resp_rig(test, RXE_RC, 0xffffff);
	u32 psn;

	KUNIT_EXPECT_EQ(test, nak_of(test, 0), 0x60);
	for (psn = 1; psn < 20; psn++)
		KUNIT_EXPECT_EQ(test, nak_of(test, psn), 0);
	/* Nor by time: nothing is kept that waits for it */
	KUNIT_EXPECT_EQ(test, r->resp.hole_ns, 0ULL);
	/* The first packet of the resend is lost, the second is not */
	KUNIT_EXPECT_EQ(test, nak_of(test, 0), 0x60);
	KUNIT_EXPECT_EQ(test, nak_of(test, 1), 0);
	/* The hole is filled; the next one is another */
	KUNIT_EXPECT_EQ(test, verdict(r, 0x04, 0xffffff, 1), (int)RXE_RX_EXEC);
	KUNIT_EXPECT_EQ(test, nak_of(test, 2), 0x60);
	KUNIT_EXPECT_EQ(test, r->resp.epsn, 0U);
	/* A duplicate tells that the requester restarted */
	KUNIT_EXPECT_EQ(test, nak_of(test, 3), 0);
	KUNIT_EXPECT_EQ(test, verdict(r, 0x04, 0xffffff, 1), (int)RXE_RX_DROP);
	KUNIT_EXPECT_EQ(test, nak_of(test, 4), 0x60);
}

/* PSNs that go back while the hole is open: the resend was hit as well */
static void hole_is_reported_again_when_psns_go_back(struct kunit *test)
{
	struct resp_rig *r = resp_rig(test, RXE_RC, 0x100);

	KUNIT_EXPECT_EQ(test, nak_of(test, 0x105), 0x60);
	KUNIT_EXPECT_EQ(test, nak_of(test, 0x106), 0);
	KUNIT_EXPECT_EQ(test, nak_of(test, 0x102), 0x60);
	KUNIT_EXPECT_EQ(test, nak_of(test, 0x103), 0);
	KUNIT_EXPECT_EQ(test, nak_of(test, 0x103), 0x60);
	KUNIT_EXPECT_EQ(test, r->resp.epsn, 0x100U);
}

static struct resp_rig *keeping_rig(struct kunit *test, u32 psn)
{
	struct resp_rig *r = resp_rig(test, RXE_RC, psn);

	r->resp.hold = 256;
	r->kept = RXE_KEPT;
	return r;
}

/* Two packets ahead may be late, the third tells a loss */
static void late_packets_are_waited_for(struct kunit *test)
{
	struct resp_rig *r = keeping_rig(test, 0xffffff);
	bool give_up;
	u64 at;

	KUNIT_EXPECT_EQ(test, nak_of(test, 0), 0);
	KUNIT_EXPECT_TRUE(test, r->plan.keep);
	KUNIT_EXPECT_EQ(test, nak_of(test, 1), 0);
	KUNIT_EXPECT_EQ(test, nak_of(test, 2), 0x60);

	/* Fewer: it is told after a while all the same */
	r = keeping_rig(test, 5);
	KUNIT_EXPECT_EQ(test, nak_of(test, 6), 0);
	at = r->resp.hole_ns;
	KUNIT_EXPECT_GT(test, at, r->now);
	KUNIT_EXPECT_EQ(test, rxe_resp_timeout(&r->resp, at - 1, &give_up), 0);
	KUNIT_EXPECT_EQ(test, rxe_resp_timeout(&r->resp, at, &give_up), 0x60);
	KUNIT_EXPECT_FALSE(test, give_up);

	/* Unless the hole was filled before */
	r = keeping_rig(test, 5);
	KUNIT_EXPECT_EQ(test, nak_of(test, 6), 0);
	KUNIT_EXPECT_EQ(test, verdict(r, 0x04, 5, 1), (int)RXE_RX_EXEC);
	KUNIT_EXPECT_EQ(test, r->resp.hole_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, rxe_resp_timeout(&r->resp, ~0ULL, &give_up), 0);
}

/* The NAK may be lost, and what it asked for */
static void open_hole_is_reported_again(struct kunit *test)
{
	struct resp_rig *r = keeping_rig(test, 0);
	u32 psn = 1, naks = 0;
	u64 last, start;
	bool give_up;

	for (; psn < 256; psn++)
		naks += nak_of(test, psn) == 0x60;
	KUNIT_EXPECT_GE(test, naks, 7U);
	KUNIT_EXPECT_LE(test, naks, 9U);
	/* The second packet of a resend: the first was lost once more */
	r->kept = RXE_KEPT_BEFORE;
	KUNIT_EXPECT_EQ(test, nak_of(test, 1), 0x60);

	/* Nothing comes any more: less and less often, then never. The way may be long. */
	start = r->now;
	naks = 0;
	do {
		last = r->now;
		r->now = r->resp.hole_ns;
		KUNIT_ASSERT_GT(test, r->now, last);
		naks += rxe_resp_timeout(&r->resp, r->now, &give_up) == 0x60;
		KUNIT_ASSERT_LT(test, naks, 20U);
	} while (!give_up);
	KUNIT_EXPECT_GT(test, r->now - start, 4000000000ULL);
	KUNIT_EXPECT_LT(test, r->now - start, 5000000000ULL);
	KUNIT_EXPECT_EQ(test, r->resp.hole_ns, 0ULL);
	/* Then it starts anew */
	r->kept = RXE_KEPT;
	KUNIT_EXPECT_EQ(test, nak_of(test, 257), 0);
	KUNIT_EXPECT_NE(test, r->resp.hole_ns, 0ULL);
}

static void what_is_kept_is_bounded(struct kunit *test)
{
	struct resp_rig *r = keeping_rig(test, 0xffff80);
	u32 last = rxe_psn_add(0xffff80, 255);

	nak_of(test, last);
	KUNIT_EXPECT_TRUE(test, r->plan.keep);
	r->kept = RXE_NOT_KEPT;
	KUNIT_EXPECT_EQ(test, nak_of(test, rxe_psn_add(last, 1)), 0x60);
	KUNIT_EXPECT_FALSE(test, r->plan.keep);
	r->resp.hold = 0;
	nak_of(test, last);
	KUNIT_EXPECT_FALSE(test, r->plan.keep);

	/* And no packet is longer than one may be */
	r = keeping_rig(test, 5);
	verdict(r, 0x04, 6, r->resp.mtu);
	KUNIT_EXPECT_TRUE(test, r->plan.keep);
	r->kept = RXE_NOT_KEPT;
	KUNIT_EXPECT_EQ(test, verdict(r, 0x04, 7, r->resp.mtu + 1),
			(int)RXE_RX_AHEAD);
	KUNIT_EXPECT_FALSE(test, r->plan.keep);
}

/* After an RNR NAK all comes again: nothing is kept, no NAK for what follows */
static void nothing_is_kept_after_rnr(struct kunit *test)
{
	struct resp_rig *r = keeping_rig(test, 7);

	r->no_rwqe = true;
	KUNIT_EXPECT_EQ(test, verdict(r, 0x04, 7, 1), (int)RXE_RX_EXEC);
	KUNIT_EXPECT_EQ(test, r->syndrome, 0x20);
	r->kept = RXE_NOT_KEPT;
	KUNIT_EXPECT_EQ(test, nak_of(test, 8), 0);
	KUNIT_EXPECT_FALSE(test, r->plan.keep);
	KUNIT_EXPECT_EQ(test, nak_of(test, 9), 0);
	KUNIT_EXPECT_EQ(test, r->resp.hole_ns, 0ULL);
	/* It comes again, and its first packet is lost */
	KUNIT_EXPECT_EQ(test, nak_of(test, 8), 0x60);
	KUNIT_EXPECT_EQ(test, nak_of(test, 9), 0);
	KUNIT_EXPECT_TRUE(test, r->plan.keep);
}

/* Whatever a duplicate holds, it is not judged and not executed again */
static void duplicates_are_only_acknowledged(struct kunit *test)
{
	static const u8 opcodes[] = { 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06,
				      0x07, 0x08, 0x09, 0x0a, 0x0b, 0x16, 0x17 };
	int i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		struct resp_rig *r = resp_rig(test, RXE_RC, 10);

		r->dmalen = 0xffffffff;
		KUNIT_EXPECT_EQ(test, verdict(r, opcodes[i], 9, 3),
				(int)RXE_RX_DROP);
		KUNIT_EXPECT_TRUE(test, r->plan.duplicate);
		r->ack_req = true;
		KUNIT_EXPECT_EQ(test, verdict(r, opcodes[i], 9, 3),
				(int)RXE_RX_ACK);
		KUNIT_EXPECT_TRUE(test, r->plan.duplicate);
		KUNIT_EXPECT_EQ(test, r->executed, 0U);
	}
}

/* A READ of 1000 bytes at PSN 0xfffffe, answered; 4 PSNs */
static struct resp_rig *after_read(struct kunit *test)
{
	struct resp_rig *r = resp_rig(test, RXE_RC, 0xfffffe);

	r->va = 0x5000;
	r->rkey = 0x77;
	r->dmalen = 1000;
	resp_rx(r, 0x0c, 0xfffffe, 0);
	resp_stream(r);
	return r;
}

static void read_is_answered_again(struct kunit *test)
{
	struct resp_rig *r = after_read(test);
	u32 i;

	KUNIT_ASSERT_EQ(test, r->resp.epsn, 2U);
	for (i = 0; i < 4; i++) {
		r->va = 0x5000 + 256 * i;
		r->dmalen = 1000 - 256 * i;
		KUNIT_EXPECT_EQ(test,
				verdict(r, 0x0c, rxe_psn_add(0xfffffe, i), 0),
				(int)RXE_RX_READ);
		KUNIT_EXPECT_TRUE(test, r->resp.reading);
		KUNIT_EXPECT_EQ(test, r->resp.read_pkts, 4 - i);
		resp_stream(r);
	}
	/* Less than all of the rest is fine as well */
	r->va = 0x5000 + 256;
	r->dmalen = 10;
	KUNIT_EXPECT_EQ(test, verdict(r, 0x0c, 0xffffff, 0), (int)RXE_RX_READ);
	resp_stream(r);
	KUNIT_EXPECT_EQ(test, r->executed, 1U);
	KUNIT_EXPECT_EQ(test, r->resp.epsn, 2U);
	KUNIT_EXPECT_EQ(test, r->resp.msn, 1U);
}

/* Asked for @bytes from its packet @i on, by a request that came at @arrived_ns */
static bool answers_again(struct kunit *test, struct resp_rig *r, u32 i,
			  u32 bytes, u64 arrived_ns)
{
	bool answers;

	r->va = 0x5000 + 256 * i;
	r->dmalen = bytes;
	r->arrived_ns = arrived_ns;
	KUNIT_EXPECT_EQ(test, verdict(r, 0x0c, rxe_psn_add(0xfffffe, i), 0),
			(int)RXE_RX_READ);
	answers = r->resp.reading;
	resp_stream(r);
	return answers;
}

/* Who asks often because the answer is slow gets it once for what came before it began */
static void read_that_waited_is_answered_once(struct kunit *test)
{
	struct resp_rig *r = after_read(test);

	r->now = 2000;
	KUNIT_EXPECT_TRUE(test, answers_again(test, r, 0, 1000, 0));
	r->now = 3000;
	KUNIT_EXPECT_FALSE(test, answers_again(test, r, 0, 1000, 1500));
	KUNIT_EXPECT_FALSE(test, answers_again(test, r, 0, 10, 1500));
	KUNIT_EXPECT_FALSE(test, answers_again(test, r, 3, 232, 1999));
	/* That one may want what was lost of it */
	KUNIT_EXPECT_TRUE(test, answers_again(test, r, 2, 300, 2001));
	/* Nor was all of this sent at 3000 */
	r->now = 4000;
	KUNIT_EXPECT_FALSE(test, answers_again(test, r, 2, 300, 2500));
	KUNIT_EXPECT_FALSE(test, answers_again(test, r, 3, 44, 2500));
	KUNIT_EXPECT_TRUE(test, answers_again(test, r, 3, 232, 2500));
	KUNIT_EXPECT_TRUE(test, answers_again(test, r, 1, 100, 2500));
	/* Nobody waited then */
	r->now = 0;
	KUNIT_EXPECT_TRUE(test, answers_again(test, r, 0, 1000, 0));
	r->now = 5000;
	KUNIT_EXPECT_TRUE(test, answers_again(test, r, 0, 1000, 4500));
}

/* The memory of a READ may go once it was answered: the requester tells, by whatever way */
static void answered_reads_are_told_from_new_ones(struct kunit *test)
{
	struct resp_rig *r = after_read(test);

	KUNIT_EXPECT_EQ(test, verdict(r, 0x0c, 0xfffffe, 0), (int)RXE_RX_READ);
	KUNIT_EXPECT_TRUE(test, r->resp.read_again);
	resp_stream(r);
	KUNIT_EXPECT_EQ(test, verdict(r, 0x0c, 2, 0), (int)RXE_RX_EXEC);
	KUNIT_EXPECT_FALSE(test, r->resp.read_again);
	resp_stream(r);
	KUNIT_EXPECT_EQ(test, verdict(r, 0x0c, 0xfffffe, 0), (int)RXE_RX_READ);
	KUNIT_EXPECT_TRUE(test, r->resp.read_again);
	resp_stream(r);
}

/* A "duplicate" that asks for something else gets nothing */
static void replay_must_match(struct kunit *test)
{
	static const struct {
		u8 opcode;
		u32 psn;
		u64 va;
		u32 rkey;
		u32 dmalen;
	} rows[] = {
		{ 0x0c, 0xfffffe, 0x5000, 0x78, 1000 },
		{ 0x0c, 0xfffffe, 0x5001, 0x77, 1000 },
		{ 0x0c, 0xfffffe, 0x4fff, 0x77, 1000 },
		{ 0x0c, 0xfffffe, 0x5000, 0x77, 1001 },
		{ 0x0c, 0xfffffe, 0x5000, 0x77, 0xffffffff },
		{ 0x0c, 0xffffff, 0x5000, 0x77, 744 },
		{ 0x0c, 0xffffff, 0x5100, 0x77, 745 },
		{ 0x0c, 0xfffffd, 0x5000, 0x77, 1000 },
		{ 0x13, 0xfffffe, 0x5000, 0x77, 0 },
		{ 0x1c, 0xfffffe, 0x5000, 0x77, 1000 },
		{ 0x1d, 0xfffffe, 0x5000, 0x77, 8 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct resp_rig *r = after_read(test);

		r->va = rows[i].va;
		r->rkey = rows[i].rkey;
		r->dmalen = rows[i].dmalen;
		KUNIT_EXPECT_EQ_MSG(test,
				    verdict(r, rows[i].opcode, rows[i].psn,
					    rows[i].opcode == 0x1d ? 8 : 0),
				    (int)RXE_RX_DROP, "row %d", i);
		KUNIT_EXPECT_FALSE(test, r->resp.reading);
	}
}

static void atomic_is_answered_again(struct kunit *test)
{
	struct resp_rig *r = resp_rig(test, RXE_RC, 0xffffff);

	KUNIT_EXPECT_EQ(test, verdict(r, 0x13, 0xffffff, 0), (int)RXE_RX_EXEC);
	KUNIT_EXPECT_EQ(test, verdict(r, 0x14, 0, 0), (int)RXE_RX_EXEC);
	KUNIT_EXPECT_EQ(test, verdict(r, 0x13, 0xffffff, 0),
			(int)RXE_RX_ATOMIC);
	KUNIT_EXPECT_EQ(test, r->plan.res->orig, 1ULL);
	KUNIT_EXPECT_EQ(test, verdict(r, 0x14, 0, 0), (int)RXE_RX_ATOMIC);
	KUNIT_EXPECT_EQ(test, r->plan.res->orig, 2ULL);
	KUNIT_EXPECT_EQ(test, r->executed, 2U);
}

static void oldest_resource_makes_room(struct kunit *test)
{
	struct resp_rig *r = resp_rig(test, RXE_RC, 0);
	const u32 n = RXE_MAX_RD_ATOMIC + 5;
	u32 psn;

	for (psn = 0; psn < n; psn++)
		KUNIT_EXPECT_EQ(test, verdict(r, 0x14, psn, 0),
				(int)RXE_RX_EXEC);
	for (psn = 0; psn < 5; psn++)
		KUNIT_EXPECT_EQ(test, verdict(r, 0x14, psn, 0),
				(int)RXE_RX_DROP);
	for (psn = 5; psn < n; psn++) {
		KUNIT_EXPECT_EQ(test, verdict(r, 0x14, psn, 0),
				(int)RXE_RX_ATOMIC);
		KUNIT_EXPECT_EQ(test, r->plan.res->orig, psn + 1ULL);
	}
}

/* After 2^24 packets a PSN comes back; the newer resource has the answer */
static void resource_of_the_last_lap_is_not_taken(struct kunit *test)
{
	struct resp_rig *r = resp_rig(test, RXE_RC, 7);

	KUNIT_EXPECT_EQ(test, verdict(r, 0x14, 7, 0), (int)RXE_RX_EXEC);
	r->resp.epsn = 7; /* a whole lap of SENDs */
	KUNIT_EXPECT_EQ(test, verdict(r, 0x14, 7, 0), (int)RXE_RX_EXEC);
	KUNIT_EXPECT_EQ(test, verdict(r, 0x14, 7, 0), (int)RXE_RX_ATOMIC);
	KUNIT_EXPECT_EQ(test, r->plan.res->orig, 2ULL);
}

/* Opcodes, PSNs and payload of an answer that is sent in runs of @max_pkts */
static void check_answer(struct kunit *test, u32 bytes, u32 max_pkts)
{
	struct resp_rig *r = resp_rig(test, RXE_RC, 0xffffff);
	u32 n = bytes ? DIV_ROUND_UP(bytes, 256) : 1, i, k = 0, offset;
	struct rxe_read_run run;
	struct rxe_pkt pkt;

	r->va = 0x5000;
	r->dmalen = bytes;
	resp_rx(r, 0x0c, 0xffffff, 0);
	KUNIT_ASSERT_EQ(test, r->resp.epsn, rxe_psn_add(0xffffff, n));
	while (rxe_resp_read_next(&r->resp, max_pkts, &run)) {
		KUNIT_ASSERT_LE(test, run.n, max_pkts);
		KUNIT_ASSERT_EQ(test, run.va, 0x5000ULL + 256 * k);
		for (i = 0; i < run.n; i++, k++) {
			bool last = k + 1 == n;
			u8 opcode = n == 1 ? 0x10 :
				    !k	   ? 0x0d :
				    last   ? 0x0f :
					     0x0e;

			rxe_resp_read_pkt(&r->resp, &run, i, &pkt, &offset);
			KUNIT_ASSERT_EQ(test, pkt.opcode, opcode);
			KUNIT_ASSERT_EQ(test, pkt.psn,
					rxe_psn_add(0xffffff, k));
			KUNIT_ASSERT_EQ(test, offset, 256 * i);
			KUNIT_ASSERT_EQ(test, pkt.payload_bytes,
					last ? bytes - 256 * (n - 1) : 256U);
			KUNIT_ASSERT_EQ(test, pkt.dest_qpn, 0x11U);
		}
		rxe_resp_read_sent(&r->resp, &run);
	}
	KUNIT_ASSERT_EQ(test, k, n);
	KUNIT_ASSERT_FALSE(test, r->resp.reading);
}

static void answers_of_every_length(struct kunit *test)
{
	static const u32 sizes[] = { 0,	  1,   255, 256,  257,	512,
				     513, 767, 768, 1000, 1024, 5000 };
	u32 max_pkts;
	int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		for (max_pkts = 1; max_pkts < 8; max_pkts++)
			check_answer(test, sizes[i], max_pkts);
}

static void uc_discards_a_message_with_a_hole(struct kunit *test)
{
	struct resp_rig *r = resp_rig(test, RXE_UC, 0xffffff);

	KUNIT_EXPECT_EQ(test, verdict(r, 0x20, 0xffffff, 256),
			(int)RXE_RX_EXEC);
	KUNIT_EXPECT_EQ(test, verdict(r, 0x21, 1, 256), (int)RXE_RX_DROP);
	KUNIT_EXPECT_EQ(test, verdict(r, 0x22, 2, 1), (int)RXE_RX_DROP);
	/* The next one is whole */
	KUNIT_EXPECT_EQ(test, verdict(r, 0x20, 3, 256), (int)RXE_RX_EXEC);
	KUNIT_EXPECT_EQ(test, r->plan.offset, 0U);
	KUNIT_EXPECT_EQ(test, verdict(r, 0x22, 4, 1), (int)RXE_RX_EXEC);
	KUNIT_EXPECT_TRUE(test, r->plan.complete);
	KUNIT_EXPECT_EQ(test, r->plan.msg_bytes, 257U);
}

static void uc_message_cut_short_by_the_next(struct kunit *test)
{
	struct resp_rig *r = resp_rig(test, RXE_UC, 0);

	KUNIT_EXPECT_EQ(test, verdict(r, 0x20, 0, 256), (int)RXE_RX_EXEC);
	KUNIT_EXPECT_EQ(test, verdict(r, 0x24, 2, 5), (int)RXE_RX_EXEC);
	KUNIT_EXPECT_EQ(test, r->plan.msg_bytes, 5U);
	/* A lone end of something is nothing */
	KUNIT_EXPECT_EQ(test, verdict(r, 0x22, 3, 5), (int)RXE_RX_DROP);
	KUNIT_EXPECT_EQ(test, verdict(r, 0x28, 3, 5), (int)RXE_RX_DROP);
}

static void uc_without_a_receive_says_nothing(struct kunit *test)
{
	struct resp_rig *r = resp_rig(test, RXE_UC, 0);

	r->no_rwqe = true;
	r->syndrome = 0xff;
	resp_rx(r, 0x20, 0, 256);
	KUNIT_EXPECT_EQ(test, r->syndrome, 0);
	r->no_rwqe = false;
	KUNIT_EXPECT_EQ(test, verdict(r, 0x22, 1, 5), (int)RXE_RX_DROP);
}

static void ud_takes_what_fits(struct kunit *test)
{
	struct resp_rig *r = resp_rig(test, RXE_UD, 0);

	KUNIT_EXPECT_EQ(test, verdict(r, 0x64, 0x123456, 256),
			(int)RXE_RX_EXEC);
	KUNIT_EXPECT_EQ(test, verdict(r, 0x65, 0x123456, 0), (int)RXE_RX_EXEC);
	KUNIT_EXPECT_TRUE(test, r->plan.need_rwqe);
	KUNIT_EXPECT_TRUE(test, r->plan.complete);
	KUNIT_EXPECT_EQ(test, verdict(r, 0x64, 0, 257), (int)RXE_RX_DROP);
}

/* Any sequence of requests: what is executed lies inside what was announced */
static void noise(struct kunit *test)
{
	static const u8 rc[] = { 0,    1,    2,	   3,	 4,   5,   6,
				 7,    8,    9,	   0xa,	 0xb, 0xc, 0x13,
				 0x14, 0x16, 0x17, 0x1c, 0x1d };
	struct rxe_rng rng = { rxe_kunit_seed };
	struct resp_rig *r = resp_rig(test, RXE_RC, 0xffff00);
	u32 i, before, fatal = 0;

	for (i = 0; i < 100000; i++) {
		u8 opcode = rc[rxe_rng_below(&rng, ARRAY_SIZE(rc))];
		u32 psn = r->resp.epsn;

		resp_fit(r, opcode);
		if (rxe_rng_chance(&rng, 300))
			psn = rxe_psn_add(rxe_psn_sub(psn, 4),
					  rxe_rng_below(&rng, 9));
		if (rxe_rng_chance(&rng, 100))
			r->dmalen = rxe_rng_u32(&rng);
		if (rxe_rng_chance(&rng, 50))
			r->fit = rxe_rng_below(&rng, 5000);
		r->no_rwqe = rxe_rng_chance(&rng, 100);
		r->ack_req = rxe_rng_chance(&rng, 500);
		before = r->resp.epsn;
		resp_rx(r, opcode, psn, r->fit);
		if (r->plan.verdict == RXE_RX_EXEC)
			KUNIT_ASSERT_EQ(test, psn, before);
		else
			KUNIT_ASSERT_EQ(test, r->resp.epsn, before);
		KUNIT_ASSERT_LE(test, r->resp.epsn | r->resp.msn, 0xffffffU);
		KUNIT_ASSERT_LT(test, r->resp.res_next, RXE_MAX_RD_ATOMIC);
		fatal += r->plan.verdict == RXE_RX_FATAL;
		r->resp.reading = false;
	}
	/* The noise got through, and not all of it */
	KUNIT_EXPECT_GT(test, r->executed, 2000U);
	KUNIT_EXPECT_GT(test, fatal, 10000U);
}

static struct kunit_case resp_psn_cases[] = {
	KUNIT_CASE(halves_of_the_psn_space),
	KUNIT_CASE(one_nak_per_hole),
	KUNIT_CASE(hole_is_reported_again_when_psns_go_back),
	KUNIT_CASE(late_packets_are_waited_for),
	KUNIT_CASE(open_hole_is_reported_again),
	KUNIT_CASE(what_is_kept_is_bounded),
	KUNIT_CASE(nothing_is_kept_after_rnr),
	KUNIT_CASE(duplicates_are_only_acknowledged),
	KUNIT_CASE(read_is_answered_again),
	KUNIT_CASE(read_that_waited_is_answered_once),
	KUNIT_CASE(answered_reads_are_told_from_new_ones),
	KUNIT_CASE(replay_must_match),
	KUNIT_CASE(atomic_is_answered_again),
	KUNIT_CASE(oldest_resource_makes_room),
	KUNIT_CASE(resource_of_the_last_lap_is_not_taken),
	KUNIT_CASE(answers_of_every_length),
	KUNIT_CASE(uc_discards_a_message_with_a_hole),
	KUNIT_CASE(uc_message_cut_short_by_the_next),
	KUNIT_CASE(uc_without_a_receive_says_nothing),
	KUNIT_CASE(ud_takes_what_fits),
	KUNIT_CASE(noise),
	{}
};

static struct kunit_suite resp_psn_suite = {
	.name = "rxe_resp_psn",
	.init = resp_rig_init,
	.test_cases = resp_psn_cases,
};

kunit_test_suite(resp_psn_suite);
