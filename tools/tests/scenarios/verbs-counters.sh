#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 1
# kernel: debian
# hw_counters against the packets seen on the wire, a veth pair between two
# namespaces: equal to the last packet and byte. Not on a kernel
# so slow that timers run out: that sending went back does not always show on the wire.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"
. "$RXE_TOP/tools/tests/scenarios/perftest.sh"
NEAR=10.6.6.1
FAR=10.6.6.2
COUNTERS=/sys/class/infiniband/rxe_va/ports/1/hw_counters

network() {
	netns_up $NEAR $FAR
	in_ns rdma link add rxe_ns type rxe netdev vb
	vm_link rxe_va va
	until_ok 10 vm_gid rxe_ns $FAR
	GID_VA=$(vm_gid rxe_va $NEAR)
	GID_NS=$(vm_gid rxe_ns $FAR)
}

# snapshot ARRAY: all counters there are
# shellcheck disable=SC2034
snapshot() {
	local -n into=$1
	local path

	sleep 0.1 # a reading is kept for 10 ms
	for path in "$COUNTERS"/*; do
		into[${path##*/}]=$(<"$path")
	done
	unset 'into[lifespan]'
}

counting_starts() {
	declare -gA BEFORE=() AFTER=()
	rm -f /tmp/counting
	mkfifo /tmp/counting
	"$RXE_TOP/tools/tests/scenarios/counters.py" va </tmp/counting >/tmp/seen 2>&1 &
	COUNTER=$!
	exec 9>/tmp/counting
	until_ok 120 grep -q ready /tmp/seen || { cat /tmp/seen; return 1; }
	snapshot BEFORE
}

# seen NAME: what of it was seen on the wire
seen() {
	awk -v n="$1" '$1 == n { print $2 }' /tmp/seen
}

# counting_ends [NAME=MORE | -NAME]...: each counter tells what was seen of it, none
# when the wire cannot tell, and MORE. But for what -NAME names.
counting_ends() {
	local name more want arg
	local -A seen=()

	snapshot AFTER
	exec 9>&-
	wait "$COUNTER"
	cat /tmp/seen
	while read -r name want; do
		seen[$name]=$want
	done </tmp/seen
	[ "${seen[overlooked]}" = 0 ] || die "the observer was too slow"
	for arg; do
		[[ $arg != *=* ]] || seen[${arg%=*}]=$((${seen[${arg%=*}]:-0} + ${arg#*=}))
	done
	for name in "${!AFTER[@]}"; do
		[[ " $* " != *" -$name "* ]] || continue
		more=$((AFTER[$name] - BEFORE[$name]))
		want=${seen[$name]:-0}
		[ $more = "$want" ] || die "$name: counted $more, must be $want"
	done
}

# both_sides TOOL ARGS...: a run between the namespaces.
both_sides() {
	local port=$((18800 + t_nr)) server

	in_ns timeout $((200 * RXE_SLOW)) "$@" -d rxe_ns -p $port -x "$GID_NS" -F -u $PERF_QP_TIMEOUT \
		>/tmp/server.log 2>&1 &
	server=$!
	until_ok 120 in_ns_listens $port
	timeout $((200 * RXE_SLOW)) "$@" -d rxe_va -p $port -x "$GID_VA" -F -u $PERF_QP_TIMEOUT $FAR ||
		die "the client failed"
	wait $server || { cat /tmp/server.log; die "the server failed"; }
}

exact() {
	counting_starts
	both_sides "$@"
	counting_ends
	# And something was: else nothing would be told
	[ "$(seen sent_pkts)" -gt 10 ]
}

serve_rvt() {
	# Not by in_ns: the shell that runs it would be killed, not the server, which
	# must not keep the counting going either
	ip netns exec rxens timeout $((400 * RXE_SLOW)) "$RVT" --server --port 7477 >/tmp/server.log 2>&1 9>&- &
	SERVER=$!
	until_ok 120 in_ns_listens 7477
}

near_rvt() {
	timeout $((200 * RXE_SLOW)) "$RVT" --client $FAR --port 7477 -d rxe_va -D rxe_ns \
		--ip $NEAR --peer-ip $FAR "$@"
}

# Receives come late: SENDs go out more than once, but count once. What is sent again
# looks like duplicates and retries, and is neither.
rnr() {
	counting_starts
	serve_rvt
	near_rvt 'flow.rnr_late_send' 'flow.rnr_mixed'
	near_rvt --swap 'flow.rnr_late_send' 'flow.rnr_mixed'
	kill $SERVER
	counting_ends -rdma_sends -rdma_recvs -duplicate_request -ack_deferred \
		-completer_retry_err
	[ "$(seen rcvd_rnr_err)" -gt 0 ]
	[ "$(seen send_rnr_err)" -gt 0 ]
}

# Requests that are given up
retries_run_out() {
	counting_starts
	serve_rvt
	near_rvt 'flow.retry_3_exceeded'
	counting_ends retry_exceeded_err=1
	counting_starts
	near_rvt 'flow.rnr_retry_1'
	kill $SERVER
	counting_ends retry_rnr_exceeded_err=1 -rdma_sends -completer_retry_err
}

# What is dropped on its way out has been sent all the same. Each NAK counts. How often
# the requester went back cannot be seen when it is dropped what it sent then.
loss() {
	local dropped

	counting_starts
	vm_lossy va 2
	both_sides ib_write_bw -n 40
	dropped=$(tc -s qdisc show dev va | sed -n '/^qdisc netem/,$s/.*dropped \([0-9]*\).*/\1/p')
	echo "$dropped packets dropped"
	tc qdisc del dev va root
	[ "$dropped" -gt 0 ]
	counting_ends sent_pkts="$dropped" -sent_bytes -completer_retry_err
	[ "$(seen rcvd_seq_err)" -gt 0 ]
}

# The same where the driver is told: packets of 124 bytes
send_err() {
	local n

	counting_starts
	DROP_HOOK=output drop_every 5 0x0a
	both_sides ib_write_bw -s 64 -n 50
	n=$(dropped)
	drop_table
	[ "$n" -gt 0 ]
	counting_ends send_err="$n" sent_pkts="$n" sent_bytes=$((124 * n)) -completer_retry_err
}

# far_drop_every N OPCODE...: at the other end
far_drop_every() {
	(
		nft() {
			in_ns nft "$@"
		}
		drop_every "$@"
	)
}

# hole N OPCODE TOOL ARGS...: every Nth of the other end's packets is missing.
hole() {
	counting_starts
	DROP_HOOK=output far_drop_every "$1" "$2"
	shift 2
	both_sides "$@"
	in_ns nft flush ruleset
	counting_ends
	[ "$(seen out_of_seq_request)" -gt 0 ]
}

# ACKs are lost both ways: what they were for is sent again, a packet each time.
ack_lost() {
	local n

	counting_starts
	drop_every 2 0x11
	far_drop_every 2 0x11
	both_sides ib_write_bw -b -s 64 -t 1 -n 20
	n=$(dropped)
	drop_table
	in_ns nft flush ruleset
	counting_ends rcvd_pkts="-$n" rcvd_bytes=$((-48 * n))
	[ "$(seen duplicate_request)" -gt 0 ]
	[ "$(seen completer_retry_err)" -gt 0 ]
}

load_driver
network
t_case send exact ib_send_bw -n 20
t_case send_both_ways exact ib_send_bw -b -n 10
t_case write exact ib_write_bw -s 300001 -n 10
t_case read exact ib_read_bw -s 50001 -n 20
t_case atomic exact ib_atomic_bw -n 50
t_case uc exact ib_send_bw -c UC -n 10
t_case ud exact ib_send_bw -c UD -s 1024 -n 50
t_case rnr rnr
t_case retries_run_out retries_run_out
t_case loss loss
t_case send_err send_err
t_case holes hole 40 0x07 ib_write_bw -b -n 20
t_case hole_with_one_packet_behind hole 3 0x06 ib_write_lat -s 2048 -n 5
t_case ack_lost ack_lost
t_done
