#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# only: full
# guests: 2
# The same programs between two guests.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"
. "$RXE_TOP/tools/tests/scenarios/perftest.sh"
. "$RXE_TOP/tools/tests/scenarios/rdmacm.sh"

driver_up
peer_up
modprobe rdma_ucm
peer modprobe rdma_ucm
T_TIDY=cm_tidy
for family in v4 v6; do
	peer vm_gid $DEV "$(server_addr $family pair)" >/tmp/peer.gid
	more_pingpongs pair "$(sed 's/^\[peer\] //' /tmp/peer.gid)" \
		"$(vm_gid $DEV "$(own_addr $family)")" $family
	cm_all pair $family
done
peer_quit
t_done
