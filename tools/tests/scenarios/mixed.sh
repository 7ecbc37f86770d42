#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# only: full
# guests: 2
# pairs: ours/stock stock/ours
# Two drivers that must understand each other: RXE_DRIVER here is the client,
# RXE_PEER_DRIVER in the other guest the server. Cases that judge how a fault is
# reported are left out: there the kernel's own driver has its own mind.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"
. "$RXE_TOP/tools/tests/scenarios/perftest.sh"
CASES=('data.*' 'psn.*' 'flow.rnr_late*' 'flow.rnr_mixed' 'flow.fence' 'stream.one_qp' 'stream.both_ways'
	'stream.rnr')

driver_up
peer_up
gid_setup
# The kernel's own driver answers READs in one go: with many QPs, one waits for seconds
# behind what was asked for by the others.
PERF_QP_TIMEOUT=19
perf_all pair local
RUN_LIMIT=600 peer_server 7471 "$RVT" --server
t_ktap "verbs." 300 "$RVT" --client "$(vm_ip 0)" "${CASES[@]}"
t_ktap "verbs_swapped." 300 "$RVT" --client "$(vm_ip 0)" --swap "${CASES[@]}"
peer_quit
t_done
