#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Guest 0 of every two-guest scenario: loads its driver and runs what guest 1
# asks for, until it says it is done.
set -euo pipefail
DRIVER_HERE=${RXE_PEER_DRIVER:-${RXE_DRIVER:-ours}}
# shellcheck source=tools/tests/scenarios/lib.sh
. "$RXE_TOP/tools/tests/scenarios/lib.sh"
DRIVER=$DRIVER_HERE
# shellcheck source=tools/tests/scenarios/perftest.sh
. "$RXE_TOP/tools/tests/scenarios/perftest.sh"
# shellcheck source=tools/tests/scenarios/rdmacm.sh
. "$RXE_TOP/tools/tests/scenarios/rdmacm.sh"

run_one() {
	local rc=0

	(eval "$(<"$RXE_SHARED/cmd.$1")") >"$RXE_SHARED/log.$1" 2>&1 || rc=$?
	echo $rc >"$RXE_SHARED/rc.$1.part"
	mv "$RXE_SHARED/rc.$1.part" "$RXE_SHARED/rc.$1"
}

driver_up
vm_signal peer-up
n=0
until [ -e "$RXE_SHARED/.sync/signal.peer-quit" ]; do
	[ ! -e "$RXE_SHARED/.sync/abort" ] || exit 1
	if [ -e "$RXE_SHARED/cmd.$n" ]; then
		run_one $n &
		n=$((n + 1))
	else
		sleep 0.05
	fi
done
