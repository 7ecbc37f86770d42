// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* proto/req.c, one rule at a time; pair_kunit.c has them all together */
#include <asm/byteorder.h>

#include "req_rig.h"

/**
 * struct cut - a message and the packets it must become
 * @transport: RC or UC
 * @op: enum rxe_wr_op
 * @length: message bytes; the path MTU is 256
 * @opcodes: of the packets
 * @n: how many there are
 */
struct cut {
	enum rxe_transport transport;
	u8 op;
	u32 length;
	u8 opcodes[4];
	u32 n;
};

static const struct cut cuts[] = {
	{ RXE_RC, RXE_WR_SEND, 0, { 0x04 }, 1 },
	{ RXE_RC, RXE_WR_SEND, 1, { 0x04 }, 1 },
	{ RXE_RC, RXE_WR_SEND, 256, { 0x04 }, 1 },
	{ RXE_RC, RXE_WR_SEND, 257, { 0x00, 0x02 }, 2 },
	{ RXE_RC, RXE_WR_SEND, 512, { 0x00, 0x02 }, 2 },
	{ RXE_RC, RXE_WR_SEND, 513, { 0x00, 0x01, 0x02 }, 3 },
	{ RXE_RC, RXE_WR_SEND, 1024, { 0x00, 0x01, 0x01, 0x02 }, 4 },
	{ RXE_RC, RXE_WR_SEND_IMM, 5, { 0x05 }, 1 },
	{ RXE_RC, RXE_WR_SEND_IMM, 700, { 0x00, 0x01, 0x03 }, 3 },
	{ RXE_RC, RXE_WR_SEND_INV, 0, { 0x17 }, 1 },
	{ RXE_RC, RXE_WR_SEND_INV, 300, { 0x00, 0x16 }, 2 },
	{ RXE_RC, RXE_WR_WRITE, 0, { 0x0a }, 1 },
	{ RXE_RC, RXE_WR_WRITE, 256, { 0x0a }, 1 },
	{ RXE_RC, RXE_WR_WRITE, 1000, { 0x06, 0x07, 0x07, 0x08 }, 4 },
	{ RXE_RC, RXE_WR_WRITE_IMM, 0, { 0x0b }, 1 },
	{ RXE_RC, RXE_WR_WRITE_IMM, 600, { 0x06, 0x07, 0x09 }, 3 },
	{ RXE_RC, RXE_WR_READ, 1000, { 0x0c }, 1 },
	{ RXE_RC, RXE_WR_CMP_SWAP, 8, { 0x13 }, 1 },
	{ RXE_RC, RXE_WR_FETCH_ADD, 8, { 0x14 }, 1 },
	{ RXE_RC, RXE_WR_FLUSH, 4096, { 0x1c }, 1 },
	{ RXE_RC, RXE_WR_ATOMIC_WRITE, 8, { 0x1d }, 1 },
	{ RXE_UC, RXE_WR_SEND, 10, { 0x24 }, 1 },
	{ RXE_UC, RXE_WR_SEND, 600, { 0x20, 0x21, 0x22 }, 3 },
	{ RXE_UC, RXE_WR_SEND_IMM, 10, { 0x25 }, 1 },
	{ RXE_UC, RXE_WR_SEND_IMM, 600, { 0x20, 0x21, 0x23 }, 3 },
	{ RXE_UC, RXE_WR_WRITE, 10, { 0x2a }, 1 },
	{ RXE_UC, RXE_WR_WRITE, 600, { 0x26, 0x27, 0x28 }, 3 },
	{ RXE_UC, RXE_WR_WRITE_IMM, 10, { 0x2b }, 1 },
	{ RXE_UC, RXE_WR_WRITE_IMM, 600, { 0x26, 0x27, 0x29 }, 3 },
};

/* Payload of packet @i of @c */
static u32 payload_of(const struct cut *c, u32 i)
{
	switch (c->op) {
	case RXE_WR_READ:
	case RXE_WR_CMP_SWAP:
	case RXE_WR_FETCH_ADD:
	case RXE_WR_FLUSH:
		return 0;
	default:
		return i + 1 < c->n ? 256 : c->length - 256 * (c->n - 1);
	}
}

static void check_cut(struct kunit *test, const struct cut *c, u32 max_pkts)
{
	struct req_rig *r = req_rig(test, c->transport, 0xfffffe);
	const struct rxe_pkt *pkt;
	u32 i;

	req_post(r, c->op, c->length, RXE_WR_SOLICITED);
	req_send(r, max_pkts);
	KUNIT_ASSERT_EQ_MSG(test, r->n, c->n, "op %u, %u bytes", c->op,
			    c->length);
	for (i = 0; i < r->n; i++) {
		bool last = i + 1 == c->n;

		pkt = &r->pkt[i];
		KUNIT_ASSERT_EQ_MSG(test, pkt->opcode, c->opcodes[i],
				    "op %u, %u bytes, packet %u", c->op,
				    c->length, i);
		KUNIT_ASSERT_EQ(test, pkt->psn, (0xfffffe + i) & 0xffffff);
		KUNIT_ASSERT_EQ(test, pkt->payload_bytes, payload_of(c, i));
		KUNIT_ASSERT_EQ(test, pkt->ack_req + 0,
				last && c->transport == RXE_RC);
		KUNIT_ASSERT_EQ(test, r->offset[i], i * 256);
		KUNIT_ASSERT_EQ(test, pkt->dest_qpn, 0x22U);
		if (!last)
			KUNIT_ASSERT_FALSE(test, pkt->se);
	}
}

static void messages_are_cut_into_packets(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(cuts); i++) {
		check_cut(test, &cuts[i], 1);
		check_cut(test, &cuts[i], 2);
		check_cut(test, &cuts[i], 64);
	}
}

static void headers_carry_the_work_request(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 10);

	req_post(r, RXE_WR_WRITE_IMM, 300, RXE_WR_SOLICITED);
	req_post(r, RXE_WR_SEND_INV, 1, 0);
	req_post(r, RXE_WR_CMP_SWAP, 8, 0);
	req_send(r, 64);
	KUNIT_ASSERT_EQ(test, r->n, 4U);
	KUNIT_EXPECT_EQ(test, r->pkt[0].va, RIG_VA);
	KUNIT_EXPECT_EQ(test, r->pkt[0].rkey, RIG_RKEY);
	KUNIT_EXPECT_EQ(test, r->pkt[0].dmalen, 300U);
	KUNIT_EXPECT_EQ(test, (__force u32)r->pkt[1].imm,
			(__force u32)cpu_to_be32(RIG_IMM));
	KUNIT_EXPECT_TRUE(test, r->pkt[1].se);
	KUNIT_EXPECT_EQ(test, r->pkt[2].rkey, RIG_INV);
	KUNIT_EXPECT_EQ(test, r->pkt[3].swap_add, RIG_SWAP);
	KUNIT_EXPECT_EQ(test, r->pkt[3].compare, RIG_COMPARE);
	KUNIT_EXPECT_EQ(test, r->pkt[3].va, RIG_VA);
}

static void datagrams_carry_keys(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_UD, 10);

	r->req.qkey = 0x80000005;
	req_post(r, RXE_WR_SEND, 1, 0)->remote_qkey = 0x1234;
	req_post(r, RXE_WR_SEND_IMM, 1, 0)->remote_qkey = 0x80000001;
	req_send(r, 64);
	KUNIT_ASSERT_EQ(test, r->n, 2U);
	KUNIT_EXPECT_EQ(test, r->pkt[0].opcode, 0x64);
	KUNIT_EXPECT_EQ(test, r->pkt[1].opcode, 0x65);
	KUNIT_EXPECT_EQ(test, r->pkt[0].qkey, 0x1234U);
	KUNIT_EXPECT_EQ(test, r->pkt[1].qkey, 0x80000005U);
	KUNIT_EXPECT_EQ(test, r->pkt[0].src_qpn, 0x11U);
	KUNIT_EXPECT_EQ(test, r->pkt[0].dest_qpn, RIG_UD_QPN);
	KUNIT_EXPECT_EQ(test, req_finished(r), 2U);

	r->req.src_qpn = 1;
	req_post(r, RXE_WR_SEND, 1, 0)->remote_qkey = 0x80010000;
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->pkt[0].qkey, 0x80010000U);
}

static void ack_completes_all_before_it(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0xffffff);

	req_post(r, RXE_WR_SEND, 1, 0);
	req_post(r, RXE_WR_WRITE, 600, 0);
	req_post(r, RXE_WR_SEND, 1, 0);
	req_send(r, 64);
	/* In the middle of the second */
	req_ack(r, 1, 0x1f);
	KUNIT_EXPECT_EQ(test, req_finished(r), 1U);
	KUNIT_EXPECT_EQ(test, r->req.una, 2U);
	req_ack(r, 3, 0x1f);
	KUNIT_EXPECT_EQ(test, req_finished(r), 2U);
	KUNIT_EXPECT_TRUE(test, rxe_req_idle(&r->req));
	KUNIT_EXPECT_TRUE(test, rxe_req_drained(&r->req));
	KUNIT_EXPECT_EQ(test, rxe_req_deadline(&r->req), 0ULL);
}

/* ACKs and NAKs of what is not outstanding change nothing */
static void ghosts_are_dropped(struct kunit *test)
{
	static const u32 psns[] = { 0x0,   0x7ffffe, 0x100,   0x102,
				    0x103, 0x123456, 0xfffffe };
	static const u8 syndromes[] = { 0x1f, 0x00, 0x20, 0x60, 0x61, 0x64 };
	struct req_rig *r = req_rig(test, RXE_RC, 0x100);
	struct rxe_req was;
	int i, k;

	req_post(r, RXE_WR_SEND, 1, 0);
	req_post(r, RXE_WR_SEND, 1, 0);
	req_send(r, 1);
	req_ack(r, 0x100, 0x1f);
	KUNIT_ASSERT_EQ(test, req_finished(r), 1U);
	was = r->req;
	for (i = 0; i < ARRAY_SIZE(psns); i++) {
		for (k = 0; k < ARRAY_SIZE(syndromes); k++) {
			req_ack(r, psns[i], syndromes[k]);
			KUNIT_EXPECT_EQ_MSG(test, (int)r->plan.verdict,
					    (int)RXE_ACK_DROP, "PSN %#x",
					    psns[i]);
			KUNIT_ASSERT_EQ(test,
					memcmp(&was, &r->req, sizeof(was)), 0);
		}
	}
}

/* All 256 syndromes, for the second of three SENDs */
static void every_syndrome(struct kunit *test)
{
	int s;

	for (s = 0; s < 256; s++) {
		struct req_rig *r = req_rig(test, RXE_RC, 5);
		u8 status = RXE_ST_SUCCESS;

		req_post(r, RXE_WR_SEND, 1, 0);
		req_post(r, RXE_WR_SEND, 1, 0);
		req_post(r, RXE_WR_SEND, 1, 0);
		req_send(r, 64);
		req_ack(r, 6, s);

		if (s >= 0x61 && s <= 0x7f) {
			status = s == 0x61 ? RXE_ST_REM_INV_REQ_ERR :
				 s == 0x62 ? RXE_ST_REM_ACCESS_ERR :
				 s == 0x63 ? RXE_ST_REM_OP_ERR :
					     RXE_ST_BAD_RESP_ERR;
			KUNIT_EXPECT_EQ_MSG(test, (int)r->plan.verdict,
					    (int)RXE_ACK_FATAL, "%#x", s);
			KUNIT_EXPECT_EQ_MSG(test, r->plan.status, status, "%#x",
					    s);
			KUNIT_EXPECT_EQ(test, r->plan.w->wr_id, 1ULL);
			KUNIT_EXPECT_EQ(test, req_finished(r), 2U);
			KUNIT_EXPECT_EQ(test, r->status, status);
			continue;
		}
		/* ACK: two done. RNR, PSN NAK: one. Reserved: none */
		KUNIT_EXPECT_EQ_MSG(test, req_finished(r),
				    s < 0x20		  ? 2U :
				    s < 0x40 || s == 0x60 ? 1U :
							    0U,
				    "%#x", s);
		KUNIT_EXPECT_EQ_MSG(test, r->plan.rnr, s >= 0x20 && s < 0x40,
				    "%#x", s);
		KUNIT_EXPECT_EQ_MSG(test, r->plan.rewound, s == 0x60, "%#x", s);
	}
}

static void check_nak(struct kunit *test, struct req_rig *r, u32 psn,
		      bool rewound)
{
	req_ack(r, psn, RXE_NAK_PSN);
	KUNIT_EXPECT_TRUE(test, r->plan.seq_nak);
	KUNIT_EXPECT_FALSE(test, r->plan.rnr_nak);
	KUNIT_EXPECT_EQ_MSG(test, r->plan.rewound, rewound, "psn %u", psn);
}

/* Counters are those of a capture: repeated NAKs and ghosts are in it too */
static void every_nak_is_counted(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0xffffff);
	int s;

	req_post(r, RXE_WR_SEND, 1, 0);
	req_send(r, 64);
	r->now += 1000; /* a round trip */
	req_ack(r, 0xffffff, 0x1f);
	req_post(r, RXE_WR_SEND, 4 * 256, 0);
	req_send(r, 64);
	check_nak(test, r, 0, true);
	check_nak(test, r, 0, false); /* before anything is sent again */
	req_send(r, 64);
	check_nak(test, r, 0, false); /* within a round trip */
	check_nak(test, r, 0xffffff, false); /* acknowledged */
	check_nak(test, r, 1000, false); /* never sent */

	for (s = 0; s < 256; s++) {
		req_ack(r, 1000, s);
		KUNIT_EXPECT_EQ_MSG(test, r->plan.seq_nak, s == 0x60, "%#x", s);
		KUNIT_EXPECT_EQ_MSG(test, r->plan.rnr_nak,
				    s >= 0x20 && s < 0x40, "%#x", s);
	}
}

/* Responses without the first one, slowly: news keeps the peer alive, not an echo */
static void peer_that_sends_is_not_silent(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0xffff00);
	u32 i, last = 2 * RXE_GOT_PSNS; /* most of it is too far to be kept */

	r->req.read_psns = last + 1;
	req_post(r, RXE_WR_READ, (last + 1) * 256, 0);
	req_send(r, 64);
	for (i = 1; i < last; i++) {
		r->now += RIG_TIMEOUT - 1;
		rxe_req_timeout(&r->req, r->now, &r->plan);
		KUNIT_ASSERT_LT(test, (int)r->plan.verdict, (int)RXE_ACK_FATAL);
		req_send(r, 64);
		req_response(r, 0x0e, rxe_psn_add(0xffff00, i), 256);
	}
	KUNIT_EXPECT_EQ(test, r->req.stats.timeouts, 0ULL);
	for (i = 0; i < 100; i++) {
		req_response(r, 0x0e, rxe_psn_add(0xffff00, last - 1), 256);
		req_timer(r);
		req_send(r, 64);
		if (r->plan.verdict == RXE_ACK_FATAL)
			break;
	}
	KUNIT_EXPECT_EQ(test, r->plan.status, RXE_ST_RETRY_EXC_ERR);
	KUNIT_EXPECT_EQ(test, req_finished(r), 1U);
}

/* READs wait while more is asked for than can be kept; one alone may be any length */
static void answers_outstanding_are_limited(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);
	u32 i, half = RXE_GOT_PSNS / 2;

	r->req.max_rd_atomic = 8;
	req_post(r, RXE_WR_READ, half * 256, 0);
	req_post(r, RXE_WR_READ, half * 256, 0);
	req_post(r, RXE_WR_READ, 3 * RXE_GOT_PSNS * 256, 0);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 2U);
	for (i = 0; i < 2 * half; i++) {
		KUNIT_ASSERT_EQ(test, r->n, i ? 0U : 2U);
		req_response(r, 0x0d + (i % half > 0) + (i % half == half - 1),
			     i, 256);
		req_send(r, 64);
	}
	KUNIT_EXPECT_EQ(test, r->n, 1U);
	KUNIT_EXPECT_EQ(test, req_finished(r), 2U);
}

/* A long READ is asked for in parts, each when the one before has arrived */
static void long_read_goes_in_parts(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0xfffff8);
	u32 i, op;

	r->req.read_psns = 10;
	req_post(r, RXE_WR_READ, 25 * 256, 0);
	req_post(r, RXE_WR_SEND, 1, 0);
	for (i = 0; i < 25; i++) {
		req_send(r, 64);
		if (i % 10) {
			KUNIT_ASSERT_EQ(test, r->n, 0U);
		} else {
			/* With the last part goes what comes after the READ */
			KUNIT_ASSERT_EQ(test, r->n, i == 20 ? 2U : 1U);
			KUNIT_EXPECT_EQ(test, r->pkt[0].psn,
					rxe_psn_add(0xfffff8, i));
			KUNIT_EXPECT_EQ(test, r->pkt[0].va, RIG_VA + i * 256);
			KUNIT_EXPECT_EQ(test, r->pkt[0].dmalen,
					min(25 - i, 10U) * 256);
		}
		op = i % 10 ? 0x0e : 0x0d;
		if (i % 10 == 9 || i == 24)
			op = 0x0f;
		req_response(r, op, rxe_psn_add(0xfffff8, i), 256);
		KUNIT_ASSERT_EQ(test, (int)r->plan.verdict, (int)RXE_ACK_PLACE);
		KUNIT_ASSERT_EQ(test, r->plan.offset, i * 256);
	}
	KUNIT_EXPECT_EQ(test, req_finished(r), 1U);
	KUNIT_EXPECT_EQ(test, r->req.stats.retransmits, 0ULL);
}

#define FIFO_PKTS 4000 /* in the answer */
#define FIFO_LOSES 10 /* one in so many */

/*
 * A peer that sends all at once and answers in turn, what it is asked for again last:
 * of which each tenth packet is lost. Nothing is asked for a third time.
 */
static void holes_are_asked_for_once(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0xfff000);
	u32 head, i, n = 0, asked = 0;
	struct {
		u32 psn;
		u32 n;
	} *fifo =
		kunit_kzalloc(test, 2 * FIFO_PKTS * sizeof(*fifo), GFP_KERNEL);

	KUNIT_ASSERT_TRUE(test, fifo);
	req_post(r, RXE_WR_READ, FIFO_PKTS * 256, 0);
	fifo[n].psn = 0xfff000;
	fifo[n++].n = FIFO_PKTS;
	req_send(r, 64);
	for (head = 0; head < n; head++) {
		u32 last = fifo[head].n - 1;

		for (i = 0; i <= last; i++) {
			u32 j;

			if (!head && i % FIFO_LOSES == 3)
				continue;
			req_response(r,
				     !last     ? 0x10 :
				     !i	       ? 0x0d :
				     i == last ? 0x0f :
						 0x0e,
				     rxe_psn_add(fifo[head].psn, i), 256);
			r->now += 100;
			req_send(r, 64);
			for (j = 0; j < r->n; j++, n++) {
				KUNIT_ASSERT_LT(test, n, 2U * FIFO_PKTS);
				fifo[n].psn = r->pkt[j].psn;
				fifo[n].n = r->pkt[j].dmalen / 256;
				asked += fifo[n].n;
			}
		}
	}
	KUNIT_EXPECT_EQ(test, req_finished(r), 1U);
	KUNIT_EXPECT_EQ(test, r->status, RXE_ST_SUCCESS);
	KUNIT_EXPECT_EQ(test, asked, (u32)FIFO_PKTS / FIFO_LOSES);
}

/* Half a window without an ACK being asked for would stall */
static void window_is_kept_and_acks_are_asked_for(struct kunit *test)
{
	u32 window, i;

	for (window = 1; window <= 64; window++) {
		struct req_rig *r = req_rig(test, RXE_RC, 0xfffff0);
		u32 asked = 0;

		r->req.window = window;
		rxe_req_reset(&r->req, 0xfffff0);
		req_post(r, RXE_WR_SEND, 200 * 256, 0);
		req_send(r, 7);
		KUNIT_ASSERT_EQ(test, r->n, window);
		for (i = 0; i < r->n; i++)
			asked += r->pkt[i].ack_req;
		KUNIT_ASSERT_GE(test, asked, 1U);
		KUNIT_ASSERT_LE(test, asked, window == 1 ? 1U : 3U);
	}
}

/* Every half window asks; but a window that shrank may be full with packets none of which
 * does, and nothing would ever answer them
 */
static void a_full_window_asks_for_an_ack(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0);

	r->req.window = 64;
	rxe_req_reset(&r->req, 0);
	req_post(r, RXE_WR_SEND, 200 * 256, 0);
	req_send(r, 16);
	KUNIT_ASSERT_EQ(test, r->n, 64U);
	KUNIT_ASSERT_TRUE(test, r->pkt[31].ack_req && r->pkt[63].ack_req);
	r->req.cwnd = 48;
	req_ack(r, 31, 0x1f);
	r->req.cwnd = 48;
	req_send(r, 16);
	KUNIT_ASSERT_EQ(test, r->n, 16U);
	req_ack(r, 63, 0x1f);
	r->req.cwnd = 8;
	req_send(r, 16);
	KUNIT_ASSERT_EQ(test, r->n, 1U);
	KUNIT_EXPECT_EQ(test, r->pkt[0].psn, 80U);
	KUNIT_EXPECT_TRUE(test, r->pkt[0].ack_req);
	req_send(r, 16);
	KUNIT_EXPECT_EQ(test, r->n, 0U);
}

/* Nor is it wider for what READs behind it reserve, when all is sent again */
static void window_is_kept_before_reads(struct kunit *test)
{
	struct req_rig *r = req_rig(test, RXE_RC, 0xfffff0);

	req_post(r, RXE_WR_SEND, 30 * 256, 0);
	req_post(r, RXE_WR_READ, 100 * 256, 0);
	req_send(r, 64);
	KUNIT_ASSERT_EQ(test, r->n, 31U);
	req_ack(r, 0xfffff0, 0x2e);
	r->req.cwnd = 8;
	r->now = rxe_req_deadline(&r->req);
	req_send(r, 64);
	KUNIT_EXPECT_EQ(test, r->n, 8U);
}

static struct kunit_case req_cases[] = {
	KUNIT_CASE(messages_are_cut_into_packets),
	KUNIT_CASE(headers_carry_the_work_request),
	KUNIT_CASE(datagrams_carry_keys),
	KUNIT_CASE(ack_completes_all_before_it),
	KUNIT_CASE(ghosts_are_dropped),
	KUNIT_CASE(every_syndrome),
	KUNIT_CASE(every_nak_is_counted),
	KUNIT_CASE(peer_that_sends_is_not_silent),
	KUNIT_CASE(answers_outstanding_are_limited),
	KUNIT_CASE(long_read_goes_in_parts),
	KUNIT_CASE(holes_are_asked_for_once),
	KUNIT_CASE(window_is_kept_and_acks_are_asked_for),
	KUNIT_CASE(a_full_window_asks_for_an_ack),
	KUNIT_CASE(window_is_kept_before_reads),
	{}
};

static struct kunit_suite req_suite = {
	.name = "rxe_req",
	.init = req_rig_init,
	.test_cases = req_cases,
};

kunit_test_suite(req_suite);
