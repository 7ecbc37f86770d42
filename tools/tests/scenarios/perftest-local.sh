#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 1
# Every perftest tool and option, both ends on one device.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"
. "$RXE_TOP/tools/tests/scenarios/perftest.sh"

driver_up
gid_setup
perf_all local
t_case leaves_nothing until_ok 10 no_user_objects
t_done
