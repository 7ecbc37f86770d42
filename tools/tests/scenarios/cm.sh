#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# only: full
# guests: 1
# Programs of the RDMA connection manager and datagram pingpongs, in one guest,
# over IPv4 and IPv6.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"
. "$RXE_TOP/tools/tests/scenarios/perftest.sh"
. "$RXE_TOP/tools/tests/scenarios/rdmacm.sh"

driver_up
modprobe rdma_ucm
T_TIDY=cm_tidy
for family in v4 v6; do
	gid=$(vm_gid $DEV "$(own_addr $family)")
	more_pingpongs local "$gid" "$gid" $family
	cm_all local $family
done
t_done
