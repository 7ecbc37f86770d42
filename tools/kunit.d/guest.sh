#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# In the guest: load the KUnit module ($KUNIT_MODULE) and send what the kernel
# says meanwhile to stdout, then the names of the suites that have run.
set -euo pipefail

dmesg --follow-new --notime &
log=$!
sleep 1
# shellcheck disable=SC2086 # one word per parameter
insmod "$KUNIT_MODULE" $KUNIT_PARAMS
for dir in /sys/kernel/debug/kunit/*/; do
	suite=$(basename "$dir")
	if grep -q "^ok\|^not ok" "$dir/results"; then
		echo "kunit-suite: $suite" >/dev/kmsg
	else
		echo "kunit-empty: $suite" >/dev/kmsg
	fi
done
rmmod "$(basename "$KUNIT_MODULE" .ko)"
echo "kunit-end" >/dev/kmsg
sleep 2
kill "$log"
