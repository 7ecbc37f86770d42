// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <linux/module.h>

#include "../obj/dev.h"
#include "compat/rdma.h"
#include "verbs.h"

/* An IEEE OUI that nobody has: there is no hardware behind the device */
#define VENDOR_ID 0xffffff

/* What stands in for hardware: RoCE, on its UDP port, of version 2 */
#define PART_ID 4791
#define HW_VER 2

/* Numbers of the user ABI, for a core whose enum ends before them */
#define ODP_SUPPORT_FLUSH BIT(6)
#define ODP_SUPPORT_ATOMIC_WRITE BIT(7)

/* Local CA ACK delay, 4.096 us * 2^15 = 134 ms (IBTA 11.2.1.2) */
#define ACK_DELAY 15

/* Version of this module, 16 bits for each of its three numbers */
static u64 fw_ver(void)
{
	unsigned int major = 0, minor = 0, patch = 0;

	if (sscanf(THIS_MODULE->version ?: "", "%u.%u.%u", &major, &minor,
		   &patch) < 2)
		return 0;
	return (u64)major << 32 | minor << 16 | patch;
}

static void fill_queue_limits(struct ib_device_attr *attr)
{
	attr->max_qp = RXE_MAX_QP;
	attr->max_qp_wr = RXE_MAX_QP_WR;
	attr->max_send_sge = RXE_MAX_SGE;
	attr->max_recv_sge = RXE_MAX_SGE;
	attr->max_sge_rd = RXE_MAX_SGE;
	attr->max_cq = RXE_MAX_CQ;
	attr->max_cqe = RXE_MAX_CQE;
	attr->max_srq = RXE_MAX_SRQ;
	attr->max_srq_wr = RXE_MAX_SRQ_WR;
	attr->max_srq_sge = RXE_MAX_SRQ_SGE;
	attr->max_qp_rd_atom = RXE_MAX_QP_RD_ATOM;
	attr->max_qp_init_rd_atom = RXE_MAX_QP_RD_ATOM;
	/* responder resources are not shared among QPs */
	attr->max_res_rd_atom = RXE_MAX_QP_RD_ATOM * RXE_MAX_QP;
}

static void fill_memory_limits(struct ib_device_attr *attr)
{
	attr->max_mr_size = U64_MAX;
	attr->page_size_cap = 0xfffff000;
	attr->max_mr = RXE_MAX_MR;
	attr->max_mw = RXE_MAX_MW;
	attr->max_fast_reg_page_list_len = RXE_MAX_FMR_PAGES;
}

/* All that there is may be done with memory that is not pinned */
static void fill_odp(struct ib_device_attr *attr)
{
	u32 ud = IB_ODP_SUPPORT_SEND | IB_ODP_SUPPORT_RECV |
		 IB_ODP_SUPPORT_SRQ_RECV;
	u32 uc = ud | IB_ODP_SUPPORT_WRITE;
	u32 rc = uc | IB_ODP_SUPPORT_READ | IB_ODP_SUPPORT_ATOMIC |
		 ODP_SUPPORT_ATOMIC_WRITE;

	attr->kernel_cap_flags |= IBK_ON_DEMAND_PAGING;
	attr->odp_caps.general_caps = IB_ODP_SUPPORT;
	attr->odp_caps.per_transport_caps.rc_odp_caps =
		rc | (RXE_DEVICE_FLUSH ? ODP_SUPPORT_FLUSH : 0);
	attr->odp_caps.per_transport_caps.uc_odp_caps = uc;
	attr->odp_caps.per_transport_caps.ud_odp_caps = ud;
}

/**
 * rxe_query_device() - attributes of the device (IBTA 11.2.1.2)
 * @ibdev: the device
 * @attr: filled; zeroed by the caller
 * @udata: no private data either way, its answer is zeroed
 *
 * Each limit is the one that creation enforces.
 *
 * Context: process; also while the device is being registered.
 * Return: 0, -EOPNOTSUPP for a private request, -EFAULT.
 */
int rxe_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		     struct ib_udata *udata)
{
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;

	attr->vendor_id = VENDOR_ID;
	attr->vendor_part_id = PART_ID;
	attr->hw_ver = HW_VER;
	attr->fw_ver = fw_ver();
	attr->sys_image_guid = ibdev->node_guid;
	attr->device_cap_flags =
		IB_DEVICE_UD_AV_PORT_ENFORCE | IB_DEVICE_CURR_QP_STATE_MOD |
		IB_DEVICE_PORT_ACTIVE_EVENT | IB_DEVICE_SYS_IMAGE_GUID |
		IB_DEVICE_RC_RNR_NAK_GEN | IB_DEVICE_MEM_MGT_EXTENSIONS |
		IB_DEVICE_SRQ_RESIZE | IB_DEVICE_MEM_WINDOW |
		IB_DEVICE_MEM_WINDOW_TYPE_2B | IB_DEVICE_ATOMIC_WRITE |
		RXE_DEVICE_FLUSH;
	attr->kernel_cap_flags = IBK_ALLOW_USER_UNREG;
	attr->atomic_cap = IB_ATOMIC_HCA;
	attr->max_pd = RXE_MAX_PD;
	attr->max_ah = RXE_MAX_AH;
	attr->max_mcast_grp = RXE_MAX_MCAST_GRP;
	attr->max_mcast_qp_attach = RXE_MAX_MCAST_ATTACH;
	attr->max_total_mcast_qp_attach =
		RXE_MAX_MCAST_GRP * RXE_MAX_MCAST_ATTACH;
	attr->max_pkeys = RXE_PORT_PKEYS;
	attr->local_ca_ack_delay = ACK_DELAY;
	fill_queue_limits(attr);
	fill_memory_limits(attr);
	if (RXE_HAS_ODP)
		fill_odp(attr);
	return 0;
}

/**
 * rxe_modify_device() - change the node description
 * @ibdev: the device
 * @mask: enum ib_device_modify_flags; only NODE_DESC can be changed
 * @attr: new values
 *
 * Context: process.
 * Return: 0, -EOPNOTSUPP.
 */
int rxe_modify_device(struct ib_device *ibdev, int mask,
		      struct ib_device_modify *attr)
{
	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;

	if (mask & IB_DEVICE_MODIFY_NODE_DESC)
		memcpy(ibdev->node_desc, attr->node_desc,
		       sizeof(ibdev->node_desc));
	return 0;
}

/**
 * rxe_get_dev_fw_str() - what runs the device: the version of this module
 * @ibdev: the device
 * @str: IB_FW_VERSION_NAME_MAX bytes
 *
 * Context: any.
 */
void rxe_get_dev_fw_str(struct ib_device *ibdev, char *str)
{
	strscpy(str, THIS_MODULE->version ?: "", IB_FW_VERSION_NAME_MAX);
}
