#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 2
# Every perftest tool between two guests.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"
. "$RXE_TOP/tools/tests/scenarios/perftest.sh"

driver_up
peer_up
gid_setup
perf_all pair
t_case leaves_nothing until_ok 10 no_user_objects
t_case leaves_nothing_at_the_server peer until_ok 10 no_user_objects
peer_quit
t_done
