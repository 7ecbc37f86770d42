# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A peer that is no driver: it makes each packet by hand, and reads what comes back.

It runs on one CPU, where what it sends is received, and answered, in order. So silence is
told without waiting: the answer to a later request is the next packet.
"""

import contextlib
import socket
import sys
import time
from ipaddress import ip_address
from pathlib import Path

import pyverbs.enums as e
from pyverbs.addr import GID
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.wr import SGE, RecvWR, SendWR
from rig import ACCESS, LIMIT, READ, Bench, await_true, same

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "capture"))

import forge  # noqa: E402
import opcodes  # noqa: E402
import roce  # noqa: E402

ETH_P_ALL = 3
NEAR, FAR = ("10.6.7.1", "fd00:67::1"), ("10.6.7.2", "fd00:67::2")
MTU = 256
PSN = roce.PSN_MOD - 2  # of the first packet to the device, and from it: across the wrap
PEER_QPN, FENCE_QPN = 0x123456, 0x654321
TARGET = 4096  # where in a region requests go; receives take what is before
ATOMIC = e.IBV_ACCESS_REMOTE_ATOMIC
WRITE = e.IBV_ACCESS_REMOTE_WRITE
LOCAL = e.IBV_ACCESS_LOCAL_WRITE
# Regions by name: protection domain, access
REGIONS = {"good": (0, ACCESS), "foreign": (1, ACCESS), "mute": (0, LOCAL), "constant": (0, 0),
           "no_write": (0, LOCAL | READ | ATOMIC), "no_read": (0, LOCAL | WRITE | ATOMIC),
           "no_atomic": (0, LOCAL | READ | WRITE)}
OUR_OPS = {"SEND": e.IBV_WR_SEND, "WRITE": e.IBV_WR_RDMA_WRITE, "READ": e.IBV_WR_RDMA_READ,
           "CAS": e.IBV_WR_ATOMIC_CMP_AND_SWP, "FADD": e.IBV_WR_ATOMIC_FETCH_AND_ADD}


def wc_status(name):
    return getattr(e, f"IBV_WC_{name}")


def pattern(size, seed=1):
    return bytes((seed + i) & 0xFF for i in range(size))


def after(psn, name, dmalen):
    """The PSN after a request: a READ takes those of its answer."""
    return (psn + (max(1, -(-dmalen // MTU)) if "READ" in name else 1)) % roce.PSN_MOD


def flip(at):
    """Damage: a bit of the byte `at` from the end."""
    return lambda data: data[:-at] + bytes([data[-at] ^ 1]) + data[len(data) - at + 1:]


class Wire:
    """The far end of the interface's cable."""

    def __init__(self, iface):
        self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.sock.bind((iface, 0))
        self.sock.settimeout(LIMIT)

    def send(self, frame):
        self.sock.send(frame)

    def drain(self):
        """Forget what is there."""
        self.sock.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                self.sock.recv(1)
        self.sock.settimeout(LIMIT)

    def next(self):
        """The next RoCEv2 packet from the device, which is well made."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            try:
                p = roce.parse(self.sock.recv(4096))
            except TimeoutError:
                break
            if p is not None:
                same("ICRC, headers, TVer, P_Key", (p.icrc_ok, p.ext_ok, p.tver, p.pkey),
                     (True, True, 0, 0xFFFF))
                return p
        raise AssertionError("nothing was sent")


class Forge(Bench):
    """A device and the far end of its cable."""

    def __init__(self, dev, iface, gid4, gid6):
        super().__init__(dev, gid4)
        self.dev, self.gids = dev, (gid4, gid6)
        self.wire = Wire(iface)
        self.other_pd = PD(self.ctx)
        self.regions, self.peers = {}, []
        self.fences = Peer(self, qpn=FENCE_QPN)

    def close(self):
        self.event(None)
        for p in self.peers:
            p.qp.close()
        for mr in self.regions.values():
            mr.close()
        self.other_pd.close()
        self.wire.sock.close()
        super().close()

    def region(self, name):
        """MR, key of one of REGIONS; "bad" is a key that there is not."""
        if name == "bad":
            mr, key = self.region("good")
            return mr, key ^ 0x5A00
        if name not in self.regions:
            pd, access = REGIONS[name]
            self.regions[name] = MR((self.pd, self.other_pd)[pd], 2 * TARGET, access)
        return self.regions[name], self.regions[name].rkey

    def read(self, size, off=TARGET, region="good"):
        return self.region(region)[0].read(size, off)

    def fence(self):
        """Nothing was sent since, and the device goes on working."""
        f = self.fences
        f.request("RDMA WRITE Only")
        p = self.wire.next()
        same("the next packet", (p.name, p.dqpn, p.psn), ("RC Acknowledge", FENCE_QPN, f.last))

    def completions(self, *wanted):
        """The next ones are these, (wr_id, status)."""
        got = [(wc.wr_id, wc.status) for wc in self.poll(len(wanted))]
        same("completions", got, [(i, wc_status(s)) for i, s in wanted])

    def counters(self):
        time.sleep(0.05)  # a reading is kept for 10 ms
        folder = Path(f"/sys/class/infiniband/{self.dev}/ports/1/hw_counters")
        return {f.name: int(f.read_text()) for f in folder.iterdir()
                if f.name != "lifespan" and "bytes" not in f.name}

    def counted(self, before, **more):
        """What has been added to these counters since."""
        now = self.counters()
        same("counted", {name: now[name] - before[name] for name in more}, more)


class Peer:
    """The peer of one QP of the device, at IPv4 or IPv6; the QP has no timer, unless told."""

    def __init__(self, b, kind=e.IBV_QPT_RC, v6=False, qpn=PEER_QPN, **attr):
        self.b, self.kind, self.qpn = b, kind, qpn
        self.prefix = {e.IBV_QPT_RC: "RC ", e.IBV_QPT_UC: "UC ", e.IBV_QPT_UD: "UD "}[kind]
        self.near, self.far = (ip_address(a[v6]).packed for a in (NEAR, FAR))
        far6 = self.far if v6 else bytes(10) + b"\xff\xff" + self.far
        self.psn = self.sq_psn = PSN
        self.received = 0
        b.wire.drain()
        self.qp = b.qp(kind=kind)
        b.peers.append(self)
        b.connect(self.qp, qpn, **{
            "dgid": GID(ip_address(far6).exploded), "sgid_index": b.gids[v6], "rq_psn": PSN,
            "sq_psn": PSN, "path_mtu": e.IBV_MTU_256, "timeout": 0, **attr})

    @property
    def last(self):
        """PSN of the last packet sent."""
        return (self.psn - 1) % roce.PSN_MOD

    def state(self):
        return self.qp.query(e.IBV_QP_STATE)[0].qp_state

    # --- the device as responder

    def recv(self, *sges):
        """Post a receive of SGEs (offset, bytes, region); its number is its wr_id."""
        self.received += 1
        sg = []
        for off, size, name in sges:
            mr, key = self.b.region(name)
            sg.append(SGE(mr.buf + off, size, key))
        self.qp.post_recv(RecvWR(wr_id=self.received, num_sge=len(sg), sg=sg))

    def send(self, name, payload, psn, to=None, at=None, key="good", src=None, ackreq=False,
             body=None, damage=None, **fields):
        """A packet to the QP. `at`: offset in the region `key` that it names. `body` and `damage`
        say what becomes of it before the ICRC is made, and after.
        """
        if at is not None:
            mr, rkey = self.b.region(key)
            fields = {"va": (mr.buf + at) % (1 << 64), "rkey": rkey, **fields}
        data = forge.packet(self.prefix + name, psn % roce.PSN_MOD,
                            self.qp.qp_num if to is None else to, payload, ackreq, **fields)
        ip = {k: v for k, v in fields.items() if k in ("sport", "tos", "ttl", "ident", "label")}
        data = forge.frame(body(data) if body else data, src or self.far, self.near, **ip)
        self.b.wire.send(damage(data) if damage else data)
        return data

    def request(self, name, size=0, psn=None, **fields):
        """Send a request of `size` bytes, at the next PSN or at another; with AckReq, as
        requesters do, when it ends a message.
        """
        ends = opcodes.OPCODES[opcodes.NUMBERS[self.prefix + name]][2] in ("last", "only")
        fields.setdefault("dmalen", size)
        fields.setdefault("ackreq", ends)
        at = self.psn if psn is None else psn
        if psn is None:
            self.psn = after(self.psn, name, fields["dmalen"])
        seed = fields.pop("seed", 1)
        return self.send(name, pattern(size, seed), at, **fields)

    def answer(self):
        """The next packet from the device: it is for this peer."""
        p = self.b.wire.next()
        same("from, to, QP", (p.src, p.dst, p.dqpn), (self.near, self.far, self.qpn))
        return p

    def answered(self, syndrome, psn, msn):
        """It is an Acknowledge with these."""
        p = self.answer()
        same("opcode", p.name, "RC Acknowledge")
        got = (p.syndrome, p.psn, p.msn)
        if got != (syndrome, psn % roce.PSN_MOD, msn):
            raise AssertionError("syndrome, PSN, MSN: %#x %#x %d, not %#x %#x %d" % (
                *got, syndrome, psn % roce.PSN_MOD, msn))

    def acked(self, msn):
        """All that was sent is acknowledged."""
        self.answered(0x1F, self.last, msn)

    def dead(self):
        """The QP is in error, and says nothing any more."""
        await_true("QP in error", lambda: self.state() == e.IBV_QPS_ERR)
        self.request("SEND Only")
        self.b.fence()

    # --- the device as requester

    def post(self, op, *wr_ids, size=8):
        """Post work requests from TARGET on, of `size` bytes each."""
        mr, key = self.b.region("good")
        for wr_id in wr_ids:
            wr = SendWR(wr_id=wr_id, opcode=OUR_OPS[op], num_sge=1,
                        sg=[SGE(mr.buf + TARGET, size, key)])
            if op in ("READ", "WRITE"):
                wr.set_wr_rdma(0x77, 0x1000)
            elif op in ("CAS", "FADD"):
                wr.set_wr_atomic(0x77, 0x1000, 5, 6)
            self.qp.post_send(wr)

    def asked(self, name):
        """The next packet is this request, a new one."""
        p = self.answer()
        same("request", (p.name, p.psn), (self.prefix + name, self.sq_psn))
        self.sq_psn = after(p.psn, name, p.dmalen)
        return p

    def asked_at(self, name, psn):
        """The request at a PSN comes, once more; what comes before it is passed over."""
        while True:
            p = self.answer()
            if p.psn == psn % roce.PSN_MOD:
                break
        same("request", p.name, self.prefix + name)

    def ack(self, psn, syndrome=0x1F, **fields):
        self.send("Acknowledge", b"", psn, syndrome=syndrome, **fields)

    def respond(self, name, psn, payload=b"", **fields):
        self.send(name, payload, psn, **fields)
