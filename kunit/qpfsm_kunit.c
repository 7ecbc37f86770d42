// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* proto/qpfsm.c: every state with every event, as IBTA 10.3.1 tells it */
#include "proto/qpfsm.h"
#include "util.h"

/**
 * struct rule - what is due to one event
 * @event: enum rxe_qp_event
 * @want: a letter per state, RESET INIT RTR RTS SQD SQE ERR: a ccept, r efuse,
 *	h old, f lush, s end queue stops, e rror
 * @connected: RC; the other rows are UC and UD
 */
struct rule {
	enum rxe_qp_event event;
	const char *want;
	bool connected;
};

static const struct rule rules[] = {
	/* C10-97.2.1: posting to a send queue needs RTS or later */
	{ RXE_QPE_POST_SEND, "rrraaaa", true },
	{ RXE_QPE_POST_SEND, "rrraaaa", false },
	/* Receives may be posted from INIT on */
	{ RXE_QPE_POST_RECV, "raaaaaa", true },
	{ RXE_QPE_POST_RECV, "raaaaaa", false },
	/* SQD finishes started messages and begins none */
	{ RXE_QPE_START_SEND, "hhhahff", true },
	{ RXE_QPE_START_SEND, "hhhahff", false },
	{ RXE_QPE_CONT_SEND, "hhhaaff", true },
	{ RXE_QPE_CONT_SEND, "hhhaaff", false },
	/* The receive side lives from RTR on, until the error state */
	{ RXE_QPE_RX_REQUEST, "rraaaar", true },
	{ RXE_QPE_RX_REQUEST, "rraaaar", false },
	{ RXE_QPE_RX_RESPONSE, "rrraarr", true },
	{ RXE_QPE_RX_RESPONSE, "rrraarr", false },
	/* Figure 124: SQE exists only where a lost send does not break a stream */
	{ RXE_QPE_SEND_ERROR, "rrreerr", true },
	{ RXE_QPE_SEND_ERROR, "rrrssrr", false },
	{ RXE_QPE_RECV_ERROR, "rreeeer", true },
	{ RXE_QPE_RECV_ERROR, "rreeeer", false },
};

static char letter(enum rxe_qp_action action)
{
	switch (action) {
	case RXE_QPA_REFUSE:
		return 'r';
	case RXE_QPA_ACCEPT:
		return 'a';
	case RXE_QPA_HOLD:
		return 'h';
	case RXE_QPA_FLUSH:
		return 'f';
	case RXE_QPA_TO_SQE:
		return 's';
	case RXE_QPA_TO_ERR:
		return 'e';
	}
	return '?';
}

static char react(int state, int event, bool connected)
{
	return letter(rxe_qp_react(state, event, connected));
}

static void every_state_and_event(struct kunit *test)
{
	int i, state, checked = 0;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		const struct rule *r = &rules[i];

		KUNIT_ASSERT_EQ(test, strlen(r->want), 7UL);
		for (state = 0; state < 7; state++) {
			char got = react(state, r->event, r->connected);

			KUNIT_EXPECT_EQ_MSG(test, got, r->want[state],
					    "state %d, event %d, %s", state,
					    r->event,
					    r->connected ? "RC" : "UC or UD");
			checked++;
		}
	}
	KUNIT_EXPECT_EQ(test, checked, 2 * RXE_QPS_COUNT * RXE_QPE_COUNT);
}

static void numbers_are_those_of_the_verbs(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, (int)RXE_QPS_RESET, 0);
	KUNIT_EXPECT_EQ(test, (int)RXE_QPS_INIT, 1);
	KUNIT_EXPECT_EQ(test, (int)RXE_QPS_RTR, 2);
	KUNIT_EXPECT_EQ(test, (int)RXE_QPS_RTS, 3);
	KUNIT_EXPECT_EQ(test, (int)RXE_QPS_SQD, 4);
	KUNIT_EXPECT_EQ(test, (int)RXE_QPS_SQE, 5);
	KUNIT_EXPECT_EQ(test, (int)RXE_QPS_ERR, 6);
}

static void out_of_range_is_refused(struct kunit *test)
{
	static const int values[] = { -1, 7, 8, 255, 256, 0x7fffffff };
	int i, other;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		for (other = 0; other < 7; other++)
			KUNIT_EXPECT_EQ(test, react(values[i], other, true),
					'r');
		if (values[i] == 7)
			continue; /* RXE_QPE_RECV_ERROR */
		for (other = 0; other < 7; other++)
			KUNIT_EXPECT_EQ(test, react(other, values[i], false),
					'r');
	}
}

static struct kunit_case qpfsm_cases[] = {
	KUNIT_CASE(every_state_and_event),
	KUNIT_CASE(numbers_are_those_of_the_verbs),
	KUNIT_CASE(out_of_range_is_refused),
	{}
};

static struct kunit_suite qpfsm_suite = {
	.name = "rxe_qpfsm",
	.test_cases = qpfsm_cases,
};

kunit_test_suite(qpfsm_suite);
