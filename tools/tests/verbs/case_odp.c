// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * On-demand paging: regions are not pinned, their memory is the one that the process has
 * at the time.  Both ends are in this process, which takes their memory away, gives other
 * memory and takes rights.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dgram.h"
#include "odp.h"

#define SRC (2 * PAGE + 100)
#define DST (16 * PAGE + 200)

/* The process has these pages no more; what it finds there next is zero. */
static void vanish(const struct ep_mr *mr)
{
	CHECK(!madvise(odp_at(mr, 0), mr->len, MADV_DONTNEED), "madvise: %s", strerror(errno));
}

/* Memory is the one of now, whatever was there at registration or the time before. */
static void data(struct env *e, const void *arg)
{
	const enum ibv_wr_opcode *op = arg;
	struct ep_wr wr;
	struct pair p;

	odp_open(&p, e);
	CHECK(!odp_resident(odp_at(&p.ma, 0), p.ma.len), "registration brought pages in");
	for (unsigned int i = 0; i < 6; i++) {
		transfer(p.a, p.b, &p.ma, &p.mb, *op, 9 * PAGE + i, SRC, DST, 10 + i);
		transfer(p.b, p.a, &p.mb, &p.ma, *op, 3000, SRC, DST, 20 + i);
		vanish(&p.ma);
		transfer(p.a, p.b, &p.ma, &p.mb, *op, 1, SRC, DST, 30 + i);
		vanish(&p.mb);
		/* Not one page of the target is there now */
		wr = wr_op(40, IBV_WR_RDMA_WRITE, &p.ma, 0, 12 * PAGE, &p.mb, 5);
		ep_fill(p.a, &p.ma, 0, 12 * PAGE, 50 + i);
		ep_send(p.a, QP_0, &wr, 1);
		expect_send(p.a, CQ_SEND, 40, IBV_WR_RDMA_WRITE);
		ep_verify(p.b, &p.mb, 5, 12 * PAGE, 50 + i, "what was written");
		/* And back: not one of the source's readers */
		vanish(&p.ma);
		wr = wr_op(41, IBV_WR_RDMA_READ, &p.ma, 7, 12 * PAGE, &p.mb, 5);
		ep_send(p.a, QP_0, &wr, 1);
		expect_send(p.a, CQ_SEND, 41, IBV_WR_RDMA_READ);
		ep_verify(p.a, &p.ma, 7, 12 * PAGE, 50 + i, "what was read");
	}
}

static void unreliable(struct env *e, const void *arg)
{
	struct pair_opts o = odp_opts();
	struct pair p;

	(void)arg;
	o.conn.uc = true;
	pair_open(&p, e, &o);
	for (unsigned int i = 0; i < 6; i++) {
		vanish(&p.ma);
		vanish(&p.mb);
		transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_SEND, 9 * PAGE, SRC, DST, 10 + i);
		transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_RDMA_WRITE_WITH_IMM, 9 * PAGE, SRC, DST,
			 20 + i);
	}
}

#define DG_BYTES ((DG_SLOTS + 2) * DG_SLOT)

/* Other memory, not pinned, in which what a datagram brings lies in two pages. */
static uint8_t *move(struct dg_qp *q)
{
	uint8_t *map =
		mmap(NULL, DG_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(map != MAP_FAILED && !ibv_dereg_mr(q->mr), "other memory");
	q->buf = map + PAGE - DG_GRH / 2;
	q->mr = ibv_reg_mr(q->dg->pd, q->buf, (DG_SLOTS + 1) * DG_SLOT,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND);
	CHECK(q->mr, "ibv_reg_mr: %s", strerror(errno));
	return map;
}

static void datagrams(struct env *e, const void *arg)
{
	struct dg_qp a, b;
	uint8_t *map_a, *map_b;
	struct ibv_ah *ah;
	struct ibv_wc wc;
	struct dg dg;

	(void)arg;
	dg_open(&dg, e->cfg);
	dg_qp(&dg, &a, DG_QKEY);
	dg_qp(&dg, &b, DG_QKEY);
	map_a = move(&a);
	map_b = move(&b);
	ah = dg_ah(&dg, &dg.gid);
	CHECK(ah, "ibv_create_ah");
	for (unsigned int i = 0; i < 6; i++) {
		rvt_fill(a.buf + DG_SLOTS * DG_SLOT, 0, 1000, i);
		dg_recv(&b, 0, 2000);
		CHECK(!madvise(map_b, DG_BYTES, MADV_DONTNEED), "madvise");
		dg_send(&a, ah, b.qp->qp_num, DG_QKEY, 1000);
		wc = dg_wait(a.scq);
		CHECK(wc.status == IBV_WC_SUCCESS, "send: %s", ibv_wc_status_str(wc.status));
		wc = dg_wait(b.rcq);
		CHECK(wc.status == IBV_WC_SUCCESS, "receive: %s", ibv_wc_status_str(wc.status));
		CHECK(wc.byte_len == 1000 + DG_GRH, "byte_len %u", wc.byte_len);
		CHECK(rvt_find(b.buf + DG_GRH, 0, 1000, i) == 1000, "payload differs");
		CHECK(!madvise(map_a, DG_BYTES, MADV_DONTNEED), "madvise");
	}
}

static void atomics(struct env *e, const void *arg)
{
	struct ep_wr wr;
	struct pair p;

	(void)arg;
	odp_open(&p, e);
	for (unsigned int i = 0; i < 20; i++) {
		uint64_t value = i * 1000;

		vanish(&p.mb);
		if (i % 2)
			ep_set_u64(p.b, &p.mb, PAGE, value);
		else
			value = 0;
		vanish(&p.ma);
		wr = wr_op(1, IBV_WR_ATOMIC_FETCH_AND_ADD, &p.ma, 8, 8, &p.mb, PAGE);
		wr.compare_add = 7;
		ep_send(p.a, QP_0, &wr, 1);
		expect_send(p.a, CQ_SEND, 1, IBV_WR_ATOMIC_FETCH_AND_ADD);
		CHECK(ep_u64(p.a, &p.ma, 8) == value, "wrong value before");
		CHECK(ep_u64(p.b, &p.mb, PAGE) == value + 7, "added once, and once only");
		wr = wr_op(2, IBV_WR_ATOMIC_CMP_AND_SWP, &p.ma, 16, 8, &p.mb, PAGE);
		wr.compare_add = value + 7;
		wr.swap = 99;
		ep_send(p.a, QP_0, &wr, 1);
		expect_send(p.a, CQ_SEND, 2, IBV_WR_ATOMIC_CMP_AND_SWP);
		CHECK(ep_u64(p.a, &p.ma, 16) == value + 7, "wrong value before the swap");
		CHECK(ep_u64(p.b, &p.mb, PAGE) == 99, "not swapped");
	}
}

/**
 * struct churn - a thread that takes pages away while data moves, and no data with them
 * @p: the regions
 * @fork: by forking, else by mapping the same file anew
 * @fd: the file
 * @stop: enough
 * @turns: how often
 */
struct churn {
	struct pair *p;
	bool fork;
	int fd;
	bool stop;
	unsigned int turns;
};

static void map_again(struct churn *c, const struct ep_mr *mr, off_t off)
{
	CHECK(mmap(odp_at(mr, 0), mr->len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, c->fd,
		   off) != MAP_FAILED,
	      "mmap: %s", strerror(errno));
}

static void churn_once(struct churn *c)
{
	pid_t child;

	if (!c->fork) {
		map_again(c, &c->p->ma, 0);
		map_again(c, &c->p->mb, c->p->ma.len);
		return;
	}
	child = fork();
	if (!child)
		_exit(0);
	CHECK(child > 0 && waitpid(child, NULL, 0) == child, "fork");
}

static void *churn_run(void *arg)
{
	struct churn *c = arg;

	for (; !__atomic_load_n(&c->stop, __ATOMIC_ACQUIRE); c->turns++) {
		churn_once(c);
		usleep(1000);
	}
	return NULL;
}

static void churn(struct env *e, const void *arg)
{
	static const enum ibv_wr_opcode ops[] = { IBV_WR_SEND, IBV_WR_RDMA_WRITE,
						  IBV_WR_RDMA_READ };
	struct pair p;
	struct churn c = { .p = &p, .fork = arg };
	pthread_t thread;

	odp_open(&p, e);
	if (!c.fork) {
		c.fd = memfd_create("odp", 0);
		CHECK(c.fd >= 0 && !ftruncate(c.fd, p.ma.len + p.mb.len), "memfd");
		churn_once(&c);
	}
	CHECK(!pthread_create(&thread, NULL, churn_run, &c), "pthread_create");
	for (unsigned int i = 0; i < 60; i++) {
		transfer(p.a, p.b, &p.ma, &p.mb, ops[i % 3], 20 * PAGE + i, SRC, DST + 4 * PAGE,
			 100 + i);
		transfer(p.b, p.a, &p.mb, &p.ma, ops[i % 3], 600, SRC, DST, 200 + i);
	}
	__atomic_store_n(&c.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	CHECK(c.turns > 3, "nothing was taken away");
}

static void *take_away(void *arg)
{
	struct churn *c = arg;

	for (; !__atomic_load_n(&c->stop, __ATOMIC_ACQUIRE); c->turns++)
		vanish(&c->p->mb);
	return NULL;
}

/* Memory goes as fast as it comes: what is written is lost, but it gets there. */
static void greedy(struct env *e, const void *arg)
{
	struct pair p;
	struct churn c = { .p = &p };
	pthread_t thread;
	struct ep_wr wr;

	(void)arg;
	odp_open(&p, e);
	CHECK(!pthread_create(&thread, NULL, take_away, &c), "pthread_create");
	for (unsigned int i = 0; i < 40; i++) {
		wr = wr_op(i, i % 2 ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE, &p.ma, 0, 20 * PAGE,
			   &p.mb, 10);
		ep_send(p.a, QP_0, &wr, 1);
		expect_send(p.a, CQ_SEND, i, wr.opcode);
	}
	__atomic_store_n(&c.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	CHECK(c.turns > 40, "nothing was taken away");
}

static void take(const struct odp_refusal *t, struct ep_mr *mr)
{
	void *addr = odp_at(mr, (4 + t->from) * PAGE);
	size_t len = (3 - t->from) * PAGE;

	if (t->prot < 0)
		CHECK(!munmap(addr, len), "munmap: %s", strerror(errno));
	else
		CHECK(!mprotect(addr, len, t->prot), "mprotect: %s", strerror(errno));
}

static void refused(struct env *e, const void *arg)
{
	const struct odp_refusal *t = arg;
	bool atomic = t->op == IBV_WR_ATOMIC_FETCH_AND_ADD;
	struct ep_wr wr, rwr;
	struct pair p;

	odp_open(&p, e);
	/* It was there, and used, before */
	transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_RDMA_WRITE, 3 * PAGE, 4 * PAGE, 4 * PAGE, 5);
	transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_RDMA_READ, 3 * PAGE, 4 * PAGE, 4 * PAGE, 6);
	ep_fill(p.b, &p.mb, 4 * PAGE, 3 * PAGE, 7);
	take(t, t->at_a ? &p.ma : &p.mb);
	rwr = wr_recv(9, &p.mb, 4 * PAGE, 3 * PAGE);
	ep_recv(p.b, QP_0, &rwr, 1);
	wr = wr_op(1, t->op, &p.ma, 4 * PAGE, atomic ? 8 : 3 * PAGE, &p.mb, 4 * PAGE);
	ep_send(p.a, QP_0, &wr, 1);
	expect_wc(p.a, CQ_SEND, 1, t->status);
	expect_state(p.a, QP_0, IBV_QPS_ERR);
	if (t->at_a)
		return;
	expect_wc(p.b, CQ_RECV, 9, t->recv);
	expect_state(p.b, QP_0, IBV_QPS_ERR);
	if (t->prot == PROT_READ)
		ep_verify_at(p.b, &p.mb, (4 + t->from) * PAGE, (3 - t->from) * PAGE, 7,
			     t->from * PAGE, "read-only memory");
}

/* Memory that may be read is read. */
static void read_only(struct env *e, const void *arg)
{
	struct ep_wr wr;
	struct pair p;

	(void)arg;
	odp_open(&p, e);
	ep_fill(p.b, &p.mb, 0, 8 * PAGE, 5);
	CHECK(!mprotect(odp_at(&p.mb, 0), p.mb.len, PROT_READ), "mprotect: %s", strerror(errno));
	wr = wr_op(1, IBV_WR_RDMA_READ, &p.ma, 0, 8 * PAGE, &p.mb, 0);
	ep_send(p.a, QP_0, &wr, 1);
	expect_send(p.a, CQ_SEND, 1, IBV_WR_RDMA_READ);
	ep_verify(p.a, &p.ma, 0, 8 * PAGE, 5, "what was read");
	/* The right comes back */
	CHECK(!mprotect(odp_at(&p.mb, 0), p.mb.len, PROT_READ | PROT_WRITE), "mprotect");
	transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_RDMA_WRITE, 8 * PAGE, SRC, DST, 6);
}

/* Work requests and peers know the region by other addresses than the process. */
static void iova(struct env *e, const void *arg)
{
	enum { LEN = 6 * PAGE };
	struct ep_mr mr, seen;
	struct ep_wr wr, rwr;
	struct pair p;

	(void)arg;
	odp_open(&p, e);
	mr = ep_mr_iova(p.b, MR_0 + 1, LEN, ODP_ALL, 0x770000000000ULL);
	seen = mr;
	seen.addr = 0x770000000000ULL;
	ep_fill(p.a, &p.ma, 0, LEN, 5);
	wr = wr_op(1, IBV_WR_RDMA_WRITE, &p.ma, 0, LEN, &seen, 0);
	ep_send(p.a, QP_0, &wr, 1);
	expect_send(p.a, CQ_SEND, 1, IBV_WR_RDMA_WRITE);
	ep_verify(p.b, &mr, 0, LEN, 5, "what was written");
	vanish(&p.ma);
	wr = wr_op(2, IBV_WR_SEND, &seen, 1, LEN - 1, NULL, 0);
	rwr = wr_recv(3, &p.ma, 1, LEN);
	ep_recv(p.a, QP_0, &rwr, 1);
	ep_send(p.b, QP_0, &wr, 1);
	expect_recv(p.a, CQ_RECV, 3, IBV_WR_SEND, LEN - 1, 0);
	expect_send(p.b, CQ_SEND, 2, IBV_WR_SEND);
	ep_verify_at(p.a, &p.ma, 1, LEN - 1, 5, 1, "what was sent");
	wr = wr_op(4, IBV_WR_RDMA_WRITE, &p.ma, 0, 1, &seen, LEN);
	ep_send(p.a, QP_0, &wr, 1);
	expect_wc(p.a, CQ_SEND, 4, IBV_WC_REM_ACCESS_ERR);
}

/* Regions go while they are in use, and QPs. */
static void torn(struct env *e, const void *arg)
{
	struct ep_wr wr[8];
	struct ibv_wc wc;
	struct pair p;
	bool in_order;

	(void)arg;
	odp_open(&p, e);
	for (unsigned int i = 0; i < ARRAY_SIZE(wr); i++)
		wr[i] = wr_op(i, i % 2 ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE, &p.ma, i * 8 * PAGE,
			      8 * PAGE, &p.mb, i * 8 * PAGE);
	ep_send(p.a, QP_0, wr, ARRAY_SIZE(wr));
	ep_dereg_mr(p.b, MR_0);
	for (unsigned int i = 0; i < ARRAY_SIZE(wr); i++) {
		wc = ep_wait(p.a, CQ_SEND);
		CHECK(wc.wr_id == i, "completion of %llu for %u", (unsigned long long)wc.wr_id, i);
		in_order = wc.status == IBV_WC_SUCCESS || wc.status == IBV_WC_REM_ACCESS_ERR ||
			   wc.status == IBV_WC_WR_FLUSH_ERR;
		CHECK(in_order, "the region went, and %u has \"%s\"", i,
		      ibv_wc_status_str(wc.status));
	}
	vanish(&p.ma);
	set_state(p.a, QP_0, IBV_QPS_RESET);
	set_state(p.b, QP_0, IBV_QPS_RESET);
	p.mb = ep_mr(p.b, MR_0, p.o.mr_len, ODP_ALL, 0);
	pair_connect(&p);
	for (unsigned int i = 0; i < ARRAY_SIZE(wr); i++) {
		wr[i].rkey = p.mb.rkey;
		wr[i].raddr = p.mb.addr + i * 8 * PAGE;
	}
	ep_send(p.a, QP_0, wr, ARRAY_SIZE(wr));
	ep_destroy_qp(p.a, QP_0);
	ep_destroy_qp(p.b, QP_0);
	ep_dereg_mr(p.b, MR_0);
}

/* What the device says, and does not do. */
static void offered(struct env *e, const void *arg)
{
	const uint32_t ud = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV | IBV_ODP_SUPPORT_SRQ_RECV;
	const uint32_t uc = ud | IBV_ODP_SUPPORT_WRITE;
	const uint32_t rc = uc | IBV_ODP_SUPPORT_READ | IBV_ODP_SUPPORT_ATOMIC;
	struct ibv_device_attr_ex ex;
	struct dg dg;
	void *buf;

	(void)arg;
	dg_open(&dg, e->cfg);
	CHECK(!ibv_query_device_ex(dg.ctx, NULL, &ex), "ibv_query_device_ex");
	CHECK(ex.odp_caps.general_caps == IBV_ODP_SUPPORT, "general capabilities are %#llx",
	      (unsigned long long)ex.odp_caps.general_caps);
	CHECK((ex.odp_caps.per_transport_caps.rc_odp_caps & rc) == rc, "capabilities of RC");
	CHECK(ex.odp_caps.per_transport_caps.uc_odp_caps == uc, "capabilities of UC");
	CHECK(ex.odp_caps.per_transport_caps.ud_odp_caps == ud, "capabilities of UD");
	CHECK(!ibv_reg_mr(dg.pd, NULL, SIZE_MAX, ODP_ALL) && errno == EOPNOTSUPP,
	      "implicit region: %s", strerror(errno));
	buf = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(!ibv_reg_mr(dg.pd, buf, PAGE, MR_ALL | IBV_ACCESS_HUGETLB) && errno == EOPNOTSUPP,
	      "huge pages, pinned: %s", strerror(errno));
	CHECK(!ibv_reg_mr(dg.pd, buf, 0, ODP_ALL) && errno == EINVAL, "empty region: %s",
	      strerror(errno));
	/* Nothing needs to be there */
	CHECK(!munmap(buf, PAGE) && ibv_reg_mr(dg.pd, buf, PAGE, ODP_ALL),
	      "region where nothing is: %s", strerror(errno));
}

#define DATA(label, code)                                              \
	{                                                              \
		.name = "odp.data." label, .run = data, .local = true, \
		.arg = &(const enum ibv_wr_opcode)                     \
		{                                                      \
			code                                           \
		}                                                      \
	}
#define NO_MEMORY(label, ...)                                        \
	{                                                            \
		.name = "odp." label, .run = refused, .local = true, \
		.arg = &(const struct odp_refusal)                   \
		{                                                    \
			__VA_ARGS__                                  \
		}                                                    \
	}

static const struct rvt_case cases[] = {
	{ .name = "odp.offered", .run = offered, .local = true },
	DATA("send", IBV_WR_SEND),
	DATA("write", IBV_WR_RDMA_WRITE),
	DATA("write_imm", IBV_WR_RDMA_WRITE_WITH_IMM),
	DATA("read", IBV_WR_RDMA_READ),
	{ .name = "odp.data.uc", .run = unreliable, .local = true },
	{ .name = "odp.data.ud", .run = datagrams, .local = true },
	{ .name = "odp.data.atomic", .run = atomics, .local = true },
	{ .name = "odp.churn.fork", .run = churn, .arg = "fork", .local = true },
	{ .name = "odp.churn.remap", .run = churn, .local = true },
	{ .name = "odp.churn.greedy", .run = greedy, .local = true },
	NO_MEMORY("gone.write", IBV_WR_RDMA_WRITE, false, NONE, 0, REM_ACCESS),
	NO_MEMORY("gone.write_end", IBV_WR_RDMA_WRITE, false, NONE, 2, REM_ACCESS),
	NO_MEMORY("gone.read", IBV_WR_RDMA_READ, false, NONE, 0, REM_ACCESS),
	NO_MEMORY("gone.read_end", IBV_WR_RDMA_READ, false, NONE, 2, REM_ACCESS),
	NO_MEMORY("gone.atomic", IBV_WR_ATOMIC_FETCH_AND_ADD, false, NONE, 0, REM_ACCESS),
	NO_MEMORY("gone.recv", IBV_WR_SEND, false, NONE, 1, IBV_WC_REM_OP_ERR, IBV_WC_LOC_PROT_ERR),
	NO_MEMORY("gone.send", IBV_WR_SEND, true, NONE, 1, IBV_WC_LOC_PROT_ERR, 0),
	NO_MEMORY("gone.read_to", IBV_WR_RDMA_READ, true, NONE, 1, IBV_WC_LOC_PROT_ERR, 0),
	NO_MEMORY("gone.atomic_to", IBV_WR_ATOMIC_FETCH_AND_ADD, true, NONE, 0, IBV_WC_LOC_PROT_ERR,
		  0),
	NO_MEMORY("read_only.write", IBV_WR_RDMA_WRITE, false, PROT_READ, 1, REM_ACCESS),
	NO_MEMORY("read_only.atomic", IBV_WR_ATOMIC_FETCH_AND_ADD, false, PROT_READ, 0, REM_ACCESS),
	NO_MEMORY("read_only.recv", IBV_WR_SEND, false, PROT_READ, 0, IBV_WC_REM_OP_ERR,
		  IBV_WC_LOC_PROT_ERR),
	NO_MEMORY("read_only.read_to", IBV_WR_RDMA_READ, true, PROT_READ, 0, IBV_WC_LOC_PROT_ERR,
		  0),
	NO_MEMORY("no_access.read", IBV_WR_RDMA_READ, false, PROT_NONE, 0, REM_ACCESS),
	{ .name = "odp.read_only.read", .run = read_only, .local = true },
	{ .name = "odp.iova", .run = iova, .local = true },
	{ .name = "odp.torn", .run = torn, .local = true },
};

const struct rvt_case_list rvt_odp_cases = { cases, ARRAY_SIZE(cases) };
