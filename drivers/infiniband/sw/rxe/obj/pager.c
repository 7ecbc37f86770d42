// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory may take as long as its owner likes, that of a FUSE file for instance, and who
 * waits for it is a thread of the kernel. So their number is limited, and that of one user
 * takes nothing from another's.
 */
#include "pager.h"

#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/slab.h>

/* Threads that wait for the memory of one user at the same time */
#define FAULTS_MAX 64
#define PREFETCHES_MAX 16

static DEFINE_MUTEX(lock); /* of the list and what is in it, innermost */
static LIST_HEAD(pagers);

static void end(struct rxe_pager *pager)
{
	if (pager->faults)
		destroy_workqueue(pager->faults);
	if (pager->prefetches)
		destroy_workqueue(pager->prefetches);
	kfree(pager);
}

static struct rxe_pager *begin(kuid_t uid)
{
	struct rxe_pager *pager = kzalloc(sizeof(*pager), GFP_KERNEL);

	if (!pager)
		return NULL;
	pager->uid = uid;
	pager->faults = alloc_workqueue("rxe_odp", WQ_UNBOUND, FAULTS_MAX);
	pager->prefetches =
		alloc_workqueue("rxe_prefetch", WQ_UNBOUND, PREFETCHES_MAX);
	if (pager->faults && pager->prefetches)
		return pager;
	end(pager);
	return NULL;
}

static struct rxe_pager *find(kuid_t uid)
{
	struct rxe_pager *pager;

	list_for_each_entry(pager, &pagers, list)
		if (uid_eq(pager->uid, uid))
			return pager;
	return NULL;
}

/**
 * rxe_pager_get() - a process opens a device
 * @uid: its user
 *
 * Context: may sleep.
 * Return: the user's pager, to be given back by rxe_pager_put(), or ERR_PTR(-ENOMEM).
 */
struct rxe_pager *rxe_pager_get(kuid_t uid)
{
	struct rxe_pager *pager;

	mutex_lock(&lock);
	pager = find(uid);
	if (!pager) {
		pager = begin(uid);
		if (pager)
			list_add(&pager->list, &pagers);
	}
	if (pager)
		pager->contexts++;
	mutex_unlock(&lock);
	return pager ?: ERR_PTR(-ENOMEM);
}

/**
 * rxe_pager_put() - it has closed the device
 * @pager: of its user; nothing of the process waits any more
 *
 * Context: may sleep.
 */
void rxe_pager_put(struct rxe_pager *pager)
{
	mutex_lock(&lock);
	if (--pager->contexts)
		pager = NULL;
	else
		list_del(&pager->list);
	mutex_unlock(&lock);
	if (pager)
		end(pager);
}
