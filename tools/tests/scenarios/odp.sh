#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 1
# kernel: debian
# append: secretmem.enable=1
# On-demand paging where bringing a page in takes long: a file system that is frozen lets
# nobody write. The debug kernel has no such file system. And memory that the kernel itself
# cannot reach.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"

export RVT_FREEZE=/tmp/frozen

file_system_up() {
	modprobe -a loop ext4
	truncate -s 64M /tmp/frozen.img
	mkfs.ext4 -q /tmp/frozen.img
	mkdir -p $RVT_FREEZE
	mount -o loop /tmp/frozen.img $RVT_FREEZE
}

driver_up
t_case file_system file_system_up
t_ktap "" 100 "$RVT" 'odp.slow*' 'odp.secret.*'
t_case leaves_nothing until_ok 10 no_user_objects
t_done
