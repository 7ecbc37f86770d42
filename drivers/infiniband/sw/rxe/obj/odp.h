/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* On-demand paging: regions whose pages are not pinned, but come and go */
#ifndef RXE_OBJ_ODP_H
#define RXE_OBJ_ODP_H

#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "hold.h"

struct rxe_dev;
struct rxe_mr;
struct rxe_pager;

/* In an entry of the page table, below the address */
#define RXE_ODP_PRESENT 1ULL
#define RXE_ODP_WRITABLE 2ULL

/**
 * struct rxe_odp - pages of a region
 * @hold: copies under way; counted before @closed and @pages are looked at
 * @closed: pages are being taken away, no copy begins
 * @faults: those who bring pages in, or will; dereg waits for them
 * @mutex: one of them at a time, for the core's list of pages has room for what one of
 *	them finds; outside of the core's umem_mutex
 * @first_byte: offset of the region's first byte in its first page
 * @num_pages: entries of @pages
 * @pages: kernel address of each page, and RXE_ODP_*; 0 = not there. Written under
 *	the core's umem_mutex
 */
struct rxe_odp {
	struct rxe_hold hold;
	bool closed;
	atomic_t faults;
	struct mutex mutex; /* outside of umem_mutex */
	u64 first_byte;
	u64 num_pages;
	u64 pages[];
};

/**
 * struct rxe_odp_range - memory that is wanted
 * @mr: the region, counted in its faults
 * @va: first address, as the region names it
 * @length: bytes, of which the first ones matter most
 * @write: it will be written to
 */
struct rxe_odp_range {
	struct rxe_mr *mr;
	u64 va;
	u64 length;
	bool write;
};

int rxe_odp_reg(struct rxe_mr *mr, u64 start);
void rxe_odp_dereg(struct rxe_mr *mr);
size_t rxe_odp_span(const struct rxe_mr *mr, u64 va, size_t want, int access,
		    void **kaddr);
void rxe_odp_fill(struct rxe_odp *odp, const unsigned long *pfns, u64 first,
		  u64 end, bool write);
void rxe_odp_drop(struct rxe_odp *odp, u64 first, u64 end);

void rxe_odp_get(struct rxe_odp_range *range);
void rxe_odp_put(struct rxe_odp_range *range);
int rxe_odp_fault(const struct rxe_odp_range *range);
void rxe_odp_let_go(const struct rxe_odp_range *range);
int rxe_odp_prefetch(struct rxe_dev *dev, struct rxe_pager *pager,
		     struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice,
		     bool wait, const struct ib_sge *sges, u32 num_sge);

#endif /* RXE_OBJ_ODP_H */
