#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 2
# timeout: 1500
# Every second packet of one opcode is lost, for each opcode in turn: all arrives,
# byte for byte, and atomics are carried out once. In the long lane every third
# as well, and ten minutes of loss, reordering and duplication.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"
. "$RXE_TOP/tools/tests/scenarios/perftest.sh"

# Something was dropped, at one end or the other.
hit() {
	local here there

	here=$(dropped)
	there=$(peer dropped | sed -n 's/^\[peer\] //p')
	echo "$here packets dropped here, $there there"
	[ $((here + there)) -gt 0 ]
}

client() {
	"$RVT" --timeout 120 --client "$(vm_ip 0)" "$@"
}

traffic() {
	client --qps 2 --messages 40 --max-size 6000 --seed 5 stream.custom
	client 'atomic.fetch_add' 'atomic.cmp_swap'
}

# drops NAME N OPCODE...
drops() {
	local name=$1 n=$2

	shift 2
	both drop_every "$n" "$@"
	t_case "$name.every_$n" traffic
	t_case "$name.every_$n.hit" hit
}

ten_minutes() {
	local end=$((SECONDS + 600)) seed=1

	both netem delay 1ms reorder 95% loss 2% duplicate 1%
	while [ $SECONDS -lt $end ]; do
		client --qps 8 --threads 8 --messages 100 --max-size 8000 \
			--seed $seed stream.custom
		seed=$((seed + 1))
	done
	echo "$seed runs"
}

driver_up
peer_up
gid_setup
RUN_LIMIT=$((1400 * RXE_SLOW)) peer_server 7471 "$RVT" --server
every=2
[ "$RXE_FULL" = 0 ] || every='2 3'
for n in $every; do
	drops send_first "$n" 0x00
	drops send_middle "$n" 0x01
	drops send_last "$n" 0x02 0x03
	drops send_only "$n" 0x04 0x05
	drops write_first "$n" 0x06
	drops write_middle "$n" 0x07
	drops write_last "$n" 0x08 0x09
	drops write_only "$n" 0x0a 0x0b
	drops read_request "$n" 0x0c
	drops read_response "$n" 0x0d 0x0e 0x0f 0x10
	drops ack "$n" 0x11
	drops atomic "$n" 0x13 0x14
	drops atomic_ack "$n" 0x12
done
both nft flush ruleset
[ "$RXE_FULL" = 0 ] || t_case ten_minutes ten_minutes
t_case leaves_nothing until_ok 10 no_user_objects
peer_quit
t_done
