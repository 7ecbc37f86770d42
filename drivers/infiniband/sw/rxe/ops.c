// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The operations table. The one source file that knows how kernels differ: our
 * own verbs have the signatures of the newest, and here they are fitted to what
 * the kernel at hand calls.
 */
#include "ops.h"

#include <linux/device.h>
#include <linux/rtnetlink.h>
#include <linux/sched/signal.h>
#include <linux/sysfs.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "compat/features.h"
#include "compat/rdma.h"
#include "dev.h"
#include "obj/cq.h"
#include "obj/mw.h"
#include "obj/queue.h"
#include "obj/srq.h"
#include "dp/qp.h"
#include "restrack.h"
#include "stats.h"
#include "verbs/verbs.h"

/**
 * rxe_ops_core_sends_port_events() - does the core raise port events by itself?
 *
 * Context: any.
 */
bool rxe_ops_core_sends_port_events(void)
{
#ifdef HAVE_CORE_PORT_EVENTS
	return true;
#else
	return false;
#endif
}

/* Kernel consumers come without attributes, and so without udata */
#ifdef HAVE_CREATE_CQ_ATTRS
static int create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		     struct uverbs_attr_bundle *attrs)
{
	return rxe_create_cq(ibcq, attr, attrs ? &attrs->driver_udata : NULL);
}
#else
static int create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		     struct ib_udata *udata)
{
	return rxe_create_cq(ibcq, attr, udata);
}
#endif

#ifndef HAVE_RESIZE_USER_CQ
static int resize_cq(struct ib_cq *ibcq, int cqe, struct ib_udata *udata)
{
	return cqe < 0 ? -EINVAL : rxe_resize_cq(ibcq, cqe, udata);
}
#endif

#ifdef HAVE_REG_USER_MR_DMAH
static struct ib_mr *reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
				 u64 iova, int access, struct ib_dmah *dmah,
				 struct ib_udata *udata)
{
	if (dmah)
		return ERR_PTR(-EOPNOTSUPP);
	return rxe_reg_user_mr(ibpd, start, length, iova, access, udata);
}
#else
static struct ib_mr *reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
				 u64 iova, int access, struct ib_udata *udata)
{
	return rxe_reg_user_mr(ibpd, start, length, iova, access, udata);
}
#endif

/*
 * Name of the interface; udev rules read it. An interface can be renamed under
 * rtnl, which must not be waited for here: removal of the attribute waits for us.
 */
static ssize_t parent_show(struct device *device, struct device_attribute *attr,
			   char *buf)
{
	struct rxe_dev *dev =
		rdma_device_to_drv_device(device, struct rxe_dev, ib);
	ssize_t len;

	if (!rtnl_trylock())
		return restart_syscall();
	len = sysfs_emit(buf, "%s\n", dev->ndev->name);
	rtnl_unlock();
	return len;
}

static DEVICE_ATTR_RO(parent);

static struct attribute *dev_attrs[] = {
	&dev_attr_parent.attr,
	NULL,
};

static const struct attribute_group dev_group = {
	.attrs = dev_attrs,
};

const struct ib_device_ops rxe_dev_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_RXE,
	.uverbs_abi_ver = 2,

	.advise_mr = rxe_advise_mr,
	.alloc_hw_port_stats = rxe_stats_alloc,
	.alloc_mr = rxe_alloc_mr,
	.alloc_mw = rxe_alloc_mw,
	.alloc_pd = rxe_alloc_pd,
	.alloc_ucontext = rxe_alloc_ucontext,
	.attach_mcast = rxe_attach_mcast,
	.create_ah = rxe_create_ah,
	.create_cq = create_cq,
	.create_qp = rxe_create_qp,
	.create_srq = rxe_create_srq,
	.create_user_ah = rxe_create_ah,
	.dealloc_driver = rxe_dev_dealloc,
	.dealloc_mw = rxe_dealloc_mw,
	.dealloc_pd = rxe_dealloc_pd,
	.dealloc_ucontext = rxe_dealloc_ucontext,
	.dereg_mr = rxe_dereg_mr,
	.destroy_ah = rxe_destroy_ah,
	.destroy_cq = rxe_destroy_cq,
	.destroy_qp = rxe_destroy_qp,
	.destroy_srq = rxe_destroy_srq,
	.detach_mcast = rxe_detach_mcast,
	.device_group = &dev_group,
	.disassociate_ucontext = rxe_disassociate_ucontext,
	.fill_res_cq_entry = rxe_fill_res_cq,
	.fill_res_mr_entry = rxe_fill_res_mr,
	.fill_res_qp_entry = rxe_fill_res_qp,
#ifdef HAVE_FILL_RES_SRQ
	.fill_res_srq_entry = rxe_fill_res_srq,
#endif
	.get_dev_fw_str = rxe_get_dev_fw_str,
	.get_dma_mr = rxe_get_dma_mr,
	.get_hw_stats = rxe_stats_get,
	.get_link_layer = rxe_get_link_layer,
	.get_port_immutable = rxe_get_port_immutable,
	.map_mr_sg = rxe_map_mr_sg,
	.mmap = rxe_mmap,
	.mmap_free = rxe_queue_mmap_free,
	.modify_ah = rxe_modify_ah,
	.modify_device = rxe_modify_device,
	.modify_port = rxe_modify_port,
	.modify_qp = rxe_modify_qp,
	.modify_srq = rxe_modify_srq,
	.poll_cq = rxe_poll_cq,
	.post_recv = rxe_post_recv,
	.post_send = rxe_post_send,
	.post_srq_recv = rxe_post_srq_recv,
	.process_mad = rxe_process_mad,
	.query_ah = rxe_query_ah,
	.query_device = rxe_query_device,
	.query_pkey = rxe_query_pkey,
	.query_port = rxe_query_port,
	.query_qp = rxe_query_qp,
	.query_srq = rxe_query_srq,
	.reg_user_mr = reg_user_mr,
	.rereg_user_mr = rxe_rereg_user_mr,
	.req_notify_cq = rxe_req_notify_cq,
#ifdef HAVE_RESIZE_USER_CQ
	.resize_user_cq = rxe_resize_cq,
#else
	.resize_cq = resize_cq,
#endif

	INIT_RDMA_OBJ_SIZE(ib_ah, rxe_ah, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, rxe_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_mw, rxe_mw, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, rxe_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, rxe_dp_qp, qp.ib),
	INIT_RDMA_OBJ_SIZE(ib_srq, rxe_srq, ib),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, rxe_ucontext, ib),
};
