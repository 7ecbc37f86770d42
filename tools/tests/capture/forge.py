# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Make RoCEv2 frames and captures, for the tests of this folder."""

import struct

import roce

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
    flags = (over.get("migreq", 1) << 6) | over.get("pad", 0) << 4
    return struct.pack(">BBHII", opcode, flags, over.get("pkey", 0xFFFF), dqpn,
                       ackreq << 31 | psn % roce.PSN_MOD)


def frame(body, src=CLIENT, dst=SERVER, sport=0xC123, **over):
    """An Ethernet frame around BTH and what follows, with a right ICRC."""
    length = 8 + len(body) + 4
    udp = struct.pack(">HHHH", sport, 4791, length, 0)
    if len(src) == 4:
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, over.get("tos", 0), 20 + length,
                         over.get("ident", 0), 0x4000, over.get("ttl", 64), 17, 0, src, dst)
        kind = b"\x08\x00"
    else:
        ip = struct.pack(">IHBB16s16s", 6 << 28, length, 17, 64, src, dst)
        kind = b"\x86\xdd"
    packet = ip + udp + body
    crc = icrc_reference(packet, len(ip))
    return b"\x52\x54\0\0\0\1" + b"\x52\x54\0\0\0\2" + kind + packet + struct.pack("<I", crc)


def ack(psn, dqpn, msn, syndrome=31, opcode=0x11):
    """An acknowledgement's BTH and AETH."""
    return bth(opcode, psn, dqpn) + struct.pack(">I", syndrome << 24 | msn % roce.PSN_MOD)


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
