// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "fake_link.h"

#include <linux/limits.h>

#include "wire/aeth.h"
#include "wire/hdr.h"
#include "wire/opcode.h"

/**
 * fake_link_init() - an empty link
 * @link: the link
 * @cfg: its behaviour
 * @rng: source of chance; a seed repeats what happens
 *
 * Context: any.
 */
void fake_link_init(struct fake_link *link, const struct fake_link_cfg *cfg,
		    struct rxe_rng *rng)
{
	u32 i;

	link->cfg = *cfg;
	link->rng = rng;
	link->last_due = 0;
	link->dark_from = 0;
	link->dark_to = 0;
	link->sent = 0;
	link->hits = 0;
	link->lost = 0;
	link->n = 0;
	for (i = 0; i < FAKE_LINK_SLOTS; i++)
		link->heap[i] = i;
}

static bool before(const struct fake_link *link, u32 a, u32 b)
{
	const struct fake_packet *x = &link->slots[link->heap[a]];
	const struct fake_packet *y = &link->slots[link->heap[b]];

	return x->due < y->due || (x->due == y->due && x->order < y->order);
}

static void swap_places(struct fake_link *link, u32 a, u32 b)
{
	u16 t = link->heap[a];

	link->heap[a] = link->heap[b];
	link->heap[b] = t;
}

static void insert(struct fake_link *link, u64 due, const void *data, u32 bytes)
{
	struct fake_packet *packet;
	u32 i = link->n;

	if (i == FAKE_LINK_SLOTS) {
		link->lost++;
		return;
	}
	packet = &link->slots[link->heap[i]];
	packet->due = due;
	packet->order = link->sent;
	packet->bytes = bytes;
	memcpy(packet->data, data, bytes);
	link->n++;
	for (; i && before(link, i, (i - 1) / 2); i = (i - 1) / 2)
		swap_places(link, i, (i - 1) / 2);
}

static u32 kind_of(const u8 *data)
{
	u32 flags = rxe_opcode[data[0]].flags;

	if (data[0] == RXE_OP_ACK)
		return data[sizeof(struct rxe_bth)] & RXE_AETH_TYPE ?
			       FAKE_HIT_NAK :
			       FAKE_HIT_ACK;
	if (rxe_op_starts(flags))
		return rxe_op_ends(flags) ? FAKE_HIT_ONLY : FAKE_HIT_FIRST;
	return rxe_op_ends(flags) ? FAKE_HIT_LAST : FAKE_HIT_MIDDLE;
}

static bool is_dark(struct fake_link *link, u64 now)
{
	const struct fake_link_cfg *cfg = &link->cfg;

	if (!cfg->dark_every_ns)
		return false;
	if (now >= link->dark_to) {
		link->dark_from =
			now + rxe_rng_below(link->rng, cfg->dark_every_ns);
		link->dark_to = link->dark_from +
				rxe_rng_below(link->rng, cfg->dark_ns) + 1;
	}
	return now >= link->dark_from;
}

static bool is_lost(struct fake_link *link, const u8 *data, u64 now)
{
	const struct fake_link_cfg *cfg = &link->cfg;

	if (rxe_rng_chance(link->rng, cfg->loss))
		return true;
	if (is_dark(link, now))
		return true;
	if (!(cfg->hit & kind_of(data)))
		return false;
	link->hits++;
	if (cfg->hit_every && link->hits % cfg->hit_every == 0)
		return true;
	return rxe_rng_chance(link->rng, cfg->hit_loss);
}

/**
 * fake_link_send() - put a packet on the wire
 * @link: the link
 * @now: time, ns
 * @data: BTH to ICRC
 * @bytes: length, at most FAKE_PACKET_MAX
 *
 * Context: any.
 */
void fake_link_send(struct fake_link *link, u64 now, const void *data,
		    u32 bytes)
{
	const struct fake_link_cfg *cfg = &link->cfg;
	u64 due = now + cfg->delay_ns;

	link->sent++;
	if (is_lost(link, data, now)) {
		link->lost++;
		return;
	}
	due += rxe_rng_below(link->rng, cfg->jitter_ns + 1);
	if (rxe_rng_chance(link->rng, cfg->reorder)) {
		due += cfg->reorder_ns;
	} else {
		due = max(due, link->last_due);
		link->last_due = due;
	}
	insert(link, due, data, bytes);
	if (rxe_rng_chance(link->rng, cfg->dup))
		insert(link, due + rxe_rng_below(link->rng, 2 * cfg->delay_ns),
		       data, bytes);
}

/**
 * fake_link_due() - when the next packet arrives
 * @link: the link
 *
 * Context: any.
 * Return: time in ns, U64_MAX when nothing is on the wire.
 */
u64 fake_link_due(const struct fake_link *link)
{
	return link->n ? link->slots[link->heap[0]].due : U64_MAX;
}

/**
 * fake_link_pop() - take the next packet that has arrived
 * @link: the link
 * @now: time, ns
 *
 * Context: any.
 * Return: the packet, valid until the next call for this link; NULL if none.
 */
const struct fake_packet *fake_link_pop(struct fake_link *link, u64 now)
{
	u32 i = 0, child;
	u16 slot;

	if (!link->n || fake_link_due(link) > now)
		return NULL;
	slot = link->heap[0];
	link->n--;
	link->heap[0] = link->heap[link->n];
	link->heap[link->n] = slot;
	for (;;) {
		child = 2 * i + 1;
		if (child >= link->n)
			break;
		if (child + 1 < link->n && before(link, child + 1, child))
			child++;
		if (!before(link, child, i))
			break;
		swap_places(link, i, child);
		i = child;
	}
	return &link->slots[slot];
}
