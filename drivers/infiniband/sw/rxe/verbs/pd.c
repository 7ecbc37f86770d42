// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "../obj/dev.h"
#include "compat/rdma.h"
#include "verbs.h"

/**
 * rxe_alloc_pd() - a protection domain: its address is all there is to it
 * @ibpd: new domain
 * @udata: no private data either way; NULL for a kernel consumer
 *
 * Context: process.
 * Return: 0, -EOPNOTSUPP for a private request, -EFAULT, -ENOSPC at the limit.
 */
int rxe_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct rxe_dev *dev = to_rxe_dev(ibpd->device);
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;
	return rxe_limit_get(&dev->num_pd, RXE_MAX_PD) ? 0 : -ENOSPC;
}

/**
 * rxe_dealloc_pd() - give a protection domain back
 * @ibpd: the domain; the core knows that nothing uses it
 * @udata: unused
 *
 * Context: process.
 * Return: 0.
 */
int rxe_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	rxe_limit_put(&to_rxe_dev(ibpd->device)->num_pd);
	return 0;
}
