#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 1
# The life of a link: what adding refuses and why, what the port tells, addresses
# that come and go, and what is left when links, netdevs and namespaces go.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"
. "$RXE_TOP/tools/tests/scenarios/perftest.sh"
. "$RXE_TOP/tools/tests/scenarios/rdmacm.sh"
CYCLES=15
[ "${RXE_FULL:-0}" = 0 ] || CYCLES=50

sockets() {
	ss -Hlun 'sport = :4791' | wc -l
}

no_sockets() {
	[ "$(sockets)" = 0 ]
}

have_sockets() {
	[ "$(sockets)" = 2 ] # one for IPv4, one for IPv6
}

no_device() {
	[ ! -e "/sys/class/infiniband/$1" ]
}

port_is() {
	rdma link show "$1/1" | grep -q "state $2 physical_state $3 "
}

# refused ERRNO-TEXT NAME NETDEV [TYPE]: adding fails with that errno, and a
# sentence of the driver's says why, in the answer or in the kernel's log.
refused() {
	local text=$1 said

	dmesg -C
	! said=$(rdma link add "$2" type "${4:-rxe}" netdev "$3" 2>&1) || die "the link was added"
	echo "$said"
	dmesg
	grep -q "$text" <<<"$said" || die "the errno is not: $text"
	[ -n "${5:-}" ] || dmesg | grep -q 'rxe: .* .*' || grep -qi 'rxe.* .*' <<<"$said" ||
		die "no sentence says why"
}

refuse_name_in_use() {
	ip link add rxed0 type dummy
	ip link set rxed0 up
	refused 'File exists' $DEV rxed0
	ip link del rxed0
}

refuse_vlan() {
	ip link add link eth0 name eth0.5 type vlan id 5
	ip link set eth0.5 up
	refused 'Operation not permitted' rxe_v eth0.5
	ip link del eth0.5
}

# A CAN interface carries no IP.
refuse_no_ip() {
	modprobe vcan
	ip link add can0 type vcan
	ip link set can0 up
	refused 'not supported' rxe_c can0
	ip link del can0
}

refuse_long_name() {
	refused '' "$(printf 'rxe_%070d' 0)" lo rxe core
}

still_works() {
	port_is $DEV ACTIVE LINK_UP
	pingpong local "$GID" "$GID"
}

add_on_down() {
	ip link add va type veth peer name vb
	rdma link add rxe_va type rxe netdev va
	port_is rxe_va DOWN DISABLED || die "$(rdma link show rxe_va/1)"
	ibv_devinfo -d rxe_va | grep -q 'PORT_DOWN'
	ip link set va up
	ip link set vb up
	until_ok 10 port_is rxe_va ACTIVE LINK_UP
	ip link set vb down # carrier lost
	until_ok 10 port_is rxe_va DOWN '.*'
	ip link set vb up
	until_ok 10 port_is rxe_va ACTIVE LINK_UP
	rdma link del rxe_va
	ip link del va
}

add_on_loopback() {
	rdma link add rxe_lo type rxe netdev lo
	until_ok 10 port_is rxe_lo ACTIVE LINK_UP
	until_ok 10 vm_gid rxe_lo 127.0.0.1
	DEV=rxe_lo pingpong local "$(vm_gid rxe_lo 127.0.0.1)" "$(vm_gid rxe_lo 127.0.0.1)"
	rdma link del rxe_lo
}

devinfo() {
	ibv_devinfo -v -d $DEV >/tmp/devinfo
	cat /tmp/devinfo
	grep -q 'state:.*PORT_ACTIVE' /tmp/devinfo
	grep -q 'link_layer:.*Ethernet' /tmp/devinfo
	grep -q 'transport:.*InfiniBand' /tmp/devinfo
	grep -q 'active_mtu:.*1024 ' /tmp/devinfo
	grep -q 'max_mtu:.*4096 ' /tmp/devinfo
	grep -q 'RoCE v2' /tmp/devinfo
	! grep -q 'RoCE v1' /tmp/devinfo || die "a RoCE v1 GID"
}

sysfs() {
	local name

	[ "$(cat /sys/class/infiniband/$DEV/parent)" = eth0 ] || die "parent is not eth0"
	for name in sent_pkts rcvd_pkts duplicate_request out_of_seq_request rcvd_rnr_err \
		send_rnr_err rcvd_seq_err ack_deferred retry_exceeded_err \
		retry_rnr_exceeded_err completer_retry_err send_err link_downed rdma_sends \
		rdma_recvs; do
		[[ "$(cat /sys/class/infiniband/$DEV/ports/1/hw_counters/$name)" =~ ^[0-9]+$ ]] ||
			die "no counter $name"
	done
}

counters_count() {
	local dir=/sys/class/infiniband/$DEV/ports/1/hw_counters before after

	before=$(cat $dir/sent_pkts)
	pingpong local "$GID" "$GID"
	after=$(cat $dir/sent_pkts)
	echo "sent_pkts: $before, then $after"
	[ $((after - before)) -ge 400 ] # 200 messages of 4 KiB and more, and their ACKs
}

mtu_follows() {
	local pair

	for pair in 4200:4096 4175:2048 2200:2048 1500:1024 1103:512 600:512 1280:1024; do
		ip link set eth0 mtu "${pair%:*}"
		until_ok 10 mtu_is "${pair#*:}"
	done
	ip link set eth0 mtu 1500
	until_ok 10 mtu_is 1024
	# Below 1280 bytes there is no IPv6: its addresses went.
	ip addr add "$(vm_ip6)/64" dev eth0 nodad
}

told() {
	[ "$(grep -c "$1" /tmp/holder.log)" = "$2" ]
}

# hold CASE: it holds something, $! is its process, until descriptor 7 is closed.
hold() {
	mkfifo /tmp/hold
	"$RVT" --timeout 100 "$1" </tmp/hold >/tmp/holder.log 2>&1 &
	exec 7>/tmp/hold
	rm /tmp/hold
	until_ok 60 told holding 1 || { cat /tmp/holder.log; return 1; }
}

# Datagrams of a QP that was there before, as long as a frame holds now.
datagrams_follow_mtu() {
	local holder mtu n=0

	hold hold.mtu_changes
	holder=$!
	for mtu in 1500 4200 2200 1500; do
		ip link set eth0 mtu $mtu
		echo >&7
		n=$((n + 1))
		until_ok 20 told "done" $n || break
	done
	exec 7>&-
	ip link set eth0 mtu 1500
	wait $holder || { cat /tmp/holder.log; die "MTU $mtu"; }
}

# A process that holds all address handles it may have is not in the way of others who
# connect: the connection manager makes its own.
connect_without_ahs() {
	local holder server

	modprobe rdma_ucm
	hold hold.ahs
	holder=$!
	timeout 60 rping -s -a "$(vm_ip)" -C 1 >/tmp/server.log 2>&1 &
	server=$!
	until_ok 30 cm_listens
	timeout 60 rping -c -a "$(vm_ip)" -C 1 -v
	wait $server
	exec 7>&-
	wait $holder
}

gid_gone() {
	! vm_gid $DEV "$1"
}

gids_follow() {
	local addr

	for addr in 10.9.8.7/24 fd00:1234::7/64 192.168.95.77/24 fd00:95::77/64; do
		ip addr add "$addr" dev eth0
		until_ok 10 vm_gid $DEV "${addr%/*}"
		ip addr del "$addr" dev eth0
		until_ok 10 gid_gone "${addr%/*}"
	done
	vm_gid $DEV "$(vm_ip)"
	vm_gid $DEV "$(vm_ip6)"
}

# An address that comes later is one that can be used.
late_address() {
	local gid

	ip addr add 10.9.8.7/24 dev eth0
	until_ok 10 vm_gid $DEV 10.9.8.7
	gid=$(vm_gid $DEV 10.9.8.7)
	pingpong local "$gid" "$gid"
	ip addr del 10.9.8.7/24 dev eth0
}

del_leaves_nothing() {
	have_sockets || die "$(sockets) sockets on UDP 4791 with a link"
	rdma link del $DEV
	no_device $DEV
	no_sockets || die "the UDP socket is still there"
	[ "$(rdma link | wc -l)" = 0 ]
	[ "$(cat /sys/module/rdma_rxe/refcnt)" = 0 ] || die "module refcount"
}

rmmod_leaves_nothing() {
	rmmod rdma_rxe
	[ ! -e /sys/module/rdma_rxe ]
	[ ! -e /sys/class/infiniband/$DEV ]
}

# rmmod with links there takes them along.
rmmod_with_links() {
	driver_up
	ip link add va type veth peer name vb
	rdma link add rxe_va type rxe netdev va
	rmmod rdma_rxe
	no_device $DEV
	no_device rxe_va
	no_sockets
	ip link del va
}

cycles() {
	local i

	for ((i = 0; i < $1; i++)); do
		load_driver
		rdma link add $DEV type rxe netdev eth0
		[ $((i % 2)) = 0 ] || rdma link del $DEV
		rmmod rdma_rxe
	done
	no_sockets
}

two_links() {
	ip link add va type veth peer name vb
	ip link set va up
	ip link set vb up
	rdma link add rxe_va type rxe netdev va
	rdma link add rxe_vb type rxe netdev vb
	have_sockets || die "$(sockets) sockets"
	rdma link del $DEV
	have_sockets || die "$(sockets) sockets after the first of three links went"
	rdma link del rxe_va
	rdma link del rxe_vb
	no_sockets
	ip link del va
	vm_link $DEV eth0
}

# What a user may ask for as often as they like leaves nothing in the log.
quietly() {
	dmesg -C
	"$@"
	dmesg | tee /tmp/said
	[ ! -s /tmp/said ]
}

# The rate is asked for by a query of the port.
query_port() {
	local rate i

	ip link add rxed0 type dummy
	ip link set rxed0 up
	rdma link add rxe_d type rxe netdev rxed0
	dmesg -C
	for ((i = 0; i < 1000; i++)); do
		read -r rate </sys/class/infiniband/rxe_d/ports/1/rate
	done
	[[ "$rate" = '2.5 Gb/sec (1X SDR)' ]] || die "rate of an interface that cannot tell: $rate"
	rdma link del rxe_d
	ip link del rxed0
}

received() {
	[ "$(cat /sys/class/infiniband/$DEV/ports/1/hw_counters/rcvd_pkts)" -gt "$1" ]
}

# Packets that come in at any moment of a link's beginning and end.
packets_while_adding() {
	local sender i

	timeout 1000 "$RXE_TOP/tools/tests/scenarios/strays.py" "$(vm_ip)" &
	sender=$!
	until_ok 60 received 1000
	for ((i = 0; i < CYCLES; i++)); do
		rdma link del $DEV
		rdma link add $DEV type rxe netdev eth0
	done
	until_ok 60 received 1000
	kill $sender
	rdma link del $DEV
	vm_link $DEV eth0
}

# A process holds a QP while the netdev goes: the link goes at once, the process
# hears of it and finds its verbs failing.
netdev_removed() {
	local holder

	ip link add va type veth peer name vb
	ip link set va up
	ip link set vb up
	ip addr add 10.7.7.1/24 dev va
	vm_link rxe_va va
	"$RVT" -d rxe_va --timeout 60 hold.until_gone >/tmp/holder.log 2>&1 &
	holder=$!
	until_ok 20 grep -q holding /tmp/holder.log
	timeout -k 1 20 ip link del va || die "the netdev cannot go"
	until_ok 10 no_device rxe_va
	wait $holder || { cat /tmp/holder.log; die "the holder was not told"; }
}

link_deleted_while_held() {
	local holder

	"$RVT" --timeout 60 hold.until_gone >/tmp/holder.log 2>&1 &
	holder=$!
	until_ok 20 grep -q holding /tmp/holder.log
	timeout -k 1 20 rdma link del $DEV || die "the link cannot be deleted"
	no_device $DEV
	wait $holder || { cat /tmp/holder.log; die "the holder was not told"; }
	vm_link $DEV eth0
}

netns_link() {
	netns_up 10.6.6.1 10.6.6.2
	in_ns rdma link add rxe_ns type rxe netdev vb
	rdma link add rxe_va type rxe netdev va
	until_ok 10 port_is rxe_ns ACTIVE LINK_UP
	[ "$(in_ns ss -Hlun 'sport = :4791' | wc -l)" = 2 ] || die "no socket in the namespace"
	until_ok 10 vm_gid rxe_ns 10.6.6.2
	until_ok 10 vm_gid rxe_va 10.6.6.1
}

# Between the namespace and the host, over the veth pair.
netns_traffic() {
	local server

	in_ns timeout 60 ibv_rc_pingpong -d rxe_ns -g "$(vm_gid rxe_ns 10.6.6.2)" -c -n 100 \
		>/tmp/server.log 2>&1 &
	server=$!
	until_ok 20 in_ns_listens 18515
	timeout 60 ibv_rc_pingpong -d rxe_va -g "$(vm_gid rxe_va 10.6.6.1)" -c -n 100 10.6.6.2
	wait $server
}

netns_sockets_close() {
	in_ns rdma link del rxe_ns
	[ "$(in_ns ss -Hlun 'sport = :4791' | wc -l)" = 0 ] || die "the namespace keeps its socket"
	[ "$(sockets)" = 2 ] || die "the host lost its sockets"
}

# A link in a VRF, whose packets only sockets get that may look into all of them
vrf_traffic() {
	local addr server

	sysctl -qw net.ipv4.udp_l3mdev_accept=1 net.ipv4.tcp_l3mdev_accept=1
	ip link add rxevrf type vrf table 10
	ip link set rxevrf up
	ip link set va master rxevrf
	ip addr add fd66::1/64 dev va nodad
	in_ns ip addr add fd66::2/64 dev vb nodad
	for addr in fd66:: 10.6.6.; do
		until_ok 10 vm_gid rxe_ns ${addr}2
		until_ok 10 vm_gid rxe_va ${addr}1
		in_ns timeout 60 ibv_rc_pingpong -d rxe_ns -g "$(vm_gid rxe_ns ${addr}2)" -c -n 100 \
			>/tmp/server.log 2>&1 &
		server=$!
		until_ok 20 in_ns_listens 18515
		timeout 60 ip vrf exec rxevrf ibv_rc_pingpong -d rxe_va \
			-g "$(vm_gid rxe_va ${addr}1)" -c -n 100 10.6.6.2
		wait $server
	done
	ip link del rxevrf
}

# A namespace that ends takes its links along.
netns_exit() {
	in_ns rdma link add rxe_ns type rxe netdev vb
	until_ok 10 port_is rxe_ns ACTIVE LINK_UP
	ip netns del rxens
	until_ok 20 no_device rxe_ns
	until_ok 10 no_device rxe_va
}

# A device that went to another namespace, and back, is as good as before.
netns_moved() {
	rdma system set netns exclusive
	ip netns add rxens
	ip netns attach rxehome $$
	rdma dev set $DEV netns rxens
	no_device $DEV || die "it is still here"
	in_ns rdma dev set $DEV netns rxehome
	ip netns del rxens
	ip netns del rxehome
	until_ok 20 rdma system set netns shared
	"$RVT" odp.prefetch.works
}

# What a case that failed may have left, and what the next one needs.
tidy() {
	local netdev

	ip netns del rxens
	ip netns del rxehome
	for netdev in rxevrf va rxed0 eth0.5 can0; do
		ip link del $netdev
	done
	rdma link | grep -o 'rxe_[a-z][a-z]*' | while read -r link; do
		timeout -k 1 5 rdma link del "$link"
	done
	[ -e /sys/class/infiniband/$DEV ] || [ ! -e /sys/module/rdma_rxe ] || vm_link $DEV eth0
}

unload() {
	tidy
	rmmod rdma_rxe
}

driver_up
gid_setup
T_TIDY=tidy
t_case active port_is $DEV ACTIVE LINK_UP
t_case devinfo devinfo
t_case sysfs sysfs
t_case counters_count counters_count
t_case sockets have_sockets
t_case refuse_missing refused 'No such device' rxe_x nosuch rxe core
t_case refuse_second refused 'File exists' rxe_x eth0
t_case refuse_name_in_use refuse_name_in_use
t_case refuse_vlan refuse_vlan
t_case refuse_no_ip refuse_no_ip
t_case refuse_wrong_type refused '' rxe_x lo nosuchtype core
t_case refuse_long_name refuse_long_name
t_case works_after_refusals still_works
t_case add_on_down add_on_down
t_case add_on_loopback add_on_loopback
t_case mtu_follows mtu_follows
t_case datagrams_follow_mtu datagrams_follow_mtu
t_case gids_follow gids_follow
t_case connect_without_ahs connect_without_ahs
t_case late_address late_address
t_case two_links two_links
t_case packets_while_adding packets_while_adding
t_case query_port_no_word quietly query_port
t_case no_memory_no_word quietly "$RVT" limits.largest_queue
t_case link_deleted_while_held link_deleted_while_held
t_case netdev_removed_while_held netdev_removed
T_TIDY=
t_case netns_link netns_link
t_case netns_traffic netns_traffic
t_case vrf_traffic vrf_traffic
t_case netns_sockets_close netns_sockets_close
t_case netns_exit netns_exit
t_case netns_moved netns_moved
tidy >/dev/null 2>&1 || true
t_case del_leaves_nothing del_leaves_nothing
t_case rmmod_leaves_nothing rmmod_leaves_nothing
T_TIDY=unload
t_case rmmod_with_links rmmod_with_links
t_case load_unload_cycles cycles $CYCLES
t_done
