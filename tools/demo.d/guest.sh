#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The demo inside a guest: guest 0 is perftest's server, guest 1 its client.
# Environment: DEMO_SERVER, DEMO_CLIENT (ours|stock), DEMO_MESSAGES, DEMO_SIZE,
# DEMO_LOSS (percent, 0 for none).
set -euo pipefail
# shellcheck source=tools/vm/guest-lib.sh
. "$RXE_TOP/tools/vm/guest-lib.sh"

say() { echo "demo: $(hostname) $(vm_ip): $*" >&2; }

run_perftest() {
	ib_send_bw -d rxe_0 -x "$gid" --report_gbits -s "$DEMO_SIZE" -n "$DEMO_MESSAGES" "$@"
}

server() {
	local i

	run_perftest >"$RXE_SHARED/server.txt" 2>&1 &
	for ((i = 0; i < 300; i++)); do
		[ -z "$(ss -Hltn sport = 18515)" ] || break
		sleep 0.1
	done
	vm_signal listening
	wait $!
}

# The kernel's own driver gets a timeout of a second instead of 67 ms: on a busy
# host an emulated guest may pause that long, and what that driver sends again
# after a timeout in the middle of a message is malformed.
client() {
	local timeout=()

	[ "$module" = ours ] || timeout=(-u 18)
	vm_wait listening 60
	say "sending $DEMO_MESSAGES messages of $DEMO_SIZE bytes"
	run_perftest "${timeout[@]}" "$(vm_ip 0)" >"$RXE_SHARED/client.txt" 2>&1
}

[ "$RXE_GUEST" = 0 ] && module=$DEMO_SERVER || module=$DEMO_CLIENT
vm_load "$module"
vm_link rxe_0 eth0
gid=$(vm_gid rxe_0 "$(vm_ip)")
say "module $module loaded, rxe_0 is ACTIVE, GID index $gid"
if [ "$DEMO_LOSS" != 0 ]; then
	tc qdisc add dev eth0 root netem limit 20000 loss "$DEMO_LOSS%"
fi
# Neighbours first, so that the capture begins with the transfer itself.
ping -q -c 1 -W 10 "$(vm_ip $((1 - RXE_GUEST)))" >/dev/null || say "no answer to a ping"
vm_barrier ready
if [ "$RXE_GUEST" = 0 ]; then server; else client; fi
vm_barrier finished
rdma link delete rxe_0
rmmod rdma_rxe
say "link deleted, module removed"
