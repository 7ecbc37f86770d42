/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Requester: turns send work requests into packets and acknowledgements into
 * completions (IBTA 9.7, 9.8). Decides only; whoever holds the send side of the
 * QP acts on what it returns.
 */
#ifndef RXE_PROTO_REQ_H
#define RXE_PROTO_REQ_H

#include <linux/bitops.h>
#include <linux/types.h>

#include "../wire/pkt.h"
#include "../wire/psn.h"
#include "cnp.h"
#include "pause.h"
#include "types.h"

#define RXE_RNR_RETRY_INFINITE 7

/* Packets outstanding, before the way is known and where it is short; and where much
 * fits on it
 */
#define RXE_WINDOW_MIN 128
#define RXE_WINDOW_MAX 2048

/* Packets of a message between two that ask for an ACK, at most */
#define RXE_ACK_EVERY 64U

/* How far behind the oldest missing response others are remembered, packets */
#define RXE_GOT_PSNS 8192

/* READ answers asked for and outstanding: what a peer that paces nothing may send in
 * one go without overrunning this machine's queues
 */
#define RXE_READ_PSNS 1024U

/**
 * struct rxe_req_stats - what a requester saw since the QP was created
 * @retransmits: packets sent again
 * @naks: NAKs for a missing packet received
 * @gaps: holes in responses that were asked for again
 * @probes: retransmission timer ran out
 * @timeouts: local ACK timeout ran out
 * @rnr_waits: RNR NAKs received and obeyed
 * @pauses: packets that met a full queue of this machine
 * @cnps: congestion notifications received
 */
struct rxe_req_stats {
	u64 retransmits;
	u64 naks;
	u64 gaps;
	u64 probes;
	u64 timeouts;
	u64 rnr_waits;
	u64 pauses;
	u64 cnps;
};

/**
 * struct rxe_req_cc - what fits on the way, and congestion on it
 * @window: packets that may be outstanding while nothing is congested
 * @min_rtt_ns: shortest round trip, 0 = no sample yet
 * @active: the window in use has not recovered from the last one
 * @alpha: how often they come, of 1024
 * @target: window before the last cut, and beyond
 * @rounds: windows acknowledged since
 * @acked: packets acknowledged in this one
 * @cnp_ns: when the last one was obeyed
 */
struct rxe_req_cc {
	u32 window;
	u64 min_rtt_ns;
	bool active;
	u32 alpha;
	u32 target;
	u32 rounds;
	u32 acked;
	u64 cnp_ns;
};

enum rxe_peer_keeps {
	RXE_PEER_UNKNOWN,
	RXE_PEER_KEEPS,
	RXE_PEER_DROPS,
};

/**
 * struct rxe_req_rtt - round trips
 * @srtt_ns: smoothed round trip time, 0 = no sample yet
 * @rttvar_ns: its smoothed deviation
 * @una: oldest PSN not acknowledged, at @sent_ns
 * @psn: packet whose round trip is being timed
 * @sent_ns: when it was sent, 0 = none is timed
 */
struct rxe_req_rtt {
	u64 srtt_ns;
	u64 rttvar_ns;
	u32 una;
	u32 psn;
	u64 sent_ns;
};

/**
 * struct rxe_req_timer - when a silent peer is asked again, and given up
 * @rto_ns: time from which the local ACK timeout counts
 * @early_ns: time from which the retransmission timer counts
 * @backoff: how often it ran out, until a round trip is timed or some time is over
 * @eased: there was progress since it last ran out
 * @probed_ns: when it last ran out
 * @probed_psn: PSN after all that was sent when it last ran out
 * @grace_ns: no timer runs out before, 0 = free to
 * @late: it had its grace
 */
struct rxe_req_timer {
	u64 rto_ns;
	u64 early_ns;
	u32 backoff;
	bool eased;
	u64 probed_ns;
	u32 probed_psn;
	u64 grace_ns;
	bool late;
};

/**
 * struct rxe_req_rewind - the last time that something was sent again
 * @psn: from which PSN on
 * @ns: when
 * @refused_psn: PSN of the last request that the peer said it misses
 * @refused_ns: when it did
 * @refusals: how often it said so since it last got further
 */
struct rxe_req_rewind {
	u32 psn;
	u64 ns;
	u32 refused_psn;
	u64 refused_ns;
	u32 refusals;
};

/**
 * struct rxe_req_repair - a hole at the peer that is filled
 * @judging: what becomes of the hole at @asked_psn tells whether the peer keeps what is
 *	beyond
 * @active: the next packet to send is in a hole
 * @end: PSN after the hole
 * @asked_psn: PSN after the last hole, also when it is filled
 * @resume_psn: where sending goes on beyond it
 * @pkts: packets sent into the last hole
 * @less: the last hole was taken for one packet less, being the same again
 * @tries: holes in a row that each began where the one before ended
 * @probing: the hole is a question asked by the timer: does the peer still need
 *	what comes after it?
 */
struct rxe_req_repair {
	bool judging;
	bool active;
	u32 end;
	u32 asked_psn;
	u32 resume_psn;
	u32 pkts;
	bool less;
	u32 tries;
	bool probing;
};

/**
 * struct rxe_req_peer - what is known of the peer
 * @keeps: does the peer keep what arrives beyond a hole?
 * @drops: holes in a row that it was taken for one that does not
 * @failed: how often it was taken for one since it last kept something
 */
struct rxe_req_peer {
	enum rxe_peer_keeps keeps;
	u32 drops;
	u32 failed;
};

/**
 * struct rxe_req_answers - responses with data, which may arrive in any order
 * @far_psn: PSN after the farthest that arrived; at or ahead of what is acknowledged
 * @gap: there is a hole among them that may be one of order only
 * @gap_psn: PSN after the newest such hole
 * @asks: packets that asked for responses, modulo 2^32
 * @heard: the last of them that was answered
 * @repeats: some were asked for again that may still be missing
 * @stale: how many came, since there was progress, that were there already
 * @got: those beyond the oldest missing one that arrived, by PSN modulo RXE_GOT_PSNS
 */
struct rxe_req_answers {
	u32 far_psn;
	bool gap;
	u32 gap_psn;
	u32 asks;
	u32 heard;
	bool repeats;
	u32 stale;
	DECLARE_BITMAP(got, RXE_GOT_PSNS);
};

/**
 * struct rxe_req - requester state of one QP
 * @transport: RC, UC or UD
 * @mtu: payload bytes of a full packet
 * @dest_qpn: RC, UC: the peer
 * @qkey: UD: the QP's own Q_Key
 * @src_qpn: the QP itself
 * @timeout_ns: local ACK timeout, 0 = none
 * @retry_cnt: transport retries, 0 .. 7, finite
 * @rnr_retry: RNR retries, 7 = without end
 * @max_rd_atomic: READs and atomics that may be outstanding
 * @read_psns: PSNs of READ answers that may be outstanding; a longer READ goes in
 *	parts
 * @window: least value of @cc.window, which it begins with
 * @window_max: greatest value of @cc.window
 * @cwnd: packets that may be outstanding now: halved by a timeout, grows with
 *	what is acknowledged, up to @cc.window
 * @cc: congestion control
 * @wqes: private records, @mask + 1 of them, @stride bytes apart
 * @mask: slots - 1
 * @stride: bytes between records
 * @prod: records fetched, free running
 * @cur: record that the next packet comes from
 * @cons: oldest record not retired; cons <= cur <= prod
 * @psn: PSN for the next new packet
 * @npsn: PSN of the next packet to send, behind @psn while resending
 * @sent_psn: PSN after the highest one ever sent
 * @una: oldest PSN not acknowledged
 * @acked_psn: the peer has executed everything before; at or ahead of @una, which
 *	waits for responses
 * @ackreq_psn: PSN after the last packet that asked for an ACK
 * @rd_atomic: READs and atomics outstanding
 * @rd_psns: response PSNs that outstanding READs reserve
 * @ackreq_next: next packet must ask for an ACK (first one after a rewind)
 * @draining: SQD: start no new message
 * @retry_left: timeouts left until the peer counts as dead
 * @rnr_left: RNR retries left for the packet at @una
 * @rnr_until_ns: time before which nothing is sent, 0 = free to send
 * @pause: nothing is sent while it lasts, for a queue of this machine was full
 * @icrc_twice: form of the ICRC that the last FLUSH was sent with
 * @icrc_sends: how often in a row a FLUSH was sent with it and again
 * @rtt: round trips
 * @timer: when a silent peer is asked again, and given up
 * @rewind: the last time that something was sent again
 * @repair: a hole at the peer that is filled
 * @peer: what is known of the peer
 * @answers: responses with data, which may arrive in any order
 * @cnp: notifications for responses that were marked on their way
 * @stats: for people
 *
 * All times are those of the @now argument, nanoseconds of a monotonic clock.
 */
struct rxe_req {
	enum rxe_transport transport;
	u32 mtu;
	u32 dest_qpn;
	u32 src_qpn;
	u32 qkey;
	u64 timeout_ns;
	u8 retry_cnt;
	u8 rnr_retry;
	u8 max_rd_atomic;
	u32 read_psns;
	u32 window;
	u32 window_max;
	u32 cwnd;
	struct rxe_req_cc cc;

	void *wqes;
	u32 mask;
	u32 stride;
	u32 prod;
	u32 cur;
	u32 cons;

	u32 psn;
	u32 npsn;
	u32 sent_psn;
	u32 una;
	u32 acked_psn;
	u32 ackreq_psn;
	u32 rd_atomic;
	u32 rd_psns;
	bool ackreq_next;
	bool draining;
	u8 retry_left;
	u8 rnr_left;
	u64 rnr_until_ns;
	struct rxe_pause pause;
	bool icrc_twice;
	u32 icrc_sends;
	struct rxe_req_rtt rtt;
	struct rxe_req_timer timer;
	struct rxe_req_rewind rewind;
	struct rxe_req_repair repair;
	struct rxe_req_peer peer;
	struct rxe_req_answers answers;
	struct rxe_cnp cnp;
	struct rxe_req_stats stats;
};

enum rxe_req_verdict {
	RXE_REQ_SEND, /* build and send the run, then rxe_req_sent() */
	RXE_REQ_LOCAL, /* carry out run->w here, then rxe_req_done() */
	RXE_REQ_EMPTY, /* nothing fetched that is not sent */
	RXE_REQ_WAIT, /* an ACK or a timer will free it */
};

/**
 * struct rxe_req_run - a burst: packets in sequence of one work request
 * @w: the work request
 * @psn: PSN of the first of them
 * @index: its place in the message, 0 = first packet
 * @n: number of packets, > 0
 * @psns: PSNs they take: READ: response packets asked for, else @n
 * @ackreq_first: the first of them asks for an ACK
 */
struct rxe_req_run {
	struct rxe_swqe *w;
	u32 psn;
	u32 index;
	u32 n;
	u32 psns;
	bool ackreq_first;
};

enum rxe_ack_verdict {
	RXE_ACK_DROP, /* ghost or duplicate */
	RXE_ACK_OK, /* state moved; retire and send on */
	RXE_ACK_PLACE, /* copy the payload to plan->w at plan->offset */
	RXE_ACK_ATOMIC, /* store packet's original value in plan->w */
	RXE_ACK_FATAL, /* plan->w failed with plan->status; QP to error */
};

/**
 * struct rxe_ack_plan - what a response asks for
 * @verdict: what to do
 * @w: RXE_ACK_PLACE, _ATOMIC, _FATAL: the work request
 * @offset: RXE_ACK_PLACE: byte offset in the message
 * @status: RXE_ACK_FATAL: enum rxe_status
 * @rewound: packets will be sent again
 * @rnr: RNR wait began
 * @seq_nak: the packet was a NAK for a missing packet, whatever came of it
 * @rnr_nak: it was an RNR NAK
 */
struct rxe_ack_plan {
	enum rxe_ack_verdict verdict;
	struct rxe_swqe *w;
	u32 offset;
	u8 status;
	bool rewound;
	bool rnr;
	bool seq_nak;
	bool rnr_nak;
};

void rxe_req_reset(struct rxe_req *req, u32 psn);
struct rxe_swqe *rxe_req_fetch_slot(struct rxe_req *req);
void rxe_req_fetched(struct rxe_req *req);
enum rxe_req_verdict rxe_req_next(struct rxe_req *req, u64 now, u32 max_pkts,
				  struct rxe_req_run *run);
void rxe_req_pkt(const struct rxe_req *req, const struct rxe_req_run *run,
		 u32 i, struct rxe_pkt *pkt, u32 *offset);
void rxe_req_sent(struct rxe_req *req, const struct rxe_req_run *run, u32 n,
		  u64 now);
void rxe_req_icrc(struct rxe_req *req, bool twice);
void rxe_req_cnp(struct rxe_req *req, u64 now);
bool rxe_req_congested(struct rxe_req *req, u64 now);
void rxe_req_done(struct rxe_req *req, struct rxe_swqe *w, u8 status);
void rxe_req_ack(struct rxe_req *req, const struct rxe_pkt *pkt, u64 now,
		 struct rxe_ack_plan *plan);
u64 rxe_req_deadline(const struct rxe_req *req);
void rxe_req_timeout(struct rxe_req *req, u64 now, struct rxe_ack_plan *plan);
void rxe_req_flush(struct rxe_req *req);
struct rxe_swqe *rxe_req_oldest(struct rxe_req *req);
void rxe_req_retire(struct rxe_req *req);

/* True when every fetched work request is finished and retired */
static inline bool rxe_req_idle(const struct rxe_req *req)
{
	return req->cons == req->prod;
}

/* True when every message that was started is finished: SQD is drained */
static inline bool rxe_req_drained(const struct rxe_req *req)
{
	return req->una == req->psn && req->npsn == req->psn;
}

#endif /* RXE_PROTO_REQ_H */
