#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# only: full
# guests: 2
# The verbs test program between two guests, over IPv4 and IPv6.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"

driver_up
peer_up
RUN_LIMIT=$((1200 * RXE_SLOW)) peer_server 7471 "$RVT" --server
t_ktap "" 1000 "$RVT" --client "$(vm_ip 0)"
t_ktap "ipv6." 200 "$RVT" --client "$(vm_ip 0)" --ip "$(vm_ip6)" --peer-ip "$(vm_ip6 0)" \
	'data.*.1024' 'uc.*.1024' 'datagram.*' 'stream.*_*'
t_case leaves_nothing until_ok 10 no_user_objects
peer_quit
t_done
