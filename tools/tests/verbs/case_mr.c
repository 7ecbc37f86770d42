// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Regions: changed after they were made (IBTA 11.2.9.5), at addresses of their own, of
 * huge pages; and rights that do not go together.  Both ends are in this process.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <rdma/ib_user_verbs.h>

#include "pair.h"

#define LEN 16384
/* What is worked on is a region of b of its own. */
#define MR_X 1
#define MW_X 1

struct bench {
	struct pair p;
	struct ibv_mr *mr; /* the region behind x */
	struct ep_mr x;
};

static void start_with(struct bench *b, struct env *e, int access)
{
	pair_open(&b->p, e, &pair_defaults);
	b->x = ep_mr(e->b, MR_X, LEN, access, 0);
	b->mr = agent_mr(e->b->agent, MR_X);
	ep_fill(e->a, &b->p.ma, 0, LEN, 1);
	ep_fill(e->b, &b->x, 0, LEN, KEY_POISON);
}

/* The library has no call for this device: the command itself. Updates @b on success. */
static int rereg(struct bench *b, int flags, const struct ep_mr *range, struct ibv_pd *pd,
		 int access)
{
	struct ib_uverbs_rereg_mr_resp resp = {};
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_rereg_mr cmd;
	} req = {
		.hdr = { .command = IB_USER_VERBS_CMD_REREG_MR,
			 .in_words = sizeof(req) / 4,
			 .out_words = sizeof(resp) / 4 },
		.cmd = { .response = (uintptr_t)&resp,
			 .mr_handle = b->mr->handle,
			 .flags = flags,
			 .access_flags = access },
	};

	if (range) {
		req.cmd.start = range->addr;
		req.cmd.hca_va = range->addr;
		req.cmd.length = range->len;
	}
	if (pd)
		req.cmd.pd_handle = pd->handle;
	if (write(b->mr->context->cmd_fd, &req, sizeof(req)) != sizeof(req))
		return errno;
	b->mr->lkey = resp.lkey; /* the library reads it for a bind */
	b->x.lkey = resp.lkey;
	b->x.rkey = resp.rkey;
	if (range) {
		b->x.addr = range->addr;
		b->x.len = range->len;
	}
	return 0;
}

/* An RDMA operation of 100 bytes on memory of b gives @want; the pair works on. */
static void use(struct bench *b, enum ibv_wr_opcode op, uint64_t addr, uint32_t rkey,
		enum ibv_wc_status want)
{
	struct pair *p = &b->p;
	struct ep_wr wr = wr_op(5, op, &p->ma, op == IBV_WR_RDMA_READ ? 65536 : 0, 100, NULL, 0);

	wr.raddr = addr;
	wr.rkey = rkey;
	ep_send(p->a, QP_0, &wr, 1);
	expect_wc(p->a, CQ_SEND, 5, want);
	if (want == IBV_WC_SUCCESS)
		return;
	set_state(p->a, QP_0, IBV_QPS_RESET);
	set_state(p->b, QP_0, IBV_QPS_RESET);
	pair_connect(p);
}

static void works(struct bench *b, enum ibv_wr_opcode op, uint32_t off)
{
	use(b, op, b->x.addr + off, b->x.rkey, IBV_WC_SUCCESS);
}

static void refused(struct bench *b, enum ibv_wr_opcode op, uint32_t off)
{
	use(b, op, b->x.addr + off, b->x.rkey, IBV_WC_REM_ACCESS_ERR);
}

#define WRITE IBV_WR_RDMA_WRITE
#define READ IBV_WR_RDMA_READ
#define REREG(...) CHECK(!rereg(__VA_ARGS__), "re-registering: %s", strerror(errno))

static void rereg_access(struct env *e, const void *arg)
{
	struct bench b;

	(void)arg;
	start_with(&b, e, MR_ALL);
	works(&b, WRITE, 0);
	rvt_step("less: reading alone");
	REREG(&b, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, IBV_ACCESS_REMOTE_READ);
	refused(&b, WRITE, 200);
	works(&b, READ, 0);
	ep_verify(e->b, &b.x, 0, 100, 1, "what was written before");
	ep_verify_at(e->b, &b.x, 100, LEN - 100, KEY_POISON, 100, "what was not");
	rvt_step("more again");
	REREG(&b, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, MR_ALL);
	works(&b, WRITE, 200);
	ep_verify(e->b, &b.x, 200, 100, 1, "what was written then");
}

/* Memory that was pinned for reading is pinned anew to be written. */
static void rereg_writable(struct env *e, const void *arg)
{
	struct ep_mr old;
	struct bench b;

	(void)arg;
	start_with(&b, e, IBV_ACCESS_REMOTE_READ);
	old = b.x;
	refused(&b, WRITE, 0);
	works(&b, READ, 0);
	REREG(&b, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, MR_ALL);
	works(&b, WRITE, 0);
	ep_verify(e->b, &b.x, 0, 100, 1, "what was written");
	if (old.rkey != b.x.rkey)
		use(&b, READ, old.addr, old.rkey, IBV_WC_REM_ACCESS_ERR);
}

static void rereg_pd(struct env *e, const void *arg)
{
	struct bench b;

	(void)arg;
	start_with(&b, e, MR_ALL);
	works(&b, WRITE, 0);
	REREG(&b, IBV_REREG_MR_CHANGE_PD, NULL, agent_pd(e->b->agent, 1), 0);
	refused(&b, WRITE, 200);
	refused(&b, READ, 0);
	ep_verify_at(e->b, &b.x, 100, LEN - 100, KEY_POISON, 100, "memory of another PD");
	REREG(&b, IBV_REREG_MR_CHANGE_PD, NULL, agent_pd(e->b->agent, 0), 0);
	works(&b, WRITE, 200);
	ep_verify(e->b, &b.x, 200, 100, 1, "what was written");
}

/* Other memory: of another length, and a part of the old. */
static void rereg_range(struct env *e, const void *arg)
{
	struct ep_mr old, other, part;
	struct bench b;

	(void)arg;
	start_with(&b, e, MR_ALL);
	old = b.x;
	other = ep_mr(e->b, MR_X + 1, 3 * LEN, MR_ALL, 0);
	ep_fill(e->b, &other, 0, 3 * LEN, KEY_POISON);
	REREG(&b, IBV_REREG_MR_CHANGE_TRANSLATION, &other, NULL, 0);
	works(&b, WRITE, 3 * LEN - 100);
	ep_verify(e->b, &other, 3 * LEN - 100, 100, 1, "the other memory");
	refused(&b, WRITE, 3 * LEN - 99);
	rvt_step("the old memory and key");
	use(&b, WRITE, old.addr, b.x.rkey, IBV_WC_REM_ACCESS_ERR);
	use(&b, WRITE, old.addr, old.rkey, IBV_WC_REM_ACCESS_ERR);
	ep_verify(e->b, &old, 0, LEN, KEY_POISON, "the old memory");
	rvt_step("a part, read-only");
	part = other;
	part.addr += 1001;
	part.len = 500;
	REREG(&b, IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_ACCESS, &part, NULL,
	      IBV_ACCESS_REMOTE_READ);
	works(&b, READ, 400);
	refused(&b, READ, 401);
	refused(&b, READ, -1);
	refused(&b, WRITE, 0);
	rvt_step("all of it at once");
	REREG(&b,
	      IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_ACCESS | IBV_REREG_MR_CHANGE_PD,
	      &old, agent_pd(e->b->agent, 1), MR_ALL);
	refused(&b, WRITE, 0);
	REREG(&b, IBV_REREG_MR_CHANGE_PD, NULL, agent_pd(e->b->agent, 0), 0);
	works(&b, WRITE, 0);
	ep_verify(e->b, &old, 0, 100, 1, "the old memory in the end");
	ep_dereg_mr(e->b, MR_X);
	use(&b, READ, b.x.addr, b.x.rkey, IBV_WC_REM_ACCESS_ERR);
}

/* While a window is bound the region stays as it is (IBTA 11.2.9.5). */
static void rereg_bound(struct env *e, const void *arg)
{
	static const int changes[] = { IBV_REREG_MR_CHANGE_ACCESS, IBV_REREG_MR_CHANGE_PD,
				       IBV_REREG_MR_CHANGE_TRANSLATION };
	struct ibv_pd *pd = agent_pd(e->b->agent, 0);
	struct bench b;
	uint32_t key;

	(void)arg;
	start_with(&b, e, MR_ALL | IBV_ACCESS_MW_BIND);
	key = ep_bind(e->b, MW_X, QP_0, &b.x, 0, 200, IBV_ACCESS_REMOTE_WRITE);
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		int err = rereg(&b, changes[i], &b.x, pd, IBV_ACCESS_REMOTE_READ);

		CHECK(err == EBUSY, "change %#x: %s", changes[i], strerror(err));
	}
	use(&b, WRITE, b.x.addr, key, IBV_WC_SUCCESS);
	works(&b, WRITE, 200);
	ep_dealloc_mw(e->b, MW_X);
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		REREG(&b, changes[i], &b.x, pd, IBV_ACCESS_REMOTE_READ);
	refused(&b, WRITE, 0);
}

/* One who binds a window of type 2 after a while, and what came of it */
struct binder {
	struct agent *ag;
	struct ibv_mw *mw;
	struct ibv_mr mr; /* with the key that the region has at first */
	uint64_t addr;
	unsigned int after_us;
	enum ibv_wc_status status;
};

static void *bind_once(void *arg)
{
	struct binder *t = arg;
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_mw = { .mw = t->mw,
			     .rkey = ibv_inc_rkey(t->mw->rkey),
			     .bind_info = { .mr = &t->mr,
					    .addr = t->addr,
					    .length = 64,
					    .mw_access_flags = IBV_ACCESS_REMOTE_READ } },
	}, *bad;
	struct ibv_wc wc;

	usleep(t->after_us);
	CHECK(!ibv_post_send(agent_qp(t->ag, QP_0), &wr, &bad), "post bind");
	while (!ibv_poll_cq(agent_cq(t->ag, CQ_SEND), 1, &wc))
		sched_yield();
	t->status = wc.status;
	return NULL;
}

/* A window is bound to a region, or the region gets other memory, whoever comes first:
 * never both.
 */
static void rereg_races_bind(struct env *e, const void *arg)
{
	enum { ROUNDS = 40, BIG = 16 << 20 };
	struct ep_mr memory[2];
	struct binder t = { .ag = e->b->agent };
	unsigned int cost_us;
	pthread_t thread;
	struct bench b;
	uint64_t begin;

	(void)arg;
	start_with(&b, e, MR_ALL | IBV_ACCESS_MW_BIND);
	memory[0] = ep_mr(e->b, MR_X + 1, BIG, 0, 0);
	memory[1] = ep_mr(e->b, MR_X + 2, BIG, 0, 0);
	begin = rvt_now_ms();
	REREG(&b, IBV_REREG_MR_CHANGE_TRANSLATION, &memory[1], NULL, 0);
	cost_us = 1000 * (rvt_now_ms() - begin);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		int err;

		t.after_us = cost_us * (i % 10) / 10;
		t.mr = *b.mr;
		t.addr = b.x.addr;
		t.mw = ibv_alloc_mw(agent_pd(t.ag, 0), IBV_MW_TYPE_2);
		CHECK(t.mw, "ibv_alloc_mw: %s", strerror(errno));
		CHECK(!pthread_create(&thread, NULL, bind_once, &t), "pthread_create");
		err = rereg(&b, IBV_REREG_MR_CHANGE_TRANSLATION, &memory[i % 2], NULL, 0);
		pthread_join(thread, NULL);
		CHECK(!err || err == EBUSY, "re-registering: %s", strerror(err));
		CHECK(!t.status == (err == EBUSY), "bound: \"%s\"; re-registered: %s",
		      ibv_wc_status_str(t.status), strerror(err));
		CHECK(!ibv_dealloc_mw(t.mw), "ibv_dealloc_mw");
		if (!t.status)
			continue;
		CHECK(t.status == IBV_WC_MW_BIND_ERR, "\"%s\"", ibv_wc_status_str(t.status));
		set_state(e->a, QP_0, IBV_QPS_RESET);
		set_state(e->b, QP_0, IBV_QPS_RESET);
		pair_connect(&b.p);
	}
	ep_dereg_mr(e->b, MR_X);
}

/* A change that cannot be made leaves the region as it was. */
static void rereg_bad(struct env *e, const void *arg)
{
	struct ep_mr wrong;
	struct bench b;
	int err;

	(void)arg;
	start_with(&b, e, MR_ALL);
	err = rereg(&b, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, IBV_ACCESS_REMOTE_WRITE);
	CHECK(err == EINVAL, "writing from afar alone: %s", strerror(err));
	err = rereg(&b, 0, NULL, NULL, 0);
	CHECK(err == EINVAL, "no change: %s", strerror(err));
	err = rereg(&b, 1 << 3, NULL, NULL, 0);
	CHECK(err == EOPNOTSUPP, "an unknown change: %s", strerror(err));
	wrong = b.x;
	wrong.addr = 1ULL << 40;
	err = rereg(&b, IBV_REREG_MR_CHANGE_TRANSLATION, &wrong, NULL, 0);
	CHECK(err == EFAULT || err == ENOMEM, "memory that is not there: %s", strerror(err));
	wrong.addr = -(uint64_t)4096;
	err = rereg(&b, IBV_REREG_MR_CHANGE_TRANSLATION, &wrong, NULL, 0);
	CHECK(err == EINVAL || err == EFAULT, "a range that wraps: %s", strerror(err));
	works(&b, WRITE, 0);
	works(&b, READ, 0);
	ep_verify(e->b, &b.x, 0, 100, 1, "what was written");
}

/* Registers @buf of b as @iova, and writes and reads in pieces of many lengths. */
static void use_all(struct bench *b, uint8_t *buf, size_t len, uint64_t iova)
{
	struct pair *p = &b->p;
	struct ibv_mr *mr = ibv_reg_mr_iova(agent_pd(p->b->agent, 0), buf, len, iova, MR_ALL);
	struct ep_wr wr;
	uint32_t off = 0, n = 1;

	CHECK(mr, "ibv_reg_mr_iova: %s", strerror(errno));
	rvt_fill(buf, 0, len, KEY_POISON);
	ep_fill(p->a, &p->ma, 0, p->ma.len, 2);
	for (; off < len; off += n, n = n * 3 + 1) {
		n = n > 65536 ? 65536 : n;
		n = n > len - off ? len - off : n;
		wr = wr_op(1, IBV_WR_RDMA_WRITE, &p->ma, 0, n, NULL, 0);
		wr.raddr = iova + off;
		wr.rkey = mr->rkey;
		ep_send(p->a, QP_0, &wr, 1);
		expect_send(p->a, CQ_SEND, 1, IBV_WR_RDMA_WRITE);
		CHECK(rvt_find(buf + off, 0, n, 2) == n, "%u bytes at %u were not written", n, off);
		CHECK(off + n == len || rvt_find(buf + off + n, off + n, 1, KEY_POISON) == 1,
		      "the byte behind %u at %u was", n, off);
		wr = wr_op(2, IBV_WR_RDMA_READ, &p->ma, 128 * 1024, n, NULL, 0);
		wr.raddr = iova + off;
		wr.rkey = mr->rkey;
		ep_send(p->a, QP_0, &wr, 1);
		expect_send(p->a, CQ_SEND, 2, IBV_WR_RDMA_READ);
		ep_verify(p->a, &p->ma, 128 * 1024, n, 2, "what was read back");
	}
	rvt_step("a byte beyond either end");
	use(b, READ, iova - 1, mr->rkey, IBV_WC_REM_ACCESS_ERR);
	use(b, READ, iova + len - 99, mr->rkey, IBV_WC_REM_ACCESS_ERR);
	if (iova != (uintptr_t)buf)
		use(b, READ, (uintptr_t)buf, mr->rkey, IBV_WC_REM_ACCESS_ERR);
	CHECK(!ibv_dereg_mr(mr), "ibv_dereg_mr: %s", strerror(errno));
}

/* Work requests and peers name addresses that are not the process's. */
static void iova(struct env *e, const void *arg)
{
	static const uint32_t at[] = { 0, 1, 4095, 777 };
	static const uint64_t base[] = { 0x100000, 0x7000000000000000, ~0ULL << 20 };
	struct ibv_pd *pd;
	struct bench b;
	uint8_t *buf;

	(void)arg;
	start_with(&b, e, MR_ALL);
	buf = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(buf != MAP_FAILED, "no memory");
	for (size_t i = 0; i < ARRAY_SIZE(at); i++)
		for (size_t k = 0; k < ARRAY_SIZE(base); k++) {
			rvt_step("offset %u, address %#llx", at[i], (unsigned long long)base[k]);
			use_all(&b, buf + at[i], 200000, base[k] + at[i]);
		}
	pd = agent_pd(e->b->agent, 0);
	rvt_step("an address past the end of all");
	CHECK(!ibv_reg_mr_iova(pd, buf, 8192, ~0ULL - 4095, MR_ALL), "it wraps");
	CHECK(errno == EINVAL, "errno %d", errno);
}

#define HUGE_PAGE (2u << 20)

static void set_huge_pages(unsigned int n)
{
	FILE *f = fopen("/proc/sys/vm/nr_hugepages", "w");

	CHECK(f && fprintf(f, "%u", n) > 0 && !fclose(f), "nr_hugepages: %s", strerror(errno));
}

/* Blocks larger than a page, begun and ended inside of one */
static void huge_pages(struct env *e, const void *arg)
{
	const size_t len = 3 * HUGE_PAGE;
	struct bench b;
	uint8_t *buf;

	(void)arg;
	start_with(&b, e, MR_ALL);
	set_huge_pages(3);
	buf = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1,
		   0);
	set_huge_pages(0); /* what is mapped stays until it is not */
	CHECK(buf != MAP_FAILED, "no huge pages: %s", strerror(errno));
	rvt_step("all of them");
	use_all(&b, buf, len, (uintptr_t)buf);
	rvt_step("parts of them");
	use_all(&b, buf + HUGE_PAGE - 70001, HUGE_PAGE + 140002,
		(uintptr_t)buf + HUGE_PAGE - 70001);
	rvt_step("at another address");
	use_all(&b, buf + 4096, 2 * HUGE_PAGE, 0x700000001000);
}

/* Writing from afar needs local write (IBTA 10.6.3.1); bits nobody knows are refused. */
static void access_flags(struct env *e, const void *arg)
{
	static const int bad[] = {
		IBV_ACCESS_REMOTE_WRITE,
		IBV_ACCESS_REMOTE_ATOMIC,
		IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
		IBV_ACCESS_LOCAL_WRITE | 1 << 19,
		IBV_ACCESS_LOCAL_WRITE | 1 << 16,
		IBV_ACCESS_LOCAL_WRITE | 1 << 30,
	};
	static const int good[] = { 0, IBV_ACCESS_REMOTE_READ, IBV_ACCESS_LOCAL_WRITE,
				    MR_ALL | IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND,
				    MR_ALL | IBV_ACCESS_RELAXED_ORDERING };

	(void)arg;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		int err = ep_try_mr(e->a, MR_0, LEN, bad[i], 0, false);

		CHECK(err == EINVAL, "rights %#x: %d", bad[i], err);
	}
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		int err = ep_try_mr(e->a, MR_0, LEN, good[i], 0, false);

		CHECK(!err, "rights %#x: %s", good[i], strerror(err));
		ep_dereg_mr(e->a, MR_0);
	}
}

static const struct rvt_case cases[] = {
	{ .name = "mr.rereg_access", .run = rereg_access, .local = true },
	{ .name = "mr.rereg_writable", .run = rereg_writable, .local = true },
	{ .name = "mr.rereg_pd", .run = rereg_pd, .local = true },
	{ .name = "mr.rereg_range", .run = rereg_range, .local = true },
	{ .name = "mr.rereg_bound", .run = rereg_bound, .local = true },
	{ .name = "mr.rereg_races_bind", .run = rereg_races_bind, .local = true },
	{ .name = "mr.rereg_bad", .run = rereg_bad, .local = true },
	{ .name = "mr.iova", .run = iova, .local = true },
	{ .name = "mr.huge_pages", .run = huge_pages, .local = true },
	{ .name = "mr.access_flags", .run = access_flags },
};

const struct rvt_case_list rvt_mr_cases = { cases, ARRAY_SIZE(cases) };
