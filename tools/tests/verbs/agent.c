// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The executing half of an endpoint: requests in, verbs calls, responses out. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <arpa/inet.h>

#include "ep.h"
#include "ring.h"
#include "stream.h"

struct agent {
	struct ibv_context *ctx;
	struct ibv_pd *pd[EP_MAX_PD];
	struct ibv_mr *mr[EP_MAX_MR];
	struct ibv_mw *mw[EP_MAX_MR];
	struct ibv_ah *ah;
	struct ibv_cq *cq[EP_MAX_CQ];
	struct ibv_comp_channel *ch[EP_MAX_CQ];
	struct ibv_qp *qp[EP_MAX_QP];
};

struct agent *agent_new(void)
{
	struct agent *ag = calloc(1, sizeof(*ag));

	CHECK(ag, "out of memory");
	return ag;
}

struct ibv_qp *agent_qp(struct agent *ag, uint32_t slot)
{
	return ag->qp[slot];
}

struct ibv_cq *agent_cq(struct agent *ag, uint32_t slot)
{
	return ag->cq[slot];
}

struct ibv_mr *agent_mr(struct agent *ag, uint32_t slot)
{
	return ag->mr[slot];
}

struct ibv_pd *agent_pd(struct agent *ag, uint32_t nr)
{
	return ag->pd[nr];
}

static int refuse(struct ep_rsp *rsp, int err, const char *what)
{
	snprintf(rsp->text, sizeof(rsp->text), "%s: %s", what, strerror(err));
	return err;
}

static struct ibv_context *open_named(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;

	for (int i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	return ctx;
}

/* GID of address @ip, or of the first IPv4 address, or the first one there is. */
static int pick_gid(struct agent *ag, const char *ip, int entries, union ibv_gid *out)
{
	static const uint8_t v4[12] = { [10] = 0xff, [11] = 0xff };
	union ibv_gid want = { 0 }, gid, zero = { 0 };
	int any = -1;

	if (ip && inet_pton(AF_INET, ip, want.raw + 12) == 1)
		memcpy(want.raw, v4, sizeof(v4));
	else if (ip && inet_pton(AF_INET6, ip, want.raw) != 1)
		return -1;
	for (int i = 0; i < entries && i < 256; i++) {
		if (ibv_query_gid(ag->ctx, 1, i, &gid) || !memcmp(&gid, &zero, sizeof(gid)))
			continue;
		if (ip ? !memcmp(&gid, &want, sizeof(gid)) : !memcmp(gid.raw, v4, sizeof(v4))) {
			*out = gid;
			return i;
		}
		if (any < 0) {
			any = i;
			*out = gid;
		}
	}
	return ip ? -1 : any;
}

static int do_open(struct agent *ag, const struct ep_req *req, struct ep_rsp *rsp)
{
	struct ibv_device_attr_ex ex;
	const char *ip = req->arg[0] ? req->name + strlen(req->name) + 1 : NULL;
	int gid;

	ag->ctx = open_named(req->name);
	if (!ag->ctx)
		return refuse(rsp, ENODEV, req->name);
	for (int i = 0; i < EP_MAX_PD; i++) {
		ag->pd[i] = ibv_alloc_pd(ag->ctx);
		if (!ag->pd[i])
			return refuse(rsp, errno, "ibv_alloc_pd");
	}
	if (ibv_query_port(ag->ctx, 1, &rsp->open.port) ||
	    ibv_query_device(ag->ctx, &rsp->open.dev))
		return refuse(rsp, errno, "query port or device");
	if (ibv_query_device_ex(ag->ctx, NULL, &ex))
		return refuse(rsp, errno, "ibv_query_device_ex");
	rsp->val[1] = ex.device_cap_flags_ex;
	gid = pick_gid(ag, ip, rsp->open.port.gid_tbl_len, &rsp->open.gid);
	if (gid < 0)
		return refuse(rsp, ENXIO, "no such GID");
	rsp->val[0] = gid;
	return 0;
}

/* Large regions are one piece of memory mapped again and again: it takes as much of
 * a guest's memory as the piece does.
 */
#define FOLD (2u << 20)
#define FOLD_FROM (64u << 20)

static void *map_folded(size_t len)
{
	int fd = memfd_create("rvt", 0);
	uint8_t *buf;

	if (fd < 0 || ftruncate(fd, FOLD))
		return MAP_FAILED;
	buf = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	for (size_t off = 0; buf != MAP_FAILED && off < len; off += FOLD)
		if (mmap(buf + off, len - off < FOLD ? len - off : FOLD, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
			return MAP_FAILED;
	close(fd);
	return buf;
}

static void *map_buffer(size_t len)
{
	if (len >= FOLD_FROM)
		return map_folded(len);
	return mmap(NULL, len ? len : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
}

#define DAX_ALIGN (2u << 20)

static void *map_pmem(size_t len)
{
	const char *dev = getenv("RVT_PMEM");
	int fd = dev ? open(dev, O_RDWR) : -1;
	void *buf;

	if (fd < 0)
		return MAP_FAILED;
	len = (len + DAX_ALIGN - 1) / DAX_ALIGN * DAX_ALIGN;
	buf = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return buf;
}

static int do_reg_mr(struct agent *ag, const struct ep_req *req, struct ep_rsp *rsp)
{
	size_t len = req->arg[0];
	void *buf = req->arg[3] ? map_pmem(len) : map_buffer(len);
	struct ibv_mr *mr;

	if (buf == MAP_FAILED)
		return refuse(rsp, errno, "mmap");
	if (req->arg[4])
		mr = ibv_reg_mr_iova(ag->pd[req->arg[2]], buf, len, req->arg[4], req->arg[1]);
	else
		mr = ibv_reg_mr(ag->pd[req->arg[2]], buf, len, req->arg[1]);
	if (!mr)
		return refuse(rsp, errno, "ibv_reg_mr");
	ag->mr[req->slot] = mr;
	rsp->val[0] = (uintptr_t)buf;
	rsp->val[1] = mr->lkey;
	rsp->val[2] = mr->rkey;
	return 0;
}

/* The window is made when it is bound first; returns when it is bound. */
static int do_bind_mw(struct agent *ag, const struct ep_req *req, struct ep_rsp *rsp)
{
	struct ibv_qp *qp = ag->qp[req->arg[0]];
	struct ibv_mw **mw = &ag->mw[req->slot];
	struct ibv_send_wr wr = { .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED }, *bad;
	struct ibv_wc wc;
	int err, n;

	if (!*mw)
		*mw = ibv_alloc_mw(ag->pd[0], IBV_MW_TYPE_2);
	if (!*mw)
		return refuse(rsp, errno, "ibv_alloc_mw");
	wr.bind_mw.mw = *mw;
	wr.bind_mw.rkey = ibv_inc_rkey((*mw)->rkey);
	wr.bind_mw.bind_info = (struct ibv_mw_bind_info){
		.mr = ag->mr[req->arg[1]],
		.addr = req->arg[2],
		.length = req->arg[3],
		.mw_access_flags = req->arg[4],
	};
	err = ibv_post_send(qp, &wr, &bad);
	if (err)
		return refuse(rsp, err, "post bind");
	while (!(n = ibv_poll_cq(qp->send_cq, 1, &wc)))
		sched_yield();
	if (n < 0 || wc.status || wc.opcode != IBV_WC_BIND_MW)
		return refuse(rsp, EIO, ibv_wc_status_str(wc.status));
	(*mw)->rkey = wr.bind_mw.rkey;
	rsp->val[0] = wr.bind_mw.rkey;
	return 0;
}

static int do_create_ah(struct agent *ag, const struct ep_req *req, struct ep_rsp *rsp)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh = { .dgid = req->gid, .sgid_index = req->arg[0], .hop_limit = 64 },
	};

	ag->ah = ibv_create_ah(ag->pd[0], &attr);
	return ag->ah ? 0 : refuse(rsp, errno, "ibv_create_ah");
}

static int do_create_cq(struct agent *ag, const struct ep_req *req, struct ep_rsp *rsp)
{
	uint32_t s = req->slot;

	if (req->arg[1]) {
		ag->ch[s] = ibv_create_comp_channel(ag->ctx);
		if (!ag->ch[s])
			return refuse(rsp, errno, "ibv_create_comp_channel");
	}
	ag->cq[s] = ibv_create_cq(ag->ctx, req->arg[0], NULL, ag->ch[s], 0);
	if (!ag->cq[s])
		return refuse(rsp, errno, "ibv_create_cq");
	rsp->val[0] = ag->cq[s]->cqe;
	return 0;
}

static int do_create_qp(struct agent *ag, const struct ep_req *req, struct ep_rsp *rsp)
{
	struct ibv_qp_init_attr init = {
		.send_cq = ag->cq[req->qp.scq],
		.recv_cq = ag->cq[req->qp.rcq],
		.cap = req->qp.cap,
		.qp_type = req->qp.type ? req->qp.type : IBV_QPT_RC,
		.sq_sig_all = req->qp.sq_sig_all,
	};
	struct ibv_qp *qp;

	qp = req->qp.ring ? ring_create_qp(ag->pd[0], &init) : ibv_create_qp(ag->pd[0], &init);
	if (!qp)
		return refuse(rsp, errno, "ibv_create_qp");
	ag->qp[req->slot] = qp;
	rsp->val[0] = qp->qp_num;
	rsp->qp.cap = init.cap;
	return 0;
}

/* Every attribute of an RC QP, without the ones other transports have. */
#define QUERY_MASK ((IBV_QP_DEST_QPN << 1) - 1)

static int do_query_qp(struct agent *ag, const struct ep_req *req, struct ep_rsp *rsp)
{
	struct ibv_qp_init_attr init = { 0 };
	int err = ibv_query_qp(ag->qp[req->slot], &rsp->qp.attr, QUERY_MASK, &init);

	rsp->qp.cap = init.cap;
	return err;
}

/* Only the extended interface has it. */
static int post_atomic_write(struct ibv_qp *qp, const struct ep_wr *wr)
{
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp);

	ibv_wr_start(qpx);
	qpx->wr_id = wr->wr_id;
	qpx->wr_flags = wr->flags;
	ibv_wr_atomic_write(qpx, wr->rkey, wr->raddr, &wr->swap);
	return ibv_wr_complete(qpx);
}

/* What depends on the kind of QP and on the opcode */
static void put_operands(const struct agent *ag, const struct ibv_qp *qp, struct ibv_send_wr *wr,
			 const struct ep_wr *w)
{
	if (w->opcode == IBV_WR_SEND_WITH_INV)
		wr->invalidate_rkey = w->rkey;
	else
		wr->imm_data = htonl(w->imm);
	if (qp->qp_type == IBV_QPT_UD) {
		wr->wr.ud.ah = ag->ah;
		wr->wr.ud.remote_qpn = w->qpn;
		wr->wr.ud.remote_qkey = w->qkey;
	} else if (w->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
		   w->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr->wr.atomic.remote_addr = w->raddr;
		wr->wr.atomic.rkey = w->rkey;
		wr->wr.atomic.compare_add = w->compare_add;
		wr->wr.atomic.swap = w->swap;
	} else {
		wr->wr.rdma.remote_addr = w->raddr;
		wr->wr.rdma.rkey = w->rkey;
	}
}

static int do_post_send(struct agent *ag, const struct ep_req *req, struct ep_rsp *rsp)
{
	static struct ibv_send_wr wr[EP_MAX_WR];
	struct ibv_qp *qp = ag->qp[req->slot];
	struct ibv_send_wr *bad = NULL;
	int err;

	if (req->count == 1 && req->wr[0].ring)
		return ring_post_send(qp, &req->wr[0]);
	if (req->count == 1 && req->wr[0].opcode == IBV_WR_ATOMIC_WRITE)
		return post_atomic_write(qp, &req->wr[0]);
	memset(wr, 0, sizeof(wr));
	for (uint32_t i = 0; i < req->count; i++) {
		const struct ep_wr *w = &req->wr[i];

		wr[i].wr_id = w->wr_id;
		wr[i].next = i + 1 < req->count ? &wr[i + 1] : NULL;
		wr[i].sg_list = (struct ibv_sge *)w->sge;
		wr[i].num_sge = w->nsge;
		wr[i].opcode = w->opcode;
		wr[i].send_flags = w->flags;
		put_operands(ag, qp, &wr[i], w);
	}
	err = ibv_post_send(qp, wr, &bad);
	rsp->val[0] = bad ? bad - wr : req->count;
	return err;
}

static int do_post_recv(struct agent *ag, const struct ep_req *req, struct ep_rsp *rsp)
{
	struct ibv_recv_wr wr[EP_MAX_WR] = { 0 }, *bad = NULL;
	int err;

	if (req->count == 1 && req->wr[0].ring)
		return ring_post_recv(ag->qp[req->slot], &req->wr[0]);
	for (uint32_t i = 0; i < req->count; i++) {
		wr[i].wr_id = req->wr[i].wr_id;
		wr[i].next = i + 1 < req->count ? &wr[i + 1] : NULL;
		wr[i].sg_list = (struct ibv_sge *)req->wr[i].sge;
		wr[i].num_sge = req->wr[i].nsge;
	}
	err = ibv_post_recv(ag->qp[req->slot], wr, &bad);
	rsp->val[0] = bad ? bad - wr : req->count;
	return err;
}

/* Up to count completions; returns with the first ones there are, or after the time. */
static int do_poll(struct agent *ag, const struct ep_req *req, struct ep_rsp *rsp)
{
	uint64_t end = rvt_now_ms() + req->arg[0];
	int n;

	for (int idle = 0;; idle++) {
		n = ibv_poll_cq(ag->cq[req->slot], req->count, rsp->wc);
		if (n < 0)
			return refuse(rsp, EIO, "ibv_poll_cq");
		rsp->count = n;
		if (n || rvt_now_ms() >= end)
			return 0;
		if (idle < 50)
			sched_yield();
		else
			rvt_sleep_ms(1);
	}
}

static int do_wait_event(struct agent *ag, const struct ep_req *req, struct ep_rsp *rsp)
{
	struct pollfd pfd = { .fd = ag->ch[req->slot]->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *arg;

	rsp->count = poll(&pfd, 1, req->arg[0]) == 1;
	if (!rsp->count)
		return 0;
	if (ibv_get_cq_event(ag->ch[req->slot], &cq, &arg))
		return refuse(rsp, errno, "ibv_get_cq_event");
	ibv_ack_cq_events(cq, 1);
	return cq == ag->cq[req->slot] ? 0 : refuse(rsp, EIO, "event of another CQ");
}

static int do_async(struct agent *ag, const struct ep_req *req, struct ep_rsp *rsp)
{
	struct pollfd pfd = { .fd = ag->ctx->async_fd, .events = POLLIN };
	struct ibv_async_event ev;

	rsp->count = poll(&pfd, 1, req->arg[0]) == 1;
	if (!rsp->count)
		return 0;
	if (ibv_get_async_event(ag->ctx, &ev))
		return refuse(rsp, errno, "ibv_get_async_event");
	ibv_ack_async_event(&ev);
	rsp->val[0] = ev.event_type;
	return 0;
}

static int do_destroy(struct agent *ag, const struct ep_req *req)
{
	uint32_t s = req->slot;
	int err;

	switch (req->op) {
	case EP_DEREG_MR:
		err = ibv_dereg_mr(ag->mr[s]);
		ag->mr[s] = err ? ag->mr[s] : NULL;
		return err;
	case EP_DEALLOC_MW:
		err = ibv_dealloc_mw(ag->mw[s]);
		ag->mw[s] = err ? ag->mw[s] : NULL;
		return err;
	case EP_DESTROY_QP:
		err = ibv_destroy_qp(ag->qp[s]);
		ag->qp[s] = err ? ag->qp[s] : NULL;
		return err;
	default:
		err = ibv_destroy_cq(ag->cq[s]);
		ag->cq[s] = err ? ag->cq[s] : NULL;
		return err;
	}
}

static int dispatch(struct agent *ag, const struct ep_req *req, struct ep_rsp *rsp)
{
	struct ibv_qp_attr attr;

	switch (req->op) {
	case EP_OPEN:
		return do_open(ag, req, rsp);
	case EP_REG_MR:
		return do_reg_mr(ag, req, rsp);
	case EP_CREATE_CQ:
		return do_create_cq(ag, req, rsp);
	case EP_CREATE_QP:
		return do_create_qp(ag, req, rsp);
	case EP_CREATE_AH:
		return do_create_ah(ag, req, rsp);
	case EP_BIND_MW:
		return do_bind_mw(ag, req, rsp);
	case EP_DEREG_MR:
	case EP_DEALLOC_MW:
	case EP_DESTROY_CQ:
	case EP_DESTROY_QP:
		return do_destroy(ag, req);
	case EP_MODIFY_QP:
		attr = req->modify.attr;
		return ibv_modify_qp(ag->qp[req->slot], &attr, req->modify.mask);
	case EP_QUERY_QP:
		return do_query_qp(ag, req, rsp);
	case EP_POST_SEND:
		return do_post_send(ag, req, rsp);
	case EP_POST_RECV:
		return do_post_recv(ag, req, rsp);
	case EP_POLL_CQ:
		return do_poll(ag, req, rsp);
	case EP_ARM_CQ:
		return ibv_req_notify_cq(ag->cq[req->slot], req->arg[0]);
	case EP_WAIT_CQ:
		return do_wait_event(ag, req, rsp);
	case EP_ASYNC:
		return do_async(ag, req, rsp);
	case EP_FILL:
		rvt_fill((void *)(uintptr_t)req->arg[0], req->arg[3], req->arg[1], req->arg[2]);
		return 0;
	case EP_FIND:
		rsp->val[0] = rvt_find((void *)(uintptr_t)req->arg[0], req->arg[3], req->arg[1],
				       req->arg[2]);
		return 0;
	case EP_GET_U64:
		rsp->val[0] = __atomic_load_n((uint64_t *)(uintptr_t)req->arg[0], __ATOMIC_ACQUIRE);
		return 0;
	case EP_SET_U64:
		__atomic_store_n((uint64_t *)(uintptr_t)req->arg[0], req->arg[2], __ATOMIC_RELEASE);
		return 0;
	case EP_STREAM_START:
		return stream_start(ag, &req->stream);
	case EP_STREAM_GO:
		return stream_go(req->slot, req->arg[0]);
	case EP_STREAM_WAIT:
		return stream_wait(req->slot, req->arg[0], rsp->text, sizeof(rsp->text));
	}
	return refuse(rsp, ENOSYS, "unknown request");
}

void agent_handle(struct agent *ag, const struct ep_req *req, struct ep_rsp *rsp)
{
	memset(rsp, 0, sizeof(*rsp));
	rsp->err = dispatch(ag, req, rsp);
	rsp->size = sizeof(*rsp);
	if (rsp->err && !rsp->text[0])
		snprintf(rsp->text, sizeof(rsp->text), "%s", strerror(rsp->err));
}
