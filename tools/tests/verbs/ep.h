/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Endpoints: one open device with numbered MR, CQ and QP slots.  Every
 * operation is a request and a response, executed directly when the endpoint
 * is in this process and sent over TCP otherwise (same architecture at both
 * ends, so structures travel as they are).
 */
#ifndef RVT_EP_H
#define RVT_EP_H

#include "rvt.h"

#define EP_MAX_MR 16
#define EP_MAX_CQ 32
#define EP_MAX_QP 64
#define EP_MAX_PD 2
#define EP_MAX_SGE 32
#define EP_MAX_WR 40
#define EP_MAX_WC 64

/* What the kernel has and this libibverbs not yet */
#define WR_FLUSH 14
#define WC_FLUSH 8
#define ACCESS_FLUSH_GLOBAL (1 << 8)
#define ACCESS_FLUSH_PERSISTENT (1 << 9)
#define CAP_FLUSH_GLOBAL (1ULL << 38)
#define CAP_FLUSH_PERSISTENT (1ULL << 39)
enum { FLUSH_GLOBAL = 1, FLUSH_PERSISTENT = 2 }; /* types, both together too */
enum { FLUSH_RANGE = 0, FLUSH_REGION = 1 }; /* levels */

enum ep_op {
	EP_OPEN,
	EP_REG_MR,
	EP_DEREG_MR,
	EP_CREATE_AH,
	EP_BIND_MW,
	EP_DEALLOC_MW,
	EP_CREATE_CQ,
	EP_DESTROY_CQ,
	EP_CREATE_QP,
	EP_MODIFY_QP,
	EP_QUERY_QP,
	EP_DESTROY_QP,
	EP_POST_SEND,
	EP_POST_RECV,
	EP_POLL_CQ,
	EP_ARM_CQ,
	EP_WAIT_CQ,
	EP_ASYNC,
	EP_FILL,
	EP_FIND,
	EP_GET_U64,
	EP_SET_U64,
	EP_STREAM_START,
	EP_STREAM_GO,
	EP_STREAM_WAIT,
};

struct ep_wr {
	uint64_t wr_id;
	uint32_t opcode;
	uint32_t flags;
	uint32_t imm; /* host order */
	uint32_t rkey;
	uint64_t raddr;
	uint64_t compare_add, swap; /* atomics; ATOMIC WRITE has swap alone */
	uint32_t qpn, qkey; /* of a datagram, which goes to the end of ep_ah() */
	uint32_t ring; /* written into the ring past the library, see ring.c */
	uint32_t ring_len;
	uint8_t flush_type, flush_level;
	uint32_t nsge;
	struct ibv_sge sge[EP_MAX_SGE];
};

struct ep_qp_init {
	uint32_t scq, rcq;
	uint32_t sq_sig_all;
	uint32_t type; /* enum ibv_qp_type, 0: RC */
	uint32_t ring; /* for work requests that ibv_post_send() does not know */
	struct ibv_qp_cap cap;
};

struct ep_mr {
	uint32_t slot;
	uint32_t lkey, rkey;
	uint32_t len;
	uint64_t addr;
};

/* One group of QPs driven by one thread, see stream.c. */
struct ep_stream {
	uint64_t seed;
	uint32_t group;
	uint32_t first_qp, nqp;
	uint32_t scq, rcq;
	uint32_t messages, max_size, window, recvs;
	uint32_t side; /* 0: endpoint a, 1: endpoint b */
	uint32_t one_way;
	struct ep_mr local, peer;
};

struct ep_req {
	uint32_t size; /* bytes of this structure in use */
	uint32_t op;
	uint32_t slot;
	uint32_t count;
	uint64_t arg[6];
	union {
		char name[128];
		union ibv_gid gid;
		struct ep_qp_init qp;
		struct {
			struct ibv_qp_attr attr;
			int mask;
		} modify;
		struct ep_wr wr[EP_MAX_WR];
		struct ep_stream stream;
	};
};

struct ep_rsp {
	uint32_t size;
	int32_t err; /* errno of the verb, 0 when it worked */
	uint32_t count;
	uint64_t val[4];
	char text[200]; /* what went wrong, for a person */
	union {
		struct {
			union ibv_gid gid;
			struct ibv_port_attr port;
			struct ibv_device_attr dev;
		} open;
		struct {
			struct ibv_qp_attr attr;
			struct ibv_qp_cap cap;
		} qp;
		struct ibv_wc wc[EP_MAX_WC];
	};
};

struct agent;
struct agent *agent_new(void);
void agent_handle(struct agent *ag, const struct ep_req *req, struct ep_rsp *rsp);
struct ibv_qp *agent_qp(struct agent *ag, uint32_t slot);
struct ibv_cq *agent_cq(struct agent *ag, uint32_t slot);
struct ibv_mr *agent_mr(struct agent *ag, uint32_t slot);
struct ibv_pd *agent_pd(struct agent *ag, uint32_t nr);

struct ep {
	const char *tag; /* "a" or "b" in messages */
	int fd; /* TCP connection, or -1 */
	struct agent *agent;
	union ibv_gid gid;
	uint32_t gid_index;
	struct ibv_port_attr port;
	struct ibv_device_attr dev;
	uint64_t caps; /* device_cap_flags_ex */
};

struct ep *ep_local(const char *tag, const struct rvt_dev *dev);
struct ep *ep_remote(const char *tag, const struct rvt_dev *dev, const char *host,
		     const char *port);
int ep_serve(const char *port);

/* Verbs that must work: they fail the case otherwise. */
struct ep_mr ep_mr(struct ep *ep, uint32_t slot, uint32_t len, int access, int pd);
/* The same, with @iova as its first address for work requests and peers. */
struct ep_mr ep_mr_iova(struct ep *ep, uint32_t slot, uint32_t len, int access, uint64_t iova);
/* The same, of the persistent memory that $RVT_PMEM, a DAX device, gives out. */
struct ep_mr ep_pmem_mr(struct ep *ep, uint32_t slot, uint32_t len, int access);
void ep_dereg_mr(struct ep *ep, uint32_t slot);
/* Binds window @mw, of type 2, on a QP: its R_Key. */
uint32_t ep_bind(struct ep *ep, uint32_t mw, uint32_t qp, const struct ep_mr *mr, uint32_t off,
		 uint32_t len, int access);
void ep_dealloc_mw(struct ep *ep, uint32_t mw);
/* Where datagrams go to. */
void ep_ah(struct ep *ep, const union ibv_gid *dgid);
uint32_t ep_cq(struct ep *ep, uint32_t slot, uint32_t depth, bool channel);
void ep_destroy_cq(struct ep *ep, uint32_t slot);
struct ibv_qp_cap ep_qp(struct ep *ep, uint32_t slot, const struct ep_qp_init *init, uint32_t *qpn);
void ep_destroy_qp(struct ep *ep, uint32_t slot);
void ep_modify(struct ep *ep, uint32_t slot, const struct ibv_qp_attr *attr, int mask);
struct ibv_qp_attr ep_query(struct ep *ep, uint32_t slot, struct ibv_qp_cap *cap);
void ep_send(struct ep *ep, uint32_t qp, const struct ep_wr *wr, uint32_t n);
void ep_recv(struct ep *ep, uint32_t qp, const struct ep_wr *wr, uint32_t n);
/* Wait for exactly one completion. */
struct ibv_wc ep_wait(struct ep *ep, uint32_t cq);
/* Up to @max completions within @ms, no failure when there are none. */
uint32_t ep_poll(struct ep *ep, uint32_t cq, struct ibv_wc *wc, uint32_t max, uint32_t ms);
void ep_arm(struct ep *ep, uint32_t cq, bool solicited);
/* Whether an event of @cq came within @ms; consumes and acknowledges it. */
bool ep_event(struct ep *ep, uint32_t cq, uint32_t ms);
/* Next asynchronous event of the device, or -1 after @ms. */
int ep_async(struct ep *ep, uint32_t ms);
void ep_fill(struct ep *ep, const struct ep_mr *mr, uint32_t off, uint32_t len, uint64_t key);
void ep_fill_at(struct ep *ep, const struct ep_mr *mr, uint32_t off, uint32_t len, uint64_t key,
		uint64_t poff);
void ep_verify(struct ep *ep, const struct ep_mr *mr, uint32_t off, uint32_t len, uint64_t key,
	       const char *what);
/* ..._at: the pattern from its byte @poff on. */
void ep_verify_at(struct ep *ep, const struct ep_mr *mr, uint32_t off, uint32_t len, uint64_t key,
		  uint64_t poff, const char *what);

/* A word of memory, as the CPU sees it. */
uint64_t ep_u64(struct ep *ep, const struct ep_mr *mr, uint32_t off);
void ep_set_u64(struct ep *ep, const struct ep_mr *mr, uint32_t off, uint64_t value);

/* The same, handing back the errno. */
int ep_try_mr(struct ep *ep, uint32_t slot, uint32_t len, int access, int pd, bool pmem);
int ep_try_modify(struct ep *ep, uint32_t slot, const struct ibv_qp_attr *attr, int mask);
int ep_try_send(struct ep *ep, uint32_t qp, const struct ep_wr *wr, uint32_t n);
int ep_try_recv(struct ep *ep, uint32_t qp, const struct ep_wr *wr, uint32_t n);
int ep_try_destroy_cq(struct ep *ep, uint32_t slot);

void ep_stream_start(struct ep *ep, const struct ep_stream *cfg);
void ep_stream_go(struct ep *ep, uint32_t group, uint32_t side);
void ep_stream_wait(struct ep *ep, uint32_t group, uint32_t side);

#endif
