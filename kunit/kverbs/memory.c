// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Fast registration of all the pages there may be, and of blocks of other sizes */
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "rig.h"

/**
 * struct blocks - memory in blocks that need not lie side by side
 * @n: how many
 * @order: of pages, each
 * @sg: the list that is registered
 */
struct blocks {
	u32 n;
	u32 order;
	struct scatterlist *sg;
};

static struct blocks *make_blocks(struct kunit *test, u32 n, u32 order)
{
	struct blocks *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->sg = kunit_kcalloc(test, n, sizeof(*b->sg), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, b->sg);
	b->order = order;
	sg_init_table(b->sg, n);
	for (b->n = 0; b->n < n; b->n++) {
		struct page *page = alloc_pages(GFP_KERNEL | __GFP_ZERO, order);

		if (!page)
			break;
		sg_set_page(&b->sg[b->n], page, PAGE_SIZE << order, 0);
	}
	/* The first begins, and the last ends, where it likes */
	for (i = 0; i < 2; i++)
		b->sg[i * (n - 1)].length -= 100;
	b->sg[0].offset = 100;
	return b;
}

static void end_blocks(struct blocks *b)
{
	while (b->n--)
		__free_pages(sg_page(&b->sg[b->n]), b->order);
}

/* Write to the region all of it, look at the memory, and read it back */
static void check_traffic(struct kunit *test, const struct blocks *b,
			  const struct ib_mr *mr)
{
	struct kv *kv = test->priv;
	u32 bytes = mr->length, i;
	u32 *buf = kvmalloc(2 * bytes, GFP_KERNEL);
	struct ib_sge from = kv_local(kv, buf, bytes);
	struct ib_sge to = kv_local(kv, (u8 *)buf + bytes, bytes);

	KUNIT_ASSERT_NOT_NULL(test, buf);
	for (i = 0; i < bytes / sizeof(*buf); i++)
		buf[i] = i * 2654435761U;
	memset((u8 *)buf + bytes, 0, bytes);
	KUNIT_EXPECT_EQ(test,
			kv_rdma(kv->a.qp, IB_WR_RDMA_WRITE, &from, mr->iova,
				mr->rkey, 0),
			0);
	sg_copy_to_buffer(b->sg, b->n, (u8 *)buf + bytes, bytes);
	KUNIT_EXPECT_EQ(test, memcmp(buf, (u8 *)buf + bytes, bytes), 0);
	memset((u8 *)buf + bytes, 0, bytes);
	KUNIT_EXPECT_EQ(test,
			kv_rdma(kv->a.qp, IB_WR_RDMA_READ, &to, mr->iova,
				mr->rkey, 0),
			0);
	KUNIT_EXPECT_EQ(test, memcmp(buf, (u8 *)buf + bytes, bytes), 0);
	kvfree(buf);
}

static void pages_to_the_limit(struct kunit *test)
{
	struct kv *kv = test->priv;
	u32 max = kv->dev->attrs.max_fast_reg_page_list_len;
	struct blocks *b = make_blocks(test, max + 1, 0);
	struct ib_mr *mr = ib_alloc_mr(kv->pd, IB_MR_TYPE_MEM_REG, max + 1);

	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(mr), -EINVAL);
	mr = ib_alloc_mr(kv->pd, IB_MR_TYPE_MEM_REG, max);
	KUNIT_ASSERT_FALSE(test, IS_ERR(mr));
	KUNIT_ASSERT_EQ(test, b->n, max + 1);
	ib_dma_map_sg(kv->dev, b->sg, b->n, DMA_BIDIRECTIONAL);
	/* What does not fit is left out */
	KUNIT_EXPECT_EQ(test, ib_map_mr_sg(mr, b->sg, b->n, NULL, PAGE_SIZE),
			(int)max);
	KUNIT_EXPECT_EQ(test, (u32)mr->length, max * (u32)PAGE_SIZE - 100);
	KUNIT_ASSERT_EQ(test, kv_reg_mr(kv->b.qp, mr), 0);
	check_traffic(test, b, mr);
	KUNIT_EXPECT_EQ(test, kv_invalidate(kv->b.qp, mr->rkey), 0);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
	end_blocks(b);
}

/* The region may be named by other addresses, of the same place in a block */
static void check_blocks(struct kunit *test, u32 order, u64 base)
{
	struct kv *kv = test->priv;
	u32 size = PAGE_SIZE << order;
	struct blocks *b = make_blocks(test, 5, order);
	struct ib_mr *mr = ib_alloc_mr(kv->pd, IB_MR_TYPE_MEM_REG, 5);

	KUNIT_ASSERT_FALSE(test, IS_ERR(mr));
	KUNIT_ASSERT_EQ(test, b->n, 5U);
	ib_dma_map_sg(kv->dev, b->sg, b->n, DMA_BIDIRECTIONAL);
	KUNIT_EXPECT_EQ(test, ib_map_mr_sg(mr, b->sg, b->n, NULL, size), 5);
	KUNIT_EXPECT_EQ(test, (u32)mr->length, 5 * size - 200);
	KUNIT_EXPECT_EQ(test, (u32)mr->iova & (size - 1), 100U);
	if (base)
		mr->iova = base + 100;
	KUNIT_ASSERT_EQ(test, kv_reg_mr(kv->b.qp, mr), 0);
	check_traffic(test, b, mr);
	KUNIT_EXPECT_EQ(test, kv_invalidate(kv->b.qp, mr->rkey), 0);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
	end_blocks(b);
}

static void blocks_of_other_sizes(struct kunit *test)
{
	u32 order;

	for (order = 0; order <= 4; order++) {
		check_blocks(test, order, 0);
		check_blocks(test, order, 0x1234560000000000);
		check_blocks(test, order, 0UL - SZ_1M);
	}
}

/* Nobody brings pages in for a kernel user's QP, though RDS for one may ask for that */
static void on_demand_is_refused(struct kunit *test)
{
	struct kv *kv = test->priv;
	struct ib_sge sge = { .lkey = kv->mr->lkey };
	struct ib_mr *mr;

	mr = ib_reg_user_mr(kv->pd, PAGE_SIZE, PAGE_SIZE, PAGE_SIZE,
			    IB_ACCESS_LOCAL_WRITE | IB_ACCESS_ON_DEMAND);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(mr), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test,
			ib_advise_mr(kv->pd,
				     IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH,
				     IB_UVERBS_ADVISE_MR_FLAG_FLUSH, &sge, 1),
			-EOPNOTSUPP);
}

static struct kunit_case memory_cases[] = { KUNIT_CASE(pages_to_the_limit),
					    KUNIT_CASE(blocks_of_other_sizes),
					    KUNIT_CASE(on_demand_is_refused),
					    {} };

static struct kunit_suite memory_suite = {
	.name = "rxe_kverbs_memory",
	.init = kv_init,
	.exit = kv_exit,
	.test_cases = memory_cases,
};

kunit_test_suite(memory_suite);
