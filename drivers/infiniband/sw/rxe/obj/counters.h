/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Device counters: per CPU, summed when read; names are in stats.c */
#ifndef RXE_OBJ_COUNTERS_H
#define RXE_OBJ_COUNTERS_H

#include <linux/percpu.h>
#include <linux/types.h>

enum rxe_counter {
	RXE_CNT_SENT_PKTS,
	RXE_CNT_RCVD_PKTS,
	RXE_CNT_DUP_REQ,
	RXE_CNT_OUT_OF_SEQ_REQ,
	RXE_CNT_RCV_RNR,
	RXE_CNT_SND_RNR,
	RXE_CNT_RCV_SEQ_ERR,
	RXE_CNT_ACK_DEFERRED,
	RXE_CNT_RETRY_EXCEEDED,
	RXE_CNT_RNR_RETRY_EXCEEDED,
	RXE_CNT_COMP_RETRY,
	RXE_CNT_SEND_ERR,
	RXE_CNT_LINK_DOWNED,
	RXE_CNT_RDMA_SENDS,
	RXE_CNT_RDMA_RECVS,
	RXE_CNT_SENT_BYTES,
	RXE_CNT_RCVD_BYTES,
	RXE_CNT_COUNT,
};

struct rxe_counters {
	u64 v[RXE_CNT_COUNT];
};

#endif /* RXE_OBJ_COUNTERS_H */
