#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Cases of objects.sh: objects.py DEVICE GID-INDEX.  Prints KTAP."""

import ctypes
import errno
import mmap
import sys

import pyverbs.enums as e
import rig
from pyverbs.cq import CQ
from pyverbs.mr import MR, MW, MWBindInfo
from pyverbs.qp import QPAttr
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR
from rig import ACCESS, READ, REMOTE, Bench, refused, same

BYTES = 64
LIBC = ctypes.CDLL(None)


class Pairs(Bench):
    """Pairs of QPs connected to each other."""

    def pair(self, cq=None, srq=None):
        a, b = self.qp(cq), self.qp(cq, srq)
        self.connect(a, b.qp_num)
        self.connect(b, a.qp_num)
        return a, b

    def sge(self):
        return [SGE(self.mr.buf + 4096, BYTES, self.mr.lkey)]

    def recv(self, queue, wr_ids):
        for i in wr_ids:
            queue.post_recv(RecvWR(wr_id=i, num_sge=1, sg=self.sge()))

    def send(self, qp, wr_ids):
        for i in wr_ids:
            qp.post_send(SendWR(wr_id=i, opcode=e.IBV_WR_SEND, num_sge=1, sg=self.sge()))

    def write(self, qp, rkey, addr, length):
        """Status of an RDMA WRITE."""
        wr = SendWR(wr_id=1, opcode=e.IBV_WR_RDMA_WRITE, num_sge=1,
                    sg=[SGE(self.mr.buf, length, self.mr.lkey)])
        wr.set_wr_rdma(rkey, addr)
        qp.post_send(wr)
        return self.poll(1)[0].status

    def bind(self, qp, mw, off, length, access):
        """Status of a bind of type 2, and the key."""
        wr = SendWR(wr_id=2, opcode=e.IBV_WR_BIND_MW)
        wr.set_bind_wr(mw, MWBindInfo(self.mr, self.mr.buf + off, length, access))
        qp.post_send(wr)
        return self.poll(1)[0].status, wr.rkey


def cq_resize(b):
    """What was not polled is neither lost, nor doubled, nor out of order."""
    cq = CQ(b.ctx, 32)
    x, y = b.pair(cq)
    b.recv(y, range(100, 110))
    b.send(x, range(5))
    done = b.poll(2, cq)  # the rest is there, or on its way
    refused(errno.EINVAL, cq.resize, 0x8000)
    cq.resize(1000)
    b.send(x, range(5, 10))
    cq.resize(2000)
    done += b.poll(20 - len(done), cq)
    same("status", {w.status for w in done}, {e.IBV_WC_SUCCESS})
    ids = [w.wr_id for w in done]
    same("sends", [i for i in ids if i < 100], list(range(10)))
    same("receives", [i for i in ids if i >= 100], list(range(100, 110)))
    for obj in (x, y, cq):
        obj.close()


def cq_too_small(b):
    cq = CQ(b.ctx, 32)
    x, y = b.pair(cq)
    attr = QPAttr()
    attr.qp_state = e.IBV_QPS_ERR
    b.recv(y, range(10))
    y.modify(attr, e.IBV_QP_STATE)
    done = b.poll(1, cq)  # the flush is one run: all ten are there
    refused(errno.EINVAL, cq.resize, 3)
    done += b.poll(9, cq)
    same("receives", [w.wr_id for w in done], list(range(10)))
    cq.resize(3)
    for obj in (x, y, cq):
        obj.close()


def srq_resize(b):
    srq = SRQ(b.pd, SrqInitAttr(SrqAttr(max_wr=15, max_sge=1)))
    x, y = b.pair(srq=srq)
    b.recv(srq, range(10))
    refused(errno.EINVAL, srq.modify, SrqAttr(max_wr=3), e.IBV_SRQ_MAX_WR)
    srq.modify(SrqAttr(max_wr=100), e.IBV_SRQ_MAX_WR)
    assert srq.query().max_wr >= 100
    b.recv(srq, range(10, 100))
    taken = []
    for _ in range(33):
        b.send(x, [1000] * 3)
        taken += [w.wr_id for w in b.poll(6) if w.wr_id != 1000]
    same("receives", taken, list(range(99)))
    srq.modify(SrqAttr(max_wr=1), e.IBV_SRQ_MAX_WR)
    b.send(x, [1000])
    assert 99 in [w.wr_id for w in b.poll(2)]
    for obj in (x, y, srq):
        obj.close()


def srq_events(b):
    """A limit armed below the mark; the end of a QP that takes from the SRQ."""
    srq = SRQ(b.pd, SrqInitAttr(SrqAttr(max_wr=15, max_sge=1)))
    x, y = b.pair(srq=srq)
    b.recv(srq, range(3))
    srq.modify(SrqAttr(srq_limit=5), e.IBV_SRQ_LIMIT)
    b.event(e.IBV_EVENT_SRQ_LIMIT_REACHED)
    same("limit", srq.query().srq_limit, 0)
    attr = QPAttr()
    attr.qp_state = e.IBV_QPS_ERR
    y.modify(attr, e.IBV_QP_STATE)
    b.event(e.IBV_EVENT_QP_LAST_WQE_REACHED)
    for obj in (x, y, srq):
        obj.close()


def established(b):
    x, y = b.qp(), b.qp()
    b.connect(y, x.qp_num, rts=False)
    b.connect(x, y.qp_num)
    b.recv(y, [1])
    b.send(x, [2])
    b.event(e.IBV_EVENT_COMM_EST)
    b.poll(2)
    x.close()
    y.close()


def access_event(b):
    x, y = b.pair()
    same("status", b.write(x, 0xdead00, b.mr.buf, 8), e.IBV_WC_REM_ACCESS_ERR)
    b.event(e.IBV_EVENT_QP_ACCESS_ERR)
    x.close()
    y.close()


def flushed_in_error(b):
    """Posting to a mapped ring tells nobody; waiting for the completion does."""
    x, y = b.pair()
    attr = QPAttr()
    attr.qp_state = e.IBV_QPS_ERR
    x.modify(attr, e.IBV_QP_STATE)
    for i in range(10):
        b.recv(x, [i])
        b.cq.req_notify()
        same("status", b.poll(1)[0].status, e.IBV_WC_WR_FLUSH_ERR)
    x.close()
    y.close()


def window(b, off, length, access, want):
    """A window of 64 bytes from 1024 on, used through its key."""
    x, y = b.pair()
    mw = MW(b.pd, e.IBV_MW_TYPE_2)
    status, rkey = b.bind(y, mw, 1024, BYTES, access)
    same("bind", status, e.IBV_WC_SUCCESS)
    same("write", b.write(x, rkey, b.mr.buf + 1024 + off, length), want)
    if want != e.IBV_WC_SUCCESS:
        b.event(e.IBV_EVENT_QP_ACCESS_ERR)
    for obj in (x, y, mw):
        obj.close()


def window_inside(b):
    window(b, 0, BYTES, REMOTE, e.IBV_WC_SUCCESS)
    window(b, BYTES - 8, 8, REMOTE, e.IBV_WC_SUCCESS)


def window_outside(b):
    window(b, -1, 8, REMOTE, e.IBV_WC_REM_ACCESS_ERR)
    window(b, BYTES - 7, 8, REMOTE, e.IBV_WC_REM_ACCESS_ERR)
    window(b, BYTES, 1, REMOTE, e.IBV_WC_REM_ACCESS_ERR)


def window_rights(b):
    window(b, 0, 8, READ, e.IBV_WC_REM_ACCESS_ERR)


def window_of_other_qp(b):
    x, y = b.pair()
    other, third = b.pair()
    mw = MW(b.pd, e.IBV_MW_TYPE_2)
    status, rkey = b.bind(y, mw, 0, BYTES, REMOTE)
    same("bind", status, e.IBV_WC_SUCCESS)
    same("other QP", b.write(other, rkey, b.mr.buf, 8), e.IBV_WC_REM_ACCESS_ERR)
    b.event(e.IBV_EVENT_QP_ACCESS_ERR)
    same("own QP", b.write(x, rkey, b.mr.buf, 8), e.IBV_WC_SUCCESS)
    refused(errno.EBUSY, b.mr.close)
    same("bound twice", b.bind(y, mw, 0, BYTES, REMOTE)[0], e.IBV_WC_MW_BIND_ERR)
    for obj in (x, y, other, third, mw):
        obj.close()


def window_outlives_qp(b):
    """The window of a QP that is gone is free: it can be bound again, or go."""
    mw = MW(b.pd, e.IBV_MW_TYPE_2)
    for _ in range(2):
        x, y = b.pair()
        status, rkey = b.bind(y, mw, 0, BYTES, REMOTE)
        same("bind", status, e.IBV_WC_SUCCESS)
        same("write", b.write(x, rkey, b.mr.buf, 8), e.IBV_WC_SUCCESS)
        y.close()
        x.close()
    mw.close()


def window_on_demand(b):
    """Memory that is not pinned, and not there when it is bound and written to."""
    b.mr.close()
    b.mr = MR(b.pd, 8192, ACCESS | e.IBV_ACCESS_ON_DEMAND)
    same("madvise", LIBC.madvise(ctypes.c_void_p(b.mr.buf), 8192, mmap.MADV_DONTNEED), 0)
    window_inside(b)
    window_outside(b)


CASES = [cq_resize, cq_too_small, srq_resize, srq_events, established, access_event,
         flushed_in_error, window_inside, window_outside, window_rights, window_of_other_qp,
         window_outlives_qp, window_on_demand]

if __name__ == "__main__":
    sys.exit(rig.run([(c.__name__, c) for c in CASES],
                     lambda: Pairs(sys.argv[1], int(sys.argv[2]))))
