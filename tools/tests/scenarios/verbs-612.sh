#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# only: full
# guests: 1
# kernel: 6.12
# The verbs test program on Debian's 6.12, both ends on one device; with FLUSH, which
# that kernel's core has.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"

driver_up
t_ktap "" 900 "$RVT"
t_ktap "" 300 "$RVT" 'flush.*'
t_case leaves_nothing until_ok 10 no_user_objects
t_ktap "ipv6." 200 "$RVT" --ip "$(vm_ip6)" 'data.*.1024' 'stream.*_*' flush.works
ip link set eth0 mtu 4200
t_case jumbo.mtu until_ok 10 mtu_is 4096
t_ktap "jumbo." 200 "$RVT" --mtu 2048,4096 'data.*.4096'
rdma link del $DEV
t_case unloads rmmod rdma_rxe
t_done
