# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""How long a requester waits for a receiver that is not ready, in the guest's own time."""

import sys

import plan

sys.path.insert(0, str(plan.TOP / "tools/tests/capture"))

import roce  # noqa: E402

CODE, NS = 22, 20480000  # of the RNR timer (IBTA table 46), and what it stands for
RECV_MS = 50
SLACK_NS = 2000000
ACK, RNR = 17, 1


def gaps(path):
    """ns between each RNR NAK and the next packet with the PSN that it refused."""
    refused, found = {}, []
    for p in roce.read(path):
        if p.opcode == ACK and p.syndrome >> 5 == RNR:
            refused[p.psn] = p.time
        elif p.psn in refused and p.opcode != ACK:
            found.append(round((p.time - refused.pop(p.psn)) * 1e9))
    return found


class Results:
    """Gaps by driver."""

    def __init__(self, found):
        self.found = found

    def table(self):
        """The lines of the table for people."""
        yield (f"RNR timer {NS / 1e6} ms, a receive each {RECV_MS} ms: time from RNR NAK to the next "
               "try, ms")
        yield f"{'':8}{'tries':>8}{'least':>10}{'most':>10}"
        for driver, found in self.found.items():
            line = f"{driver:8}{len(found):8}"
            yield line + (f"{min(found) / 1e6:10.3f}{max(found) / 1e6:10.3f}" if found else "")

    def reach(self):
        """Whether ours waits as long as it was told, and not much longer."""
        found = self.found.get("ours")
        if found is None:
            return
        good = len(found) >= 20 and min(found) >= NS and max(found) < NS + SLACK_NS
        yield f"{'yes' if good else 'no '}  at least what was advertised, and less than 2 ms more"


def measure(opts, out):
    """Run it; the results there are, and what went wrong or None."""
    points = [("rnr", "capture", "-", f"--op send --size 4000 --warm 0 --messages 20 --depth 1 "
               f"--rnr-timer {CODE} --recv-ms {RECV_MS}")]
    _, wrong = plan.run(points, opts.drivers, out, opts.host_timeout)
    return Results({d: gaps(out / "vm" / "shared" / f"{d}.pcap") for d in opts.drivers}), wrong
