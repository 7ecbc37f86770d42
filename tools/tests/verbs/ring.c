// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Between the beginning and the end of a list of work requests the library has
 * written them to the ring that it shares with the kernel, and the kernel has not
 * looked yet.  There a WRITE is turned into what the library does not know.
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
	struct ibv_qp *qp = ibv_create_qp_ex(pd->context, &ex);

	init->cap = ex.cap;
	return qp;
}

/* The request of that name in one of the rings that are mapped, or NULL. */
static struct rxe_send_wqe *find(uint64_t wr_id)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	struct rxe_send_wqe *found = NULL;
	char line[400];

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		unsigned long from, to;

		if (!strstr(line, "/uverbs") || sscanf(line, "%lx-%lx rw", &from, &to) != 2)
			continue;
		for (; from + sizeof(*found) <= to && !found; from += sizeof(uint64_t))
			if (*(volatile uint64_t *)from == wr_id)
				found = (void *)from;
	}
	if (maps)
		fclose(maps);
	return found;
}

int ring_post_flush(struct ibv_qp *qp, const struct ep_wr *wr)
{
	static uint64_t nonce = 0x5eed5eed00000000;
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp);
	struct rxe_send_wqe *wqe;

	ibv_wr_start(qpx);
	qpx->wr_id = ++nonce;
	qpx->wr_flags = wr->flags;
	ibv_wr_rdma_write(qpx, wr->rkey, wr->raddr);
	ibv_wr_set_sge(qpx, 0, 0, 0);
	wqe = find(nonce);
	if (!wqe) {
		ibv_wr_abort(qpx);
		return ENOENT;
	}
	wqe->wr.wr_id = wr->wr_id;
	wqe->wr.opcode = WR_FLUSH;
	*(struct flush_wr *)&wqe->wr.wr = (struct flush_wr){
		.remote_addr = wr->raddr,
		.rkey = wr->rkey,
		.type = wr->flush_type,
		.level = wr->flush_level,
	};
	wqe->dma.length = wr->flush_len;
	wqe->dma.resid = wr->flush_len;
	wqe->dma.num_sge = 0;
	return ibv_wr_complete(qpx);
}
