#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 1
# Multicast groups of a QP on the interface: joined, on its VLANs too, joined again
# when the IP layer has forgotten them, and left.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"
V4=239.78.9.1
V6=ff0e::901

# Holds a QP in both groups until descriptor 9 is closed.
hold() {
	mkfifo /tmp/hold
	"$RVT" hold.groups </tmp/hold >/tmp/holder.log 2>&1 &
	HOLDER=$!
	exec 9>/tmp/hold
	until_ok 30 grep -q holding /tmp/holder.log || { cat /tmp/holder.log; return 1; }
}

holder_said_ok() {
	cat /tmp/holder.log
	grep -q '^ok ' /tmp/holder.log
}

# in_group INTERFACE GROUP
in_group() {
	ip maddr show dev "$1" | grep -qw "$2"
}

in_both() {
	ip maddr show dev "$1"
	until_ok 10 in_group "$1" $V4
	until_ok 10 in_group "$1" $V6
}

in_none() {
	ip maddr show dev "$1"
	not in_group "$1" $V4
	not in_group "$1" $V6
}

vlan() {
	ip link add link eth0 name "eth0.$1" type vlan id "$1"
	ip link set "eth0.$1" up
}

# Below 1280 an interface has no IPv6, and no memory of its groups.
small_mtu() {
	ip link set eth0 mtu 1000
	not in_group eth0 $V6
	in_group eth0 $V4
	ip link set eth0 mtu 1500
	in_both eth0
}

# It is joined as often as before: one more member from elsewhere comes and goes.
down_and_up() {
	ip link set eth0 down
	ip link set eth0 up
	in_both eth0
}

vlan_small_mtu() {
	ip link set eth0.5 mtu 1000
	not in_group eth0.5 $V6
	ip link set eth0.5 mtu 1500
	in_both eth0.5
}

vlan_goes() {
	ip link del eth0.6
	vlan 6
	in_both eth0.6
	ip link del eth0.6
	in_both eth0
}

# A VLAN that is down learns of a group that is joined now; of those joined before it was
# there when it comes up.
vlan_comes_up_later() {
	local later

	ip link add link eth0 name eth0.7 type vlan id 7
	mkfifo /tmp/later
	RVT_GROUP=2 "$RVT" hold.groups </tmp/later >/tmp/later.log 2>&1 &
	later=$!
	exec 8>/tmp/later
	until_ok 30 grep -q holding /tmp/later.log
	ip link set eth0.7 up
	in_both eth0.7
	until_ok 10 in_group eth0.7 239.78.9.2
	until_ok 10 in_group eth0.7 ff0e::902
	exec 8>&-
	wait $later
	ip link del eth0.7
}

left_all() {
	in_none eth0
	in_none eth0.5
}

# The device goes while QPs are in groups.
link_goes() {
	hold
	in_both eth0
	rdma link del $DEV
	in_none eth0
	in_none eth0.5
	exec 9>&-
	wait "$HOLDER" || true
}

driver_up
vlan 5
HOLDER=0
hold || true
t_case joined in_both eth0
t_case vlan_that_was_there in_both eth0.5
vlan 6
t_case vlan_that_came_later in_both eth0.6
t_case vlan_goes_and_comes vlan_goes
t_case vlan_comes_up_later vlan_comes_up_later
t_case small_mtu small_mtu
t_case small_mtu_again small_mtu
t_case vlan_small_mtu vlan_small_mtu
t_case down_and_up down_and_up
exec 9>&-
wait "$HOLDER" || true
t_case holder_ends holder_said_ok
t_case left left_all
rm -f /tmp/hold
t_case link_goes link_goes
t_case unload rmmod rdma_rxe
t_done
