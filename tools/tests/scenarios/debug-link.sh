#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# only: full
# guests: 1
# kernel: debug
# timeout: 1200
# The life of a link under KASAN, lockdep and kmemleak, with fewer cycles.
set -euo pipefail
export LINK_CYCLES=5
export LINK_NO_CAN=1 # the debug kernel has none
exec bash "$RXE_TOP/tools/tests/scenarios/link.sh"
