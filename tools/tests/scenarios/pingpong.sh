#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 2
# ibv_rc_pingpong with data check over every GID, in one guest and between two.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"
. "$RXE_TOP/tools/tests/scenarios/perftest.sh"

# The peer has an address of each kind too, perhaps in another order.
peer_index() {
	awk -v kind="$1" '$3 == kind { print $2; exit }' /tmp/peer.gids
}

three_kinds() {
	cat /tmp/gids /tmp/peer.gids
	for kind in ipv4 ipv6 link_local; do
		grep -qw $kind /tmp/gids || die "no $kind GID here"
		grep -qw $kind /tmp/peer.gids || die "no $kind GID at the peer"
	done
}

# The port's first GID may name an address nobody has (made from the MAC). It
# must work, or be refused or run into its timeout: never hang.
gid0_without_address() {
	local rc=0

	ip -6 addr flush dev eth0 scope link
	sleep 1
	gid_list >/tmp/gids.now
	cat /tmp/gids.now
	grep -q '^0 ' /tmp/gids.now || return 0
	server_start local 18999 ibv_rc_pingpong -d $DEV -p 18999 -g 0 -c -n 10
	timeout -k 5 30 ibv_rc_pingpong -d $DEV -p 18999 -g 0 -c -n 10 "$(vm_ip)" || rc=$?
	[ $rc != 124 ] && [ $rc != 137 ] || die "client hangs"
	until_ok 30 not kill -0 "$SERVER" || die "server hangs"
}

# There is no XRC: the program must hear so at once.
xsrq_is_refused() {
	local rc=0

	timeout -k 5 30 ibv_xsrq_pingpong -d $DEV -g 0 >/tmp/xsrq.log 2>&1 || rc=$?
	cat /tmp/xsrq.log
	[ $rc = 1 ] || die "exit status $rc"
	grep -q 'Open the XRC Domain' /tmp/xsrq.log
}

driver_up
peer_up
gid_list >/tmp/gids
peer gid_list >/tmp/peer.gids

t_case gid_of_every_kind three_kinds
while read -r index kind; do
	t_case "local.$kind.gid$index" pingpong local "$index" "$index"
	t_case "pair.$kind.gid$index" pingpong pair "$(peer_index "$kind")" "$index"
done </tmp/gids
t_case xsrq_is_refused xsrq_is_refused
t_case gid0_without_address gid0_without_address
peer_quit
t_done
