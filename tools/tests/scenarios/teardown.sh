#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# guests: 2
# Things torn down in the middle of a transfer: it ends, with errors, soon, and
# leaves nothing behind.
set -euo pipefail
. "$RXE_TOP/tools/tests/scenarios/lib.sh"
. "$RXE_TOP/tools/tests/scenarios/perftest.sh"

# How soon a transfer must have ended: the time-outs of the QPs and more.
END=40

# transfer_perftest: an endless one in this guest; SERVER and CLIENT are its ends.
transfer_perftest() {
	RUN_LIMIT=300 run_server 18700 ib_send_bw -d $DEV -x "$GID" -F -u 16 -p 18700 -n 2000000
	timeout -k 5 300 ib_send_bw -d $DEV -x "$GID" -F -u 16 -p 18700 -n 2000000 "$(vm_ip)" \
		>/tmp/client.log 2>&1 &
	CLIENT=$!
	under_way
	kill -0 $CLIENT || die "the transfer ended by itself: $(</tmp/client.log)"
}

transfer_rvt() {
	"$RVT" --timeout 300 -q 4 -T 2 -n 2000000 -S 30000 stream.custom >/tmp/client.log 2>&1 &
	CLIENT=$! SERVER=$!
	under_way
	kill -0 $CLIENT || die "the transfer ended by itself: $(</tmp/client.log)"
}

# In the other guest's memory: this one is the client.
transfer_pair() {
	RUN_LIMIT=300 peer_server 18701 ib_send_bw -d $DEV -x "$PEER_GID" -F -u 16 -p 18701 -n 2000000
	timeout -k 5 300 ib_send_bw -d $DEV -x "$GID" -F -u 16 -p 18701 -n 2000000 "$(vm_ip 0)" \
		>/tmp/client.log 2>&1 &
	CLIENT=$!
	under_way
	kill -0 $CLIENT || die "the transfer ended by itself: $(</tmp/client.log)"
}

sent_since() {
	[ "$(sent_pkts)" -ge "$1" ]
}

# Until the transfer that was just started has moved some megabytes.
under_way() {
	until_ok 60 sent_since $(($(sent_pkts) + 3000))
}

# ends_badly PID WHO: it ends in time, and does not claim success.
ends_badly() {
	local rc=0

	until_ok $END not kill -0 "$1" || die "the $2 hangs"
	wait "$1" || rc=$?
	echo "the $2 ended with $rc"
	[ $rc != 0 ] && [ $rc -lt 124 ] || die "the $2 did not report an error"
}

back_to_work() {
	vm_link $DEV eth0
	GID=$(vm_gid $DEV "$(vm_ip)")
	pingpong local "$GID" "$GID"
}

link_del() {
	"transfer_$1"
	timeout -k 1 20 rdma link del $DEV || die "the link cannot be deleted"
	ends_badly "$CLIENT" client
	[ "$SERVER" = "$CLIENT" ] || ends_badly "$SERVER" server
	back_to_work
}

kill_9() {
	"transfer_$1"
	kill_device_users
	until_ok 20 no_user_objects || { rdma resource show; rdma resource show qp; die "objects stay"; }
	wait "$CLIENT" || true
	wait "$SERVER" || true
	pingpong local "$GID" "$GID"
}

# One end only. A receiver cannot know that its sender is gone: it goes next.
kill_client_of_pair() {
	transfer_pair
	kill_device_users
	wait "$CLIENT" || true
	until_ok 20 no_user_objects
	peer kill_device_users
	peer until_ok 20 no_user_objects
}

kill_server_of_pair() {
	transfer_pair
	peer kill_device_users
	ends_badly "$CLIENT" client
	until_ok 20 no_user_objects
	peer until_ok 20 no_user_objects
}

# Refused as long as the device is open, or done cleanly.
rmmod_under_load() {
	"transfer_$1"
	if timeout -k 1 20 rmmod rdma_rxe; then
		ends_badly "$CLIENT" client
		load_driver
		back_to_work
	else
		sleep 1
		kill -0 "$CLIENT" || die "a refused rmmod broke the transfer"
		kill_device_users
		until_ok 20 no_user_objects
		wait "$CLIENT" || true
		wait "$SERVER" || true
		rmmod rdma_rxe
		load_driver
		back_to_work
	fi
}

link_down() {
	transfer_pair
	ip link set eth0 down
	ends_badly "$CLIENT" client
	ip link set eth0 up
	until_ok 20 no_user_objects
	# IPv6 addresses went with the link.
	ip addr add "$(vm_ip6)/64" dev eth0 nodad
	until_ok 20 vm_gid $DEV "$(vm_ip)"
	GID=$(vm_gid $DEV "$(vm_ip)")
	peer kill_device_users || true
	peer until_ok 20 no_user_objects
	until_ok 20 ping -c 1 -W 2 "$(vm_ip 0)"
	pingpong pair "$PEER_GID" "$GID"
}

address_removed() {
	transfer_pair
	ip addr del "$(vm_ip)/24" dev eth0
	ends_badly "$CLIENT" client
	ip addr add "$(vm_ip)/24" dev eth0
	until_ok 20 vm_gid $DEV "$(vm_ip)"
	GID=$(vm_gid $DEV "$(vm_ip)")
	peer kill_device_users || true
	peer until_ok 20 no_user_objects
	pingpong pair "$PEER_GID" "$GID"
}

# What a case that failed may have left.
tidy() {
	kill_device_users
	[ -e /sys/module/rdma_rxe ] || load_driver
	[ -e /sys/class/infiniband/$DEV ] || vm_link $DEV eth0
	peer kill_device_users
}

driver_up
peer_up
gid_setup
T_BEFORE=tidy
t_case kill_9.perftest kill_9 perftest
t_case kill_9.verbs kill_9 rvt
t_case kill_client_of_pair kill_client_of_pair
t_case kill_server_of_pair kill_server_of_pair
t_case link_down link_down
t_case address_removed address_removed
t_case rmmod_under_load rmmod_under_load rvt
t_case link_del.verbs link_del rvt
t_case link_del.perftest link_del perftest
t_case leaves_nothing until_ok 10 no_user_objects
t_case unload eval 'rdma link del $DEV; rmmod rdma_rxe'
peer_quit
t_done
