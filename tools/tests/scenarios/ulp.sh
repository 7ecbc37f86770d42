#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Kernel users of the device. Sourced by the scenarios; `peer $ULP FUNCTION...` runs
# a function in the other guest, and fails where it first fails.
set -euo pipefail
# shellcheck disable=SC2034
ULP=$RXE_TOP/tools/tests/scenarios/ulp.sh
# shellcheck source=tools/tests/scenarios/lib.sh
[ "${BASH_SOURCE[0]}" != "$0" ] || . "$RXE_TOP/tools/tests/scenarios/lib.sh"

# fio_verify SECONDS ARGS...: write and read at random, all of --size or as much of it
# as can be done in that time, then check what was written. With 0 SECONDS all of it.
fio_verify() {
	local secs=$1

	shift
	[ "$secs" = 0 ] || set -- "--runtime=$secs" "$@"
	fio --name=verify --rw=randrw --direct=1 --ioengine=libaio --iodepth=16 \
		--verify=crc32c --verify_fatal=1 --serialize_overlap=1 --randseed=1 "$@"
}

# fio_long SECONDS ARGS...: all of it, again and again for so long. A run of its own
# each time: fio's --time_based does not verify what it wrote in an earlier round.
fio_long() {
	local end=$((SECONDS + $1)) round=0

	shift
	while [ $SECONDS -lt $end ]; do
		round=$((round + 1))
		fio_verify 0 "$@" --randseed=$round || return
	done
	echo "$round rounds"
}

# What a kernel user says when a request or a connection failed.
no_complaints() {
	! dmesg | grep -iE '(nvme|rpcrdma|svcrdma|rpc:|nfs).*(error|fail|timeout|timed out|lost|abort)|I/O error'
}

NVME_NQN=nqn.2024-01.org.example:rxe
NVME_PORT=4420
NVMET=/sys/kernel/config/nvmet

in_configfs() {
	mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
}

# nvmet_listen PORT_ID FAMILY ADDR
nvmet_listen() {
	local port=$NVMET/ports/$1

	mkdir "$port"
	echo rdma >"$port/addr_trtype"
	echo "$2" >"$port/addr_adrfam"
	echo "$3" >"$port/addr_traddr"
	echo $NVME_PORT >"$port/addr_trsvcid"
	ln -s $NVMET/subsystems/$NVME_NQN "$port/subsystems/$NVME_NQN"
}

# nvmet_up [OPTION]: a ramdisk, offered on the guest's addresses; option of nvmet-rdma.
nvmet_up() {
	modprobe -a brd nvmet
	modprobe nvmet-rdma "$@"
	in_configfs
	mkdir $NVMET/subsystems/$NVME_NQN
	echo 1 >$NVMET/subsystems/$NVME_NQN/attr_allow_any_host
	mkdir $NVMET/subsystems/$NVME_NQN/namespaces/1
	echo -n /dev/ram0 >$NVMET/subsystems/$NVME_NQN/namespaces/1/device_path
	echo 1 >$NVMET/subsystems/$NVME_NQN/namespaces/1/enable
	nvmet_listen 1 ipv4 "$(vm_ip "$RXE_GUEST")"
	nvmet_listen 2 ipv6 "$(vm_ip6 "$RXE_GUEST")"
}

# After its device has gone a port of nvmet is deaf until it is enabled anew.
nvmet_relisten() {
	local port

	for port in "$NVMET"/ports/*; do
		rm "$port/subsystems/$NVME_NQN"
		ln -s $NVMET/subsystems/$NVME_NQN "$port/subsystems/$NVME_NQN"
	done
}

nvmet_down() {
	local port

	for port in "$NVMET"/ports/*; do
		rm "$port/subsystems/$NVME_NQN"
		rmdir "$port"
	done
	echo 0 >$NVMET/subsystems/$NVME_NQN/namespaces/1/enable
	rmdir $NVMET/subsystems/$NVME_NQN/namespaces/1 $NVMET/subsystems/$NVME_NQN
	modprobe -r nvmet-rdma nvmet brd
}

nvmet_again() {
	nvmet_down
	nvmet_up "$@"
}

NFS_PORT=20049

# nfs_utils: programs of nfs-common and nfs-kernel-server, which tools/setup unpacks
# without installing them: no service of theirs is to run on the machine itself.
nfs_utils() {
	tar -C "$RXE_CACHE/nfs-utils" -c . | tar -C / -x --keep-directory-symlink
}

# nfsd_up: a tmpfs, exported by NFSv4 over RDMA.
nfsd_up() {
	nfs_utils
	modprobe -a nfsd rpcrdma
	mkdir -p /export /var/lib/nfs/v4recovery /run/rpc_pipefs
	mount -t tmpfs -o size=200m export /export
	mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd
	: >>/etc/exports
	exportfs -o rw,no_root_squash,insecure,no_subtree_check,fsid=0 "*:/export"
	rpc.mountd --no-nfs-version 3
	rpc.nfsd --no-nfs-version 3 --rdma=$NFS_PORT 4
	cat /proc/fs/nfsd/portlist
	grep -q "rdma $NFS_PORT" /proc/fs/nfsd/portlist
	# There is nobody who could reclaim anything
	echo Y >/proc/fs/nfsd/v4_end_grace
}

nfsd_down() {
	rpc.nfsd 0
	exportfs -au
	kill "$(pidof rpc.mountd)"
	until_ok 10 not pidof rpc.mountd
	umount /proc/fs/nfsd /export
	modprobe -r rpcrdma nfsd
}

[ "${BASH_SOURCE[0]}" != "$0" ] || "$@"
