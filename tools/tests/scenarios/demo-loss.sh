#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: none
# The demonstration with 1 % loss both ways: the capture must show NAKs and what
# was sent again from the NAKed PSN.
set -euo pipefail
exec "$RXE_TOP/tools/demo" --ktap --no-setup --no-build --out "$OUT" --timeout 500 \
	--server "$RXE_PEER_DRIVER" --client "$RXE_DRIVER" --loss 1
