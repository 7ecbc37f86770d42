#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 2
# append: ib_core.force_mr=1
# A file system of the other guest by NFS over RDMA: data verified, mounted and
# unmounted many times, everything unloaded at the end. The server registers the
# memory of its READs and WRITEs, as for devices that cannot do without.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"
. "$RXE_TOP/tools/tests/scenarios/ulp.sh"

CYCLES=3 SECS=5
[ "${RXE_FULL:-0}" = 0 ] || CYCLES=50

# nfs_mount ADDR [PROTOCOL]
nfs_mount() {
	mkdir -p /mnt/nfs
	mount.nfs4 "$1:/" /mnt/nfs \
		-o "proto=${2:-rdma},port=$NFS_PORT,sec=sys,soft,timeo=300,retry=0"
	grep /mnt/nfs /proc/mounts
}

data() {
	nfs_mount "$@"
	fio_verify $SECS --directory=/mnt/nfs --bs=4k --size=4m
	fio_verify $SECS --directory=/mnt/nfs --bs=512 --size=128k
	fio_verify $SECS --directory=/mnt/nfs --bs=256k --size=16m
	# What the page cache makes of it: large requests of many pages
	fio_verify $SECS --directory=/mnt/nfs --bs=7k --size=4m --direct=0 --fsync_on_close=1
	umount /mnt/nfs
}

long() {
	nfs_mount "$(vm_ip 0)"
	fio_long 30 --directory=/mnt/nfs --bsrange=512-256k --size=16m
	umount /mnt/nfs
}

# The server has regions for its requests, not only one per protection domain.
server_registers() {
	nfs_mount "$(vm_ip 0)"
	peer rdma resource show mr >/tmp/mr
	umount /mnt/nfs
	wc -l /tmp/mr
	[ "$(wc -l </tmp/mr)" -gt 50 ]
}

cycles() {
	local i

	head -c 300000 /dev/urandom >/tmp/file
	for ((i = 0; i < CYCLES; i++)); do
		nfs_mount "$(vm_ip 0)"
		cp /tmp/file /mnt/nfs/copy
		umount /mnt/nfs
		nfs_mount "$(vm_ip 0)"
		cmp /tmp/file /mnt/nfs/copy
		umount /mnt/nfs
	done
	echo "$CYCLES cycles"
}

unload() {
	modprobe -r nfsv4 nfs rpcrdma
	rmmod rdma_rxe
}

driver_up
peer_up
nfs_utils
modprobe rpcrdma
t_case server_up peer "$ULP" nfsd_up
t_case data_v4 data "$(vm_ip 0)"
t_case data_v6 data "[$(vm_ip6 0)]" rdma6
t_case server_registers server_registers
t_case cycles cycles
[ "${RXE_FULL:-0}" = 0 ] || t_case long long
t_case no_complaints no_complaints
t_case server_no_complaints peer "$ULP" no_complaints
t_case server_down peer "$ULP" nfsd_down
t_case unload unload
t_case server_unload peer rmmod rdma_rxe
peer_quit
t_done
