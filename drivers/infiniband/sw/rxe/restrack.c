// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Details for "rdma resource show ... -dd". Names are for people, and listed in
 * Documentation/counters.rst. The core holds the object while it asks; cores before
 * those of 6.1.190 and 6.12.111 do so while it is being destroyed too: its rings may be gone.
 */
#include "restrack.h"

#include <linux/array_size.h>
#include <net/netlink.h>
#include <rdma/restrack.h>
#include <uapi/rdma/rdma_netlink.h>

#include "dp/sched.h"
#include "obj/cq.h"
#include "obj/mr.h"
#include "obj/qp.h"
#include "obj/srq.h"

struct detail {
	const char *name;
	u64 value;
};

/* All of them or none: -EMSGSIZE has the core come again with more room */
static int put_details(struct sk_buff *msg, const struct detail *d, size_t n)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);

	if (!table)
		return -EMSGSIZE;
	for (; n--; d++) {
		if (rdma_nl_put_driver_u64(msg, d->name, d->value)) {
			nla_nest_cancel(msg, table);
			return -EMSGSIZE;
		}
	}
	nla_nest_end(msg, table);
	return 0;
}

static u32 filled(const struct rxe_rq *rq)
{
	return rq->q ? rxe_ring_filled(&rq->ring) : 0;
}

/* A QP at one moment, or rather each of its sides */
struct qp_view {
	u64 psn;
	u64 una;
	u64 window;
	u64 sq_used;
	struct rxe_req_stats sent;
	u64 epsn;
	u64 msn;
	u64 rq_used;
	struct rxe_resp_stats got;
	u64 cnps_sent;
};

static struct qp_view look_at(struct rxe_qp *qp)
{
	struct qp_view v;

	spin_lock_bh(&qp->send_lock);
	v.psn = qp->req.psn;
	v.una = qp->req.una;
	v.window = qp->req.cwnd;
	v.sq_used = qp->sq.q ? rxe_ring_filled(&qp->sq.ring) : 0;
	v.sent = qp->req.stats;
	v.cnps_sent = qp->req.cnp.sent;
	rxe_dp_unlock_send(qp);

	spin_lock_bh(&qp->recv_lock);
	v.epsn = qp->resp.epsn;
	v.msn = qp->resp.msn;
	v.rq_used = filled(&qp->rq);
	v.got = qp->resp.stats;
	v.cnps_sent += qp->resp.cnp.sent;
	rxe_dp_unlock_recv(qp);
	return v;
}

/**
 * rxe_fill_res_qp() - queues and sequence numbers of a QP, and what it went through
 * @msg: answer under construction
 * @ibqp: the QP
 *
 * Context: may sleep; takes the side locks, one after the other.
 * Return: 0 or -EMSGSIZE.
 */
int rxe_fill_res_qp(struct sk_buff *msg, struct ib_qp *ibqp)
{
	struct rxe_qp *qp = to_rxe_qp(ibqp);
	const struct qp_view v = look_at(qp);
	const struct detail d[] = {
		{ "sq_depth", qp->sq.ring.mask },
		{ "sq_used", v.sq_used },
		{ "psn", v.psn },
		{ "unacked_psn", v.una },
		{ "window", v.window },
		{ "retransmits", v.sent.retransmits },
		{ "naks_received", v.sent.naks },
		{ "response_gaps", v.sent.gaps },
		{ "probes", v.sent.probes },
		{ "timeouts", v.sent.timeouts },
		{ "rnr_waits", v.sent.rnr_waits },
		{ "pauses", v.sent.pauses },
		{ "cnps_received", v.sent.cnps },
		{ "rq_depth", qp->rq.ring.mask },
		{ "rq_used", v.rq_used },
		{ "expected_psn", v.epsn },
		{ "msn", v.msn },
		{ "out_of_sequence", v.got.ahead },
		{ "held", v.got.kept },
		{ "naks_sent", v.got.naks },
		{ "rnr_naks_sent", v.got.rnr_naks },
		{ "duplicates", v.got.duplicates },
		{ "cnps_sent", v.cnps_sent },
	};

	return put_details(msg, d, ARRAY_SIZE(d));
}

/**
 * rxe_fill_res_cq() - the ring of a CQ
 * @msg: answer under construction
 * @ibcq: the CQ
 *
 * Context: may sleep.
 * Return: 0 or -EMSGSIZE.
 */
int rxe_fill_res_cq(struct sk_buff *msg, struct ib_cq *ibcq)
{
	struct rxe_cq *cq = to_rxe_cq(ibcq);
	struct detail d[4];

	spin_lock_irq(&cq->lock);
	d[0] = (struct detail){ "depth", cq->ring.mask };
	d[1] = (struct detail){
		"used", cq->q ? cq->ring.mask - rxe_ring_free(&cq->ring) : 0
	};
	d[2] = (struct detail){ "armed", cq->armed };
	d[3] = (struct detail){ "overflow", cq->overflow };
	spin_unlock_irq(&cq->lock);
	return put_details(msg, d, ARRAY_SIZE(d));
}

/**
 * rxe_fill_res_mr() - kind and layout of a memory region
 * @msg: answer under construction
 * @ibmr: the region
 *
 * Context: may sleep.
 * Return: 0 or -EMSGSIZE.
 */
int rxe_fill_res_mr(struct sk_buff *msg, struct ib_mr *ibmr)
{
	const struct rxe_mr *mr = to_rxe_mr(ibmr);
	const struct detail d[] = {
		{ "type", mr->type },
		{ "state", READ_ONCE(mr->state) },
		{ "access", READ_ONCE(mr->access) },
		{ "bound_windows", atomic_read(&mr->bound_mws) },
	};

	return put_details(msg, d, ARRAY_SIZE(d));
}

/**
 * rxe_fill_res_srq() - the ring of an SRQ; kernels before 6.12 do not ask
 * @msg: answer under construction
 * @ibsrq: the SRQ
 *
 * Context: may sleep.
 * Return: 0 or -EMSGSIZE.
 */
int rxe_fill_res_srq(struct sk_buff *msg, struct ib_srq *ibsrq)
{
	struct rxe_srq *srq = to_rxe_srq(ibsrq);
	struct detail d[4];

	spin_lock_bh(&srq->lock);
	d[0] = (struct detail){ "depth", srq->rq.ring.mask };
	d[1] = (struct detail){ "used", filled(&srq->rq) };
	d[2] = (struct detail){ "max_sge", srq->rq.max_sge };
	d[3] = (struct detail){ "limit", srq->limit };
	spin_unlock_bh(&srq->lock);
	return put_details(msg, d, ARRAY_SIZE(d));
}
