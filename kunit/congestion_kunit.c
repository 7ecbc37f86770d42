// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* proto/congestion.c: how many packets may be outstanding */
#include "req_rig.h"

static struct req_rig *streaming_rig(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0xffff00);

	r->req.timeout_ns = 4000000000ULL;
	return r;
}

/*
 * Messages of 256 packets without end, for @rounds round trips over a way that takes
 * @base_ns, or @gap_ns a packet when that is longer: the window that comes of it.
 */
static u32 stream(struct req_rig *r, u32 rounds, u64 base_ns, u64 gap_ns)
{
	u64 n;

	while (rounds--) {
		while (r->req.prod - r->req.cons <= r->req.mask)
			req_post(r, RXE_WR_SEND, 256 * 256, 0);
		do {
			req_send(r, 64);
		} while (r->n);
		n = rxe_psn_sub(r->req.npsn, r->req.una);
		r->now += max(base_ns, n * gap_ns);
		req_ack(r, rxe_psn_sub(r->req.npsn, 1), 0x1f);
		req_finished(r);
	}
	return r->req.cc.window;
}

/* A long way that nothing fills: up to the limit */
static void long_way_opens_the_window(struct kunit *test)
{
	struct req_rig *r = streaming_rig(test);

	KUNIT_EXPECT_EQ(test, r->req.cwnd, 128U);
	KUNIT_EXPECT_EQ(test, stream(r, 40, 10000000, 0), 2048U);
	KUNIT_EXPECT_EQ(test, r->req.cwnd, 2048U);
}

/* What the way holds and a quarter more, and what an ACK is for; a packet that waits
 * for others adds none
 */
static void window_is_what_the_way_holds(struct kunit *test)
{
	struct req_rig *r = streaming_rig(test);
	u32 window;

	window = stream(r, 100, 1000000, 2000);
	KUNIT_EXPECT_GE(test, window, 500U);
	KUNIT_EXPECT_LE(test, window, 640U + 64);
	/* A short way, once it is known: no less than at first */
	r = streaming_rig(test);
	r->req.cc.min_rtt_ns = 10000;
	window = stream(r, 100, 10000, 2000);
	KUNIT_EXPECT_EQ(test, window, 128U);
}

/* The way got slower: what was measured before is forgotten */
static void window_closes_again(struct kunit *test)
{
	struct req_rig *r = streaming_rig(test);
	u32 window;

	stream(r, 40, 10000000, 0);
	window = stream(r, 100, 10000000, 50000);
	KUNIT_EXPECT_GE(test, window, 200U);
	KUNIT_EXPECT_LE(test, window, 250U + 64);
	KUNIT_EXPECT_LE(test, r->req.cwnd, window);
}

/* A silent peer is sent less and less, an answering one more again */
static void timeouts_halve_the_window(struct kunit *test)
{
	static const u32 windows[] = { 128, 64, 32, 16, 8, 8, 8 };
	struct req_rig *r = req_rig(test, RXE_RC, 0);
	u32 i;

	r->req.retry_cnt = 7;
	rxe_req_reset(&r->req, 0);
	req_post(r, RXE_WR_SEND, 300 * 256, 0);
	req_send(r, 200);
	KUNIT_EXPECT_EQ(test, r->n, 128U);
	for (i = 0; i < ARRAY_SIZE(windows); i++) {
		KUNIT_EXPECT_EQ_MSG(test, r->req.cwnd, windows[i], "try %u", i);
		req_timer(r);
		req_send(r, 200);
		KUNIT_EXPECT_EQ_MSG(test, r->n, 2 - i % 2, "try %u", i);
	}
	/* It has these two and nothing of the rest */
	req_ack(r, 1, 0x1f);
	req_send(r, 200);
	KUNIT_EXPECT_EQ(test, r->pkt[0].psn, 2U);
	KUNIT_EXPECT_EQ(test, r->n, 10U);
	/* All of it was on its way once: skip what has arrived */
	req_ack(r, 127, 0x1f);
	req_send(r, 200);
	KUNIT_EXPECT_EQ(test, r->pkt[0].psn, 128U);
	KUNIT_EXPECT_EQ(test, r->n, 128U);
}

/* A full queue of this machine: wait a moment and lose nothing */
static void full_queue_is_waited_for(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);
	struct rxe_req_run run;
	u64 until;

	r->req.timeout_ns = 4000000000ULL;
	req_post(r, RXE_WR_SEND, 10 * 256, 0);
	KUNIT_ASSERT_EQ(test, (int)rxe_req_next(&r->req, r->now, 64, &run),
			(int)RXE_REQ_SEND);
	KUNIT_EXPECT_TRUE(test, rxe_req_congested(&r->req, r->now));
	rxe_req_sent(&r->req, &run, 4, r->now);
	KUNIT_EXPECT_EQ(test, r->req.cwnd, 64U);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 0U);
	until = rxe_req_deadline(&r->req);
	KUNIT_EXPECT_GT(test, until, r->now);
	KUNIT_EXPECT_LT(test, until, r->now + 1000000);
	req_timer(r);
	KUNIT_EXPECT_FALSE(test, r->plan.rewound);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 6U);
	KUNIT_EXPECT_EQ(test, r->pkt[0].psn, 4U);
	KUNIT_EXPECT_EQ(test, r->req.stats.retransmits, 0ULL);
}

/* One that takes nothing for long is not waited for: packets are lost, until it does.
 * It is time that counts, for a late timer makes a pause of any length.
 */
static void full_queue_is_given_up(struct kunit *test)
{
	static const u64 step_ns[] = { RXE_PAUSE_NS, 5 * RXE_PAUSE_NS,
				       100 * RXE_PAUSE_NS };
	struct req_rig *r = req_rig(test, RXE_RC, 0);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(step_ns); i++) {
		u64 begin = r->now;

		rxe_req_reset(&r->req, 0);
		while (rxe_req_congested(&r->req, r->now)) {
			KUNIT_EXPECT_EQ(test, r->req.cwnd, 64U);
			KUNIT_ASSERT_LT(test, r->now - begin, RXE_PAUSE_MAX_NS);
			r->now += step_ns[i];
		}
		KUNIT_EXPECT_GE(test, r->now - begin, RXE_PAUSE_MAX_NS);
		r->now += step_ns[i];
		KUNIT_EXPECT_FALSE(test, rxe_req_congested(&r->req, r->now));
		rxe_pause_forget(&r->req.pause);
	}
}

/* The more often notified the less is sent, and without more of them all again */
static void notifications_shrink_the_window(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);
	struct rxe_req *req = &r->req;
	u32 i, cut, n;

	rxe_req_cnp(req, r->now);
	cut = req->cwnd;
	KUNIT_EXPECT_LT(test, cut, 128U);
	KUNIT_EXPECT_GE(test, cut, 64U);
	/* Within 50 us it is the same congestion */
	rxe_req_cnp(req, r->now + 49999);
	KUNIT_EXPECT_EQ(test, req->cwnd, cut);
	for (i = 1; i < 100; i++) {
		cut = req->cwnd;
		rxe_req_cnp(req, r->now + i * 50000);
		KUNIT_EXPECT_LE(test, req->cwnd, cut);
		KUNIT_EXPECT_GE(test, req->cwnd, 8U);
	}
	KUNIT_EXPECT_EQ(test, req->cwnd, 8U);
	KUNIT_EXPECT_EQ(test, req->stats.cnps, 101ULL);

	/* Each message is acknowledged: the window opens, slowly, to the end */
	for (n = 0; req->cwnd < 128; n++) {
		cut = req->cwnd;
		req_post(r, RXE_WR_SEND, 4 * 256, 0);
		req_send(r, 64);
		req_ack(r, rxe_psn_sub(req->psn, 1), 0x1f);
		req_finished(r);
		KUNIT_ASSERT_GE(test, req->cwnd, cut);
		KUNIT_ASSERT_LT(test, n, 10000U);
	}
	KUNIT_EXPECT_GT(test, n, 100U);
	KUNIT_EXPECT_FALSE(test, req->cc.active);
}

/* At most one notification in 50 us; 16 zero bytes with BECN set */
static void notifications_are_spaced(struct kunit *test)
{
	struct rxe_cnp cnp = {};
	struct rxe_pkt pkt;
	u32 i, n = 0;

	for (i = 0; i < 1000; i++)
		n += rxe_cnp_due(&cnp, 1000000 + i * 1000);
	KUNIT_EXPECT_EQ(test, n, 20U);
	KUNIT_EXPECT_EQ(test, cnp.sent, 20ULL);
	rxe_cnp_pkt(0x123456, &pkt);
	KUNIT_EXPECT_EQ(test, pkt.opcode, 0x81);
	KUNIT_EXPECT_TRUE(test, pkt.becn);
	KUNIT_EXPECT_EQ(test, pkt.payload_bytes, 16U);
	KUNIT_EXPECT_EQ(test, pkt.dest_qpn, 0x123456U);
	KUNIT_EXPECT_EQ(test, pkt.psn, 0U);
}

/* However often it is asked to wait: something is sent between two waits */
static void rests_do_not_join(struct kunit *test)
{
	struct rxe_pause pause = {};
	u32 sent = 0;
	u64 now;

	for (now = 1; now <= 1000 * RXE_CNP_NS; now += RXE_CNP_NS / 4) {
		rxe_pause_rest(&pause, now + RXE_CNP_NS);
		sent += !rxe_pause_lasts(&pause, now);
	}
	KUNIT_EXPECT_GT(test, sent, 500U);
	KUNIT_EXPECT_LT(test, sent, 1001U);
}

static struct kunit_case congestion_cases[] = {
	KUNIT_CASE(long_way_opens_the_window),
	KUNIT_CASE(window_is_what_the_way_holds),
	KUNIT_CASE(window_closes_again),
	KUNIT_CASE(timeouts_halve_the_window),
	KUNIT_CASE(full_queue_is_waited_for),
	KUNIT_CASE(full_queue_is_given_up),
	KUNIT_CASE(notifications_shrink_the_window),
	KUNIT_CASE(notifications_are_spaced),
	KUNIT_CASE(rests_do_not_join),
	{}
};

static struct kunit_suite congestion_suite = {
	.name = "rxe_congestion",
	.init = req_rig_init,
	.test_cases = congestion_cases,
};

kunit_test_suite(congestion_suite);
