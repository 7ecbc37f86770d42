// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Between the beginning and the end of a list of work requests the library has
 * written them to the ring that it shares with the kernel, and the kernel has not
 * looked yet.  There a WRITE is turned into what the library does not know or would
 * not take.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <rdma/rdma_user_rxe.h>

#include "ring.h"

/* The operands of a FLUSH, in place of wr.wr; not all headers have them. */
struct flush_wr {
	uint64_t remote_addr;
	uint32_t length;
	uint32_t rkey;
	uint8_t type;
	uint8_t level;
};

struct ibv_qp *ring_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init)
{
	struct ibv_qp_init_attr_ex ex = {
		.send_cq = init->send_cq,
		.recv_cq = init->recv_cq,
		.cap = init->cap,
		.qp_type = init->qp_type,
		.sq_sig_all = init->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = pd,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE,
	};
	struct ibv_qp *qp;

	if (init->qp_type == IBV_QPT_RC)
		ex.send_ops_flags |= IBV_QP_EX_WITH_ATOMIC_WRITE;
	qp = ibv_create_qp_ex(pd->context, &ex);

	init->cap = ex.cap;
	return qp;
}

/* The request of that name in one of the rings that are mapped, or NULL. */
static void *find(uint64_t wr_id)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	void *found = NULL;
	char line[400];

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		unsigned long from, to;

		if (!strstr(line, "/uverbs") || sscanf(line, "%lx-%lx rw", &from, &to) != 2)
			continue;
		for (; from < to && !found; from += sizeof(uint64_t))
			if (*(volatile uint64_t *)from == wr_id)
				found = (void *)from;
	}
	if (maps)
		fclose(maps);
	return found;
}

/* Work requests are told from what else is in the rings by it. */
static uint64_t next_nonce(void)
{
	static uint64_t nonce = 0x5eed5eed00000000;

	return ++nonce;
}

static void put_operands(struct rxe_send_wr *to, const struct ep_wr *wr)
{
	switch (wr->opcode) {
	case WR_FLUSH:
		*(struct flush_wr *)&to->wr = (struct flush_wr){
			.remote_addr = wr->raddr,
			.rkey = wr->rkey,
			.type = wr->flush_type,
			.level = wr->flush_level,
		};
		return;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		to->wr.atomic.remote_addr = wr->raddr;
		to->wr.atomic.rkey = wr->rkey;
		to->wr.atomic.compare_add = wr->compare_add;
		to->wr.atomic.swap = wr->swap;
		return;
	default:
		to->wr.rdma.remote_addr = wr->raddr;
		to->wr.rdma.rkey = wr->rkey;
	}
}

static void put_data(struct rxe_dma_info *to, const struct ep_wr *wr)
{
	to->length = wr->ring_len;
	to->resid = wr->ring_len;
	to->num_sge = wr->nsge;
	if (wr->nsge)
		memcpy(to->sge, wr->sge, sizeof(to->sge[0]));
}

int ring_post_send(struct ibv_qp *qp, const struct ep_wr *wr)
{
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp);
	struct rxe_send_wqe *wqe;

	ibv_wr_start(qpx);
	qpx->wr_id = next_nonce();
	qpx->wr_flags = 0;
	ibv_wr_rdma_write(qpx, wr->rkey, wr->raddr);
	ibv_wr_set_sge(qpx, 0, 0, 0);
	wqe = find(qpx->wr_id);
	if (!wqe) {
		ibv_wr_abort(qpx);
		return ENOENT;
	}
	wqe->wr.wr_id = wr->wr_id;
	wqe->wr.opcode = wr->opcode;
	wqe->wr.send_flags = wr->flags;
	put_operands(&wqe->wr, wr);
	put_data(&wqe->dma, wr);
	return ibv_wr_complete(qpx);
}

/* The kernel looks at a receive when a message comes for it. */
int ring_post_recv(struct ibv_qp *qp, const struct ep_wr *wr)
{
	struct ibv_recv_wr ordinary = { .wr_id = next_nonce() }, *bad;
	struct rxe_recv_wqe *wqe;
	int err = ibv_post_recv(qp, &ordinary, &bad);

	if (err)
		return err;
	wqe = find(ordinary.wr_id);
	if (!wqe)
		return ENOENT;
	wqe->wr_id = wr->wr_id;
	put_data(&wqe->dma, wr);
	return 0;
}
