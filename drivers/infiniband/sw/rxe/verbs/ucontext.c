// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <linux/cred.h>

#include "../obj/dev.h"
#include "../obj/pager.h"
#include "compat/rdma.h"
#include "verbs.h"

static struct rxe_ucontext *to_rxe_ucontext(struct ib_ucontext *ibuctx)
{
	return container_of(ibuctx, struct rxe_ucontext, ib);
}

/**
 * rxe_alloc_ucontext() - a process opens the device
 * @ibuctx: new context
 * @udata: no private data either way
 *
 * Context: process.
 * Return: 0, -EOPNOTSUPP for a private request, -EFAULT, -ENOSPC at the limit,
 * -ENOMEM.
 */
int rxe_alloc_ucontext(struct ib_ucontext *ibuctx, struct ib_udata *udata)
{
	struct rxe_ucontext *uctx = to_rxe_ucontext(ibuctx);
	struct rxe_dev *dev = to_rxe_dev(ibuctx->device);
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;
	if (!rxe_limit_get(&dev->num_ucontext, RXE_MAX_UCONTEXT))
		return -ENOSPC;
	uctx->pager = rxe_pager_get(current_uid());
	if (IS_ERR(uctx->pager)) {
		rxe_limit_put(&dev->num_ucontext);
		return PTR_ERR(uctx->pager);
	}
	return 0;
}

/**
 * rxe_dealloc_ucontext() - a process closes the device
 * @ibuctx: the context; all its objects are gone
 *
 * Context: process.
 */
void rxe_dealloc_ucontext(struct ib_ucontext *ibuctx)
{
	rxe_pager_put(to_rxe_ucontext(ibuctx)->pager);
	rxe_limit_put(&to_rxe_dev(ibuctx->device)->num_ucontext);
}

/**
 * rxe_disassociate_ucontext() - the device goes while a process has it open
 * @ibuctx: the context
 *
 * Nothing to do: mapped queues are memory of their own, which the process may
 * keep. That the function exists lets the core take the device away at once.
 *
 * Context: process.
 */
void rxe_disassociate_ucontext(struct ib_ucontext *ibuctx)
{
}

/**
 * rxe_udata_ucontext() - context that a verb is called in
 * @udata: of the verb, NULL for a kernel consumer
 *
 * Context: process.
 * Return: the context, NULL for a kernel consumer.
 */
struct ib_ucontext *rxe_udata_ucontext(struct ib_udata *udata)
{
	struct rxe_ucontext *uctx;

	uctx = rdma_udata_to_drv_context(udata, struct rxe_ucontext, ib);
	return uctx ? &uctx->ib : NULL;
}

/**
 * rxe_udata_pager() - who brings pages in for the process that calls a verb
 * @udata: of the verb, NULL for a kernel consumer
 *
 * Context: process.
 * Return: the pager, as long as the process has the device open, NULL for a kernel consumer.
 */
struct rxe_pager *rxe_udata_pager(struct ib_udata *udata)
{
	struct rxe_ucontext *uctx;

	uctx = rdma_udata_to_drv_context(udata, struct rxe_ucontext, ib);
	return uctx ? uctx->pager : NULL;
}
