// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* proto/req.c: timers, retries, READs, limits and what arrives from strangers */
#include "req_rig.h"
#include "wire/hdr.h"

#include <linux/limits.h>

static void rnr_waits_as_told(struct kunit *test)
{
	int code;

	for (code = 0; code < 32; code++) {
		struct req_rig *r = req_rig(test, RXE_RC, 0xffffff);
		u64 wait = rxe_rnr_code_to_ns(code);

		req_post(r, RXE_WR_SEND, 600, 0);
		req_send(r, 64);
		req_ack(r, 0, 0x20 | code);
		KUNIT_ASSERT_TRUE(test, r->plan.rnr);
		KUNIT_ASSERT_EQ(test, rxe_req_deadline(&r->req), r->now + wait);
		r->now += wait - 1;
		req_send(r, 64);
		KUNIT_ASSERT_EQ_MSG(test, r->n, 0U, "code %d", code);
		r->now += 1;
		req_send(r, 64);
		KUNIT_ASSERT_EQ_MSG(test, r->n, 2U, "code %d", code);
		/* From the refused packet, not from the oldest */
		KUNIT_ASSERT_EQ(test, r->pkt[0].psn, 0U);
		KUNIT_ASSERT_EQ(test, rxe_req_deadline(&r->req),
				r->now + RIG_TIMEOUT);
	}
}

/* One RNR NAK more than rnr_retry allows ends it; 7 never does */
static void check_rnr_retries(struct kunit *test, u8 rnr_retry, u32 naks)
{
	struct req_rig *r = req_rig(test, RXE_RC, 9);
	u32 i;

	r->req.rnr_retry = rnr_retry;
	rxe_req_reset(&r->req, 9);
	req_post(r, RXE_WR_SEND, 1, 0);
	for (i = 0; i < naks; i++) {
		req_send(r, 64);
		KUNIT_ASSERT_EQ_MSG(test, r->n, 1U, "try %u", i);
		req_ack(r, 9, 0x21);
		KUNIT_ASSERT_EQ_MSG(test, (int)r->plan.verdict, (int)RXE_ACK_OK,
				    "try %u", i);
		req_timer(r);
	}
	if (rnr_retry == 7)
		return;
	req_send(r, 64);
	req_ack(r, 9, 0x21);
	KUNIT_ASSERT_EQ_MSG(test, (int)r->plan.verdict, (int)RXE_ACK_FATAL,
			    "rnr_retry %u", rnr_retry);
	KUNIT_ASSERT_EQ(test, r->plan.status, RXE_ST_RNR_RETRY_EXC_ERR);
	KUNIT_ASSERT_EQ(test, req_finished(r), 1U);
}

static void rnr_retries_are_counted(struct kunit *test)
{
	u8 i;

	for (i = 0; i < 7; i++)
		check_rnr_retries(test, i, i);
	check_rnr_retries(test, 7, 1000);
}

static void progress_renews_rnr_retries(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);
	u32 psn;

	req_post(r, RXE_WR_SEND, 10 * 256, 0);
	for (psn = 0; psn < 10; psn++) {
		u32 i;

		for (i = 0; i < 3; i++) {
			req_send(r, 64);
			req_ack(r, psn, 0x21);
			KUNIT_ASSERT_EQ(test, (int)r->plan.verdict,
					(int)RXE_ACK_OK);
			req_timer(r);
		}
		req_send(r, 64);
		req_ack(r, psn, 0x1f);
	}
	KUNIT_EXPECT_EQ(test, req_finished(r), 1U);
	KUNIT_EXPECT_EQ(test, r->status, RXE_ST_SUCCESS);
}

static void doubled_rnr_nak_counts_once(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);
	u64 until;
	int i;

	req_post(r, RXE_WR_SEND, 1, 0);
	req_send(r, 64);
	req_ack(r, 0, 0x25);
	until = rxe_req_deadline(&r->req);
	for (i = 0; i < 10; i++) {
		r->now += 10;
		req_ack(r, 0, 0x25);
		KUNIT_EXPECT_EQ(test, (int)r->plan.verdict, (int)RXE_ACK_OK);
		KUNIT_EXPECT_FALSE(test, r->plan.rnr);
		KUNIT_EXPECT_EQ(test, rxe_req_deadline(&r->req), until);
	}
}

/* Longer than all retries together, and ended by a sender, not by the timer */
static void long_rnr_wait_is_no_silence(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	req_post(r, RXE_WR_SEND, 1, 0);
	req_send(r, 64);
	req_ack(r, 0, 0x20);
	r->now += rxe_rnr_code_to_ns(0);
	req_send(r, 64);
	KUNIT_ASSERT_EQ(test, r->n, 1U);
	rxe_req_timeout(&r->req, r->now + 1, &r->plan);
	KUNIT_EXPECT_EQ(test, (int)r->plan.verdict, (int)RXE_ACK_DROP);
}

/* A silent peer: retry_cnt times again, then an end, at the time due */
static void timeouts_are_counted(struct kunit *test)
{
	u8 retry_cnt;
	u32 i;

	for (retry_cnt = 0; retry_cnt < 8; retry_cnt++) {
		struct req_rig *r = req_rig(test, RXE_RC, 0xffffff);
		u64 start = r->now;

		r->req.retry_cnt = retry_cnt;
		rxe_req_reset(&r->req, 0xffffff);
		req_post(r, RXE_WR_WRITE, 600, 0);
		req_send(r, 64);
		for (i = 0; i < retry_cnt; i++) {
			req_timer(r);
			KUNIT_ASSERT_TRUE(test, r->plan.rewound);
			req_send(r, 64);
			KUNIT_ASSERT_EQ(test, r->n, 2 - i % 2);
			KUNIT_ASSERT_EQ(test, r->pkt[0].psn, 0xffffffU);
			KUNIT_ASSERT_TRUE(test, r->pkt[0].ack_req);
		}
		req_timer(r);
		KUNIT_ASSERT_EQ_MSG(test, (int)r->plan.verdict,
				    (int)RXE_ACK_FATAL, "retry_cnt %u",
				    retry_cnt);
		KUNIT_ASSERT_EQ(test, r->plan.status, RXE_ST_RETRY_EXC_ERR);
		KUNIT_ASSERT_EQ(test, r->now - start,
				(retry_cnt + 1ULL) * RIG_TIMEOUT);
	}
}

/* What is said again and again puts the end off so many times, and then no more */
static void check_given_up(struct kunit *test, struct req_rig *r, u32 times,
			   void (*say)(struct req_rig *r))
{
	u64 start = r->now;

	do {
		say(r);
		KUNIT_ASSERT_TRUE(test, r->plan.verdict != RXE_ACK_FATAL);
		req_send(r, 64);
		r->now += RIG_TIMEOUT / 10;
		rxe_req_timeout(&r->req, r->now, &r->plan);
		req_send(r, 64);
		KUNIT_ASSERT_LE(test, r->now - start,
				(times + 10ULL) * RIG_TIMEOUT);
	} while (r->plan.verdict != RXE_ACK_FATAL);
	KUNIT_EXPECT_EQ(test, r->plan.status, RXE_ST_RETRY_EXC_ERR);
	KUNIT_EXPECT_GE(test, r->now - start,
			times * RIG_TIMEOUT / 10 +
				1ULL * r->req.retry_cnt * RIG_TIMEOUT);
}

static void say_missing(struct req_rig *r)
{
	req_ack(r, 0, RXE_NAK_PSN);
}

static struct req_rig *after_post(struct kunit *test, u8 op, u32 n)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	while (n--)
		req_post(r, op, 600, 0);
	req_send(r, 64);
	return r;
}

static void say_second_response(struct req_rig *r)
{
	req_response(r, 0x0e, 1, 256);
}

/* The first packet never passes, which the peer says for ever */
static void same_nak_is_no_progress(struct kunit *test)
{
	check_given_up(test, after_post(test, RXE_WR_WRITE, 1), 64,
		       say_missing);
}

static void same_response_is_no_progress(struct kunit *test)
{
	check_given_up(test, after_post(test, RXE_WR_READ, 1), RXE_GOT_PSNS,
		       say_second_response);
}

/* The peer answers the first READ again and again, as it was asked to */
static void same_response_before_is_no_progress(struct kunit *test)
{
	struct req_rig *r = after_post(test, RXE_WR_READ, 2);

	req_response(r, 0x0d, 0, 256);
	req_response(r, 0x0e, 1, 256);
	req_response(r, 0x0f, 2, 88);
	KUNIT_ASSERT_EQ(test, req_finished(r), 1U);
	check_given_up(test, r, RXE_GOT_PSNS, say_second_response);
}

static void progress_renews_retries(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);
	u32 psn;

	req_post(r, RXE_WR_SEND, 20 * 256, 0);
	req_send(r, 64);
	for (psn = 0; psn < 20; psn++) {
		req_timer(r);
		KUNIT_ASSERT_TRUE(test, r->plan.rewound);
		req_send(r, 64);
		req_timer(r);
		KUNIT_ASSERT_TRUE(test, r->plan.rewound);
		req_send(r, 64);
		req_ack(r, psn, 0x1f);
	}
	KUNIT_EXPECT_EQ(test, req_finished(r), 1U);
}

static void timeout_of_zero_never_ends(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	r->req.timeout_ns = 0;
	req_post(r, RXE_WR_SEND, 1, 0);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, rxe_req_deadline(&r->req), 0ULL);
	rxe_req_timeout(&r->req, r->now + 1000000000000ULL, &r->plan);
	KUNIT_EXPECT_EQ(test, (int)r->plan.verdict, (int)RXE_ACK_DROP);
}

static void timer_that_is_early_does_nothing(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);
	struct rxe_req was;

	rxe_req_timeout(&r->req, r->now, &r->plan);
	KUNIT_EXPECT_EQ(test, (int)r->plan.verdict, (int)RXE_ACK_DROP);
	req_post(r, RXE_WR_SEND, 1, 0);
	req_send(r, 64);
	was = r->req;
	rxe_req_timeout(&r->req, r->now + RIG_TIMEOUT - 1, &r->plan);
	KUNIT_EXPECT_EQ(test, (int)r->plan.verdict, (int)RXE_ACK_DROP);
	KUNIT_EXPECT_EQ(test, memcmp(&was, &r->req, sizeof(was)), 0);
}

static void read_takes_the_psns_of_its_answer(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0xfffffe);

	req_post(r, RXE_WR_READ, 1000, 0);
	req_post(r, RXE_WR_SEND, 1, 0);
	req_send(r, 64);
	KUNIT_ASSERT_EQ(test, r->n, 2U);
	KUNIT_EXPECT_EQ(test, r->pkt[0].psn, 0xfffffeU);
	KUNIT_EXPECT_EQ(test, r->pkt[0].dmalen, 1000U);
	KUNIT_EXPECT_EQ(test, r->pkt[1].psn, 2U);

	req_response(r, 0x0d, 0xfffffe, 256);
	KUNIT_EXPECT_EQ(test, (int)r->plan.verdict, (int)RXE_ACK_PLACE);
	KUNIT_EXPECT_EQ(test, r->plan.offset, 0U);
	req_response(r, 0x0e, 0xffffff, 256);
	KUNIT_EXPECT_EQ(test, r->plan.offset, 256U);
	req_response(r, 0x0e, 0, 256);
	KUNIT_EXPECT_EQ(test, req_finished(r), 0U);
	req_response(r, 0x0f, 1, 1000 - 768);
	KUNIT_EXPECT_EQ(test, r->plan.offset, 768U);
	KUNIT_EXPECT_EQ(test, req_finished(r), 1U);
}

/* A gap in the answer is asked for at once, and nothing else */
static void lost_response_is_asked_for_again(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	req_post(r, RXE_WR_READ, 1000, 0);
	req_send(r, 64);
	req_response(r, 0x0d, 0, 256);
	/* What comes ahead is kept; it may be the missing one that is late */
	req_response(r, 0x0e, 2, 256);
	KUNIT_EXPECT_EQ(test, (int)r->plan.verdict, (int)RXE_ACK_PLACE);
	KUNIT_EXPECT_EQ(test, r->plan.offset, 512U);
	KUNIT_EXPECT_FALSE(test, r->plan.rewound);
	/* The last one leaves no doubt */
	req_response(r, 0x0f, 3, 232);
	KUNIT_EXPECT_EQ(test, r->plan.offset, 768U);
	KUNIT_EXPECT_TRUE(test, r->plan.rewound);
	req_send(r, 64);
	KUNIT_ASSERT_EQ(test, r->n, 1U);
	KUNIT_EXPECT_EQ(test, r->pkt[0].psn, 1U);
	KUNIT_EXPECT_EQ(test, r->pkt[0].va, RIG_VA + 256);
	KUNIT_EXPECT_EQ(test, r->pkt[0].dmalen, 256U);
	/* A duplicate changes nothing */
	req_response(r, 0x0f, 3, 232);
	KUNIT_EXPECT_EQ(test, (int)r->plan.verdict, (int)RXE_ACK_OK);
	KUNIT_EXPECT_FALSE(test, r->plan.rewound);
	req_response(r, 0x10, 1, 256);
	KUNIT_EXPECT_EQ(test, (int)r->plan.verdict, (int)RXE_ACK_PLACE);
	KUNIT_EXPECT_EQ(test, r->plan.offset, 256U);
	KUNIT_EXPECT_EQ(test, req_finished(r), 1U);
	KUNIT_EXPECT_EQ(test, r->status, RXE_ST_SUCCESS);
	KUNIT_EXPECT_EQ(test, r->req.rd_psns, 0U);
	KUNIT_EXPECT_EQ(test, r->req.rd_atomic, 0U);
}

/* An ACK beyond a READ proves that its answer was lost */
static void ack_beyond_a_read_asks_again(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	req_post(r, RXE_WR_SEND, 1, 0);
	req_post(r, RXE_WR_READ, 300, 0);
	req_post(r, RXE_WR_SEND, 1, 0);
	req_send(r, 64);
	req_ack(r, 3, 0x1f);
	KUNIT_EXPECT_TRUE(test, r->plan.rewound);
	KUNIT_EXPECT_EQ(test, req_finished(r), 1U);
	KUNIT_EXPECT_EQ(test, r->req.una, 1U);
}

/* Answers that do not fit what was asked, for READ, atomic and SEND in turn */
static void wrong_answers_are_fatal(struct kunit *test)
{
	static const struct {
		u8 op;
		u8 opcode;
		u32 bytes;
	} wrong[] = {
		{ RXE_WR_READ, 0x0d, 255 },
		{ RXE_WR_READ, 0x0d, 0 },
		{ RXE_WR_READ, 0x0d, 257 },
		{ RXE_WR_READ, 0x0f, 256 },
		{ RXE_WR_READ, 0x10, 256 },
		{ RXE_WR_READ, 0x12, 0 },
		{ RXE_WR_FETCH_ADD, 0x10, 0 },
		{ RXE_WR_FETCH_ADD, 0x0d, 256 },
		{ RXE_WR_SEND, 0x10, 0 },
		{ RXE_WR_SEND, 0x12, 0 },
		{ RXE_WR_FLUSH, 0x12, 0 },
		{ RXE_WR_FLUSH, 0x10, 4 },
		{ RXE_WR_ATOMIC_WRITE, 0x10, 8 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct req_rig *r = req_rig(test, RXE_RC, 0);
		u32 length = wrong[i].op == RXE_WR_READ ? 512 : 8;

		req_post(r, wrong[i].op, length, 0);
		req_send(r, 64);
		req_response(r, wrong[i].opcode, 0, wrong[i].bytes);
		KUNIT_ASSERT_EQ_MSG(test, (int)r->plan.verdict,
				    (int)RXE_ACK_FATAL, "row %d", i);
		KUNIT_ASSERT_EQ(test, r->plan.status, RXE_ST_BAD_RESP_ERR);
		KUNIT_ASSERT_EQ(test, req_finished(r), 1U);
		KUNIT_ASSERT_EQ(test, r->req.rd_atomic, 0U);
	}
}

/* In the middle of a message whose beginning is acknowledged */
static void wrong_answer_takes_nothing_back(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0xfffffe);

	req_post(r, RXE_WR_SEND, 1000, 0);
	req_post(r, RXE_WR_SEND, 1, 0);
	req_send(r, 64);
	req_ack(r, 0xffffff, 0x1f);
	req_response(r, 0x10, 0, 0);
	KUNIT_EXPECT_EQ(test, (int)r->plan.verdict, (int)RXE_ACK_FATAL);
	KUNIT_EXPECT_EQ(test, r->req.una, 0U);
	KUNIT_EXPECT_EQ(test, r->req.acked_psn, 0U);
	KUNIT_EXPECT_EQ(test, req_finished(r), 1U);
	KUNIT_EXPECT_EQ(test, r->status, RXE_ST_BAD_RESP_ERR);
}

static void outstanding_reads_are_limited(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);
	int i;

	for (i = 0; i < 4; i++)
		req_post(r, i % 2 ? RXE_WR_READ : RXE_WR_CMP_SWAP, 8, 0);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 2U);
	req_response(r, 0x12, 0, 0);
	KUNIT_EXPECT_EQ(test, (int)r->plan.verdict, (int)RXE_ACK_ATOMIC);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 1U);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 0U);
}

static void no_read_without_max_rd_atomic(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	r->req.max_rd_atomic = 0;
	req_post(r, RXE_WR_READ, 8, 0);
	req_post(r, RXE_WR_SEND, 8, 0);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 0U);
	/* It fails, since waiting would be for ever */
	KUNIT_ASSERT_NOT_NULL(test, rxe_req_oldest(&r->req));
	KUNIT_EXPECT_EQ(test, rxe_req_oldest(&r->req)->status,
			(u8)RXE_ST_LOC_QP_OP_ERR);
}

static void fence_waits_for_reads(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	req_post(r, RXE_WR_READ, 8, 0);
	req_post(r, RXE_WR_SEND, 8, 0);
	req_post(r, RXE_WR_SEND, 8, RXE_WR_FENCE);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 2U);
	req_response(r, 0x10, 0, 8);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 1U);
}

static void local_operations_run_once(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	req_post(r, RXE_WR_SEND, 1, 0);
	req_post(r, RXE_WR_BIND_MW, 0, 0);
	req_post(r, RXE_WR_SEND, 1, 0);
	req_post(r, RXE_WR_LOCAL_INV, 0, 0);
	req_post(r, RXE_WR_SEND, 1, 0);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 2U);
	KUNIT_EXPECT_EQ(test, r->locals, 1U);
	req_timer(r);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 2U);
	KUNIT_EXPECT_EQ(test, r->locals, 1U);
	/* The invalidation waits until its predecessors have completed */
	req_ack(r, 1, 0x1f);
	KUNIT_EXPECT_EQ(test, req_finished(r), 3U);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->locals, 2U);
	KUNIT_EXPECT_EQ(test, r->n, 1U);
}

static void nothing_follows_what_failed_here(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);
	struct rxe_req_run run;

	req_post(r, RXE_WR_SEND, 1, 0);
	req_send(r, 64);
	req_post(r, RXE_WR_SEND, 1000, 0);
	req_post(r, RXE_WR_SEND, 1, 0);
	KUNIT_ASSERT_EQ(test, (int)rxe_req_next(&r->req, r->now, 64, &run),
			(int)RXE_REQ_SEND);
	rxe_req_sent(&r->req, &run, 2, r->now);
	rxe_req_done(&r->req, run.w, RXE_ST_LOC_PROT_ERR);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 0U);
	/* It fails in its turn */
	KUNIT_EXPECT_NULL(test, rxe_req_oldest(&r->req));
	req_ack(r, 0, 0x1f);
	KUNIT_EXPECT_EQ(test, req_finished(r), 2U);
	KUNIT_EXPECT_EQ(test, r->status, RXE_ST_LOC_PROT_ERR);
	rxe_req_flush(&r->req);
	KUNIT_EXPECT_EQ(test, req_finished(r), 1U);
	KUNIT_EXPECT_EQ(test, r->status, RXE_ST_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, rxe_req_deadline(&r->req), 0ULL);
}

static void refused_at_the_door_fails_in_its_turn(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);
	struct rxe_swqe *w;

	req_post(r, RXE_WR_SEND, 1, 0);
	w = req_post(r, RXE_WR_SEND, 1, 0);
	w->state = RXE_SWQE_DONE;
	w->status = RXE_ST_LOC_QP_OP_ERR;
	req_post(r, RXE_WR_SEND, 1, 0);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 1U);
	KUNIT_EXPECT_EQ(test, req_finished(r), 0U);
	req_ack(r, 0, 0x1f);
	KUNIT_EXPECT_EQ(test, req_finished(r), 2U);
	KUNIT_EXPECT_EQ(test, r->status, RXE_ST_LOC_QP_OP_ERR);
}

static void draining_ends_what_was_begun(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	r->req.window = 2;
	rxe_req_reset(&r->req, 0);
	req_post(r, RXE_WR_SEND, 1024, 0);
	req_post(r, RXE_WR_SEND, 1, 0);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 2U);
	r->req.draining = true;
	KUNIT_EXPECT_FALSE(test, rxe_req_drained(&r->req));
	req_ack(r, 1, 0x1f);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 2U);
	req_ack(r, 3, 0x1f);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 0U);
	KUNIT_EXPECT_TRUE(test, rxe_req_drained(&r->req));
}

/* Nothing more beside an answer of 2^23 PSNs */
static void half_the_psn_space_is_the_limit(struct kunit *test)
{
	u32 less;

	for (less = 0; less < 2; less++) {
		struct req_rig *r = req_rig(test, RXE_RC, 0x800000);

		r->req.read_psns = U32_MAX;
		req_post(r, RXE_WR_READ, (256U << 23) - less * 256, 0);
		req_post(r, RXE_WR_SEND, 1, 0);
		req_send(r, 64);
		KUNIT_EXPECT_EQ(test, r->n, 1 + less);
		KUNIT_EXPECT_EQ(test, r->req.psn, 0U);
	}
}

static void check_noise(struct kunit *test, struct req_rig *r)
{
	const struct rxe_req *req = &r->req;

	KUNIT_ASSERT_LE(test, req->cur - req->cons, req->prod - req->cons);
	KUNIT_ASSERT_LE(test, req->prod - req->cons, (u32)RIG_SLOTS);
	KUNIT_ASSERT_LE(test, rxe_psn_sub(req->npsn, req->una),
			rxe_psn_sub(req->psn, req->una));
	KUNIT_ASSERT_LE(test, rxe_psn_sub(req->sent_psn, req->una),
			rxe_psn_sub(req->psn, req->una));
	KUNIT_ASSERT_LE(test, req->rd_atomic, (u32)RIG_SLOTS);
}

/* A peer that answers with anything at all */
static void noise_step(struct req_rig *r, struct rxe_rng *rng)
{
	static const u8 ops[] = { 0, 1, 2, 3, 4, 5, 7, 8, 9, 14, 15, 32 };
	static const u8 answers[] = { 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12 };
	u8 syndrome = rxe_rng_u32(rng);
	u32 psn;

	r->now += rxe_rng_below(rng, 30000);
	if (rxe_req_fetch_slot(&r->req))
		req_post(r, ops[rxe_rng_below(rng, ARRAY_SIZE(ops))],
			 rxe_rng_below(rng, 3000), rxe_rng_below(rng, 8));
	req_send(r, 1 + rxe_rng_below(rng, 8));
	psn = rxe_psn_sub(rxe_psn_add(r->req.una, rxe_rng_below(rng, 20)), 3);
	if (rxe_rng_chance(rng, 100))
		psn = rxe_rng_u32(rng) & RXE_PSN_MASK;
	if (rxe_rng_chance(rng, 500))
		req_ack(r, psn, syndrome & 0x80 ? 0x1f : syndrome);
	else
		req_response(r, answers[rxe_rng_below(rng, 6)], psn,
			     rxe_rng_chance(rng, 500) ?
				     256 :
				     rxe_rng_below(rng, 257));
	if (rxe_rng_chance(rng, 300))
		req_timer(r);
	req_finished(r);
	if (r->plan.verdict == RXE_ACK_FATAL) {
		rxe_req_flush(&r->req);
		req_finished(r);
		rxe_req_reset(&r->req, rxe_rng_u32(rng));
	}
}

static void noise(struct kunit *test)
{
	struct rxe_rng rng = { rxe_kunit_seed };
	struct req_rig *r = req_rig(test, RXE_RC, 0xfffff0);
	u32 i;

	for (i = 0; i < 50000; i++) {
		r->plan = (struct rxe_ack_plan){};
		noise_step(r, &rng);
		check_noise(test, r);
	}
}

static struct kunit_case req_retry_cases[] = {
	KUNIT_CASE(rnr_waits_as_told),
	KUNIT_CASE(rnr_retries_are_counted),
	KUNIT_CASE(progress_renews_rnr_retries),
	KUNIT_CASE(doubled_rnr_nak_counts_once),
	KUNIT_CASE(long_rnr_wait_is_no_silence),
	KUNIT_CASE(timeouts_are_counted),
	KUNIT_CASE(same_nak_is_no_progress),
	KUNIT_CASE(same_response_is_no_progress),
	KUNIT_CASE(same_response_before_is_no_progress),
	KUNIT_CASE(progress_renews_retries),
	KUNIT_CASE(timeout_of_zero_never_ends),
	KUNIT_CASE(timer_that_is_early_does_nothing),
	KUNIT_CASE(read_takes_the_psns_of_its_answer),
	KUNIT_CASE(lost_response_is_asked_for_again),
	KUNIT_CASE(ack_beyond_a_read_asks_again),
	KUNIT_CASE(wrong_answers_are_fatal),
	KUNIT_CASE(wrong_answer_takes_nothing_back),
	KUNIT_CASE(outstanding_reads_are_limited),
	KUNIT_CASE(no_read_without_max_rd_atomic),
	KUNIT_CASE(fence_waits_for_reads),
	KUNIT_CASE(local_operations_run_once),
	KUNIT_CASE(nothing_follows_what_failed_here),
	KUNIT_CASE(refused_at_the_door_fails_in_its_turn),
	KUNIT_CASE(draining_ends_what_was_begun),
	KUNIT_CASE(half_the_psn_space_is_the_limit),
	KUNIT_CASE(noise),
	{}
};

static struct kunit_suite req_retry_suite = {
	.name = "rxe_req_retry",
	.init = req_rig_init,
	.test_cases = req_retry_cases,
};

kunit_test_suite(req_retry_suite);
