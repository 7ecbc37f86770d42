# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Goodput between two guests, each with either driver, over a network that loses packets.

The guests' time is this machine's: figures tell more than noise only where they are
some times apart, as they are once one end waits for time-outs.
"""

import subprocess
import sys

import plan

PAIRS = (("stock", "stock"), ("ours", "stock"), ("stock", "ours"), ("ours", "ours"))


class Results:
    """MiB/s by (client, server) and operation, None where the run failed."""

    def __init__(self, opts, found):
        self.opts, self.found = opts, found

    def table(self):
        """The lines of the table for people."""
        yield (f"{self.opts.messages} messages of 64 KiB at MTU 1024 between two guests, "
               f"{self.opts.loss:g} % lost in each direction, MiB/s")
        yield f"{'client':8}{'server':8}" + "".join(f"{op:>10}" for op in self.opts.ops)
        for (client, server), got in self.found.items():
            line = f"{client:8}{server:8}"
            for op in self.opts.ops:
                line += f"{got[op]:10.2f}" if got[op] is not None else f"{'failed':>10}"
            yield line

    def reach(self):
        """Whether ours at either end is no worse than the kernel's own at both."""
        old = self.found["stock", "stock"]
        for pair, got in self.found.items():
            if pair == ("stock", "stock"):
                continue
            for op in self.opts.ops:
                good = got[op] is not None and got[op] >= (old[op] or 0)
                yield (f"{'yes' if good else 'no '}  {op}, client {pair[0]}, server {pair[1]}: "
                       "at least as good as the kernel's own at both ends")


def one(opts, out, client, server):
    """One pair of guests; MiB/s by operation, and what went wrong or None."""
    got = dict.fromkeys(opts.ops)
    cmd = [plan.TOP / "tools/vm/run", "--alone", "--out", out / f"{client}-{server}",
           "--timeout", str(150 * len(opts.ops) + 60)]
    for name, value in (("CLIENT", client), ("SERVER", server), ("OPS", " ".join(opts.ops)),
                        ("MESSAGES", opts.messages), ("LOSS", opts.loss)):
        cmd += ["--env", f"BENCH_{name}={value}"]
    script = plan.HERE / "pair.sh"
    with subprocess.Popen([*cmd, script, script], stdout=subprocess.PIPE, text=True) as guests:
        for line in guests.stdout:
            words = line.split()
            if words[1:2] == ["result"]:
                print(f"bench: client {client}, server {server}: {' '.join(words[2:])} MiB/s",
                      file=sys.stderr, flush=True)
                got[words[2]] = float(words[3]) if len(words) > 3 else None
    return got, "guests failed" if guests.returncode else None


def measure(opts, out):
    """Run them; the results there are, and what went wrong or None."""
    found, wrong = {}, None
    for client, server in PAIRS:
        found[client, server], bad = one(opts, out, client, server)
        wrong = wrong or bad
    return Results(opts, found), wrong
