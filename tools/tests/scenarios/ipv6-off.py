#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""ipv6-off.py DEVICE: send to ff02::1 by GID 0, in a datagram and by a connected QP."""

import sys

import pyverbs.enums as e
import rig
from pyverbs.addr import AH, GID, AHAttr, GlobalRoute
from pyverbs.qp import QPAttr
from pyverbs.wr import SGE, SendWR

GROUP = GID("ff02:0000:0000:0000:0000:0000:0000:0001")


def send(b, qp, **over):
    wr = SendWR(wr_id=1, opcode=e.IBV_WR_SEND, num_sge=1, sg=[SGE(b.mr.buf, 64, b.mr.lkey)])
    if over:
        wr.set_wr_ud(**over)
    qp.post_send(wr)
    return b.poll(1)[0].status


def main():
    b = rig.Bench(sys.argv[1], 0)
    ud = b.qp(kind=e.IBV_QPT_UD)
    attr = QPAttr(port_num=1)
    attr.qkey = 1
    ud.to_rts(attr)
    ah = AH(b.pd, attr=AHAttr(port_num=1, is_global=1,
                              gr=GlobalRoute(dgid=GROUP, sgid_index=0)))
    rig.same("datagram", send(b, ud, ah=ah, rqpn=0xffffff, rqkey=1), e.IBV_WC_SUCCESS)
    rc = b.qp()
    b.connect(rc, 1, dgid=GROUP, sgid_index=0, timeout=10, retry_cnt=1)
    rig.same("connected", send(b, rc), e.IBV_WC_RETRY_EXC_ERR)


main()
