// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "complete.h"

#include <linux/build_bug.h>

#include "compat/rdma.h"

static_assert((int)RXE_ST_LOC_LEN_ERR == IB_WC_LOC_LEN_ERR);
static_assert((int)RXE_ST_LOC_PROT_ERR == IB_WC_LOC_PROT_ERR);
static_assert((int)RXE_ST_WR_FLUSH_ERR == IB_WC_WR_FLUSH_ERR);
static_assert((int)RXE_ST_BAD_RESP_ERR == IB_WC_BAD_RESP_ERR);
static_assert((int)RXE_ST_REM_ACCESS_ERR == IB_WC_REM_ACCESS_ERR);
static_assert((int)RXE_ST_RNR_RETRY_EXC_ERR == IB_WC_RNR_RETRY_EXC_ERR);

static enum ib_wc_opcode send_opcode(u8 op)
{
	switch (op) {
	case RXE_WR_WRITE:
	case RXE_WR_WRITE_IMM:
		return IB_WC_RDMA_WRITE;
	case RXE_WR_READ:
	case RXE_WR_READ_INV:
		return IB_WC_RDMA_READ;
	case RXE_WR_CMP_SWAP:
		return IB_WC_COMP_SWAP;
	case RXE_WR_FETCH_ADD:
		return IB_WC_FETCH_ADD;
	case RXE_WR_LOCAL_INV:
		return IB_WC_LOCAL_INV;
	case RXE_WR_REG_MR:
		return IB_WC_REG_MR;
	case RXE_WR_BIND_MW:
		return IB_WC_BIND_MW;
	case RXE_WR_FLUSH:
		return IB_WC_FLUSH;
	case RXE_WR_ATOMIC_WRITE:
		return IB_WC_ATOMIC_WRITE;
	default:
		return IB_WC_SEND;
	}
}

/**
 * rxe_complete_send() - complete the oldest send work request
 * @qp: the QP
 * @w: from rxe_req_oldest(); its record and slot are free afterwards
 *
 * The slot is given back before the CQE is seen: a consumer may post again as
 * soon as it has polled.
 *
 * Context: send side lock.
 * Return: false when the completion was lost to a full CQ.
 */
bool rxe_complete_send(struct rxe_qp *qp, const struct rxe_swqe *w)
{
	struct ib_wc wc = {
		.wr_id = w->wr_id,
		.status = w->status,
		.opcode = send_opcode(w->op),
		.byte_len = w->length,
		.qp = &qp->ib,
	};
	bool signaled = w->status != RXE_ST_SUCCESS || qp->sig_all ||
			(w->flags & RXE_WR_SIGNALED);

	lockdep_assert_held(&qp->send_lock);
	rxe_sq_retire(qp);
	if (!signaled)
		return true;
	return rxe_cq_push(to_rxe_cq(qp->ib.send_cq), &wc,
			   wc.status != IB_WC_SUCCESS);
}

/**
 * rxe_complete_recv() - complete the attached receive work request
 * @qp: the QP; @qp->have_rwqe is set, and cleared here
 * @info: what to say
 *
 * Context: receive side lock.
 * Return: false when the completion was lost to a full CQ.
 */
bool rxe_complete_recv(struct rxe_qp *qp, const struct rxe_recv_info *info)
{
	struct ib_wc wc = {
		.wr_id = qp->rwqe.wr_id,
		.status = info->status,
		.opcode = info->write ? IB_WC_RECV_RDMA_WITH_IMM : IB_WC_RECV,
		.byte_len = info->bytes,
		.qp = &qp->ib,
		.src_qp = info->src_qpn,
		.port_num = 1,
	};

	lockdep_assert_held(&qp->recv_lock);
	if (info->has_imm) {
		wc.wc_flags |= IB_WC_WITH_IMM;
		wc.ex.imm_data = info->imm;
	} else if (info->has_inv) {
		wc.wc_flags |= IB_WC_WITH_INVALIDATE;
		wc.ex.invalidate_rkey = info->inv_rkey;
	}
	if (info->has_grh) {
		wc.wc_flags |= IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE;
		wc.network_hdr_type = info->v6 ? RDMA_NETWORK_IPV6 :
						 RDMA_NETWORK_IPV4;
		if (info->vlan != RXE_NO_VLAN) {
			wc.wc_flags |= IB_WC_WITH_VLAN;
			wc.vlan_id = info->vlan;
		}
	}
	rxe_qp_put_rwqe(qp);
	return rxe_cq_push(to_rxe_cq(qp->ib.recv_cq), &wc,
			   info->solicited || wc.status != IB_WC_SUCCESS);
}
