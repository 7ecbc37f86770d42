#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# only: full
# guests: 1
# kernel: 6.12
# append: memmap=128M!896M
# FLUSH of persistent memory: a part of the guest's memory counts as such.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"

nd=/sys/bus/nd

# The memory as a character device that programs map, /dev/dax0.0.
dax_up() {
	modprobe -a nd_e820 nd_pmem dax_pmem device_dax
	until_ok 10 test -e $nd/devices/namespace0.0
	until_ok 10 test -e $nd/devices/dax0.0
	# It begins as a block device
	echo namespace0.0 >$nd/drivers/nd_pmem/unbind || true
	cat /proc/sys/kernel/random/uuid >$nd/devices/dax0.0/uuid
	echo ram >$nd/devices/dax0.0/mode
	echo namespace0.0 >$nd/devices/dax0.0/namespace
	echo dax0.0 >$nd/drivers/dax_pmem/bind
	until_ok 10 test -c /dev/dax0.0
	grep -i persistent /proc/iomem
}

driver_up
t_case dax_device dax_up
export RVT_PMEM=/dev/dax0.0
t_ktap "" 200 "$RVT" 'pmem.*' flush.offered
t_case leaves_nothing until_ok 10 no_user_objects
t_done
