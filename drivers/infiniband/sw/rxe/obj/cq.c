// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completion queues (IBTA 11.4.2) */
#include <linux/build_bug.h>
#include <rdma/ib_user_verbs.h>

#include "../trace.h"
#include "cq.h"

/* Flags that user space knows under other numbers than the kernel */
#define USER_WC_GRH BIT(0)
#define USER_WC_WITH_IMM BIT(1)
#define USER_WC_WITH_INV BIT(3)

static_assert(sizeof(struct ib_uverbs_wc) == 48);

static u32 user_wc_flags(int flags)
{
	u32 user = 0;

	if (flags & IB_WC_GRH)
		user |= USER_WC_GRH;
	if (flags & IB_WC_WITH_IMM)
		user |= USER_WC_WITH_IMM;
	if (flags & IB_WC_WITH_INVALIDATE)
		user |= USER_WC_WITH_INV;
	return user;
}

static void put_user_wc(struct ib_uverbs_wc *slot, const struct ib_wc *wc)
{
	*slot = (struct ib_uverbs_wc){
		.wr_id = wc->wr_id,
		.status = wc->status,
		.opcode = wc->opcode,
		.vendor_err = wc->vendor_err,
		.byte_len = wc->byte_len,
		.qp_num = wc->qp->qp_num,
		.src_qp = wc->src_qp,
		.wc_flags = user_wc_flags(wc->wc_flags),
		.pkey_index = wc->pkey_index,
		.slid = wc->slid,
		.sl = wc->sl,
		.dlid_path_bits = wc->dlid_path_bits,
		.port_num = wc->port_num,
	};
	if (wc->wc_flags & IB_WC_WITH_INVALIDATE)
		slot->ex.invalidate_rkey = wc->ex.invalidate_rkey;
	else
		slot->ex.imm_data = wc->ex.imm_data;
}

/* Run the handlers that are due, outside of all locks */
static void notify(struct tasklet_struct *t)
{
	struct rxe_cq *cq = from_tasklet(cq, t, notify);
	bool completed, failed;

	spin_lock_irq(&cq->lock);
	completed = cq->completed;
	failed = cq->failed;
	cq->completed = false;
	cq->failed = false;
	spin_unlock_irq(&cq->lock);

	if (failed && cq->ib.event_handler) {
		struct ib_event event = {
			.device = cq->ib.device,
			.element.cq = &cq->ib,
			.event = IB_EVENT_CQ_ERR,
		};

		cq->ib.event_handler(&event, cq->ib.cq_context);
	}
	if (completed && cq->ib.comp_handler)
		cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
}

/**
 * rxe_cq_new_queue - memory for a CQ's entries, not in use yet
 * @cq: the CQ; @cq->user is set
 * @depth: entries it must hold, at most RXE_MAX_CQE
 * @ring: set up
 *
 * May sleep.
 *
 * Return: the queue or a negative errno of rxe_queue_create().
 */
struct rxe_queue *rxe_cq_new_queue(const struct rxe_cq *cq, u32 depth,
				   struct rxe_ring *ring)
{
	return rxe_queue_create(ring, depth,
				cq->user ? sizeof(struct ib_uverbs_wc) :
					   sizeof(struct ib_wc));
}

/**
 * rxe_cq_resize - go over to another queue; entries move, in order
 * @cq: the CQ
 * @q: from rxe_cq_new_queue(); the CQ's from now on, unless this fails
 * @ring: of @q
 *
 * A user does not poll meanwhile, its library sees to that; the kernel's pollers are
 * kept off. May sleep.
 *
 * Return: 0, or -EINVAL when there are more entries than @q holds.
 */
int rxe_cq_resize(struct rxe_cq *cq, struct rxe_queue *q,
		  const struct rxe_ring *ring)
{
	struct rxe_ring from, to = *ring;
	struct rxe_queue *old;
	unsigned long irq;
	bool moved;

	spin_lock_irqsave(&cq->lock, irq);
	old = cq->q;
	from = cq->ring;
	/* Of a user's queue only the shared page knows how far it was read */
	from.index = cq->user ? READ_ONCE(from.shared->consumer) & from.mask :
				cq->cons.index;
	moved = rxe_ring_move(&from, &to);
	if (moved) {
		cq->ring = to;
		cq->cons = *ring;
		cq->q = q;
		cq->ib.cqe = to.mask;
	}
	spin_unlock_irqrestore(&cq->lock, irq);
	if (!moved)
		return -EINVAL;
	rxe_queue_destroy(old);
	return 0;
}

/**
 * rxe_cq_init - give a CQ its ring
 * @cq: the CQ, zeroed but for what the core sets
 * @depth: entries it must hold, at most RXE_MAX_CQE; @cq->ib.cqe is set to what
 *	it does hold
 * @user: a user will map the ring and poll it
 *
 * May sleep.
 *
 * Return: 0 or a negative errno of rxe_queue_create().
 */
int rxe_cq_init(struct rxe_cq *cq, u32 depth, bool user)
{
	struct rxe_queue *q;

	cq->user = user;
	q = rxe_cq_new_queue(cq, depth, &cq->ring);
	if (IS_ERR(q))
		return PTR_ERR(q);
	cq->q = q;
	cq->cons = cq->ring;
	cq->ib.cqe = cq->ring.mask;
	spin_lock_init(&cq->lock);
	tasklet_setup(&cq->notify, notify);
	return 0;
}

/**
 * rxe_cq_fini - undo rxe_cq_init()
 * @cq: the CQ; no QP uses it any more
 *
 * No handler runs after this. May sleep.
 */
void rxe_cq_fini(struct rxe_cq *cq)
{
	struct rxe_queue *q = cq->q;

	tasklet_kill(&cq->notify);
	spin_lock_irq(&cq->lock);
	cq->q = NULL;
	spin_unlock_irq(&cq->lock);
	rxe_queue_destroy(q);
}

/* True when an entry, a solicited one or not, is what the consumer waits for */
static bool awaited(const struct rxe_cq *cq, bool solicited)
{
	return cq->armed == IB_CQ_NEXT_COMP ||
	       (cq->armed == IB_CQ_SOLICITED && solicited);
}

/**
 * rxe_cq_push - add an entry
 * @cq: the CQ
 * @wc: the entry; IB_WC_GRH only where a GRH was received
 * @solicited: the peer asked for an event; an entry with an error counts as
 *	solicited anyway (IBTA 11.4.2.2)
 *
 * Any context; side locks of QPs may be held.
 *
 * Return: false when the entry is lost because the CQ has overflowed, now or
 * before: the QP must go to the error state (IBTA 10.2.4.1). The CQ's owner gets
 * IB_EVENT_CQ_ERR once.
 */
bool rxe_cq_push(struct rxe_cq *cq, const struct ib_wc *wc, bool solicited)
{
	unsigned long irq;
	bool due = false;
	bool room;

	trace_rxe_cqe(cq, wc);
	spin_lock_irqsave(&cq->lock, irq);
	room = !cq->overflow && rxe_ring_free(&cq->ring);
	if (room) {
		void *slot = rxe_ring_slot(&cq->ring, 0);

		if (cq->user)
			put_user_wc(slot, wc);
		else
			*(struct ib_wc *)slot = *wc;
		rxe_ring_publish(&cq->ring, 1);
		if (awaited(cq, solicited || wc->status != IB_WC_SUCCESS)) {
			cq->armed = 0;
			cq->completed = true;
			due = true;
		}
	} else if (!cq->overflow) {
		cq->overflow = true;
		cq->failed = true;
		due = true;
	}
	spin_unlock_irqrestore(&cq->lock, irq);

	if (due)
		tasklet_schedule(&cq->notify);
	return room;
}

/**
 * rxe_cq_poll - take entries out of a kernel CQ
 * @cq: the CQ, not a user's
 * @n: entries wanted
 * @wc: where they go
 *
 * Any context.
 *
 * Return: entries taken, 0 .. @n.
 */
int rxe_cq_poll(struct rxe_cq *cq, int n, struct ib_wc *wc)
{
	unsigned long irq;
	int i;

	spin_lock_irqsave(&cq->lock, irq);
	n = min_t(u32, n, rxe_ring_filled(&cq->cons));
	for (i = 0; i < n; i++)
		wc[i] = *(struct ib_wc *)rxe_ring_slot(&cq->cons, i);
	rxe_ring_consume(&cq->cons, n);
	spin_unlock_irqrestore(&cq->lock, irq);
	return n;
}

/**
 * rxe_cq_arm - ask for a completion event (IBTA 11.4.2.2)
 * @cq: the CQ
 * @flags: IB_CQ_NEXT_COMP or IB_CQ_SOLICITED; the former is not taken back by the
 *	latter. IB_CQ_REPORT_MISSED_EVENTS: say whether there are entries
 *
 * Any context.
 *
 * Return: 1 when IB_CQ_REPORT_MISSED_EVENTS is given and the CQ is not empty,
 * else 0.
 */
int rxe_cq_arm(struct rxe_cq *cq, enum ib_cq_notify_flags flags)
{
	unsigned long irq;
	int missed;

	spin_lock_irqsave(&cq->lock, irq);
	if (cq->armed != IB_CQ_NEXT_COMP)
		cq->armed = flags & IB_CQ_SOLICITED_MASK;
	missed = (flags & IB_CQ_REPORT_MISSED_EVENTS) &&
		 rxe_ring_free(&cq->ring) != cq->ring.mask;
	spin_unlock_irqrestore(&cq->lock, irq);
	return missed;
}
