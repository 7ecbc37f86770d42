#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: none
# pairs: ours/stock stock/ours
# The demonstration with the kernel's own driver at one end, its capture judged.
set -euo pipefail
exec "$RXE_TOP/tools/demo" --ktap --no-setup --no-build --out "$OUT" --timeout 500 \
	--server "$RXE_PEER_DRIVER" --client "$RXE_DRIVER"
