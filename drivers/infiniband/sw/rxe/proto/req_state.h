/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the parts of the requester share: req.c, ack.c, response.c, recover.c, timer.c,
 * congestion.c, flush.c
 */
#ifndef RXE_PROTO_REQ_STATE_H
#define RXE_PROTO_REQ_STATE_H

#include "req.h"

/* Packets sent into a hole of unknown length: the second tells a peer that the first
 * was lost again
 */
#define RXE_REPAIR_PKTS 2U

static inline struct rxe_swqe *rxe_req_at(const struct rxe_req *req, u32 i)
{
	return req->wqes + (size_t)(i & req->mask) * req->stride;
}

/* The peer answers with more than an ACK; bounded by max_rd_atomic */
static inline bool rxe_wr_wants_response(const struct rxe_swqe *w)
{
	switch (w->op) {
	case RXE_WR_READ:
	case RXE_WR_READ_INV:
	case RXE_WR_CMP_SWAP:
	case RXE_WR_FETCH_ADD:
	case RXE_WR_FLUSH:
	case RXE_WR_ATOMIC_WRITE:
		return true;
	default:
		return false;
	}
}

static inline bool rxe_wr_is_read(const struct rxe_swqe *w)
{
	return w->op == RXE_WR_READ || w->op == RXE_WR_READ_INV;
}

static inline bool rxe_wr_is_atomic(const struct rxe_swqe *w)
{
	return w->op == RXE_WR_CMP_SWAP || w->op == RXE_WR_FETCH_ADD;
}

/* How far ahead of the oldest missing PSN @psn is, which is not behind it */
static inline u32 rxe_req_rel(const struct rxe_req *req, u32 psn)
{
	return rxe_psn_sub(psn, req->una);
}

static inline u32 rxe_req_outstanding(const struct rxe_req *req)
{
	return rxe_req_rel(req, req->sent_psn);
}

/* A response beyond the oldest missing one that has arrived */
static inline bool rxe_req_has(const struct rxe_req *req, u32 psn)
{
	return rxe_req_rel(req, psn) < RXE_GOT_PSNS &&
	       test_bit(psn % RXE_GOT_PSNS, req->answers.got);
}

/* PSN after what was sent of @w, or asked for: a long READ goes in parts, and nothing
 * after it is sent before the last of them
 */
static inline u32 rxe_req_end(const struct rxe_req *req,
			      const struct rxe_swqe *w)
{
	u32 end = rxe_psn_add(w->last_psn, 1);

	return rxe_psn_diff(req->sent_psn, end) < 0 ? req->sent_psn : end;
}

/* The peer has executed @w, which is outstanding, or the parts of it that were sent: what
 * it answers may be lost, the request was not
 */
static inline bool rxe_req_executed(const struct rxe_req *req,
				    const struct rxe_swqe *w)
{
	return rxe_req_rel(req, req->acked_psn) >=
	       rxe_req_rel(req, rxe_req_end(req, w));
}

/* The peer shows that it lives: silence counts from now on */
static inline void rxe_req_heard(struct rxe_req *req, u64 now)
{
	req->timer.rto_ns = now;
	req->timer.early_ns = now;
	req->timer.late = false;
}

/* The wait that an RNR NAK asked for is no time in which the peer was silent */
static inline void rxe_req_rnr_over(struct rxe_req *req, u64 now)
{
	req->rnr_until_ns = 0;
	req->timer.backoff = 0;
	rxe_req_heard(req, now);
	req->retry_left = req->retry_cnt;
}

bool rxe_req_icrc_twice(const struct rxe_req *req, u32 psn);
void rxe_req_icrc_sent(struct rxe_req *req, const struct rxe_pkt *pkt);
void rxe_req_cc_reset(struct rxe_req *req);
void rxe_req_narrow(struct rxe_req *req);
void rxe_req_shrink(struct rxe_req *req);
void rxe_req_grow(struct rxe_req *req, u32 n);
void rxe_req_measured(struct rxe_req *req, u64 rtt_ns, u32 n);
void rxe_req_executed_until(struct rxe_req *req, u32 end, u64 now);
void rxe_req_response(struct rxe_req *req, const struct rxe_pkt *pkt, u64 now,
		      struct rxe_ack_plan *plan);
struct rxe_swqe *rxe_req_owner(const struct rxe_req *req, u32 psn);
void rxe_req_fatal(struct rxe_req *req, struct rxe_swqe *w, u8 status,
		   struct rxe_ack_plan *plan);
u32 rxe_req_run_psns(const struct rxe_req *req, const struct rxe_swqe *w);
void rxe_req_leave_hole(struct rxe_req *req);
void rxe_req_advanced(struct rxe_req *req, u32 old_una, u64 now);
void rxe_req_answered(struct rxe_req *req, u32 old_una, u64 now);
bool rxe_req_asked_again(const struct rxe_req *req, u32 psn);
void rxe_req_response_before(struct rxe_req *req, const struct rxe_pkt *pkt,
			     u64 now);
bool rxe_req_unanswered(const struct rxe_req *req, const struct rxe_swqe *w);
void rxe_req_ask_on(struct rxe_req *req, u32 end, u64 now,
		    struct rxe_ack_plan *plan);
void rxe_req_fill(struct rxe_req *req, u32 n, u64 now);
void rxe_req_resume(struct rxe_req *req, u64 now);
void rxe_req_rewind(struct rxe_req *req, u64 now);
void rxe_req_response_gap(struct rxe_req *req, u32 end, u64 now,
			  struct rxe_ack_plan *plan);
void rxe_req_missing(struct rxe_req *req, u32 psn, u64 now,
		     struct rxe_ack_plan *plan);
void rxe_req_hole_filled(struct rxe_req *req, u64 now,
			 struct rxe_ack_plan *plan);
void rxe_req_probe_answered(struct rxe_req *req, bool all, u64 now,
			    struct rxe_ack_plan *plan);

#endif /* RXE_PROTO_REQ_STATE_H */
