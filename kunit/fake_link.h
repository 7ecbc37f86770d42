/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* One direction of a simulated wire that loses, duplicates and reorders */
#ifndef RXE_KUNIT_FAKE_LINK_H
#define RXE_KUNIT_FAKE_LINK_H

#include "util.h"

#define FAKE_LINK_SLOTS 512
#define FAKE_PACKET_MAX (40 + 256 + 3 + 4)

/* Kinds of packets */
#define FAKE_HIT_ACK BIT(0)
#define FAKE_HIT_NAK BIT(1) /* RNR NAKs too */
#define FAKE_HIT_FIRST BIT(2)
#define FAKE_HIT_MIDDLE BIT(3)
#define FAKE_HIT_LAST BIT(4)
#define FAKE_HIT_ONLY BIT(5) /* of one packet, atomics and READ requests too */
#define FAKE_HIT_KINDS 6

/**
 * struct fake_link_cfg - behaviour of a link
 * @loss: packets lost, per mille
 * @hit: FAKE_HIT_*: packets that are lost in addition
 * @hit_loss: how many of them, per mille
 * @hit_every: and each so many-th of them, 0 = none
 * @dark_every_ns: the link dies after at most this time, 0 = never
 * @dark_ns: and is dead for so long at most
 * @dup: packets delivered twice, per mille
 * @reorder: packets held back by @reorder_ns, per mille
 * @delay_ns: time on the wire
 * @jitter_ns: up to this much more, in order
 * @reorder_ns: what packets that are overtaken take longer
 */
struct fake_link_cfg {
	u32 loss;
	u32 hit;
	u32 hit_loss;
	u32 hit_every;
	u64 dark_every_ns;
	u64 dark_ns;
	u32 dup;
	u32 reorder;
	u32 delay_ns;
	u32 jitter_ns;
	u32 reorder_ns;
};

/**
 * struct fake_packet - a packet on the wire
 * @due: arrival time, ns
 * @order: breaks ties
 * @bytes: length
 * @data: BTH to ICRC
 */
struct fake_packet {
	u64 due;
	u64 order;
	u32 bytes;
	u8 data[FAKE_PACKET_MAX];
};

/**
 * struct fake_link - one direction
 * @cfg: its behaviour
 * @rng: decides
 * @last_due: arrival of the last packet that was not held back
 * @dark_from: when it dies next
 * @dark_to: and lives again
 * @sent: packets given to the link
 * @hits: packets of the kinds in @cfg.hit given to the link
 * @lost: packets that will not arrive; a full link loses as well
 * @n: packets on the wire
 * @heap: their slots, earliest first
 * @slots: the packets
 */
struct fake_link {
	struct fake_link_cfg cfg;
	struct rxe_rng *rng;
	u64 last_due;
	u64 dark_from;
	u64 dark_to;
	u64 sent;
	u64 hits;
	u64 lost;
	u32 n;
	u16 heap[FAKE_LINK_SLOTS];
	struct fake_packet slots[FAKE_LINK_SLOTS];
};

void fake_link_init(struct fake_link *link, const struct fake_link_cfg *cfg,
		    struct rxe_rng *rng);
void fake_link_send(struct fake_link *link, u64 now, const void *data,
		    u32 bytes);
u64 fake_link_due(const struct fake_link *link);
const struct fake_packet *fake_link_pop(struct fake_link *link, u64 now);

#endif /* RXE_KUNIT_FAKE_LINK_H */
