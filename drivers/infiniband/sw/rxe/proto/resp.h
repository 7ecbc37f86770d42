/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Responder: judges request packets and says what to answer (IBTA 9.7.4,
 * 9.9, 9.8.2). Decides only; whoever holds the receive side of the QP acts on
 * what it returns and reports the outcome back.
 */
#ifndef RXE_PROTO_RESP_H
#define RXE_PROTO_RESP_H

#include <linux/types.h>

#include "../wire/aeth.h"
#include "../wire/pkt.h"
#include "../wire/psn.h"
#include "cnp.h"
#include "types.h"

/* Responder resources: the limit of max_dest_rd_atomic */
#define RXE_MAX_RD_ATOMIC 128

enum rxe_res_type {
	RXE_RES_NONE,
	RXE_RES_READ,
	RXE_RES_ATOMIC,
	RXE_RES_ATOMIC_WRITE,
	RXE_RES_FLUSH,
};

/**
 * struct rxe_res - what it takes to answer a READ or atomic again
 * @type: enum rxe_res_type; a duplicate must be of the same type
 * @first_psn: PSN of the request
 * @last_psn: PSN of the last response
 * @va: READ: address
 * @rkey: READ: key
 * @length: READ: bytes
 * @begun_ns: READ: when its last answer was begun, if other packets waited then, else 0
 * @begun_psn: PSN of the first packet of that
 * @begun_bytes: bytes of it
 * @orig: atomic: value returned
 */
struct rxe_res {
	u8 type;
	u32 first_psn;
	u32 last_psn;
	u64 va;
	u32 rkey;
	u32 length;
	u64 begun_ns;
	u32 begun_psn;
	u32 begun_bytes;
	u64 orig;
};

enum rxe_resp_msg {
	RXE_MSG_NONE,
	RXE_MSG_SEND,
	RXE_MSG_WRITE,
};

/**
 * struct rxe_read_run - READ response packets in sequence
 * @va: address of the first byte of the first of them
 * @psn: its PSN
 * @index: its place in the answer, 0 = first packet
 * @n: number of packets
 * @bytes: payload of all of them
 */
struct rxe_read_run {
	u64 va;
	u32 psn;
	u32 index;
	u32 n;
	u32 bytes;
};

/**
 * struct rxe_resp_stats - what a responder saw since the QP was created
 * @ahead: requests that arrived beyond a hole
 * @kept: those of them that were kept
 * @naks: NAKs for a missing packet
 * @rnr_naks: RNR NAKs
 * @duplicates: requests executed before
 */
struct rxe_resp_stats {
	u64 ahead;
	u64 kept;
	u64 naks;
	u64 rnr_naks;
	u64 duplicates;
};

/**
 * struct rxe_resp - responder state of one QP
 * @transport: RC, UC or UD
 * @mtu: payload bytes of a full packet
 * @peer_qpn: RC: where answers go
 * @access: RXE_ACC_REMOTE_* that the QP grants
 * @min_rnr_timer: code sent in RNR NAKs, 0 .. 31
 * @max_res: max_dest_rd_atomic, 0 = the peer may not ask for anything that is kept in
 *	@res. What more is outstanding all the same, as where the kernel's own driver
 *	rounds the number up, is served as well, for @res has room
 * @hold: PSNs from the expected one on that are kept when they arrive beyond a
 *	hole, 0 = none
 * @epsn: expected PSN
 * @msn: messages completed, 24 bits
 * @msg: message whose middle or last packet is expected
 * @offset: bytes of the current message received
 * @write_left: RDMA WRITE: bytes of DMALen still to come
 * @write_va: RDMA WRITE: address for the next byte
 * @write_rkey: RDMA WRITE: key of the current message
 * @nak_sent: a PSN or RNR NAK for @epsn is out
 * @not_ready: it was an RNR NAK
 * @high_psn: last PSN seen beyond the hole
 * @beyond: packets seen beyond the hole since it opened or was reported
 * @hole_ns: when the hole is to be reported, or reported again; 0 = it is not
 * @reports: how often that was
 * @cnp: notifications for requests that were marked on their way
 * @stats: for people
 * @res: ring of responder resources
 * @res_next: slot for the next one
 * @reading: a READ answer is being streamed
 * @read_rkey: its key
 * @read: what of it comes next; @n unused
 * @read_left: bytes of it still to send
 * @read_pkts: packets of it still to send
 * @read_again: it was answered before: its requester need not want the answer any more,
 *	and its memory need not be there
 */
struct rxe_resp {
	enum rxe_transport transport;
	u32 mtu;
	u32 peer_qpn;
	u32 access;
	u8 min_rnr_timer;
	u8 max_res;
	u32 hold;

	u32 epsn;
	u32 msn;
	enum rxe_resp_msg msg;
	u32 offset;
	u32 write_left;
	u64 write_va;
	u32 write_rkey;
	bool nak_sent;
	bool not_ready;
	u32 high_psn;
	u32 beyond;
	u64 hole_ns;
	u32 reports;
	struct rxe_cnp cnp;
	struct rxe_resp_stats stats;

	struct rxe_res *res;
	u8 res_next;
	bool reading;
	u32 read_rkey;
	struct rxe_read_run read;
	u32 read_left;
	u32 read_pkts;
	bool read_again;
};

enum rxe_rx_verdict {
	RXE_RX_DROP, /* say nothing */
	RXE_RX_EXEC, /* carry out plan->what, then rxe_resp_done() or rxe_resp_rnr() */
	RXE_RX_ACK, /* duplicate: acknowledge what is complete */
	RXE_RX_READ, /* duplicate READ: rxe_resp_read_again() with plan->res */
	RXE_RX_ATOMIC, /* duplicate atomic: send plan->res->orig again */
	RXE_RX_AHEAD, /* keep it if plan->keep, then rxe_resp_ahead() */
	RXE_RX_FATAL, /* send plan->nak (RC), QP to error */
};

enum rxe_rx_what {
	RXE_DO_SEND, /* place payload at plan->offset of the receive WQE */
	RXE_DO_WRITE, /* place payload at plan->va of plan->rkey */
	RXE_DO_READ, /* check range; rxe_resp_read_start() */
	RXE_DO_ATOMIC, /* perform it; rxe_resp_atomic_done() */
	RXE_DO_ATOMIC_WRITE,
	RXE_DO_FLUSH, /* make it visible, or persistent; rxe_resp_atomic_done() */
};

/**
 * struct rxe_rx_plan - what a request asks for
 * @verdict: what to do
 * @what: RXE_RX_EXEC: the operation
 * @nak: RXE_RX_FATAL: syndrome
 * @duplicate: it was executed before
 * @keep: RXE_RX_AHEAD: may be kept until the packets before it are there
 * @ack: acknowledge once it is carried out
 * @need_rwqe: a receive work request must be attached
 * @complete: receive work request completes with this packet
 * @whole: RXE_DO_FLUSH: all that @rkey names, instead of a range
 * @access: RXE_DO_FLUSH: RXE_ACC_FLUSH_* that the key must grant
 * @offset: RXE_DO_SEND: byte offset in the message
 * @va: RXE_DO_WRITE and others: remote address
 * @rkey: key for it
 * @bytes: bytes that the key must cover, 0 = key is not looked at
 * @msg_bytes: message length so far, this packet included
 * @res: RXE_RX_READ, RXE_RX_ATOMIC: resource with the answer
 */
struct rxe_rx_plan {
	enum rxe_rx_verdict verdict;
	enum rxe_rx_what what;
	u8 nak;
	bool duplicate;
	bool keep;
	bool need_rwqe;
	bool complete;
	bool ack;
	bool whole;
	u32 access;
	u32 offset;
	u64 va;
	u32 rkey;
	u32 bytes;
	u32 msg_bytes;
	struct rxe_res *res;
};

/* What became of a packet beyond a hole */
enum rxe_kept {
	RXE_KEPT,
	RXE_KEPT_BEFORE, /* it is here already */
	RXE_NOT_KEPT,
};

void rxe_resp_reset(struct rxe_resp *resp, u32 psn);
void rxe_resp_rx(struct rxe_resp *resp, const struct rxe_pkt *pkt,
		 struct rxe_rx_plan *plan);
void rxe_resp_done(struct rxe_resp *resp, const struct rxe_pkt *pkt,
		   const struct rxe_rx_plan *plan);
u8 rxe_resp_ahead(struct rxe_resp *resp, const struct rxe_pkt *pkt,
		  enum rxe_kept kept, u64 now);
void rxe_resp_hole(struct rxe_resp *resp, u64 now);
void rxe_resp_hole_closed(struct rxe_resp *resp);
u8 rxe_resp_timeout(struct rxe_resp *resp, u64 now, bool *give_up);
u8 rxe_resp_rnr(struct rxe_resp *resp, const struct rxe_pkt *pkt);
void rxe_resp_read_start(struct rxe_resp *resp, const struct rxe_pkt *pkt,
			 u64 now);
void rxe_resp_read_again(struct rxe_resp *resp, struct rxe_res *res,
			 const struct rxe_pkt *pkt, u64 arrived_ns, u64 now);
void rxe_resp_atomic_done(struct rxe_resp *resp, const struct rxe_pkt *pkt,
			  u8 type, u64 orig);
bool rxe_resp_read_next(struct rxe_resp *resp, u32 max_pkts,
			struct rxe_read_run *run);
void rxe_resp_read_pkt(const struct rxe_resp *resp,
		       const struct rxe_read_run *run, u32 i,
		       struct rxe_pkt *pkt, u32 *offset);
void rxe_resp_read_sent(struct rxe_resp *resp, const struct rxe_read_run *run);
void rxe_resp_ack_pkt(const struct rxe_resp *resp, u8 syndrome, u32 psn,
		      struct rxe_pkt *pkt);
void rxe_resp_result_pkt(const struct rxe_resp *resp, const struct rxe_res *res,
			 struct rxe_pkt *pkt);

/* PSN that an ACK of everything executed carries */
static inline u32 rxe_resp_acked_psn(const struct rxe_resp *resp)
{
	return rxe_psn_sub(resp->epsn, 1);
}

#endif /* RXE_PROTO_RESP_H */
