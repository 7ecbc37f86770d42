#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 1
# kernel: debug
# Resizing of CQs and SRQs, memory windows, asynchronous events: what other suites
# leave out.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"

driver_up
gid=$(vm_gid $DEV "$(vm_ip 0)")
t_ktap "" 120 /usr/bin/python3 "$RXE_TOP/tools/tests/scenarios/objects.py" $DEV "$gid"
t_done
