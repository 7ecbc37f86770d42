#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 1
# hw_counters against the packets seen on the wire, a veth pair between two
# namespaces: equal to the last packet and byte.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"
. "$RXE_TOP/tools/tests/scenarios/perftest.sh"
NEAR=10.6.6.1
FAR=10.6.6.2
COUNTERS=/sys/class/infiniband/rxe_va/ports/1/hw_counters

in_ns() {
	ip netns exec rxens "$@"
}

in_ns_listens() {
	in_ns ss -Hltn "sport = :$1" | grep -q .
}

network() {
	modprobe veth
	ip netns add rxens
	ip link add va type veth peer name vb
	ip link set vb netns rxens
	ip addr add $NEAR/24 dev va
	ip link set va up
	in_ns ip link set lo up
	in_ns ip addr add $FAR/24 dev vb
	in_ns ip link set vb up
	in_ns rdma link add rxe_ns type rxe netdev vb
	vm_link rxe_va va
	until_ok 10 vm_gid rxe_ns $FAR
	GID_VA=$(vm_gid rxe_va $NEAR)
	GID_NS=$(vm_gid rxe_ns $FAR)
}

snapshot() {
	local name

	sleep 0.1 # a reading is kept for 10 ms
	for name in sent_pkts sent_bytes rcvd_pkts rcvd_bytes rdma_sends rdma_recvs send_rnr_err \
		rcvd_rnr_err rcvd_seq_err; do
		echo "$name $(<$COUNTERS/$name)"
	done
}

counting_starts() {
	rm -f /tmp/counting
	mkfifo /tmp/counting
	"$RXE_TOP/tools/tests/scenarios/counters.py" va </tmp/counting >/tmp/seen 2>&1 &
	COUNTER=$!
	exec 9>/tmp/counting
	until_ok 20 grep -q ready /tmp/seen || { cat /tmp/seen; return 1; }
	snapshot >/tmp/before
}

# counting_ends [NAME EXTRA]: what was counted is what was seen, and EXTRA more of NAME.
counting_ends() {
	local name seen more want=0

	snapshot >/tmp/after
	exec 9>&-
	wait "$COUNTER"
	cat /tmp/seen
	grep -qx 'overlooked 0' /tmp/seen || die "the observer was too slow"
	while read -r name seen; do
		[ -e "$COUNTERS/$name" ] || continue
		more=$(($(value "$name" /tmp/after) - $(value "$name" /tmp/before)))
		case " ${*:-none} " in
		*" -$name "*) continue ;;
		esac
		want=$seen
		[ "$name" != "${1:-}" ] || want=$((seen + $2))
		[ "$more" = "$want" ] || die "$name: counted $more, seen $seen, must be $want"
	done < <(grep ' ' /tmp/seen)
}

# value NAME FILE
value() {
	awk -v n="$1" '$1 == n { print $2 }' "$2"
}

# both_sides TOOL ARGS...: a run between the namespaces.
both_sides() {
	local port=$((18800 + t_nr)) server

	in_ns timeout $((90 * RXE_SLOW)) "$@" -d rxe_ns -p $port -x "$GID_NS" -F -u $PERF_QP_TIMEOUT \
		>/tmp/server.log 2>&1 &
	server=$!
	until_ok 30 in_ns_listens $port
	timeout $((90 * RXE_SLOW)) "$@" -d rxe_va -p $port -x "$GID_VA" -F -u $PERF_QP_TIMEOUT $FAR ||
		die "the client failed"
	wait $server || { cat /tmp/server.log; die "the server failed"; }
}

exact() {
	counting_starts
	both_sides "$@"
	counting_ends
	# And something was: else nothing would be told
	[ "$(value sent_pkts /tmp/seen)" -gt 10 ]
}

# Receives come late: SENDs go out more than once, but count once.
rnr() {
	local server

	counting_starts
	# Not by in_ns: the shell that runs it would be killed, not the server, which
	# must not keep the counting going either
	ip netns exec rxens timeout $((120 * RXE_SLOW)) "$RVT" --server --port 7477 >/tmp/server.log 2>&1 9>&- &
	server=$!
	until_ok 30 in_ns_listens 7477
	timeout $((90 * RXE_SLOW)) "$RVT" --client $FAR --port 7477 -d rxe_va -D rxe_ns --ip $NEAR --peer-ip $FAR \
		'flow.rnr_late_send' 'flow.rnr_mixed'
	timeout $((90 * RXE_SLOW)) "$RVT" --client $FAR --port 7477 -d rxe_va -D rxe_ns --ip $NEAR --peer-ip $FAR \
		--swap 'flow.rnr_late_send' 'flow.rnr_mixed'
	kill $server
	counting_ends -rdma_sends -rdma_recvs
	[ "$(value rcvd_rnr_err /tmp/seen)" -gt 0 ]
	[ "$(value send_rnr_err /tmp/seen)" -gt 0 ]
}

# What is dropped on its way out has been sent all the same. Each NAK counts.
loss() {
	local dropped

	counting_starts
	vm_lossy va 2
	both_sides ib_write_bw -n 200
	dropped=$(tc -s qdisc show dev va | sed -n '/^qdisc netem/,$s/.*dropped \([0-9]*\).*/\1/p')
	echo "$dropped packets dropped"
	tc qdisc del dev va root
	[ "$dropped" -gt 0 ]
	counting_ends sent_pkts "$dropped" -sent_bytes
	[ "$(value rcvd_seq_err /tmp/seen)" -gt 0 ]
}

load_driver
network
t_case send exact ib_send_bw -n 50
t_case send_both_ways exact ib_send_bw -b -n 30
t_case write exact ib_write_bw -a -n 5
t_case read exact ib_read_bw -s 100001 -n 20
t_case atomic exact ib_atomic_bw -n 50
t_case uc exact ib_send_bw -c UC -n 30
t_case ud exact ib_send_bw -c UD -s 1024 -n 50
t_case rnr rnr
t_case loss loss
t_done
