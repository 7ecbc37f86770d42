# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Unreliable QPs of the device, and packets made by hand."""

from socket import htonl

import pyverbs.enums as e
from forged_peer import MTU, PSN, TARGET, Peer, pattern
from rig import await_true, same

QKEY, SQPN = 0x11223344, 0xABCDEF
UD, UC = e.IBV_QPT_UD, e.IBV_QPT_UC
GRH = 40


def datagram(p, size, name="SEND Only", **fields):
    return p.send(name, pattern(size), 5, **{"qkey": QKEY, "sqpn": SQPN, **fields})


def received(b, wr_id, size, **more):
    wc, = b.poll(1)
    got = {"wr_id": wc.wr_id, "status": wc.status, "byte_len": wc.byte_len,
           **{name: getattr(wc, name) for name in more}}
    same("completion", got, {"wr_id": wr_id, "status": e.IBV_WC_SUCCESS, "byte_len": size, **more})


def grh(b):
    """In front of a datagram stands the IP header, as it came."""
    for v6 in (False, True):
        p = Peer(b, UD, v6, qkey=QKEY)
        p.recv((0, 512, "good"))
        b.region("good")[0].write(b"\xff" * 512, 512, 0)
        frame = datagram(p, 100, tos=0xB8, ttl=37, ident=0x1234, label=0x5678A)
        received(b, 1, GRH + 100, src_qp=SQPN, wc_flags=e.IBV_WC_GRH)
        head = frame[14:54] if v6 else bytes(20) + frame[14:34]
        same("buffer", b.read(150, 0), head + pattern(100) + b"\xff" * 10)
        p.qp.close()
        b.peers.remove(p)


def datagram_immediate(b):
    p = Peer(b, UD, qkey=QKEY)
    p.recv((0, 512, "good"))
    datagram(p, 8, "SEND Only with Immediate", imm=0x01020304)
    received(b, 1, GRH + 8, imm_data=htonl(0x01020304), wc_flags=e.IBV_WC_GRH | e.IBV_WC_WITH_IMM)


def datagram_dropped(b):
    """Without the Q_Key, too long for buffer or MTU: dropped, and takes no receive."""
    p = Peer(b, UD, qkey=QKEY)
    datagram(p, 8)  # no receive
    p.recv((0, GRH + 64, "good"))
    p.recv((0, 2048, "good"))
    for qkey in (0, QKEY ^ 1, QKEY | 0x80000000):
        datagram(p, 8, qkey=qkey)
    datagram(p, 65)
    datagram(p, 8, to=1)
    datagram(p, 8, pkey=0x9234)
    b.fence()
    datagram(p, 64)
    received(b, 1, GRH + 64)
    datagram(p, 1025)  # beyond the active MTU
    datagram(p, 1024)
    received(b, 2, GRH + 1024)
    b.fence()


def datagram_bad_receive(b):
    """A fault in the receiver's own request ends its QP, without a word to the peer."""
    p = Peer(b, UD, qkey=QKEY)
    p.recv((0, 512, "bad"))
    p.recv((0, 512, "good"))
    datagram(p, 8)
    b.completions((1, "LOC_PROT_ERR"), (2, "WR_FLUSH_ERR"))
    await_true("QP in error", lambda: p.state() == e.IBV_QPS_ERR)
    b.fence()


def never_acknowledged(b):
    """No unreliable QP says anything, whatever the AckReq bit says."""
    p = Peer(b, UD, qkey=QKEY)
    p.recv((0, 512, "good"))
    before = b.counters()
    datagram(p, 8, ackreq=True)
    received(b, 1, GRH + 8)
    b.fence()
    b.counted(before, sent_pkts=1)  # the fence's
    p = Peer(b, UC)
    p.recv((0, 64, "good"))
    p.request("RDMA WRITE Only", 8, at=TARGET, ackreq=True)
    p.request("SEND Only", 8, ackreq=True)
    received(b, 1, 8)
    p.request("SEND Only", 8, psn=PSN, ackreq=True)
    b.fence()


def uc_send_cut_short(b):
    """A message that starts is taken, though the one before has not ended, with its receive."""
    p = Peer(b, UC)
    p.recv((0, 1024, "good"))
    p.recv((1024, 1024, "good"))
    p.request("SEND First", MTU)
    p.request("SEND Only", 8, psn=PSN + 2)
    received(b, 1, 8)
    same("data", b.read(8, 0), pattern(8))
    p.request("SEND First", MTU, psn=PSN + 3)
    p.request("SEND First", MTU, psn=PSN + 9)
    p.request("SEND Last with Immediate", 8, psn=PSN + 10, imm=7)
    received(b, 2, MTU + 8, imm_data=htonl(7))
    b.fence()


def uc_hole(b):
    """A message with a hole is discarded whole; so is what has no beginning."""
    p = Peer(b, UC)
    p.recv((0, 1024, "good"))
    p.request("SEND First", MTU)
    p.request("SEND Last", 8, psn=PSN + 2)
    p.request("SEND Middle", MTU, psn=PSN + 3)
    p.request("SEND Last", 8, psn=PSN + 4)
    p.request("SEND Only", 16, psn=PSN + 5)
    received(b, 1, 16)
    b.fence()


def uc_write_cut_short(b):
    p = Peer(b, UC)
    p.recv((0, 0, "good"))
    p.request("RDMA WRITE First", MTU, at=TARGET, dmalen=2 * MTU)
    p.request("RDMA WRITE Only", 8, psn=PSN + 2, at=TARGET + 512)
    b.fence()
    same("written", b.read(8, TARGET + 512), pattern(8))
    p.request("RDMA WRITE First", MTU, psn=PSN + 3, at=TARGET, dmalen=2 * MTU)
    p.request("RDMA WRITE Last", MTU, psn=PSN + 5, at=TARGET, seed=9)
    p.request("RDMA WRITE Only with Immediate", 8, psn=PSN + 6, at=TARGET + 1024, imm=3)
    received(b, 1, 8, imm_data=htonl(3))
    same("written", b.read(8, TARGET + 1024), pattern(8))
    same("not written", b.read(MTU, TARGET + MTU), bytes(MTU))
    b.fence()


def uc_refuses_silently(b):
    """What is wrong is dropped: no NAK, and the QP lives."""
    p = Peer(b, UC)
    p.recv((0, 64, "good"))
    psn = PSN
    for name, fields in (
            ("RDMA WRITE Only", {"at": TARGET, "key": "bad"}), ("SEND Only", {"size": 65}),
            ("RDMA WRITE Only", {"at": TARGET, "dmalen": 9}), ("SEND First", {"size": 8}),
            ("RDMA WRITE Only with Immediate", {"at": TARGET, "key": "no_write"}),
            ("SEND Middle", {"size": MTU}), ("SEND Last", {"size": 8})):
        p.request(name, **{"size": 8, "psn": psn, **fields})
        psn += 1
    b.fence()
    same("memory", b.read(64), bytes(64))
    p.request("SEND Only", 64, psn=psn)
    received(b, 1, 64)


CASES = [(c.__name__, c) for c in (
    grh, datagram_immediate, datagram_dropped, datagram_bad_receive, never_acknowledged,
    uc_send_cut_short, uc_hole, uc_write_cut_short, uc_refuses_silently)]
