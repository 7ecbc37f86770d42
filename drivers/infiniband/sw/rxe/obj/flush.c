// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "flush.h"

#include <asm/barrier.h>
#include <linux/ioport.h>
#include <linux/libnvdimm.h>
#include <linux/mm.h>

#include <compat/rdma.h>

#include "mw.h"

static_assert(RXE_ACC_FLUSH_GLOBAL == IB_ACCESS_FLUSH_GLOBAL);
static_assert(RXE_ACC_FLUSH_PERSISTENT == IB_ACCESS_FLUSH_PERSISTENT);

/* Written back in a row: a peer may ask for terabytes */
#define PORTION 65536

static bool is_all(void *kaddr, size_t bytes, unsigned long desc)
{
	return region_intersects(virt_to_phys(kaddr), bytes, IORESOURCE_MEM,
				 desc) == REGION_INTERSECTS;
}

/* As ACPI tells of it, or the firmware's memory map before there was ACPI for it */
static bool is_pmem(void *kaddr, size_t bytes)
{
	return is_all(kaddr, bytes, IORES_DESC_PERSISTENT_MEMORY) ||
	       is_all(kaddr, bytes, IORES_DESC_PERSISTENT_MEMORY_LEGACY);
}

/**
 * rxe_flush_can_persist() - is all of a region persistent memory?
 * @mr: a user's region, whose pages are there
 *
 * Context: may sleep.
 * Return: false also where the CPU is of no help in writing it back.
 */
bool rxe_flush_can_persist(const struct rxe_mr *mr)
{
	u64 off;
	size_t n;

	if (!IS_ENABLED(CONFIG_ARCH_HAS_PMEM_API))
		return false;
	for (off = 0; off < mr->length; off += n) {
		void *kaddr;

		n = rxe_mr_span(mr, mr->iova + off, mr->length - off, &kaddr);
		if (!n || !is_pmem(kaddr, n))
			return false;
	}
	return true;
}

/* The range that a key as a whole stands for. It is checked like any other after
 * that, so it does no harm when it changes in between.
 */
static int whole_range(struct rxe_dev *dev, struct rxe_flush *flush)
{
	if (rxe_mw_is_key(flush->rkey))
		return rxe_mw_bounds(dev, flush->rkey, &flush->va,
				     &flush->length);
	return rxe_mr_bounds(dev, flush->rkey, &flush->va, &flush->length);
}

/* Write back the next portion of a range that was checked. Return: 0 or -EINVAL. */
static int write_back(const struct rxe_mr *mr, u64 at, struct rxe_flush *flush)
{
	u64 end = min(flush->length, flush->done + PORTION);

	while (flush->done < end) {
		void *kaddr;
		size_t n = rxe_mr_span(mr, at + flush->done, end - flush->done,
				       &kaddr);

		if (!n)
			return -EINVAL;
		arch_wb_cache_pmem(kaddr, n);
		flush->done += n;
	}
	pmem_wmb();
	return 0;
}

/**
 * rxe_flush_some() - flush, or a portion of what is to be flushed
 * @dev: the device
 * @pd: protection domain of the QP
 * @qpn: the QP, for keys that belong to one
 * @flush: what; call again with it, @flush->done kept, as long as 1 is returned
 *
 * What this CPU placed before is visible to all as soon as its stores are, which takes
 * no time. Persistence is that of the memory: caches are written back to it, portion
 * by portion. The key is checked each time, for all of the range.
 *
 * Softirq context or BH disabled, under RCU.
 *
 * Return: 0 when all is flushed, 1 when there is more, or as rxe_mr_check().
 */
int rxe_flush_some(struct rxe_dev *dev, struct ib_pd *pd, u32 qpn,
		   struct rxe_flush *flush)
{
	struct rxe_hold *hold;
	struct rxe_mr *mr;
	u64 at;
	int err;

	if (flush->whole) {
		err = whole_range(dev, flush);
		if (err)
			return err;
	} else if (!flush->length) {
		return 0;
	}
	err = rxe_rkey_check(dev, pd, qpn, flush->rkey, flush->va,
			     flush->length, flush->access, &mr, &at, &hold);
	if (err)
		return err;
	/* What was placed before is there when the answer leaves */
	mb();
	if (flush->access & RXE_ACC_FLUSH_PERSISTENT)
		err = write_back(mr, at, flush);
	else
		flush->done = flush->length;
	if (hold)
		rxe_hold_put(hold);
	return err ?: flush->done < flush->length;
}
