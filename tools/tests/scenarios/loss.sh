#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 2
# 1 % of the packets lost in each direction, then a network that duplicates and
# reorders: everything arrives, once, in order, byte for byte. demo-loss has the
# same for ib_send_bw with the capture judged.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"
. "$RXE_TOP/tools/tests/scenarios/perftest.sh"

# A network that marks instead of dropping: all arrives, and CNPs come back.
ecn() {
	both send_ect Y
	both netem loss 5% ecn
	both count_opcode 0x81
	"$RVT" --timeout 100 --client "$(vm_ip 0)" --qps 2 --messages 200 --max-size 30000 \
		--seed 11 stream.custom
	both send_ect N
	echo "$(dropped) CNPs here, $(peer dropped) there"
	[ "$(dropped)" -gt 0 ]
}

# What arrived beyond a lost packet is not sent again: 64 packets a message, and some
# for each of those lost
write_bw() {
	local sent n=100

	sent=$(sent_pkts)
	perf pair 1 ib_write_bw -n $n
	sent=$(($(sent_pkts) - sent))
	echo "$sent packets sent for $n messages"
	[ $sent -lt $((n * 64 * 5 / 4)) ]
}

# What the peer answers READs with is marked: this end tells it.
ecn_read() {
	both send_ect Y
	peer netem loss 5% ecn
	peer count_opcode 0x81
	perf pair 1 ib_read_bw -n 100
	both send_ect N
	peer dropped | sed -n 's/^\[peer\] //p' >/tmp/cnps
	echo "$(</tmp/cnps) CNPs there"
	[ "$(</tmp/cnps)" -gt 0 ]
}

# A queue that holds less than the answer to one READ
short_queue() {
	peer netem rate 100mbit limit 50
	perf pair 23 ib_read_bw -a -n 5
}

driver_up
peer_up
gid_setup
RUN_LIMIT=$((900 * RXE_SLOW)) peer_server 7471 "$RVT" --server
t_case loss both netem loss 1%
stream_both_ways loss 600
t_ktap "loss." 300 "$RVT" --client "$(vm_ip 0)" 'data.*.1024' 'psn.*' 'flow.rnr_mixed' \
	'stream.rnr'
t_case packets_were_lost netem_dropped
t_case packets_were_lost_at_the_peer peer netem_dropped
t_case read_bw perf pair 1 ib_read_bw -n 100
t_case write_bw write_bw
t_case reorder both netem delay 1ms reorder 20% 50% duplicate 5%
t_ktap "reorder." 200 "$RVT" --timeout 180 --client "$(vm_ip 0)" --qps 2 --messages 200 \
	--max-size 30000 --seed 8 stream.custom
t_case ecn ecn
t_case ecn_read ecn_read
t_case short_queue short_queue
t_case leaves_nothing until_ok 10 no_user_objects
peer_quit
t_done
