/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A requester and a responder at the two ends of a simulated wire, with all
 * that a device would do around them, and a model of what must come out.
 */
#ifndef RXE_KUNIT_FAKE_PAIR_H
#define RXE_KUNIT_FAKE_PAIR_H

#include "fake_link.h"
#include "fake_mem.h"
#include "proto/req.h"
#include "proto/resp.h"
#include "util.h"

#define FAKE_WRS 64 /* most work requests of a run */
#define FAKE_SLOTS 16 /* depth of the send queue */
#define FAKE_SLOT_BYTES ALIGN(sizeof(struct rxe_swqe), 8)
#define FAKE_MSG_MAX 2048
#define FAKE_HOLD 256 /* packets kept at most */
#define FAKE_SRC_BYTES (FAKE_WRS * 64 + FAKE_MSG_MAX)
#define FAKE_DST_BYTES 4096
#define FAKE_WORDS 4 /* targets of atomics */
#define FAKE_REGIONS 4

/* What is wrong with one work request of a run, on purpose */
enum fake_victim {
	FAKE_NONE,
	FAKE_BAD_RKEY, /* the peer refuses it */
	FAKE_BAD_LKEY, /* it fails while it is sent */
	FAKE_SILENCE, /* the first is never answered */
};

/**
 * struct fake_wr - a work request, what shall come of it and what came
 * @op: enum rxe_wr_op
 * @flags: RXE_WR_*
 * @length: message bytes
 * @src: where its bytes start in @src of the pair
 * @remote_addr: at the peer
 * @rkey: at the peer
 * @imm: immediate data
 * @inv_rkey: key to invalidate
 * @swap_add: atomic operand
 * @compare: atomic operand
 * @plt: FLUSH: placement types
 * @sel: FLUSH: selectivity
 * @want_orig: atomic: value it must return
 * @got_orig: atomic: value it returned
 * @status: enum rxe_status
 * @started: its first packet was sent
 * @local_runs: how often a local operation was carried out
 */
struct fake_wr {
	u8 op;
	u8 flags;
	u32 length;
	u32 src;
	u64 remote_addr;
	u32 rkey;
	__be32 imm;
	u32 inv_rkey;
	u64 swap_add;
	u64 compare;
	u8 plt;
	u8 sel;
	u64 want_orig;
	u64 got_orig;
	u8 status;
	bool started;
	u32 local_runs;
};

/**
 * struct fake_pair_cfg - what a run is like
 * @transport: RC, UC or UD
 * @mtu: payload of a full packet, at most 256
 * @psn: first PSN
 * @window: of the requester, packets
 * @read_psns: PSNs of READ answers that it has outstanding
 * @window_max: and as wide as it may become
 * @n: work requests
 * @ops: bit n: operation n of enum rxe_wr_op may occur
 * @max_length: of a message
 * @max_rd_atomic: of the requester
 * @max_res: of the responder
 * @forward: the responder repeats a READ from where it last did, or later, as the
 *	kernel's own driver does
 * @hold: packets that the responder keeps beyond a hole, up to FAKE_HOLD
 * @timeout_ns: of the requester
 * @retry_cnt: of the requester
 * @rnr_retry: of the requester
 * @rnr_timer: code the responder sends
 * @rnr: chance that the receive queue is left empty, per mille
 * @coalesce: chance that an ACK waits for the next packet, per mille
 * @cut: chance that a run is sent only in part, per mille
 * @victim: what is wrong with one work request
 * @out: requester to responder
 * @back: responder to requester
 */
struct fake_pair_cfg {
	enum rxe_transport transport;
	u32 mtu;
	u32 psn;
	u32 window;
	u32 window_max;
	u32 read_psns;
	u32 n;
	u64 ops;
	u32 max_length;
	u8 max_rd_atomic;
	u8 max_res;
	bool forward;
	u32 hold;
	u64 timeout_ns;
	u8 retry_cnt;
	u8 rnr_retry;
	u8 rnr_timer;
	u32 rnr;
	u32 coalesce;
	u32 cut;
	enum fake_victim victim;
	struct fake_link_cfg out;
	struct fake_link_cfg back;
};

/**
 * struct fake_pair - a run
 * @cfg: what it is like
 * @rng: all chance comes from here
 * @now: simulated time, ns
 * @took_ns: how long it took until all was completed
 * @bad: first rule that was broken, NULL so far
 * @bad_wr: work request it was broken for
 * @out: requester to responder
 * @back: responder to requester
 * @req: one end
 * @resp: the other
 * @wr: the work requests
 * @victim: index of the one that must fail, cfg.n when none
 * @want: enum rxe_status that it must fail with
 * @posted: how many were posted
 * @completed: how many completed
 * @failed: the send queue has stopped
 * @quiet_until: RNR: nothing may be sent before
 * @tx_again: when to go on after a run was cut
 * @probes: retransmission timer ran out
 * @timeouts: local ACK timeout ran out
 * @rnrs: RNR waits
 * @res: resources of the responder
 * @res_first: first PSN of those that are READs, once repeated
 * @res_from: PSN that it was repeated from
 * @dead: the responder is in error
 * @ack_due: an ACK is owed
 * @kept: packets beyond a hole, by PSN modulo their number
 * @kept_psn: their PSNs
 * @n_kept: how many there are
 * @attached: a receive work request is in use
 * @rq: receive work requests posted
 * @rq_left: receive work requests not posted yet
 * @refill_at: when more will be
 * @next_recv: work request whose message is received next
 * @next_flush: work request that is the next FLUSH to be carried out
 * @received: messages that consumed a receive work request
 * @lost_msgs: UC, UD: messages that did not arrive
 * @mem: regions of the responder: source of READs, target of WRITEs, atomics, and what
 *	grants no persistence
 * @src: bytes that messages are made of
 * @dst: what the peer wrote to
 * @dst_model: what it must look like in the end
 * @words: what atomics change
 * @words_model: what they must be in the end
 * @recv: buffer of the receive work request in use
 * @read: buffers of READs by slot
 * @slots: send queue records
 */
struct fake_pair {
	struct fake_pair_cfg cfg;
	struct rxe_rng rng;
	u64 now;
	u64 took_ns;
	const char *bad;
	u32 bad_wr;
	struct fake_link out;
	struct fake_link back;

	struct rxe_req req;
	struct fake_wr wr[FAKE_WRS];
	u32 victim;
	u8 want;
	u32 posted;
	u32 completed;
	bool failed;
	u64 quiet_until;
	u64 tx_again;
	u32 probes;
	u32 timeouts;
	u32 rnrs;

	struct rxe_resp resp;
	struct rxe_res res[RXE_MAX_RD_ATOMIC];
	u32 res_first[RXE_MAX_RD_ATOMIC];
	u32 res_from[RXE_MAX_RD_ATOMIC];
	bool dead;
	bool ack_due;
	struct fake_packet kept[FAKE_HOLD];
	u32 kept_psn[FAKE_HOLD];
	u32 n_kept;
	bool attached;
	u32 rq;
	u32 rq_left;
	u64 refill_at;
	u32 next_recv;
	u32 next_flush;
	u32 received;
	u32 lost_msgs;
	struct fake_mem mem[FAKE_REGIONS];

	u8 src[FAKE_SRC_BYTES];
	u8 dst[FAKE_DST_BYTES];
	u8 dst_model[FAKE_DST_BYTES];
	u64 words[FAKE_WORDS];
	u64 words_model[FAKE_WORDS];
	u8 recv[FAKE_MSG_MAX];
	u8 read[FAKE_SLOTS][FAKE_MSG_MAX];
	u8 slots[FAKE_SLOTS][FAKE_SLOT_BYTES] __aligned(8);
};

/* Record the first broken rule */
static inline void fake_bad(struct fake_pair *p, const char *rule, u32 wr)
{
	if (p->bad)
		return;
	p->bad = rule;
	p->bad_wr = wr;
}

/* Which slot of the send queue a record is */
static inline u32 fake_slot(const struct fake_pair *p, const struct rxe_swqe *w)
{
	return ((const u8 *)w - p->slots[0]) / FAKE_SLOT_BYTES;
}

/* Messages that show up in the peer's receive queue */
static inline bool fake_wr_receives(const struct fake_wr *wr)
{
	return wr->op == RXE_WR_SEND || wr->op == RXE_WR_SEND_IMM ||
	       wr->op == RXE_WR_SEND_INV || wr->op == RXE_WR_WRITE_IMM;
}

struct fake_pair *fake_pair_alloc(void);
void fake_pair_free(struct fake_pair *p);
void fake_pair_init(struct fake_pair *p, const struct fake_pair_cfg *cfg,
		    u64 seed);
void fake_pair_run(struct fake_pair *p);

/* fake_resp.c */
void fake_resp_init(struct fake_pair *p);
void fake_resp_rx(struct fake_pair *p, const struct fake_packet *packet);
void fake_resp_poll(struct fake_pair *p);
void fake_resp_timer(struct fake_pair *p);

/* fake_req.c */
void fake_req_init(struct fake_pair *p);
void fake_req_poll(struct fake_pair *p);
void fake_req_rx(struct fake_pair *p, const struct fake_packet *packet);
void fake_req_timer(struct fake_pair *p);

/* fake_wrs.c */
void fake_wrs_make(struct fake_pair *p);

#endif /* RXE_KUNIT_FAKE_PAIR_H */
