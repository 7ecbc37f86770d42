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
STANDING=6 # programs whose QPs wait

file_system_up() {
	modprobe -a loop ext4
	truncate -s 64M /tmp/frozen.img
	mkfs.ext4 -q /tmp/frozen.img
	mkdir -p $RVT_FREEZE
	mount -o loop /tmp/frozen.img $RVT_FREEZE
}

# One user's QPs wait for memory that does not come, more of them than may at once. Another's
# memory comes all the same; theirs does in the end.
users_apart() {
	local i rc=0
	local -a pids=()

	chmod 1777 $RVT_FREEZE
	chmod 666 /dev/infiniband/uverbs*
	export RVT_GO=/tmp/go
	for ((i = 0; i < STANDING; i++)); do
		setpriv --reuid 65534 --clear-groups "$RVT" --timeout 200 odp.stand_still \
			>/tmp/still.$i 2>&1 &
		pids+=($!)
	done
	until_ok 60 all_say ready
	fsfreeze -f $RVT_FREEZE
	touch $RVT_GO
	until_ok 60 all_say 'standing still' || rc=$?
	[ $rc != 0 ] || "$RVT" --timeout 60 odp.data.atomic odp.iova || rc=$?
	fsfreeze -u $RVT_FREEZE
	for i in "${pids[@]}"; do
		wait "$i" || rc=$?
	done
	cat /tmp/still.*
	return $rc
}

all_say() { [ "$(grep -l "$1" /tmp/still.* | wc -l)" = "$STANDING" ]; }

driver_up
t_case file_system file_system_up
t_ktap "" 100 "$RVT" 'odp.slow*' 'odp.secret.*'
t_case users_apart users_apart
t_case leaves_nothing until_ok 10 no_user_objects
t_done
