// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* ibv_advise_mr(): regions brought in before they are used */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "dgram.h"
#include "odp.h"

/* ibv_advise_mr(), which this libibverbs has for other devices only.  Its errno. */
static int advise(struct ibv_pd *pd, struct ibv_mr *mr, uint32_t off, uint32_t len, int advice,
		  uint32_t flags)
{
	struct ibv_sge sge = { .addr = (uintptr_t)mr->addr + off, .length = len, .lkey = mr->lkey };
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attr[4];
	} cmd = {
		.hdr = {
			.length = sizeof(cmd),
			.object_id = UVERBS_OBJECT_MR,
			.method_id = UVERBS_METHOD_ADVISE_MR,
			.num_attrs = ARRAY_SIZE(cmd.attr),
			.driver_id = RDMA_DRIVER_RXE,
		},
		.attr = {
			{ .attr_id = UVERBS_ATTR_ADVISE_MR_PD_HANDLE, .data = pd->handle },
			{ .attr_id = UVERBS_ATTR_ADVISE_MR_ADVICE, .len = 8, .data = advice },
			{ .attr_id = UVERBS_ATTR_ADVISE_MR_FLAGS, .len = 8, .data = flags },
			{ .attr_id = UVERBS_ATTR_ADVISE_MR_SGE_LIST, .len = sizeof(sge),
			  .data = (uintptr_t)&sge },
		},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cmd.attr); i++)
		cmd.attr[i].flags = UVERBS_ATTR_F_MANDATORY;
	return ioctl(pd->context->cmd_fd, RDMA_VERBS_IOCTL, &cmd) ? errno : 0;
}

#define READ_IT IBV_ADVISE_MR_ADVICE_PREFETCH
#define WRITE_IT IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE
#define NO_FAULT IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT
#define NOW IBV_ADVISE_MR_FLAG_FLUSH

static struct ibv_mr *map_mr(struct dg *dg, int access)
{
	void *buf =
		mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *mr = ibv_reg_mr(dg->pd, buf, 64 * PAGE, access);

	CHECK(mr, "ibv_reg_mr: %s", strerror(errno));
	return mr;
}

static void prefetch(struct env *e, const void *arg)
{
	struct ibv_mr *mr;
	struct dg dg;

	(void)arg;
	dg_open(&dg, e->cfg);
	mr = map_mr(&dg, ODP_ALL);
	CHECK(!advise(dg.pd, mr, 0, 64 * PAGE, NO_FAULT, NOW), "without faults");
	CHECK(!odp_resident(mr->addr, 64 * PAGE), "pages came though none should");
	CHECK(!advise(dg.pd, mr, 100, 20 * PAGE, WRITE_IT, NOW), "for writing");
	CHECK(odp_resident(mr->addr, 64 * PAGE) == 21, "%u pages came",
	      odp_resident(mr->addr, 64 * PAGE));
	CHECK(!advise(dg.pd, mr, 32 * PAGE, 32 * PAGE, READ_IT, NOW), "for reading");
	CHECK(!advise(dg.pd, mr, 0, 64 * PAGE, NO_FAULT, NOW), "what is there");
	CHECK(!advise(dg.pd, mr, 0, 64 * PAGE, WRITE_IT, 0), "later");
	for (uint64_t end = rvt_now_ms() + WAIT_MS; odp_resident(mr->addr, 64 * PAGE) < 64;)
		CHECK(rvt_now_ms() < end, "later is never");
	/* A region may go while it is prefetched */
	CHECK(!madvise(mr->addr, 64 * PAGE, MADV_DONTNEED), "madvise");
	CHECK(!advise(dg.pd, mr, 0, 64 * PAGE, WRITE_IT, 0), "later");
	CHECK(!ibv_dereg_mr(mr), "ibv_dereg_mr");
}

static void prefetch_refused(struct env *e, const void *arg)
{
	struct ibv_mr *mr, *pinned, *reader;
	struct ibv_pd *other;
	struct dg dg;
	int err;

	(void)arg;
	dg_open(&dg, e->cfg);
	mr = map_mr(&dg, ODP_ALL);
	pinned = map_mr(&dg, MR_ALL);
	reader = map_mr(&dg, IBV_ACCESS_ON_DEMAND | IBV_ACCESS_REMOTE_READ);
	other = ibv_alloc_pd(dg.ctx);
#define REFUSED(want, ...)                                                              \
	do {                                                                            \
		err = advise(__VA_ARGS__);                                              \
		CHECK(err == (want), "line %d: %d, must be %d", __LINE__, err, (want)); \
	} while (0)
	REFUSED(EINVAL, dg.pd, pinned, 0, PAGE, READ_IT, NOW);
	REFUSED(EINVAL, dg.pd, pinned, 0, PAGE, NO_FAULT, 0);
	REFUSED(EINVAL, other, mr, 0, PAGE, READ_IT, NOW);
	REFUSED(EINVAL, dg.pd, mr, 63 * PAGE, PAGE + 1, READ_IT, NOW);
	REFUSED(EINVAL, dg.pd, mr, -1, 2, READ_IT, 0);
	REFUSED(EPERM, dg.pd, reader, 0, PAGE, WRITE_IT, NOW);
	REFUSED(0, dg.pd, reader, 0, PAGE, READ_IT, NOW);
	REFUSED(EOPNOTSUPP, dg.pd, mr, 0, PAGE, 77, NOW);
	CHECK(!munmap((uint8_t *)mr->addr + 40 * PAGE, PAGE), "munmap");
	REFUSED(EFAULT, dg.pd, mr, 39 * PAGE, 3 * PAGE, READ_IT, NOW);
	REFUSED(0, dg.pd, mr, 0, 40 * PAGE, READ_IT, NOW);
	mr->lkey ^= 0x100000;
	REFUSED(EINVAL, dg.pd, mr, 0, PAGE, READ_IT, NOW);
}

static const struct rvt_case cases[] = {
	{ .name = "odp.prefetch.works", .run = prefetch, .local = true },
	{ .name = "odp.prefetch.refused", .run = prefetch_refused, .local = true },
};

const struct rvt_case_list rvt_prefetch_cases = { cases, ARRAY_SIZE(cases) };
