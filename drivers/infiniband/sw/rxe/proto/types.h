/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Work requests and completions as the engines see them */
#ifndef RXE_PROTO_TYPES_H
#define RXE_PROTO_TYPES_H

#include <linux/bits.h>
#include <linux/types.h>

enum rxe_transport {
	RXE_RC,
	RXE_UC,
	RXE_UD,
};

/* Work request opcodes; the numbers are those of the verbs ABI */
enum rxe_wr_op {
	RXE_WR_WRITE = 0,
	RXE_WR_WRITE_IMM = 1,
	RXE_WR_SEND = 2,
	RXE_WR_SEND_IMM = 3,
	RXE_WR_READ = 4,
	RXE_WR_CMP_SWAP = 5,
	RXE_WR_FETCH_ADD = 6,
	RXE_WR_LOCAL_INV = 7,
	RXE_WR_BIND_MW = 8,
	RXE_WR_SEND_INV = 9,
	RXE_WR_READ_INV = 11, /* kernel users only */
	RXE_WR_FLUSH = 14,
	RXE_WR_ATOMIC_WRITE = 15,
	RXE_WR_REG_MR = 32, /* kernel users only */
};

/* Work request flags; the numbers are those of the verbs ABI */
#define RXE_WR_FENCE BIT(0)
#define RXE_WR_SIGNALED BIT(1)
#define RXE_WR_SOLICITED BIT(2)
#define RXE_WR_INLINE BIT(3)

/* Completion status; the numbers are those of the verbs ABI */
enum rxe_status {
	RXE_ST_SUCCESS = 0,
	RXE_ST_LOC_LEN_ERR = 1,
	RXE_ST_LOC_QP_OP_ERR = 2,
	RXE_ST_LOC_PROT_ERR = 4,
	RXE_ST_WR_FLUSH_ERR = 5,
	RXE_ST_MW_BIND_ERR = 6,
	RXE_ST_BAD_RESP_ERR = 7,
	RXE_ST_LOC_ACCESS_ERR = 8,
	RXE_ST_REM_INV_REQ_ERR = 9,
	RXE_ST_REM_ACCESS_ERR = 10,
	RXE_ST_REM_OP_ERR = 11,
	RXE_ST_RETRY_EXC_ERR = 12,
	RXE_ST_RNR_RETRY_EXC_ERR = 13,
};

/* Remote access a QP grants; the numbers are those of the verbs ABI */
#define RXE_ACC_LOCAL_WRITE BIT(0)
#define RXE_ACC_REMOTE_WRITE BIT(1)
#define RXE_ACC_REMOTE_READ BIT(2)
#define RXE_ACC_REMOTE_ATOMIC BIT(3)
#define RXE_ACC_FLUSH_GLOBAL BIT(8)
#define RXE_ACC_FLUSH_PERSISTENT BIT(9)
#define RXE_ACC_FLUSH (RXE_ACC_FLUSH_GLOBAL | RXE_ACC_FLUSH_PERSISTENT)

/**
 * struct rxe_sge - a span of registered memory
 * @addr: virtual address inside the region
 * @length: bytes
 * @lkey: key of the region
 */
struct rxe_sge {
	u64 addr;
	u32 length;
	u32 lkey;
};

enum rxe_swqe_state {
	RXE_SWQE_POSTED, /* fetched, no PSN yet */
	RXE_SWQE_ACTIVE, /* has its PSNs, packets may be on the wire */
	RXE_SWQE_DONE, /* finished with @status, to be retired in order */
};

/**
 * struct rxe_swqe - private record of one send work request
 * @wr_id: the consumer's name for it
 * @remote_addr: RETH or AtomicETH address
 * @swap_add: atomic swap or add operand
 * @compare: atomic compare operand
 * @rkey: remote key
 * @length: message bytes
 * @imm: immediate data, wire order
 * @inv_rkey: key to invalidate, here or at the peer
 * @first_psn: PSN of the first packet, valid from RXE_SWQE_ACTIVE
 * @last_psn: PSN of the last packet or expected response
 * @again: PSNs from @first_psn on of which those that are missing were sent, or asked
 *	for, again
 * @ask: READ, atomic: number of the last packet that asked for its responses
 * @op: enum rxe_wr_op
 * @flags: RXE_WR_*
 * @state: enum rxe_swqe_state
 * @status: enum rxe_status, valid in RXE_SWQE_DONE
 * @parts: READ: asked for in parts, each answered like a READ of its own
 * @num_sge: entries of @sge
 * @ah: UD: address handle number
 * @remote_qpn: UD
 * @remote_qkey: UD
 * @flush_plt: FLUSH: placement types, RXE_PLT_*
 * @flush_sel: FLUSH: RXE_SEL_*
 * @local: operands of local operations, opaque to the engines
 * @sge: the spans; with RXE_WR_INLINE the bytes themselves
 *
 * The shared ring may be rewritten by its owner at any time: it is read once,
 * into this record, and never again.
 */
struct rxe_swqe {
	u64 wr_id;
	u64 remote_addr;
	u64 swap_add;
	u64 compare;
	u32 rkey;
	u32 length;
	__be32 imm;
	u32 inv_rkey;
	u32 first_psn;
	u32 last_psn;
	u32 again;
	u32 ask;
	u8 op;
	u8 flags;
	u8 state;
	u8 status;
	bool parts;
	u32 num_sge;
	union {
		struct {
			u32 ah;
			u32 remote_qpn;
			u32 remote_qkey;
		};
		struct {
			u8 flush_plt;
			u8 flush_sel;
		};
		struct {
			void *obj;
			u64 addr;
			u64 length;
			u32 key;
			u32 mr_lkey;
			u32 access;
		} local;
	};
	struct rxe_sge sge[];
};

static inline void *rxe_swqe_inline(struct rxe_swqe *w)
{
	return w->sge;
}

#endif /* RXE_PROTO_TYPES_H */
