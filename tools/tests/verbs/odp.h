/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Two ends in this process with ON_DEMAND regions, and what becomes of their memory */
#ifndef RVT_ODP_H
#define RVT_ODP_H

#include "pair.h"

#define PAGE 4096u
#define ODP_ALL (MR_ALL | IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_ON_DEMAND)

/**
 * struct odp_refusal - an operation that meets memory which is not to be had
 * @op: the operation, from a
 * @at_a: it is a's memory, else b's
 * @prot: what the process may do with it; < 0: there is none
 * @from: first page of it, of the three that the message touches
 * @status: at a
 * @recv: at b, of a SEND
 */
struct odp_refusal {
	enum ibv_wr_opcode op;
	bool at_a;
	int prot;
	unsigned int from;
	enum ibv_wc_status status;
	enum ibv_wc_status recv;
};

#define NONE (-1)
#define REM_ACCESS IBV_WC_REM_ACCESS_ERR, IBV_WC_WR_FLUSH_ERR

struct pair_opts odp_opts(void);
void odp_open(struct pair *p, struct env *e);
void *odp_at(const struct ep_mr *mr, uint32_t off);
/* Pages of a range that are in memory. */
unsigned int odp_resident(const void *addr, size_t len);

#endif
