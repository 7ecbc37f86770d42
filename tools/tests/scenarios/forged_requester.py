# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The device as requester: work requests, and answers made by hand."""

from dataclasses import dataclass

import pyverbs.enums as e
from forged_peer import MTU, PSN, Peer, flip, pattern, roce
from rig import await_true, same

BAD = "BAD_RESP_ERR"
NAMES = {"SEND": "SEND Only", "WRITE": "RDMA WRITE Only", "READ": "RDMA READ Request",
         "CAS": "CmpSwap", "FADD": "FetchAdd"}
RESPONSE = "RDMA READ Response "


def failed(b, p, wr_id, status, last):
    """wr_id fails with status, those after it are flushed in order, the QP is in error."""
    b.completions((wr_id, status), *((i, "WR_FLUSH_ERR") for i in range(wr_id + 1, last + 1)))
    await_true("QP in error", lambda: p.state() == e.IBV_QPS_ERR)
    p.post("SEND", last + 1)
    b.completions((last + 1, "WR_FLUSH_ERR"))
    b.event(None)


def nak(syndrome, status, ops):
    """The second of four requests of each kind is refused."""
    def case(b):
        for kind in ops:
            p = Peer(b)
            p.post("SEND", 1)
            p.post(kind, 2)
            p.post("SEND", 3, 4)
            for name in ("SEND Only", NAMES[kind], "SEND Only", "SEND Only"):
                p.asked(name)
            p.ack(PSN + 1, syndrome)
            b.completions((1, "SUCCESS"))
            failed(b, p, 2, status, 4)
    return f"nak_{syndrome:02x}", case


def nak_reserved_code(b):
    for code in range(0x64, 0x80):
        nak(code, BAD, ["SEND"])[1](b)


def reserved_types(b):
    """Neither ACK nor NAK: dropped, as if it had not come."""
    p = Peer(b)
    p.post("SEND", 1)
    p.asked("SEND Only")
    for syndrome in (0x40, 0x5F, 0x80, 0x9F, 0xA0, 0xE0, 0xE1, 0xFF):
        p.ack(PSN, syndrome)
    same("completions", b.cq.poll(1)[0], 0)
    p.ack(PSN)
    b.completions((1, "SUCCESS"))


def sequence_error(b):
    """What a NAK for a missing packet names is sent again; what is before it is done."""
    p = Peer(b)
    before = b.counters()
    p.post("SEND", 1, 2, 3)
    for _ in range(3):
        p.asked("SEND Only")
    p.ack(PSN + 1, 0x60)
    b.completions((1, "SUCCESS"))
    p.asked_at("SEND Only", PSN + 1)
    p.ack(PSN + 2)
    b.completions((2, "SUCCESS"), (3, "SUCCESS"))
    b.counted(before, rcvd_seq_err=1)


def receiver_not_ready(b):
    """It is sent again after the wait; what was before it is done."""
    for kind in ("SEND", "WRITE"):
        p = Peer(b, rnr_retry=7)
        before = b.counters()
        p.post("SEND", 1)
        p.post(kind, 2)
        p.asked("SEND Only")
        p.asked(NAMES[kind])
        for _ in range(9):  # 7 is for ever
            p.ack(PSN + 1, 0x21)
            p.asked_at(NAMES[kind], PSN + 1)
        p.ack(PSN + 1)
        b.completions((1, "SUCCESS"), (2, "SUCCESS"))
        b.counted(before, rcvd_rnr_err=9, retry_rnr_exceeded_err=0)


def receiver_never_ready(b):
    for retries in (0, 1, 3):
        p = Peer(b, rnr_retry=retries)
        before = b.counters()
        p.post("SEND", 1, 2)
        p.asked("SEND Only")
        p.asked("SEND Only")
        for _ in range(retries):
            p.ack(PSN, 0x21)
            p.asked_at("SEND Only", PSN)
        p.ack(PSN, 0x21)
        failed(b, p, 1, "RNR_RETRY_EXC_ERR", 2)
        b.counted(before, rcvd_rnr_err=retries + 1, retry_rnr_exceeded_err=1, retry_exceeded_err=0)


def no_answer(b):
    for kind in NAMES:
        p = Peer(b, timeout=8, retry_cnt=1)
        before = b.counters()
        p.post(kind, 1)
        p.post("SEND", 2)
        p.asked(NAMES[kind])
        p.asked_at(NAMES[kind], PSN)
        failed(b, p, 1, "RETRY_EXC_ERR", 2)
        b.counted(before, retry_exceeded_err=1, retry_rnr_exceeded_err=0)


def no_answer_after_progress(b):
    """What was acknowledged is done, the next one fails."""
    p = Peer(b, timeout=18, retry_cnt=1)
    p.post("SEND", 1, 2, 3)
    p.asked_at("SEND Only", PSN + 2)
    p.ack(PSN)
    b.completions((1, "SUCCESS"))
    failed(b, p, 2, "RETRY_EXC_ERR", 3)


# --- answers that do not fit

@dataclass
class Answers:
    """A request of `size` bytes, answered by (name, PSN from the first, bytes); the last of
    these is wrong.
    """

    name: str
    op: str
    answers: list
    size: int = 8
    status: str = BAD

    def __call__(self, b):
        p = Peer(b)
        p.post(self.op, 1, size=self.size)
        p.post("SEND", 2, 3)
        p.asked(NAMES[self.op])
        for name, off, size in self.answers:
            p.respond(name, PSN + off, pattern(size))
        failed(b, p, 1, self.status, 3)


def _answers():
    first, middle = (RESPONSE + "First", 0, MTU), (RESPONSE + "Middle", 1, MTU)
    for size in (87, 89, 84, 92, 0):
        yield Answers(f"read_ends_with_{size}_of_88", "READ",
                      [first, middle, (RESPONSE + "Last", 2, size)], 600)
    for size in (0, 7, 9, 12):
        yield Answers(f"read_of_8_answered_by_{size}", "READ", [(RESPONSE + "Only", 0, size)])
    yield Answers("read_of_0_answered_by_8", "READ", [(RESPONSE + "Only", 0, 8)], 0)
    for size in (0, 252, 255, 260):
        yield Answers(f"read_begins_with_{size}", "READ", [(RESPONSE + "First", 0, size)], 600)
        yield Answers(f"read_goes_on_with_{size}", "READ",
                      [first, (RESPONSE + "Middle", 1, size)], 600)
    for what, answers in {
            "begins_with_middle": [(RESPONSE + "Middle", 0, MTU)],
            "begins_with_last": [(RESPONSE + "Last", 0, MTU)],
            "ends_early": [first, (RESPONSE + "Last", 1, MTU)],
            "ends_at_once": [(RESPONSE + "Only", 0, MTU)],
            "never_ends": [first, middle, (RESPONSE + "Middle", 2, 88)],
            "begins_at_its_end": [first, middle, (RESPONSE + "First", 2, 88)],
            "is_an_atomic": [("Atomic Acknowledge", 0, 0)],
            "turns_into_an_atomic": [first, ("Atomic Acknowledge", 1, 0)]}.items():
        yield Answers(f"read_{what}", "READ", answers, 600)
    yield Answers("read_of_8_answered_by_last", "READ", [(RESPONSE + "Last", 0, 8)])
    for op in ("SEND", "WRITE"):
        yield Answers(f"{op.lower()}_answered_by_data", op, [(RESPONSE + "Only", 0, 8)])
        yield Answers(f"{op.lower()}_answered_by_atomic", op, [("Atomic Acknowledge", 0, 0)])
    for op in ("CAS", "FADD"):
        yield Answers(f"{op.lower()}_answered_by_data", op, [(RESPONSE + "Only", 0, 8)])


def read_refused_midway(b):
    p = Peer(b)
    p.post("READ", 1, size=600)
    p.post("SEND", 2)
    p.asked(NAMES["READ"])
    p.respond(RESPONSE + "First", PSN, pattern(MTU))
    p.ack(PSN + 1, 0x62)
    failed(b, p, 1, "REM_ACCESS_ERR", 2)


def over_ipv6(b):
    p = Peer(b, v6=True)
    p.post("SEND", 1)
    same("payload", p.asked("SEND Only").payload, bytes(8))
    p.ack(PSN)
    b.completions((1, "SUCCESS"))


def atomic_only_acknowledged(b):
    """An ACK without the value: the answer was lost, and is asked for again."""
    p = Peer(b)
    p.post("FADD", 1)
    p.asked("FetchAdd")
    p.ack(PSN)
    p.asked_at("FetchAdd", PSN)
    p.respond("Atomic Acknowledge", PSN, original=0x1122334455667788)
    b.completions((1, "SUCCESS"))
    same("value", b.read(8), (0x1122334455667788).to_bytes(8, "little"))


def always_only_acknowledged(b):
    """A peer that never says more is given up: READ and atomic fail."""
    for kind in ("READ", "FADD"):
        p = Peer(b, timeout=10, retry_cnt=1)
        p.post(kind, 1)
        p.post("SEND", 2)
        p.asked(NAMES[kind])
        while p.state() == e.IBV_QPS_RTS:
            p.ack(PSN)
        failed(b, p, 1, "RETRY_EXC_ERR", 2)


def read_in_order(b):
    """Data goes where it belongs; responses that come twice change nothing."""
    p = Peer(b)
    p.post("READ", 1, size=600)
    p.post("FADD", 2)
    p.asked("RDMA READ Request")
    p.asked("FetchAdd")
    p.respond(RESPONSE + "First", PSN, pattern(MTU))
    p.respond(RESPONSE + "First", PSN, pattern(MTU, 99))
    p.respond(RESPONSE + "Middle", PSN + 1, pattern(MTU, 2))
    p.respond(RESPONSE + "Last", PSN + 2, pattern(88, 3))
    b.completions((1, "SUCCESS"))
    same("data", b.read(600), pattern(MTU) + pattern(MTU, 2) + pattern(88, 3))
    p.respond("Atomic Acknowledge", PSN + 3, original=4)
    b.completions((2, "SUCCESS"))


# --- what is no answer

def ghosts(b):
    """Answers to nothing that is outstanding, or of somebody else."""
    p = Peer(b)
    p.post("SEND", 1)
    p.asked("SEND Only")
    p.ack(PSN)
    b.completions((1, "SUCCESS"))
    p.post("SEND", 2)
    p.asked("SEND Only")
    for psn in (PSN, PSN - 1, PSN + 2, PSN + 3, PSN + 0x7FFFFF, PSN + 0x800000):
        for syndrome in (0x1F, 0x21, 0x60, 0x61, 0x62, 0x63, 0x64):
            p.ack(psn, syndrome)
        for name, size in (("First", MTU), ("Middle", MTU), ("Last", 8), ("Only", 8)):
            p.respond(RESPONSE + name, psn, pattern(size))
        p.respond("Atomic Acknowledge", psn)
    p.ack(PSN + 1, 0x61, damage=flip(1))
    p.ack(PSN + 1, 0x61, src=p.far[:-1] + b"\x03")
    p.ack(PSN + 1, 0x61, tver=1)
    p.ack(PSN + 1, 0x61, pkey=0x9234)
    p.ack(PSN + 1, 0x61, to=0xFFFFF0)
    same("completions", b.cq.poll(1)[0], 0)
    same("state", p.state(), e.IBV_QPS_RTS)
    p.ack(PSN + 1)
    b.completions((2, "SUCCESS"))


def read_ghosts(b):
    """Responses beyond what was asked for are not taken, nor for others."""
    p = Peer(b)
    p.post("READ", 1, size=600)
    p.asked("RDMA READ Request")
    before = b.read(1024)
    for psn in (PSN - 1, PSN + 3, PSN + 4):
        for name, size in (("First", MTU), ("Middle", MTU), ("Last", 88), ("Only", 88)):
            p.respond(RESPONSE + name, psn, pattern(size))
    same("memory", b.read(1024), before)
    for i, (name, size) in enumerate((("First", MTU), ("Middle", MTU), ("Last", 88))):
        p.respond(RESPONSE + name, PSN + i, pattern(size))
    b.completions((1, "SUCCESS"))
    same("data", b.read(600), pattern(MTU) + pattern(MTU) + pattern(88))


CASES = [nak(0x61, "REM_INV_REQ_ERR", NAMES), nak(0x62, "REM_ACCESS_ERR", NAMES),
         nak(0x63, "REM_OP_ERR", NAMES)]
CASES += [(c.__name__, c) for c in (
    nak_reserved_code, reserved_types, sequence_error, receiver_not_ready, receiver_never_ready,
    no_answer, no_answer_after_progress)]
CASES += [(a.name, a) for a in _answers()]
CASES += [(c.__name__, c) for c in (
    atomic_only_acknowledged, always_only_acknowledged, read_in_order, read_refused_midway,
    over_ipv6, ghosts, read_ghosts)]
