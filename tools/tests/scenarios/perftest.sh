# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# perftest and pingpong runs that judge both ends. Source after lib.sh.
# WHERE is local (both ends in this guest) or pair (the server in guest 0).
# A run that takes longer than this hangs.
RUN_LIMIT=${RUN_LIMIT:-240}

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

not() {
	! "$@"
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
# time-out (-u 14, 67 ms) times its 7 retries.
PERF_QP_TIMEOUT=17

# perf WHERE ROWS TOOL ARGS...: and the client's table has that many rows.
perf() {
	local where=$1 rows=$2 got

	shift 2
	# shellcheck disable=SC2154
	both_ends "$where" $((18600 + t_nr)) "$PEER_GID" "$GID" -x "$@" -F -u $PERF_QP_TIMEOUT
	got=$(grep -cE '^ *[0-9]+ +[0-9]+ +[0-9.]+ +[0-9.]+' /tmp/client.log || true)
	[ "$got" = "$rows" ] || die "$got result rows, must be $rows"
}

# perf_all WHERE: the six tools with everything they offer. Sizes 2..2^23 are 23
# rows; between guests the latency tools go through them in the long lane only.
# The tools for WRITE have no -e: they poll memory.
perf_all() {
	local where=$1 tool iters=5

	[ "${RXE_FULL:-0}" = 0 ] || iters=20
	for tool in send write read; do
		t_case "${tool}_bw.all_sizes" perf "$where" 23 "ib_${tool}_bw" -a -n $iters
		if [ "$where" = local ] || [ "${RXE_FULL:-0}" != 0 ]; then
			t_case "${tool}_lat.all_sizes" \
				perf "$where" 23 "ib_${tool}_lat" -a -n $iters
		else
			t_case "${tool}_lat.4_KiB" perf "$where" 1 "ib_${tool}_lat" -s 4096 -n 100
		fi
		t_case "${tool}_bw.bidirectional" perf "$where" 1 "ib_${tool}_bw" -b -n 30
		t_case "${tool}_bw.8_qps" perf "$where" 1 "ib_${tool}_bw" -q 8 -n 20
		[ $tool = write ] || {
			t_case "${tool}_bw.events" perf "$where" 1 "ib_${tool}_bw" -e -n 50
			t_case "${tool}_lat.events" perf "$where" 1 "ib_${tool}_lat" -e -n 50
		}
		[ "${RXE_FULL:-0}" = 0 ] ||
			t_case "${tool}_bw.bidirectional_all_sizes" \
				perf "$where" 23 "ib_${tool}_bw" -b -a -n $iters
	done
}

# pingpong WHERE SERVER-GID CLIENT-GID
pingpong() {
	both_ends "$1" $((18600 + t_nr)) "$2" "$3" -g ibv_rc_pingpong -c -n 100
	grep -q 'iters in' /tmp/client.log || die "no result line"
}
