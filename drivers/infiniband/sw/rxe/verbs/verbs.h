/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The verbs: validate what the consumer asks for, then call obj/ and dp/. The
 * only place where user pointers and struct ib_udata are touched.
 *
 * Names follow the members of struct ib_device_ops, arguments the 7.3 kernel;
 * ops.c adapts where a kernel's table differs.
 */
#ifndef RXE_VERBS_VERBS_H
#define RXE_VERBS_VERBS_H

#include <rdma/ib_verbs.h>

struct vm_area_struct;

/* Tables of the one port */
#define RXE_PORT_GIDS 1024
#define RXE_PORT_PKEYS 1

/* Access flags that a region or a QP may be given */
#define RXE_ACCESS_SUPPORTED                                                   \
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |                      \
	 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_MW_BIND | \
	 IB_ACCESS_FLUSH_GLOBAL | IB_ACCESS_FLUSH_PERSISTENT |                 \
	 IB_ACCESS_OPTIONAL | RXE_ACCESS_ODP)

/* Those of regions that are not pinned; huge pages are a hint */
#define RXE_HAS_ODP IS_ENABLED(CONFIG_INFINIBAND_ON_DEMAND_PAGING)
#define RXE_ACCESS_ODP \
	(RXE_HAS_ODP ? IB_ACCESS_ON_DEMAND | IB_ACCESS_HUGETLB : 0)

/**
 * struct rxe_ucontext - a process that has the device open
 * @ib: the core's context
 * @pager: of its user
 */
struct rxe_ucontext {
	struct ib_ucontext ib;
	struct rxe_pager *pager;
};

struct rxe_pd {
	struct ib_pd ib;
};

/* device.c */
int rxe_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		     struct ib_udata *udata);
int rxe_modify_device(struct ib_device *ibdev, int mask,
		      struct ib_device_modify *attr);
void rxe_get_dev_fw_str(struct ib_device *ibdev, char *str);

/* port.c */
int rxe_query_port(struct ib_device *ibdev, u32 port,
		   struct ib_port_attr *attr);
int rxe_modify_port(struct ib_device *ibdev, u32 port, int mask,
		    struct ib_port_modify *attr);
int rxe_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey);
enum rdma_link_layer rxe_get_link_layer(struct ib_device *ibdev, u32 port);
int rxe_get_port_immutable(struct ib_device *ibdev, u32 port,
			   struct ib_port_immutable *immutable);

/* mad.c */
int rxe_process_mad(struct ib_device *ibdev, int flags, u32 port,
		    const struct ib_wc *in_wc, const struct ib_grh *in_grh,
		    const struct ib_mad *in, struct ib_mad *out,
		    size_t *out_size, u16 *out_pkey_index);

/* Of a kernel consumer, or without a private request, which nothing here takes, and with
 * room for the answer
 */
static inline bool rxe_udata_ok(const struct ib_udata *udata, size_t answer)
{
	return !udata || (!udata->inlen && udata->outlen >= answer);
}

/* ucontext.c */
int rxe_alloc_ucontext(struct ib_ucontext *ibuctx, struct ib_udata *udata);
void rxe_dealloc_ucontext(struct ib_ucontext *ibuctx);
void rxe_disassociate_ucontext(struct ib_ucontext *ibuctx);
struct ib_ucontext *rxe_udata_ucontext(struct ib_udata *udata);
struct rxe_pager *rxe_udata_pager(struct ib_udata *udata);

/* mmap.c */
int rxe_mmap(struct ib_ucontext *ibuctx, struct vm_area_struct *vma);

/* pd.c */
int rxe_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int rxe_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);

/* ah.c */
int rxe_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		  struct ib_udata *udata);
int rxe_modify_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int rxe_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int rxe_destroy_ah(struct ib_ah *ibah, u32 flags);

/* mr.c */
struct ib_mr *rxe_get_dma_mr(struct ib_pd *ibpd, int access);
struct ib_mr *rxe_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
			      u64 iova, int access, struct ib_udata *udata);
struct ib_mr *rxe_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type,
			   u32 max_num_sg);
int rxe_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents,
		  unsigned int *sg_offset);
int rxe_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);
struct ib_mr *rxe_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start,
				u64 length, u64 iova, int access,
				struct ib_pd *ibpd, struct ib_udata *udata);
int rxe_advise_mr(struct ib_pd *ibpd, enum ib_uverbs_advise_mr_advice advice,
		  u32 flags, struct ib_sge *sg_list, u32 num_sge,
		  struct uverbs_attr_bundle *attrs);

/* mw.c */
int rxe_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);
int rxe_dealloc_mw(struct ib_mw *ibmw);

/* cq.c */
int rxe_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  struct ib_udata *udata);
int rxe_resize_cq(struct ib_cq *ibcq, unsigned int cqe, struct ib_udata *udata);
int rxe_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int rxe_poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *wc);
int rxe_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);

/* srq.c */
int rxe_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		   struct ib_udata *udata);
int rxe_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		   enum ib_srq_attr_mask mask, struct ib_udata *udata);
int rxe_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int rxe_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);
int rxe_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr);

/* qp.c */
int rxe_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		  struct ib_udata *udata);
int rxe_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init);
int rxe_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);

/* modify_qp.c */
int rxe_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata);

/* mcast.c */
int rxe_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
int rxe_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);

/* post.c */
int rxe_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr);
int rxe_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr);

#endif /* RXE_VERBS_VERBS_H */
