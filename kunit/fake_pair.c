// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "fake_pair.h"

#include <linux/limits.h>
#include <linux/mm.h>

#define MAX_STEPS 200000
#define START_NS 1000000

/**
 * fake_pair_alloc() - room for a run
 *
 * Context: may sleep.
 * Return: the run, or NULL.
 */
struct fake_pair *fake_pair_alloc(void)
{
	return kvzalloc(sizeof(struct fake_pair), GFP_KERNEL);
}

/**
 * fake_pair_free() - end of a run
 * @p: the run, may be NULL
 *
 * Context: may sleep.
 */
void fake_pair_free(struct fake_pair *p)
{
	kvfree(p);
}

/**
 * fake_pair_init() - set a run up
 * @p: the run
 * @cfg: what it is like
 * @seed: of all chance in it
 *
 * Context: any.
 */
void fake_pair_init(struct fake_pair *p, const struct fake_pair_cfg *cfg,
		    u64 seed)
{
	memset(p, 0, offsetof(struct fake_pair, out));
	memset(&p->req, 0, sizeof(*p) - offsetof(struct fake_pair, req));
	p->cfg = *cfg;
	p->rng.state = seed;
	p->now = START_NS;
	fake_link_init(&p->out, &cfg->out, &p->rng);
	fake_link_init(&p->back, &cfg->back, &p->rng);
	rxe_rng_fill(&p->rng, p->src, sizeof(p->src));
	fake_resp_init(p);
	fake_req_init(p);
	fake_wrs_make(p);
}

/* When something happens next; now when something is left to do at once */
static u64 next_event(const struct fake_pair *p)
{
	u64 deadline = rxe_req_deadline(&p->req);
	u64 t = fake_link_due(&p->back);

	if (p->resp.reading && !p->dead)
		return min(t, p->now + 100);
	t = min(t, fake_link_due(&p->out));
	if (deadline && !p->failed)
		t = min(t, deadline);
	if (p->tx_again)
		t = min(t, p->tx_again);
	else if (p->posted < p->cfg.n && p->posted - p->completed < FAKE_SLOTS)
		t = min(t, p->now + 100);
	if (p->ack_due && !p->dead)
		t = min(t, p->now + 200);
	if (p->resp.hole_ns && !p->dead)
		t = min(t, p->resp.hole_ns);
	return t;
}

static void step(struct fake_pair *p)
{
	const struct fake_packet *packet;
	u64 t;

	fake_req_poll(p);
	fake_resp_poll(p);
	t = next_event(p);
	if (t == U64_MAX) {
		if (p->completed < p->cfg.n)
			fake_bad(p, "stuck: nothing will ever happen",
				 p->completed);
		return;
	}
	p->now = max(p->now, t);
	while (!p->bad && (!p->resp.reading || p->dead)) {
		packet = fake_link_pop(&p->out, p->now);
		if (!packet)
			break;
		fake_resp_rx(p, packet);
	}
	while (!p->bad) {
		packet = fake_link_pop(&p->back, p->now);
		if (!packet)
			break;
		fake_req_rx(p, packet);
	}
	/* The timer may be late: another context can come first */
	if (rxe_rng_chance(&p->rng, 500))
		fake_req_poll(p);
	fake_req_timer(p);
	fake_resp_timer(p);
}

/* Stragglers must change nothing */
static void drain(struct fake_pair *p)
{
	const struct fake_packet *packet;

	p->now = U64_MAX - 1000000000;
	while ((packet = fake_link_pop(&p->out, U64_MAX))) {
		while (p->resp.reading && !p->dead)
			fake_resp_poll(p);
		fake_resp_rx(p, packet);
	}
	while ((packet = fake_link_pop(&p->back, U64_MAX)))
		fake_req_rx(p, packet);
}

/* An answer that is overtaken is as good as lost */
static bool refusal_may_be_lost(const struct fake_pair *p)
{
	return p->cfg.victim == FAKE_BAD_RKEY &&
	       (p->back.lost || p->cfg.back.reorder);
}

/*
 * The request that ends the run. A refusal may be lost; a peer in error then says
 * no more, and the oldest request whose ACK was lost as well tells of it.
 */
static u32 first_failed(const struct fake_pair *p)
{
	u32 k;

	if (!refusal_may_be_lost(p))
		return p->victim;
	for (k = 0; k < p->victim; k++)
		if (p->wr[k].status == RXE_ST_RETRY_EXC_ERR)
			break;
	return k;
}

static void check_status(struct fake_pair *p)
{
	u32 k, failed = first_failed(p);

	for (k = 0; k < p->cfg.n; k++) {
		u8 got = p->wr[k].status, want = RXE_ST_SUCCESS;

		/* A local operation too, which may have run before the failure */
		if (k > failed)
			want = RXE_ST_WR_FLUSH_ERR;
		if (k == failed)
			want = p->want;
		if (k == failed && got == RXE_ST_RETRY_EXC_ERR &&
		    refusal_may_be_lost(p))
			want = got;
		if (got != want)
			fake_bad(p,
				 got == 0xff ? "never completed" :
					       "completed with a wrong status",
				 k);
	}
}

/* A RDMA WRITE that failed at its source may have arrived in part */
static bool half_written(const struct fake_pair *p)
{
	u8 op;

	if (p->cfg.victim != FAKE_BAD_LKEY || p->victim == p->cfg.n)
		return false;
	op = p->wr[p->victim].op;
	return op == RXE_WR_WRITE || op == RXE_WR_WRITE_IMM;
}

static void check_end(struct fake_pair *p)
{
	u32 n = p->victim;

	check_status(p);
	if (p->completed != p->cfg.n)
		fake_bad(p, "not all completed", p->completed);
	if (p->cfg.transport != RXE_RC)
		return;
	while (p->next_recv < n) {
		if (fake_wr_receives(&p->wr[p->next_recv]))
			fake_bad(p, "message never received", p->next_recv);
		p->next_recv++;
	}
	for (; p->next_flush < n; p->next_flush++)
		if (p->wr[p->next_flush].op == RXE_WR_FLUSH)
			fake_bad(p, "FLUSH never carried out", p->next_flush);
	if (!half_written(p) && memcmp(p->dst, p->dst_model, sizeof(p->dst)))
		fake_bad(p, "WRITEs left wrong bytes", 0);
	if (memcmp(p->words, p->words_model, sizeof(p->words)))
		fake_bad(p, "atomics left wrong values", 0);
	if (n == p->cfg.n && p->req.una != p->resp.epsn)
		fake_bad(p, "both ends disagree on the PSN", 0);
}

/**
 * fake_pair_run() - let it happen
 * @p: the run, set up; afterwards @p->bad says what went wrong, if anything
 *
 * Context: any.
 */
void fake_pair_run(struct fake_pair *p)
{
	u32 steps = 0;

	while (!p->bad && p->completed < p->cfg.n) {
		step(p);
		if (++steps > MAX_STEPS)
			fake_bad(p, "no end in sight", p->completed);
	}
	p->took_ns = p->now - START_NS;
	if (!p->bad)
		drain(p);
	if (!p->bad)
		check_end(p);
}
