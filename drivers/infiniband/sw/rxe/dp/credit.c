// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "credit.h"

#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "qp.h"

/* Objects that exist, of all QPs: what the module's end waits for */
static atomic_t live = ATOMIC_INIT(0);
/* Those of them whose QP is gone: each holds the module */
static atomic_t orphans = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(fewer);

#define SETTLE_JIFFIES HZ
#define PARKED 0

static void put(struct rxe_tx_credit *credit)
{
	if (!refcount_dec_and_test(&credit->ref))
		return;
	if (credit->orphan) {
		module_put(THIS_MODULE);
		atomic_dec(&orphans);
	}
	kfree(credit);
	atomic_dec(&live);
	wake_up_all(&fewer);
}

static void wake(struct rxe_tx_credit *credit)
{
	unsigned long flags;

	spin_lock_irqsave(&credit->lock, flags);
	if (credit->side && test_and_clear_bit(PARKED, &credit->parked))
		tasklet_schedule(&credit->side->task);
	spin_unlock_irqrestore(&credit->lock, flags);
}

/* skb destructor: the packet left the machine or was dropped on its way */
static void rxe_credit_return(struct sk_buff *skb)
{
	struct rxe_tx_credit *credit = skb_shinfo(skb)->destructor_arg;
	int left;

	/* What rxe_credit_drain() waits for ends here */
	rcu_read_lock();
	left = atomic_dec_return(&credit->inflight);
	/* Pairs with the barrier in rxe_credit_room(): either this sees the
	 * parked bit, or the one who parks sees the count
	 */
	if (left < RXE_CREDIT_LOW && READ_ONCE(credit->parked))
		wake(credit);
	put(credit);
	rcu_read_unlock();
}

/**
 * rxe_credit_settle() - give packets of QPs that are gone a moment to leave
 *
 * They do within microseconds, and then nothing holds the module; unless their
 * interface sends nothing, which must not hold up its removal.
 *
 * Context: may sleep, a second at most.
 */
void rxe_credit_settle(void)
{
	wait_event_timeout(fewer, !atomic_read(&orphans), SETTLE_JIFFIES);
}

/**
 * rxe_credit_drain() - wait until no packet of ours is on its way out
 *
 * A packet that waits for a neighbour or in a queueing discipline still has its
 * destructor in this module. For the module's end: no QP exists any more. Those of
 * QPs that were gone before held the module; these are of QPs that went with it.
 *
 * Context: may sleep.
 */
void rxe_credit_drain(void)
{
	wait_event(fewer, !atomic_read(&live));
	synchronize_rcu();
}

/**
 * rxe_credit_alloc() - accounting object for one side of a QP
 * @side: the side to wake
 *
 * Context: may sleep.
 * Return: the object, held once, or NULL.
 */
struct rxe_tx_credit *rxe_credit_alloc(struct rxe_dp_side *side)
{
	struct rxe_tx_credit *credit = kzalloc(sizeof(*credit), GFP_KERNEL);

	if (!credit)
		return NULL;
	atomic_inc(&live);
	refcount_set(&credit->ref, 1);
	spin_lock_init(&credit->lock);
	credit->side = side;
	return credit;
}

/**
 * rxe_credit_close() - the QP is going away: wake it no more, drop its hold
 * @credit: the object; gone or owned by its packets afterwards
 *
 * Once this returns the tasklet of the side is not scheduled from here. Packets that are
 * still out keep the module: who removes it meanwhile is told that it is in use,
 * instead of waiting for an interface that may never send them.
 *
 * Context: any.
 */
void rxe_credit_close(struct rxe_tx_credit *credit)
{
	unsigned long flags;

	spin_lock_irqsave(&credit->lock, flags);
	credit->side = NULL;
	credit->orphan = atomic_read(&credit->inflight) &&
			 try_module_get(THIS_MODULE);
	if (credit->orphan)
		atomic_inc(&orphans);
	spin_unlock_irqrestore(&credit->lock, flags);
	put(credit);
}

/**
 * rxe_credit_take() - count a packet until it is freed
 * @credit: the object
 * @skb: the packet; gets a destructor
 *
 * Context: any.
 */
void rxe_credit_take(struct rxe_tx_credit *credit, struct sk_buff *skb)
{
	refcount_inc(&credit->ref);
	atomic_inc(&credit->inflight);
	skb_shinfo(skb)->destructor_arg = credit;
	skb->destructor = rxe_credit_return;
}

/**
 * rxe_credit_room() - packets that may be sent now
 * @credit: the object
 *
 * Context: the side's lock.
 * Return: how many; 0: the side is parked and its tasklet runs when there is room.
 */
u32 rxe_credit_room(struct rxe_tx_credit *credit)
{
	int used = atomic_read(&credit->inflight);

	if (used < RXE_CREDIT_HIGH)
		return RXE_CREDIT_HIGH - used;

	set_bit(PARKED, &credit->parked);
	smp_mb__after_atomic(); /* parked before @inflight; frees go the other way */
	used = atomic_read(&credit->inflight);
	if (used >= RXE_CREDIT_LOW)
		return 0;
	clear_bit(PARKED, &credit->parked);
	return RXE_CREDIT_HIGH - used;
}
