// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Messages from one RC queue pair to another, both in this process, as perftest
 * sends them: work requests posted alone or in lists, many outstanding, completions
 * polled. Prints one line of figures; times are those of the guest's clock.
 */
#include <errno.h>
#include <getopt.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mark.h"

#define POLL_NS 50000 /* without a completion, before the process sleeps */
#define PORT 1
#define PSN 0xfffff0 /* wraps early */
#define LIST_MAX 64

struct side {
	struct ibv_context *ctx;
	struct ibv_comp_channel *channel;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	union ibv_gid gid;
	int gid_index;
};

static struct {
	enum ibv_wr_opcode op;
	uint32_t size, depth, list, every, mtu, timeout, retry;
	uint32_t rnr_timer, recv_ms;
	uint64_t warm, messages, second, limit_ns;
} opt = {
	.op = IBV_WR_RDMA_WRITE,
	.size = 65536,
	.depth = 128,
	.list = 1,
	.every = 1,
	.mtu = 1024,
	.timeout = 14,
	.retry = 7,
	.rnr_timer = 12,
	.messages = 100,
	.limit_ns = 60000000000ull,
};

static struct side left, right;
static uint64_t posted, done, received, began, progress_at, next_recv;
static const char *trouble;

static void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "traffic: ");
	vfprintf(stderr, format, args);
	fprintf(stderr, "\n");
	va_end(args);
	exit(2);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* DEVICE:GID_INDEX */
static void open_side(struct side *s, char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	char *colon = strchr(name, ':');

	if (!colon || !list)
		die("%s: not DEVICE:GID_INDEX, or no devices", name);
	*colon = 0;
	s->gid_index = atoi(colon + 1);
	for (int i = 0; list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			s->ctx = ibv_open_device(list[i]);
	ibv_free_device_list(list);
	if (!s->ctx)
		die("cannot open %s", name);
	if (ibv_query_gid(s->ctx, PORT, s->gid_index, &s->gid))
		die("%s has no GID %d", name, s->gid_index);
}

static void make_queue(struct side *s)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = opt.depth,
			 .max_recv_wr = 2 * opt.depth,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	void *buf = aligned_alloc(65536, (opt.size + 65535) & ~65535u);

	if (!buf)
		die("no memory");
	memset(buf, 0x5a, opt.size);
	s->channel = ibv_create_comp_channel(s->ctx);
	s->pd = ibv_alloc_pd(s->ctx);
	if (!s->channel || !s->pd)
		die("no PD or channel");
	s->mr = ibv_reg_mr(s->pd, buf, opt.size, access);
	s->cq = ibv_create_cq(s->ctx, 4 * opt.depth, NULL, s->channel, 0);
	if (!s->mr || !s->cq)
		die("no MR or CQ");
	init.send_cq = s->cq;
	init.recv_cq = s->cq;
	s->qp = ibv_create_qp(s->pd, &init);
	if (!s->qp)
		die("no QP: %s", strerror(errno));
}

static enum ibv_mtu mtu_code(uint32_t bytes)
{
	enum ibv_mtu code = IBV_MTU_256;

	while (code < IBV_MTU_4096 && (128u << code) < bytes)
		code++;
	return code;
}

static void connect_side(struct side *s, const struct side *peer)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT,
		.port_num = PORT,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
		.path_mtu = mtu_code(opt.mtu),
		.dest_qp_num = peer->qp->qp_num,
		.rq_psn = PSN,
		.sq_psn = PSN,
		.max_dest_rd_atomic = 16,
		.max_rd_atomic = 16,
		.min_rnr_timer = opt.rnr_timer,
		.timeout = opt.timeout,
		.retry_cnt = opt.retry,
		.rnr_retry = 7,
		.ah_attr = { .is_global = 1,
			     .port_num = PORT,
			     .grh = { .dgid = peer->gid,
				      .sgid_index = s->gid_index,
				      .hop_limit = 64 } },
	};

	if (ibv_modify_qp(s->qp, &a,
			  IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		die("INIT: %s", strerror(errno));
	a.qp_state = IBV_QPS_RTR;
	if (ibv_modify_qp(s->qp, &a,
			  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		die("RTR: %s", strerror(errno));
	a.qp_state = IBV_QPS_RTS;
	if (ibv_modify_qp(s->qp, &a,
			  IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				  IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		die("RTS: %s", strerror(errno));
}

static void post_recv(void)
{
	struct ibv_sge sge = { (uintptr_t)right.mr->addr, opt.size, right.mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	if (ibv_post_recv(right.qp, &wr, &bad))
		die("post_recv failed");
}

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* A list of work requests, up to @total in all. wr_id is the number of messages done
 * when this one is.
 */
static void post_send(uint64_t total)
{
	struct ibv_sge sge = { (uintptr_t)left.mr->addr, opt.size, left.mr->lkey };
	struct ibv_send_wr wr[LIST_MAX], *bad;
	uint64_t n = min(opt.list, total - posted);
	int err;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t id = posted + i + 1;

		wr[i] = (struct ibv_send_wr){
			.wr_id = id,
			.next = i + 1 < n ? &wr[i + 1] : NULL,
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = opt.op,
			.send_flags = id % opt.every && id != total ? 0 : IBV_SEND_SIGNALED,
			.wr.rdma = { .remote_addr = (uintptr_t)right.mr->addr,
				     .rkey = right.mr->rkey },
		};
	}
	err = ibv_post_send(left.qp, wr, &bad);
	if (err)
		die("post_send: %s", strerror(err));
	posted += n;
}

static bool poll_side(struct side *s)
{
	struct ibv_wc wc[16];
	int n = ibv_poll_cq(s->cq, 16, wc);

	for (int i = 0; i < n; i++) {
		if (wc[i].status != IBV_WC_SUCCESS) {
			trouble = ibv_wc_status_str(wc[i].status);
		} else if (s == &right) {
			received++;
			if (!opt.recv_ms)
				post_recv();
		} else {
			done = wc[i].wr_id;
		}
	}
	return n > 0;
}

static void drain_event(struct side *s)
{
	struct ibv_cq *cq;
	void *context;

	if (ibv_get_cq_event(s->channel, &cq, &context))
		die("no event: %s", strerror(errno));
	ibv_ack_cq_events(cq, 1);
}

/* A slow receiver: one receive now and then */
static void refill(void)
{
	uint64_t t = now();

	if (!opt.recv_ms || t < next_recv)
		return;
	if (next_recv)
		post_recv();
	next_recv = t + opt.recv_ms * 1000000ull;
}

/* Sleep until something completes, so that idle time passes at once. */
static void wait_event(uint64_t end)
{
	struct pollfd fds[2] = { { .fd = left.channel->fd, .events = POLLIN },
				 { .fd = right.channel->fd, .events = POLLIN } };
	uint64_t t;

	if (ibv_req_notify_cq(left.cq, 0) || ibv_req_notify_cq(right.cq, 0))
		die("req_notify failed");
	if (poll_side(&left) | poll_side(&right))
		return;
	t = now();
	if (opt.recv_ms)
		end = min(end, next_recv);
	if (t < end)
		poll(fds, 2, (end - t) / 1000000 + 1);
	if (fds[0].revents & POLLIN)
		drain_event(&left);
	if (fds[1].revents & POLLIN)
		drain_event(&right);
}

/* Runs until @total messages are done, the limit is over or one failed. */
static void run_to(uint64_t total)
{
	uint64_t end = began + opt.limit_ns, t;

	progress_at = now();
	while (done < total && !trouble) {
		refill();
		if (posted < total && posted - done + min(opt.list, total - posted) <= opt.depth) {
			post_send(total);
			if (poll_side(&left) | poll_side(&right))
				progress_at = now();
			continue;
		}
		t = now();
		if (poll_side(&left) | poll_side(&right))
			progress_at = t;
		else if (t >= end)
			break;
		else if (t - progress_at > POLL_NS)
			wait_event(end);
	}
	/* The last receives complete before the ACK arrives. */
	poll_side(&right);
}

static void report(uint64_t from, uint64_t started)
{
	uint64_t ns = now() - started;

	printf("messages=%llu size=%u ns=%llu status=%s\n", (unsigned long long)(done - from),
	       opt.size, (unsigned long long)ns,
	       trouble	     ? "error" :
	       done < posted ? "limit" :
			       "ok");
	if (trouble)
		fprintf(stderr, "traffic: %s\n", trouble);
}

static void run(void)
{
	uint64_t from, start;

	began = now();
	if (opt.warm)
		run_to(opt.warm);
	began = now();
	from = done;
	start = began;
	MARK(MARK_START);
	run_to(from + opt.messages);
	MARK(MARK_STOP);
	report(from, start);
	if (!opt.second || trouble)
		return;
	from = done;
	start = now();
	MARK(MARK_START);
	run_to(from + opt.second);
	MARK(MARK_STOP);
	report(from, start);
}

static void usage(void)
{
	fprintf(stderr, "usage: traffic --from DEV:GID --to DEV:GID [--op write|read|send]\n"
			"  [--size BYTES] [--depth N] [--list N: posted at once]\n"
			"  [--every N: signal one in N] [--mtu BYTES]\n"
			"  [--timeout CODE] [--retry N] [--rnr-timer CODE]\n"
			"  [--recv-ms N: post a receive each so often, not when one is used]\n"
			"  [--warm MESSAGES] [--messages N]\n"
			"  [--second N: count a second run of N apart] [--limit-ms MS]\n");
	exit(2);
}

static enum ibv_wr_opcode op_of(const char *name)
{
	if (!strcmp(name, "write"))
		return IBV_WR_RDMA_WRITE;
	if (!strcmp(name, "read"))
		return IBV_WR_RDMA_READ;
	if (!strcmp(name, "send"))
		return IBV_WR_SEND;
	usage();
	return 0;
}

static void parse(int argc, char **argv)
{
	static const struct option names[] = {
		{ "from", 1, NULL, 'a' },      { "to", 1, NULL, 'b' },
		{ "op", 1, NULL, 'o' },	       { "size", 1, NULL, 's' },
		{ "depth", 1, NULL, 'd' },     { "every", 1, NULL, 'e' },
		{ "mtu", 1, NULL, 'm' },       { "timeout", 1, NULL, 't' },
		{ "retry", 1, NULL, 'r' },     { "warm", 1, NULL, 'w' },
		{ "messages", 1, NULL, 'n' },  { "second", 1, NULL, '2' },
		{ "limit-ms", 1, NULL, 'l' },  { "list", 1, NULL, 'p' },
		{ "rnr-timer", 1, NULL, 'i' }, { "recv-ms", 1, NULL, 'v' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		unsigned long long value = optarg ? strtoull(optarg, NULL, 0) : 0;

		switch (c) {
		case 'a':
			open_side(&left, optarg);
			break;
		case 'b':
			open_side(&right, optarg);
			break;
		case 'o':
			opt.op = op_of(optarg);
			break;
		case 's':
			opt.size = value;
			break;
		case 'd':
			opt.depth = value;
			break;
		case 'i':
			opt.rnr_timer = value;
			break;
		case 'v':
			opt.recv_ms = value;
			break;
		case 'p':
			opt.list = value;
			break;
		case 'e':
			opt.every = value;
			break;
		case 'm':
			opt.mtu = value;
			break;
		case 't':
			opt.timeout = value;
			break;
		case 'r':
			opt.retry = value;
			break;
		case 'w':
			opt.warm = value;
			break;
		case 'n':
			opt.messages = value;
			break;
		case '2':
			opt.second = value;
			break;
		case 'l':
			opt.limit_ns = value * 1000000;
			break;
		default:
			usage();
		}
	}
	if (!left.ctx || !right.ctx || !opt.size || !opt.depth || !opt.every)
		usage();
	if (!opt.list || opt.list > LIST_MAX || opt.list > opt.depth)
		usage();
	/* What waits for room for a list must be told of what is done */
	if (opt.every > opt.depth - opt.list + 1)
		opt.every = opt.depth - opt.list + 1;
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	make_queue(&left);
	make_queue(&right);
	connect_side(&left, &right);
	connect_side(&right, &left);
	for (uint32_t i = 0; i < 2 * opt.depth && opt.op == IBV_WR_SEND && !opt.recv_ms; i++)
		post_recv();
	run();
	return trouble ? 1 : 0;
}
