/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Device counters as the RDMA core shows them */
#ifndef RXE_STATS_H
#define RXE_STATS_H

#include <linux/types.h>

struct ib_device;
struct rdma_hw_stats;

struct rdma_hw_stats *rxe_stats_alloc(struct ib_device *ibdev, u32 port);
int rxe_stats_get(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		  u32 port, int index);

#endif /* RXE_STATS_H */
