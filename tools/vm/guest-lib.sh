# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Functions for scripts that tools/vm/run runs in guests. Source it.
# Each returns non-zero after saying why on stderr when it cannot do its work.

_vm_sync=$RXE_SHARED/.sync

_vm_fail() {
	echo "guest-lib: $*" >&2
	return 1
}

# Poll until a file is there: _vm_until FILE SECONDS WHAT
_vm_until() {
	local end=$((SECONDS + $2))

	until [ -e "$1" ]; do
		[ ! -e "$_vm_sync/abort" ] || { _vm_fail "$3: another guest failed"; return; }
		[ $SECONDS -lt $end ] || { _vm_fail "$3: timed out after $2 s"; return; }
		sleep 0.1
	done
}

# vm_signal NAME: let every vm_wait NAME of any guest go on.
vm_signal() {
	touch "$_vm_sync/signal.$1"
}

# vm_wait NAME [SECONDS]: until some guest has called vm_signal NAME.
vm_wait() {
	_vm_until "$_vm_sync/signal.$1" "${2:-120}" "vm_wait $1"
}

# vm_barrier NAME [SECONDS]: until all guests are here. A name may be used again.
vm_barrier() {
	local turn i

	mkdir -p /run/vm-barrier
	turn=$(cat "/run/vm-barrier/$1" 2>/dev/null || echo 0)
	echo $((turn + 1)) >"/run/vm-barrier/$1"
	touch "$_vm_sync/barrier.$1.$turn.$RXE_GUEST"
	for ((i = 0; i < RXE_GUESTS; i++)); do
		_vm_until "$_vm_sync/barrier.$1.$turn.$i" "${2:-120}" "vm_barrier $1 (guest $i)" ||
			return
	done
}

# The module file that vm_load ours inserts.
vm_module() {
	echo "${RXE_MODULE:-$RXE_TOP/rdma_rxe.ko}"
}

# vm_load ours|stock: insert the module and what it needs.
vm_load() {
	local dep

	# The table-driven crc32 of the kernel is slow; both get the fast one.
	modprobe -q crc32-pclmul 2>/dev/null || :
	case $1 in
	ours)
		[ -f "$(vm_module)" ] || { _vm_fail "vm_load: no $(vm_module); run make"; return; }
		for dep in $(modinfo -F depends "$(vm_module)" | tr , ' '); do
			[ -d "/sys/module/$dep" ] || modprobe "$dep" ||
				{ _vm_fail "vm_load: cannot load $dep"; return; }
		done
		insmod "$(vm_module)" || _vm_fail "vm_load: insmod $(vm_module) failed"
		;;
	stock)
		modprobe rdma_rxe || _vm_fail "vm_load: modprobe rdma_rxe failed"
		;;
	*)
		_vm_fail "vm_load: ours or stock, not '$1'"
		;;
	esac
}

# _vm_gid_text ADDR: an IPv4 or IPv6 address as sysfs writes its GID.
_vm_gid_text() {
	local a=$1 head tail n out='' w

	if [[ $a != *:* ]]; then
		IFS=. read -r -a w <<<"$a"
		printf '0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x\n' "${w[@]}"
		return
	fi
	if [[ $a == *::* ]]; then
		head=${a%%::*} tail=${a##*::}
		n=$(tr -dc : <<<"$head${head:+:}$tail${tail:+:}" | wc -c)
		for ((; n < 8; n++)); do out+=0:; done
		a=${head:+$head:}$out$tail
		a=${a%:}
	fi
	IFS=: read -r -a w <<<"$a"
	out=$(printf '%04x:' "${w[@]/#/0x}")
	echo "${out%:}"
}

# vm_gid DEV ADDR: print the index of ADDR's RoCE v2 GID on port 1.
vm_gid() {
	local dir=/sys/class/infiniband/$1/ports/1 want i type

	want=$(_vm_gid_text "$2")
	for ((i = 0; i < 256; i++)); do
		[ -e "$dir/gids/$i" ] || break
		[ "$(<"$dir/gids/$i")" = "$want" ] || continue
		type=$(cat "$dir/gid_attrs/types/$i" 2>/dev/null) || continue
		[ "$type" = "RoCE v2" ] || continue
		echo $i
		return
	done
	_vm_fail "vm_gid: no RoCE v2 GID for $2 on $1"
}

# vm_link NAME NETDEV [SECONDS]: add the link, wait until it is ACTIVE and has a
# GID for every address of the netdev.
vm_link() {
	local end=$((SECONDS + ${3:-30})) addr missing

	rdma link add "$1" type rxe netdev "$2" || { _vm_fail "vm_link: cannot add $1 on $2"; return; }
	while :; do
		missing=
		[[ $(rdma link show "$1/1" 2>&1) == *" state ACTIVE "* ]] || missing="state ACTIVE"
		for addr in $(ip -o addr show dev "$2" -tentative | awk '{sub("/.*", "", $4); print $4}'); do
			vm_gid "$1" "$addr" >/dev/null 2>&1 || missing+=" GID of $addr"
		done
		[ -n "$missing" ] || return 0
		[ $SECONDS -lt $end ] || { _vm_fail "vm_link: $1 lacks: $missing"; return; }
		sleep 0.2
	done
}

# vm_lossy NETDEV PERCENT: lose that many of the RoCE packets on their way out, and no other;
# until the root qdisc of NETDEV is deleted.
vm_lossy() {
	modprobe -qa sch_netem sch_prio cls_u32 || true
	tc qdisc add dev "$1" root handle 1: prio bands 4
	tc qdisc add dev "$1" parent 1:4 handle 4: netem limit 100000 loss "$2%"
	tc filter add dev "$1" parent 1: protocol ip u32 match ip dport 4791 0xffff flowid 1:4
}

# vm_ip [GUEST]: a guest's IPv4 address on the common segment (default: own).
vm_ip() {
	echo "192.168.95.$((128 + 2 * ${1:-$RXE_GUEST}))"
}

# vm_ip6 [GUEST]: the same for IPv6.
vm_ip6() {
	printf 'fd00:95::%x\n' $((128 + 2 * ${1:-$RXE_GUEST}))
}
