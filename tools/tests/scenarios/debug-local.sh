#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# only: full
# guests: 1
# kernel: debug
# timeout: 900
# KASAN, lockdep, kmemleak and UBSAN watch the verbs cases and the life of a link.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"

driver_up
t_ktap "" 700 "$RVT" --mtu 1024 --timeout 120
t_case leaves_nothing until_ok 20 no_user_objects
t_case unload eval 'rdma link del $DEV; rmmod rdma_rxe'
t_done
