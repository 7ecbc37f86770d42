/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Index rings shared with user space: the one place that reads what a user may
 * have scribbled. Layout: Documentation/abi.rst.
 *
 * Each side owns one index, publishes it with release after it is done with the
 * slots, and reads the other side's with acquire. The kernel keeps its own index,
 * mask and slot size here and never reads them back from the shared page.
 */
#ifndef RXE_OBJ_RING_H
#define RXE_OBJ_RING_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/barrier.h>

struct rxe_ring_shared {
	u32 log2_elem_size;
	u32 index_mask;
	u32 pad1[30];
	u32 producer;
	u32 pad2[31];
	u32 consumer;
	u32 pad3[31];
	u8 slots[];
};

static_assert(offsetof(struct rxe_ring_shared, producer) == 128);
static_assert(offsetof(struct rxe_ring_shared, consumer) == 256);
static_assert(offsetof(struct rxe_ring_shared, slots) == 384);

/**
 * struct rxe_ring - the kernel's end of a ring
 * @shared: memory that the user may write at any time
 * @mask: slots - 1; usable depth is @mask
 * @shift: log2 of the slot size in bytes
 * @index: the index this side owns, masked
 */
struct rxe_ring {
	struct rxe_ring_shared *shared;
	u32 mask;
	u32 shift;
	u32 index;
};

/* Slot at @index plus @ahead */
static inline void *rxe_ring_slot(const struct rxe_ring *ring, u32 ahead)
{
	return ring->shared->slots +
	       ((size_t)((ring->index + ahead) & ring->mask) << ring->shift);
}

/* Copy out of a slot. The barrier makes this the only read of the slot: what is
 * checked afterwards is the copy, and what is used is what was checked.
 */
static inline void rxe_ring_read(void *to, const void *slot, size_t bytes)
{
	memcpy(to, slot, bytes);
	barrier();
}

/* Consumer side: filled slots, 0 .. mask whatever the producer wrote */
static inline u32 rxe_ring_filled(const struct rxe_ring *ring)
{
	/* Pairs with the release of the producer's index */
	u32 prod = smp_load_acquire(&ring->shared->producer);

	return (prod - ring->index) & ring->mask;
}

/* Consumer side: give @n slots back */
static inline void rxe_ring_consume(struct rxe_ring *ring, u32 n)
{
	ring->index = (ring->index + n) & ring->mask;
	/* The slots are read before they can be overwritten */
	smp_store_release(&ring->shared->consumer, ring->index);
}

/* Producer side: free slots, 0 .. mask whatever the consumer wrote */
static inline u32 rxe_ring_free(const struct rxe_ring *ring)
{
	/* Pairs with the release of the consumer's index */
	u32 cons = smp_load_acquire(&ring->shared->consumer);

	return (cons - ring->index - 1) & ring->mask;
}

/* Producer side: publish @n slots */
static inline void rxe_ring_publish(struct rxe_ring *ring, u32 n)
{
	ring->index = (ring->index + n) & ring->mask;
	/* The slots are written before they can be seen */
	smp_store_release(&ring->shared->producer, ring->index);
}

/* Add @n slots, copies of those at @ahead and after it, to a larger or smaller ring that
 * has room: @from is the consumer's end, @to the producer's. The caller keeps everybody
 * else off both.
 */
static inline void rxe_ring_copy(const struct rxe_ring *from, u32 ahead,
				 struct rxe_ring *to, u32 n)
{
	size_t bytes = 1UL
		       << (from->shift < to->shift ? from->shift : to->shift);
	u32 i;

	for (i = 0; i < n; i++)
		rxe_ring_read(rxe_ring_slot(to, i),
			      rxe_ring_slot(from, ahead + i), bytes);
	rxe_ring_publish(to, n);
}

/* The same with all that is filled; false: it does not fit into @to, which is empty */
static inline bool rxe_ring_move(const struct rxe_ring *from,
				 struct rxe_ring *to)
{
	u32 n = rxe_ring_filled(from);

	if (n > to->mask)
		return false;
	rxe_ring_copy(from, 0, to, n);
	return true;
}

#endif /* RXE_OBJ_RING_H */
