#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 1
# rdma-core's own tests of the verbs (pyverbs), a process per module. A test that
# skips must stand in pyverbs.skip, with a reason; one that stands there must skip.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"

SUITE=/usr/share/doc/rdma-core/tests
PYV=/tmp/pyverbs
SKIPS=$RXE_TOP/tools/tests/scenarios/pyverbs.skip

# The package compresses some of the files.
unpack() {
	mkdir -p $PYV
	cp $SUITE/*.py $SUITE/*.py.gz $PYV
	gunzip -f $PYV/*.gz
}

# Reason why a test is expected to skip; fails when it is not.
skip_reason() {
	awk -v t="$1" '/^#/ { reason = substr($0, 3) } $1 == t { print reason; found = 1 }
		END { exit !found }' "$SKIPS"
}

# What unittest says about a test that failed.
explain() {
	awk -v t="$1" '/^(ERROR|FAIL): / { on = $2 == t } on' "$2"
}

# report MODULE CLASS TEST VERDICT LOG: VERDICT is unittest's.
report() {
	local name=$1.$2.$3 why

	why=$(skip_reason "$name") || why=
	if [ "$4" = ok ] && [ -z "$why" ]; then
		t_result "$name" 0
	elif [[ $4 == skipped* ]] && [ -n "$why" ]; then
		t_nr=$((t_nr + 1))
		echo "ok $t_nr - $name # SKIP $why"
	else
		{
			echo "$4${why:+, but it is expected to skip: $why}"
			explain "$3" "$5"
		} >/tmp/why
		t_result "$name" 1 /tmp/why
	fi
}

# Takes over the verbose output: `test_x (tests.module.Class.test_x) ...`, then,
# maybe after other lines, the verdict.
run_module() {
	local module=$1 log=/tmp/$1.log line class='' name='' rc=0 seen=0 ran

	echo "rxe test: $module" >/dev/kmsg
	(cd $PYV && timeout -k 5 $((300 * RXE_SLOW)) /usr/bin/python3 run_tests.py --dev $DEV -v "tests.$module") \
		>"$log" 2>&1 || rc=$?
	cp "$log" "$RXE_SHARED/"
	while IFS= read -r line; do
		if [[ $line =~ ^(test_[a-zA-Z0-9_]+)\ \(tests\.$module\.([A-Za-z0-9_]+) ]]; then
			name=${BASH_REMATCH[1]} class=${BASH_REMATCH[2]}
		fi
		if [[ $line =~ \.\.\.\ (ok|FAIL|ERROR|skipped.*)$ ]]; then
			report "$module" "$class" "$name" "${BASH_REMATCH[1]}" "$RXE_SHARED/$module.log"
			seen=$((seen + 1))
		fi
	done <"$log"
	ran=$(sed -n 's/^Ran \([0-9]*\) tests* in .*/\1/p' "$log")
	if [ "${ran:-none}" != "$seen" ]; then
		{
			cat "$log"
			echo "exit status $rc, ${ran:-none} tests ran, $seen seen"
		} >/tmp/why
		t_result "$module.complete" 1 /tmp/why
	fi
}

unpack
driver_up
sysctl -qw vm.nr_hugepages=16
for path in "$PYV"/test_*.py; do
	module=$(basename "$path" .py)
	case $module in
	test_mlx5_* | test_efa* | test_cuda*) continue ;; # other devices' own verbs
	esac
	run_module "$module"
done
t_done
