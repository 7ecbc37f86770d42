#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 1
# kernel: debian
# append: ipv6.disable=1
# A host without IPv6 has a GID that looks like it all the same, made of the MAC address.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"
. "$RXE_TOP/tools/tests/scenarios/perftest.sh"

no_ipv6() {
	[ ! -e /proc/sys/net/ipv6 ]
}

# What goes out by that GID is lost, not more.
out_by_gid_0() {
	local errors

	errors=$(hw_counter send_err)
	[ "$(<$PORT/gids/0)" != 0000:0000:0000:0000:0000:0000:0000:0000 ]
	"$RXE_TOP/tools/tests/scenarios/ipv6-off.py" $DEV
	sleep 0.1 # a reading of hw_counters is kept for 10 ms
	[ "$(hw_counter send_err)" -gt "$errors" ]
}

hw_counter() {
	cat "$PORT/hw_counters/$1"
}

PORT=/sys/class/infiniband/$DEV/ports/1
t_case no_ipv6 no_ipv6
driver_up
gid_setup
t_case traffic pingpong local "$GID" "$GID"
t_case out_by_gid_0 out_by_gid_0
t_case traffic_after pingpong local "$GID" "$GID"
t_case unload rmmod rdma_rxe
t_done
