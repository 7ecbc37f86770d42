# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Runs of programs that connect by the RDMA connection manager. Source after
# perftest.sh. WHERE is local or pair as there, FAMILY is v4 or v6.

# own_addr FAMILY, server_addr FAMILY WHERE
own_addr() {
	if [ "$1" = v6 ]; then vm_ip6; else vm_ip; fi
}

server_addr() {
	local guest=$RXE_GUEST

	[ "$2" = local ] || guest=0
	if [ "$1" = v6 ]; then vm_ip6 "$guest"; else vm_ip "$guest"; fi
}

cm_listens() {
	rdma resource show cm_id | grep -q LISTEN
}

cm_server() {
	local where=$1

	shift
	if [ "$where" = pair ]; then
		peer_start timeout -k 5 "$RUN_LIMIT" "$@"
		SERVER=$PEER
		peer until_ok 30 cm_listens
	else
		timeout -k 5 "$RUN_LIMIT" "$@" >/tmp/server.log 2>&1 &
		SERVER=$!
		until_ok 30 cm_listens || { cat /tmp/server.log; return 1; }
	fi
}

# Whoever a failed case left behind.
kill_cm_users() {
	local pid

	for pid in $(rdma resource show cm_id | grep -ow 'pid [0-9]*' | cut -d' ' -f2 | sort -u); do
		kill -9 "$pid" || true
	done
	kill_device_users
	until_ok 10 not cm_listens
}

cm_tidy() {
	[ "$RXE_GUESTS" = 1 ] || peer kill_cm_users
	kill_cm_users
}

# cm WHERE SERVER-COMMAND... -- CLIENT-COMMAND...: both must end with 0.
cm() {
	local where=$1 rc=0
	local -a server=()

	shift
	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	cm_server "$where" "${server[@]}"
	timeout -k 5 "$RUN_LIMIT" "$@" || rc=$?
	[ $rc = 0 ] || { cat /tmp/server.log || true; die "client: exit status $rc"; }
	server_end "$where" || rc=$?
	[ "$where" = pair ] || cat /tmp/server.log
	[ $rc = 0 ] || die "server: exit status $rc"
}

is_member() {
	ip maddr show dev eth0 | grep -qw "$1"
}

# multicast WHERE GROUP: two that receive and one that sends, which is in the group
# itself and must not count what it sent.
multicast() {
	local where=$1 group=$2 i pid
	local -a receivers=()

	for i in 1 2; do
		if [ "$where" = pair ]; then
			peer_start timeout -k 5 60 mckey -m "$group" -b "$(vm_ip 0)" -C 10
			pid=$PEER
		else
			timeout -k 5 60 mckey -m "$group" -b "$(vm_ip)" -C 10 >/tmp/receiver.$i 2>&1 &
			pid=$!
		fi
		receivers+=("$pid")
	done
	sleep 1
	if [ "$where" = pair ]; then
		peer until_ok 20 is_member "$group"
	else
		until_ok 20 is_member "$group"
	fi
	timeout -k 5 60 mckey -m "$group" -b "$(vm_ip)" -C 10 -s
	for pid in "${receivers[@]}"; do
		if [ "$where" = pair ]; then
			peer_wait "$pid" 30
		else
			wait "$pid" || { cat /tmp/receiver.*; die "a receiver failed"; }
		fi
	done
	until_ok 10 not is_member "$group"
}

# The servers of these serve for ever.
end_server() {
	if [ "$1" = pair ]; then
		peer pkill -x "$2"
	else
		kill "$SERVER"
	fi
}

# A server that takes any address of any family is to get IPv6's: the order of RFC
# 6724, but with one label for the addresses of IPv6.
prefer_v6() {
	printf '%s\n' 'label ::/0 1' 'label ::1/128 1' 'label ::ffff:0:0/96 4' \
		'precedence ::/0 40' 'precedence ::ffff:0:0/96 10' >/etc/gai.conf
}

rcopy_file() {
	local where=$1 srv=$2 dest=/tmp/copied

	head -c 3000001 /dev/urandom >/tmp/source
	if [[ $srv == *:* ]]; then
		if [ "$where" = pair ]; then peer prefer_v6; else prefer_v6; fi
		# Its client takes a colon for the end of the server's name
		echo "$srv rcopy-server" >>/etc/hosts
		srv=rcopy-server
	fi
	cm_server "$where" rcopy -p 7471
	timeout -k 5 "$RUN_LIMIT" rcopy /tmp/source "$srv:$dest" -p 7471
	if [ "$where" = pair ]; then
		peer sha256sum $dest | grep "$(sha256sum </tmp/source | cut -d' ' -f1)"
	else
		cmp /tmp/source $dest
	fi
	end_server "$where" rcopy
}

cmtime_run() {
	local where=$1 srv=$2 own=$3 conns=$4

	cm_server "$where" cmtime -b "$srv" -c "$conns"
	timeout -k 5 "$RUN_LIMIT" cmtime -s "$srv" -b "$own" -c "$conns" | tee /tmp/cmtime.log
	grep -q '^disconnect ' /tmp/cmtime.log || die "no result"
	end_server "$where" cmtime
}

# The sizes of "rstream -S all", a few transfers of each; those between powers of two
# in the long lane.
rstream_every_size() {
	local where=$1 srv=$2 size s

	for ((size = 64; size <= 4194304; size *= 2)); do
		for s in $size $((size + size / 2)); do
			[ "$s" = "$size" ] || [ "${RXE_FULL:-0}" = 1 ] || continue
			[ "$s" != 96 ] || continue
			cm "$where" rstream -b "$srv" -S "$s" -I 2 -C 3 -T v -- \
				rstream -s "$srv" -S "$s" -I 2 -C 3 -T v
		done
	done
}

# cm_all WHERE FAMILY
cm_all() {
	local where=$1 family=$2 own srv p=$1.$2 size n

	own=$(own_addr "$family")
	srv=$(server_addr "$family" "$where")
	t_case "$p.rping" cm "$where" rping -s -a "$srv" -V -C 20 -S 4096 -- \
		rping -c -a "$srv" -I "$own" -V -C 20 -S 4096
	t_case "$p.rping_own_qp" cm "$where" rping -s -a "$srv" -q -C 5 -- \
		rping -c -a "$srv" -q -C 5
	t_case "$p.ucmatose" cm "$where" ucmatose -b "$srv" -c 10 -C 20 -S 5000 -- \
		ucmatose -s "$srv" -b "$own" -c 10 -C 20 -S 5000
	t_case "$p.udaddy" cm "$where" udaddy -b "$srv" -c 5 -C 20 -S 900 -- \
		udaddy -s "$srv" -b "$own" -c 5 -C 20 -S 900
	t_case "$p.rstream_every_size" rstream_every_size "$where" "$srv"
	# "-S all" has no fewer than 3 million transfers of 24 GB in all: seconds for a
	# machine, minutes for an emulated one, hours between two.
	if [ "${RXE_FULL:-0}.$where" = 1.local ]; then
		RUN_LIMIT=3000 t_case "$p.rstream_all" cm "$where" rstream -b "$srv" -S all -- \
			rstream -s "$srv" -S all
	fi
	for size in 64 4096 65536 1048576; do
		n=$((size > 65536 ? 3 : 20))
		t_case "$p.riostream_$size" cm "$where" \
			riostream -b "$srv" -S $size -I $n -C 5 -T v -- \
			riostream -s "$srv" -S $size -I $n -C 5 -T v
	done
	t_case "$p.rcopy" rcopy_file "$where" "$srv"
	t_case "$p.cmtime" cmtime_run "$where" "$srv" "$own" "${CMTIME:-500}"
	# The connection manager has no IPv6 groups over RoCE v2.
	[ "$family" = v6 ] || t_case "$p.mckey" multicast "$where" 239.1.2.3
	t_case "$p.nothing_left" until_ok 10 no_user_objects
}

# datagrams WHERE SERVER-GID CLIENT-GID NAME: the pingpongs that are not RC alone.
# shellcheck disable=SC2154
more_pingpongs() {
	local where=$1 sgid=$2 cgid=$3 p=$1.$4 tool

	for tool in ud uc srq; do
		t_case "$p.${tool}_pingpong" both_ends "$where" $((18700 + t_nr)) "$sgid" \
			"$cgid" -g ibv_${tool}_pingpong -n 100 -s 1000
	done
	t_case "$p.uc_pingpong_checked" both_ends "$where" $((18700 + t_nr)) "$sgid" \
		"$cgid" -g ibv_uc_pingpong -n 50 -c
	t_case "$p.srq_pingpong_8_qps" both_ends "$where" $((18700 + t_nr)) "$sgid" \
		"$cgid" -g ibv_srq_pingpong -n 200 -q 8 -e
}
