#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 1
# kernel: debug
# A peer that is no driver: packets made by hand, to and from a device. Every NAK and
# status that the IBTA names, on the wire and in completions, at both ends.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"
DEV=rxe_near

# near carries the device; nobody but the test hears what goes to far, and only it answers
network() {
	modprobe veth
	ip link add near address 52:54:00:00:00:01 type veth \
		peer name far address 52:54:00:00:00:02
	sysctl -q -w net.ipv6.conf.far.disable_ipv6=1
	ip addr add 10.6.7.1/24 dev near
	ip addr add fd00:67::1/64 dev near nodad
	ip link set near up
	ip link set far up
	ip neigh add 10.6.7.2 lladdr 52:54:00:00:00:02 dev near
	ip neigh add fd00:67::2 lladdr 52:54:00:00:00:02 dev near
	vm_link $DEV near
}

load_driver
network
t_ktap "" 400 taskset 1 /usr/bin/python3 "$RXE_TOP/tools/tests/scenarios/forged.py" $DEV far \
	"$(vm_gid $DEV 10.6.7.1)" "$(vm_gid $DEV fd00:67::1)"
t_done
