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
	until_ok 10 link_downed_is $((before + 1))
	vm_gid_back
}

link_downed_is() { [ "$(<$PORT/counters/link_downed)" = "$1" ]; }

# Addresses that went with the interface.
vm_gid_back() {
	ip addr replace "$(vm_ip6 "$RXE_GUEST")/64" dev eth0 nodad
	until_ok 20 vm_gid $DEV "$(vm_ip)"
	until_ok 20 vm_gid $DEV "$(vm_ip6 "$RXE_GUEST")"
}

# A tool's reading is that of the files.
statistic() {
	local path

	sleep 0.1
	rdma statistic show link $DEV/1 >/tmp/statistic
	cat /tmp/statistic
	for path in $PORT/hw_counters/*; do
		case $path in
		*/lifespan) ;;
		*) shows /tmp/statistic "link $DEV/1" "${path##*/} $(<"$path")" ;;
		esac
	done
}

# Two connected QPs that did nothing yet, of a process that chose their PSNs.
details() {
	local holder a b

	"$RVT" --timeout 60 hold.until_gone >/tmp/holder.log 2>&1 &
	holder=$!
	until_ok 20 grep -q holding /tmp/holder.log
	for what in qp cq mr; do
		rdma resource show $what -dd >/tmp/$what
		cat /tmp/$what
	done
	kill_device_users
	wait $holder || true
	a=$((0x123456)) b=$((0x654321))
	shows /tmp/qp "type RC" "state RTS" "rq-psn $b" "sq-psn $a" "drv_sq_depth 127" \
		"drv_sq_used 0" "drv_psn $a" "drv_unacked_psn $a" "drv_retransmits 0" \
		"drv_rq_depth 127" "drv_rq_used 0" "drv_expected_psn $b" "drv_msn 0" "drv_naks_sent 0"
	shows /tmp/qp "state RTS" "rq-psn $a" "sq-psn $b" "drv_psn $b" "drv_expected_psn $a"
	shows /tmp/cq "comm rvt" "users 1" "drv_depth 511" "drv_used 0" "drv_armed 0" \
		"drv_overflow 0"
	shows /tmp/mr "comm rvt" "mrlen 262144" "drv_type 0" "drv_state 1" "drv_access 7" \
		"drv_bound_windows 0"
}

# What waits in the queues of an endpoint whose peer did not come yet.
details_of_queues() {
	local qpn

	RUN_LIMIT=60 run_server 18777 stdbuf -oL ibv_rc_pingpong -d $DEV -p 18777 \
		-g "$GID" -r 100
	rdma resource show qp -dd >/tmp/qp
	rdma resource show cq -dd >/tmp/cq
	kill "$SERVER"
	cat /tmp/server.log /tmp/qp /tmp/cq
	qpn=$(sed -n 's/.*local address:.* QPN \(0x[0-9a-f]*\),.*/\1/p' /tmp/server.log)
	shows /tmp/qp "lqpn $((qpn))" "state INIT" "drv_rq_depth 127" "drv_rq_used 100" \
		"drv_sq_depth 1"
	shows /tmp/cq "comm ibv_rc_pingpong" "users 2" "drv_depth 127" "drv_used 0"
}

tracepoints() {
	local t=/sys/kernel/tracing event

	mountpoint -q $t || mount -t tracefs tracefs $t
	ls $t/events/rdma_rxe
	echo >$t/trace
	echo 1 >$t/events/rdma_rxe/enable
	pingpong local "$GID" "$GID"
	"$RVT" --timeout 60 flow.retry_3_exceeded
	echo 0 >$t/events/rdma_rxe/enable
	head -n 40 $t/trace
	for event in rxe_post rxe_tx rxe_rx_request rxe_rx_response rxe_cqe rxe_qp_state \
		rxe_timeout; do
		grep -q " $event: " $t/trace || die "no event $event"
	done
	grep -q 'rxe_qp_state: qp=[0-9]* INIT -> RTR' $t/trace
	grep 'rxe_timeout: ' $t/trace
	grep -q 'rxe_timeout: .* retries left=[0-9]*$' $t/trace
	grep -q 'rxe_timeout: .* gives up$' $t/trace
	echo >$t/trace
}

# Who polls a failure may modify the QP at once, so its state is written before: of a QP
# whose send failed, whose datagram failed, whose receive failed.
state_before_completion() {
	local t=/sys/kernel/tracing

	echo >$t/trace
	echo 1 >$t/events/rdma_rxe/rxe_cqe/enable
	echo 1 >$t/events/rdma_rxe/rxe_qp_state/enable
	"$RVT" --timeout 60 flow.retry_3_exceeded error.recv_sges_wrap datagram.sqe_recovers
	echo 0 >$t/events/rdma_rxe/enable
	sed -nE 's/.*(rxe_cqe|rxe_qp_state): /\1 /p' $t/trace >/tmp/trace
	cat /tmp/trace
	awk '
		$1 == "rxe_qp_state"	{ state[$2] = $NF; next }
		$5 ~ /=(0|5)$/		{ next } # success, flushed
		state[$3] !~ /ERR|SQE/	{ print "in " state[$3] ": " $0; early++ }
		{ failed[state[$3]]++ }
		END { exit !(!early && failed["SQE"] >= 1 && failed["ERR"] >= 3) }' /tmp/trace
	echo >$t/trace
}

driver_up
gid_setup
t_case port_counters port_counters
t_case link_downed link_downed
t_case statistic statistic
t_case resource_details details
t_case resource_details_of_queues details_of_queues
t_case tracepoints tracepoints
t_case state_before_completion state_before_completion
t_done
