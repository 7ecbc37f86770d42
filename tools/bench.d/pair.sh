#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# tools/bench pairs inside two guests, guest 0 the server: one perftest run for each
# operation, over a network that loses packets of RoCE. Environment: BENCH_SERVER and
# BENCH_CLIENT (ours, stock), BENCH_OPS, BENCH_MESSAGES, BENCH_LOSS in %. The client
# prints `result OP MBPS`, without a figure when the run failed.
set -euo pipefail
# shellcheck source=tools/vm/guest-lib.sh
. "$RXE_TOP/tools/vm/guest-lib.sh"

log=/tmp/perftest.log

serve() {
	timeout 120 "$@" >$log 2>&1 &
	until ss -Hltn 'sport = :18515' | grep -q .; do sleep 0.1; done
	vm_signal "$op"
	wait $! || cat $log >&2
}

ask() {
	vm_wait "$op"
	timeout 120 "$@" "$(vm_ip 0)" >$log 2>&1 || { cat $log >&2; return 0; }
	awk '$1 == 65536 { print $4 }' $log
}

driver=$BENCH_CLIENT
[ "$RXE_GUEST" != 0 ] || driver=$BENCH_SERVER
vm_load "$driver"
vm_link rxe_0 eth0
gid=$(vm_gid rxe_0 "$(vm_ip)")
vm_lossy eth0 "$BENCH_LOSS"
for op in $BENCH_OPS; do
	run=("ib_${op}_bw" -d rxe_0 -x "$gid" -s 65536 -m 1024 -n "$BENCH_MESSAGES" -u 14 -F)
	if [ "$RXE_GUEST" = 0 ]; then
		serve "${run[@]}"
	else
		echo "result $op $(ask "${run[@]}")"
	fi
	vm_barrier "done.$op" 200
done
