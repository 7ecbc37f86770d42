// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* FLUSH and ATOMIC WRITE in enums of core. In 6.12, not in 6.1 */
#include <rdma/ib_verbs.h>

const enum ib_wr_opcode probe_wr[] = { IB_WR_FLUSH, IB_WR_ATOMIC_WRITE };
const enum ib_wc_opcode probe_wc[] = { IB_WC_FLUSH, IB_WC_ATOMIC_WRITE };
const unsigned long long probe_cap = IB_DEVICE_FLUSH_GLOBAL |
				     IB_DEVICE_FLUSH_PERSISTENT |
				     IB_DEVICE_ATOMIC_WRITE;
