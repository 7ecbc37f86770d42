// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <linux/build_bug.h>

#include "proto/qpfsm.h"
#include "proto/req.h"
#include "proto/resp.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

/* What the printed names in trace.h stand for */
static_assert(RXE_QPS_RESET == 0 && RXE_QPS_RTS == 3 && RXE_QPS_ERR == 6);
static_assert(RXE_RX_DROP == 0 && RXE_RX_READ == 3 && RXE_RX_FATAL == 6);
static_assert(RXE_ACK_DROP == 0 && RXE_ACK_PLACE == 2 && RXE_ACK_FATAL == 4);
