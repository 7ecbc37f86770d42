/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the two halves of the requester, req.c and ack.c, share */
#ifndef RXE_PROTO_REQ_STATE_H
#define RXE_PROTO_REQ_STATE_H

#include "req.h"

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

/* Oldest PSN of @w that is not answered, given that all before @w are */
static inline u32 rxe_wr_missing_psn(const struct rxe_swqe *w)
{
	return rxe_psn_add(w->first_psn, w->got);
}

static inline u32 rxe_req_outstanding(const struct rxe_req *req)
{
	return rxe_psn_sub(req->sent_psn, req->una);
}

/* The wait that an RNR NAK asked for is no time in which the peer was silent */
static inline void rxe_req_rnr_over(struct rxe_req *req, u64 now)
{
	req->rnr_until_ns = 0;
	req->rto_ns = now;
	req->retry_left = req->retry_cnt;
}

#endif /* RXE_PROTO_REQ_STATE_H */
