// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * On-demand paging of memory that is not like other: pages that take long to come, pages
 * that the kernel itself cannot reach.  The scenario odp has both.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/fs.h>
#include <unistd.h>

#include "odp.h"

/* A page that takes long: the file system lets nobody write for the time being. */
struct frozen {
	char path[200];
	int fs;
};

/* Region of the second end is in a file of the file system. */
static void map_file(struct frozen *f, struct pair *p)
{
	const char *dir = getenv("RVT_FREEZE");
	int fd;

	CHECK(dir, "$RVT_FREEZE must be the mount point of a file system");
	snprintf(f->path, sizeof(f->path), "%s/odp.%d", dir, getpid());
	fd = open(f->path, O_RDWR | O_CREAT, 0600);
	f->fs = open(dir, O_RDONLY);
	CHECK(fd >= 0 && f->fs >= 0 && !ftruncate(fd, p->mb.len), "%s: %s", f->path,
	      strerror(errno));
	CHECK(mmap(odp_at(&p->mb, 0), p->mb.len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
		   0) != MAP_FAILED,
	      "mmap: %s", strerror(errno));
	ep_fill(p->a, &p->ma, 0, 4 * PAGE, 5);
}

/* The file system stands still; the first end writes to it. */
static void freeze(struct frozen *f, struct pair *p)
{
	struct ep_wr wr[2];

	map_file(f, p);
	CHECK(!ioctl(f->fs, FIFREEZE, 0), "FIFREEZE: %s", strerror(errno));
	wr[0] = wr_op(1, IBV_WR_RDMA_WRITE, &p->ma, 0, 4 * PAGE, &p->mb, 0);
	wr[1] = wr_op(2, IBV_WR_RDMA_READ, &p->ma, 8 * PAGE, 4 * PAGE, &p->mb, 0);
	ep_send(p->a, QP_0, wr, 2);
	if (ep_poll(p->a, CQ_SEND, &(struct ibv_wc){ 0 }, 1, 400)) {
		ioctl(f->fs, FITHAW, 0);
		FAIL("completed while nobody could write");
	}
}

static void slow(struct env *e, const void *arg)
{
	struct frozen f;
	struct pair p;

	(void)arg;
	odp_open(&p, e);
	freeze(&f, &p);
	CHECK(!ioctl(f.fs, FITHAW, 0), "FITHAW: %s", strerror(errno));
	expect_send(p.a, CQ_SEND, 1, IBV_WR_RDMA_WRITE);
	expect_send(p.a, CQ_SEND, 2, IBV_WR_RDMA_READ);
	ep_verify(p.b, &p.mb, 0, 4 * PAGE, 5, "what was written");
	ep_verify(p.a, &p.ma, 8 * PAGE, 4 * PAGE, 5, "what was read");
	unlink(f.path);
}

/* Another process, for this one's address space is locked as long as the page takes. */
static pid_t onlooker(int go)
{
	pid_t child = fork();
	char c;
	int fs, bad;

	if (child)
		return child;
	fs = open(getenv("RVT_FREEZE"), O_RDONLY);
	if (fs < 0 || read(go, &c, 1) != 1)
		_exit(1);
	usleep(300000);
	bad = system("timeout 20 rdma resource show qp >/dev/null");
	ioctl(fs, FITHAW, 0);
	_exit(!!bad);
}

/* A QP that is reset waits for that page; others may look at it meanwhile. */
static void slow_reset(struct env *e, const void *arg)
{
	int go[2], status;
	struct frozen f;
	struct pair p;
	pid_t child;

	(void)arg;
	odp_open(&p, e);
	CHECK(!pipe(go) && (child = onlooker(go[0])) > 0, "fork: %s", strerror(errno));
	freeze(&f, &p);
	CHECK(write(go[1], "", 1) == 1, "write: %s", strerror(errno));
	set_state(p.b, QP_0, IBV_QPS_RESET);
	CHECK(waitpid(child, &status, 0) == child && !status, "onlooker: status %d", status);
	set_state(p.a, QP_0, IBV_QPS_RESET);
	pair_connect(&p);
	transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_RDMA_WRITE, 2 * PAGE, PAGE, PAGE, 6);
	unlink(f.path);
}

/* As many QPs as there may be, all of them waiting for such a page.  $RVT_FREEZE is frozen by
 * somebody else, who then makes the file $RVT_GO, and thaws it again.
 */
static void stand_still(struct env *e, const void *arg)
{
	struct pair_opts o = odp_opts();
	const char *go = getenv("RVT_GO");
	struct ep_qp_init init = { .scq = CQ_SEND, .rcq = CQ_RECV };
	struct frozen f;
	struct pair p;
	uint32_t qpn_a, qpn_b, i;
	struct ep_wr wr;

	(void)arg;
	CHECK(go, "$RVT_GO must be the name of a file");
	o.conn.timeout = 0;
	pair_open(&p, e, &o);
	map_file(&f, &p);
	init.cap = (struct ibv_qp_cap){
		.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1
	};
	for (i = 1; i < EP_MAX_QP; i++) {
		ep_qp(p.a, i, &init, &qpn_a);
		ep_qp(p.b, i, &init, &qpn_b);
		connect_slot(e, &o.conn, i, qpn_a, qpn_b);
	}
	rvt_say("ready");
	while (access(go, F_OK))
		usleep(100000);
	for (i = 0; i < EP_MAX_QP; i++) {
		wr = wr_op(i, IBV_WR_RDMA_WRITE, &p.ma, i * 8, 8, &p.mb, i * 8);
		ep_send(p.a, i, &wr, 1);
	}
	CHECK(!ep_poll(p.a, CQ_SEND, &(struct ibv_wc){ 0 }, 1, 400),
	      "completed while nobody could write");
	rvt_say("standing still");
	for (i = 0; i < EP_MAX_QP; i++) {
		struct ibv_wc wc = { 0 };

		CHECK(ep_poll(p.a, CQ_SEND, &wc, 1, 100000) == 1 && !wc.status, "WRITE %u: %s", i,
		      ibv_wc_status_str(wc.status));
	}
	ep_verify(p.b, &p.mb, 0, EP_MAX_QP * 8, 5, "what was written");
	unlink(f.path);
}

/* Memory that the kernel has taken out of its own map: a device in software has no way to
 * it.
 */
static void secret(struct env *e, const void *arg)
{
	const struct odp_refusal *t = arg;
	struct ep_wr wr, rwr;
	struct ep_mr *mr;
	struct pair p;
	int fd;

	odp_open(&p, e);
	mr = t->at_a ? &p.ma : &p.mb;
	fd = syscall(SYS_memfd_secret, 0);
	CHECK(fd >= 0, "memfd_secret: %s; the kernel must be booted with secretmem.enable=1",
	      strerror(errno));
	CHECK(!ftruncate(fd, 4 * PAGE), "ftruncate: %s", strerror(errno));
	CHECK(mmap(odp_at(mr, 4 * PAGE), 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		   fd, 0) != MAP_FAILED,
	      "mmap: %s", strerror(errno));
	memset(odp_at(mr, 4 * PAGE), 1, 4 * PAGE);
	/* Its neighbours are as ever */
	transfer(p.a, p.b, &p.ma, &p.mb, IBV_WR_RDMA_WRITE, 2 * PAGE, PAGE, PAGE, 5);
	rwr = wr_recv(9, &p.mb, 4 * PAGE, PAGE);
	ep_recv(p.b, QP_0, &rwr, 1);
	wr = wr_op(1, t->op, &p.ma, 4 * PAGE, PAGE, &p.mb, 4 * PAGE);
	ep_send(p.a, QP_0, &wr, 1);
	expect_wc(p.a, CQ_SEND, 1, t->status);
	expect_state(p.a, QP_0, IBV_QPS_ERR);
	if (!t->at_a)
		expect_wc(p.b, CQ_RECV, 9, t->recv);
	for (unsigned int i = 0; i < 4 * PAGE; i++)
		CHECK(((uint8_t *)odp_at(mr, 4 * PAGE))[i] == 1, "byte %u of it has changed", i);
}

#define SECRET(label, ...)                                                                \
	{                                                                                 \
		.name = "odp.secret." label, .run = secret, .local = true, .extra = true, \
		.arg = &(const struct odp_refusal){ __VA_ARGS__ },                        \
	}

static const struct rvt_case cases[] = {
	{ .name = "odp.slow", .run = slow, .local = true, .extra = true },
	{ .name = "odp.slow_reset", .run = slow_reset, .local = true, .extra = true },
	{ .name = "odp.stand_still", .run = stand_still, .local = true, .extra = true },
	SECRET("write", IBV_WR_RDMA_WRITE, false, NONE, 0, REM_ACCESS),
	SECRET("read", IBV_WR_RDMA_READ, false, NONE, 0, REM_ACCESS),
	SECRET("recv", IBV_WR_SEND, false, NONE, 0, IBV_WC_REM_OP_ERR, IBV_WC_LOC_PROT_ERR),
	SECRET("send", IBV_WR_SEND, true, NONE, 0, IBV_WC_LOC_PROT_ERR, 0),
	SECRET("read_to", IBV_WR_RDMA_READ, true, NONE, 0, IBV_WC_LOC_PROT_ERR, 0),
};

const struct rvt_case_list rvt_odp_memory_cases = { cases, ARRAY_SIZE(cases) };
