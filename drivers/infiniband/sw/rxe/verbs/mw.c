// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "../obj/mw.h"
#include "compat/rdma.h"
#include "verbs.h"

/**
 * rxe_alloc_mw() - memory window of type 1 or 2B (IBTA 11.2.9.9)
 * @ibmw: new window, not bound
 * @udata: no private data either way
 *
 * Context: process.
 * Return: 0, -EOPNOTSUPP for a private request, -EFAULT, -ENOMEM, -ENOSPC at the
 * limit.
 */
int rxe_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct rxe_dev *dev = to_rxe_dev(ibmw->device);
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;
	if (!rxe_limit_get(&dev->num_mw, RXE_MAX_MW))
		return -ENOSPC;
	err = rxe_mw_alloc(to_rxe_mw(ibmw));
	if (err)
		rxe_limit_put(&dev->num_mw);
	return err;
}

/**
 * rxe_dealloc_mw() - end a memory window, bound or not
 * @ibmw: the window
 *
 * Context: process.
 * Return: 0.
 */
int rxe_dealloc_mw(struct ib_mw *ibmw)
{
	rxe_mw_dealloc(to_rxe_mw(ibmw));
	rxe_limit_put(&to_rxe_dev(ibmw->device)->num_mw);
	return 0;
}
