# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Sources of rxe_kunit.ko below kunit/, read by Kbuild
rxe-kunit := \
	ack_table_kunit.o \
	aeth_kunit.o \
	congestion_kunit.o \
	crc_kunit.o \
	fake_link.o \
	fake_mem.o \
	fake_pair.o \
	fake_req.o \
	fake_resp.o \
	fake_wrs.o \
	flush_kunit.o \
	flush_mem_kunit.o \
	hdr_kunit.o \
	hold_kunit.o \
	ibta.o \
	icrc_kunit.o \
	ip_kunit.o \
	main.o \
	mcast_kunit.o \
	mem_rig.o \
	mr_kunit.o \
	mr_table_kunit.o \
	mw_kunit.o \
	odp_kunit.o \
	opcode_kunit.o \
	pager_kunit.o \
	pair_kunit.o \
	pkt_kunit.o \
	psn_kunit.o \
	qpfsm_kunit.o \
	ref_pkt.o \
	read_again_kunit.o \
	req_hole_kunit.o \
	req_kunit.o \
	req_retry_kunit.o \
	req_rig.o \
	resp_kunit.o \
	resp_psn_kunit.o \
	resp_rig.o \
	resp_table_kunit.o \
	ring_kunit.o \
	rq_kunit.o \
	sq_kunit.o \
	srq_kunit.o \
	window_kunit.o \
	window_table_kunit.o

# Those of rxe_kverbs.ko
rxe-kverbs := \
	kverbs/dgram.o \
	kverbs/kverbs.o \
	kverbs/limits.o \
	kverbs/memory.o \
	kverbs/queues.o \
	kverbs/requests.o \
	kverbs/rig.o

# Queues, keys and groups need a kernel, but no device
rxe-pure-objs += $(addprefix obj/,cursor.o flush.o mcast.o mr.o mw.o odp.o pager.o queue.o rq.o sq.o srq.o) \
	$(filter trace.o,$(rxe-top))
