#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 1
# kernel: debug
# timeout: 900
# The verbs of kernel users between two QPs of one device, by a KUnit module.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"

# The module runs its suites while it is loaded, and says in the kernel's log what
# came of it.
if [ "${1:-}" = suites ]; then
	dmesg -C
	insmod "$RXE_KVERBS"
	dmesg -t | awk '
		/^    # Subtest: / { suite = $3 }
		/^    1\.\.[0-9]+$/ { planned += substr($1, 4) }
		/^    (not )?ok [0-9]+ / {
			verdict = $1 == "ok" ? "ok" : "not ok"
			print verdict, ++n, "- " suite "." $NF
		}
		/^    # / && !/Subtest/ { sub(/^ */, ""); print }
		END { print "1.." planned + 0 }'
	rmmod rxe_kverbs
	exit
fi

driver_up
t_ktap "" 600 "$0" suites
t_case unload rmmod rdma_rxe
t_done
