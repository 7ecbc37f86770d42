/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The user ABI, as the kernel's own header has it. Include this, never that
 * header itself: two of its names are ours.
 */
#ifndef RXE_OBJ_ABI_H
#define RXE_OBJ_ABI_H

#include <linux/build_bug.h>
#include <linux/stddef.h>

#define rxe_sge rxe_abi_sge
#define rxe_av rxe_abi_av
#include <rdma/rdma_user_rxe.h>
#undef rxe_sge
#undef rxe_av

static_assert(offsetof(struct rxe_send_wqe, wr.wr) == 24);
static_assert(offsetof(struct rxe_send_wqe, wr.wr.ud.av) == 56);
static_assert(offsetof(struct rxe_send_wqe, dma) == 184);
static_assert(sizeof(struct rxe_send_wqe) == 208);
static_assert(sizeof(struct rxe_recv_wqe) == 40);
static_assert(sizeof(struct rxe_abi_sge) == 16);

#endif /* RXE_OBJ_ABI_H */
