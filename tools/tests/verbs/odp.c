// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "odp.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define QP_ATOMIC (QP_ALL | IBV_ACCESS_REMOTE_ATOMIC)

struct pair_opts odp_opts(void)
{
	struct pair_opts o = pair_defaults;

	o.conn.access_a = QP_ATOMIC;
	o.conn.access_b = QP_ATOMIC;
	o.mr_access_a = ODP_ALL;
	o.mr_access_b = ODP_ALL;
	return o;
}

void odp_open(struct pair *p, struct env *e)
{
	struct pair_opts o = odp_opts();

	pair_open(p, e, &o);
}

void *odp_at(const struct ep_mr *mr, uint32_t off)
{
	return (void *)(uintptr_t)(mr->addr + off);
}

unsigned int odp_resident(const void *addr, size_t len)
{
	unsigned char there[1024];
	unsigned int n = 0;

	CHECK(!mincore((void *)addr, len, there), "mincore: %s", strerror(errno));
	for (size_t i = 0; i < (len + PAGE - 1) / PAGE; i++)
		n += there[i] & 1;
	return n;
}
