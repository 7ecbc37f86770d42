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
t_case write_bw perf pair 1 ib_write_bw -n 100
t_case read_bw perf pair 1 ib_read_bw -n 100
t_case send_lat perf pair 1 ib_send_lat -n 100
t_case send_bw_both_ways perf pair 1 ib_send_bw -b -n 100
RUN_LIMIT=600 peer_server 7471 "$RVT" --server
t_ktap "verbs." 300 "$RVT" --client "$(vm_ip 0)" "${CASES[@]}"
t_ktap "verbs_swapped." 300 "$RVT" --client "$(vm_ip 0)" --swap "${CASES[@]}"
peer_quit
t_done
