# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# perftest and pingpong runs that judge both ends. Source after lib.sh.
# WHERE is local (both ends in this guest) or pair (the server in guest 0).
# A run that takes longer than this hangs.
RUN_LIMIT=${RUN_LIMIT:-$((240 * RXE_SLOW))}

gid_setup() {
	GID=$(vm_gid $DEV "$(vm_ip)")
	PEER_GID=$GID
	if [ "$RXE_GUESTS" -gt 1 ]; then
		peer vm_gid $DEV "$(vm_ip 0)" >/tmp/peer.gid
		PEER_GID=$(sed 's/^\[peer\] //' /tmp/peer.gid)
	fi
}

server_start() {
	local where=$1

	shift
	if [ "$where" = pair ]; then
		peer_server "$@"
	else
		run_server "$@"
	fi
}

server_end() {
	if [ "$1" = pair ]; then
		peer_wait "$SERVER" 30
	else
		until_ok 30 not kill -0 "$SERVER"
		wait "$SERVER"
	fi
}


server_host() {
	if [ "$1" = pair ]; then vm_ip 0; else vm_ip; fi
}

# both_ends WHERE PORT SERVER-GID CLIENT-GID GID-OPTION TOOL ARGS...: both ends of
# one run must end with 0; what the client printed is in /tmp/client.log.
both_ends() {
	local where=$1 port=$2 sgid=$3 cgid=$4 opt=$5 rc=0

	shift 5
	server_start "$where" "$port" "$@" -d $DEV -p "$port" "$opt" "$sgid"
	timeout -k 5 "$RUN_LIMIT" "$@" -d $DEV -p "$port" "$opt" "$cgid" \
		"$(server_host "$where")" >/tmp/client.log 2>&1 || rc=$?
	cat /tmp/client.log
	[ $rc = 0 ] || die "client: exit status $rc"
	rc=0
	server_end "$where" || rc=$?
	[ $rc = 0 ] || die "server: exit status $rc"
}

# Emulated guests on a busy machine stand still for longer than perftest's default
# time-out (-u 14, 67 ms) times its 7 retries; on a slow kernel four times as long.
PERF_QP_TIMEOUT=$((RXE_SLOW > 1 ? 19 : 17))

# perf WHERE ROWS TOOL ARGS...: and the client's table has that many rows. A time of
# "inf" or "nan" is perftest's when it could not make out a starved CPU's frequency.
perf() {
	local where=$1 rows=$2 got

	shift 2
	# shellcheck disable=SC2154
	both_ends "$where" $((18600 + t_nr)) "$PEER_GID" "$GID" -x "$@" -F -u $PERF_QP_TIMEOUT
	got=$(grep -cE '^ *[0-9]+ +[0-9]+( +([0-9.]+|inf|-?nan)){2}' /tmp/client.log || true)
	[ "$got" = "$rows" ] || die "$got result rows, must be $rows"
}

# row WHEN NAME ROWS TOOL ARGS...: one run of the matrix. WHEN: always; local,
# between guests only in the long lane; full, in the long lane only.
row() {
	local when=$1 name=$2

	shift 2
	case $when.$PERF_ROWS.${RXE_FULL:-0} in
	always.* | local.local.* | *.1) t_case "$name" perf "$PERF_WHERE" "$@" ;;
	esac
}

# Reliable connections: every tool with every option that it has. Sizes 2..2^23 are
# 23 rows; atomics have one size. The tools for WRITE have no -e: they poll memory.
perf_rc() {
	local tool all=(-a -n 5)

	row always rc.send_bw.all_sizes 23 ib_send_bw "${all[@]}"
	row local rc.write_bw.all_sizes 23 ib_write_bw "${all[@]}"
	row local rc.read_bw.all_sizes 23 ib_read_bw "${all[@]}"
	row always rc.send_bw.16_qps 1 ib_send_bw -q 16 -n 20
	row always rc.send_bw.old_post_send 1 ib_send_bw --use_old_post_send -n 50
	for tool in write read atomic; do
		row local "rc.${tool}_bw.16_qps" 1 "ib_${tool}_bw" -q 16 -n 20
		row full "rc.${tool}_bw.old_post_send" 1 "ib_${tool}_bw" --use_old_post_send -n 50
	done
	for tool in send write read; do
		row local "rc.${tool}_lat.64k" 1 "ib_${tool}_lat" -s 65536 -n 10
		row full "rc.${tool}_lat.all_sizes" 23 "ib_${tool}_lat" "${all[@]}"
		row full "rc.${tool}_bw.both_ways_all_sizes" 23 "ib_${tool}_bw" -b "${all[@]}"
	done
	for tool in send write read atomic; do
		row always "rc.${tool}_lat" 1 "ib_${tool}_lat" -n 100
		row always "rc.${tool}_bw.both_ways" 1 "ib_${tool}_bw" -b -n 30
		row full "rc.${tool}_bw.8_qps" 1 "ib_${tool}_bw" -q 8 -n 20
		row full "rc.${tool}_bw.both_ways_16_qps" 1 "ib_${tool}_bw" -b -q 16 -n 20
		row full "rc.${tool}_lat.old_post_send" 1 "ib_${tool}_lat" --use_old_post_send -n 50
		row full "rc.${tool}_bw.post_list" 1 "ib_${tool}_bw" -l 8 -n 80
	done
	row always rc.send_bw.events 1 ib_send_bw -e -n 50
	row local rc.send_lat.events 1 ib_send_lat -e -n 50
	for tool in read atomic; do
		row local "rc.${tool}_bw.events" 1 "ib_${tool}_bw" -e -n 50
		row full "rc.${tool}_lat.events" 1 "ib_${tool}_lat" -e -n 50
	done
	row local rc.atomic_bw.compare_and_swap 1 ib_atomic_bw -A CMP_AND_SWAP -n 50
	row local rc.atomic_lat.compare_and_swap 1 ib_atomic_lat -A CMP_AND_SWAP -n 50
	row full rc.read_bw.outstanding_1 1 ib_read_bw -o 1 -n 50
	row full rc.read_bw.outstanding_128 1 ib_read_bw -o 128 -n 50
}

# Inline data of one byte, of a work request's usual 236 bytes, and of all it holds
perf_inline() {
	local tool bytes

	row local inline.send_bw.512 1 ib_send_bw -I 512 -s 512 -n 50
	row always inline.write_bw.512 1 ib_write_bw -I 512 -s 512 -n 50
	for tool in send write; do
		for bytes in 1 236; do
			row full "inline.${tool}_bw.$bytes" 1 "ib_${tool}_bw" -I $bytes -s $bytes -n 50
			row full "inline.${tool}_lat.$bytes" 1 "ib_${tool}_lat" -I $bytes -s $bytes -n 50
		done
		row full "inline.${tool}_lat.512" 1 "ib_${tool}_lat" -I 512 -s 512 -n 50
	done
}

perf_srq() {
	row always srq.send_bw 1 ib_send_bw --use-srq -n 50
	row local srq.send_lat 1 ib_send_lat --use-srq -n 50
	row local srq.send_bw.16_qps 1 ib_send_bw --use-srq -q 16 -n 20
	row full srq.send_bw.all_sizes 23 ib_send_bw --use-srq -a -n 5
	row full srq.send_bw.events 1 ib_send_bw --use-srq -e -n 50
	row full srq.send_bw.both_ways 1 ib_send_bw --use-srq -b -n 30
	row full srq.send_bw.old_post_send 1 ib_send_bw --use-srq --use_old_post_send -n 50
}

# What is lost is lost here, so there are fewer messages than receives, and between
# guests fewer packets than queues on the way hold.
perf_unreliable() {
	local tool

	for tool in send write; do
		row always "uc.${tool}_bw" 1 "ib_${tool}_bw" -c UC -s 4096 -n 30
		row always "uc.${tool}_lat" 1 "ib_${tool}_lat" -c UC -n 50
		row local "uc.${tool}_bw.both_ways" 1 "ib_${tool}_bw" -c UC -b -n 20
		row full "uc.${tool}_lat.all_sizes" 23 "ib_${tool}_lat" -c UC -a -n 5
		row full "uc.${tool}_bw.all_sizes" 23 "ib_${tool}_bw" -c UC -a -n 5
		row full "uc.${tool}_bw.16_qps" 1 "ib_${tool}_bw" -c UC -q 16 -n 5 -s 4096
		row full "uc.${tool}_bw.inline" 1 "ib_${tool}_bw" -c UC -I 512 -s 512 -n 50
		row full "uc.${tool}_bw.old_post_send" 1 "ib_${tool}_bw" -c UC \
			--use_old_post_send -s 4096 -n 30
	done
	row full uc.send_bw.events 1 ib_send_bw -c UC -e -n 30
	row full uc.send_lat.events 1 ib_send_lat -c UC -e -n 50
	row full uc.send_bw.srq 1 ib_send_bw -c UC --use-srq -s 4096 -n 30
	# 2 .. 1024, the path MTU
	row always ud.send_bw.all_sizes 10 ib_send_bw -c UD -a -n 30
	row always ud.send_lat 1 ib_send_lat -c UD -s 64 -n 100
	row local ud.send_bw.both_ways 1 ib_send_bw -c UD -b -s 1024 -n 30
	row local ud.send_bw.16_qps 1 ib_send_bw -c UD -q 16 -s 1024 -n 10
	row full ud.send_bw.events 1 ib_send_bw -c UD -e -s 1024 -n 30
	row full ud.send_lat.events 1 ib_send_lat -c UD -e -s 64 -n 50
	row full ud.send_lat.all_sizes 10 ib_send_lat -c UD -a -n 10
	row full ud.send_bw.inline 1 ib_send_bw -c UD -I 512 -s 512 -n 50
	row full ud.send_bw.srq 1 ib_send_bw -c UD --use-srq -s 1024 -n 30
	row full ud.send_bw.old_post_send 1 ib_send_bw -c UD --use_old_post_send -s 1024 -n 30
}

# perf_all WHERE [ROWS]: all eight tools, a subset that has each tool, transport and
# option once, or the whole matrix in the long lane. ROWS is whose subset, local has
# more than pair.
perf_all() {
	PERF_WHERE=$1
	PERF_ROWS=${2:-$1}
	perf_rc
	perf_inline
	perf_srq
	perf_unreliable
}

# pingpong WHERE SERVER-GID CLIENT-GID
pingpong() {
	both_ends "$1" $((18600 + t_nr)) "$2" "$3" -g ibv_rc_pingpong -c -n 100
	grep -q 'iters in' /tmp/client.log || die "no result line"
}
