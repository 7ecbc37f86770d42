/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Who brings pages in that are waited for: each user has its own */
#ifndef RXE_OBJ_PAGER_H
#define RXE_OBJ_PAGER_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>

/**
 * struct rxe_pager - what the processes of one user wait for
 * @list: of all
 * @contexts: of the user
 * @uid: the user
 * @faults: what work requests wait for
 * @prefetches: what somebody only asked for, for which the others never wait
 */
struct rxe_pager {
	struct list_head list;
	u32 contexts;
	kuid_t uid;
	struct workqueue_struct *faults;
	struct workqueue_struct *prefetches;
};

struct rxe_pager *rxe_pager_get(kuid_t uid);
void rxe_pager_put(struct rxe_pager *pager);

#endif /* RXE_OBJ_PAGER_H */
