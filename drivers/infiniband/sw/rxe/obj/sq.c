// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send queue: from the consumer's ring into private records. The ring of a user
 * is hostile: every slot is copied once, and the copy is checked and used.
 */
#include <compat/rdma.h>

#include "../trace.h"
#include "../wire/hdr.h"
#include "abi.h"
#include "mr.h"
#include "qp.h"

#define ANY_FLAG \
	(RXE_WR_FENCE | RXE_WR_SIGNALED | RXE_WR_SOLICITED | RXE_WR_INLINE)

/* Who may use an opcode, and how */
#define ON_RC BIT(RXE_RC)
#define ON_UC BIT(RXE_UC)
#define ON_UD BIT(RXE_UD)
#define KERNEL_ONLY BIT(3)
#define MAY_INLINE BIT(4)
#define LOCAL BIT(5) /* no message: neither SGEs nor a length */
#define ATOMIC BIT(6) /* exactly 8 bytes */
#define USER_ONLY BIT(7) /* no such request in the kernel's verbs */
#define NO_DATA BIT(8) /* a length, but no SGEs */

static const u16 op_rule[] = {
	[RXE_WR_WRITE] = ON_RC | ON_UC | MAY_INLINE,
	[RXE_WR_WRITE_IMM] = ON_RC | ON_UC | MAY_INLINE,
	[RXE_WR_SEND] = ON_RC | ON_UC | ON_UD | MAY_INLINE,
	[RXE_WR_SEND_IMM] = ON_RC | ON_UC | ON_UD | MAY_INLINE,
	[RXE_WR_READ] = ON_RC,
	[RXE_WR_CMP_SWAP] = ON_RC | ATOMIC,
	[RXE_WR_FETCH_ADD] = ON_RC | ATOMIC,
	[RXE_WR_LOCAL_INV] = ON_RC | ON_UC | LOCAL,
	[RXE_WR_BIND_MW] = ON_RC | ON_UC | LOCAL | USER_ONLY,
	[RXE_WR_SEND_INV] = ON_RC | MAY_INLINE,
	[RXE_WR_READ_INV] = ON_RC | KERNEL_ONLY,
	[RXE_WR_FLUSH] = ON_RC | NO_DATA | USER_ONLY,
	[RXE_WR_ATOMIC_WRITE] = ON_RC | ATOMIC,
	[RXE_WR_REG_MR] = ON_RC | ON_UC | KERNEL_ONLY | LOCAL,
};

/* How a kernel user's REG_MR stands in the ring, in place of wr.wr */
struct reg_wr {
	struct ib_mr *mr;
	u32 key;
	u32 access;
};

/* How a FLUSH stands there; not all kernels' headers have it. Libraries put the length
 * where that of data goes, and not always here too.
 */
struct flush_wr {
	__aligned_u64 remote_addr;
	u32 length;
	u32 rkey;
	u8 type;
	u8 level;
};

/* The rule for @op on @qp; 0 when it is not allowed there */
static u32 get_rule(const struct rxe_qp *qp, u32 op)
{
	u32 rule = op < ARRAY_SIZE(op_rule) ? op_rule[op] : 0;

	if (!(rule & BIT(qp->transport)))
		return 0;
	if (rule & (qp->user ? KERNEL_ONLY : USER_ONLY))
		return 0;
	return rule;
}

/* The part of a request that depends on its opcode, from a private copy */
static u8 take_operands(const struct rxe_qp *qp, struct rxe_swqe *w,
			const struct rxe_send_wr *wr)
{
	switch (w->op) {
	case RXE_WR_CMP_SWAP:
	case RXE_WR_FETCH_ADD:
		w->remote_addr = wr->wr.atomic.remote_addr;
		w->rkey = wr->wr.atomic.rkey;
		if (w->op == RXE_WR_CMP_SWAP) {
			w->compare = wr->wr.atomic.compare_add;
			w->swap_add = wr->wr.atomic.swap;
		} else {
			w->compare = 0;
			w->swap_add = wr->wr.atomic.compare_add;
		}
		break;
	case RXE_WR_BIND_MW:
		w->rkey = wr->wr.mw.mw_rkey;
		w->local.obj = NULL;
		w->local.addr = wr->wr.mw.addr;
		w->local.length = wr->wr.mw.length;
		w->local.key = wr->wr.mw.rkey;
		w->local.mr_lkey = wr->wr.mw.mr_lkey;
		w->local.access = wr->wr.mw.access;
		break;
	case RXE_WR_REG_MR: {
		const struct reg_wr *reg = (const void *)&wr->wr;

		w->local.obj = to_rxe_mr(reg->mr);
		w->local.key = reg->key;
		w->local.access = reg->access;
		break;
	}
	case RXE_WR_FLUSH: {
		const struct flush_wr *flush = (const void *)&wr->wr;

		w->remote_addr = flush->remote_addr;
		w->rkey = flush->rkey;
		w->flush_plt = flush->type;
		w->flush_sel = flush->level;
		if (!flush->type || (flush->type & ~RXE_PLT_ALL) ||
		    flush->level > RXE_SEL_REGION)
			return RXE_ST_LOC_QP_OP_ERR;
		break;
	}
	default:
		if (qp->transport == RXE_UD) {
			w->ah = wr->wr.ud.ah_num;
			w->remote_qpn = wr->wr.ud.remote_qpn & RXE_QPN_MASK;
			w->remote_qkey = wr->wr.ud.remote_qkey;
			/* One P_Key; and no address comes from the ring */
			if (wr->wr.ud.pkey_index || !w->ah)
				return RXE_ST_LOC_QP_OP_ERR;
		} else {
			w->remote_addr = wr->wr.rdma.remote_addr;
			w->rkey = wr->wr.rdma.rkey;
		}
	}
	return RXE_ST_SUCCESS;
}

static u8 take_inline(struct rxe_swqe *w, const struct rxe_send_wqe *slot,
		      u32 length, u32 limit)
{
	if (length > limit)
		return RXE_ST_LOC_LEN_ERR;
	rxe_ring_read(rxe_swqe_inline(w), slot->dma.inline_data, length);
	w->length = length;
	return RXE_ST_SUCCESS;
}

/* Take the SGEs. The length is their sum: some libraries write another one next
 * to them.
 */
static u8 take_sges(const struct rxe_qp *qp, struct rxe_swqe *w,
		    const struct rxe_send_wqe *slot, u32 num_sge)
{
	u64 length = 0;
	u32 i;

	if (num_sge > qp->sq.max_sge)
		return RXE_ST_LOC_QP_OP_ERR;
	rxe_ring_read(w->sge, slot->dma.sge, num_sge * sizeof(w->sge[0]));
	for (i = 0; i < num_sge; i++)
		length += w->sge[i].length;
	if (length > RXE_MAX_MSG_BYTES)
		return RXE_ST_LOC_LEN_ERR;
	w->num_sge = num_sge;
	w->length = length;
	return RXE_ST_SUCCESS;
}

static u8 take_data(const struct rxe_qp *qp, struct rxe_swqe *w,
		    const struct rxe_send_wqe *slot, u32 rule)
{
	struct rxe_dma_info dma;
	u8 status;

	if (rule & LOCAL)
		return RXE_ST_SUCCESS;

	rxe_ring_read(&dma, &slot->dma, sizeof(dma));
	if (rule & NO_DATA) {
		w->length = dma.length;
		return w->length > RXE_MAX_MSG_BYTES ? RXE_ST_LOC_LEN_ERR :
						       RXE_ST_SUCCESS;
	}
	if (w->op == RXE_WR_ATOMIC_WRITE && qp->user) {
		/* Users put the value where inline bytes go, unasked */
		w->flags |= RXE_WR_INLINE;
		status = take_inline(w, slot, dma.length, sizeof(u64));
	} else if (w->flags & RXE_WR_INLINE) {
		status = take_inline(w, slot, dma.length, qp->sq.max_inline);
	} else {
		status = take_sges(qp, w, slot, dma.num_sge);
	}
	if (!status && (rule & ATOMIC) && w->length != sizeof(u64))
		status = RXE_ST_LOC_LEN_ERR;
	return status;
}

/* Fill @w from @slot; the status is that of a request which cannot be used */
static u8 take(const struct rxe_qp *qp, struct rxe_swqe *w,
	       const struct rxe_send_wqe *slot)
{
	struct rxe_send_wr wr;
	u32 rule;
	u8 status;

	/* All but the AV, which only old libraries fill and nobody may trust */
	rxe_ring_read(&wr, &slot->wr, offsetof(struct rxe_send_wr, wr.ud.av));

	w->wr_id = wr.wr_id;
	w->flags = wr.send_flags & ANY_FLAG;
	if (qp->sig_all)
		w->flags |= RXE_WR_SIGNALED;
	w->op = RXE_WR_SEND;
	w->num_sge = 0;
	w->length = 0;

	rule = get_rule(qp, wr.opcode);
	if (!rule || ((w->flags & RXE_WR_INLINE) && !(rule & MAY_INLINE)))
		return RXE_ST_LOC_QP_OP_ERR;
	w->op = wr.opcode;
	w->imm = wr.ex.imm_data;
	w->inv_rkey = wr.ex.invalidate_rkey;
	status = take_operands(qp, w, &wr);
	if (status)
		return status;
	return take_data(qp, w, slot, rule);
}

/* Nothing is looked at, all is flushed (IBTA 10.3.1.5, 10.3.1.7) */
static bool is_flushed(struct rxe_qp *qp)
{
	if (rxe_qp_reaction(qp, RXE_QPE_START_SEND) == RXE_QPA_FLUSH)
		return true;
	if (!qp->sq.stale)
		return false;
	qp->sq.stale--;
	return true;
}

/**
 * rxe_sq_fetch - take one work request out of the ring
 * @qp: the QP
 *
 * It goes to the requester's next record. One that violates the rules goes there
 * too, as RXE_SWQE_DONE with its status, and fails when its turn comes. The slot
 * is given back by rxe_sq_retire(). Under @qp->send_lock.
 *
 * Return: false when nothing new is posted.
 */
bool rxe_sq_fetch(struct rxe_qp *qp)
{
	struct rxe_sq *sq = &qp->sq;
	struct rxe_swqe *w;

	lockdep_assert_held(&qp->send_lock);

	if (rxe_ring_filled(&sq->ring) <= sq->fetched)
		return false;
	w = rxe_req_fetch_slot(&qp->req);
	if (!w)
		return false;
	w->status = take(qp, w, rxe_ring_slot(&sq->ring, sq->fetched));
	if (is_flushed(qp))
		w->status = RXE_ST_WR_FLUSH_ERR;
	w->state = w->status ? RXE_SWQE_DONE : RXE_SWQE_POSTED;
	trace_rxe_post(qp, w);
	sq->fetched++;
	rxe_req_fetched(&qp->req);
	return true;
}

/**
 * rxe_sq_restart - the queue stopped in SQE, and goes on: what is there is flushed
 * @qp: the QP, still in SQE
 *
 * Under @qp->send_lock.
 */
void rxe_sq_restart(struct rxe_qp *qp)
{
	struct rxe_sq *sq = &qp->sq;
	u32 filled = rxe_ring_filled(&sq->ring);

	lockdep_assert_held(&qp->send_lock);

	rxe_req_flush(&qp->req);
	sq->stale = filled > sq->fetched ? filled - sq->fetched : 0;
}

/**
 * rxe_sq_retire - the oldest work request is done with
 * @qp: the QP; rxe_req_oldest() is not NULL
 *
 * Gives back its record and its slot; to be called before the completion is
 * pushed, since its reader may post at once. Under @qp->send_lock.
 */
void rxe_sq_retire(struct rxe_qp *qp)
{
	lockdep_assert_held(&qp->send_lock);

	rxe_req_retire(&qp->req);
	qp->sq.fetched--;
	rxe_ring_consume(&qp->sq.ring, 1);
}

/* What follows is the other end of the ring, for kernel users */

static void put_operands(const struct rxe_qp *qp, struct rxe_send_wr *to,
			 const struct ib_send_wr *wr)
{
	/* Not all kernels have all opcodes in their enum */
	switch ((int)wr->opcode) {
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		to->wr.atomic.remote_addr = atomic_wr(wr)->remote_addr;
		to->wr.atomic.compare_add = atomic_wr(wr)->compare_add;
		to->wr.atomic.swap = atomic_wr(wr)->swap;
		to->wr.atomic.rkey = atomic_wr(wr)->rkey;
		break;
	case IB_WR_REG_MR: {
		struct reg_wr *reg = (void *)&to->wr;

		reg->mr = reg_wr(wr)->mr;
		reg->key = reg_wr(wr)->key;
		reg->access = reg_wr(wr)->access;
		break;
	}
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
	case IB_WR_ATOMIC_WRITE:
		to->wr.rdma.remote_addr = rdma_wr(wr)->remote_addr;
		to->wr.rdma.rkey = rdma_wr(wr)->rkey;
		break;
	default:
		if (qp->transport != RXE_UD)
			break;
		to->wr.ud.remote_qpn = ud_wr(wr)->remote_qpn;
		to->wr.ud.remote_qkey = ud_wr(wr)->remote_qkey;
		to->wr.ud.pkey_index = ud_wr(wr)->pkey_index;
		to->wr.ud.ah_num = to_rxe_ah(ud_wr(wr)->ah)->entry->num;
	}
}

static void put_data(struct rxe_dma_info *to, const struct ib_send_wr *wr)
{
	u32 length = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];

		if (wr->send_flags & IB_SEND_INLINE)
			memcpy(to->inline_data + length,
			       ib_virt_dma_to_ptr(sge->addr), sge->length);
		else
			to->sge[i] = (struct rxe_abi_sge){
				.addr = sge->addr,
				.length = sge->length,
				.lkey = sge->lkey,
			};
		length += sge->length;
	}
	to->length = length;
	to->num_sge = wr->num_sge;
}

/* ib_drain_qp() posts an RDMA WRITE to a QP in error, of whatever type: it is flushed */
static bool drains(const struct rxe_qp *qp, const struct ib_send_wr *wr)
{
	return wr->opcode == IB_WR_RDMA_WRITE && !wr->num_sge &&
	       rxe_qp_state(qp) == RXE_QPS_ERR;
}

/* Everything that a kernel user is told at once instead of by a completion */
static int check_post(const struct rxe_qp *qp, const struct ib_send_wr *wr)
{
	u32 rule = get_rule(qp, wr->opcode);
	u64 length = 0;
	int i;

	if (drains(qp, wr))
		return 0;
	if (!rule || wr->num_sge < 0 || wr->num_sge > qp->sq.max_sge)
		return -EINVAL;
	for (i = 0; i < wr->num_sge; i++)
		length += wr->sg_list[i].length;
	if ((wr->send_flags & IB_SEND_INLINE) &&
	    (!(rule & MAY_INLINE) || length > qp->sq.max_inline))
		return -EINVAL;
	if ((rule & ATOMIC) && length != sizeof(u64))
		return -EINVAL;
	return length <= RXE_MAX_MSG_BYTES ? 0 : -EINVAL;
}

/**
 * rxe_sq_post - post one send work request for a kernel user
 * @qp: the QP, not a user's
 * @wr: the work request; its successors are not looked at
 *
 * Inline bytes are copied here. Any context.
 *
 * Return: 0, -EINVAL for a request that the QP cannot carry out, -ENOMEM when the
 * queue is full.
 */
int rxe_sq_post(struct rxe_qp *qp, const struct ib_send_wr *wr)
{
	struct rxe_sq *sq = &qp->sq;
	struct rxe_send_wqe *slot;
	unsigned long irq;
	int err;

	err = check_post(qp, wr);
	if (err)
		return err;

	spin_lock_irqsave(&sq->post_lock, irq);
	if (rxe_ring_free(&sq->post)) {
		slot = rxe_ring_slot(&sq->post, 0);
		slot->wr.wr_id = wr->wr_id;
		slot->wr.opcode = wr->opcode;
		slot->wr.send_flags = wr->send_flags;
		slot->wr.ex.imm_data = wr->ex.imm_data;
		put_operands(qp, &slot->wr, wr);
		put_data(&slot->dma, wr);
		rxe_ring_publish(&sq->post, 1);
	} else {
		err = -ENOMEM;
	}
	spin_unlock_irqrestore(&sq->post_lock, irq);
	return err;
}
