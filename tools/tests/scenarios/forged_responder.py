# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The device as responder: requests made by hand, and what it answers."""

from dataclasses import dataclass, field

import pyverbs.enums as e
from forged_peer import ACCESS, ATOMIC, MTU, PSN, READ, TARGET, WRITE, Peer, flip, pattern, roce
from rig import same

SEQ, INVALID, ACCESS_NAK, OP_NAK, RNR = 0x60, 0x61, 0x62, 0x63, 0x20
REQ_ERR, ACCESS_ERR = e.IBV_EVENT_QP_REQ_ERR, e.IBV_EVENT_QP_ACCESS_ERR
SIZE = 2 * TARGET  # of a region


def op(name, size=0, **fields):
    """A request of a script."""
    return name, {"size": size, **fields}


@dataclass
class Fault:
    """Requests, the last of which is refused.

    status: of the receive that is attached by then, or event: what is raised when none is.
    done: how many receives and messages complete before.
    """

    name: str
    requests: list
    nak: int
    status: str | None = None
    event: int | None = None
    done: int = 0
    recv: list = field(default_factory=lambda: [(0, 1024, "good")])
    attr: dict = field(default_factory=dict)

    def __call__(self, b):
        p = Peer(b, **self.attr)
        p.recv(*self.recv)
        p.recv(*self.recv)
        for name, fields in self.requests[:-1]:
            p.request(name, **fields)
        for msn in range(1, self.done + 1):
            p.answered(0x1F, PSN + msn - 1, msn)
        b.fence()
        before = b.read(TARGET)
        name, fields = self.requests[-1]
        psn = p.psn
        p.request(name, **fields)
        p.answered(self.nak, psn, self.done)
        want = ["SUCCESS"] * self.done + ([self.status] if self.status else [])
        want += ["WR_FLUSH_ERR"] * (2 - len(want))
        b.completions(*enumerate(want, 1))
        b.event(self.event)
        p.dead()
        same("memory", b.read(TARGET), before)


def _receives():
    """Receives that do not hold the message, or that name memory that may not be written."""
    len_err = {"nak": INVALID, "status": "LOC_LEN_ERR"}
    prot_err = {"nak": OP_NAK, "status": "LOC_PROT_ERR"}
    small, two = [(0, 64, "good")], [(0, 32, "good"), (64, 32, "good")]
    long = [op("SEND First", MTU), op("SEND Middle", MTU), op("SEND Last", 1)]
    yield Fault("recv_too_short", [op("SEND Only", 65)], recv=small, **len_err)
    yield Fault("recv_too_short_imm", [op("SEND Only with Immediate", 65)], recv=small, **len_err)
    yield Fault("recv_sges_run_out", [op("SEND Only", 65)], recv=two, **len_err)
    yield Fault("recv_has_no_room", [op("SEND Only", 1)], recv=[(0, 0, "good")], **len_err)
    yield Fault("recv_too_short_at_last", long, recv=[(0, 2 * MTU, "good")], **len_err)
    yield Fault("recv_too_short_after_another", [op("SEND Only", 64), op("SEND Only", 65)], done=1,
                recv=small, **len_err)
    for what, sges in {
            "bad_lkey": [(0, 64, "bad")],
            "bad_lkey_of_second_sge": [(0, 32, "good"), (64, 32, "bad")],
            "foreign_pd": [(0, 64, "foreign")], "no_local_write": [(0, 64, "constant")],
            "past_end": [(SIZE - 63, 64, "good")], "before_start": [(-1, 64, "good")]}.items():
        yield Fault(f"recv_{what}", [op("SEND Only", 64)], recv=sges, **prot_err)
    yield Fault("recv_bad_lkey_at_middle", [op("SEND First", MTU), op("SEND Middle", MTU)],
                recv=[(0, MTU, "good"), (0, 64 + MTU, "bad")], **prot_err)


def _keys():
    """Keys, ranges and rights that the peer does not have."""
    imm = "RDMA WRITE Only with Immediate"
    for name, what, right in (
            ("write", op("RDMA WRITE Only", 8), "no_write"), ("write_imm", op(imm, 8), "no_write"),
            ("read", op("RDMA READ Request", dmalen=8), "no_read"),
            ("swap", op("CmpSwap"), "no_atomic"), ("add", op("FetchAdd"), "no_atomic"),
            ("atomic_write", op("ATOMIC WRITE", 8), "no_write")):
        end = {"status": "LOC_ACCESS_ERR"} if name == "write_imm" else {"event": ACCESS_ERR}
        for fault, at, key in (
                ("bad_rkey", TARGET, "bad"), ("foreign_pd", TARGET, "foreign"),
                ("no_right", TARGET, right), ("past_end", SIZE, "good"),
                ("before_start", -8, "good")):
            yield Fault(f"{name}_{fault}", [op(what[0], at=at, key=key, **what[1])],
                        ACCESS_NAK, **end)
        if name in ("write", "write_imm", "read"):
            yield Fault(f"{name}_across_end", [op(what[0], at=SIZE - 7, **what[1])],
                        ACCESS_NAK, **end)
            yield Fault(f"{name}_wrapping", [op(what[0], at=TARGET, va=(1 << 64) - 4, **what[1])],
                        ACCESS_NAK, **end)
    yield Fault("write_first_past_end", [op("RDMA WRITE First", MTU, at=SIZE - 2 * MTU + 1,
                                            dmalen=2 * MTU)], ACCESS_NAK, event=ACCESS_ERR)
    for name in ("SEND Only", "SEND Last"):
        first = [op("SEND First", MTU)] if name == "SEND Last" else []
        yield Fault(f"{name.lower().replace(' ', '_')}_invalidates_bad_rkey",
                    [*first, op(f"{name} with Invalidate", 8, ieth=0xDEAD00)], ACCESS_NAK,
                    status="LOC_ACCESS_ERR")


def _sequences():
    """Opcodes that do not follow from what was before (IBTA table 38)."""
    send, write = op("SEND First", MTU), op("RDMA WRITE First", MTU, at=TARGET, dmalen=3 * MTU)
    read = op("RDMA READ Request", at=TARGET, dmalen=8)
    only, swap = op("RDMA WRITE Only", 8, at=TARGET), op("CmpSwap", at=TARGET)
    inside_send = [send, op("SEND Only", 8), op("RDMA WRITE Middle", MTU), op("RDMA WRITE Last", 8),
                   write, only, read, swap]
    for what in inside_send:
        yield Fault(f"send_then_{_label(what)}", [send, what], INVALID, status="REM_INV_REQ_ERR")
    for what in (write, op("SEND Middle", MTU), op("SEND Last", 8), send, only, read, swap):
        yield Fault(f"write_then_{_label(what)}", [write, what], INVALID, event=REQ_ERR)
    for what in (op("SEND Middle", MTU), op("SEND Last", 8), op("RDMA WRITE Middle", MTU),
                 op("RDMA WRITE Last with Immediate", 8)):
        yield Fault(f"nothing_then_{_label(what)}", [what], INVALID, event=REQ_ERR)
        yield Fault(f"only_then_{_label(what)}", [op("SEND Only", 8), what], INVALID, event=REQ_ERR,
                    done=1)


def _label(what):
    return what[0].replace("RDMA ", "").lower().replace(" ", "_")


def _rights():
    """What the QP's access flags do not have, or nothing to keep the answer in."""
    write, read = op("RDMA WRITE Only", 8, at=TARGET), op("RDMA READ Request", at=TARGET, dmalen=8)
    rest = {"nak": INVALID, "event": REQ_ERR}
    atomics = [op("CmpSwap", at=TARGET), op("FetchAdd", at=TARGET)]
    atomic_write = op("ATOMIC WRITE", 8, at=TARGET)
    for what in (write, op("RDMA WRITE Only with Immediate", 8, at=TARGET), atomic_write):
        yield Fault(f"qp_forbids_{_label(what)}", [what], attr={"qp_access_flags": ACCESS & ~WRITE},
                    **rest)
    yield Fault("qp_forbids_read", [read], attr={"qp_access_flags": ACCESS & ~READ}, **rest)
    for what in atomics:
        yield Fault(f"qp_forbids_{_label(what)}", [what],
                    attr={"qp_access_flags": ACCESS & ~ATOMIC}, **rest)
    for what in [read, *atomics, atomic_write]:
        yield Fault(f"no_resources_{_label(what)}", [what], attr={"max_dest_rd_atomic": 0}, **rest)


def _lengths():
    """Lengths against path MTU, DMA length, alignment."""
    rest = {"nak": INVALID, "event": REQ_ERR}
    inside = {"nak": INVALID, "status": "REM_INV_REQ_ERR"}
    send = op("SEND First", MTU)
    for size in (0, MTU - 1, MTU - 4, MTU + 4):
        yield Fault(f"send_first_of_{size}", [op("SEND First", size)], **rest)
        yield Fault(f"send_middle_of_{size}", [send, op("SEND Middle", size)], **inside)
        yield Fault(f"write_first_of_{size}",
                    [op("RDMA WRITE First", size, at=TARGET, dmalen=3 * MTU)], **rest)
    for size in (0, MTU + 1):
        yield Fault(f"send_last_of_{size}", [send, op("SEND Last", size)], **inside)
    yield Fault("send_only_beyond_mtu", [op("SEND Only", MTU + 1)], **rest)

    def write(dmalen):
        return op("RDMA WRITE First", MTU, at=TARGET, dmalen=dmalen)

    for dmalen in (0, 7, 9, 4096):
        yield Fault(f"write_of_8_named_{dmalen}", [
            op("RDMA WRITE Only", 8, at=TARGET, dmalen=dmalen)], **rest)
        yield Fault(f"write_imm_of_8_named_{dmalen}", [
            op("RDMA WRITE Only with Immediate", 8, at=TARGET, dmalen=dmalen)], **rest)
    yield Fault("write_begins_with_all", [write(MTU)], **rest)
    yield Fault("write_middle_with_all", [write(2 * MTU), op("RDMA WRITE Middle", MTU)], **rest)
    for size in (7, 9):
        yield Fault(f"write_ends_with_{size}_of_8", [
            write(MTU + 8), op("RDMA WRITE Last", size)], **rest)
        yield Fault(f"write_imm_ends_with_{size}_of_8", [
            write(MTU + 8), op("RDMA WRITE Last with Immediate", size)], **rest)
    yield Fault("read_beyond_2_gib", [
        op("RDMA READ Request", at=TARGET, dmalen=(1 << 31) + 1)], **rest)
    for at in (1, 4):
        for name in ("CmpSwap", "FetchAdd"):
            yield Fault(f"{name.lower()}_off_by_{at}", [op(name, at=TARGET + at)], **rest)
        yield Fault(f"atomic_write_off_by_{at}", [op("ATOMIC WRITE", 8, at=TARGET + at)], **rest)
    for size, dmalen in ((8, 4), (4, 8), (16, 16), (4, 4)):
        yield Fault(f"atomic_write_of_{size}_named_{dmalen}",
                    [op("ATOMIC WRITE", size, at=TARGET, dmalen=dmalen)], **rest)


# --- what is answered, and the QP lives

def holes(b):
    """One NAK per hole, and another when packets before it are sent again."""
    p = Peer(b)
    p.recv((0, 64, "good"))
    before = b.counters()
    far = PSN + 5000  # beyond what is kept
    for i in range(3):
        p.request("SEND Only", 8, psn=far + i)
    p.answered(SEQ, PSN, 0)
    p.request("SEND Only", 8)
    b.completions((1, "SUCCESS"))
    p.acked(1)
    p.request("SEND Only", 8, psn=far)
    p.answered(SEQ, PSN + 1, 1)
    b.fence()
    b.counted(before, out_of_seq_request=2, duplicate_request=0)
    b.fence()  # nor has time repeated the NAK


def hole_is_filled(b):
    """What came beyond a hole is kept, and executed in order."""
    p = Peer(b)
    for _ in range(4):
        p.recv((0, 64, "good"))
    for i in (1, 2, 3):
        p.request("SEND Only", 8 + i, psn=PSN + i)
    p.answered(SEQ, PSN, 0)
    p.request("SEND Only", 8)
    got = [(wc.wr_id, wc.byte_len) for wc in b.poll(4)]
    same("receives", got, [(i + 1, 8 + i) for i in range(4)])
    while True:  # the hole may have been reported again meanwhile
        a = p.answer()
        if a.syndrome != SEQ:
            break
    same("ACK", (a.syndrome, a.psn, a.msn), (0x1F, (PSN + 3) % roce.PSN_MOD, 4))


def disbelieved(p, what):
    """What came beyond a hole and cannot be executed has to come again; nothing else does."""
    name, fields = what
    for _ in range(3):
        p.recv((0, 64, "good"))
    p.request(name, psn=PSN + 1, **fields)
    p.request("SEND Only", 8)
    while True:  # the hole may have been reported, and that it is filled
        a = p.answer()
        if (a.syndrome, a.psn) != (SEQ, PSN) and a.syndrome != 0x1F:
            break
    same("missing", (a.syndrome, a.psn, a.msn), (SEQ, (PSN + 1) % roce.PSN_MOD, 1))


def kept(name, what, nak, status="WR_FLUSH_ERR", event=None):
    """Anybody may guess a PSN beyond the expected one: in its turn alone a fault counts."""
    def case(b):
        p = Peer(b)
        disbelieved(p, what)
        p.request("SEND Only", 8)
        p.acked(2)
        b.completions((1, "SUCCESS"), (2, "SUCCESS"))
        b.event(None)
        p.request(what[0], **what[1])
        p.answered(nak, PSN + 2, 2)
        b.completions((3, status))
        b.event(event)
        p.dead()
    return f"kept_{name}", case


def receive_of_disbelieved(b):
    """It waits for the next message that needs one: a WRITE that fails is not in it."""
    p = Peer(b)
    disbelieved(p, op("SEND Only", 65))
    p.request("RDMA WRITE Only", 8, at=TARGET, key="bad")
    p.answered(ACCESS_NAK, PSN + 1, 1)
    b.completions((1, "SUCCESS"), (2, "WR_FLUSH_ERR"), (3, "WR_FLUSH_ERR"))
    b.event(ACCESS_ERR)
    p.dead()


_KEPT = [
    kept("send_middle", op("SEND Middle", MTU, ackreq=True), INVALID, event=REQ_ERR),
    kept("send_too_long", op("SEND Only", 65), INVALID, "LOC_LEN_ERR"),
    kept("invalidates_bad_rkey", op("SEND Only with Invalidate", 8, ieth=0xDEAD00), ACCESS_NAK,
         "LOC_ACCESS_ERR"),
    kept("write_bad_rkey", op("RDMA WRITE Only", 8, at=TARGET, key="bad"), ACCESS_NAK,
         event=ACCESS_ERR),
    kept("read_past_end", op("RDMA READ Request", at=SIZE, dmalen=8), ACCESS_NAK,
         event=ACCESS_ERR),
    kept("swap_unaligned", op("CmpSwap", at=TARGET + 4), INVALID, event=REQ_ERR),
    kept("add_no_right", op("FetchAdd", at=TARGET, key="no_atomic"), ACCESS_NAK,
         event=ACCESS_ERR),
]


def duplicates(b):
    """SENDs and WRITEs are acknowledged again and leave no trace."""
    p = Peer(b)
    p.recv((0, 64, "good"))
    p.recv((64, 64, "good"))
    before = b.counters()
    p.request("SEND Only", 8)
    p.acked(1)
    p.request("RDMA WRITE Only", 8, at=TARGET)
    p.acked(2)
    p.request("SEND Only", 8, psn=PSN, seed=50)
    p.acked(2)
    p.request("RDMA WRITE Only", 8, psn=PSN + 1, at=TARGET, seed=50)
    p.acked(2)
    p.request("SEND Only", 8, psn=PSN, ackreq=False)
    same("written", b.read(8), pattern(8))
    same("sent", b.read(8, 0), pattern(8))
    p.request("SEND Only", 16)
    p.acked(3)
    b.completions((1, "SUCCESS"), (2, "SUCCESS"))
    b.fence()
    b.counted(before, duplicate_request=3, rdma_recvs=2, out_of_seq_request=0)


def read_response(p, name, psn, payload):
    got = p.answer()
    same("response", (got.name, got.psn, got.payload),
         (f"RC RDMA READ Response {name}", psn % roce.PSN_MOD, payload))
    if name != "Middle":
        same("syndrome, MSN", (got.syndrome, got.msn), (0x1F, 1))


def read_again(b):
    """A READ repeated whole or from its middle gets the same data; another does not."""
    p = Peer(b)
    data = pattern(600)
    b.region("good")[0].write(data, 600, TARGET)
    parts = [("First", data[:256]), ("Middle", data[256:512]), ("Last", data[512:])]
    p.request("RDMA READ Request", at=TARGET, dmalen=600)
    for _ in range(2):
        for i, (name, part) in enumerate(parts):
            read_response(p, name, PSN + i, part)
        p.request("RDMA READ Request", psn=PSN, at=TARGET, dmalen=600)
    for i, (name, part) in enumerate(parts):
        read_response(p, name, PSN + i, part)
    p.request("RDMA READ Request", psn=PSN + 1, at=TARGET + 256, dmalen=344)
    read_response(p, "First", PSN + 1, data[256:512])
    read_response(p, "Last", PSN + 2, data[512:])
    p.request("RDMA READ Request", psn=PSN + 2, at=TARGET + 512, dmalen=88)
    read_response(p, "Only", PSN + 2, data[512:])
    for at, dmalen, key in ((1, 600, "good"), (0, 601, "good"), (0, 600, "bad")):
        p.request("RDMA READ Request", psn=PSN, at=TARGET + at, dmalen=dmalen, key=key)
    b.fence()
    p.request("RDMA WRITE Only")
    p.acked(2)


def atomic_answer(p, psn, original, msn):
    got = p.answer()
    same("answer", (got.name, got.psn, got.syndrome, got.msn, got.original),
         ("RC Atomic Acknowledge", psn % roce.PSN_MOD, 0x1F, msn, original))


def value(b):
    return int.from_bytes(b.read(8), "little")


def atomics_again(b):
    """Repeated, an atomic brings what it brought, and changes nothing."""
    p = Peer(b)
    b.region("good")[0].write((100).to_bytes(8, "little"), 8, TARGET)
    p.request("FetchAdd", at=TARGET, swap_add=5)
    atomic_answer(p, PSN, 100, 1)
    same("memory", value(b), 105)
    p.request("CmpSwap", at=TARGET, swap_add=7, compare=105)
    atomic_answer(p, PSN + 1, 105, 2)
    p.request("CmpSwap", at=TARGET, swap_add=9, compare=105)
    atomic_answer(p, PSN + 2, 7, 3)
    same("memory", value(b), 7)
    for i, original in ((0, 100), (1, 105), (2, 7)):
        p.request("FetchAdd" if i == 0 else "CmpSwap", psn=PSN + i, at=TARGET, swap_add=5,
                  compare=7)
        atomic_answer(p, PSN + i, original, 3)
    same("memory", value(b), 7)
    p.request("CmpSwap", psn=PSN, at=TARGET)  # of the other kind, but an atomic
    atomic_answer(p, PSN, 100, 3)
    p.request("RDMA READ Request", psn=PSN, at=TARGET, dmalen=8)  # of another kind
    b.fence()


def atomic_write(b):
    p = Peer(b)
    p.request("ATOMIC WRITE", 8, at=TARGET)
    read_response(p, "Only", PSN, b"")
    same("memory", b.read(8), pattern(8))
    b.region("good")[0].write(bytes(8), 8, TARGET)
    p.request("ATOMIC WRITE", 8, psn=PSN, at=TARGET)
    read_response(p, "Only", PSN, b"")
    same("memory", b.read(8), bytes(8))


def not_ready(b):
    """Without a receive: RNR NAK with the QP's timer code, until there is one."""
    for code in (0, 1, 14, 31):
        p = Peer(b, min_rnr_timer=code)
        before = b.counters()
        p.request("SEND First", MTU, psn=PSN)
        p.answered(RNR | code, PSN, 0)
        p.request("SEND Last", 8, psn=PSN + 1)  # as if the first had not arrived
        b.fence()
        p.request("SEND First", MTU, psn=PSN)
        p.answered(RNR | code, PSN, 0)
        p.recv((0, 1024, "good"))
        p.request("SEND First", MTU)
        p.request("SEND Last", 8)
        p.acked(1)
        p.request("RDMA WRITE Only with Immediate", 8, at=TARGET, psn=p.psn)
        p.answered(RNR | code, PSN + 2, 1)
        p.recv((0, 0, "good"))
        p.request("RDMA WRITE Only with Immediate", 8, at=TARGET)
        p.acked(2)
        same("sizes", [wc.byte_len for wc in b.poll(2)], [MTU + 8, 8])
        b.counted(before, send_rnr_err=3, rdma_recvs=2, out_of_seq_request=0)


def empty_messages(b):
    """No key is looked at for no bytes (C9-88)."""
    p = Peer(b)
    p.request("RDMA WRITE Only", va=1, rkey=0xDEAD00)
    p.acked(1)
    p.request("RDMA READ Request", va=1, rkey=0xDEAD00)
    got = p.answer()
    same("answer", (got.name, got.payload, got.msn), ("RC RDMA READ Response Only", b"", 2))
    p.recv((0, 0, "good"))
    p.request("SEND Only")
    p.acked(3)
    b.completions((1, "SUCCESS"))


# --- what is no packet of this QP

def dropped(name, *, counted, **fields):
    """A packet, wrong in one way, that is dropped; `counted`: it had a right ICRC and P_Key."""
    def case(b):
        p = Peer(b)
        p.recv((0, 64, "good"))
        before = b.counters()
        args = {"name": "SEND Only", "size": 8, "psn": PSN, **fields}
        if callable(args.get("src")):
            args["src"] = args["src"](p)
        if callable(args.get("to")):
            args["to"] = args["to"](b, p)
        p.request(args.pop("name"), **args)
        b.fence()
        more = {k: n - before[k] for k, n in b.counters().items() if n != before[k]}
        same("counted", more, {"rcvd_pkts": 1 + counted, "sent_pkts": 1})
        p.request("SEND Only", 16)
        p.acked(1)
        same("receives", [(wc.status, wc.byte_len) for wc in b.poll(1)], [(e.IBV_WC_SUCCESS, 16)])
    return f"dropped_{name}", case


def taken(name, v6=False, **fields):
    """A packet that is unusual and right."""
    def case(b):
        p = Peer(b, v6=v6)
        p.recv((0, 64, "good"))
        p.request("SEND Only", 8, **fields)
        p.acked(1)
        b.completions((1, "SUCCESS"))
    return f"taken_{name}", case


_DROPS = [
    dropped("bad_icrc", counted=0, damage=flip(1)),
    dropped("payload_changed", counted=0, damage=flip(5)),
    dropped("tver_1", counted=0, tver=1),
    dropped("tver_15", counted=0, tver=15),
    dropped("pkey_other", counted=0, pkey=0x9234),
    dropped("pkey_0", counted=0, pkey=0),
    dropped("pkey_7ffe", counted=0, pkey=0x7FFE),
    dropped("pad_of_3_missing", counted=0, pad=3),
    dropped("reserved_opcode", counted=0, body=lambda body: b"\x15" + body[1:]),
    dropped("half_a_header", counted=0, body=lambda body: b"\x06" + body[1:20]),
    dropped("qpn_unused", counted=1, to=lambda b, p: 0xFFFFF0),
    dropped("qpn_0", counted=1, to=lambda b, p: 0),
    dropped("source_address", counted=1, src=lambda p: p.far[:-1] + b"\x03"),
    dropped("class_uc", counted=1, body=lambda body: b"\x24" + body[1:]),
    dropped("class_ud", counted=1, body=lambda body: b"\x64" + body[1:] + bytes(8)),
]

CASES = [(f.name, f) for group in (_receives, _keys, _sequences, _rights, _lengths)
         for f in group()]
CASES += [(c.__name__, c) for c in (
    holes, hole_is_filled, receive_of_disbelieved, duplicates, read_again, atomics_again,
    atomic_write, not_ready, empty_messages)]
CASES += _KEPT + _DROPS
CASES += [taken("pkey_limited", pkey=0x7FFF), taken("migreq_0", migreq=0),
          taken("other_port", sport=1), taken("traffic_class", tos=0xFC, ttl=1),
          taken("ipv6", v6=True, tos=0xB8, ttl=9, label=0xABCDE)]
