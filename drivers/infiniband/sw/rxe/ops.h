/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The operations table, and what else depends on the kernel's RDMA core */
#ifndef RXE_OPS_H
#define RXE_OPS_H

#include <rdma/ib_verbs.h>

extern const struct ib_device_ops rxe_dev_ops;

bool rxe_ops_core_sends_port_events(void);

#endif /* RXE_OPS_H */
