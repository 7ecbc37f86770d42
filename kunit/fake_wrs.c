// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Random work requests, and the model of what they do when each runs once */
#include <asm/byteorder.h>

#include "fake_pair.h"
#include "wire/hdr.h"

static u8 random_op(struct fake_pair *p)
{
	u8 op;

	do
		op = rxe_rng_below(&p->rng, 33);
	while (!(p->cfg.ops & BIT_ULL(op)));
	return op;
}

/* Is @wr the one that fails, or behind it? */
static bool has_failed(const struct fake_pair *p, const struct fake_wr *wr)
{
	return p->victim < p->cfg.n && wr >= &p->wr[p->victim];
}

/* Lengths around multiples of the MTU are the interesting ones */
static u32 random_length(struct fake_pair *p)
{
	u32 mtu = p->cfg.mtu, max = p->cfg.max_length, n;

	switch (rxe_rng_below(&p->rng, 4)) {
	case 0:
		n = rxe_rng_below(&p->rng, mtu + 1);
		break;
	case 1:
		n = mtu * rxe_rng_below(&p->rng, max / mtu + 1);
		break;
	case 2:
		n = mtu * rxe_rng_below(&p->rng, max / mtu) +
		    rxe_rng_below(&p->rng, 3);
		break;
	default:
		n = rxe_rng_below(&p->rng, max + 1);
	}
	return min(n, max);
}

static u64 *random_word(struct fake_pair *p, struct fake_wr *wr)
{
	u32 i = rxe_rng_below(&p->rng, FAKE_WORDS);

	wr->remote_addr = p->mem[2].va + 8 * i;
	wr->rkey = p->mem[2].key;
	return &p->words_model[i];
}

static void make_atomic(struct fake_pair *p, struct fake_wr *wr)
{
	u64 *word = random_word(p, wr);

	wr->length = 8;
	wr->want_orig = *word;
	wr->swap_add = rxe_rng_u64(&p->rng);
	/* Half of the swaps fail */
	wr->compare = rxe_rng_chance(&p->rng, 500) ? *word : ~*word;
	if (has_failed(p, wr))
		return;
	if (wr->op == RXE_WR_FETCH_ADD)
		*word += wr->swap_add;
	else if (wr->compare == *word)
		*word = wr->swap_add;
}

static void make_write(struct fake_pair *p, struct fake_wr *wr)
{
	u32 at = rxe_rng_below(&p->rng, FAKE_DST_BYTES - wr->length + 1);

	wr->remote_addr = p->mem[1].va + at;
	wr->rkey = p->mem[1].key;
	if (!has_failed(p, wr))
		memcpy(p->dst_model + at, p->src + wr->src, wr->length);
}

static void make_flush(struct fake_pair *p, struct fake_wr *wr)
{
	wr->plt = 1 + rxe_rng_below(&p->rng, RXE_PLT_ALL);
	wr->sel = rxe_rng_below(&p->rng, 2);
	wr->remote_addr =
		p->mem[1].va +
		rxe_rng_below(&p->rng, FAKE_DST_BYTES - wr->length + 1);
	wr->rkey = p->mem[1].key;
	/* Neither counts then */
	if (wr->sel == RXE_SEL_REGION) {
		wr->remote_addr = rxe_rng_u64(&p->rng);
		wr->length = rxe_rng_u32(&p->rng);
	}
}

static void make_one(struct fake_pair *p, struct fake_wr *wr)
{
	u64 *word;

	switch (wr->op) {
	case RXE_WR_WRITE:
	case RXE_WR_WRITE_IMM:
		make_write(p, wr);
		break;
	case RXE_WR_READ:
		wr->remote_addr = p->mem[0].va + wr->src;
		wr->rkey = p->mem[0].key;
		break;
	case RXE_WR_CMP_SWAP:
	case RXE_WR_FETCH_ADD:
		make_atomic(p, wr);
		break;
	case RXE_WR_ATOMIC_WRITE:
		wr->length = 8;
		word = random_word(p, wr);
		if (!has_failed(p, wr))
			memcpy(word, p->src + wr->src, 8);
		break;
	case RXE_WR_FLUSH:
		make_flush(p, wr);
		break;
	case RXE_WR_LOCAL_INV:
	case RXE_WR_BIND_MW:
	case RXE_WR_REG_MR:
		wr->length = 0;
		break;
	}
}

static bool has_packets(const struct fake_wr *wr)
{
	return wr->op != RXE_WR_LOCAL_INV && wr->op != RXE_WR_BIND_MW &&
	       wr->op != RXE_WR_REG_MR;
}

/* Can the peer refuse the key of @wr? One for no bytes is not looked at */
static bool has_rkey(const struct fake_wr *wr)
{
	return wr->length && has_packets(wr) &&
	       (!fake_wr_receives(wr) || wr->op == RXE_WR_WRITE_IMM);
}

/* From a random one on, which is the first that can fail as wanted? */
static void choose_victim(struct fake_pair *p)
{
	u32 k = rxe_rng_below(&p->rng, p->cfg.n);

	if (p->cfg.victim == FAKE_SILENCE)
		k = 0;
	while (k < p->cfg.n &&
	       !(p->cfg.victim == FAKE_BAD_RKEY ? has_rkey(&p->wr[k]) :
						  has_packets(&p->wr[k])))
		k++;
	p->victim = k;
}

static void spoil_victim(struct fake_pair *p)
{
	switch (p->cfg.victim) {
	case FAKE_BAD_RKEY:
		p->wr[p->victim].rkey = 0xbad;
		/* One that may be written, but is not persistent */
		if (p->wr[p->victim].plt & RXE_PLT_PERSISTENT) {
			p->wr[p->victim].rkey = p->mem[3].key;
			p->wr[p->victim].remote_addr = p->mem[3].va;
		}
		p->want = RXE_ST_REM_ACCESS_ERR;
		break;
	case FAKE_BAD_LKEY:
		p->want = RXE_ST_LOC_PROT_ERR;
		break;
	default:
		p->want = RXE_ST_RETRY_EXC_ERR;
	}
}

/**
 * fake_wrs_make() - think up the work requests of a run
 * @p: the run, memory set up
 *
 * Context: any.
 */
void fake_wrs_make(struct fake_pair *p)
{
	u32 i;

	for (i = 0; i < p->cfg.n; i++) {
		struct fake_wr *wr = &p->wr[i];

		*wr = (struct fake_wr){
			.op = random_op(p),
			.length = random_length(p),
			.src = 64 * i,
			.imm = cpu_to_be32(0x1000000 + i),
			.inv_rkey = 0x2000000 + i,
			.status = 0xff,
		};
		if (rxe_rng_chance(&p->rng, 500))
			wr->flags |= RXE_WR_SIGNALED;
		if (rxe_rng_chance(&p->rng, 200))
			wr->flags |= RXE_WR_SOLICITED;
		if (rxe_rng_chance(&p->rng, 100))
			wr->flags |= RXE_WR_FENCE;
		if (fake_wr_receives(wr))
			p->rq_left++;
	}
	p->victim = p->cfg.n;
	if (p->cfg.victim != FAKE_NONE)
		choose_victim(p);
	for (i = 0; i < p->cfg.n; i++)
		make_one(p, &p->wr[i]);
	if (p->victim < p->cfg.n)
		spoil_victim(p);
}
