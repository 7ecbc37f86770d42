/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Two connected RC QPs with a memory region and completion queues at each end. */
#ifndef RVT_PAIR_H
#define RVT_PAIR_H

#include "ep.h"

/* Slots every pair uses at both ends. */
enum { CQ_SEND = 0, CQ_RECV = 1, QP_0 = 0, MR_0 = 0, MW_0 = 0 };

#define MR_ALL (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)
#define QP_ALL (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)

struct conn {
	enum ibv_mtu mtu;
	uint32_t psn_a, psn_b;
	uint8_t timeout, retry, rnr_retry, min_rnr;
	uint8_t rd_atomic;
	int access_a, access_b; /* QP access flags */
	bool no_resources_b; /* b answers no READ and no atomic */
	bool uc; /* else RC */
};

struct pair_opts {
	struct conn conn;
	uint32_t mr_len;
	int mr_access_a, mr_access_b;
	uint32_t sq, rq, sge, inline_len;
	uint32_t cq_depth;
	bool sig_all, channel;
	bool ring; /* for work requests that ibv_post_send() does not know */
};

struct pair {
	struct ep *a, *b;
	struct pair_opts o;
	struct ep_mr ma, mb;
	uint32_t qpn_a, qpn_b;
	struct ibv_qp_cap cap_a, cap_b;
};

extern struct pair_opts pair_defaults;

/* The kernel is so many times as slow as others: an answer may take as long. */
void pair_slow(int times);

/* Creates everything and brings both QPs to RTS. */
void pair_open(struct pair *p, struct env *e, const struct pair_opts *o);
/* The same, QPs left in RESET. */
void pair_create(struct pair *p, struct env *e, const struct pair_opts *o);
void pair_init(struct pair *p); /* both to INIT */
void pair_half(struct pair *p); /* a from INIT to RTS, b to RTR */
void pair_connect(struct pair *p);

/* Attributes and mask of one step of the QP state machine. */
int attr_init(struct ibv_qp_attr *attr, int access);
int attr_rtr(struct ibv_qp_attr *attr, const struct conn *c, const struct ep *self,
	     const struct ep *peer, uint32_t dest_qpn, uint32_t psn);
int attr_rts(struct ibv_qp_attr *attr, const struct conn *c, uint32_t psn);
/* The QPs of @slot at both ends to RTS; PSNs differ from slot to slot. */
void connect_slot(struct env *e, const struct conn *c, uint32_t slot, uint32_t qpn_a,
		  uint32_t qpn_b);
void set_state(struct ep *ep, uint32_t qp, enum ibv_qp_state state);
void expect_state(struct ep *ep, uint32_t qp, enum ibv_qp_state state);

struct ibv_sge sge_of(const struct ep_mr *mr, uint32_t off, uint32_t len);
struct ep_wr wr_recv(uint64_t id, const struct ep_mr *mr, uint32_t off, uint32_t len);
/* Signaled work request; @raddr/@rkey are set from @remote when not NULL. */
struct ep_wr wr_op(uint64_t id, enum ibv_wr_opcode op, const struct ep_mr *mr, uint32_t off,
		   uint32_t len, const struct ep_mr *remote, uint32_t roff);

/* Wait for one completion and hold it against what it must be. */
void expect_wc(struct ep *ep, uint32_t cq, uint64_t wr_id, enum ibv_wc_status status);
struct ibv_wc expect_send(struct ep *ep, uint32_t cq, uint64_t wr_id, enum ibv_wr_opcode op);
/* @tell: the immediate, or the key that was invalidated. */
struct ibv_wc expect_recv(struct ep *ep, uint32_t cq, uint64_t wr_id, enum ibv_wr_opcode op,
			  uint32_t len, uint32_t tell);
/* A SEND of nothing: what was sent before it, on an unreliable connection too, is there. */
void pair_sync(struct pair *p);
void expect_none(struct ep *ep, uint32_t cq, uint32_t ms, const char *why);

/* One message of @len bytes and its data, checked at both ends. SEND_INV needs an @mto
 * that windows may be bound to.
 */
void transfer(struct ep *from, struct ep *to, const struct ep_mr *mfrom, const struct ep_mr *mto,
	      enum ibv_wr_opcode op, uint32_t len, uint32_t soff, uint32_t doff, uint64_t key);

enum ibv_mtu mtu_enum(unsigned int bytes);
bool op_consumes_recv(enum ibv_wr_opcode op);
const char *op_name(enum ibv_wr_opcode op);
const char *state_name(enum ibv_qp_state state);

#endif
