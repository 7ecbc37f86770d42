#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# only: full
# guests: 2
# kernel: 6.12
# pairs: ours/ours ours/stock
# FLUSH between two guests on Debian's 6.12, also with the kernel's own driver, which
# gives it an ICRC of its own.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"

CASES=('flush.*')
[ "$RXE_PEER_DRIVER" = ours ] || CASES=(flush.offered flush.works flush.both_ways)

driver_up
peer_up
RUN_LIMIT=600 peer_server 7471 "$RVT" --server
t_ktap "" 200 "$RVT" --client "$(vm_ip 0)" "${CASES[@]}"
t_ktap "swapped." 200 "$RVT" --client "$(vm_ip 0)" --swap "${CASES[@]}"
t_ktap "ipv6." 200 "$RVT" --client "$(vm_ip 0)" --ip "$(vm_ip6)" --peer-ip "$(vm_ip6 0)" \
	flush.works flush.both_ways
t_case leaves_nothing until_ok 10 no_user_objects
peer_quit
t_done
