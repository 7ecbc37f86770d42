# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Objects of the driver, by layer, relative to this folder. A file belongs to
# the list of its folder; the lists say in which order layers build on each
# other. The first two are pure and are linked into the KUnit module as well.

rxe-wire := \
	wire/aeth.o \
	wire/icrc.o \
	wire/ip.o \
	wire/opcode.o \
	wire/pkt.o

rxe-proto := \
	proto/ack.o \
	proto/cnp.o \
	proto/congestion.o \
	proto/flush.o \
	proto/hole.o \
	proto/qpfsm.o \
	proto/recover.o \
	proto/req.o \
	proto/resp.o \
	proto/response.o \
	proto/timer.o \
	proto/window.o

rxe-obj := \
	obj/av.o \
	obj/complete.o \
	obj/cq.o \
	obj/cursor.o \
	obj/flush.o \
	obj/mcast.o \
	obj/mr.o \
	obj/mw.o \
	obj/odp.o \
	obj/pager.o \
	obj/qp.o \
	obj/queue.o \
	obj/rq.o \
	obj/sq.o \
	obj/srq.o

rxe-dp := \
	dp/ahead.o \
	dp/answer.o \
	dp/crc.o \
	dp/credit.o \
	dp/event.o \
	dp/fault.o \
	dp/mcast.o \
	dp/outcome.o \
	dp/recv.o \
	dp/rx.o \
	dp/sched.o \
	dp/send.o \
	dp/side.o \
	dp/skb.o \
	dp/xmit.o

rxe-net := \
	net/mcast.o \
	net/notify.o \
	net/rx.o \
	net/udp.o \
	net/xmit.o

rxe-verbs := \
	verbs/ah.o \
	verbs/cq.o \
	verbs/device.o \
	verbs/mad.o \
	verbs/mcast.o \
	verbs/mmap.o \
	verbs/modify_qp.o \
	verbs/mr.o \
	verbs/mw.o \
	verbs/pd.o \
	verbs/port.o \
	verbs/post.o \
	verbs/qp.o \
	verbs/srq.o \
	verbs/ucontext.o

rxe-top := \
	dev.o \
	main.o \
	ops.o \
	restrack.o \
	stats.o \
	trace.o

rxe-objs := $(rxe-wire) $(rxe-proto) $(rxe-obj) $(rxe-dp) $(rxe-net) \
	$(rxe-verbs) $(rxe-top)

# What the KUnit module takes from the driver: everything that needs no device
rxe-pure-objs := $(rxe-wire) $(rxe-proto) dp/crc.o
