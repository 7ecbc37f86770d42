#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# tools/bench inside the guest: two links on a veth pair in one namespace, where
# rules make the routes between their addresses leave by the pair, not by lo.
# Environment: BENCH_DRIVERS (ours stock), BENCH_DIR (the programs), BENCH_PLAN, a
# file of lines `NAME|wire, self or capture|arguments of netem or -|arguments of traffic`.
# Prints `result DRIVER|NAME|figures` lines, and before each `counters DRIVER|NAME|`
# with what the devices counted meanwhile; kallsyms of each driver go to /shared.
set -euo pipefail
# shellcheck source=tools/vm/guest-lib.sh
. "$RXE_TOP/tools/vm/guest-lib.sh"

A=10.77.0.1 B=10.77.0.2
log=/tmp/bench.log

say() { echo "bench: $*" >&2; }

mac() { cat "/sys/class/net/$1/address"; }

# end NAME ADDRESS PEER PEER_ADDRESS TABLE
end() {
	sysctl -qw "net.ipv4.conf.$1.rp_filter=0" "net.ipv4.conf.$1.accept_local=1" \
		"net.ipv6.conf.$1.disable_ipv6=1"
	ip addr add "$2/32" dev "$1"
	ip link set "$1" mtu 4200 up
	ip neigh replace "$4" lladdr "$(mac "$3")" dev "$1" nud permanent
	ip route add "$4" dev "$1" src "$2" table "$5"
	ip rule add pref 10 iif "$1" lookup local
	ip rule add pref 20 from "$2" to "$4" lookup "$5"
}

network() {
	modprobe -a veth sch_netem
	sysctl -qw net.ipv4.conf.all.rp_filter=0
	ip link add left type veth peer name right
	end left $A right $B 101
	end right $B left $A 102
	ip rule add pref 30 lookup local
	ip rule del pref 0
}

# netem on both ends, `-` for none
netem() {
	local dev

	for dev in left right; do
		tc qdisc del dev $dev root 2>/dev/null || true
		# shellcheck disable=SC2086
		[ "$1" = - ] || tc qdisc add dev $dev root netem limit 100000 $1
	done
}

# Sums over both devices, a line for each counter.
counters() {
	local file

	for file in /sys/class/infiniband/rxe_[lr]/ports/1/hw_counters/*; do
		[ "${file##*/}" = lifespan ] || echo "${file##*/} $(<"$file")"
	done | awk '{ n[$1] += $2 } END { for (c in n) print c, n[c] }'
}

# What grew: grown BEFORE AFTER
grown() {
	awk 'NR == FNR { n[$1] = $2; next }
		$2 != n[$1] { printf "%s%s=%d", sep, $1, $2 - n[$1]; sep = " " }' "$1" "$2"
}

# point DRIVER NAME KIND NETEM ARGUMENTS
point() {
	local to=$right status=0 dumpcap=

	[ "$3" != self ] || to=$left
	netem "$4"
	if [ "$3" = capture ]; then
		dumpcap -q -P -i left -f 'udp port 4791' -w "$RXE_SHARED/$1.pcap" 2>$log.dumpcap &
		dumpcap=$!
		until grep -q '^File:' $log.dumpcap; do sleep 0.1; done
	fi
	counters >$log.before
	# shellcheck disable=SC2086
	"$BENCH_DIR/traffic" --from "$left" --to "$to" $5 >$log 2>&1 || status=$?
	if [ "$dumpcap" ]; then
		kill -INT "$dumpcap"
		wait "$dumpcap" || true
	fi
	counters >$log.after
	echo "counters $1|$2|$(grown $log.before $log.after)"
	sed "s/^/result $1|$2|/" <(grep '^messages=' $log || true)
	[ $status = 0 ] || { say "$1, $2: traffic ended with $status"; grep -v '^messages=' $log >&2 || true; }
}

network
for driver in $BENCH_DRIVERS; do
	vm_load "$driver"
	vm_link rxe_l left
	vm_link rxe_r right
	left=rxe_l:$(vm_gid rxe_l $A)
	right=rxe_r:$(vm_gid rxe_r $B)
	cat /proc/kallsyms >"$RXE_SHARED/kallsyms.$driver"
	while IFS='|' read -r name kind netem args <&3; do
		point "$driver" "$name" "$kind" "$netem" "$args"
	done 3<"$BENCH_PLAN"
	rdma link delete rxe_l
	rdma link delete rxe_r
	rmmod rdma_rxe
done
