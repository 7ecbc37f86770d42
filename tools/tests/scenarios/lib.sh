# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# What scenario scripts share. A scenario runs in a guest, prints one KTAP stream
# and ends with t_done. In two-guest scenarios it runs in guest 1 and tells
# guest 0 (peer.sh) what to run.
#
# Environment: RXE_DRIVER and RXE_PEER_DRIVER are ours or stock, RVT_DIR holds
# the verbs test program, RXE_FULL is 1 in the long lane.
# shellcheck source=tools/vm/guest-lib.sh
. "$RXE_TOP/tools/vm/guest-lib.sh"

# shellcheck disable=SC2034
{
	DEV=rxe_0
	RVT=$RVT_DIR/rvt
}
DRIVER=${RXE_DRIVER:-ours}
# How much longer all may take: the debug kernel is slow. The verbs program heeds it too.
export RXE_SLOW=1
[ ! -e /sys/kernel/debug/kmemleak ] || RXE_SLOW=4
T_LOG=/tmp/t.log
t_nr=0
t_bad=0

# t_result NAME STATUS [LOGFILE]: one KTAP line, and the end of the log of a failure.
t_result() {
	t_nr=$((t_nr + 1))
	if [ "$2" = 0 ]; then
		echo "ok $t_nr - $1"
		return
	fi
	t_bad=$((t_bad + 1))
	echo "not ok $t_nr - $1"
	[ -z "${3:-}" ] || { grep -vE 'address: LID|GID:|^-+$' "$3" || :; } | tail -n 25 | sed 's/^/# /'
}

# Runs before each case.
T_BEFORE=
# Runs after a case that failed half-way, so that it does not fail the next.
T_TIDY=

# t_case NAME COMMAND...: passes when the command, run in a subshell where the
# first failure ends it, succeeds.
t_case() {
	local name=$1 rc

	shift
	echo "rxe test: $name" >/dev/kmsg
	set +e
	$T_BEFORE >/dev/null 2>&1
	(
		set -e
		"$@"
	) >"$T_LOG" 2>&1
	rc=$?
	[ $rc = 0 ] || $T_TIDY >/dev/null 2>&1
	set -e
	t_result "$name" $rc "$T_LOG"
}

# t_ktap PREFIX SECONDS COMMAND...: takes over the cases of a KTAP program. One
# that is announced and does not report is a failure.
t_ktap() {
	local prefix=$1 limit=$(($2 * RXE_SLOW)) line plan=0 seen=0 rc bad=$t_bad

	shift 2
	set +e
	timeout -k 5 "$limit" "$@" >"$T_LOG.ktap" 2>"$T_LOG.err"
	rc=$?
	set -e
	while IFS= read -r line; do
		if [[ $line =~ ^1\.\.([0-9]+)$ ]]; then
			plan=${BASH_REMATCH[1]}
		elif [[ $line =~ ^(not\ )?ok\ [0-9]+\ -\ (.*)$ ]]; then
			t_nr=$((t_nr + 1)) seen=$((seen + 1))
			[ -z "${BASH_REMATCH[1]}" ] || t_bad=$((t_bad + 1))
			echo "${BASH_REMATCH[1]}ok $t_nr - $prefix${BASH_REMATCH[2]}"
		elif [[ $line != KTAP* ]]; then
			echo "$line"
		fi
	done <"$T_LOG.ktap"
	if [ "$seen" = 0 ] || [ "$seen" != "$plan" ] || [ $rc -gt 1 ] ||
		{ [ $rc != 0 ] && [ "$bad" = "$t_bad" ]; }; then
		echo "# exit status $rc, $seen of $plan cases reported" >>"$T_LOG.err"
		t_result "${prefix}complete" 1 "$T_LOG.err"
	fi
}

t_done() {
	echo "1..$t_nr"
	[ $t_bad = 0 ] && [ $t_nr -gt 0 ]
}

# Says why a case fails, and fails it.
die() {
	echo "$*"
	exit 1
}

not() {
	! "$@"
}

# until_ok SECONDS COMMAND...: until the command succeeds.
until_ok() {
	local end=$((SECONDS + $1 * RXE_SLOW))

	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || { echo "still false: $*"; return 1; }
		sleep 0.1
	done
}

listens() {
	ss -Hltn "sport = :$1" | grep -q .
}

# No QP, CQ, MR or PD but what the kernel itself holds, in namespace of the caller.
no_user_objects() {
	local what

	for what in qp cq mr pd; do
		rdma resource show $what 2>/dev/null | grep -w 'pid' && return 1
	done
	return 0
}

# shows FILE WORDS...: a line of the file has all of these, as "state RTS".
shows() {
	local file=$1 line words

	shift
	while read -r line; do
		for words; do
			[[ " $line " == *" $words "* ]] || continue 2
		done
		return 0
	done <"$file"
	die "no line has: $*"
}

mtu_is() {
	ibv_devinfo -d $DEV | grep -q "active_mtu:[[:space:]]*$1 "
}

# Packets that netem on eth0 threw away.
netem_dropped() {
	local n

	n=$(tc -s qdisc show dev eth0 | sed -n 's/.*dropped \([0-9]*\).*/\1/p')
	echo "$n packets dropped on their way out"
	[ "$n" -gt 0 ]
}

netem() {
	modprobe -q sch_netem || true
	tc qdisc replace dev eth0 root netem limit 20000 "$@"
}

# stream_both_ways PREFIX MESSAGES: mixed messages from this end, then from the other.
stream_both_ways() {
	local kind

	for kind in '' --swap; do
		# shellcheck disable=SC2086
		t_ktap "$1${kind/--/_}." 200 "$RVT" --timeout 180 --client "$(vm_ip 0)" $kind \
			--qps 2 --messages "$2" --max-size 65536 --seed 7 stream.custom
	done
}

# send_ect Y|N: may our packets be marked by routers?
send_ect() {
	echo "$1" >/sys/module/rdma_rxe/parameters/ecn
}

# An empty table for what comes in, or for what DROP_HOOK says
drop_table() {
	nft delete table inet rxe_drop 2>/dev/null || true
	nft add table inet rxe_drop
	nft add chain inet rxe_drop roce "{ type filter hook ${DROP_HOOK:-input} priority 0; }"
}

# drop_every N OPCODE...: lose every Nth packet of each opcode. On its way in the
# sender cannot know.
drop_every() {
	local n=$1 opcode

	shift
	drop_table
	for opcode; do
		nft add rule inet rxe_drop roce udp dport 4791 @th,64,8 "$opcode" \
			numgen inc mod "$n" == $((n - 1)) counter drop
	done
}

# count_opcode OPCODE: how many come in; they are not dropped.
count_opcode() {
	drop_table
	nft add rule inet rxe_drop roce udp dport 4791 @th,64,8 "$1" counter
}

# Packets that drop_every dropped or count_opcode counted.
dropped() {
	nft list table inet rxe_drop 2>/dev/null | awk '
		match($0, /counter packets [0-9]+/) {
			n += substr($0, RSTART + 16, RLENGTH - 16)
		}
		END { print n + 0 }'
}

# Indexes and kinds of the GIDs there are: "0 link_local", "1 ipv4" ...
gid_list() {
	local i gid

	for ((i = 0; i < 32; i++)); do
		gid=$(cat "/sys/class/infiniband/$DEV/ports/1/gids/$i" 2>/dev/null) || continue
		case $gid in
		0000:0000:0000:0000:0000:0000:0000:0000) ;;
		0000:0000:0000:0000:0000:ffff:*) echo "$i ipv4" ;;
		fe80:*) echo "$i link_local" ;;
		*) echo "$i ipv6" ;;
		esac
	done
}

load_driver() {
	vm_load "$DRIVER" || die "cannot load the module"
}

driver_up() {
	load_driver
	vm_link $DEV eth0
}

# run_server PORT COMMAND...: in the background, returns when it listens; its pid
# is in SERVER, its output in /tmp/server.log.
run_server() {
	local port=$1

	shift
	timeout -k 5 "$RUN_LIMIT" "$@" >/tmp/server.log 2>&1 &
	SERVER=$!
	until_ok 30 listens "$port" || { cat /tmp/server.log; return 1; }
}

# Kill every process that has a QP.
kill_device_users() {
	local pid

	rdma resource show qp | grep -ow 'pid [0-9]*' | sort -u | while read -r _ pid; do
		kill -9 "$pid" || true
	done
}

# --- a namespace at the other end of a veth pair: va here, vb in rxens -----------

in_ns() {
	ip netns exec rxens "$@"
}

in_ns_listens() {
	in_ns ss -Hltn "sport = :$1" | grep -q .
}

# netns_up [ADDRESS FAR-ADDRESS]
netns_up() {
	modprobe veth
	ip netns add rxens
	ip link add va type veth peer name vb
	ip link set vb netns rxens
	ip link set va up
	in_ns ip link set lo up
	in_ns ip link set vb up
	[ $# = 0 ] || ip addr add "$1/24" dev va
	[ $# = 0 ] || in_ns ip addr add "$2/24" dev vb
}

# --- the other guest -----------------------------------------------------------

PEER=0

# peer_start COMMAND...: start it there; its number is in PEER. The numbers are
# those of the files, since cases run in subshells and cannot keep a count.
peer_start() {
	while [ -e "$RXE_SHARED/cmd.$PEER" ]; do PEER=$((PEER + 1)); done
	printf '%q ' "$@" >"$RXE_SHARED/cmd.$PEER.part"
	mv "$RXE_SHARED/cmd.$PEER.part" "$RXE_SHARED/cmd.$PEER"
}

# peer_wait NUMBER SECONDS: its exit status; what it printed goes to stdout.
peer_wait() {
	until_ok "$2" test -e "$RXE_SHARED/rc.$1" || { echo "peer command $1 runs on"; return 1; }
	sed 's/^/[peer] /' "$RXE_SHARED/log.$1"
	return "$(<"$RXE_SHARED/rc.$1")"
}

# peer COMMAND...: run it there and wait.
peer() {
	peer_start "$@"
	peer_wait $PEER 120
}

# Packets that the device has sent
sent_pkts() {
	cat "/sys/class/infiniband/$DEV/ports/1/hw_counters/sent_pkts"
}

# both COMMAND...: here, then there.
both() {
	"$@"
	peer "$@"
}

# peer_server PORT COMMAND...: start a server there, return when it listens.
peer_server() {
	local port=$1

	shift
	peer_start timeout -k 5 "$RUN_LIMIT" "$@"
	# shellcheck disable=SC2034
	SERVER=$PEER
	peer peer_listens "$port"
}

peer_listens() {
	until_ok 30 listens "$1"
}

peer_up() {
	vm_wait peer-up 120
}

peer_quit() {
	vm_signal peer-quit
}
