#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 1
# kernel: debug
# timeout: 300
# The verbs of kernel users between two QPs of one device, by a KUnit module.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"

# The module runs its suite while it is loaded, and says in the kernel's log what
# came of it.
if [ "${1:-}" = suite ]; then
	dmesg -C
	insmod "$RXE_KVERBS"
	dmesg -t | sed -n -E 's/^    (1\.\..*)/\1/p; s/^    (not )?ok ([0-9]+) (- )?(.*)/\1ok \2 - \4/p; s/^    (#.*)/\1/p'
	rmmod rxe_kverbs
	exit
fi

driver_up
t_ktap "" 200 "$0" suite
t_case unload rmmod rdma_rxe
t_done
