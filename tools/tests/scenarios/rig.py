# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What cases in Python share: a device with its objects, waiting, KTAP."""

import contextlib
import gc
import os
import select
import time
import traceback

import pyverbs.enums as e
from pyverbs.addr import AHAttr, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr

LIMIT = 20  # seconds until something that has to happen counts as missing
READ = e.IBV_ACCESS_REMOTE_READ
REMOTE = READ | e.IBV_ACCESS_REMOTE_WRITE
ACCESS = (REMOTE | e.IBV_ACCESS_REMOTE_ATOMIC | e.IBV_ACCESS_LOCAL_WRITE |
          e.IBV_ACCESS_MW_BIND)
CONNECTED = {"path_mtu": e.IBV_MTU_1024, "qp_access_flags": ACCESS, "max_rd_atomic": 4,
             "max_dest_rd_atomic": 4, "min_rnr_timer": 1, "timeout": 14, "retry_cnt": 7,
             "rnr_retry": 7}


def same(what, got, want):
    if got != want:
        raise AssertionError(f"{what}: {got}, not {want}")


def refused(code, call, *args):
    try:
        call(*args)
    except PyverbsRDMAError as err:
        same("errno", err.error_code, code)
    else:
        raise AssertionError(f"{call.__name__} was not refused")


def await_true(what, test):
    end = time.monotonic() + LIMIT
    while not test():
        if time.monotonic() > end:
            raise AssertionError(f"still not: {what}")


class Bench:
    """One device, one PD, a CQ and a region."""

    def __init__(self, dev, gid_index):
        self.ctx = Context(name=dev)
        self.gid_index = gid_index
        self.gid = self.ctx.query_gid(1, gid_index)
        self.pd = PD(self.ctx)
        self.cq = CQ(self.ctx, 64)
        self.mr = MR(self.pd, 8192, ACCESS)

    def close(self):
        for obj in (self.mr, self.cq, self.pd, self.ctx):
            obj.close()

    def qp(self, cq=None, srq=None, kind=e.IBV_QPT_RC):
        cap = QPCap(max_send_wr=32, max_recv_wr=32, max_send_sge=1, max_recv_sge=2)
        return QP(self.pd, QPInitAttr(qp_type=kind, scq=cq or self.cq, rcq=cq or self.cq, srq=srq,
                                      cap=cap))

    def connect(self, qp, dest_qpn, rts=True, **over):
        """To RTR or RTS; `over` are attributes, dgid and sgid_index too."""
        route = GlobalRoute(dgid=over.pop("dgid", self.gid),
                            sgid_index=over.pop("sgid_index", self.gid_index))
        attr = QPAttr(port_num=1)
        attr.ah_attr = AHAttr(port_num=1, is_global=1, gr=route, dlid=0)
        for name, value in {**CONNECTED, "dest_qp_num": dest_qpn, **over}.items():
            setattr(attr, name, value)
        (qp.to_rts if rts else qp.to_rtr)(attr)

    def poll(self, n, cq=None):
        out, end = [], time.monotonic() + LIMIT
        while len(out) < n and time.monotonic() < end:
            out += (cq or self.cq).poll(n - len(out))[1]
        same("completions", len(out), n)
        return out

    def event(self, want):
        """The next asynchronous event is `want`; None: there is none."""
        fd = _event_fd()
        if not select.select([fd], [], [], 0 if want is None else LIMIT)[0]:
            same("event", None, want)
            return
        ev = self.ctx.get_async_event()
        got = ev.event_type
        ev.ack()
        same("event", got, want)


def _event_fd():
    """The only open file that asynchronous events come by: no method of a Context tells."""
    for fd in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # that of the listing itself
            if "infinibandevent" in os.readlink(f"/proc/self/fd/{fd}"):
                return int(fd)
    raise AssertionError("no file of asynchronous events")


def run(cases, bench):
    """Run cases, functions of a bench that is made by bench(); exit status."""
    print(f"KTAP version 1\n1..{len(cases)}")
    bad = 0
    for nr, (name, case) in enumerate(cases, 1):
        try:
            b = bench()
            case(b)
            b.close()
            print(f"ok {nr} - {name}", flush=True)
        except Exception:  # noqa: BLE001: any failure is a failed case
            bad, b = 1, None
            print(f"not ok {nr} - {name}")
            for line in traceback.format_exc().splitlines():
                print(f"# {line}", flush=True)
        gc.collect()  # what a failed case has left would be found by the next
    return bad
