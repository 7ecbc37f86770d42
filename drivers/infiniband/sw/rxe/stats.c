// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "stats.h"

#include <linux/array_size.h>
#include <linux/build_bug.h>
#include <rdma/ib_verbs.h>

#include "obj/dev.h"

/* Names that tools read: the same for ever. Documentation/counters.rst */
static const struct rdma_stat_desc descs[] = {
	[RXE_CNT_SENT_PKTS].name = "sent_pkts",
	[RXE_CNT_RCVD_PKTS].name = "rcvd_pkts",
	[RXE_CNT_DUP_REQ].name = "duplicate_request",
	[RXE_CNT_OUT_OF_SEQ_REQ].name = "out_of_seq_request",
	[RXE_CNT_RCV_RNR].name = "rcvd_rnr_err",
	[RXE_CNT_SND_RNR].name = "send_rnr_err",
	[RXE_CNT_RCV_SEQ_ERR].name = "rcvd_seq_err",
	[RXE_CNT_ACK_DEFERRED].name = "ack_deferred",
	[RXE_CNT_RETRY_EXCEEDED].name = "retry_exceeded_err",
	[RXE_CNT_RNR_RETRY_EXCEEDED].name = "retry_rnr_exceeded_err",
	[RXE_CNT_COMP_RETRY].name = "completer_retry_err",
	[RXE_CNT_SEND_ERR].name = "send_err",
	[RXE_CNT_LINK_DOWNED].name = "link_downed",
	[RXE_CNT_RDMA_SENDS].name = "rdma_sends",
	[RXE_CNT_RDMA_RECVS].name = "rdma_recvs",
	[RXE_CNT_SENT_BYTES].name = "sent_bytes",
	[RXE_CNT_RCVD_BYTES].name = "rcvd_bytes",
};

static_assert(ARRAY_SIZE(descs) == RXE_CNT_COUNT);
static_assert(RXE_CNT_COUNT == 17);

/**
 * rxe_stats_alloc() - room for the counters of a port
 * @ibdev: device
 * @port: port number, 1
 *
 * Context: may sleep.
 * Return: the core's object, which frees it, or NULL.
 */
struct rdma_hw_stats *rxe_stats_alloc(struct ib_device *ibdev, u32 port)
{
	return rdma_alloc_hw_stats_struct(descs, ARRAY_SIZE(descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

/**
 * rxe_stats_get() - read the counters of a port
 * @ibdev: device
 * @stats: where to; the core's lock for it is held
 * @port: port number, 0 asks for the device, which has none of its own
 * @index: which counter is wanted; all are read whatever it is
 *
 * Context: may sleep.
 * Return: number of counters read or -EINVAL.
 */
int rxe_stats_get(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		  u32 port, int index)
{
	const struct rxe_dev *dev = to_rxe_dev(ibdev);
	enum rxe_counter c;

	if (!port || !stats)
		return -EINVAL;
	for (c = 0; c < RXE_CNT_COUNT; c++)
		stats->value[c] = rxe_count_sum(dev, c);
	return RXE_CNT_COUNT;
}
