/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A requester in the hands of a test: packets out, answers in, no link */
#ifndef RXE_KUNIT_REQ_RIG_H
#define RXE_KUNIT_REQ_RIG_H

#include "proto/req.h"
#include "util.h"
#include "wire/aeth.h"

#define RIG_SLOTS 16
#define RIG_SLOT_BYTES ALIGN(sizeof(struct rxe_swqe), 8)
#define RIG_PACKETS 256
#define RIG_VA 0x123456789aULL
#define RIG_RKEY 0x1001U
#define RIG_INV 0x1002U
#define RIG_IMM 0x1003U
#define RIG_SWAP 0x1004ULL
#define RIG_COMPARE 0x1005ULL
#define RIG_UD_QPN 0x1006U
#define RIG_TIMEOUT 100000 /* ns */

/**
 * struct req_rig - the requester and what came out of it
 * @req: the requester, path MTU 256, window 128
 * @now: time, ns
 * @posted: work requests posted, their wr_id
 * @n: packets that the last req_send() sent
 * @pkt: the packets
 * @offset: where in the message their payload starts
 * @locals: local operations carried out
 * @plan: of the last answer or timer
 * @status: of the last work request that finished
 * @slots: send queue records
 */
struct req_rig {
	struct rxe_req req;
	u64 now;
	u64 posted;
	u32 n;
	struct rxe_pkt pkt[RIG_PACKETS];
	u32 offset[RIG_PACKETS];
	u32 locals;
	struct rxe_ack_plan plan;
	u8 status;
	u8 slots[RIG_SLOTS][RIG_SLOT_BYTES] __aligned(8);
};

int req_rig_init(struct kunit *test);
struct req_rig *req_rig(struct kunit *test, enum rxe_transport transport,
			u32 psn);
struct rxe_swqe *req_post(struct req_rig *r, u8 op, u32 length, u8 flags);
void req_send(struct req_rig *r, u32 max_pkts);
void req_ack(struct req_rig *r, u32 psn, u8 syndrome);
void req_response(struct req_rig *r, u8 opcode, u32 psn, u32 bytes);
void req_timer(struct req_rig *r);
u32 req_finished(struct req_rig *r);

#endif /* RXE_KUNIT_REQ_RIG_H */
