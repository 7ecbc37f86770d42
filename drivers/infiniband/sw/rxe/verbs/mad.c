// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Performance management agent (IBTA 16.1): the counters of the port as
 * management datagrams. The core reads ports/N/counters/ through it.
 */
#include <rdma/ib_mad.h>
#include <rdma/ib_pma.h>

#include "../obj/dev.h"
#include "verbs.h"

#define PMA_VERSION 1

/* Data counters count words of 4 bytes (IBTA 16.1.3.5) */
#define DATA_UNIT 4

/* PortCountersExtended, but no counts of unicast and multicast packets */
#define PMA_CAPS IB_PMA_CLASS_CAP_EXT_WIDTH_NOIETF

static void class_port_info(struct ib_pma_mad *out)
{
	struct ib_class_port_info *info = (void *)out->data;

	BUILD_BUG_ON(sizeof(*info) > sizeof(out->data));
	info->base_version = IB_MGMT_BASE_VERSION;
	info->class_version = PMA_VERSION;
	info->capability_mask = PMA_CAPS;
}

static u64 words(const struct rxe_dev *dev, enum rxe_counter c)
{
	return rxe_count_sum(dev, c) / DATA_UNIT;
}

static __be32 be32_cap(u64 value)
{
	return cpu_to_be32(min_t(u64, value, U32_MAX));
}

/* The old, narrow counters stay at their maximum (IBTA 16.1.3.5) */
static void port_counters(const struct rxe_dev *dev, struct ib_pma_mad *out)
{
	struct ib_pma_portcounters *c = (void *)out->data;
	u64 downed = rxe_count_sum(dev, RXE_CNT_LINK_DOWNED);
	u64 discards = rxe_count_sum(dev, RXE_CNT_SEND_ERR);

	BUILD_BUG_ON(sizeof(*c) > sizeof(out->data));
	c->port_select = 1;
	c->link_downed_counter = min_t(u64, downed, U8_MAX);
	c->port_xmit_discards = cpu_to_be16(min_t(u64, discards, U16_MAX));
	c->port_xmit_data = be32_cap(words(dev, RXE_CNT_SENT_BYTES));
	c->port_rcv_data = be32_cap(words(dev, RXE_CNT_RCVD_BYTES));
	c->port_xmit_packets = be32_cap(rxe_count_sum(dev, RXE_CNT_SENT_PKTS));
	c->port_rcv_packets = be32_cap(rxe_count_sum(dev, RXE_CNT_RCVD_PKTS));
}

static void port_counters_ext(const struct rxe_dev *dev, struct ib_pma_mad *out)
{
	struct ib_pma_portcounters_ext *c = (void *)out->data;
	u64 sent = rxe_count_sum(dev, RXE_CNT_SENT_PKTS);
	u64 rcvd = rxe_count_sum(dev, RXE_CNT_RCVD_PKTS);

	BUILD_BUG_ON(sizeof(*c) > sizeof(out->data));
	c->port_select = 1;
	c->port_xmit_data = cpu_to_be64(words(dev, RXE_CNT_SENT_BYTES));
	c->port_rcv_data = cpu_to_be64(words(dev, RXE_CNT_RCVD_BYTES));
	c->port_xmit_packets = cpu_to_be64(sent);
	c->port_rcv_packets = cpu_to_be64(rcvd);
}

/* Fill the answer; the status it carries (IBTA 13.4.7) */
static u16 get_attribute(const struct rxe_dev *dev, __be16 attr_id,
			 struct ib_pma_mad *out)
{
	if (attr_id == IB_PMA_CLASS_PORT_INFO)
		class_port_info(out);
	else if (attr_id == IB_PMA_PORT_COUNTERS)
		port_counters(dev, out);
	else if (attr_id == IB_PMA_PORT_COUNTERS_EXT)
		port_counters_ext(dev, out);
	else
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	return 0;
}

/**
 * rxe_process_mad() - answer what is asked of the performance agent
 * @ibdev: the device
 * @flags: enum ib_process_mad_flags; there is no key to ignore
 * @port: 1
 * @in_wc: completion it came with; NULL when the core asks
 * @in_grh: its GRH or NULL
 * @in: the request; may come from the wire
 * @out: the answer
 * @out_size: its size
 * @out_pkey_index: left as it is
 *
 * Counters cannot be set back: Set is refused. All that is not for the
 * performance agent is left to the agents of the core.
 *
 * Context: may sleep.
 * Return: bits of enum ib_mad_result.
 */
int rxe_process_mad(struct ib_device *ibdev, int flags, u32 port,
		    const struct ib_wc *in_wc, const struct ib_grh *in_grh,
		    const struct ib_mad *in, struct ib_mad *out,
		    size_t *out_size, u16 *out_pkey_index)
{
	u16 status;

	if (in->mad_hdr.mgmt_class != IB_MGMT_CLASS_PERF_MGMT ||
	    (in->mad_hdr.method & IB_MGMT_METHOD_RESP))
		return IB_MAD_RESULT_SUCCESS;

	memset(out, 0, sizeof(*out));
	out->mad_hdr = in->mad_hdr;
	out->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	if (in->mad_hdr.class_version != PMA_VERSION)
		status = IB_MGMT_MAD_STATUS_BAD_VERSION;
	else if (in->mad_hdr.method == IB_MGMT_METHOD_GET)
		status = get_attribute(to_rxe_dev(ibdev), in->mad_hdr.attr_id,
				       (struct ib_pma_mad *)out);
	else
		status = IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD;
	out->mad_hdr.status = cpu_to_be16(status);
	*out_size = sizeof(*out);
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}
