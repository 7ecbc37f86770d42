#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tell what is in a RoCEv2 capture as a person would want to read it."""

import argparse
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

import opcodes  # noqa: E402
import roce  # noqa: E402


def row(name, value, note=""):
    print(f"    {name:<22} {str(value):<24} {note}".rstrip())


def mac(raw):
    return ":".join(f"{b:02x}" for b in raw)


def overview(packets):
    secs = packets[-1].time - packets[0].time
    wrong = sum(not p.icrc_ok for p in packets)
    print(f"{len(packets)} RoCEv2 packets in {secs:.1f} s; ICRC right in "
          f"{len(packets) - wrong}, wrong in {wrong}\n")
    print("  packets  opcode")
    for opcode, count in sorted(Counter(p.opcode for p in packets).items()):
        print(f"  {count:7}  0x{opcode:02x} {opcodes.name(opcode)}")


def requester(key, flow):
    src, dst, qpn = key
    print(f"\nRequests {roce.address(src)} -> {roce.address(dst)}, QP 0x{qpn:x}")
    row("packets", len(flow.packets))
    row("PSN", f"0x{flow.first:06x} to 0x{flow.last:06x}",
        f"{flow.span} numbers" + (", wraps at 2^24" if flow.last < flow.first else ""))
    row("never sent", len(flow.missing), "holes in the PSNs")
    row("retransmitted", len(flow.resent))
    row("asking for an ACK", sum(p.ackreq for p in flow.packets))
    row("UDP source port", ", ".join(str(s) for s in sorted({p.sport for p in flow.packets})))


def responder(key, answers):
    src, dst, qpn = key
    print(f"\nAnswers {roce.address(src)} -> {roce.address(dst)}, QP 0x{qpn:x}")
    for syndrome, count in sorted(Counter(p.syndrome for p in answers
                                          if p.syndrome is not None).items()):
        row(opcodes.syndrome(syndrome), count, f"syndrome 0x{syndrome:02x}")
    row("last MSN", max((p.msn for p in answers if p.msn is not None), default=0),
        "messages completed")


def ethernet_ip(p):
    f, l3 = p.frame, p.l3
    print("  Ethernet")
    row("destination, source", f"{mac(f[0:6])}", mac(f[6:12]))
    row("type", "0x" + f[l3 - 2:l3].hex(), f"IPv{p.ip}")
    if p.ip == 4:
        print("  IPv4")
        row("TOS", f"0x{f[l3 + 1]:02x}", "traffic class of the address handle")
        row("total length", int.from_bytes(f[l3 + 2:l3 + 4], "big"), "bytes")
        row("identification", f"0x{f[l3 + 4:l3 + 6].hex()}")
        row("flags", f"0x{f[l3 + 6] >> 5:x}", "don't fragment" if f[l3 + 6] & 0x40 else "")
        row("TTL", f[l3 + 8], "hop limit of the address handle")
        row("protocol", f[l3 + 9], "UDP")
    else:
        print("  IPv6")
        row("payload length", int.from_bytes(f[l3 + 4:l3 + 6], "big"), "bytes")
        row("next header", f[l3 + 6], "UDP")
        row("hop limit", f[l3 + 7])
    row("source", roce.address(p.src))
    row("destination", roce.address(p.dst))


def udp_bth(p):
    f = p.frame
    print("  UDP")
    row("source port", p.sport, f"0x{p.sport:04x}, one per QP")
    row("destination port", p.dport, "RoCEv2")
    row("length", int.from_bytes(f[p.l4 + 4:p.l4 + 6], "big"), "bytes")
    row("checksum", "0x" + f[p.l4 + 6:p.l4 + 8].hex(), "0: the ICRC protects the packet")
    print("  BTH")
    row("opcode", f"0x{p.opcode:02x}", p.name)
    row("solicited event", int(p.solicited))
    row("MigReq", int(p.migreq))
    row("pad count", p.pad, "bytes")
    row("transport version", p.tver)
    row("P_Key", f"0x{p.pkey:04x}", "default partition, full member" if p.pkey == 0xFFFF else "")
    row("FECN, BECN", f"{p.resv8a >> 7}, {p.resv8a >> 6 & 1}")
    row("destination QP", f"0x{p.dqpn:06x}")
    row("AckReq", int(p.ackreq))
    row("PSN", f"0x{p.psn:06x}")


def extensions(p):
    if p.syndrome is not None:
        print("  AETH")
        row("syndrome", f"0x{p.syndrome:02x}", opcodes.syndrome(p.syndrome))
        row("MSN", p.msn, "messages completed")
    if p.dmalen is not None:
        print("  RETH")
        row("virtual address", f"0x{p.va:x}")
        row("R_Key", f"0x{p.rkey:08x}")
        row("length", p.dmalen, "bytes")
    if p.imm is not None:
        print("  ImmDt")
        row("immediate data", f"0x{p.imm:08x}")
    print("  Payload and ICRC")
    start = p.payload[:16].hex(" ")
    row("payload", f"{p.payload_len} bytes", f"begins {start}" if start else "")
    row("ICRC", "0x" + p.frame[p.end - 4:p.end].hex(),
        "as sent; " + ("right" if p.icrc_ok else "WRONG"))


def packet(title, p):
    print(f"\n{title} (frame {p.number}, {len(p.frame)} bytes)")
    ethernet_ip(p)
    udp_bth(p)
    extensions(p)


def main(argv):
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("pcap")
    opts = ap.parse_args(argv)
    try:
        packets = roce.read(opts.pcap)
    except (OSError, roce.CaptureError) as e:
        sys.exit(f"summary: {e}")
    if not packets:
        sys.exit(f"summary: no RoCEv2 packet in {opts.pcap}")
    overview(packets)
    requests, answers = roce.requests(packets), roce.responses(packets)
    for key, flow in requests.items():
        requester(key, flow)
    for key, some in answers.items():
        responder(key, some)
    if requests:
        packet("The first packet of the first message, field by field",
               next(iter(requests.values())).packets[0])
    if answers:
        packet("The first answer, field by field", next(iter(answers.values()))[0])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
