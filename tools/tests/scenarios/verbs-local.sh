#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 1
# The verbs test program, both ends on one device; then again over IPv6 and at
# large MTUs, with fewer cases.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"

driver_up
t_ktap "" 900 "$RVT"
# Not on the debug kernel: the IP layer goes through all groups for each one more.
[ $RXE_SLOW != 1 ] || t_ktap "" 200 "$RVT" limits.mcast_groups
[ "${RXE_FULL:-0}" = 0 ] ||
	t_ktap "" 900 "$RVT" --timeout 800 limits.largest_message
t_case leaves_nothing until_ok 10 no_user_objects
t_ktap "ipv6." 200 "$RVT" --ip "$(vm_ip6)" 'data.*.1024' 'uc.*.1024' 'datagram.*' 'stream.*_*'
ip link set eth0 mtu 4200
t_case jumbo.mtu until_ok 10 mtu_is 4096
t_ktap "jumbo." 300 "$RVT" --mtu 2048,4096 'data.*.2048' 'data.*.4096' 'uc.*.2048' 'uc.*.4096' \
	'datagram.*' 'stream.*_*'
t_done
