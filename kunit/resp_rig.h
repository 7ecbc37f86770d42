/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A responder in the hands of a test: requests in, verdicts out, no link */
#ifndef RXE_KUNIT_RESP_RIG_H
#define RXE_KUNIT_RESP_RIG_H

#include "proto/resp.h"
#include "util.h"

/**
 * struct resp_rig - the responder and what it said
 * @resp: the responder, path MTU 256, 4 resources, all rights
 * @res: its resources
 * @va: of the next request
 * @rkey: of the next request
 * @dmalen: of the next request
 * @plt: FLUSH: placement types of the next request
 * @sel: FLUSH: selectivity of the next request
 * @ack_req: of the next request
 * @fit: payload that suits @va and @dmalen
 * @no_rwqe: the receive queue is empty
 * @syndrome: RNR NAK that was due
 * @kept: what becomes of a packet beyond a hole
 * @arrived_ns: when a request arrived, ns; 0 = now
 * @now: time, ns
 * @nak: what was said to the last packet beyond a hole
 * @executed: requests carried out
 * @plan: for the last request
 */
struct resp_rig {
	struct rxe_resp resp;
	struct rxe_res res[RXE_MAX_RD_ATOMIC];
	u64 va;
	u32 rkey;
	u32 dmalen;
	u8 plt;
	u8 sel;
	bool ack_req;
	u32 fit;
	bool no_rwqe;
	u8 syndrome;
	enum rxe_kept kept;
	u64 arrived_ns;
	u64 now;
	u8 nak;
	u32 executed;
	struct rxe_rx_plan plan;
};

int resp_rig_init(struct kunit *test);
struct resp_rig *resp_rig(struct kunit *test, enum rxe_transport transport,
			  u32 psn);
void resp_fit(struct resp_rig *r, u8 opcode);
void resp_rx(struct resp_rig *r, u8 opcode, u32 psn, u32 bytes);
void resp_stream(struct resp_rig *r);

#endif /* RXE_KUNIT_RESP_RIG_H */
