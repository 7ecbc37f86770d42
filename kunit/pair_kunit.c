// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester against responder over a simulated link. Every message must arrive
 * exactly once, in order and byte for byte, and every work request complete
 * once, whatever the link does.
 */
#include "fake_pair.h"
#include "util.h"

#define SENDS                                              \
	(BIT_ULL(RXE_WR_SEND) | BIT_ULL(RXE_WR_SEND_IMM) | \
	 BIT_ULL(RXE_WR_SEND_INV))
#define WRITES (BIT_ULL(RXE_WR_WRITE) | BIT_ULL(RXE_WR_WRITE_IMM))
#define ATOMICS (BIT_ULL(RXE_WR_CMP_SWAP) | BIT_ULL(RXE_WR_FETCH_ADD))
#define READS BIT_ULL(RXE_WR_READ)
#define OTHERS (BIT_ULL(RXE_WR_FLUSH) | BIT_ULL(RXE_WR_ATOMIC_WRITE))
#define LOCALS                                                 \
	(BIT_ULL(RXE_WR_LOCAL_INV) | BIT_ULL(RXE_WR_BIND_MW) | \
	 BIT_ULL(RXE_WR_REG_MR))
#define EVERYTHING (SENDS | WRITES | ATOMICS | READS | OTHERS | LOCALS)

/* A run of middling size over a perfect link */
static void usual(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	static const u32 mtus[] = { 16, 32, 64, 256 };
	static const u32 windows[] = { 1, 2, 3, 8, 32, 128 };
	static const u32 psns[] = { 0xffffff, 0xfffff0, 0xffff80,
				    0,	      0x7fffff, 0x7fffc0 };

	*cfg = (struct fake_pair_cfg){
		.transport = RXE_RC,
		.mtu = mtus[rxe_rng_below(rng, ARRAY_SIZE(mtus))],
		.window = windows[rxe_rng_below(rng, ARRAY_SIZE(windows))],
		.n = 1 + rxe_rng_below(rng, FAKE_WRS),
		.ops = EVERYTHING,
		.max_rd_atomic = 1 + rxe_rng_below(rng, 8),
		.hold = rxe_rng_chance(rng, 700) ? FAKE_HOLD : 0,
		.timeout_ns = 100000 + rxe_rng_below(rng, 500000),
		.retry_cnt = 255,
		.rnr_retry = 7,
		.rnr_timer = 1 + rxe_rng_below(rng, 4),
		.coalesce = rxe_rng_below(rng, 800),
		.cut = rxe_rng_below(rng, 100),
		.out = { .delay_ns = 500 + rxe_rng_below(rng, 20000),
			 .jitter_ns = rxe_rng_below(rng, 2000),
			 .reorder_ns = 1 + rxe_rng_below(rng, 20000) },
	};
	/* Long enough for the retransmission timer to come first */
	if (rxe_rng_chance(rng, 500))
		cfg->timeout_ns *= 500;
	cfg->read_psns = rxe_rng_chance(rng, 500) ? RXE_GOT_PSNS :
						    1 + rxe_rng_below(rng, 16);
	cfg->window_max = cfg->window;
	if (rxe_rng_chance(rng, 500))
		cfg->window_max = 2 * cfg->window;
	cfg->psn = psns[rxe_rng_below(rng, ARRAY_SIZE(psns))];
	if (rxe_rng_chance(rng, 300))
		cfg->psn = rxe_rng_u32(rng) & 0xffffff;
	cfg->back = cfg->out;
	cfg->max_res = cfg->max_rd_atomic + rxe_rng_below(rng, 3);
	cfg->max_length = min(12 * cfg->mtu, (u32)FAKE_MSG_MAX);
}

typedef void (*tweak_fn)(struct rxe_rng *rng, struct fake_pair_cfg *cfg);
typedef const char *(*verdict_fn)(const struct fake_pair *p);

static void report(struct kunit *test, const struct fake_pair *p,
		   const char *bad, unsigned long seed)
{
	u32 k = p->bad_wr;

	KUNIT_FAIL(test, "seed %lu: %s; repeat it with seed=%lu seeds=1", seed,
		   bad, seed);
	if (k < p->cfg.n)
		kunit_err(test,
			  "work request %u of %u: op %u, %u bytes, status %u",
			  k, p->cfg.n, p->wr[k].op, p->wr[k].length,
			  p->wr[k].status);
	kunit_err(test, "%llu ns, MTU %u, window %u, first PSN %#x", p->took_ns,
		  p->cfg.mtu, p->cfg.window, p->cfg.psn);
}

/* Run @enough seeds of the usual run as changed by @tweak */
static void many(struct kunit *test, u32 enough, tweak_fn tweak,
		 verdict_fn verdict)
{
	struct fake_pair *p = test->priv;
	struct fake_pair_cfg cfg;
	u32 i, n = rxe_seeds(enough);
	const char *bad;

	for (i = 0; i < n; i++) {
		unsigned long seed = rxe_kunit_seed + i;
		struct rxe_rng rng = { seed ^ 0x5eed };

		usual(&rng, &cfg);
		if (tweak)
			tweak(&rng, &cfg);
		fake_pair_init(p, &cfg, seed);
		fake_pair_run(p);
		bad = p->bad;
		if (!bad && verdict)
			bad = verdict(p);
		if (bad) {
			report(test, p, bad, seed);
			return;
		}
	}
}

/* On a perfect link nothing is sent twice and no timer runs out */
static const char *no_waste(const struct fake_pair *p)
{
	if (p->req.stats.retransmits)
		return "sent something twice";
	if (p->timeouts)
		return "timer ran out";
	return NULL;
}

static void patient(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	cfg->timeout_ns = 100000000;
}

/* A way longer than the first retransmission timer, nothing lost on it */
static void go_far(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	cfg->n = FAKE_WRS;
	cfg->timeout_ns = 4000000000ULL;
	cfg->out.delay_ns = 1000000 + rxe_rng_below(rng, 50000000);
	cfg->back.delay_ns = cfg->out.delay_ns;
}

static const char *timer_learns(const struct fake_pair *p)
{
	return p->probes > 20 ? "timer stays too short for the way" : NULL;
}

static void long_way(struct kunit *test)
{
	many(test, 500, go_far, timer_learns);
}

static void perfect_link(struct kunit *test)
{
	many(test, 500, patient, no_waste);
}

static void lose_some(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	cfg->out.loss = rxe_rng_below(rng, 50);
	cfg->back.loss = rxe_rng_below(rng, 50);
}

static void loss_to_5_percent(struct kunit *test)
{
	many(test, 2000, lose_some, NULL);
}

static void lose_many(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	cfg->out.loss = rxe_rng_below(rng, 301);
	cfg->back.loss = rxe_rng_below(rng, 301);
}

static void loss_to_30_percent(struct kunit *test)
{
	many(test, 1000, lose_many, NULL);
}

/* Kinds of packets of which most are lost, in one direction or in both */
static void lose_kind(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	static const u32 kinds[] = {
		FAKE_HIT_ACK,	 FAKE_HIT_NAK,	FAKE_HIT_ACK | FAKE_HIT_NAK,
		FAKE_HIT_FIRST,	 FAKE_HIT_LAST, FAKE_HIT_FIRST | FAKE_HIT_LAST,
		FAKE_HIT_MIDDLE, FAKE_HIT_ONLY,
	};

	cfg->out.hit = kinds[rxe_rng_below(rng, ARRAY_SIZE(kinds))];
	cfg->back.hit = kinds[rxe_rng_below(rng, ARRAY_SIZE(kinds))];
	cfg->out.hit_loss = rxe_rng_below(rng, 500);
	cfg->back.hit_loss = rxe_rng_below(rng, 500);
	cfg->rnr = rxe_rng_chance(rng, 200) ? 500 : 0;
	cfg->out.loss = rxe_rng_below(rng, 20);
}

static void one_kind_of_packet_lost(struct kunit *test)
{
	many(test, 2000, lose_kind, NULL);
}

/*
 * Each second or third packet of a kind is lost: what is sent again must not fall
 * into step with that, not even while retries last.
 */
static void lose_in_step(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	cfg->out.hit = BIT(rxe_rng_below(rng, FAKE_HIT_KINDS));
	cfg->back.hit = BIT(rxe_rng_below(rng, FAKE_HIT_KINDS));
	cfg->out.hit_every = 2 + rxe_rng_below(rng, 2);
	cfg->back.hit_every = rxe_rng_chance(rng, 500) ? 2 : 0;
	cfg->cut = 0;
	cfg->retry_cnt = 7;
	cfg->timeout_ns = 50000000;
}

static void every_second_packet_lost(struct kunit *test)
{
	many(test, 2000, lose_in_step, NULL);
}

static void lose_acks(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	cfg->back.hit = FAKE_HIT_ACK;
	cfg->back.hit_loss = 500;
}

static void half_of_the_acks_lost(struct kunit *test)
{
	many(test, 500, lose_acks, NULL);
}

static void lose_naks(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	cfg->back.hit = FAKE_HIT_NAK;
	cfg->back.hit_loss = 1000;
	cfg->out.loss = 50;
}

static void every_nak_lost(struct kunit *test)
{
	many(test, 500, lose_naks, NULL);
}

/* The link is dead now and then, in both directions or not at the same time */
static void darken(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	lose_some(rng, cfg);
	cfg->out.dark_every_ns = 50000 + rxe_rng_below(rng, 500000);
	cfg->out.dark_ns = rxe_rng_below(rng, 40000);
	cfg->back.dark_every_ns = cfg->out.dark_every_ns;
	if (rxe_rng_chance(rng, 500))
		cfg->back.dark_every_ns = 50000 + rxe_rng_below(rng, 500000);
	cfg->back.dark_ns = rxe_rng_below(rng, 40000);
}

static void blackouts(struct kunit *test)
{
	many(test, 1000, darken, NULL);
}

/* A timeout that nobody can wait for: losses must be noticed otherwise */
static void lose_patiently(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	lose_some(rng, cfg);
	cfg->out.reorder = rxe_rng_chance(rng, 300) ? 50 : 0;
	cfg->back.reorder = cfg->out.reorder;
	cfg->timeout_ns = 4000000000ULL;
}

/* Each loss costs some round trips or a run of the retransmission timer, which is long
 * before the first sample, the longer the more of the first packets are lost
 */
static const char *in_time(const struct fake_pair *p)
{
	u64 lost = p->out.lost + p->back.lost;

	if (p->timeouts)
		return "waited for the local ACK timeout";
	if (p->took_ns > 1000000000 + lost * 5000000 + p->cfg.n * 1000000)
		return "took too long";
	return NULL;
}

static void losses_are_noticed_soon(struct kunit *test)
{
	many(test, 2000, lose_patiently, in_time);
}

/* Requests over a link that loses some: what has arrived is not sent again */
static void lose_from_streams(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	cfg->hold = FAKE_HOLD;
	cfg->ops = WRITES | SENDS;
	cfg->n = FAKE_WRS;
	cfg->mtu = 32;
	cfg->max_length = FAKE_MSG_MAX;
	cfg->window = 128;
	cfg->window_max = 128;
	cfg->cut = 0;
	cfg->out.loss = 1 + rxe_rng_below(rng, 20);
	cfg->timeout_ns = 4000000000ULL;
}

/* But for one that was taken for a peer that keeps nothing, for some holes */
static const char *little_is_sent_again(const struct fake_pair *p)
{
	if (p->req.stats.retransmits > 600 + 6 * p->out.lost)
		return "sent again what had arrived";
	return NULL;
}

static const char *little_and_in_time(const struct fake_pair *p)
{
	return little_is_sent_again(p) ?: in_time(p);
}

static void holes_alone_are_filled(struct kunit *test)
{
	many(test, 1000, lose_from_streams, little_and_in_time);
}

/* A way that takes longer than most, or a peer that is slow */
static void lose_far_away(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	lose_from_streams(rng, cfg);
	cfg->out.delay_ns = 100000000 + rxe_rng_below(rng, 500000000);
	cfg->back.delay_ns = cfg->out.delay_ns;
}

static void holes_far_away(struct kunit *test)
{
	many(test, 200, lose_far_away, little_is_sent_again);
}

/* The same to a peer that drops what arrives beyond a hole */
static void lose_to_forgetful(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	lose_from_streams(rng, cfg);
	cfg->hold = 0;
	cfg->coalesce = 0;
	cfg->back.loss = cfg->out.loss;
}

/* One loss costs what was on its way, and some round trips */
static const char *one_loss_costs_a_window(const struct fake_pair *p)
{
	u64 lost = p->out.lost + p->back.lost;

	if (p->req.stats.retransmits > 600 + 48 * lost)
		return "sent too much again";
	if (p->probes > 6 + lost / 8)
		return "left too much to the timer";
	return in_time(p);
}

static void peer_that_keeps_nothing(struct kunit *test)
{
	many(test, 1000, lose_to_forgetful, one_loss_costs_a_window);
}

static void lose_requests(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	cfg->out.loss = 200;
}

static void requests_lost_only(struct kunit *test)
{
	many(test, 300, lose_requests, NULL);
}

static void lose_responses(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	cfg->back.loss = 200;
	cfg->ops = READS | ATOMICS | OTHERS | SENDS;
}

static void responses_lost_only(struct kunit *test)
{
	many(test, 500, lose_responses, NULL);
}

static void double_many(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	cfg->out.dup = 300;
	cfg->back.dup = 300;
}

static void duplicates(struct kunit *test)
{
	many(test, 500, double_many, NULL);
}

static void shuffle(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	cfg->out.reorder = rxe_rng_below(rng, 300);
	cfg->back.reorder = rxe_rng_below(rng, 300);
}

static void reordering(struct kunit *test)
{
	many(test, 500, shuffle, NULL);
}

static void no_receives(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	cfg->rnr = 900;
	cfg->ops = SENDS | WRITES | READS;
}

static void receiver_not_ready(struct kunit *test)
{
	many(test, 500, no_receives, NULL);
}

/* A peer that says how long to wait has not failed to answer */
static void wait_long(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	no_receives(rng, cfg);
	cfg->rnr_timer = 16 + rxe_rng_below(rng, 5);
	cfg->retry_cnt = rxe_rng_below(rng, 8);
}

static void receiver_not_ready_for_long(struct kunit *test)
{
	many(test, 500, wait_long, NULL);
}

static void all_at_once(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	lose_many(rng, cfg);
	double_many(rng, cfg);
	shuffle(rng, cfg);
	cfg->rnr = rxe_rng_below(rng, 900);
}

static void everything_at_once(struct kunit *test)
{
	many(test, 1500, all_at_once, NULL);
}

/* Some of everything, and retries that end: none may be used up */
static void a_bad_day(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	cfg->n = FAKE_WRS;
	cfg->retry_cnt = 7;
	cfg->timeout_ns = 250000000;
	cfg->out.loss = 20;
	cfg->out.dup = 10;
	cfg->out.reorder = 50;
	cfg->out.reorder_ns = 1000000;
	cfg->back = cfg->out;
}

static void some_of_everything(struct kunit *test)
{
	many(test, 500, a_bad_day, NULL);
}

/* A timeout shorter than the round trip: much is sent in vain */
static void hasty(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	all_at_once(rng, cfg);
	cfg->timeout_ns = 2000 + rxe_rng_below(rng, 10000);
	cfg->retry_cnt = 255;
}

static void timeout_shorter_than_the_way(struct kunit *test)
{
	many(test, 300, hasty, NULL);
}

static void only_reads(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	all_at_once(rng, cfg);
	cfg->ops = READS;
}

static void reads_on_a_bad_link(struct kunit *test)
{
	many(test, 1000, only_reads, NULL);
}

/* A READ in which several packets are lost, and the repeats of them */
static void only_forward(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	lose_some(rng, cfg);
	cfg->ops = rxe_rng_chance(rng, 500) ? READS : EVERYTHING;
	cfg->forward = true;
	cfg->retry_cnt = 7;
	cfg->timeout_ns = 50000000;
}

static void reads_repeated_forward_only(struct kunit *test)
{
	many(test, 1000, only_forward, NULL);
}

/* Much asked for at once of a peer like the kernel's own driver */
static void stream_of_reads(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	lose_to_forgetful(rng, cfg);
	cfg->ops = rxe_rng_chance(rng, 800) ? READS : READS | SENDS | WRITES;
	cfg->forward = true;
	cfg->max_rd_atomic = 8;
	cfg->max_res = 8;
	cfg->read_psns = 8 * FAKE_MSG_MAX / 32;
}

static void reads_of_the_old_driver(struct kunit *test)
{
	many(test, 1000, stream_of_reads, one_loss_costs_a_window);
}

static void only_atomics(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	all_at_once(rng, cfg);
	cfg->ops = ATOMICS | BIT_ULL(RXE_WR_ATOMIC_WRITE);
}

static void atomics_on_a_bad_link(struct kunit *test)
{
	many(test, 500, only_atomics, NULL);
}

static void lossy_uc(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	cfg->transport = RXE_UC;
	cfg->ops = BIT_ULL(RXE_WR_SEND) | BIT_ULL(RXE_WR_SEND_IMM) | WRITES;
	cfg->out.loss = rxe_rng_below(rng, 200);
}

static void unreliable_connection(struct kunit *test)
{
	many(test, 500, lossy_uc, NULL);
}

static void clean_uc(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	lossy_uc(rng, cfg);
	cfg->out.loss = 0;
	cfg->n = 30;
}

static const char *all_received(const struct fake_pair *p)
{
	if (p->lost_msgs || p->rq || p->rq_left)
		return "a message is missing";
	if (memcmp(p->dst, p->dst_model, sizeof(p->dst)))
		return "WRITEs left wrong bytes";
	return NULL;
}

static void unreliable_connection_on_a_perfect_link(struct kunit *test)
{
	many(test, 200, clean_uc, all_received);
}

/* A key that the peer does not know ends the connection at this request */
static void bad_key(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	cfg->victim = FAKE_BAD_RKEY;
}

static void bad_key_on_a_perfect_link(struct kunit *test)
{
	many(test, 500, bad_key, NULL);
}

static void bad_key_bad_link(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	all_at_once(rng, cfg);
	bad_key(rng, cfg);
	cfg->retry_cnt = 20;
}

static void bad_key_on_a_bad_link(struct kunit *test)
{
	many(test, 500, bad_key_bad_link, NULL);
}

/* Memory that is not there, noticed in the middle of sending */
static void bad_memory(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	all_at_once(rng, cfg);
	cfg->victim = FAKE_BAD_LKEY;
}

static void local_fault_on_a_bad_link(struct kunit *test)
{
	many(test, 500, bad_memory, NULL);
}

/* Nobody there: all work requests come back, the first with the reason */
static void cut_wire(struct rxe_rng *rng, struct fake_pair_cfg *cfg)
{
	cfg->out.loss = 1000;
	cfg->retry_cnt = rxe_rng_below(rng, 8);
	cfg->ops = SENDS | WRITES | READS;
	cfg->victim = FAKE_SILENCE;
}

static void silent_peer(struct kunit *test)
{
	many(test, 200, cut_wire, NULL);
}

static int pair_init(struct kunit *test)
{
	test->priv = fake_pair_alloc();
	return test->priv ? 0 : -ENOMEM;
}

static void pair_exit(struct kunit *test)
{
	fake_pair_free(test->priv);
}

static struct kunit_case pair_cases[] = {
	KUNIT_CASE(perfect_link),
	KUNIT_CASE(long_way),
	KUNIT_CASE(loss_to_5_percent),
	KUNIT_CASE(loss_to_30_percent),
	KUNIT_CASE(one_kind_of_packet_lost),
	KUNIT_CASE(every_second_packet_lost),
	KUNIT_CASE(half_of_the_acks_lost),
	KUNIT_CASE(every_nak_lost),
	KUNIT_CASE(blackouts),
	KUNIT_CASE(losses_are_noticed_soon),
	KUNIT_CASE(holes_alone_are_filled),
	KUNIT_CASE(holes_far_away),
	KUNIT_CASE(peer_that_keeps_nothing),
	KUNIT_CASE(requests_lost_only),
	KUNIT_CASE(responses_lost_only),
	KUNIT_CASE(duplicates),
	KUNIT_CASE(reordering),
	KUNIT_CASE(receiver_not_ready),
	KUNIT_CASE(receiver_not_ready_for_long),
	KUNIT_CASE(everything_at_once),
	KUNIT_CASE(some_of_everything),
	KUNIT_CASE(timeout_shorter_than_the_way),
	KUNIT_CASE(reads_on_a_bad_link),
	KUNIT_CASE(reads_repeated_forward_only),
	KUNIT_CASE(reads_of_the_old_driver),
	KUNIT_CASE(atomics_on_a_bad_link),
	KUNIT_CASE(bad_key_on_a_perfect_link),
	KUNIT_CASE(bad_key_on_a_bad_link),
	KUNIT_CASE(local_fault_on_a_bad_link),
	KUNIT_CASE(silent_peer),
	KUNIT_CASE(unreliable_connection),
	KUNIT_CASE(unreliable_connection_on_a_perfect_link),
	{}
};

static struct kunit_suite pair_suite = {
	.name = "rxe_pair",
	.init = pair_init,
	.exit = pair_exit,
	.test_cases = pair_cases,
};

kunit_test_suite(pair_suite);
