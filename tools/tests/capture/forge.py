# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Make RoCEv2 frames and captures: for the tests of this folder, and for a peer that is
no driver (scenarios/forged.py).
"""

import struct

import opcodes
import roce

TO_MAC, FROM_MAC = b"\x52\x54\0\0\0\1", b"\x52\x54\0\0\0\2"
CLIENT, SERVER = (b"\xc0\xa8\x5f\x82", b"\xc0\xa8\x5f\x80")


def crc_bitwise(data):
    """CRC-32 a bit at a time: the definition, without a table or a library."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xEDB88320 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def icrc_reference(ip_bth_payload, ip_len):
    """The ICRC from the masked copy of everything, made field by field."""
    head = list(ip_bth_payload)
    masked = (1, 8, 10, 11) if ip_len == 20 else (1, 2, 3, 7)
    for i in (*masked, ip_len + 6, ip_len + 7, ip_len + 12):
        head[i] = 0xFF
    if ip_len == 40:
        head[0] |= 0x0F
    return crc_bitwise(b"\xff" * 8 + bytes(head))


def bth(opcode, psn, dqpn, ackreq=False, **over):
    """A BTH with the driver's usual values."""
    flags = (over.get("solicited", 0) << 7 | over.get("migreq", 1) << 6 | over.get("pad", 0) << 4
             | over.get("tver", 0))
    return struct.pack(">BBHII", opcode, flags, over.get("pkey", 0xFFFF), dqpn,
                       ackreq << 31 | psn % roce.PSN_MOD)


def _fields(layout, *names):
    return lambda f: struct.pack(layout, *(f.get(name, 0) for name in names))


# Extension headers; the fields are named as those of roce.Packet.
_EXT = {
    "aeth": lambda f: struct.pack(">I", f.get("syndrome", 31) << 24
                                  | f.get("msn", 0) % roce.PSN_MOD),
    "reth": _fields(">QII", "va", "rkey", "dmalen"),
    "imm": _fields(">I", "imm"),
    "ieth": _fields(">I", "ieth"),
    "feth": _fields(">I", "feth"),
    "deth": _fields(">II", "qkey", "sqpn"),
    "atomic": _fields(">QIQQ", "va", "rkey", "swap_add", "compare"),
    "atomicack": _fields(">Q", "original"),
}


def packet(name, psn, dqpn, payload=b"", ackreq=False, **fields):
    """BTH, extension headers, payload and pad of an operation, as opcodes.py names it."""
    opcode = opcodes.NUMBERS[name]
    ext = b"".join(_EXT[e](fields) for e in opcodes.OPCODES[opcode][1])
    fields.setdefault("pad", -len(payload) % 4)
    return bth(opcode, psn, dqpn, ackreq, **fields) + ext + payload + bytes(fields["pad"])


def ip_checksum(header):
    """The checksum of an IPv4 header whose checksum is 0 (RFC 791)."""
    total = sum(struct.unpack(f">{len(header) // 2}H", header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def frame(body, src=CLIENT, dst=SERVER, sport=0xC123, **over):
    """An Ethernet frame around BTH and what follows, with a right ICRC."""
    length = 8 + len(body) + 4
    udp = struct.pack(">HHHH", sport, 4791, length, 0)
    tos, ttl = over.get("tos", 0), over.get("ttl", 64)
    if len(src) == 4:
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, tos, 20 + length, over.get("ident", 0), 0x4000,
                         ttl, 17, 0, src, dst)
        ip = ip[:10] + struct.pack(">H", ip_checksum(ip)) + ip[12:]
        kind = b"\x08\x00"
    else:
        ip = struct.pack(">IHBB16s16s", 6 << 28 | tos << 20 | over.get("label", 0), length, 17,
                         ttl, src, dst)
        kind = b"\x86\xdd"
    data = ip + udp + body
    crc = icrc_reference(data, len(ip))
    return TO_MAC + FROM_MAC + kind + data + struct.pack("<I", crc)


def ack(psn, dqpn, msn, syndrome=31, opcode=opcodes.ACKNOWLEDGE):
    """An acknowledgement's BTH and AETH."""
    return packet(opcodes.name(opcode), psn, dqpn, syndrome=syndrome, msn=msn)


def write(path, frames, ms=lambda n: n):
    """A pcap file of frames, a millisecond apart, or frame n at ms(n)."""
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for n, data in enumerate(frames):
            f.write(struct.pack("<IIII", 1000 + ms(n) // 1000, ms(n) % 1000 * 1000,
                                len(data), len(data)))
            f.write(data)


def run(messages, packets, psn, client_qp, server_qp):
    """Frames of a faultless transfer, as (kind, frame): kind is req or ack."""
    out = []
    for m in range(messages):
        for i in range(packets):
            op = 0 if i == 0 else 2 if i == packets - 1 else 1
            body = bth(op, psn + m * packets + i, server_qp, op == 2) + bytes([m & 255]) * 1024
            out.append(("req", frame(body)))
        last = psn + (m + 1) * packets - 1
        out.append(("ack", frame(ack(last, client_qp, m + 1), SERVER, CLIENT)))
    return out
