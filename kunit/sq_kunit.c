// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* obj/sq.c: send work requests that a hostile user wrote */
#include "obj/abi.h"
#include "obj/qp.h"
#include "util.h"

#define MAX_SGE 4
#define MAX_INLINE 64
#define SLOT_SHIFT 9 /* 208 bytes and 64 of SGEs or inline data */
#define SLOTS 8
#define RECORD_BYTES (sizeof(struct rxe_swqe) + MAX_INLINE)

/**
 * struct sq_rig - a QP with nothing but a send queue
 * @qp: the QP
 * @slot: next slot that the user fills
 * @w: record that was fetched
 */
struct sq_rig {
	struct rxe_qp qp;
	struct rxe_send_wqe *slot;
	struct rxe_swqe *w;
};

static struct sq_rig *make_rig(struct kunit *test, enum rxe_transport transport,
			       bool user)
{
	size_t bytes =
		offsetof(struct rxe_ring_shared, slots) + (SLOTS << SLOT_SHIFT);
	struct rxe_tail ring = rxe_tail_alloc(test, bytes);
	struct rxe_tail records = rxe_tail_alloc(test, SLOTS * RECORD_BYTES);
	struct sq_rig *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	spin_lock_init(&r->qp.send_lock);
	r->qp.transport = transport;
	r->qp.user = user;
	r->qp.sq.ring = (struct rxe_ring){ .shared = (void *)ring.buf,
					   .mask = SLOTS - 1,
					   .shift = SLOT_SHIFT };
	r->qp.sq.max_sge = MAX_SGE;
	r->qp.sq.max_inline = MAX_INLINE;
	r->qp.req.transport = transport;
	r->qp.req.mtu = 256;
	r->qp.req.wqes = records.buf;
	r->qp.req.mask = SLOTS - 1;
	r->qp.req.stride = RECORD_BYTES;
	rxe_req_reset(&r->qp.req, 0);
	r->slot = rxe_ring_slot(&r->qp.sq.ring, 0);
	return r;
}

/* Fetch into a rig that is as new; its status, or 0xff when there is nothing */
static u8 fetch(struct sq_rig *r)
{
	u8 status = 0xff;

	spin_lock_bh(&r->qp.send_lock);
	r->qp.sq.fetched = 0;
	r->qp.sq.ring.index = 0;
	r->qp.sq.ring.shared->producer = 1;
	rxe_req_reset(&r->qp.req, 0);
	r->w = rxe_req_fetch_slot(&r->qp.req);
	if (rxe_sq_fetch(&r->qp))
		status = r->w->status;
	spin_unlock_bh(&r->qp.send_lock);
	return status;
}

/* Placement types and selectivity, where the ABI has them */
static void put_flush(struct rxe_send_wqe *slot, u8 type, u8 level)
{
	((u8 *)slot)[40] = type;
	((u8 *)slot)[41] = level;
}

/* A request that is right but for its opcode */
static void plain(struct sq_rig *r, u32 opcode)
{
	struct rxe_send_wqe *slot = r->slot;

	memset(slot, 0, 1 << SLOT_SHIFT);
	slot->wr.wr_id = 77;
	slot->wr.opcode = opcode;
	slot->dma.num_sge = 1;
	slot->dma.length = 8;
	slot->dma.sge[0].length = 8;
	if (r->qp.transport == RXE_UD)
		slot->wr.wr.ud.ah_num = 5;
	else if (opcode == RXE_WR_FLUSH)
		put_flush(slot, 1, 0);
}

/* Who may post what: RC, UC, UD; upper case: kernel users only, lower: users */
struct allowed {
	u32 opcode;
	const char *who;
	bool inl;
};

static const struct allowed allowed[] = {
	{ 0, "RrCc", true },   { 1, "RrCc", true },  { 2, "RrCcDd", true },
	{ 3, "RrCcDd", true }, { 4, "Rr", false },   { 5, "Rr", false },
	{ 6, "Rr", false },    { 7, "RrCc", false }, { 8, "rc", false },
	{ 9, "Rr", true },     { 11, "R", false },   { 14, "r", false },
	{ 15, "Rr", false },   { 32, "RC", false },
};

static const struct allowed *find_allowed(u32 opcode, char who)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(allowed); i++)
		if (allowed[i].opcode == opcode && strchr(allowed[i].who, who))
			return &allowed[i];
	return NULL;
}

static void check_opcode(struct kunit *test, struct sq_rig *r, char who,
			 u32 opcode, u32 flags)
{
	const struct allowed *a = find_allowed(opcode, who);
	bool good = a && (!flags || a->inl);
	u8 want = good ? RXE_ST_SUCCESS : RXE_ST_LOC_QP_OP_ERR;

	plain(r, opcode);
	r->slot->wr.send_flags = flags;
	KUNIT_ASSERT_EQ_MSG(test, fetch(r), want, "%c, opcode %#x, flags %u",
			    who, opcode, flags);
	KUNIT_ASSERT_EQ(test, r->w->wr_id, 77ULL);
	if (good)
		KUNIT_ASSERT_EQ(test, r->w->op, opcode);
}

static void check_opcodes(struct kunit *test, enum rxe_transport transport,
			  char who)
{
	struct sq_rig *r = make_rig(test, transport, who >= 'a');
	u32 i, opcode;

	for (i = 0; i < 600; i++) {
		opcode = i < 300 ? i : i - 600; /* up to 0xffffffff */
		check_opcode(test, r, who, opcode, 0);
		check_opcode(test, r, who, opcode, RXE_WR_INLINE);
	}
}

static void every_opcode_of_every_user(struct kunit *test)
{
	check_opcodes(test, RXE_RC, 'r');
	check_opcodes(test, RXE_RC, 'R');
	check_opcodes(test, RXE_UC, 'c');
	check_opcodes(test, RXE_UC, 'C');
	check_opcodes(test, RXE_UD, 'd');
	check_opcodes(test, RXE_UD, 'D');
}

static void sges_are_counted(struct kunit *test)
{
	static const u32 counts[] = { 0,   1,	       2,	   3,
				      4,   5,	       6,	   255,
				      256, 0x7fffffff, 0x80000000, 0xffffffff };
	struct sq_rig *r = make_rig(test, RXE_RC, true);
	int i;

	/* The last slot: one SGE too many lies behind the ring */
	r->slot = rxe_ring_slot(&r->qp.sq.ring, SLOTS - 1);
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		bool good = counts[i] <= MAX_SGE;

		plain(r, RXE_WR_SEND);
		r->slot->dma.num_sge = counts[i];
		memcpy(rxe_ring_slot(&r->qp.sq.ring, 0), r->slot,
		       1 << SLOT_SHIFT);
		KUNIT_EXPECT_EQ_MSG(test, fetch(r),
				    good ? RXE_ST_SUCCESS :
					   RXE_ST_LOC_QP_OP_ERR,
				    "%#x", counts[i]);
		KUNIT_EXPECT_EQ(test, r->w->num_sge, good ? counts[i] : 0);
	}
}

static void lengths_are_added_without_overflow(struct kunit *test)
{
	static const struct {
		u32 length[4];
		bool good;
	} rows[] = {
		{ { 0x80000000, 0, 0, 0 }, true },
		{ { 0x7fffffff, 1, 0, 0 }, true },
		{ { 0x80000001, 0, 0, 0 }, false },
		{ { 0x7fffffff, 1, 1, 0 }, false },
		{ { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff }, false },
		{ { 0x80000000, 0x80000000, 0, 0 }, false },
		{ { 0x40000000, 0x40000000, 0x40000000, 0x40000000 }, false },
		{ { 0xffffffff, 1, 0, 0 }, false },
	};
	struct sq_rig *r = make_rig(test, RXE_RC, true);
	int i, k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		plain(r, RXE_WR_WRITE);
		r->slot->dma.num_sge = 4;
		for (k = 0; k < 4; k++)
			r->slot->dma.sge[k].length = rows[i].length[k];
		KUNIT_EXPECT_EQ_MSG(test, fetch(r),
				    rows[i].good ? RXE_ST_SUCCESS :
						   RXE_ST_LOC_LEN_ERR,
				    "row %d", i);
	}
}

static void inline_bytes_are_limited(struct kunit *test)
{
	static const u32 lengths[] = { 0,	   1,	      63,
				       64,	   65,	      66,
				       512,	   0x10000,   0x7fffffff,
				       0x80000000, 0xffffffff };
	struct sq_rig *r = make_rig(test, RXE_RC, true);
	int i, k;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		bool good = lengths[i] <= MAX_INLINE;

		plain(r, RXE_WR_SEND);
		r->slot->wr.send_flags = RXE_WR_INLINE;
		r->slot->dma.length = lengths[i];
		for (k = 0; k < MAX_INLINE; k++)
			r->slot->dma.inline_data[k] = k + i;
		KUNIT_ASSERT_EQ_MSG(test, fetch(r),
				    good ? RXE_ST_SUCCESS : RXE_ST_LOC_LEN_ERR,
				    "%#x", lengths[i]);
		if (!good)
			continue;
		KUNIT_EXPECT_EQ(test, r->w->length, lengths[i]);
		KUNIT_EXPECT_EQ(test,
				memcmp(rxe_swqe_inline(r->w),
				       r->slot->dma.inline_data, lengths[i]),
				0);
	}
}

static void atomics_are_of_eight_bytes(struct kunit *test)
{
	static const u8 ops[] = { RXE_WR_CMP_SWAP, RXE_WR_FETCH_ADD,
				  RXE_WR_ATOMIC_WRITE };
	struct sq_rig *r = make_rig(test, RXE_RC, true);
	u32 length;
	int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		for (length = 0; length < 20; length++) {
			plain(r, ops[i]);
			r->slot->dma.length = length;
			r->slot->dma.sge[0].length = length;
			KUNIT_EXPECT_EQ_MSG(test, fetch(r),
					    length == 8 ? RXE_ST_SUCCESS :
							  RXE_ST_LOC_LEN_ERR,
					    "op %u, %u bytes", ops[i], length);
		}
	}
}

static void atomic_operands(struct kunit *test)
{
	struct sq_rig *r = make_rig(test, RXE_RC, true);

	plain(r, RXE_WR_CMP_SWAP);
	r->slot->wr.wr.atomic.remote_addr = 0x1000;
	r->slot->wr.wr.atomic.compare_add = 0x11;
	r->slot->wr.wr.atomic.swap = 0x22;
	r->slot->wr.wr.atomic.rkey = 0x33;
	KUNIT_ASSERT_EQ(test, fetch(r), RXE_ST_SUCCESS);
	KUNIT_EXPECT_EQ(test, r->w->remote_addr, 0x1000ULL);
	KUNIT_EXPECT_EQ(test, r->w->compare, 0x11ULL);
	KUNIT_EXPECT_EQ(test, r->w->swap_add, 0x22ULL);
	KUNIT_EXPECT_EQ(test, r->w->rkey, 0x33U);
	r->slot->wr.opcode = RXE_WR_FETCH_ADD;
	KUNIT_ASSERT_EQ(test, fetch(r), RXE_ST_SUCCESS);
	KUNIT_EXPECT_EQ(test, r->w->swap_add, 0x11ULL);
}

/* Types 1 and 2, at least one; levels 0 and 1. The length is that of the data; the
 * one next to the address, and the SGEs, are whatever a library left there.
 */
static void flush_operands(struct kunit *test)
{
	static const u32 lengths[] = { 0, 1, 0x80000000, 0x80000001, U32_MAX };
	struct sq_rig *r = make_rig(test, RXE_RC, true);
	u32 type, level, i;

	for (type = 0; type < 256; type++) {
		for (level = 0; level < 256; level++) {
			bool good = type && type < 4 && level < 2;

			plain(r, RXE_WR_FLUSH);
			put_flush(r->slot, type, level);
			KUNIT_ASSERT_EQ_MSG(test, fetch(r),
					    good ? RXE_ST_SUCCESS :
						   RXE_ST_LOC_QP_OP_ERR,
					    "type %u, level %u", type, level);
			KUNIT_ASSERT_EQ(test, r->w->flush_plt, type);
			KUNIT_ASSERT_EQ(test, r->w->flush_sel, level);
		}
	}
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		bool good = lengths[i] <= 0x80000000;

		plain(r, RXE_WR_FLUSH);
		((u64 *)r->slot)[3] = 0x1122334455667788;
		((u32 *)r->slot)[8] = 77;
		((u32 *)r->slot)[9] = 0x99;
		r->slot->dma.length = lengths[i];
		r->slot->dma.num_sge = U32_MAX;
		KUNIT_EXPECT_EQ(test, fetch(r),
				good ? RXE_ST_SUCCESS : RXE_ST_LOC_LEN_ERR);
		KUNIT_EXPECT_EQ(test, r->w->length, lengths[i]);
		KUNIT_EXPECT_EQ(test, r->w->num_sge, 0U);
		KUNIT_EXPECT_EQ(test, r->w->remote_addr, 0x1122334455667788ULL);
		KUNIT_EXPECT_EQ(test, r->w->rkey, 0x99U);
	}
}

static void datagram_addresses(struct kunit *test)
{
	struct sq_rig *r = make_rig(test, RXE_UD, true);

	plain(r, RXE_WR_SEND);
	r->slot->wr.wr.ud.remote_qpn = 0xff123456;
	r->slot->wr.wr.ud.remote_qkey = 0x80000001;
	KUNIT_ASSERT_EQ(test, fetch(r), RXE_ST_SUCCESS);
	KUNIT_EXPECT_EQ(test, r->w->remote_qpn, 0x123456U);
	KUNIT_EXPECT_EQ(test, r->w->remote_qkey, 0x80000001U);
	KUNIT_EXPECT_EQ(test, r->w->ah, 5U);
	r->slot->wr.wr.ud.ah_num = 0;
	KUNIT_EXPECT_EQ(test, fetch(r), RXE_ST_LOC_QP_OP_ERR);
	r->slot->wr.wr.ud.ah_num = 5;
	r->slot->wr.wr.ud.pkey_index = 1;
	KUNIT_EXPECT_EQ(test, fetch(r), RXE_ST_LOC_QP_OP_ERR);
}

static void flags_are_only_those_known(struct kunit *test)
{
	struct sq_rig *r = make_rig(test, RXE_RC, true);

	plain(r, RXE_WR_SEND);
	r->slot->wr.send_flags = 0xffffffff & ~(u32)RXE_WR_INLINE;
	KUNIT_ASSERT_EQ(test, fetch(r), RXE_ST_SUCCESS);
	KUNIT_EXPECT_EQ(test, r->w->flags,
			RXE_WR_FENCE | RXE_WR_SIGNALED | RXE_WR_SOLICITED);
	r->slot->wr.send_flags = 0;
	KUNIT_ASSERT_EQ(test, fetch(r), RXE_ST_SUCCESS);
	KUNIT_EXPECT_EQ(test, r->w->flags, 0UL);
	r->qp.sig_all = true;
	KUNIT_ASSERT_EQ(test, fetch(r), RXE_ST_SUCCESS);
	KUNIT_EXPECT_EQ(test, r->w->flags, RXE_WR_SIGNALED);
}

/* What was checked is what is used, whatever the user writes afterwards */
static void record_is_a_copy(struct kunit *test)
{
	struct sq_rig *r = make_rig(test, RXE_RC, true);
	struct rxe_rng rng = { rxe_kunit_seed };
	u8 was[RECORD_BYTES];

	plain(r, RXE_WR_WRITE);
	KUNIT_ASSERT_EQ(test, fetch(r), RXE_ST_SUCCESS);
	memcpy(was, r->w, sizeof(was));
	rxe_rng_fill(&rng, r->qp.sq.ring.shared,
		     offsetof(struct rxe_ring_shared, slots) +
			     (SLOTS << SLOT_SHIFT));
	KUNIT_EXPECT_EQ(test, memcmp(was, r->w, sizeof(was)), 0);
}

/* A producer index out of a hat: never more than the queue is deep */
static void producer_index_is_bounded(struct kunit *test)
{
	struct sq_rig *r = make_rig(test, RXE_RC, true);
	struct rxe_rng rng = { rxe_kunit_seed };
	u32 round, n;

	for (round = 0; round < 1000; round++) {
		spin_lock_bh(&r->qp.send_lock);
		n = 0;
		do {
			rxe_rng_fill(&rng, r->qp.sq.ring.shared, 384);
		} while (rxe_sq_fetch(&r->qp) && ++n < 100);
		while (rxe_req_oldest(&r->qp.req)) {
			rxe_sq_retire(&r->qp);
			n--;
		}
		/* Those that are good would be sent; here they are given up */
		rxe_req_flush(&r->qp.req);
		while (rxe_req_oldest(&r->qp.req)) {
			rxe_sq_retire(&r->qp);
			n--;
		}
		spin_unlock_bh(&r->qp.send_lock);
		KUNIT_ASSERT_EQ(test, n, 0U);
		KUNIT_ASSERT_EQ(test, r->qp.sq.fetched, 0U);
		KUNIT_ASSERT_LT(test, r->qp.sq.ring.index, (u32)SLOTS);
	}
}

/* The next one in the ring, which nobody may look at when it is malformed */
static u8 fetch_next(struct sq_rig *r, bool malformed)
{
	struct rxe_ring *ring = &r->qp.sq.ring;
	u8 status = 0xff;

	spin_lock_bh(&r->qp.send_lock);
	r->slot = rxe_ring_slot(ring, r->qp.sq.fetched);
	plain(r, malformed ? 77 : RXE_WR_SEND);
	r->w = rxe_req_fetch_slot(&r->qp.req);
	if (rxe_sq_fetch(&r->qp))
		status = r->w->status;
	spin_unlock_bh(&r->qp.send_lock);
	return status;
}

static void flushed_in_sqe_and_error(struct kunit *test)
{
	static const u8 want[RXE_QPS_COUNT] = {
		[RXE_QPS_RTS] = RXE_ST_LOC_QP_OP_ERR,
		[RXE_QPS_SQE] = RXE_ST_WR_FLUSH_ERR,
		[RXE_QPS_ERR] = RXE_ST_WR_FLUSH_ERR,
	};
	u32 state, malformed;

	for (state = RXE_QPS_RTS; state < RXE_QPS_COUNT; state++) {
		struct sq_rig *r = make_rig(test, RXE_UD, true);

		if (!want[state])
			continue;
		r->qp.state = state;
		r->qp.sq.ring.shared->producer = 2;
		for (malformed = 0; malformed < 2; malformed++) {
			bool good = state == RXE_QPS_RTS && !malformed;

			KUNIT_EXPECT_EQ(test, fetch_next(r, malformed),
					good ? RXE_ST_SUCCESS : want[state]);
		}
	}
}

/* What was posted before the way back from SQE is flushed, what comes after it is not */
static void flushed_when_sending_goes_on(struct kunit *test)
{
	struct sq_rig *r = make_rig(test, RXE_UD, true);
	struct rxe_ring *ring = &r->qp.sq.ring;
	u32 i;

	r->qp.state = RXE_QPS_RTS;
	ring->shared->producer = 4;
	KUNIT_ASSERT_EQ(test, fetch_next(r, false), RXE_ST_SUCCESS);
	spin_lock_bh(&r->qp.send_lock);
	rxe_sq_restart(&r->qp);
	KUNIT_EXPECT_EQ(test, r->w->state, RXE_SWQE_DONE);
	KUNIT_EXPECT_EQ(test, r->w->status, RXE_ST_WR_FLUSH_ERR);
	spin_unlock_bh(&r->qp.send_lock);
	ring->shared->producer = 5;
	for (i = 1; i < 4; i++)
		KUNIT_EXPECT_EQ(test, fetch_next(r, i % 2),
				RXE_ST_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, fetch_next(r, false), RXE_ST_SUCCESS);
	KUNIT_EXPECT_EQ(test, fetch_next(r, false), 0xff);
}

static void check_record(struct kunit *test, const struct sq_rig *r, u8 status)
{
	char who = "rcd"[r->qp.transport];
	const struct rxe_swqe *w = r->w;

	KUNIT_ASSERT_LE(test, w->num_sge, (u32)MAX_SGE);
	KUNIT_ASSERT_LE(test, w->length, 0x80000000U);
	if (w->flags & RXE_WR_INLINE && !status)
		KUNIT_ASSERT_LE(test, w->length, (u32)MAX_INLINE);
	KUNIT_ASSERT_EQ(test, w->state,
			status ? RXE_SWQE_DONE : RXE_SWQE_POSTED);
	if (!status)
		KUNIT_ASSERT_NOT_NULL(test, find_allowed(w->op, who));
}

static void noise(struct kunit *test)
{
	struct rxe_rng rng = { rxe_kunit_seed };
	u32 t, i, good = 0;

	for (t = RXE_RC; t <= RXE_UD; t++) {
		struct sq_rig *r = make_rig(test, t, true);

		for (i = 0; i < 20000; i++) {
			u8 status;

			rxe_rng_fill(&rng, r->slot, 1 << SLOT_SHIFT);
			if (i % 4)
				r->slot->wr.opcode = rxe_rng_below(&rng, 16);
			if (i % 3) {
				r->slot->dma.num_sge = rxe_rng_below(&rng, 6);
				r->slot->dma.length = rxe_rng_below(&rng, 80);
				r->slot->dma.sge[0].length &= 0xffffff;
			}
			status = fetch(r);
			check_record(test, r, status);
			good += !status;
		}
	}
	KUNIT_EXPECT_GT(test, good, 1000U);
}

static struct kunit_case sq_cases[] = {
	KUNIT_CASE(every_opcode_of_every_user),
	KUNIT_CASE(sges_are_counted),
	KUNIT_CASE(lengths_are_added_without_overflow),
	KUNIT_CASE(inline_bytes_are_limited),
	KUNIT_CASE(atomics_are_of_eight_bytes),
	KUNIT_CASE(atomic_operands),
	KUNIT_CASE(flush_operands),
	KUNIT_CASE(datagram_addresses),
	KUNIT_CASE(flags_are_only_those_known),
	KUNIT_CASE(record_is_a_copy),
	KUNIT_CASE(producer_index_is_bounded),
	KUNIT_CASE(flushed_in_sqe_and_error),
	KUNIT_CASE(flushed_when_sending_goes_on),
	KUNIT_CASE(noise),
	{}
};

static struct kunit_suite sq_suite = {
	.name = "rxe_sq",
	.test_cases = sq_cases,
};

kunit_test_suite(sq_suite);
