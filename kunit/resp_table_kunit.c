// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * proto/resp.c: every request opcode in every state of the responder: what it is
 * in the middle of, where the PSN lies, and whether a NAK or an RNR NAK is out
 */
#include "resp_rig.h"
#include "wire/hdr.h"

#define START_PSN 0xfffffe /* the middle of a message is across the wrap */

/* What the responder is in the middle of */
enum message {
	NOTHING,
	A_SEND,
	A_WRITE, /* more than one packet of it to come */
	A_WRITE_END, /* one packet of it to come */
	MESSAGES,
};

/* How the PSN of the packet lies to the one expected */
enum place {
	DUPLICATE,
	EXPECTED,
	AHEAD, /* the first one beyond a hole */
	FURTHER, /* a NAK is out, and the PSN goes on */
	AGAIN, /* a NAK is out, and the PSN went back */
	PLACES,
};

/**
 * struct state - what a request meets
 * @message: the responder is in the middle of it
 * @place: of the request's PSN
 * @rnr: the request expected has been there and found no receive work request
 */
struct state {
	enum message message;
	enum place place;
	bool rnr;
};

/**
 * struct row - a request opcode and what is due to it
 * @op: operation, the lower five bits
 * @in: messages that it may come in, a bit per enum message (IBTA table 38)
 * @dup: verdict on a duplicate that asks for an ACK and for which there is no
 *	responder resource (IBTA 9.7.5.1.4)
 * @uc: UC has it
 */
struct row {
	u8 op;
	u8 in;
	enum rxe_rx_verdict dup;
	bool uc;
};

#define IN_NOTHING BIT(NOTHING)
#define IN_SEND BIT(A_SEND)
#define IN_WRITE BIT(A_WRITE)
#define IN_WRITE_END BIT(A_WRITE_END)

static const struct row rows[] = {
	{ RXE_OP_SEND_FIRST, IN_NOTHING, RXE_RX_ACK, true },
	{ RXE_OP_SEND_MIDDLE, IN_SEND, RXE_RX_ACK, true },
	{ RXE_OP_SEND_LAST, IN_SEND, RXE_RX_ACK, true },
	{ RXE_OP_SEND_LAST_IMM, IN_SEND, RXE_RX_ACK, true },
	{ RXE_OP_SEND_ONLY, IN_NOTHING, RXE_RX_ACK, true },
	{ RXE_OP_SEND_ONLY_IMM, IN_NOTHING, RXE_RX_ACK, true },
	{ RXE_OP_WRITE_FIRST, IN_NOTHING, RXE_RX_ACK, true },
	{ RXE_OP_WRITE_MIDDLE, IN_WRITE, RXE_RX_ACK, true },
	{ RXE_OP_WRITE_LAST, IN_WRITE_END, RXE_RX_ACK, true },
	{ RXE_OP_WRITE_LAST_IMM, IN_WRITE_END, RXE_RX_ACK, true },
	{ RXE_OP_WRITE_ONLY, IN_NOTHING, RXE_RX_ACK, true },
	{ RXE_OP_WRITE_ONLY_IMM, IN_NOTHING, RXE_RX_ACK, true },
	{ RXE_OP_READ_REQUEST, IN_NOTHING, RXE_RX_DROP },
	{ RXE_OP_CMP_SWAP, IN_NOTHING, RXE_RX_DROP },
	{ RXE_OP_FETCH_ADD, IN_NOTHING, RXE_RX_DROP },
	{ RXE_OP_SEND_LAST_INV, IN_SEND, RXE_RX_ACK },
	{ RXE_OP_SEND_ONLY_INV, IN_NOTHING, RXE_RX_ACK },
	{ RXE_OP_FLUSH, IN_NOTHING, RXE_RX_DROP },
	{ RXE_OP_ATOMIC_WRITE, IN_NOTHING, RXE_RX_DROP },
};

/* Every request that a class has is in the table, and nothing else */
static void table_is_whole(struct kunit *test)
{
	u32 op, i, rc = 0, uc = 0;

	for (op = 0; op < 32; op++) {
		rc += !!(rxe_opcode[RXE_OP_RC | op].flags & RXE_F_REQUEST);
		uc += !!(rxe_opcode[RXE_OP_UC | op].flags & RXE_F_REQUEST);
	}
	KUNIT_EXPECT_EQ(test, rc, (u32)ARRAY_SIZE(rows));
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		KUNIT_EXPECT_TRUE(test,
				  rxe_opcode[rows[i].op].flags & RXE_F_REQUEST);
		uc -= rows[i].uc;
	}
	KUNIT_EXPECT_EQ(test, uc, 0U);
}

static struct resp_rig *prepare(struct kunit *test, enum rxe_transport t,
				enum message message)
{
	u8 class = t == RXE_UC ? RXE_OP_UC : RXE_OP_RC;
	struct resp_rig *r = resp_rig(test, t, START_PSN);

	if (message == A_SEND)
		resp_rx(r, class | RXE_OP_SEND_FIRST, START_PSN, 256);
	if (message == A_WRITE || message == A_WRITE_END) {
		r->dmalen = 256 + 256 + 256;
		resp_rx(r, class | RXE_OP_WRITE_FIRST, START_PSN, 256);
	}
	if (message == A_WRITE_END)
		resp_rx(r, class | RXE_OP_WRITE_MIDDLE, r->resp.epsn, 256);
	return r;
}

/* An RNR NAK is out; false: the next packet of that message needs no receive work
 * request, or has it since the first
 */
static bool refuse(struct resp_rig *r, enum message message)
{
	u8 opcode = message == NOTHING ? RXE_OP_SEND_ONLY :
					 RXE_OP_WRITE_LAST_IMM;

	if (message != NOTHING && message != A_WRITE_END)
		return false;
	r->no_rwqe = true;
	resp_rx(r, opcode, r->resp.epsn, 256);
	r->no_rwqe = false;
	return true;
}

/* The packet, well formed where it may come; PSN as @place says */
static void receive(struct resp_rig *r, u8 opcode, enum place place)
{
	u32 epsn = r->resp.epsn;
	u32 psn = epsn;

	if (place == DUPLICATE)
		psn = rxe_psn_sub(epsn, 1);
	if (place >= AHEAD)
		psn = rxe_psn_add(epsn, 5);
	if (place == FURTHER)
		resp_rx(r, opcode, rxe_psn_add(epsn, 4), r->fit);
	if (place == AGAIN)
		resp_rx(r, opcode, rxe_psn_add(epsn, 6), r->fit);
	r->ack_req = true;
	resp_rx(r, opcode, psn, r->fit);
}

static enum rxe_rx_verdict rc_verdict(const struct row *row,
				      const struct state *s)
{
	switch (s->place) {
	case DUPLICATE:
		return row->dup;
	case EXPECTED:
		return row->in & BIT(s->message) ? RXE_RX_EXEC : RXE_RX_FATAL;
	default:
		return RXE_RX_AHEAD;
	}
}

/* What is said to a packet beyond a hole: once, and when the PSNs go back. After an RNR
 * NAK all comes again, so what is beyond is no hole (IBTA 9.7.5.2.8).
 */
static u8 nak_beyond(const struct state *s)
{
	switch (s->place) {
	case AHEAD:
		return s->rnr ? 0 : 0x60;
	case AGAIN:
		return 0x60;
	default:
		return 0;
	}
}

/* What was received stands as it stood */
static bool same_progress(const struct rxe_resp *a, const struct rxe_resp *b)
{
	return a->epsn == b->epsn && a->msn == b->msn && a->msg == b->msg &&
	       a->offset == b->offset && a->write_left == b->write_left &&
	       a->write_va == b->write_va && a->write_rkey == b->write_rkey &&
	       a->res_next == b->res_next && a->reading == b->reading;
}

#define EXPECT_RC(a, b)                                                 \
	KUNIT_EXPECT_EQ_MSG(test, a, b,                                 \
			    "opcode %#x, message %d, place %d, RNR %d", \
			    row->op, s->message, s->place, s->rnr)

static void check_rc(struct kunit *test, const struct row *row,
		     const struct state *s)
{
	struct resp_rig *r = prepare(test, RXE_RC, s->message);
	enum rxe_rx_verdict want = rc_verdict(row, s);
	struct rxe_resp was = r->resp;

	r->resp.hold = 16;
	if (s->rnr) {
		if (!refuse(r, s->message))
			return;
		EXPECT_RC(r->syndrome, 0x20);
		EXPECT_RC(same_progress(&was, &r->resp), true);
	}
	resp_fit(r, row->op);
	receive(r, row->op, s->place);
	EXPECT_RC((int)r->plan.verdict, (int)want);
	EXPECT_RC(r->plan.nak, want == RXE_RX_FATAL ? 0x61 : 0);
	EXPECT_RC(r->nak, nak_beyond(s));
	EXPECT_RC(r->plan.keep, want == RXE_RX_AHEAD && !s->rnr);
	/* Each packet that is carried out moves on by one, no other moves */
	EXPECT_RC(same_progress(&was, &r->resp), want != RXE_RX_EXEC);
	if (want == RXE_RX_EXEC)
		KUNIT_EXPECT_EQ(test, r->resp.epsn, rxe_psn_add(was.epsn, 1));
}

#undef EXPECT_RC

static void every_request_in_every_state_of_rc(struct kunit *test)
{
	struct state s;
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (n = 0; n < MESSAGES * PLACES * 2; n++) {
			s.message = n % MESSAGES;
			s.place = n / MESSAGES % PLACES;
			s.rnr = n / MESSAGES / PLACES;
			check_rc(test, &rows[i], &s);
		}
	}
}

/* As long as no receive work request comes, the same is said; another request that may
 * follow there and needs none is carried out
 */
static void check_not_ready(struct kunit *test, const struct row *row,
			    enum message message)
{
	struct resp_rig *r = prepare(test, RXE_RC, message);
	u32 flags = rxe_opcode[row->op].flags;
	bool needs = (flags & RXE_F_SEND) || (flags & RXE_F_RWQE);
	struct rxe_resp was = r->resp;
	u32 executed = r->executed;
	int i;

	if (!(row->in & BIT(message)) || !refuse(r, message))
		return;
	r->no_rwqe = true;
	resp_fit(r, row->op);
	for (i = 0; i < (needs ? 3 : 1); i++) {
		r->syndrome = 0;
		receive(r, row->op, EXPECTED);
		KUNIT_EXPECT_EQ(test, r->syndrome, needs ? 0x20 : 0);
		KUNIT_EXPECT_EQ(test, same_progress(&was, &r->resp), needs);
	}
	KUNIT_EXPECT_EQ_MSG(test, r->executed - executed, (u32)!needs,
			    "opcode %#x, message %d", row->op, message);
}

static void every_request_without_a_receive(struct kunit *test)
{
	int i, message;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (message = 0; message < MESSAGES; message++)
			check_not_ready(test, &rows[i], message);
}

/* IBTA 9.8.2.2: never a word, never an error but in what the packet asks for; a
 * message that starts is taken whatever came before
 */
static void check_uc(struct kunit *test, const struct row *row,
		     enum message message, enum place place)
{
	struct resp_rig *r = prepare(test, RXE_UC, message);
	u32 flags = rxe_opcode[RXE_OP_UC | row->op].flags;
	bool good = rxe_op_starts(flags) ||
		    (place == EXPECTED && (row->in & BIT(message)));

	resp_fit(r, RXE_OP_UC | row->op);
	if (place >= FURTHER)
		return;
	receive(r, RXE_OP_UC | row->op, place);
	KUNIT_EXPECT_EQ_MSG(test, (int)r->plan.verdict,
			    good ? (int)RXE_RX_EXEC : (int)RXE_RX_DROP,
			    "opcode %#x, message %d, place %d", row->op,
			    message, place);
	KUNIT_EXPECT_FALSE(test, r->plan.ack);
	/* Otherwise the message is lost, and the next one that starts is not */
	if (good)
		return;
	KUNIT_EXPECT_EQ(test, (int)r->resp.msg, (int)RXE_MSG_NONE);
	resp_fit(r, RXE_OP_UC | RXE_OP_SEND_ONLY);
	resp_rx(r, RXE_OP_UC | RXE_OP_SEND_ONLY, 0x123456, r->fit);
	KUNIT_EXPECT_EQ(test, (int)r->plan.verdict, (int)RXE_RX_EXEC);
}

static void every_request_in_every_state_of_uc(struct kunit *test)
{
	int i, message, place;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (message = 0; message < MESSAGES; message++)
			for (place = 0; rows[i].uc && place < PLACES; place++)
				check_uc(test, &rows[i], message, place);
}

/* UD has no state: any PSN will do, again and again */
static void every_request_of_ud(struct kunit *test)
{
	static const u8 opcodes[] = { RXE_OP_UD | RXE_OP_SEND_ONLY,
				      RXE_OP_UD | RXE_OP_SEND_ONLY_IMM };
	static const u32 psns[] = { 0, 5, 5, 4, 0x7fffff, 0xffffff, 0 };
	struct resp_rig *r = resp_rig(test, RXE_UD, 5);
	int i, k;

	r->ack_req = true;
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		for (k = 0; k < ARRAY_SIZE(psns); k++) {
			resp_rx(r, opcodes[i], psns[k], 256);
			KUNIT_EXPECT_EQ(test, (int)r->plan.verdict,
					(int)RXE_RX_EXEC);
			KUNIT_EXPECT_TRUE(test, r->plan.complete);
			KUNIT_EXPECT_FALSE(test, r->plan.ack);
			KUNIT_EXPECT_EQ(test, r->plan.msg_bytes, 256U);
		}
		resp_rx(r, opcodes[i], 5, 257);
		KUNIT_EXPECT_EQ(test, (int)r->plan.verdict, (int)RXE_RX_DROP);
	}
}

/* Requests that leave a resource, in pairs of first and duplicate: only one of the
 * same kind is answered again
 */
static void every_resource_with_every_duplicate(struct kunit *test)
{
	static const u8 ops[] = { RXE_OP_READ_REQUEST, RXE_OP_CMP_SWAP,
				  RXE_OP_FETCH_ADD, RXE_OP_FLUSH,
				  RXE_OP_ATOMIC_WRITE };
	int i, k;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		for (k = 0; k < ARRAY_SIZE(ops); k++) {
			struct resp_rig *r = resp_rig(test, RXE_RC, START_PSN);
			bool atomics = (i == 1 || i == 2) && (k == 1 || k == 2);
			int want = i != k && !atomics ? RXE_RX_DROP :
				   i == 0	      ? RXE_RX_READ :
							RXE_RX_ATOMIC;

			resp_fit(r, ops[i]);
			resp_rx(r, ops[i], START_PSN, r->fit);
			resp_stream(r);
			KUNIT_ASSERT_EQ(test, r->executed, 1U);
			resp_fit(r, ops[k]);
			resp_rx(r, ops[k], START_PSN, r->fit);
			KUNIT_EXPECT_EQ_MSG(test, (int)r->plan.verdict, want,
					    "%#x, then %#x", ops[i], ops[k]);
			KUNIT_EXPECT_EQ(test, r->executed, 1U);
		}
	}
}

static struct kunit_case resp_table_cases[] = {
	KUNIT_CASE(table_is_whole),
	KUNIT_CASE(every_request_in_every_state_of_rc),
	KUNIT_CASE(every_request_without_a_receive),
	KUNIT_CASE(every_request_in_every_state_of_uc),
	KUNIT_CASE(every_request_of_ud),
	KUNIT_CASE(every_resource_with_every_duplicate),
	{}
};

static struct kunit_suite resp_table_suite = {
	.name = "rxe_resp_table",
	.init = resp_rig_init,
	.test_cases = resp_table_cases,
};

kunit_test_suite(resp_table_suite);
