#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 2
# A ramdisk of the other guest by NVMe over RDMA: data verified, connections made
# and ended many times, the device taken away under it, everything unloaded.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"
. "$RXE_TOP/tools/tests/scenarios/ulp.sh"

DISK=/dev/nvme0n1
CYCLES=5 SECS=5
[ "${RXE_FULL:-0}" = 0 ] || CYCLES=50

# nvme_connect ADDR: no time-outs that only a machine with many guests would see.
nvme_connect() {
	local options=nr_io_queues=2,keep_alive_tmo=60,reconnect_delay=2

	echo "transport=rdma,traddr=$1,trsvcid=$NVME_PORT,nqn=$NVME_NQN,$options" \
		>/dev/nvme-fabrics
	until_ok 30 test -b $DISK
}

nvme_disconnect() {
	echo 1 >/sys/class/nvme/nvme0/delete_controller
	until_ok 30 not test -e $DISK
}

tidy() {
	[ ! -e /sys/class/nvme/nvme0 ] || nvme_disconnect
	[ -e /sys/class/infiniband/$DEV ] || vm_link $DEV eth0
	tc qdisc del dev eth0 root || true
	peer tc qdisc del dev eth0 root || true
}

# Requests of one page, of less, and of more than one work request's SGEs.
data() {
	nvme_connect "$1"
	fio_verify $SECS --filename=$DISK --allow_file_create=0 --bs=4k --offset=0 --size=4m
	fio_verify $SECS --filename=$DISK --allow_file_create=0 --bs=512 --offset=4m --size=256k
	fio_verify $SECS --filename=$DISK --allow_file_create=0 --bs=256k --offset=5m --size=8m
	fio_verify $SECS --filename=$DISK --allow_file_create=0 --bsrange=512-64k --offset=16m --size=4m
	nvme_disconnect
}

cycles() {
	local i

	for ((i = 0; i < CYCLES; i++)); do
		nvme_connect "$(vm_ip 0)"
		head -c 65536 /dev/urandom >/tmp/block
		dd if=/tmp/block of=$DISK bs=64k seek=$i oflag=direct status=none
		dd if=$DISK bs=64k skip=$i count=1 iflag=direct status=none | cmp /tmp/block
		nvme_disconnect
	done
	echo "$CYCLES cycles"
}

long() {
	nvme_connect "$(vm_ip 0)"
	fio_long 30 --filename=$DISK --allow_file_create=0 --bsrange=512-128k --size=16m
	nvme_disconnect
}

# A network that loses and reorders costs time, not data and not the connection.
with_loss() {
	both netem loss 0.5% delay 1ms reorder 20% 50% duplicate 2%
	nvme_connect "$(vm_ip 0)"
	fio_verify 0 --filename=$DISK --allow_file_create=0 --bs=4k --size=512k
	fio_verify 0 --filename=$DISK --allow_file_create=0 --bs=64k --size=2m
	nvme_disconnect
	netem_dropped
}

# Controllers go with the device, requests under way end, and all can begin anew.
link_del() {
	local io

	nvme_connect "$(vm_ip 0)"
	fio_long 300 --filename=$DISK --allow_file_create=0 --bs=16k --size=8m >/tmp/fio.log 2>&1 &
	io=$!
	sleep 2
	kill -0 $io || die "fio has ended: $(</tmp/fio.log)"
	timeout -k 1 60 rdma link del $DEV || die "the link cannot be deleted"
	until_ok 30 not test -e /sys/class/nvme/nvme0
	until_ok 60 not kill -0 $io
	vm_link $DEV eth0
	nvme_connect "$(vm_ip 0)"
	fio_verify $SECS --filename=$DISK --allow_file_create=0 --bs=4k --size=1m
	nvme_disconnect
}

is_live() {
	[ "$(</sys/class/nvme/nvme0/state)" = live ]
}

# The target's device goes and comes back: the host connects again by itself, and
# what was under way is done, once.
target_link_del() {
	local io

	nvme_connect "$(vm_ip 0)"
	fio_long 20 --filename=$DISK --allow_file_create=0 --bs=16k --size=8m >/tmp/fio.log 2>&1 &
	io=$!
	sleep 2
	peer timeout -k 1 60 rdma link del $DEV
	until_ok 60 not is_live
	kill -0 $io || die "fio has ended: $(</tmp/fio.log)"
	peer vm_link $DEV eth0
	peer "$ULP" nvmet_relisten
	until_ok 60 is_live
	wait $io || die "$(</tmp/fio.log)"
	nvme_disconnect
}

unload() {
	modprobe -r nvme-rdma
	rmmod rdma_rxe
}

driver_up
peer_up
modprobe nvme-rdma
T_BEFORE=tidy
t_case target_up peer "$ULP" nvmet_up
t_case data_v4 data "$(vm_ip 0)"
t_case data_v6 data "$(vm_ip6 0)"
t_case cycles cycles
[ "${RXE_FULL:-0}" = 0 ] || t_case long long
[ "${RXE_FULL:-0}" = 0 ] || t_case with_loss with_loss
t_case no_complaints no_complaints
t_case target_no_complaints peer "$ULP" no_complaints
t_case link_del link_del
t_case target_link_del target_link_del
t_case target_srq peer "$ULP" nvmet_again use_srq=1
t_case data_srq data "$(vm_ip 0)"
t_case target_down peer "$ULP" nvmet_down
T_BEFORE=
t_case unload unload
t_case target_unload peer rmmod rdma_rxe
peer_quit
t_done
