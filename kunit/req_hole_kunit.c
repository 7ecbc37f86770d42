// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* proto/recover.c and timer.c: what is sent again when requests are missing, and when */
#include "req_rig.h"

/* Six packets, of which the fourth is missing: PSN 1 */
static struct req_rig *after_nak(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0xfffffe);

	req_post(r, RXE_WR_SEND, 1, 0);
	req_post(r, RXE_WR_WRITE, 1000, 0);
	req_post(r, RXE_WR_SEND, 1, 0);
	req_send(r, 64);
	KUNIT_ASSERT_EQ(test, r->n, 6U);
	r->now += 1000;
	req_ack(r, 1, 0x60);
	KUNIT_EXPECT_TRUE(test, r->plan.rewound);
	KUNIT_EXPECT_EQ(test, req_finished(r), 1U);
	return r;
}

static void check_resent(struct kunit *test, struct req_rig *r, u32 psn, u32 n)
{
	u32 i;

	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, n);
	for (i = 0; i < r->n; i++)
		KUNIT_EXPECT_EQ(test, r->pkt[i].psn, rxe_psn_add(psn, i));
	KUNIT_EXPECT_TRUE(test, r->pkt[0].ack_req);
}

/* Two packets show what the peer does with what came after them */
static void psn_nak_fills_the_hole(struct kunit *test)
{
	struct req_rig *r = after_nak(test);

	check_resent(test, r, 1, 2);
	KUNIT_EXPECT_EQ(test, r->pkt[0].opcode, 0x07);
	KUNIT_EXPECT_EQ(test, r->offset[0], 512U);
	KUNIT_EXPECT_EQ(test, r->pkt[1].opcode, 0x08);
	KUNIT_EXPECT_EQ(test, r->req.stats.retransmits, 2ULL);
	/* It had kept the last one */
	req_ack(r, 3, 0x1f);
	KUNIT_EXPECT_EQ(test, req_finished(r), 2U);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 0U);
	KUNIT_EXPECT_EQ(test, (int)r->req.peer.keeps, (int)RXE_PEER_KEEPS);
}

/* A message of @n packets, of which the eleventh is missing, and was sent again */
static struct req_rig *hole_at_10(struct kunit *test, u32 n)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	req_post(r, RXE_WR_SEND, n * 256, 0);
	req_send(r, 200);
	KUNIT_ASSERT_EQ(test, r->n, n);
	r->now += 1000;
	req_ack(r, 10, 0x60);
	check_resent(test, r, 10, 2);
	return r;
}

/* One that keeps nothing says so with each NAK, and is then sent everything */
static void peer_that_keeps_nothing_is_found_out(struct kunit *test)
{
	struct req_rig *r = hole_at_10(test, 100U);

	r->now += 1000;
	req_ack(r, 12, 0x60);
	check_resent(test, r, 12, 4);
	/* In narrower windows, for it loses all that is on its way */
	r->now += 1000;
	req_ack(r, 16, 0x60);
	check_resent(test, r, 16, 32);
	KUNIT_EXPECT_EQ(test, (int)r->req.peer.keeps, (int)RXE_PEER_DROPS);
	/* At the next hole it is known */
	r->now += 1000;
	req_ack(r, 20, 0x60);
	check_resent(test, r, 20, 32);
}

/* One that has the hole and nothing else says so at once, though the window lets nothing
 * new go that it could refuse
 */
static void ack_of_the_hole_alone_tells_of_the_rest(struct kunit *test)
{
	struct req_rig *r = hole_at_10(test, 128U);

	KUNIT_EXPECT_TRUE(test, r->pkt[1].ack_req);
	r->now += 1000;
	req_ack(r, 10, 0x1f);
	KUNIT_EXPECT_FALSE(test, r->plan.rewound);
	req_ack(r, 11, 0x1f);
	KUNIT_EXPECT_TRUE(test, r->plan.rewound);
	check_resent(test, r, 12, 4);
	KUNIT_EXPECT_EQ(test, r->req.stats.naks, 1ULL);
	/* Here the hole ends: what it kept is not sent again */
	r->now += 1000;
	req_ack(r, 99, 0x1f);
	KUNIT_EXPECT_FALSE(test, r->plan.rewound);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 0U);
	KUNIT_EXPECT_EQ(test, (int)r->req.peer.keeps, (int)RXE_PEER_KEEPS);
}

/* A NAK for @psn, after as much was sent as may be */
static void refuse(struct req_rig *r, u32 psn)
{
	if (r->req.prod - r->req.cons <= r->req.mask)
		req_post(r, RXE_WR_SEND, 256 * 256, 0);
	req_send(r, 64);
	r->now += 1000;
	req_ack(r, psn, 0x60);
	req_finished(r);
}

/* Put to the test again and again, the longer the less often; a peer that keeps one
 * packet is as new
 */
static void peer_that_keeps_nothing_is_tried_less_often(struct kunit *test)
{
	static const u32 holes[] = { 4, 8, 16, 32, 64, 64, 64 };
	struct req_rig *r = req_rig(test, RXE_RC, 0);
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(holes); i++) {
		for (n = 0; r->req.peer.keeps != RXE_PEER_DROPS; n++) {
			KUNIT_ASSERT_LT(test, n, 10U);
			refuse(r, r->req.repair.judging ?
					  r->req.repair.asked_psn :
					  rxe_psn_add(r->req.una, 1));
		}
		for (n = 0; r->req.peer.keeps == RXE_PEER_DROPS; n++) {
			KUNIT_ASSERT_LT(test, n, 100U);
			refuse(r, rxe_psn_add(r->req.una, 1));
		}
		KUNIT_EXPECT_EQ_MSG(test, n, holes[i], "trial %u", i);
	}
	refuse(r, rxe_psn_add(r->req.una, 1));
	req_send(r, 64);
	r->now += 1000;
	req_ack(r, rxe_psn_add(r->req.repair.asked_psn, 4), 0x1f);
	KUNIT_EXPECT_EQ(test, r->req.peer.failed, 0U);
}

/* New packets go on being sent beyond a hole */
static void sending_goes_on_behind_a_hole(struct kunit *test)
{
	struct req_rig *r = after_nak(test);

	req_post(r, RXE_WR_SEND, 1, 0);
	req_send(r, 64);
	KUNIT_ASSERT_EQ(test, r->n, 3U);
	KUNIT_EXPECT_EQ(test, r->pkt[0].psn, 1U);
	KUNIT_EXPECT_EQ(test, r->pkt[1].psn, 2U);
	KUNIT_EXPECT_EQ(test, r->pkt[2].psn, 4U);
}

/* The retransmission timer asks with two packets, and what they bring is done */
static void timer_asks_with_little(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);
	u64 deadline;
	u32 i;

	r->req.timeout_ns = 4000000000ULL;
	req_post(r, RXE_WR_SEND, 10 * 256, 0);
	req_send(r, 64);
	deadline = rxe_req_deadline(&r->req);
	KUNIT_EXPECT_LT(test, deadline, r->now + r->req.timeout_ns);
	req_timer(r);
	check_resent(test, r, 0, 2);
	/* Less and less often, and in step with nothing on the way */
	KUNIT_EXPECT_GT(test, rxe_req_deadline(&r->req) - r->now,
			deadline - 1000000);
	for (i = 0; i < 6; i++) {
		req_timer(r);
		check_resent(test, r, 0, 1 + i % 2);
	}
	KUNIT_EXPECT_EQ(test, r->req.retry_left, r->req.retry_cnt);
	/* It has these and no more: the rest was lost as well */
	r->now += 1000;
	req_ack(r, r->n - 1, 0x1f);
	KUNIT_EXPECT_TRUE(test, r->plan.rewound);
	check_resent(test, r, r->n, 10 - r->n);
	/* It had all of it: nothing is sent again */
	req_timer(r);
	req_send(r, 64);
	req_ack(r, 9, 0x1f);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 0U);
	KUNIT_EXPECT_EQ(test, req_finished(r), 1U);
}

/* An ACK for the first of them only is no answer, the rest is on its way */
static void half_an_answer_is_waited_out(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	r->req.timeout_ns = 4000000000ULL;
	req_post(r, RXE_WR_SEND, 10 * 256, 0);
	req_send(r, 64);
	req_timer(r);
	check_resent(test, r, 0, 2);
	KUNIT_EXPECT_TRUE(test, r->pkt[1].ack_req);
	r->now += 1000;
	req_ack(r, 0, 0x1f);
	KUNIT_EXPECT_FALSE(test, r->plan.rewound);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 0U);
	req_ack(r, 1, 0x1f);
	KUNIT_EXPECT_TRUE(test, r->plan.rewound);
	check_resent(test, r, 2, 8);
}

/* A timer far too late: what arrived in the meantime may not have been taken */
static void machine_that_stood_still_listens_first(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	req_post(r, RXE_WR_SEND, 1, 0);
	req_send(r, 64);
	r->now = rxe_req_deadline(&r->req) + 1000000000;
	rxe_req_timeout(&r->req, r->now, &r->plan);
	KUNIT_EXPECT_FALSE(test, r->plan.rewound);
	KUNIT_EXPECT_GT(test, rxe_req_deadline(&r->req), r->now);
	KUNIT_EXPECT_EQ(test, r->req.retry_left, r->req.retry_cnt);
	req_timer(r);
	KUNIT_EXPECT_TRUE(test, r->plan.rewound);
}

static void repeated_nak_is_ignored_for_a_round_trip(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	/* A round trip of 1000 ns is measured first */
	req_post(r, RXE_WR_SEND, 1, 0);
	req_send(r, 64);
	r->now += 1000;
	req_ack(r, 0, 0x1f);
	KUNIT_EXPECT_EQ(test, req_finished(r), 1U);
	KUNIT_EXPECT_EQ(test, r->req.rtt.srtt_ns, 1000ULL);

	req_post(r, RXE_WR_SEND, 1000, 0);
	req_send(r, 64);
	req_ack(r, 1, 0x60);
	KUNIT_EXPECT_TRUE(test, r->plan.rewound);
	/* Nothing was sent since */
	r->now += 5000;
	req_ack(r, 1, 0x60);
	KUNIT_EXPECT_FALSE(test, r->plan.rewound);
	r->now -= 5000;
	req_send(r, 64);
	r->now += 999;
	req_ack(r, 1, 0x60);
	KUNIT_EXPECT_FALSE(test, r->plan.rewound);
	r->now += 1;
	req_ack(r, 1, 0x60);
	KUNIT_EXPECT_TRUE(test, r->plan.rewound);
	/* One that advances counts at once */
	req_send(r, 64);
	req_ack(r, 3, 0x60);
	KUNIT_EXPECT_TRUE(test, r->plan.rewound);
	KUNIT_EXPECT_EQ(test, r->req.npsn, 3U);
}

/* Karn: an answer to what was sent twice tells nothing about the way; but for one
 * that nothing is known of
 */
static void resent_packets_give_no_round_trip_time(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);
	u32 i;

	req_post(r, RXE_WR_SEND, 1, 0);
	req_send(r, 64);
	req_timer(r);
	req_send(r, 64);
	r->now += 800;
	req_ack(r, 0, 0x1f);
	KUNIT_EXPECT_EQ(test, req_finished(r), 1U);
	KUNIT_EXPECT_EQ(test, r->req.rtt.srtt_ns, 800ULL);

	for (i = 1; i < 5; i++) {
		req_post(r, RXE_WR_SEND, 1, 0);
		req_send(r, 64);
		req_timer(r);
		req_send(r, 64);
		r->now += 10;
		req_ack(r, i, 0x1f);
		KUNIT_EXPECT_EQ(test, req_finished(r), 1U);
		KUNIT_EXPECT_EQ(test, r->req.rtt.srtt_ns, 800ULL);
	}

	req_post(r, RXE_WR_SEND, 1, 0);
	req_send(r, 64);
	r->now += 1600;
	req_ack(r, i, 0x1f);
	KUNIT_EXPECT_EQ(test, r->req.rtt.srtt_ns, 900ULL);
}

static struct kunit_case req_hole_cases[] = {
	KUNIT_CASE(psn_nak_fills_the_hole),
	KUNIT_CASE(peer_that_keeps_nothing_is_found_out),
	KUNIT_CASE(ack_of_the_hole_alone_tells_of_the_rest),
	KUNIT_CASE(peer_that_keeps_nothing_is_tried_less_often),
	KUNIT_CASE(sending_goes_on_behind_a_hole),
	KUNIT_CASE(timer_asks_with_little),
	KUNIT_CASE(half_an_answer_is_waited_out),
	KUNIT_CASE(machine_that_stood_still_listens_first),
	KUNIT_CASE(repeated_nak_is_ignored_for_a_round_trip),
	KUNIT_CASE(resent_packets_give_no_round_trip_time),
	{}
};

static struct kunit_suite req_hole_suite = {
	.name = "rxe_req_hole",
	.init = req_rig_init,
	.test_cases = req_hole_cases,
};

kunit_test_suite(req_hole_suite);
