// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* READ responses that are missing: what is asked for again, when, and in what order */
#include "req_rig.h"

#define FULL 256 /* bytes of a full response */
#define PKTS 20 /* of a READ */

/* One READ each */
static void post_reads(struct req_rig *r, u32 n)
{
	while (n--)
		req_post(r, RXE_WR_READ, PKTS * FULL, 0);
	req_send(r, 64);
}

/* Responses [@from, @to) of READs one after the other, but those in @lost, ascending */
static void answers(struct req_rig *r, u32 from, u32 to, const u32 *lost,
		    u32 n_lost)
{
	for (; from < to; from++) {
		u32 at = from % PKTS;

		if (n_lost && from == *lost) {
			lost++;
			n_lost--;
			continue;
		}
		req_response(r,
			     at == 0	    ? 0x0d :
			     at == PKTS - 1 ? 0x0f :
					      0x0e,
			     from, FULL);
	}
}

/* What is sent now is one request, for @n packets from @psn on */
static void expect_ask(struct kunit *test, struct req_rig *r, u32 psn, u32 n)
{
	req_send(r, 64);
	KUNIT_ASSERT_EQ(test, r->n, 1U);
	KUNIT_EXPECT_EQ(test, r->pkt[0].psn, psn);
	KUNIT_EXPECT_EQ(test, r->pkt[0].va, RIG_VA + (u64)psn % PKTS * FULL);
	KUNIT_EXPECT_EQ(test, r->pkt[0].dmalen, n * FULL);
}

static void expect_silence(struct kunit *test, struct req_rig *r)
{
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 0U);
}

/* The next hole of a READ is asked for when the one before has come, never sooner: the
 * kernel's own driver repeats a READ from where it last did, or later
 */
static void holes_of_a_read_in_turn(struct kunit *test)
{
	static const u32 lost[] = { 2, 3, 5, 9 };
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	post_reads(r, 1);
	answers(r, 0, PKTS, lost, ARRAY_SIZE(lost));
	expect_ask(test, r, 2, 2);
	req_response(r, 0x0d, 2, FULL);
	expect_silence(test, r);
	req_response(r, 0x0f, 3, FULL);
	expect_ask(test, r, 5, 1);
	req_response(r, 0x10, 5, FULL);
	expect_ask(test, r, 9, 1);
	req_response(r, 0x10, 9, FULL);
	KUNIT_EXPECT_EQ(test, req_finished(r), 1U);
	KUNIT_EXPECT_EQ(test, r->req.rd_psns, 0U);
}

/* READs do not wait for each other */
static void holes_of_reads_at_once(struct kunit *test)
{
	static const u32 lost[] = { 2, 5, PKTS + 1, PKTS + 7 };
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	post_reads(r, 2);
	answers(r, 0, 2 * PKTS, lost, ARRAY_SIZE(lost));
	req_send(r, 64);
	expect_silence(test, r);
	KUNIT_EXPECT_EQ(test, r->req.stats.retransmits, 2ULL);
	/* The younger one goes on first */
	req_response(r, 0x10, PKTS + 1, FULL);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->pkt[r->n - 1].psn, PKTS + 7U);
}

/* Packets that come out of order are not asked for */
static void late_is_not_lost(struct kunit *test)
{
	static const u32 lost[] = { 2 };
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	post_reads(r, 1);
	answers(r, 0, 9, lost, ARRAY_SIZE(lost));
	expect_silence(test, r);
	req_response(r, 0x0e, 2, FULL);
	answers(r, 9, PKTS, NULL, 0);
	expect_silence(test, r);
	KUNIT_EXPECT_EQ(test, req_finished(r), 1U);
	KUNIT_EXPECT_EQ(test, r->req.stats.gaps, 0ULL);
}

/* Answers come in the order of requests: a later one tells that an older is lost */
static void repeat_that_is_lost_again(struct kunit *test)
{
	static const u32 lost[] = { 2, PKTS + 1 };
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	post_reads(r, 2);
	answers(r, 0, 2 * PKTS, lost, ARRAY_SIZE(lost));
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->req.stats.retransmits, 2ULL);
	req_response(r, 0x10, PKTS + 1, FULL);
	expect_ask(test, r, 2, 1);
	/* Said twice it tells nothing new */
	req_response(r, 0x10, PKTS + 1, FULL);
	expect_silence(test, r);
	req_response(r, 0x10, 2, FULL);
	KUNIT_EXPECT_EQ(test, req_finished(r), 2U);
}

/* What was on its way before tells nothing of what was asked for again */
static void rest_of_the_answer_is_no_news(struct kunit *test)
{
	static const u32 lost[] = { 2 };
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	post_reads(r, 2);
	answers(r, 0, 12, lost, ARRAY_SIZE(lost));
	expect_ask(test, r, 2, 1);
	answers(r, 12, 2 * PKTS, NULL, 0);
	expect_silence(test, r);
	KUNIT_EXPECT_EQ(test, r->req.stats.gaps, 1ULL);
}

/* A request that is missing does not wait until all answers to those before it are there;
 * nor does what is missing of its answer wait for a timer
 */
static void lost_request_beyond_lost_answers(struct kunit *test)
{
	static const u32 lost[] = { 2, PKTS + 5 };
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	r->req.max_rd_atomic = 3;
	post_reads(r, 3);
	answers(r, 0, PKTS, lost, 1);
	expect_ask(test, r, 2, 1);
	r->now += 1000;
	req_ack(r, PKTS, 0x60);
	expect_ask(test, r, PKTS, PKTS);
	expect_silence(test, r);
	/* Both come */
	r->now += 1000;
	req_response(r, 0x10, 2, FULL);
	answers(r, PKTS, 2 * PKTS, lost + 1, 1);
	expect_ask(test, r, PKTS + 5, 1);
	/* It kept nothing of what came after it */
	req_ack(r, 2 * PKTS, 0x60);
	expect_ask(test, r, 2 * PKTS, PKTS);
	/* Doubled by the network */
	r->req.rtt.srtt_ns = 1000000;
	req_ack(r, 2 * PKTS, 0x60);
	expect_silence(test, r);
	req_response(r, 0x10, PKTS + 5, FULL);
	answers(r, 2 * PKTS, 3 * PKTS, NULL, 0);
	expect_silence(test, r);
	KUNIT_EXPECT_EQ(test, req_finished(r), 3U);
	KUNIT_EXPECT_EQ(test, r->req.stats.retransmits, 4ULL);
}

/* What was executed is not sent again with the answers that are missing before it */
static void executed_is_skipped(struct kunit *test)
{
	static const u32 lost[] = { 2 };
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	req_post(r, RXE_WR_READ, PKTS * FULL, 0);
	req_post(r, RXE_WR_SEND, 3 * FULL, 0);
	req_post(r, RXE_WR_READ, PKTS * FULL, 0);
	req_send(r, 64);
	answers(r, 0, PKTS, lost, 1);
	expect_ask(test, r, 2, 1);
	r->now += 1000;
	req_ack(r, PKTS + 3, 0x60);
	req_send(r, 64);
	KUNIT_ASSERT_EQ(test, r->n, 1U);
	KUNIT_EXPECT_EQ(test, r->pkt[0].psn, PKTS + 3U);
	KUNIT_EXPECT_EQ(test, r->pkt[0].dmalen, PKTS * FULL);
}

/* A part of a long READ is a READ of its own to the peer, which answers no longer one */
static void part_is_not_asked_for_with_the_next(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	r->req.read_psns = 4;
	req_post(r, RXE_WR_SEND, 1, 0);
	req_post(r, RXE_WR_READ, PKTS * FULL, 0);
	req_send(r, 64);
	KUNIT_ASSERT_EQ(test, r->n, 2U);
	KUNIT_EXPECT_EQ(test, r->pkt[1].dmalen, 4U * FULL);
	/* Not ready, but then it was, for a duplicate */
	req_ack(r, 0, 0x21);
	req_response(r, 0x0d, 1, FULL);
	req_timer(r);
	req_send(r, 64);
	KUNIT_ASSERT_EQ(test, r->n, 1U);
	KUNIT_EXPECT_EQ(test, r->pkt[0].psn, 2U);
	KUNIT_EXPECT_EQ(test, r->pkt[0].dmalen, 3U * FULL);
}

static struct kunit_case read_again_cases[] = {
	KUNIT_CASE(holes_of_a_read_in_turn),
	KUNIT_CASE(holes_of_reads_at_once),
	KUNIT_CASE(late_is_not_lost),
	KUNIT_CASE(repeat_that_is_lost_again),
	KUNIT_CASE(rest_of_the_answer_is_no_news),
	KUNIT_CASE(lost_request_beyond_lost_answers),
	KUNIT_CASE(executed_is_skipped),
	KUNIT_CASE(part_is_not_asked_for_with_the_next),
	{}
};

static struct kunit_suite read_again_suite = {
	.name = "rxe_read_again",
	.init = req_rig_init,
	.test_cases = read_again_cases,
};

kunit_test_suite(read_again_suite);
