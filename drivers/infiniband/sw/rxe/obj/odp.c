// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * On-demand paging. The data path knows the pages that are in the table of a region and
 * cannot wait for others: it leaves that to a work item, which brings pages in, and tries
 * again. The kernel takes pages away when it wants (invalidate() below): nobody
 * begins to copy then, those who do are waited for, and what may have been written to is
 * marked dirty.
 */
#include "odp.h"

#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait_bit.h>

#include <compat/odp.h>

#include "dev.h"
#include "mr.h"
#include "pager.h"

/* A user decides how large a table is: charge, do not warn */
#define TABLE_GFP (GFP_KERNEL_ACCOUNT | __GFP_NOWARN)

#define FLAGS (RXE_ODP_PRESENT | RXE_ODP_WRITABLE)

/* Brought in together, as where the kernel itself maps pages around a fault */
#define AHEAD 65536ULL

static struct ib_umem_odp *umem_of(const struct rxe_mr *mr)
{
	return to_ib_umem_odp(mr->umem);
}

static void *address_of(u64 entry)
{
	return (void *)(uintptr_t)(entry & ~FLAGS);
}

/* Not what the kernel took out of its own map, as it does for memfd_secret() */
static bool is_mapped(const void *page)
{
	u8 byte;

	return !copy_from_kernel_nofault(&byte, page, sizeof(byte));
}

/**
 * rxe_odp_fill() - pages are there
 * @odp: whose
 * @pfns: what hmm_range_fault() said of all pages
 * @first: first page to look at
 * @end: page after the last one
 * @write: they may be written to from now on, where the process may
 *
 * Those that the kernel itself cannot reach are not.
 *
 * Context: may sleep; nobody else fills or drops.
 */
void rxe_odp_fill(struct rxe_odp *odp, const unsigned long *pfns, u64 first,
		  u64 end, bool write)
{
	u64 i, entry;

	for (i = first; i < end; i++) {
		void *page;

		if (!(pfns[i] & HMM_PFN_VALID))
			continue;
		page = page_address(hmm_pfn_to_page(pfns[i]));
		if (!is_mapped(page))
			continue;
		entry = (uintptr_t)page | RXE_ODP_PRESENT;
		/* One that was written to stays so till it goes */
		if (write && (pfns[i] & HMM_PFN_WRITE))
			entry |= RXE_ODP_WRITABLE;
		entry |= odp->pages[i] & RXE_ODP_WRITABLE;
		/* What the page holds is seen by who sees the entry */
		smp_store_release(&odp->pages[i], entry);
	}
}

/**
 * rxe_odp_drop() - pages go: when this returns nobody uses them
 * @odp: whose
 * @first: first page
 * @end: page after the last one
 *
 * Others are shut out of all pages for a moment, so that it is one only: there is
 * no end of copies where many CPUs are at work.
 *
 * Context: may sleep; nobody else fills or drops.
 */
void rxe_odp_drop(struct rxe_odp *odp, u64 first, u64 end)
{
	u64 i;

	for (i = first; i < end && !odp->pages[i]; i++)
		;
	if (i >= end)
		return;

	WRITE_ONCE(odp->closed, true);
	rxe_hold_wait(&odp->hold);
	for (; i < end; i++) {
		u64 entry = odp->pages[i];

		if (entry & RXE_ODP_WRITABLE)
			folio_mark_dirty(virt_to_folio(address_of(entry)));
		WRITE_ONCE(odp->pages[i], 0);
	}
	/* Who sees it open sees that the pages are gone */
	smp_store_release(&odp->closed, false);
}

/* The kernel wants pages back. Context: may sleep, but for the reaper of memory. */
static bool invalidate(struct mmu_interval_notifier *mni,
		       const struct mmu_notifier_range *range,
		       unsigned long seq)
{
	struct ib_umem_odp *umem =
		container_of(mni, struct ib_umem_odp, notifier);
	u64 base = ib_umem_start(umem);
	u64 start = max_t(u64, range->start, base);
	u64 end = min_t(u64, range->end, ib_umem_end(umem));

	if (!mmu_notifier_range_blockable(range))
		return false;
	mutex_lock(&umem->umem_mutex);
	mmu_interval_set_seq(mni, seq);
	/* NULL while the region is being registered: no page is in yet */
	if (umem->private)
		rxe_odp_drop(umem->private, (start - base) >> PAGE_SHIFT,
			     DIV_ROUND_UP(end - base, PAGE_SIZE));
	ib_umem_odp_unmap_dma_pages(umem, start, end);
	mutex_unlock(&umem->umem_mutex);
	return true;
}

static const struct mmu_interval_notifier_ops notifier_ops = {
	.invalidate = invalidate,
};

/* What the core allocates for so many pages: two words for each, charged to nobody. So it
 * is counted as if the process had locked it.
 */
static unsigned long core_table_pages(u64 num_pages)
{
	return DIV_ROUND_UP_ULL(num_pages, PAGE_SIZE / (2 * sizeof(u64)));
}

static void end_umem(struct ib_umem_odp *umem, u64 num_pages)
{
	account_locked_vm(umem->umem.owning_mm, core_table_pages(num_pages),
			  false);
	ib_umem_odp_release(umem);
}

/**
 * rxe_odp_reg() - give a region the memory of a process, without pages
 * @mr: the region; its iova, length and access are set
 * @start: first address in the process
 *
 * Huge pages need no care, pages are looked at one by one.
 *
 * Context: may sleep; in the context of the process.
 * Return: 0; -EINVAL, also when it is to be made persistent, for nobody knows what memory
 * it will be; -EOVERFLOW, -ENOMEM, also when the process may not lock as much memory as
 * the core's tables take.
 */
int rxe_odp_reg(struct rxe_mr *mr, u64 start)
{
	struct ib_umem_odp *umem;
	struct rxe_odp *odp;
	u64 num_pages;
	int err;

	if (mr->access & RXE_ACC_FLUSH_PERSISTENT)
		return -EINVAL;
	/* Before the core allocates anything */
	num_pages = PFN_UP(offset_in_page(start) + mr->length);
	err = account_locked_vm(current->mm, core_table_pages(num_pages), true);
	if (err)
		return err;
	umem = ib_umem_odp_get(mr->ib.device, start, mr->length,
			       mr->access & ~IB_ACCESS_HUGETLB, &notifier_ops);
	if (IS_ERR(umem)) {
		account_locked_vm(current->mm, core_table_pages(num_pages),
				  false);
		return PTR_ERR(umem);
	}
	odp = kvzalloc(struct_size(odp, pages, num_pages), TABLE_GFP);
	if (!odp) {
		end_umem(umem, num_pages);
		return -ENOMEM;
	}
	mr->umem = &umem->umem;
	mutex_init(&odp->mutex);
	odp->first_byte = offset_in_page(start);
	odp->num_pages = num_pages;
	mr->odp = odp;
	mutex_lock(&umem->umem_mutex);
	umem->private = odp;
	mutex_unlock(&umem->umem_mutex);
	return 0;
}

/**
 * rxe_odp_dereg() - give the memory back
 * @mr: a region that nobody finds any more, of those who may copy
 *
 * Waits for those who bring pages in.
 *
 * Context: may sleep.
 */
void rxe_odp_dereg(struct rxe_mr *mr)
{
	struct ib_umem_odp *umem = umem_of(mr);
	struct rxe_odp *odp = mr->odp;

	wait_var_event(&odp->faults, !atomic_read(&odp->faults));
	mutex_lock(&umem->umem_mutex);
	rxe_odp_drop(odp, 0, odp->num_pages);
	mutex_unlock(&umem->umem_mutex);
	end_umem(umem, odp->num_pages);
	mutex_destroy(&odp->mutex);
	kvfree(odp);
}

/**
 * rxe_odp_span() - kernel address of memory in a region, if its page is there
 * @mr: region that rxe_mr_check() approved for the range
 * @va: first address
 * @want: bytes wanted, > 0
 * @access: enum ib_access_flags that the memory is wanted for
 * @kaddr: set to the address; good as long as the copy is counted
 *
 * Context: BH disabled, under RCU; the copy is counted in the region.
 * Return: bytes that are contiguous from there, 1 .. @want; 0: the page is to be
 * brought in.
 */
size_t rxe_odp_span(const struct rxe_mr *mr, u64 va, size_t want, int access,
		    void **kaddr)
{
	const struct rxe_odp *odp = mr->odp;
	u64 off = va - mr->iova + odp->first_byte;
	u64 need = RXE_ODP_PRESENT, have, entry, i = off >> PAGE_SHIFT;
	size_t in_page = offset_in_page(off);

	if (ib_access_writable(access))
		need |= RXE_ODP_WRITABLE;
	/* Seen open again, the pages that went are gone: pairs with rxe_odp_drop() */
	if (smp_load_acquire(&odp->closed))
		return 0;
	entry = READ_ONCE(odp->pages[i]);
	if ((entry & need) != need)
		return 0;
	/* Pages of the same rights often lie next to each other */
	for (have = PAGE_SIZE - in_page; have < want; have += PAGE_SIZE)
		if (++i >= odp->num_pages ||
		    /* pairs with rxe_odp_fill() */
		    smp_load_acquire(&odp->pages[i]) != entry + in_page + have)
			break;
	*kaddr = address_of(entry) + in_page;
	return min_t(u64, have, want);
}

/**
 * rxe_odp_get() - somebody will bring pages in
 * @range: of a region that was found in this RCU read section
 *
 * Context: any, under RCU.
 */
void rxe_odp_get(struct rxe_odp_range *range)
{
	atomic_inc(&range->mr->odp->faults);
}

/**
 * rxe_odp_put() - it is done, or not needed any more
 * @range: from rxe_odp_get(); its region may be gone afterwards
 *
 * Context: any.
 */
void rxe_odp_put(struct rxe_odp_range *range)
{
	atomic_t *faults = &range->mr->odp->faults;

	/* The one who waits may free it as soon as it is zero */
	if (atomic_dec_and_test(faults))
		wake_up_var(faults);
}

/* Bring in the first @length bytes of a range, as they are without @fault. On success
 * both mutexes are held, and no page goes.
 */
static int bring(const struct rxe_odp_range *range, u64 length, bool fault)
{
	struct ib_umem_odp *umem = umem_of(range->mr);
	struct rxe_odp *odp = range->mr->odp;
	u64 off = range->va - range->mr->iova + odp->first_byte;
	u64 mask = RXE_UMEM_READ;
	int ret;

	if (range->write)
		mask |= RXE_UMEM_WRITE;
	mutex_lock(&odp->mutex);
	ret = ib_umem_odp_map_dma_and_lock(umem, ib_umem_start(umem) + off,
					   length, mask, fault);
	if (ret < 0) {
		mutex_unlock(&odp->mutex);
		return ret;
	}
	rxe_odp_fill(odp, rxe_umem_pfns(umem), off >> PAGE_SHIFT,
		     DIV_ROUND_UP(off + length, PAGE_SIZE), range->write);
	if (fault && !odp->pages[off >> PAGE_SHIFT]) {
		rxe_odp_let_go(range);
		return -EFAULT;
	}
	return 0;
}

/**
 * rxe_odp_fault() - bring pages in, and keep them from going
 * @range: what is wanted; if not all of it can be had the first page, at least
 *
 * Context: may sleep, for long. On success to be followed by rxe_odp_let_go() soon:
 * whoever takes memory from the process waits.
 * Return: 0; -EBUSY: try again; others: the process has no such memory, or must not use
 * it like that.
 */
int rxe_odp_fault(const struct rxe_odp_range *range)
{
	int err = bring(range, min(range->length, AHEAD), true);

	return err && err != -EBUSY ? bring(range, 1, true) : err;
}

/**
 * rxe_odp_let_go() - pages may go again
 * @range: from rxe_odp_fault()
 *
 * Context: the one who called that.
 */
void rxe_odp_let_go(const struct rxe_odp_range *range)
{
	mutex_unlock(&umem_of(range->mr)->umem_mutex);
	mutex_unlock(&range->mr->odp->mutex);
}

/**
 * struct prefetch - what a process wants to be there
 * @work: does it later
 * @fault: also what the process itself has not in memory
 * @num: entries of @ranges
 * @ranges: the memory
 */
struct prefetch {
	struct work_struct work;
	bool fault;
	u32 num;
	struct rxe_odp_range ranges[];
};

/* Whoever takes the region back, or the device, or kills the process, waits */
static bool is_over(const struct rxe_mr *mr)
{
	return READ_ONCE(mr->state) != RXE_MR_VALID ||
	       READ_ONCE(to_rxe_dev(mr->ib.device)->going) ||
	       fatal_signal_pending(current);
}

static int bring_all(struct rxe_odp_range range, bool fault)
{
	u64 n;
	int err;

	for (; range.length; range.va += n, range.length -= n) {
		if (is_over(range.mr))
			return -EINTR;
		n = min(range.length, AHEAD);
		err = bring(&range, n, fault);
		if (err)
			return err;
		rxe_odp_let_go(&range);
		cond_resched();
	}
	return 0;
}

static int carry_out(struct prefetch *p)
{
	int err = 0;
	u32 i;

	for (i = 0; i < p->num && !err; i++)
		err = bring_all(p->ranges[i], p->fault);
	return err;
}

static void end_prefetch(struct prefetch *p)
{
	while (p->num)
		rxe_odp_put(&p->ranges[--p->num]);
	kvfree(p);
}

static void prefetch_later(struct work_struct *work)
{
	struct prefetch *p = container_of(work, struct prefetch, work);

	carry_out(p);
	end_prefetch(p);
}

static int find(struct rxe_dev *dev, struct ib_pd *pd, const struct ib_sge *sge,
		int access, struct rxe_odp_range *range)
{
	struct rxe_hold *hold;
	struct rxe_mr *mr;
	int err;

	rcu_read_lock_bh();
	err = rxe_mr_check(dev, pd, sge->lkey, sge->addr, sge->length, access,
			   &mr, &hold);
	if (!err && mr->odp) {
		*range = (struct rxe_odp_range){ .mr = mr,
						 .va = sge->addr,
						 .length = sge->length };
		rxe_odp_get(range);
	} else if (!err) {
		err = -EINVAL;
	}
	if (hold)
		rxe_hold_put(hold);
	rcu_read_unlock_bh();
	return err;
}

/**
 * rxe_odp_prefetch() - bring pages in before they are needed
 * @dev: the device
 * @pager: of the user
 * @pd: protection domain of the regions
 * @advice: enum ib_uverbs_advise_mr_advice, checked by the caller
 * @wait: return when it is done
 * @sges: the memory
 * @num_sge: how many
 *
 * Context: may sleep, for long.
 * Return: 0; -EINVAL when there is no such region of @pd, or one that is pinned, -EACCES
 * when it must not be written to, -ENOMEM; with @wait what rxe_odp_fault() says, or -EINTR.
 */
int rxe_odp_prefetch(struct rxe_dev *dev, struct rxe_pager *pager,
		     struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice,
		     bool wait, const struct ib_sge *sges, u32 num_sge)
{
	bool write = advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE;
	struct prefetch *p;
	int err = 0;

	p = kvzalloc(struct_size(p, ranges, num_sge), TABLE_GFP);
	if (!p)
		return -ENOMEM;
	p->fault = advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT;
	while (p->num < num_sge) {
		struct rxe_odp_range *range = &p->ranges[p->num];

		err = find(dev, pd, &sges[p->num],
			   write ? IB_ACCESS_LOCAL_WRITE : 0, range);
		if (err)
			goto end;
		/* What is there already is had with all rights there are */
		range->write = p->fault ? write :
					  ib_access_writable(range->mr->access);
		p->num++;
	}
	if (!wait) {
		INIT_WORK(&p->work, prefetch_later);
		queue_work(pager->prefetches, &p->work);
		return 0;
	}
	err = carry_out(p);
end:
	end_prefetch(p);
	return err;
}
