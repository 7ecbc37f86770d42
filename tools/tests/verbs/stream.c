// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Integrity stream: a seeded sequence of messages of random kind and size over
 * each QP.  Both ends derive the sequence from the seed, so the receiver knows
 * every message before it comes: it must arrive once, in order, byte for byte.
 *
 * Message i lives in slot i % window at both ends.  The receiver credits what it
 * has verified by an RDMA WRITE into the sender's memory; the sender stays within
 * the window.  One thread drives a group of QPs that share two CQs.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ep.h"
#include "stream.h"

#define GUARD 16
#define CREDIT_ID (1ULL << 63)
#define CREDIT_EVERY 8 /* one signaled credit in so many */
#define CREDIT_MAX 40 /* credit writes outstanding */

enum kind { K_SEND, K_SEND_IMM, K_WRITE_IMM, K_WRITE_SEND, K_READ_SEND, K_NR };

struct msg {
	enum kind kind;
	uint32_t size;
	uint32_t read_off;
	unsigned int pieces;
	bool signaled;
	uint64_t key;
};

/* Byte offsets inside one QP's share of the MR, the same at both ends. */
struct layout {
	uint32_t stride;
	uint32_t src, sink, rcv, wrt, rsrc, credit, total;
};

struct qp_stream {
	struct group *g;
	struct ibv_qp *qp;
	uint64_t id; /* the same at both ends */
	bool sender;
	uint32_t base; /* offset of this QP's share */
	uint32_t posted, done; /* sender: messages posted, completed */
	uint32_t recv_posted, received; /* receiver */
	uint32_t credit_posted, credit_done, credit_sent;
};

struct group {
	struct ep_stream c;
	struct agent *ag;
	struct layout l;
	struct qp_stream *q;
	struct ibv_cq *scq, *rcq;
	uint64_t last_progress;
	pthread_t thread;
	int err;
	bool started;
	char text[200];
};

static struct group groups[EP_MAX_CQ][2];

static int fail(struct group *g, const char *fmt, ...)
{
	va_list ap;

	if (g->err)
		return g->err;
	va_start(ap, fmt);
	vsnprintf(g->text, sizeof(g->text), fmt, ap);
	va_end(ap);
	g->err = EIO;
	return g->err;
}

static struct layout layout_of(uint32_t max, uint32_t window)
{
	struct layout l = { .stride = (max + GUARD + 63) & ~63u };
	uint32_t area = window * l.stride;

	l.src = 0;
	l.sink = area;
	l.rcv = 2 * area;
	l.wrt = 3 * area;
	l.rsrc = 4 * area;
	l.credit = l.rsrc + 2 * l.stride;
	l.total = l.credit + 64;
	return l;
}

uint32_t stream_share(uint32_t max_size, uint32_t window)
{
	return layout_of(max_size, window).total;
}

static struct msg message(const struct group *g, const struct qp_stream *q, uint32_t i)
{
	uint64_t r = rvt_mix(g->c.seed ^ rvt_mix(q->id << 32 | i));
	uint64_t s = rvt_mix(r);
	struct msg m = { .kind = r % K_NR, .key = rvt_mix(s), .pieces = 1 + (r >> 8) % 3 };

	switch ((r >> 16) % 4) {
	case 0:
		m.size = s % 17;
		break;
	case 1:
		m.size = 256 * (1 + s % 16) + (s >> 32) % 3 - 1;
		break;
	default:
		m.size = s % (g->c.max_size + 1);
	}
	if (m.size > g->c.max_size)
		m.size = g->c.max_size;
	m.read_off = (s >> 40) % (g->c.max_size + 1);
	m.signaled = i % 4 == 3 || i + 1 == g->c.messages || (r >> 24) % 3 == 0;
	return m;
}

static uint64_t read_key(const struct group *g, const struct qp_stream *q)
{
	return rvt_mix(g->c.seed ^ 0x5ead ^ q->id);
}

static uint64_t at(const struct group *g, const struct qp_stream *q, uint32_t area, uint32_t i)
{
	return g->c.local.addr + q->base + area + (i % g->c.window) * g->l.stride;
}

static uint64_t peer_at(const struct group *g, const struct qp_stream *q, uint32_t area, uint32_t i)
{
	return g->c.peer.addr + q->base + area + (i % g->c.window) * g->l.stride;
}

/* Splits [addr, addr+len) into up to @pieces unequal SGEs. */
static int split(struct ibv_sge *sge, const struct group *g, uint64_t addr, uint32_t len,
		 unsigned int pieces)
{
	int n = 0;

	while (len) {
		uint32_t part = n + 1 < (int)pieces ? (len + 2) / 3 : len;

		sge[n++] =
			(struct ibv_sge){ .addr = addr, .length = part, .lkey = g->c.local.lkey };
		addr += part;
		len -= part;
	}
	return n;
}

static int post_message(struct group *g, struct qp_stream *q, uint32_t i)
{
	struct msg m = message(g, q, i);
	struct ibv_sge sge[3];
	struct ibv_send_wr second = { .wr_id = i,
				      .opcode = IBV_WR_SEND_WITH_IMM,
				      .imm_data = htonl(i) };
	struct ibv_send_wr wr = { .wr_id = i, .sg_list = sge, .imm_data = htonl(i) }, *bad;
	bool two = m.kind == K_WRITE_SEND || m.kind == K_READ_SEND;
	uint64_t from = at(g, q, m.kind == K_READ_SEND ? g->l.sink : g->l.src, i);
	int err;

	if (m.kind == K_READ_SEND)
		memset((void *)(uintptr_t)from, 0xee, m.size);
	else
		rvt_fill((void *)(uintptr_t)from, 0, m.size, m.key);
	wr.num_sge = split(sge, g, from, m.size, m.pieces);
	wr.wr.rdma.rkey = g->c.peer.rkey;
	switch (m.kind) {
	case K_SEND:
		wr.opcode = IBV_WR_SEND;
		break;
	case K_SEND_IMM:
		wr.opcode = IBV_WR_SEND_WITH_IMM;
		break;
	case K_READ_SEND:
		wr.opcode = IBV_WR_RDMA_READ;
		wr.wr.rdma.remote_addr = g->c.peer.addr + q->base + g->l.rsrc + m.read_off;
		break;
	default:
		wr.opcode = two ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_WRITE_WITH_IMM;
		wr.wr.rdma.remote_addr = peer_at(g, q, g->l.wrt, i);
	}
	if (two)
		wr.next = &second;
	(two ? &second : &wr)->send_flags = m.signaled ? IBV_SEND_SIGNALED : 0;
	err = ibv_post_send(q->qp, &wr, &bad);
	return err ? fail(g, "posting message %u: %s", i, strerror(err)) : 0;
}

static uint32_t credit_seen(struct group *g, struct qp_stream *q)
{
	volatile uint64_t *word = (uint64_t *)(uintptr_t)(g->c.local.addr + q->base + g->l.credit);

	return *word;
}

static int pump_sender(struct group *g, struct qp_stream *q)
{
	uint32_t credit = credit_seen(g, q);

	if (credit > q->posted)
		return fail(g, "credit %u for %u messages posted", credit, q->posted);
	while (q->posted < g->c.messages && q->posted < credit + g->c.window &&
	       q->posted < q->done + g->c.window) {
		if (post_message(g, q, q->posted))
			return g->err;
		q->posted++;
		g->last_progress = rvt_now_ms();
	}
	return 0;
}

static int post_receives(struct group *g, struct qp_stream *q)
{
	while (q->recv_posted < g->c.messages && q->recv_posted < q->received + g->c.recvs) {
		uint32_t i = q->recv_posted;
		struct ibv_sge sge[3];
		struct ibv_recv_wr wr = { .wr_id = i, .sg_list = sge }, *bad;
		int err;

		wr.num_sge = split(sge, g, at(g, q, g->l.rcv, i), g->c.max_size, 1 + i % 3);
		err = ibv_post_recv(q->qp, &wr, &bad);
		if (err)
			return fail(g, "posting receive %u: %s", i, strerror(err));
		q->recv_posted++;
	}
	return 0;
}

static int send_credit(struct group *g, struct qp_stream *q)
{
	uint64_t value = q->received;
	struct ibv_sge sge = { .addr = (uintptr_t)&value, .length = sizeof(value) };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = IBV_SEND_INLINE },
			   *bad;
	bool last = q->received == g->c.messages;
	int err;

	if (q->credit_sent == q->received ||
	    (q->credit_posted - q->credit_done >= CREDIT_MAX && !last))
		return 0;
	wr.wr.rdma.remote_addr = g->c.peer.addr + q->base + g->l.credit;
	wr.wr.rdma.rkey = g->c.peer.rkey;
	if (last || q->credit_posted % CREDIT_EVERY == 0)
		wr.send_flags |= IBV_SEND_SIGNALED;
	wr.wr_id = CREDIT_ID | (q->credit_posted + 1);
	err = ibv_post_send(q->qp, &wr, &bad);
	if (err)
		return fail(g, "posting credit: %s", strerror(err));
	q->credit_posted++;
	q->credit_sent = q->received;
	return 0;
}

/* Bytes after where message i will end, to see that it ends there. */
static void set_guard(struct group *g, struct qp_stream *q, uint32_t i)
{
	uint32_t size = message(g, q, i).size;

	memset((void *)(uintptr_t)(at(g, q, g->l.rcv, i) + size), 0xc3, GUARD);
	memset((void *)(uintptr_t)(at(g, q, g->l.wrt, i) + size), 0xc3, GUARD);
}

static int verify(struct group *g, uint64_t addr, const struct msg *m, uint32_t i)
{
	const uint8_t *p = (const uint8_t *)(uintptr_t)addr;
	size_t bad = rvt_find(p, 0, m->size, m->key);

	if (bad != m->size)
		return fail(g, "message %u (kind %d, %u bytes): wrong byte at %zu", i, m->kind,
			    m->size, bad);
	for (int k = 0; k < GUARD; k++)
		if (p[m->size + k] != 0xc3)
			return fail(g,
				    "message %u (kind %d, %u bytes): byte %d after its end changed",
				    i, m->kind, m->size, k);
	return 0;
}

static int on_receive(struct group *g, struct qp_stream *q, const struct ibv_wc *wc)
{
	uint32_t i = q->received;
	struct msg m = message(g, q, i);
	bool to_wrt = m.kind == K_WRITE_IMM || m.kind == K_WRITE_SEND;
	bool two = m.kind == K_WRITE_SEND || m.kind == K_READ_SEND;
	bool imm = m.kind != K_SEND;

	if (q->sender || i >= g->c.messages)
		return fail(g, "a receive too many: %llu", (unsigned long long)wc->wr_id);
	if (wc->wr_id != i)
		return fail(g, "receive %llu completed, %u is due", (unsigned long long)wc->wr_id,
			    i);
	if (wc->opcode != (m.kind == K_WRITE_IMM ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV))
		return fail(g, "message %u (kind %d) came with opcode %d", i, m.kind, wc->opcode);
	if (wc->byte_len != (two ? 0 : m.size))
		return fail(g, "message %u: length %u, must be %u", i, wc->byte_len, m.size);
	if (!!(wc->wc_flags & IBV_WC_WITH_IMM) != imm || (imm && ntohl(wc->imm_data) != i))
		return fail(g, "message %u (kind %d): immediate %u, flags %#x", i, m.kind,
			    ntohl(wc->imm_data), wc->wc_flags);
	if (m.kind != K_READ_SEND && verify(g, at(g, q, to_wrt ? g->l.wrt : g->l.rcv, i), &m, i))
		return g->err;
	q->received++;
	if (i + g->c.window < g->c.messages)
		set_guard(g, q, i + g->c.window);
	return post_receives(g, q);
}

/* Completion of message i completes everything before it. */
static int on_send(struct group *g, struct qp_stream *q, const struct ibv_wc *wc)
{
	if (wc->wr_id & CREDIT_ID) {
		q->credit_done = wc->wr_id & ~CREDIT_ID;
		return 0;
	}
	if (!q->sender || wc->wr_id < q->done || wc->wr_id >= q->posted)
		return fail(g, "send %llu completed, %u done and %u posted",
			    (unsigned long long)wc->wr_id, q->done, q->posted);
	for (; q->done <= wc->wr_id; q->done++) {
		struct msg m = message(g, q, q->done);
		uint64_t addr = at(g, q, g->l.sink, q->done);
		size_t bad;

		if (q->done < wc->wr_id && m.signaled)
			return fail(g, "signaled message %u never completed", q->done);
		if (m.kind != K_READ_SEND)
			continue;
		bad = rvt_find((void *)(uintptr_t)addr, m.read_off, m.size, read_key(g, q));
		if (bad != m.size)
			return fail(g, "READ %u of %u bytes: wrong byte at %zu", q->done, m.size,
				    bad);
	}
	return 0;
}

static int dispatch(struct group *g, const struct ibv_wc *wc, bool recv)
{
	for (uint32_t k = 0; k < g->c.nqp; k++) {
		struct qp_stream *q = &g->q[k];

		if (q->qp->qp_num != wc->qp_num)
			continue;
		if (wc->status)
			return fail(g, "QP %#x: %s %llu completed with \"%s\"", wc->qp_num,
				    recv ? "receive" : "send", (unsigned long long)wc->wr_id,
				    ibv_wc_status_str(wc->status));
		g->last_progress = rvt_now_ms();
		return recv ? on_receive(g, q, wc) : on_send(g, q, wc);
	}
	return fail(g, "completion for unknown QP %#x", wc->qp_num);
}

static int poll_cq(struct group *g, struct ibv_cq *cq, bool recv)
{
	struct ibv_wc wc[16];
	int n = ibv_poll_cq(cq, ARRAY_SIZE(wc), wc);

	if (n < 0)
		return fail(g, "ibv_poll_cq failed");
	for (int i = 0; i < n; i++)
		if (dispatch(g, &wc[i], recv))
			return -1;
	return n;
}

static bool finished(struct group *g)
{
	for (uint32_t k = 0; k < g->c.nqp; k++) {
		struct qp_stream *q = &g->q[k];

		if (q->sender ? q->done < g->c.messages || credit_seen(g, q) < g->c.messages :
				q->received < g->c.messages || q->credit_sent < q->received ||
					q->credit_done < q->credit_posted)
			return false;
	}
	return true;
}

static void stalled(struct group *g)
{
	for (uint32_t k = 0; k < g->c.nqp; k++) {
		struct qp_stream *q = &g->q[k];

		if (q->sender && (q->done < g->c.messages || credit_seen(g, q) < g->c.messages))
			fail(g,
			     "no progress for %u s: QP %#x posted %u, completed %u, credited %u of %u",
			     WAIT_MS / 1000, q->qp->qp_num, q->posted, q->done, credit_seen(g, q),
			     g->c.messages);
		else if (!q->sender)
			fail(g, "no progress for %u s: QP %#x received %u of %u, credits %u/%u",
			     WAIT_MS / 1000, q->qp->qp_num, q->received, g->c.messages,
			     q->credit_done, q->credit_posted);
	}
}

static void pump(struct group *g)
{
	int n = 0, s;

	for (uint32_t k = 0; k < g->c.nqp && !g->err; k++)
		if (g->q[k].sender)
			pump_sender(g, &g->q[k]);
	if (g->err)
		return;
	n = poll_cq(g, g->rcq, true);
	s = g->err ? -1 : poll_cq(g, g->scq, false);
	for (uint32_t k = 0; k < g->c.nqp && !g->err; k++)
		if (!g->q[k].sender)
			send_credit(g, &g->q[k]);
	if (n + s > 0 || g->err)
		return;
	if (rvt_now_ms() - g->last_progress > WAIT_MS)
		stalled(g);
	sched_yield();
}

/* Nothing may come after the last message: it would be one delivered twice. */
static void expect_quiet(struct group *g)
{
	rvt_sleep_ms(50);
	if (poll_cq(g, g->rcq, true) > 0 || poll_cq(g, g->scq, false) > 0)
		fail(g, "completions after the last message");
}

static void *run_group(void *arg)
{
	struct group *g = arg;

	g->last_progress = rvt_now_ms();
	while (!g->err && !finished(g))
		pump(g);
	if (!g->err)
		expect_quiet(g);
	return NULL;
}

static void setup_qp(struct group *g, uint32_t k)
{
	struct qp_stream *q = &g->q[k];

	q->g = g;
	q->qp = agent_qp(g->ag, g->c.first_qp + k);
	q->id = g->c.first_qp + k;
	q->sender = (g->c.one_way || q->id % 2 == 0) == (g->c.side == 0);
	q->base = k * g->l.total;
	*(uint64_t *)(uintptr_t)(g->c.local.addr + q->base + g->l.credit) = 0;
	rvt_fill((void *)(uintptr_t)(g->c.local.addr + q->base + g->l.rsrc), 0, 2 * g->c.max_size,
		 read_key(g, q));
	if (q->sender)
		return;
	for (uint32_t i = 0; i < g->c.window && i < g->c.messages; i++)
		set_guard(g, q, i);
	post_receives(g, q);
}

int stream_start(struct agent *ag, const struct ep_stream *cfg)
{
	struct group *g = &groups[cfg->group % EP_MAX_CQ][cfg->side & 1];

	memset(g, 0, sizeof(*g));
	g->c = *cfg;
	g->ag = ag;
	g->l = layout_of(cfg->max_size, cfg->window);
	g->q = calloc(cfg->nqp, sizeof(*g->q));
	g->scq = agent_cq(ag, cfg->scq);
	g->rcq = agent_cq(ag, cfg->rcq);
	if (!g->q || g->l.total > cfg->local.len / cfg->nqp)
		return ENOMEM;
	for (uint32_t k = 0; k < cfg->nqp; k++)
		setup_qp(g, k);
	g->started = true;
	return g->err ? g->err : 0;
}

/* Senders may start only when every receiver stands: start is two steps. */
int stream_go(uint32_t group, uint32_t side)
{
	struct group *g = &groups[group % EP_MAX_CQ][side & 1];

	return pthread_create(&g->thread, NULL, run_group, g);
}

int stream_wait(uint32_t group, uint32_t side, char *text, size_t len)
{
	struct group *g = &groups[group % EP_MAX_CQ][side & 1];

	if (!g->started)
		return EINVAL;
	pthread_join(g->thread, NULL);
	snprintf(text, len, "%s", g->text);
	free(g->q);
	g->q = NULL;
	return g->err;
}
