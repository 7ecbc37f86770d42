// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Details for "rdma resource show ... -dd". Names are for people, and listed in
 * Documentation/counters.rst. The core holds the object while it asks.
 */
#include "restrack.h"

#include <linux/array_size.h>
#include <net/netlink.h>
#include <rdma/restrack.h>
#include <uapi/rdma/rdma_netlink.h>

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

/**
 * rxe_fill_res_qp() - queues and sequence numbers of a QP
 * @msg: answer under construction
 * @ibqp: the QP
 *
 * Context: may sleep; takes the side locks, one after the other.
 * Return: 0 or -EMSGSIZE.
 */
int rxe_fill_res_qp(struct sk_buff *msg, struct ib_qp *ibqp)
{
	struct rxe_qp *qp = to_rxe_qp(ibqp);
	struct detail d[] = {
		{ "sq_depth", qp->sq.max_wr },
		{ "sq_used" },
		{ "psn" },
		{ "unacked_psn" },
		{ "window" },
		{ "retransmits" },
		{ "rq_depth", qp->rq.max_wr },
		{ "rq_used" },
		{ "expected_psn" },
		{ "msn" },
	};

	spin_lock_bh(&qp->send_lock);
	d[1].value = rxe_ring_filled(&qp->sq.ring);
	d[2].value = qp->req.psn;
	d[3].value = qp->req.una;
	d[4].value = qp->req.cwnd;
	d[5].value = qp->req.retransmits;
	spin_unlock_bh(&qp->send_lock);

	spin_lock_bh(&qp->recv_lock);
	d[7].value = filled(&qp->rq);
	d[8].value = qp->resp.epsn;
	d[9].value = qp->resp.msn;
	spin_unlock_bh(&qp->recv_lock);
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
	d[1] = (struct detail){ "used",
				cq->ring.mask - rxe_ring_free(&cq->ring) };
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
	d[0] = (struct detail){ "depth", srq->rq.max_wr };
	d[1] = (struct detail){ "used", filled(&srq->rq) };
	d[2] = (struct detail){ "max_sge", srq->rq.max_sge };
	d[3] = (struct detail){ "limit", srq->limit };
	spin_unlock_bh(&srq->lock);
	return put_details(msg, d, ARRAY_SIZE(d));
}
