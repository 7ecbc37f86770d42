#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 1
# Traffic of links on a bridge, a bond and a macvlan, and of a link on the interface
# below these and below a VLAN, to a namespace at the other end of a veth pair.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"
NET=10.6.6

# upper KIND: an interface of that kind on top of va, with an address; another address
# at the other end.
upper() {
	UPPER=up0
	FAR_DEV=vb
	case $1 in
	vlan)
		ip link add link va name $UPPER type vlan id 5
		FAR_DEV=up1
		in_ns ip link add link vb name $FAR_DEV type vlan id 5
		;;
	bridge)
		ip link add $UPPER type bridge
		ip link set va master $UPPER
		;;
	bond)
		ip link set va down # or it may not join
		ip link add $UPPER type bond mode active-backup miimon 100
		ip link set va master $UPPER
		;;
	macvlan)
		ip link add link va name $UPPER type macvlan mode bridge
		;;
	esac
	ip addr add $NET.1/24 dev $UPPER
	ip link set $UPPER up
	in_ns ip link set $FAR_DEV up
	in_ns ip addr add $NET.2/24 dev $FAR_DEV
	until_ok 20 ping -c 1 -W 1 $NET.2
}

no_upper() {
	rdma link del rxe_near
	ip link del up0
	in_ns ip addr flush dev vb
	in_ns ip link del up1
	ip link set va up
}

packets() {
	cat "/sys/class/net/$UPPER/statistics/${1}_packets"
}

# traffic KIND NETDEV: a link on NETDEV, which is the upper interface or the one below;
# its packets pass the upper one, both ways.
traffic() {
	local server way before

	upper "$1"
	rdma link add rxe_near type rxe netdev "$2"
	until_ok 10 vm_gid rxe_near $NET.1
	until_ok 10 vm_gid rxe_ns $NET.2
	in_ns timeout 200 ibv_rc_pingpong -d rxe_ns -g "$(vm_gid rxe_ns $NET.2)" -s 3000 -n 50 -c \
		>/tmp/server.log 2>&1 &
	server=$!
	until_ok 120 in_ns_listens 18515
	before="$(packets rx) $(packets tx)"
	timeout 200 ibv_rc_pingpong -d rxe_near -g "$(vm_gid rxe_near $NET.1)" -s 3000 -n 50 -c \
		$NET.2
	wait $server || { cat /tmp/server.log; die "the server failed"; }
	echo "packets of $UPPER received and sent: $before, then $(packets rx) $(packets tx)"
	for way in rx tx; do
		[ $(($(packets $way) - ${before%% *})) -ge 150 ] || die "they went another way"
		before=${before#* }
	done
	no_upper >/dev/null 2>&1 || true
	[ ! -e /sys/class/net/up0 ]
}

load_driver
netns_up
in_ns rdma link add rxe_ns type rxe netdev vb
T_TIDY=no_upper
t_case vlan_below traffic vlan va
for kind in bridge bond macvlan; do
	t_case $kind traffic $kind up0
	t_case ${kind}_below traffic $kind va
done
t_done
