/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The device: container of all objects.
 *
 * Locking
 * -------
 * Lock order, outer to inner:
 *
 *   rxe_dev.mcast_mutex > rtnl > rxe_qp.modify_mutex or rxe_srq.resize_mutex
 *        > rxe_qp.send_lock or rxe_qp.recv_lock (bh)
 *        > rxe_srq.lock (bh)
 *        > one leaf of: rxe_qp.state_lock, rxe_mw.lock, rxe_cq.lock (irqsave),
 *          rxe_sq.post_lock and rxe_rq.post_lock (irqsave), xarray locks
 *
 * Who brings pages in for on-demand paging runs a QP with them held:
 * rxe_odp.mutex > mmap_lock > the core's umem_mutex > send_lock or recv_lock.
 *
 * send_lock and recv_lock are taken together only by modify_qp and teardown,
 * send_lock first. On the data path one side reaches the other, or another QP,
 * only by trylock or by queueing, so no order among QPs is needed.
 *
 * net/udp.c has one mutex of its own, outside of rtnl. The poster locks are those of
 * kernel users; posters and engines meet at ring indices by release and acquire.
 *
 * Lookups (QP by number, memory by key, address handle by number, multicast
 * group by address) are under RCU.
 * Nothing found that way is used after rcu_read_unlock(); destroy unpublishes,
 * waits a grace period and only then frees. So the data path counts no
 * references; but it counts copies where a work request can take memory away, see
 * hold.h.
 */
#ifndef RXE_OBJ_DEV_H
#define RXE_OBJ_DEV_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

#include "counters.h"

struct rxe_net_ops;

/* Limits: each is advertised by query_device and enforced at creation */
#define RXE_MAX_QP 1048560
#define RXE_MIN_QPN 16
#define RXE_MAX_QPN (RXE_MIN_QPN + RXE_MAX_QP - 1)
#define RXE_MAX_QP_WR 1048576
#define RXE_MAX_SGE 32
#define RXE_MAX_INLINE 512
#define RXE_MAX_CQ 1048576
#define RXE_MAX_CQE 32767
#define RXE_MAX_PD 1048576
#define RXE_MAX_UCONTEXT 1048576
#define RXE_MAX_QP_RD_ATOM 128
#define RXE_MAX_AH \
	32767 /* users'; there are as many numbers for the kernel's */
#define RXE_MAX_SRQ 917503
#define RXE_MAX_SRQ_WR 1048576
#define RXE_MAX_SRQ_SGE 27
#define RXE_MAX_FMR_PAGES 512
#define RXE_MAX_MCAST_GRP 8192
#define RXE_MAX_MCAST_ATTACH 56
#define RXE_MCAST_BUCKETS 256
#define RXE_MAX_MSG_BYTES 0x80000000U
/* key = index << 8 | changing byte; the two ranges tell regions from windows */
#define RXE_MIN_MR_INDEX 1
#define RXE_MAX_MR_INDEX 524288
#define RXE_MIN_MW_INDEX 524289
#define RXE_MAX_MW_INDEX 1048576
#define RXE_MAX_MR (RXE_MAX_MR_INDEX - RXE_MIN_MR_INDEX)
#define RXE_MAX_MW (RXE_MAX_MW_INDEX - RXE_MIN_MW_INDEX)

/**
 * struct rxe_dev - one RDMA device on top of one network interface
 * @ib: the core's device
 * @ndev: the interface; the core holds it while the device is registered
 * @net_ops: what net/ does for the data path
 * @qps: QPN -> struct rxe_qp, RCU
 * @qp_next: where the search for a free QPN goes on
 * @keys: key >> 8 -> struct rxe_mr or struct rxe_mw by index range, RCU
 * @mr_next: where the search for a free MR index goes on
 * @mw_next: the same for memory windows
 * @ahs: address handle number -> struct rxe_ah_entry, RCU
 * @ah_next: where the search for a free number goes on
 * @gsi: the GSI QP (QPN 1) or NULL, RCU
 * @mcast_mutex: multicast groups change; may sleep, takes rtnl inside
 * @mcast_grps: struct rxe_mcast_grp by hash of address, RCU
 * @num_mcast_grp: how many, under @mcast_mutex
 * @counters: see counters.h
 * @mtu: active path MTU in bytes, follows the interface
 * @going: the device is being unregistered, whoever asked for much is to end
 * @num_pd: PDs in use; the other counts alike, against the limits above
 * @num_ucontext: user contexts in use
 * @num_qp: QPs in use
 * @num_cq: CQs in use
 * @num_srq: SRQs in use
 * @num_mr: MRs in use
 * @num_mw: MWs in use
 * @num_ah: AHs of users in use
 * @num_kept: request packets kept beyond holes, by all QPs
 * @net_port: net/: the way in from @ndev
 */
struct rxe_dev {
	struct ib_device ib;
	struct net_device *ndev;
	const struct rxe_net_ops *net_ops;

	struct xarray qps;
	u32 qp_next;
	struct xarray keys;
	u32 mr_next;
	u32 mw_next;
	struct xarray ahs;
	u32 ah_next;
	struct rxe_qp __rcu *gsi;

	struct mutex mcast_mutex; /* members and counts of groups, see above */
	struct hlist_head mcast_grps[RXE_MCAST_BUCKETS];
	u32 num_mcast_grp;

	struct rxe_counters __percpu *counters;
	u32 mtu;
	bool going;

	atomic_t num_pd;
	atomic_t num_ucontext;
	atomic_t num_qp;
	atomic_t num_cq;
	atomic_t num_srq;
	atomic_t num_mr;
	atomic_t num_mw;
	atomic_t num_ah;
	atomic_t num_kept;

	struct rxe_net_port *net_port;
};

static inline struct rxe_dev *to_rxe_dev(struct ib_device *ib)
{
	return container_of(ib, struct rxe_dev, ib);
}

/* Add to a counter; any context */
static inline void rxe_count_add(struct rxe_dev *dev, enum rxe_counter c, u64 n)
{
	this_cpu_add(dev->counters->v[c], n);
}

static inline void rxe_count(struct rxe_dev *dev, enum rxe_counter c)
{
	this_cpu_inc(dev->counters->v[c]);
}

/* Value of a counter; any context */
static inline u64 rxe_count_sum(const struct rxe_dev *dev, enum rxe_counter c)
{
	u64 total = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		total += READ_ONCE(per_cpu_ptr(dev->counters, cpu)->v[c]);
	return total;
}

/* Take one of a limited kind of object; false: the limit is reached */
static inline bool rxe_limit_get(atomic_t *count, int limit)
{
	return atomic_add_unless(count, 1, limit);
}

static inline void rxe_limit_put(atomic_t *count)
{
	atomic_dec(count);
}

#endif /* RXE_OBJ_DEV_H */
