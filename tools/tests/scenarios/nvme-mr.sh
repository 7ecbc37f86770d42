#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# only: full
# guests: 2
# append: ib_core.force_mr=1
# NVMe over RDMA again; the target registers the memory of its READs and WRITEs.
exec "$RXE_TOP/tools/tests/scenarios/nvme.sh"
