// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* checked answers to udata. In 7.3, not in 6.12 */
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

int probe(struct ib_udata *udata);

int probe(struct ib_udata *udata)
{
	struct {
		u32 a;
	} x = {};

	return ib_respond_udata(udata, x) ?: ib_no_udata_io(udata);
}
