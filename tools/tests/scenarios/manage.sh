#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 1
# What tools for administrators see: port counters, resource details, tracepoints.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"
. "$RXE_TOP/tools/tests/scenarios/perftest.sh"
PORT=/sys/class/infiniband/$DEV/ports/1

# The performance agent's counters and the driver's own are the same.
port_counters() {
	local before after

	ls $PORT/counters
	before=$(<$PORT/counters/port_xmit_data)
	pingpong local "$GID" "$GID"
	sleep 0.1 # a reading of hw_counters is kept for 10 ms
	after=$(<$PORT/counters/port_xmit_data)
	echo "port_xmit_data: $before, then $after; sent_bytes $(<$PORT/hw_counters/sent_bytes)"
	[ "$after" -gt "$before" ]
	[ "$after" = $(($(<$PORT/hw_counters/sent_bytes) / 4)) ] || die "not words of 4 bytes"
	[ "$(<$PORT/counters/port_rcv_data)" = $(($(<$PORT/hw_counters/rcvd_bytes) / 4)) ]
	[ "$(<$PORT/counters/port_xmit_packets)" = "$(<$PORT/hw_counters/sent_pkts)" ]
	[ "$(<$PORT/counters/port_rcv_packets)" = "$(<$PORT/hw_counters/rcvd_pkts)" ]
}

link_downed() {
	local before

	before=$(<$PORT/counters/link_downed)
	ip link set eth0 down
	ip link set eth0 up
	until_ok 10 test "$(<$PORT/counters/link_downed)" = $((before + 1))
	vm_gid_back
}

# Addresses that went with the interface.
vm_gid_back() {
	ip addr replace "$(vm_ip6 "$RXE_GUEST")/64" dev eth0 nodad
	until_ok 20 vm_gid $DEV "$(vm_ip)"
	until_ok 20 vm_gid $DEV "$(vm_ip6 "$RXE_GUEST")"
}

details() {
	local holder rc=0

	RUN_LIMIT=60 run_server 18777 ibv_rc_pingpong -d $DEV -p 18777 -g "$GID"
	holder=$SERVER
	for what in qp cq mr; do
		rdma resource show $what -dd
	done >/tmp/details 2>&1
	cat /tmp/details
	grep -q 'sq_depth' /tmp/details && grep -q 'expected_psn' /tmp/details || rc=1
	grep -q 'overflow' /tmp/details && grep -q 'bound_windows' /tmp/details || rc=1
	kill "$holder"
	[ $rc = 0 ] || die "a detail is missing"
}

tracepoints() {
	local t=/sys/kernel/tracing event

	mountpoint -q $t || mount -t tracefs tracefs $t
	ls $t/events/rdma_rxe
	echo >$t/trace
	echo 1 >$t/events/rdma_rxe/enable
	pingpong local "$GID" "$GID"
	echo 0 >$t/events/rdma_rxe/enable
	head -n 40 $t/trace
	for event in rxe_post rxe_tx rxe_rx_request rxe_rx_response rxe_cqe rxe_qp_state; do
		grep -q " $event: " $t/trace || die "no event $event"
	done
	grep -q 'rxe_qp_state: qp=[0-9]* INIT -> RTR' $t/trace
	echo >$t/trace
}

driver_up
gid_setup
t_case port_counters port_counters
t_case link_downed link_downed
t_case resource_details details
t_case tracepoints tracepoints
t_done
