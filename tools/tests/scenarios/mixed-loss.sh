#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# only: full
# guests: 2
# pairs: ours/stock stock/ours
# Our driver at one end, the kernel's own at the other, and 1 % of the packets lost in
# each direction: either end asks, and everything arrives, byte for byte.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"
. "$RXE_TOP/tools/tests/scenarios/perftest.sh"

driver_up
peer_up
gid_setup
RUN_LIMIT=900 peer_server 7471 "$RVT" --server
t_case loss both netem loss 1%
stream_both_ways stream 200
for kind in '' --swap; do
	# shellcheck disable=SC2086
	t_ktap "data${kind/--/_}." 200 "$RVT" --client "$(vm_ip 0)" $kind 'data.*.1024' 'psn.*'
done
t_case packets_were_lost netem_dropped
t_case packets_were_lost_at_the_peer peer netem_dropped
for tool in send write read; do
	t_case "${tool}_bw" perf pair 1 "ib_${tool}_bw" -n 50
	t_case "${tool}_bw_both_ways" perf pair 1 "ib_${tool}_bw" -b -n 30
done
t_case leaves_nothing until_ok 10 no_user_objects
peer_quit
t_done
