// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The asking half of an endpoint, and the TCP transport between the halves. */
#include <errno.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include "ep.h"

static int io_all(int fd, void *buf, size_t len, bool out)
{
	char *p = buf;

	while (len) {
		ssize_t n = out ? send(fd, p, len, MSG_NOSIGNAL) : recv(fd, p, len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		p += n;
		len -= n;
	}
	return 0;
}

static void call(struct ep *ep, struct ep_req *req, struct ep_rsp *rsp)
{
	if (ep->fd < 0) {
		agent_handle(ep->agent, req, rsp);
		return;
	}
	if (io_all(ep->fd, req, req->size, true) || io_all(ep->fd, rsp, sizeof(*rsp), false))
		FAIL("%s: connection to the peer program lost", ep->tag);
}

/* A request with no variable part; add to size for one. */
static struct ep_req *request(enum ep_op op, uint32_t slot)
{
	static struct ep_req req;

	memset(&req, 0, offsetof(struct ep_req, wr));
	req.size = offsetof(struct ep_req, wr);
	req.op = op;
	req.slot = slot;
	return &req;
}

static struct ep_rsp *must(struct ep *ep, struct ep_req *req, const char *what)
{
	static struct ep_rsp rsp;

	call(ep, req, &rsp);
	CHECK(!rsp.err, "%s: %s slot %u failed: %s (errno %d)", ep->tag, what, req->slot, rsp.text,
	      rsp.err);
	return &rsp;
}

static int try(struct ep *ep, struct ep_req *req)
{
	static struct ep_rsp rsp;

	call(ep, req, &rsp);
	return rsp.err;
}

static void open_dev(struct ep *ep, const struct rvt_dev *dev)
{
	struct ep_req *req = request(EP_OPEN, 0);
	struct ep_rsp *rsp;
	size_t n = strlen(dev->name) + 1;

	req->size += sizeof(req->name);
	memset(req->name, 0, sizeof(req->name));
	strncpy(req->name, dev->name, 63);
	if (dev->gid_ip) {
		req->arg[0] = 1;
		strncpy(req->name + n, dev->gid_ip, sizeof(req->name) - n - 1);
	}
	rsp = must(ep, req, "open device");
	ep->gid = rsp->open.gid;
	ep->gid_index = rsp->val[0];
	ep->port = rsp->open.port;
	ep->dev = rsp->open.dev;
	ep->caps = rsp->val[1];
}

struct ep *ep_local(const char *tag, const struct rvt_dev *dev)
{
	struct ep *ep = calloc(1, sizeof(*ep));

	CHECK(ep, "out of memory");
	ep->tag = tag;
	ep->fd = -1;
	ep->agent = agent_new();
	open_dev(ep, dev);
	return ep;
}

/* The server may still be starting: try for a while. */
static int dial(const char *host, const char *port)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *ai;
	uint64_t end = rvt_now_ms() + WAIT_MS;
	int fd, one = 1;

	CHECK(!getaddrinfo(host, port, &hints, &ai), "cannot resolve %s", host);
	do {
		fd = socket(ai->ai_family, SOCK_STREAM, 0);
		if (fd >= 0 && !connect(fd, ai->ai_addr, ai->ai_addrlen)) {
			setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
			freeaddrinfo(ai);
			return fd;
		}
		close(fd);
		rvt_sleep_ms(200);
	} while (rvt_now_ms() < end);
	FAIL("no server at %s port %s", host, port);
}

struct ep *ep_remote(const char *tag, const struct rvt_dev *dev, const char *host, const char *port)
{
	struct ep *ep = calloc(1, sizeof(*ep));

	CHECK(ep, "out of memory");
	ep->tag = tag;
	ep->fd = dial(host, port);
	open_dev(ep, dev);
	return ep;
}

static void serve_one(int fd)
{
	static struct ep_req req;
	static struct ep_rsp rsp;
	struct agent *ag = agent_new();
	int one = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	while (!io_all(fd, &req.size, sizeof(req.size), false)) {
		if (req.size < offsetof(struct ep_req, wr) || req.size > sizeof(req) ||
		    io_all(fd, &req.op, req.size - sizeof(req.size), false))
			break;
		agent_handle(ag, &req, &rsp);
		if (io_all(fd, &rsp, sizeof(rsp), true))
			break;
	}
	_exit(0);
}

/* Serves endpoints until it is killed, each connection in its own process. */
int ep_serve(const char *port)
{
	struct sockaddr_in6 sa = { .sin6_family = AF_INET6, .sin6_port = htons(atoi(port)) };
	int fd = socket(AF_INET6, SOCK_STREAM, 0), one = 1, zero = 0;

	signal(SIGCHLD, SIG_IGN);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	if (fd < 0 || bind(fd, (struct sockaddr *)&sa, sizeof(sa)) || listen(fd, 16)) {
		perror("rvt: listen");
		return 1;
	}
	fprintf(stderr, "rvt: serving on port %s\n", port);
	for (;;) {
		int c = accept(fd, NULL, NULL);

		if (c < 0)
			continue;
		if (!fork()) {
			close(fd);
			serve_one(c);
		}
		close(c);
	}
}

static struct ep_req *mr_req(uint32_t slot, uint32_t len, int access, int pd, bool pmem)
{
	struct ep_req *req = request(EP_REG_MR, slot);

	req->arg[0] = len;
	req->arg[1] = access;
	req->arg[2] = pd;
	req->arg[3] = pmem;
	return req;
}

int ep_try_mr(struct ep *ep, uint32_t slot, uint32_t len, int access, int pd, bool pmem)
{
	return try(ep, mr_req(slot, len, access, pd, pmem));
}

static struct ep_mr reg_mr(struct ep *ep, struct ep_req *req, uint32_t slot, uint32_t len)
{
	struct ep_rsp *rsp = must(ep, req, "register MR");

	return (struct ep_mr){ .slot = slot,
			       .len = len,
			       .addr = rsp->val[0],
			       .lkey = rsp->val[1],
			       .rkey = rsp->val[2] };
}

struct ep_mr ep_mr(struct ep *ep, uint32_t slot, uint32_t len, int access, int pd)
{
	return reg_mr(ep, mr_req(slot, len, access, pd, false), slot, len);
}

struct ep_mr ep_mr_iova(struct ep *ep, uint32_t slot, uint32_t len, int access, uint64_t iova)
{
	struct ep_req *req = mr_req(slot, len, access, 0, false);

	req->arg[4] = iova;
	return reg_mr(ep, req, slot, len);
}

struct ep_mr ep_pmem_mr(struct ep *ep, uint32_t slot, uint32_t len, int access)
{
	return reg_mr(ep, mr_req(slot, len, access, 0, true), slot, len);
}

void ep_dereg_mr(struct ep *ep, uint32_t slot)
{
	must(ep, request(EP_DEREG_MR, slot), "deregister MR");
}

uint32_t ep_bind(struct ep *ep, uint32_t mw, uint32_t qp, const struct ep_mr *mr, uint32_t off,
		 uint32_t len, int access)
{
	struct ep_req *req = request(EP_BIND_MW, mw);

	req->arg[0] = qp;
	req->arg[1] = mr->slot;
	req->arg[2] = mr->addr + off;
	req->arg[3] = len;
	req->arg[4] = access;
	return must(ep, req, "bind MW")->val[0];
}

void ep_dealloc_mw(struct ep *ep, uint32_t mw)
{
	must(ep, request(EP_DEALLOC_MW, mw), "deallocate MW");
}

void ep_ah(struct ep *ep, const union ibv_gid *dgid)
{
	struct ep_req *req = request(EP_CREATE_AH, 0);

	req->size += sizeof(req->gid);
	req->gid = *dgid;
	req->arg[0] = ep->gid_index;
	must(ep, req, "create AH");
}

uint32_t ep_cq(struct ep *ep, uint32_t slot, uint32_t depth, bool channel)
{
	struct ep_req *req = request(EP_CREATE_CQ, slot);

	req->arg[0] = depth;
	req->arg[1] = channel;
	return must(ep, req, "create CQ")->val[0];
}

void ep_destroy_cq(struct ep *ep, uint32_t slot)
{
	must(ep, request(EP_DESTROY_CQ, slot), "destroy CQ");
}

int ep_try_destroy_cq(struct ep *ep, uint32_t slot)
{
	return try(ep, request(EP_DESTROY_CQ, slot));
}

struct ibv_qp_cap ep_qp(struct ep *ep, uint32_t slot, const struct ep_qp_init *init, uint32_t *qpn)
{
	struct ep_req *req = request(EP_CREATE_QP, slot);
	struct ep_rsp *rsp;

	req->size += sizeof(req->qp);
	req->qp = *init;
	rsp = must(ep, req, "create QP");
	*qpn = rsp->val[0];
	return rsp->qp.cap;
}

void ep_destroy_qp(struct ep *ep, uint32_t slot)
{
	must(ep, request(EP_DESTROY_QP, slot), "destroy QP");
}

static struct ep_req *modify_req(uint32_t slot, const struct ibv_qp_attr *attr, int mask)
{
	struct ep_req *req = request(EP_MODIFY_QP, slot);

	req->size += sizeof(req->modify);
	req->modify.attr = *attr;
	req->modify.mask = mask;
	return req;
}

void ep_modify(struct ep *ep, uint32_t slot, const struct ibv_qp_attr *attr, int mask)
{
	must(ep, modify_req(slot, attr, mask), "modify QP");
}

int ep_try_modify(struct ep *ep, uint32_t slot, const struct ibv_qp_attr *attr, int mask)
{
	return try(ep, modify_req(slot, attr, mask));
}

struct ibv_qp_attr ep_query(struct ep *ep, uint32_t slot, struct ibv_qp_cap *cap)
{
	struct ep_rsp *rsp = must(ep, request(EP_QUERY_QP, slot), "query QP");

	if (cap)
		*cap = rsp->qp.cap;
	return rsp->qp.attr;
}

static struct ep_req *post_req(enum ep_op op, uint32_t qp, const struct ep_wr *wr, uint32_t n)
{
	struct ep_req *req = request(op, qp);

	CHECK(n <= EP_MAX_WR, "chain too long for a test request");
	req->count = n;
	req->size += n * sizeof(*wr);
	memcpy(req->wr, wr, n * sizeof(*wr));
	return req;
}

void ep_send(struct ep *ep, uint32_t qp, const struct ep_wr *wr, uint32_t n)
{
	must(ep, post_req(EP_POST_SEND, qp, wr, n), "post send");
}

void ep_recv(struct ep *ep, uint32_t qp, const struct ep_wr *wr, uint32_t n)
{
	must(ep, post_req(EP_POST_RECV, qp, wr, n), "post receive");
}

int ep_try_send(struct ep *ep, uint32_t qp, const struct ep_wr *wr, uint32_t n)
{
	return try(ep, post_req(EP_POST_SEND, qp, wr, n));
}

int ep_try_recv(struct ep *ep, uint32_t qp, const struct ep_wr *wr, uint32_t n)
{
	return try(ep, post_req(EP_POST_RECV, qp, wr, n));
}

uint32_t ep_poll(struct ep *ep, uint32_t cq, struct ibv_wc *wc, uint32_t max, uint32_t ms)
{
	struct ep_req *req = request(EP_POLL_CQ, cq);
	struct ep_rsp *rsp;

	req->count = max < EP_MAX_WC ? max : EP_MAX_WC;
	req->arg[0] = ms;
	rsp = must(ep, req, "poll CQ");
	memcpy(wc, rsp->wc, rsp->count * sizeof(*wc));
	return rsp->count;
}

struct ibv_wc ep_wait(struct ep *ep, uint32_t cq)
{
	struct ibv_wc wc;

	CHECK(ep_poll(ep, cq, &wc, 1, WAIT_MS), "%s: no completion on CQ %u within %u s", ep->tag,
	      cq, WAIT_MS / 1000);
	return wc;
}

void ep_arm(struct ep *ep, uint32_t cq, bool solicited)
{
	struct ep_req *req = request(EP_ARM_CQ, cq);

	req->arg[0] = solicited;
	must(ep, req, "arm CQ");
}

bool ep_event(struct ep *ep, uint32_t cq, uint32_t ms)
{
	struct ep_req *req = request(EP_WAIT_CQ, cq);

	req->arg[0] = ms;
	return must(ep, req, "wait for a CQ event")->count;
}

int ep_async(struct ep *ep, uint32_t ms)
{
	struct ep_req *req = request(EP_ASYNC, 0);
	struct ep_rsp *rsp;

	req->arg[0] = ms;
	rsp = must(ep, req, "wait for an asynchronous event");
	return rsp->count ? (int)rsp->val[0] : -1;
}

static struct ep_req *mem_req(enum ep_op op, const struct ep_mr *mr, uint32_t off, uint32_t len,
			      uint64_t key)
{
	struct ep_req *req = request(op, 0);

	CHECK(off <= mr->len && len <= mr->len - off, "test touches memory outside its MR");
	req->arg[0] = mr->addr + off;
	req->arg[1] = len;
	req->arg[2] = key;
	return req;
}

uint64_t ep_u64(struct ep *ep, const struct ep_mr *mr, uint32_t off)
{
	return must(ep, mem_req(EP_GET_U64, mr, off, sizeof(uint64_t), 0), "read memory")->val[0];
}

void ep_set_u64(struct ep *ep, const struct ep_mr *mr, uint32_t off, uint64_t value)
{
	must(ep, mem_req(EP_SET_U64, mr, off, sizeof(uint64_t), value), "write memory");
}

void ep_fill(struct ep *ep, const struct ep_mr *mr, uint32_t off, uint32_t len, uint64_t key)
{
	ep_fill_at(ep, mr, off, len, key, 0);
}

void ep_fill_at(struct ep *ep, const struct ep_mr *mr, uint32_t off, uint32_t len, uint64_t key,
		uint64_t poff)
{
	struct ep_req *req = mem_req(EP_FILL, mr, off, len, key);

	req->arg[3] = poff;
	must(ep, req, "fill memory");
}

void ep_verify(struct ep *ep, const struct ep_mr *mr, uint32_t off, uint32_t len, uint64_t key,
	       const char *what)
{
	ep_verify_at(ep, mr, off, len, key, 0, what);
}

void ep_verify_at(struct ep *ep, const struct ep_mr *mr, uint32_t off, uint32_t len, uint64_t key,
		  uint64_t poff, const char *what)
{
	struct ep_req *req = mem_req(EP_FIND, mr, off, len, key);
	uint64_t at;

	req->arg[3] = poff;
	at = must(ep, req, "compare memory")->val[0];
	CHECK(at == len, "%s: %s: wrong byte at %llu of %u (MR offset %u)", ep->tag, what,
	      (unsigned long long)at, len, off);
}

void ep_stream_start(struct ep *ep, const struct ep_stream *cfg)
{
	struct ep_req *req = request(EP_STREAM_START, cfg->group);

	req->size += sizeof(*cfg);
	req->stream = *cfg;
	must(ep, req, "start stream");
}

void ep_stream_go(struct ep *ep, uint32_t group, uint32_t side)
{
	struct ep_req *req = request(EP_STREAM_GO, group);

	req->arg[0] = side;
	must(ep, req, "run stream");
}

void ep_stream_wait(struct ep *ep, uint32_t group, uint32_t side)
{
	struct ep_req *req = request(EP_STREAM_WAIT, group);

	req->arg[0] = side;
	must(ep, req, "stream group");
}
