#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 1
# rdma-core's own tests of the verbs (pyverbs). A test that skips must stand in
# pyverbs.skip, with a reason; one that stands there must skip.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"

SUITE=/usr/share/doc/rdma-core/tests
PYV=/tmp/pyverbs
SKIPS=$RXE_TOP/tools/tests/scenarios/pyverbs.skip
# Why a test has to skip; those that did are taken out
declare -A SKIP=()
# Tests of rdma-core 44 that run on this device
PASSES=96
passed=0

# The package compresses some of the files. Other devices' own verbs are left out.
unpack() {
	mkdir -p $PYV
	cp $SUITE/*.py $SUITE/*.py.gz $PYV
	rm $PYV/test_mlx5_* $PYV/test_efa* $PYV/test_cuda*
	gunzip -f $PYV/*.gz
}

read_skips() {
	local line why

	while read -r line; do
		case $line in
		'#'*) why=${line#\# } ;;
		?*) SKIP[$line]=$why ;;
		esac
	done <"$SKIPS"
}

# What unittest says about a test that failed.
explain() {
	awk -v t="$1" '/^(ERROR|FAIL): / { on = $2 == t } on' "$2"
}

# report MODULE CLASS TEST VERDICT LOG: VERDICT is unittest's.
report() {
	local name=$1.$2.$3 why

	why=${SKIP[$name]:-}
	if [ "$4" = ok ] && [ -z "$why" ]; then
		t_result "$name" 0
		passed=$((passed + 1))
	elif [[ $4 == skipped* ]] && [ -n "$why" ]; then
		t_nr=$((t_nr + 1))
		echo "ok $t_nr - $name # SKIP $why"
		unset "SKIP[$name]"
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
take_module() {
	local module=$1 log=$PYV/$1.log line class='' name='' seen=0 ran

	touch "$log"
	cp "$log" "$RXE_SHARED/"
	while IFS= read -r line; do
		if [[ $line =~ ^(test_[a-zA-Z0-9_]+)\ \(tests\.$module\.([A-Za-z0-9_]+) ]]; then
			name=${BASH_REMATCH[1]} class=${BASH_REMATCH[2]}
		fi
		if [[ $line =~ \.\.\.\ (ok|FAIL|ERROR|skipped.*)$ ]]; then
			report "$module" "$class" "$name" "${BASH_REMATCH[1]}" "$log"
			seen=$((seen + 1))
		fi
	done <"$log"
	ran=$(sed -n 's/^Ran \([0-9]*\) tests* in .*/\1/p' "$log")
	if [ "$seen" = 0 ] || [ "${ran:-none}" != "$seen" ]; then
		{
			cat "$log"
			echo "${ran:-none} tests ran, $seen seen"
		} >/tmp/why
		t_result "$module.complete" 1 /tmp/why
	fi
}

enough_passed() {
	[ $passed -ge $PASSES ] || die "$passed passed, must be $PASSES"
}

skips_were_seen() {
	[ ${#SKIP[@]} = 0 ] || die "in pyverbs.skip, and did not run: ${!SKIP[*]}"
}

read_skips
unpack
driver_up
sysctl -qw vm.nr_hugepages=16
t_case runs "$RXE_TOP/tools/tests/scenarios/pyverbs-run.py" $PYV $DEV
for path in "$PYV"/test_*.py; do
	take_module "$(basename "$path" .py)"
done
t_case enough_passed enough_passed
t_case skips_were_seen skips_were_seen
t_done
