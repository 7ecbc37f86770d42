// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Streams of seeded random traffic, from one QP to many threads and QPs. */
#include "pair.h"
#include "stream.h"

#define WINDOW 8
#define GROUP_CQ(g, recv) (2 * (g) + (recv))

static void setup_group(struct env *e, const struct conn *c, uint32_t group, uint32_t nqp,
			const struct rvt_stream_cfg *s, struct ep_stream *sa, struct ep_stream *sb)
{
	struct ep_qp_init init = {
		.scq = GROUP_CQ(group, 0),
		.rcq = GROUP_CQ(group, 1),
		.cap = { .max_send_wr = 64,
			 .max_recv_wr = WINDOW,
			 .max_send_sge = 3,
			 .max_recv_sge = 3,
			 .max_inline_data = 8 },
	};
	uint32_t len = nqp * stream_share(s->max_size, WINDOW);
	struct ep *both[2] = { e->a, e->b };

	*sa = (struct ep_stream){
		.seed = s->seed,
		.group = group,
		.first_qp = group * nqp,
		.nqp = nqp,
		.scq = init.scq,
		.rcq = init.rcq,
		.messages = s->messages,
		.max_size = s->max_size,
		.window = WINDOW,
		.one_way = s->one_way,
		.recvs = s->rnr ? 2 : WINDOW,
	};
	for (int i = 0; i < 2; i++) {
		ep_cq(both[i], init.scq, 64 * nqp, false);
		ep_cq(both[i], init.rcq, WINDOW * nqp, false);
	}
	sa->local = ep_mr(e->a, group, len, MR_ALL, 0);
	sa->peer = ep_mr(e->b, group, len, MR_ALL, 0);
	for (uint32_t k = 0; k < nqp; k++) {
		uint32_t slot = sa->first_qp + k, qpn_a, qpn_b;

		ep_qp(e->a, slot, &init, &qpn_a);
		ep_qp(e->b, slot, &init, &qpn_b);
		connect_slot(e, c, slot, qpn_a, qpn_b);
	}
	*sb = *sa;
	sb->side = 1;
	sb->local = sa->peer;
	sb->peer = sa->local;
}

static void run_stream(struct env *e, const struct rvt_stream_cfg *s)
{
	struct conn c = pair_defaults.conn;
	struct ep_stream sa, sb;
	uint32_t nqp = s->qps / s->threads;

	/*
	 * With more threads than CPUs, all of them polling, the kernel's turn comes
	 * late: four times as much, so that a slow answer is not taken for none.
	 */
	if (s->threads > 2)
		c.timeout += 2;
	CHECK(s->threads <= EP_MAX_CQ / 2 && nqp && nqp * s->threads <= EP_MAX_QP,
	      "%u QPs in %u threads: more than the program handles", s->qps, s->threads);
	c.mtu = e->a->port.active_mtu < e->b->port.active_mtu ? e->a->port.active_mtu :
								e->b->port.active_mtu;
	c.psn_a = 0xfffff0; /* wraps early */
	c.rnr_retry = 7;
	for (uint32_t g = 0; g < s->threads; g++) {
		rvt_step("set up of group %u", g);
		setup_group(e, &c, g, nqp, s, &sa, &sb);
		ep_stream_start(e->a, &sa);
		ep_stream_start(e->b, &sb);
	}
	for (uint32_t g = 0; g < s->threads; g++) {
		ep_stream_go(e->a, g, 0);
		ep_stream_go(e->b, g, 1);
	}
	for (uint32_t g = 0; g < s->threads; g++) {
		rvt_step("group %u running: %u messages on each of %u QPs", g, s->messages, nqp);
		ep_stream_wait(e->a, g, 0);
		ep_stream_wait(e->b, g, 1);
	}
}

static void fixed(struct env *e, const void *arg)
{
	struct rvt_stream_cfg s = *(const struct rvt_stream_cfg *)arg;

	s.seed = e->cfg->stream.seed;
	run_stream(e, &s);
}

static void custom(struct env *e, const void *arg)
{
	(void)arg;
	run_stream(e, &e->cfg->stream);
}

#define STREAM(label, ...)                                                                   \
	{                                                                                    \
		.name = "stream." label, .run = fixed, .arg = &(const struct rvt_stream_cfg) \
		{                                                                            \
			__VA_ARGS__                                                          \
		}                                                                            \
	}

static const struct rvt_case cases[] = {
	STREAM("one_qp", .messages = 1000, .max_size = 20000, .qps = 1, .threads = 1),
	STREAM("rnr", .messages = 300, .max_size = 5000, .qps = 2, .threads = 1, .rnr = true),
	STREAM("both_ways", .messages = 300, .max_size = 20000, .qps = 4, .threads = 2),
	STREAM("8_threads_8_qps", .messages = 100, .max_size = 8000, .qps = 64, .threads = 8),
	{ .name = "stream.custom", .run = custom, .extra = true },
};

const struct rvt_case_list rvt_stream_cases = { cases, ARRAY_SIZE(cases) };
