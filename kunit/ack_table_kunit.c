// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * proto/ack.c: every answer to every kind of request that may be the oldest one,
 * at every PSN around what is outstanding; also while an RNR NAK is waited out, and
 * when what was missing has just been sent again
 */
#include "req_rig.h"

#define PSN_0 0xfffffd /* the requests lie across the wrap */
#define MTU 256
#define TAIL 2 /* SENDs of one packet behind the request in question */
#define RNR_CODE 5
#define TIMERS 8 /* until what is missing is sent again */

/* What the requester is about, since the oldest packet was refused */
enum state {
	PLAIN, /* nothing was refused */
	WAITING, /* by an RNR NAK, whose time is not over */
	REPAIRING, /* by a NAK, and it was sent again */
	STATES,
};

/* How a request is answered (IBTA 9.7.5) */
enum answer {
	BY_ACK,
	BY_READ_RESPONSE, /* also ATOMIC WRITE and FLUSH, without payload */
	BY_ATOMIC_ACK,
};

/**
 * struct kind - a request
 * @op: enum rxe_wr_op
 * @length: bytes
 * @psns: PSNs that it takes
 * @answer: how it is answered
 */
struct kind {
	u8 op;
	u32 length;
	u32 psns;
	enum answer answer;
};

static const struct kind kinds[] = {
	{ RXE_WR_SEND, 1, 1, BY_ACK },
	{ RXE_WR_SEND, 0, 1, BY_ACK },
	{ RXE_WR_SEND, 3 * MTU, 3, BY_ACK },
	{ RXE_WR_SEND_IMM, 600, 3, BY_ACK },
	{ RXE_WR_SEND_INV, 10, 1, BY_ACK },
	{ RXE_WR_WRITE, 257, 2, BY_ACK },
	{ RXE_WR_WRITE_IMM, 0, 1, BY_ACK },
	{ RXE_WR_READ, 0, 1, BY_READ_RESPONSE },
	{ RXE_WR_READ, 1, 1, BY_READ_RESPONSE },
	{ RXE_WR_READ, MTU, 1, BY_READ_RESPONSE },
	{ RXE_WR_READ, 2 * MTU + 5, 3, BY_READ_RESPONSE },
	{ RXE_WR_READ_INV, 2 * MTU, 2, BY_READ_RESPONSE },
	{ RXE_WR_CMP_SWAP, 8, 1, BY_ATOMIC_ACK },
	{ RXE_WR_FETCH_ADD, 8, 1, BY_ATOMIC_ACK },
	{ RXE_WR_ATOMIC_WRITE, 8, 1, BY_READ_RESPONSE },
	{ RXE_WR_FLUSH, 64, 1, BY_READ_RESPONSE },
};

/**
 * struct outcome - what is due
 * @verdict: of the requester
 * @done: requests that finish, those in error too
 * @status: of the last of them
 * @rewound: packets go out again
 * @rnr: an RNR wait begins
 */
struct outcome {
	enum rxe_ack_verdict verdict;
	u32 done;
	u8 status;
	bool rewound;
	bool rnr;
};

/* One request of @k, its first @got responses received, and SENDs behind it */
static struct req_rig *prepare(struct kunit *test, const struct kind *k,
			       u32 got, enum state state)
{
	struct req_rig *r = req_rig(test, RXE_RC, PSN_0);
	u32 i;

	req_post(r, k->op, k->length, 0);
	for (i = 0; i < TAIL; i++)
		req_post(r, RXE_WR_SEND, 1, 0);
	req_send(r, 64);
	for (i = 0; i < got; i++) {
		req_response(r, i ? 0x0e : 0x0d, rxe_psn_add(PSN_0, i), MTU);
		KUNIT_ASSERT_EQ(test, (int)r->plan.verdict, (int)RXE_ACK_PLACE);
	}
	if (state == PLAIN)
		return r;
	req_ack(r, rxe_psn_add(PSN_0, got),
		state == WAITING ? 0x20 | RNR_CODE : 0x60);
	KUNIT_ASSERT_EQ(test, r->plan.rnr, state == WAITING);
	req_send(r, 64);
	KUNIT_ASSERT_EQ(test, r->n > 0, state == REPAIRING);
	return r;
}

/* How many requests end before the packet at @at, counted from the first PSN of
 * @k, when all that lies before it is acknowledged
 */
static u32 ended_before(const struct kind *k, u32 at)
{
	return at < k->psns ? 0 : 1 + at - k->psns;
}

static struct outcome lost_response(void)
{
	return (struct outcome){ .verdict = RXE_ACK_OK, .rewound = true };
}

static struct outcome failed(u32 done, u8 status)
{
	return (struct outcome){ RXE_ACK_FATAL, done + 1, status };
}

/* An Acknowledge packet at @at */
static struct outcome expect_aeth(const struct kind *k, u32 got, u32 at,
				  u8 syndrome)
{
	bool ack = syndrome < 0x20;
	u32 end = at + ack; /* all before it is acknowledged */
	u32 done = ended_before(k, end);
	struct outcome o = { .verdict = RXE_ACK_OK, .done = done };

	if (syndrome >= 0x80 || (syndrome & 0x60) == 0x40)
		return (struct outcome){ .verdict = RXE_ACK_DROP };
	/* Acknowledged, but its response is not there: it was lost */
	if (k->answer != BY_ACK && end > got)
		return lost_response();
	if (ack)
		return o;
	if (syndrome < 0x40) {
		o.rnr = true;
		return o;
	}
	switch (syndrome) {
	case 0x60:
		o.rewound = true;
		return o;
	case 0x61:
		return failed(done, RXE_ST_REM_INV_REQ_ERR);
	case 0x62:
		return failed(done, RXE_ST_REM_ACCESS_ERR);
	case 0x63:
		return failed(done, RXE_ST_REM_OP_ERR);
	default:
		return failed(done, RXE_ST_BAD_RESP_ERR);
	}
}

/* Packets go out; none that the peer has acknowledged. True: the oldest one missing is
 * among them.
 */
static bool resends(struct kunit *test, struct req_rig *r)
{
	bool found = false;
	u32 i;

	req_send(r, 64);
	for (i = 0; i < r->n; i++) {
		KUNIT_ASSERT_LT(test, rxe_psn_sub(r->pkt[i].psn, r->req.una),
				rxe_psn_sub(r->req.psn, r->req.una));
		found |= r->pkt[i].psn == r->req.una;
	}
	return found;
}

/* What is missing is sent again, at once or by the timer, but not while the peer wants
 * to be left alone (IBTA 9.7.5.2.8)
 */
static void check_goes_on(struct kunit *test, struct req_rig *r,
			  enum state state)
{
	u32 i;

	if (state == WAITING || r->plan.rnr) {
		req_send(r, 64);
		KUNIT_ASSERT_EQ(test, r->n, 0U);
		r->now += rxe_rnr_code_to_ns(0); /* the longest */
	}
	if (r->req.una == r->req.psn) {
		KUNIT_ASSERT_FALSE(test, resends(test, r));
		return;
	}
	for (i = 0; i < TIMERS && !resends(test, r); i++)
		req_timer(r);
	KUNIT_ASSERT_LT(test, i, (u32)TIMERS);
}

/**
 * struct at - where an answer meets the requester
 * @what: it is, for people
 * @kind: of the request in question
 * @got: its responses that have arrived
 * @at: its PSN, counted from the first
 * @state: of the requester
 */
struct at {
	const char *what;
	u32 kind;
	u32 got;
	u32 at;
	enum state state;
};

#define EXPECT_AT(a, b)                                                       \
	KUNIT_EXPECT_EQ_MSG(test, a, b,                                       \
			    "%s, kind %u, %u got, at %u, state %d", at->what, \
			    at->kind, at->got, at->at, at->state)

static void check(struct kunit *test, struct req_rig *r,
		  const struct outcome *want, const struct at *at)
{
	bool again = at->state == WAITING && want->rnr;
	u32 done = req_finished(r);

	EXPECT_AT((int)r->plan.verdict, (int)want->verdict);
	EXPECT_AT(done, want->done);
	/* Nothing was sent since the first RNR NAK: this one is its double */
	EXPECT_AT(r->plan.rnr, want->rnr && !again);
	if (done)
		EXPECT_AT(r->status, want->status);
	if (at->state == PLAIN)
		EXPECT_AT(r->plan.rewound, want->rewound);
	else if (want->verdict != RXE_ACK_FATAL)
		check_goes_on(test, r, at->state);
}

#undef EXPECT_AT

/* Responses that may be there while the request is the oldest one */
static u32 max_got(const struct kind *k)
{
	return k->answer == BY_READ_RESPONSE ? k->psns - 1 : 0;
}

static void check_syndromes(struct kunit *test, struct at *at)
{
	const struct kind *k = &kinds[at->kind];
	u32 s;

	for (s = 0; s < 256; s++) {
		struct req_rig *r = prepare(test, k, at->got, at->state);
		struct outcome o = expect_aeth(k, at->got, at->at, s);

		req_ack(r, rxe_psn_add(PSN_0, at->at), s);
		check(test, r, &o, at);
	}
}

/* @each for every PSN outstanding, of every kind of request, in every state */
static void for_all(struct kunit *test, const char *what,
		    void (*each)(struct kunit *test, struct at *at))
{
	struct at at = { .what = what };
	const struct kind *k;

	for (at.kind = 0; at.kind < ARRAY_SIZE(kinds); at.kind++) {
		k = &kinds[at.kind];
		for (at.state = 0; at.state < STATES; at.state++)
			for (at.got = 0; at.got <= max_got(k); at.got++)
				for (at.at = at.got; at.at < k->psns + TAIL;
				     at.at++)
					each(test, &at);
	}
}

static void every_syndrome_for_every_request(struct kunit *test)
{
	for_all(test, "syndrome", check_syndromes);
}

/* Answers with data: their opcode, and whether they start and end an answer */
static const struct {
	u8 opcode;
	bool starts;
	bool ends;
} responses[] = {
	{ RXE_OP_READ_RESP_FIRST, true, false },
	{ RXE_OP_READ_RESP_MIDDLE, false, false },
	{ RXE_OP_READ_RESP_LAST, false, true },
	{ RXE_OP_READ_RESP_ONLY, true, true },
	{ RXE_OP_ATOMIC_ACK, true, true },
};

static bool is_read(const struct kind *k)
{
	return k->op == RXE_WR_READ || k->op == RXE_WR_READ_INV;
}

/*
 * A response with data at @at. One that ends the answer must be the last, with
 * all that is left; one that does not must be full and not the last. An answer
 * that was asked for again from its middle on begins anew there, so First and Middle
 * count alike, and Last and Only, but not where it began at first. One that comes early
 * is kept.
 */
static struct outcome expect_response(const struct kind *k, u32 got, u32 at,
				      u32 which, u32 bytes)
{
	bool atomic = responses[which].opcode == RXE_OP_ATOMIC_ACK;
	bool wants_atomic = k->answer == BY_ATOMIC_ACK;
	bool last = at == k->psns - 1;
	u32 left = is_read(k) ? k->length - at * MTU : 0;
	struct outcome o = { .verdict = bytes ? RXE_ACK_PLACE : RXE_ACK_OK,
			     .done = last && at == got };

	if (k->answer == BY_ACK)
		return failed(ended_before(k, at), RXE_ST_BAD_RESP_ERR);
	if (at >= k->psns)
		return lost_response();
	if (atomic != wants_atomic)
		return failed(0, RXE_ST_BAD_RESP_ERR);
	if (atomic) {
		o.verdict = RXE_ACK_ATOMIC;
		return o;
	}
	if (!at && !responses[which].starts)
		return failed(0, RXE_ST_BAD_RESP_ERR);
	if (responses[which].ends != last || bytes != (last ? left : MTU))
		return failed(0, RXE_ST_BAD_RESP_ERR);
	return o;
}

static void check_responses(struct kunit *test, struct at *at)
{
	static const u32 sizes[] = { 0, 1, 5, 255, 256 };
	const struct kind *k = &kinds[at->kind];
	struct outcome o;
	struct req_rig *r;
	u32 which, s, bytes;

	for (which = 0; which < ARRAY_SIZE(responses); which++) {
		for (s = 0; s < ARRAY_SIZE(sizes); s++) {
			bytes = sizes[s];
			if (responses[which].opcode == RXE_OP_ATOMIC_ACK)
				bytes = 0; /* or the parser drops it */
			r = prepare(test, k, at->got, at->state);
			o = expect_response(k, at->got, at->at, which, bytes);
			req_response(r, responses[which].opcode,
				     rxe_psn_add(PSN_0, at->at), bytes);
			check(test, r, &o, at);
		}
	}
}

static void every_response_for_every_request(struct kunit *test)
{
	for_all(test, "response", check_responses);
}

/* What lies before or behind what is outstanding leaves no trace */
static void check_ghosts(struct kunit *test, const struct kind *k, u32 psn,
			 enum state state)
{
	struct req_rig *r = prepare(test, k, 0, state);
	struct rxe_req was = r->req;
	u32 which, s;

	for (s = 0; s < 256; s++)
		req_ack(r, psn, s);
	for (which = 0; which < ARRAY_SIZE(responses); which++)
		req_response(r, responses[which].opcode, psn, 0);
	/* READ responses again: signs of life, and no more, when a READ was there */
	if (psn == rxe_psn_sub(PSN_0, 1) && was.answers.asks) {
		was.answers.stale += 4;
		was.timer.rto_ns = r->now;
	}
	KUNIT_EXPECT_EQ_MSG(test, (int)r->plan.verdict, (int)RXE_ACK_DROP,
			    "op %u, state %d", k->op, state);
	KUNIT_EXPECT_EQ_MSG(test, memcmp(&was, &r->req, sizeof(was)), 0,
			    "op %u, state %d, PSN %#x", k->op, state, psn);
}

static void every_ghost_for_every_request(struct kunit *test)
{
	static const u32 from_end[] = { 0, 1, 100, 0x7ffff0, 0x800000 };
	u32 i, g, state;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		u32 end = rxe_psn_add(PSN_0, kinds[i].psns + TAIL);

		for (state = 0; state < STATES; state++) {
			for (g = 0; g < ARRAY_SIZE(from_end); g++)
				check_ghosts(test, &kinds[i],
					     rxe_psn_add(end, from_end[g]),
					     state);
			check_ghosts(test, &kinds[i], rxe_psn_sub(PSN_0, 1),
				     state);
		}
	}
}

static struct kunit_case ack_table_cases[] = {
	KUNIT_CASE(every_syndrome_for_every_request),
	KUNIT_CASE(every_response_for_every_request),
	KUNIT_CASE(every_ghost_for_every_request),
	{}
};

static struct kunit_suite ack_table_suite = {
	.name = "rxe_ack_table",
	.init = req_rig_init,
	.test_cases = ack_table_cases,
};

kunit_test_suite(ack_table_suite);
