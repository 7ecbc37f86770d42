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
	proto/qpfsm.o \
	proto/req.o \
	proto/resp.o

rxe-obj :=

rxe-dp :=

rxe-net :=

rxe-verbs :=

rxe-top :=

rxe-objs := $(rxe-wire) $(rxe-proto) $(rxe-obj) $(rxe-dp) $(rxe-net) \
	$(rxe-verbs) $(rxe-top)

# What the KUnit module takes from the driver: everything that needs no device
rxe-pure-objs := $(rxe-wire) $(rxe-proto)
