/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What "rdma resource show" with details tells about objects of ours */
#ifndef RXE_RESTRACK_H
#define RXE_RESTRACK_H

struct ib_cq;
struct ib_mr;
struct ib_qp;
struct ib_srq;
struct sk_buff;

int rxe_fill_res_qp(struct sk_buff *msg, struct ib_qp *ibqp);
int rxe_fill_res_cq(struct sk_buff *msg, struct ib_cq *ibcq);
int rxe_fill_res_mr(struct sk_buff *msg, struct ib_mr *ibmr);
int rxe_fill_res_srq(struct sk_buff *msg, struct ib_srq *ibsrq);

#endif /* RXE_RESTRACK_H */
