#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Judge the capture of an ib_send_bw run over RC; print one KTAP case per rule.

The client sends --messages messages of --size bytes to the server; CLIENT.txt is
what the client printed, from which QPNs and PSNs come.  By default nothing may be
lost and every count is exact.  With --lossy each PSN must still be sent, and each
NAK for a sequence error must be followed by a retransmission from its PSN.  With
--stock-client the rules that the kernel's own driver is known to break when it
sends (MigReq is 0; it resends without a loss) are not applied to what it sent.
--stock-server does the same for the acknowledgements.

A guest whose host stops it for a while answers late, and its peer rightly sends
again what was not lost.  That is no fault when nothing was answered for 10 ms; what
was sent again is then not counted.

Exit status 0: all rules hold; 1: not; 3: only those rules are broken that a guest
breaks when its host stops it for longer than the retransmission timeout.
"""

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

import opcodes  # noqa: E402
import perftest  # noqa: E402
import roce  # noqa: E402

MTU = 1024
SILENCE = 0.010  # seconds without an answer that excuse sending again
CALM = 0.250  # until what was set off by it is over
FIRST, MIDDLE, LAST, ONLY = 0x00, 0x01, 0x02, 0x04


class Ktap:
    """Collects cases; prints them when all are known."""

    def __init__(self):
        self.cases, self.broken = [], set()

    def case(self, name, wrong, paused=False):
        """A case that passes when `wrong`, a list of complaints, is empty.

        paused: a guest that the host stopped for a while breaks this rule too.
        """
        self.cases.append((name, wrong))
        if wrong:
            self.broken.add(3 if paused else 1)

    def finish(self, prefix):
        """Print everything; the exit status."""
        print(f"KTAP version 1\n1..{len(self.cases)}")
        for n, (name, wrong) in enumerate(self.cases, 1):
            for text in wrong[:5]:
                print(f"# {text}")
            if len(wrong) > 5:
                print(f"# and {len(wrong) - 5} more")
            print(f"{'not ok' if wrong else 'ok'} {n} - {prefix}{name}")
        return min(self.broken, default=0)


def at(p):
    """Where a packet is, for a complaint."""
    return f"frame {p.number}, {p.name}, PSN 0x{p.psn:06x}"


def bad(packets, rule, why):
    """A complaint for each packet for which `rule` is false."""
    return [f"{at(p)}: {why(p)}" for p in packets if not rule(p)]


def differs(what, got, want):
    """One complaint when a value is not the wanted one."""
    return [] if got == want else [f"{what}: {got}, not {want}"]


class Run:
    """The capture, sorted by what its packets are."""

    def __init__(self, opts):
        self.opts = opts
        self.ends = perftest.ends(Path(opts.client).read_text(errors="replace"))[0]
        self.all = roce.read(opts.pcap)
        e = self.ends
        self.sent = [p for p in self.all
                     if opcodes.is_rc_request(p.opcode) and p.dqpn == e.peer_qpn]
        self.acks = [p for p in self.all
                     if p.opcode in opcodes.RC_RESPONSES and p.dqpn == e.qpn]
        self.flow = roce.track(self.sent, MTU)
        self.excused = self.late()
        self.per_message = -(-opts.size // MTU)
        self.total = self.per_message * opts.messages

    def late(self):
        """Whether each packet sent again followed a silence of the server."""
        again = set(map(id, self.flow.resent))
        waiting = {}  # place of what is not acknowledged: when it was first sent
        until = 0.0
        for p in self.all:
            silent = waiting and p.time - min(waiting.values()) >= SILENCE
            if silent:
                until = p.time + CALM
            if p.dqpn == self.ends.qpn and p.opcode == opcodes.ACKNOWLEDGE and not p.is_nak:
                acked = self.place(p)
                waiting = {k: t for k, t in waiting.items() if k > acked}
            elif p.dqpn == self.ends.peer_qpn and id(p) not in again:
                waiting[self.place(p)] = p.time
            elif p.dqpn == self.ends.peer_qpn and p.time > until:
                return False
        return bool(again)

    def place(self, p):
        """How many PSNs a packet is after the first one perftest printed."""
        return (p.psn - self.ends.psn) % roce.PSN_MOD


def check_all(run, t):
    """Rules for every packet, whoever sent it."""
    known = set(map(id, run.sent)) | set(map(id, run.acks))
    t.case("the capture has requests and acknowledgements",
           [] if run.sent and run.acks else [f"{len(run.sent)} and {len(run.acks)}"])
    t.case("every packet goes to one of the two QPs that perftest printed",
           [at(p) + f" to QP 0x{p.dqpn:x}" for p in run.all if id(p) not in known])
    t.case("every ICRC is right by an independent implementation",
           bad(run.all, lambda p: p.icrc_ok, lambda p: "wrong ICRC"))
    t.case("every header is whole and every opcode known",
           bad(run.all, lambda p: p.ext_ok, lambda p: "malformed"))
    t.case("P_Key is 0xffff, TVer 0, reserved bits 0",
           bad(run.all, lambda p: (p.pkey, p.tver, p.resv8a & 0x3F, p.resv7) == (0xFFFF, 0, 0, 0),
               lambda p: f"P_Key 0x{p.pkey:x} TVer {p.tver} reserved {p.resv8a:x} {p.resv7:x}"))
    for side, packets in (("client", run.sent), ("server", run.acks)):
        ports = {p.sport for p in packets}
        t.case(f"the {side}'s UDP source port is constant and in 0xc000-0xffff",
               [] if len(ports) == 1 and min(ports) >= 0xC000 else [f"ports {sorted(ports)}"])


def check_counts(run, t):
    """How many packets of which kind."""
    firsts = {FIRST: [], MIDDLE: [], LAST: [], ONLY: []}
    seen = set()
    for p in run.sent:
        if (run.opts.exact and not run.excused) or p.psn not in seen:
            firsts.setdefault(p.opcode, []).append(p)
        seen.add(p.psn)
    n, m = run.opts.messages, run.per_message
    want = {FIRST: n, MIDDLE: n * (m - 2), LAST: n} if m > 1 else {ONLY: n}
    for op, count in want.items():
        t.case(f"{count} {opcodes.name(op)}",
               differs(opcodes.name(op), len(firsts.pop(op)), count),
               paused=bool(run.flow.resent))
    t.case("no other request", [f"{len(v)} {opcodes.name(k)}" for k, v in firsts.items() if v])


def check_psns(run, t):
    """Sequence numbers of the requests, and what each carries."""
    flow, last = run.flow, (run.ends.psn + run.total - 1) % roce.PSN_MOD
    t.case("PSNs start at the one perftest printed", differs(
        "first PSN", f"0x{flow.first:06x}", f"0x{run.ends.psn:06x}"))
    t.case("PSNs are contiguous modulo 2^24 to the last", [
        f"PSN 0x{(run.ends.psn + pos) % roce.PSN_MOD:06x} was never sent" for pos in flow.missing]
        + differs("last PSN", f"0x{flow.last:06x}", f"0x{last:06x}"))
    m = run.per_message
    tail = run.opts.size - (m - 1) * MTU
    kinds = {0: FIRST, m - 1: LAST} if m > 1 else {0: ONLY}
    t.case("each PSN carries the packet that its place in its message asks for", bad(
        run.sent, lambda p: p.opcode == kinds.get(run.place(p) % m, MIDDLE),
        lambda p: f"place {run.place(p) % m} of {m}"))
    t.case("each packet carries a path MTU, the last one the rest", bad(
        run.sent, lambda p: p.payload_len == (tail if run.place(p) % m == m - 1 else MTU)
        and p.pad == -p.payload_len % 4, lambda p: f"{p.payload_len} bytes, pad {p.pad}"))
    if run.opts.exact:
        t.case("nothing was sent twice, but after a silence of 10 ms",
               [f"{len(flow.resent)} packets"] if flow.resent and not run.excused else [],
               paused=True)


def check_bits(run, t):
    """AckReq, solicited event and MigReq of the requests."""
    t.case("AckReq is set on every Last", bad(
        run.sent, lambda p: p.ackreq or p.opcode not in (LAST, ONLY), lambda p: "no AckReq"))
    again = set(map(id, run.flow.resent))
    early = bad(run.sent, lambda p: not p.ackreq or p.opcode != FIRST or id(p) in again,
                lambda p: "AckReq")
    # One that was lost before it got here, and nothing after it sent, looks like new
    if run.opts.lossy and len(early) <= run.opts.messages // 200:
        early = []
    t.case("AckReq is set on no First sent for the first time", early)
    if not run.opts.stock_client:
        t.case("MigReq is 1 in every request", bad(run.sent, lambda p: p.migreq, lambda p: "0"))


def check_acks(run, t):
    """What the server said."""
    acks = run.acks
    if not run.opts.lossy:
        t.case("every answer is an Acknowledge with syndrome 31", bad(
            acks, lambda p: p.opcode == opcodes.ACKNOWLEDGE and p.syndrome == 31,
            lambda p: f"syndrome {p.syndrome}"))
    good = [p for p in acks if not p.is_nak]
    t.case("every MSN counts the messages that the PSN completes", bad(
        good, lambda p: p.msn == (run.place(p) + 1) // run.per_message % roce.PSN_MOD,
        lambda p: f"MSN {p.msn} at place {run.place(p)}"))
    end = [p for p in good if run.place(p) == run.total - 1]
    t.case("the last PSN is acknowledged, with the number of messages as MSN",
           [] if end and end[-1].msn == run.opts.messages else ["it is not"])
    back = [f"{at(b)}: after 0x{a.psn:06x}" for a, b in zip(good, good[1:])
            if roce.psn_diff(b.psn, a.psn) < 0]
    if run.opts.exact:
        t.case("acknowledgements never go back", back)
    t.case("every acknowledgement carries no data", bad(
        acks, lambda p: p.payload_len == 0 and p.pad == 0, lambda p: f"{p.payload_len} bytes"))
    if not run.opts.stock_server:
        t.case("MigReq is 1 in every acknowledgement",
               bad(acks, lambda p: p.migreq, lambda p: "0"))


def check_recovery(run, t):
    """With loss: a NAK brings the sender back to the PSN it names."""
    naks = [p for p in run.acks if p.syndrome == 0x60]
    t.case("losses brought NAKs for a sequence error (syndrome 0x60)",
           [] if naks else ["none in the capture"])
    times, again, first, high = {}, set(), {}, None
    for p in run.sent:
        times.setdefault(p.psn, []).append(p.number)
        if high is None or roce.psn_diff(p.psn, high) > 0:
            high = p.psn
        else:
            again.add(p.psn)
    # A NAK is repeated while what it asked for is on its way
    for n in naks:
        first.setdefault(n.psn, n)
    unheard = [n for n in first.values()
               if not any(number > n.number for number in times.get(n.psn, ()))]
    # The sender's timer may have come first, and the NAK met what it asked for
    t.case("each NAKed PSN is sent again, most of them after the NAK",
           [at(n) + " is not followed by that PSN" for n in unheard if n.psn not in again] +
           ([f"{len(unheard)} of {len(first)} are not"] if 10 * len(unheard) > len(first) else []))
    t.case("no answer but Acknowledge with syndrome 31 or 0x60", bad(
        run.acks, lambda p: p.opcode == opcodes.ACKNOWLEDGE and p.syndrome in (31, 0x60),
        lambda p: f"syndrome {p.syndrome}"))


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("pcap")
    p.add_argument("client", metavar="CLIENT.txt")
    p.add_argument("--messages", type=int, default=1000)
    p.add_argument("--size", type=int, default=65536)
    p.add_argument("--lossy", action="store_true")
    p.add_argument("--stock-client", action="store_true")
    p.add_argument("--stock-server", action="store_true")
    p.add_argument("--run-failed", action="store_true",
                   help="perftest or a guest failed: a case of its own")
    p.add_argument("--prefix", default="capture: ", help="before each case's name")
    opts = p.parse_args(argv)
    opts.exact = not opts.lossy and not opts.stock_client
    return opts


def main(argv):
    opts, t = parse(argv), Ktap()
    t.case("perftest ends well in both guests and their kernels do not complain",
           ["see the logs"] if opts.run_failed else [])
    try:
        run = Run(opts)
    except (OSError, ValueError, roce.CaptureError) as e:
        t.case("the capture and perftest's output can be read", [str(e)])
        return t.finish(opts.prefix)
    check_all(run, t)
    if run.sent and run.acks:
        check_counts(run, t)
        check_psns(run, t)
        check_bits(run, t)
        check_acks(run, t)
        if opts.lossy:
            check_recovery(run, t)
    return t.finish(opts.prefix)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
