# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Read RoCEv2 packets from a capture: headers, ICRC, and PSNs per flow.

Independent of the driver and of any dissector: written from the IBTA's rules,
so that it can judge the driver.  Standard library only.
"""

import struct
import zlib
from dataclasses import dataclass, field

import opcodes

UDP_PORT = 4791
PSN_MOD = 1 << 24
BTH = struct.Struct(">BBHII")
ICRC_LEN = 4


class CaptureError(Exception):
    """The file is not a capture this module reads."""


def records(path):
    """Each (seconds, bytes) of a pcap file with Ethernet frames."""
    with open(path, "rb") as f:
        data = f.read()
    orders = {b"\xd4\xc3\xb2\xa1": ("<", 1e6), b"\xa1\xb2\xc3\xd4": (">", 1e6),
              b"\x4d\x3c\xb2\xa1": ("<", 1e9), b"\xa1\xb2\x3c\x4d": (">", 1e9)}
    if data[:4] not in orders:
        raise CaptureError(f"{path}: not a pcap file")
    order, unit = orders[data[:4]]
    if struct.unpack_from(order + "I", data, 20)[0] & 0xFFFF != 1:
        raise CaptureError(f"{path}: frames are not Ethernet")
    head, at = struct.Struct(order + "IIII"), 24
    while at + head.size <= len(data):
        sec, frac, kept, _full = head.unpack_from(data, at)
        at += head.size
        if at + kept > len(data):
            break  # cut off in the middle of a record
        yield sec + frac / unit, data[at:at + kept]
        at += kept


@dataclass(slots=True)
class Packet:
    """One RoCEv2 packet. Extension headers that are absent are None."""

    number: int  # of the frame in the capture, from 1
    time: float  # seconds since 1970
    frame: bytes
    l3: int  # offset of the IP header
    l4: int  # offset of the UDP header
    end: int  # offset after the ICRC
    ip: int  # 4 or 6
    src: bytes
    dst: bytes
    sport: int
    dport: int
    opcode: int
    solicited: bool
    migreq: bool
    pad: int
    tver: int
    pkey: int
    resv8a: int  # FECN, BECN and six reserved bits
    dqpn: int
    ackreq: bool
    resv7: int
    psn: int
    icrc_ok: bool
    ext_ok: bool  # opcode known, headers and pad fit
    payload_len: int
    syndrome: int | None = None
    msn: int | None = None
    va: int | None = None
    rkey: int | None = None
    dmalen: int | None = None
    imm: int | None = None
    ieth: int | None = None
    qkey: int | None = None
    sqpn: int | None = None
    swap_add: int | None = None
    compare: int | None = None
    original: int | None = None
    feth: int | None = None

    @property
    def bth(self):
        """Offset of the BTH in the frame."""
        return self.l4 + 8

    @property
    def payload(self):
        """The data without headers, pad and ICRC."""
        stop = self.end - ICRC_LEN - self.pad
        return self.frame[stop - self.payload_len:stop]

    @property
    def name(self):
        return opcodes.name(self.opcode)

    @property
    def is_nak(self):
        """A NAK or RNR NAK (syndrome other than an ACK's)."""
        return self.syndrome is not None and self.syndrome >> 5 != 0


def icrc(frame, l3, l4, end):
    """The ICRC that a RoCEv2 packet must carry, as a number.

    frame[l3] starts the IP header, frame[l4] the UDP header, and frame[end - 4]
    the ICRC.  CRC-32 over eight bytes of ones in place of the LRH and then the
    packet, with what routers may change set to ones (IBTA annex A17, 17.9.4):
    TOS, TTL, header checksum; traffic class, flow label, hop limit; the UDP
    checksum; and the BTH's byte with FECN and BECN.  It is sent least
    significant byte first.
    """
    head = bytearray(frame[l3:l4 + 20])
    udp = l4 - l3
    if head[0] >> 4 == 4:
        head[1] = head[8] = head[10] = head[11] = 0xFF
    else:
        head[0:4] = (head[0] | 0x0F, 0xFF, 0xFF, 0xFF)
        head[7] = 0xFF
    head[udp + 6] = head[udp + 7] = 0xFF
    head[udp + 12] = 0xFF
    return zlib.crc32(frame[l4 + 20:end - ICRC_LEN], zlib.crc32(b"\xff" * 8 + head))


def _ip(frame):
    """(version, offset of IP, of UDP) when the frame holds UDP, else None."""
    l3, kind = 14, frame[12:14]
    while kind == b"\x81\x00":
        kind, l3 = frame[l3 + 2:l3 + 4], l3 + 4
    if kind == b"\x08\x00" and len(frame) >= l3 + 28 and frame[l3 + 9] == 17:
        return 4, l3, l3 + 4 * (frame[l3] & 15)
    if kind == b"\x86\xdd" and len(frame) >= l3 + 48 and frame[l3 + 6] == 17:
        return 6, l3, l3 + 40
    return None


_EXT = {
    "aeth": (4, lambda p, f, o: _aeth(p, f, o)),
    "reth": (16, lambda p, f, o: _set(p, ("va", "rkey", "dmalen"), ">QII", f, o)),
    "imm": (4, lambda p, f, o: _set(p, ("imm",), ">I", f, o)),
    "ieth": (4, lambda p, f, o: _set(p, ("ieth",), ">I", f, o)),
    "feth": (4, lambda p, f, o: _set(p, ("feth",), ">I", f, o)),
    "deth": (8, lambda p, f, o: _deth(p, f, o)),
    "atomic": (28, lambda p, f, o: _set(p, ("va", "rkey", "swap_add", "compare"), ">QIQQ", f, o)),
    "atomicack": (8, lambda p, f, o: _set(p, ("original",), ">Q", f, o)),
}


def _set(packet, names, layout, frame, at):
    for name, value in zip(names, struct.unpack_from(layout, frame, at)):
        setattr(packet, name, value)


def _aeth(packet, frame, at):
    word, = struct.unpack_from(">I", frame, at)
    packet.syndrome, packet.msn = word >> 24, word & 0xFFFFFF


def _deth(packet, frame, at):
    packet.qkey, word = struct.unpack_from(">II", frame, at)
    packet.sqpn = word & 0xFFFFFF


def _extensions(packet):
    """Parse what follows the BTH; sets payload_len and ext_ok."""
    at, stop = packet.l4 + 20, packet.end - ICRC_LEN
    known = opcodes.OPCODES.get(packet.opcode)
    for ext in known[1] if known else ():
        size, read = _EXT[ext]
        if at + size > stop:
            return
        read(packet, packet.frame, at)
        at += size
    packet.payload_len = stop - packet.pad - at
    packet.ext_ok = known is not None and packet.payload_len >= 0


def parse(frame, number=0, time=0.0):
    """The RoCEv2 packet in an Ethernet frame, or None when there is none."""
    where = _ip(frame)
    if where is None:
        return None
    ip, l3, l4 = where
    if l4 + 8 > len(frame):
        return None
    sport, dport, udp_len = struct.unpack_from(">HHH", frame, l4)
    end = l4 + udp_len
    if dport != UDP_PORT or end > len(frame) or udp_len < 8 + BTH.size + ICRC_LEN:
        return None
    opcode, flags, pkey, word1, word2 = BTH.unpack_from(frame, l4 + 8)
    src = frame[l3 + 12:l3 + 16] if ip == 4 else frame[l3 + 8:l3 + 24]
    dst = frame[l3 + 16:l3 + 20] if ip == 4 else frame[l3 + 24:l3 + 40]
    sent = int.from_bytes(frame[end - ICRC_LEN:end], "little")
    packet = Packet(
        number, time, frame, l3, l4, end, ip, src, dst, sport, dport, opcode,
        bool(flags & 0x80), bool(flags & 0x40), flags >> 4 & 3, flags & 15, pkey,
        word1 >> 24, word1 & 0xFFFFFF, bool(word2 >> 31), word2 >> 24 & 0x7F,
        word2 & 0xFFFFFF, sent == icrc(frame, l3, l4, end), False, 0)
    _extensions(packet)
    return packet


def read(path):
    """All RoCEv2 packets of a pcap file, in order."""
    out = []
    for number, (time, frame) in enumerate(records(path), 1):
        packet = parse(frame, number, time)
        if packet is not None:
            out.append(packet)
    return out


def psn_diff(a, b):
    """a - b as a signed 24-bit number."""
    return ((a - b + (PSN_MOD >> 1)) & (PSN_MOD - 1)) - (PSN_MOD >> 1)


@dataclass
class Flow:
    """What one end sent to one QP: packets with their PSNs unwrapped.

    position: each packet's distance in PSNs from the first packet.
    resent:   packets at or before the highest position seen until then.
    missing:  positions that no packet of the capture has.
    """

    packets: list = field(default_factory=list)
    position: list = field(default_factory=list)
    resent: list = field(default_factory=list)
    missing: list = field(default_factory=list)

    @property
    def first(self):
        """The lowest PSN."""
        low = min(range(len(self.packets)), key=self.position.__getitem__)
        return self.packets[low].psn

    @property
    def last(self):
        """The highest PSN, in sequence."""
        high = max(range(len(self.packets)), key=self.position.__getitem__)
        return self.packets[high].psn

    @property
    def span(self):
        """How many PSNs lie between the lowest and the highest, both counted."""
        return max(self.position) - min(self.position) + 1


def _width(packet, mtu):
    """How many PSNs a request takes: a READ takes those of its responses."""
    if packet.opcode == opcodes.READ_REQUEST:
        return max(1, -(-packet.dmalen // mtu))
    return 1


def track(packets, mtu=1024):
    """The Flow of packets that went one way to one QP."""
    flow, base, top = Flow(packets), None, -1
    seen = set()
    for p in packets:
        if base is None:
            base = p.psn
        pos = max(top, 0) + psn_diff(p.psn, (base + max(top, 0)) % PSN_MOD)
        width = _width(p, mtu)
        flow.position.append(pos)
        if top >= 0 and pos <= top:
            flow.resent.append(p)
        seen.update(range(pos, pos + width))
        top = max(top, pos + width - 1)
    flow.missing = sorted(set(range(min(seen, default=0), top + 1)) - seen)
    return flow


def flows(packets, keep, mtu=1024):
    """{(src, dst, destination QP): Flow} of the packets that `keep` accepts."""
    sets = {}
    for p in packets:
        if keep(p):
            sets.setdefault((p.src, p.dst, p.dqpn), []).append(p)
    return {key: track(some, mtu) for key, some in sets.items()}


def requests(packets, mtu=1024):
    """The flows of RC requests."""
    return flows(packets, lambda p: opcodes.is_rc_request(p.opcode), mtu)


def responses(packets):
    """{(src, dst, destination QP): [ACKs, NAKs, READ and atomic responses]}."""
    sets = {}
    for p in packets:
        if p.opcode in opcodes.RC_RESPONSES:
            sets.setdefault((p.src, p.dst, p.dqpn), []).append(p)
    return sets


def address(raw):
    """An IP address as text."""
    if len(raw) == 4:
        return ".".join(map(str, raw))
    return ":".join(f"{raw[i] << 8 | raw[i + 1]:x}" for i in range(0, 16, 2))
