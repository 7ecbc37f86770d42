// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* FLUSH in the engines: what the responder takes, what the requester sends */
#include "req_rig.h"
#include "resp_rig.h"
#include "wire/hdr.h"

/* Rights of a QP, every combination of those that exist */
#define RIGHTS                                                              \
	(RXE_ACC_LOCAL_WRITE | RXE_ACC_REMOTE_WRITE | RXE_ACC_REMOTE_READ | \
	 RXE_ACC_REMOTE_ATOMIC | RXE_ACC_FLUSH)

/* The largest range is the largest message (IBTA 9.7.4.1.4) */
static const u32 lengths[] = { 0, 1, 4096, 0x80000000, 0x80000001, U32_MAX };

static u32 access_of(u8 plt)
{
	return (plt & 1 ? 1U << 8 : 0) | (plt & 2 ? 1U << 9 : 0);
}

static void check_one(struct kunit *test, struct resp_rig *r, bool allowed)
{
	bool known = (r->plt == 1 || r->plt == 2 || r->plt == 3) && r->sel < 2;
	bool granted = !(access_of(r->plt) & ~r->resp.access);
	bool good = allowed && known && granted &&
		    (r->sel == 1 || r->dmalen <= 0x80000000);

	rxe_resp_reset(&r->resp, 0xffffff);
	resp_rx(r, RXE_OP_FLUSH, 0xffffff, 0);
	KUNIT_EXPECT_EQ_MSG(test, (int)r->plan.verdict,
			    good ? (int)RXE_RX_EXEC : (int)RXE_RX_FATAL,
			    "type %u, level %u, %#x bytes, rights %#x", r->plt,
			    r->sel, r->dmalen, r->resp.access);
	if (!good) {
		KUNIT_EXPECT_EQ(test, r->plan.nak, 0x61);
		return;
	}
	KUNIT_EXPECT_EQ(test, (int)r->plan.what, (int)RXE_DO_FLUSH);
	KUNIT_EXPECT_EQ(test, r->plan.access, access_of(r->plt));
	KUNIT_EXPECT_EQ(test, r->plan.whole, r->sel == 1);
	KUNIT_EXPECT_EQ(test, r->plan.bytes, r->sel ? 0 : r->dmalen);
	KUNIT_EXPECT_EQ(test, r->plan.va, r->va);
	KUNIT_EXPECT_EQ(test, r->plan.rkey, r->rkey);
	KUNIT_EXPECT_EQ(test, r->resp.epsn, 0U);
	KUNIT_EXPECT_EQ(test, r->resp.msn, 1U);
}

static void every_type_level_and_length(struct kunit *test)
{
	struct resp_rig *r = resp_rig(test, RXE_RC, 0);
	int i;

	r->va = 0x123456789abcdef;
	r->rkey = 0x4711;
	for (r->plt = 0; r->plt < 16; r->plt++)
		for (r->sel = 0; r->sel < 4; r->sel++)
			for (i = 0; i < ARRAY_SIZE(lengths); i++) {
				r->dmalen = lengths[i];
				check_one(test, r, true);
			}
}

static void every_right_of_the_qp(struct kunit *test)
{
	struct resp_rig *r = resp_rig(test, RXE_RC, 0);
	u32 access, max_res;

	r->dmalen = 64;
	for (access = 0; access <= RIGHTS; access++) {
		if (access & ~RIGHTS)
			continue;
		r->resp.access = access;
		for (max_res = 0; max_res < 3; max_res++) {
			r->resp.max_res = max_res;
			for (r->plt = 1; r->plt < 4; r->plt++)
				for (r->sel = 0; r->sel < 2; r->sel++)
					check_one(test, r, max_res);
		}
	}
}

/* A packet that has payload is no FLUSH, and one in the middle of a message no request */
static void it_stands_alone(struct kunit *test)
{
	struct resp_rig *r = resp_rig(test, RXE_RC, 0);

	resp_rx(r, RXE_OP_SEND_FIRST, 0, 256);
	resp_rx(r, RXE_OP_FLUSH, 1, 0);
	KUNIT_EXPECT_EQ(test, (int)r->plan.verdict, (int)RXE_RX_FATAL);
	KUNIT_EXPECT_EQ(test, r->plan.nak, 0x61);
	KUNIT_EXPECT_EQ(test, r->resp.epsn, 1U);
}

/* Answered again, never carried out again, also more than were agreed on: the kernel's own
 * driver does not count these
 */
static void duplicates_are_answered(struct kunit *test)
{
	struct resp_rig *r = resp_rig(test, RXE_RC, 0xfffffe);
	u32 n, i;

	KUNIT_ASSERT_LT(test, r->resp.max_res, 6);
	for (n = 0; n < 6; n++) {
		r->dmalen = 64 * n;
		resp_rx(r, RXE_OP_FLUSH, r->resp.epsn, 0);
		KUNIT_ASSERT_EQ(test, (int)r->plan.verdict, (int)RXE_RX_EXEC);
	}
	KUNIT_ASSERT_EQ(test, r->resp.epsn, 4U);
	for (i = 0; i < 6; i++) {
		u32 psn = (0xfffffe + i) & 0xffffff;

		resp_rx(r, RXE_OP_FLUSH, psn, 0);
		KUNIT_EXPECT_EQ(test, (int)r->plan.verdict, (int)RXE_RX_ATOMIC);
		KUNIT_EXPECT_EQ(test, r->plan.res->type, RXE_RES_FLUSH);
		KUNIT_EXPECT_EQ(test, r->plan.res->first_psn, psn);
	}
	KUNIT_EXPECT_EQ(test, r->executed, 6U);
	KUNIT_EXPECT_EQ(test, r->resp.epsn, 4U);
	KUNIT_EXPECT_EQ(test, r->resp.msn, 6U);
}

static struct rxe_swqe *post(struct req_rig *r, u8 plt, u8 sel, u32 length)
{
	struct rxe_swqe *w = req_post(r, RXE_WR_FLUSH, length, 0);

	w->flush_plt = plt;
	w->flush_sel = sel;
	return w;
}

/* BTH, FETH, RETH and nothing else (annex A19) */
static void bytes_on_the_wire(struct kunit *test)
{
	static const u8 want[] = { 0x1c, 0x40, 0xff, 0xff, 0x00, 0x00, 0x00,
				   0x22, 0x80, 0x12, 0x34, 0x56, 0x00, 0x00,
				   0x00, 0x13, 0x00, 0x00, 0x00, 0x12, 0x34,
				   0x56, 0x78, 0x9a, 0x00, 0x00, 0x10, 0x01,
				   0x00, 0x00, 0x13, 0x88 };
	struct req_rig *r = req_rig(test, RXE_RC, 0x123456);
	u8 got[40] = {};

	post(r, 3, 1, 5000);
	req_send(r, 16);
	KUNIT_ASSERT_EQ(test, r->n, 1U);
	KUNIT_ASSERT_EQ(test, r->pkt[0].hdr_bytes, (u16)sizeof(want));
	KUNIT_EXPECT_EQ(test, r->pkt[0].payload_bytes, 0U);
	rxe_pkt_build(&r->pkt[0], got);
	KUNIT_EXPECT_EQ_MSG(test, memcmp(got, want, sizeof(want)), 0, "%*ph",
			    (int)sizeof(want), got);
	/* One PSN, whatever the length, and one of the READs that may be out */
	KUNIT_EXPECT_EQ(test, r->req.psn, 0x123457U);
	KUNIT_EXPECT_EQ(test, r->req.rd_atomic, 1U);
	req_response(r, RXE_OP_READ_RESP_ONLY, 0x123456, 0);
	KUNIT_EXPECT_EQ(test, req_finished(r), 1U);
	KUNIT_EXPECT_EQ(test, r->status, RXE_ST_SUCCESS);
	KUNIT_EXPECT_EQ(test, r->req.rd_atomic, 0U);
}

static void limited_like_reads(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	post(r, 1, 0, 64);
	req_post(r, RXE_WR_READ, 10, 0);
	post(r, 1, 0, 64);
	req_send(r, 16);
	KUNIT_EXPECT_EQ(test, r->n, 2U); /* the rig has a limit of two */
	req_response(r, RXE_OP_READ_RESP_ONLY, 0, 0);
	req_send(r, 16);
	KUNIT_EXPECT_EQ(test, r->n, 1U);

	/* Without the right to any it fails, instead of waiting for ever */
	r = req_rig(test, RXE_RC, 0);
	r->req.max_rd_atomic = 0;
	post(r, 1, 0, 64);
	req_send(r, 16);
	KUNIT_EXPECT_EQ(test, r->n, 0U);
	KUNIT_EXPECT_EQ(test, req_finished(r), 1U);
	KUNIT_EXPECT_EQ(test, r->status, RXE_ST_LOC_QP_OP_ERR);
}

static void fence_waits_for_it(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	post(r, 1, 0, 64);
	req_post(r, RXE_WR_WRITE, 8, RXE_WR_FENCE);
	req_send(r, 16);
	KUNIT_EXPECT_EQ(test, r->n, 1U);
	req_response(r, RXE_OP_READ_RESP_ONLY, 0, 0);
	req_send(r, 16);
	KUNIT_EXPECT_EQ(test, r->n, 1U);
	KUNIT_EXPECT_EQ(test, r->pkt[0].opcode, RXE_OP_WRITE_ONLY);
}

/* The FLUSH that is out is sent until the peer has it or @max times; how often that
 * was. @twice: the form of the ICRC that the peer takes.
 */
static u32 sends_until(struct req_rig *r, bool twice, u32 max)
{
	u32 i, psn = r->req.una;

	r->req.retry_cnt = 100;
	r->req.retry_left = 100;
	for (i = 1; i <= max; i++) {
		req_send(r, 16);
		if (r->n != 1 || r->pkt[0].opcode != RXE_OP_FLUSH)
			return 0;
		if (r->pkt[0].icrc_twice == twice) {
			req_response(r, RXE_OP_READ_RESP_ONLY, psn, 0);
			req_finished(r);
			break;
		}
		r->now = rxe_req_deadline(&r->req);
		req_timer(r);
	}
	return i;
}

/* The form by the book first, the other one when nobody answers; what was found out
 * is not forgotten
 */
static void the_other_icrc_is_tried(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);
	int i;

	post(r, 1, 0, 64);
	KUNIT_EXPECT_EQ(test, sends_until(r, true, 20), 3U);
	for (i = 0; i < 3; i++) {
		post(r, 1, 0, 64);
		KUNIT_EXPECT_EQ(test, sends_until(r, true, 20), 1U);
	}
	/* Another peer behind the same address: not stuck */
	post(r, 1, 0, 64);
	KUNIT_EXPECT_EQ(test, sends_until(r, false, 20), 3U);
	post(r, 1, 0, 64);
	KUNIT_EXPECT_EQ(test, sends_until(r, false, 20), 1U);
	rxe_req_reset(&r->req, 0);
	KUNIT_EXPECT_FALSE(test, r->req.icrc_twice);
}

/* One that was only lost does not change the form for the next */
static void a_lost_flush_proves_nothing(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	post(r, 1, 0, 64);
	req_send(r, 16);
	r->now = rxe_req_deadline(&r->req);
	req_timer(r);
	KUNIT_EXPECT_EQ(test, sends_until(r, false, 20), 1U);
	post(r, 1, 0, 64);
	KUNIT_EXPECT_EQ(test, sends_until(r, false, 20), 1U);
}

static void the_peer_shows_its_icrc(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	rxe_req_icrc(&r->req, true);
	post(r, 1, 0, 64);
	KUNIT_EXPECT_EQ(test, sends_until(r, true, 20), 1U);
	rxe_req_icrc(&r->req, false);
	post(r, 1, 0, 64);
	KUNIT_EXPECT_EQ(test, sends_until(r, false, 20), 1U);
}

static int flush_init(struct kunit *test)
{
	size_t bytes = max(sizeof(struct req_rig), sizeof(struct resp_rig));

	test->priv = kunit_kzalloc(test, bytes, GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

static struct kunit_case flush_cases[] = {
	KUNIT_CASE(every_type_level_and_length),
	KUNIT_CASE(every_right_of_the_qp),
	KUNIT_CASE(it_stands_alone),
	KUNIT_CASE(duplicates_are_answered),
	KUNIT_CASE(bytes_on_the_wire),
	KUNIT_CASE(limited_like_reads),
	KUNIT_CASE(fence_waits_for_it),
	KUNIT_CASE(the_other_icrc_is_tried),
	KUNIT_CASE(a_lost_flush_proves_nothing),
	KUNIT_CASE(the_peer_shows_its_icrc),
	{}
};

static struct kunit_suite flush_suite = {
	.name = "rxe_flush",
	.init = flush_init,
	.test_cases = flush_cases,
};

kunit_test_suite(flush_suite);
