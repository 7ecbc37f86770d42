# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Kernel instructions of a message, counted by the plugin insns.so."""

import bisect
from collections import Counter

import plan

FEW, MANY = 100, 400
# name, where, what traffic does, packets, and the most that ours may cost of stock
CASES = (
    ("WRITE 64 KiB, wire", "wire", "--op write --size 65536", 64, 1.0),
    ("READ 64 KiB, wire", "wire", "--op read --size 65536", 64, 1.0),
    ("SEND 16 B, wire", "wire", "--op send --size 16", 1, 0.7),
    ("SEND 16 B, lists of 16", "wire", "--op send --size 16 --list 16", 1, 0.7),
    ("WRITE 64 KiB, same device", "self", "--op write --size 65536", 64, 1.0),
)


class Symbols:
    """A guest's /proc/kallsyms."""

    def __init__(self, path):
        found = []
        for line in path.read_text().splitlines():
            words = line.split()
            if words[1] in "tTwW":
                module = words[3] if len(words) > 3 else ""
                found.append((int(words[0], 16), f"{words[2]} {module}".strip()))
        found.sort()
        self.at = [f[0] for f in found]
        self.names = [f[1] for f in found]

    def name(self, address):
        """The function that an address is in."""
        i = bisect.bisect_right(self.at, address) - 1
        return self.names[i] if i >= 0 else "?"


class Record:
    """What the plugin counted between two marks."""

    def __init__(self, totals):
        self.insns, self.rep, self.user = totals
        self.blocks = []  # (address, instructions, repeated ones)


def read(path):
    """The records of a plugin's file, in order."""
    records = []
    with open(path, encoding="ascii") as lines:
        for line in lines:
            words = line.split()
            if words[0] == "stop":
                records.append(Record([int(w, 16) for w in words[1:]]))
            elif words[0] != "end":
                address, runs, insns, rep = (int(w, 16) for w in words)
                records[-1].blocks.append((address, runs * insns, runs * rep))
    return records


class Case:
    """The cost of one message: what MANY messages took more than FEW did."""

    def __init__(self, few, many, symbols):
        self.insns = (many.insns - few.insns) / (MANY - FEW)
        self.rep = (many.rep - few.rep) / (MANY - FEW)
        self.symbols, self.rep_symbols = Counter(), Counter()
        for record, sign in ((many, 1), (few, -1)):
            for address, insns, rep in record.blocks:
                name = symbols.name(address)
                self.symbols[name] += sign * insns / (MANY - FEW)
                self.rep_symbols[name] += sign * rep / (MANY - FEW)


def measure(drivers, out, timeout):
    """{(driver, name): Case}"""
    # Completions and depth as in perftest.
    points = [(name, where, "-", f"{what} --every 100 --warm 128 --messages {FEW} "
               f"--second {MANY}") for name, where, what, *_ in CASES]
    figures, wrong = plan.run(points, drivers, out, timeout, plugin=True)
    if wrong:
        raise plan.Failed(wrong)
    records = read(out / "insns")
    cases = {}
    for driver in drivers:
        symbols = Symbols(out / "vm" / "shared" / f"kallsyms.{driver}")
        for name, *_ in CASES:
            runs = figures[driver, name]
            if [r["status"] for r in runs] != ["ok", "ok"]:
                raise plan.Failed(f"{driver}, {name}: no two good runs")
            cases[driver, name] = Case(records.pop(0), records.pop(0), symbols)
    return cases


def table(cases, drivers):
    """The lines of the table for people."""
    yield ("Kernel instructions, both ends together; iterations of repeated string instructions "
           "apart (rep)")
    yield f"{'':27}{'':9}" + "".join(f"{d:>10}{'rep':>9}" for d in drivers) + \
        (f"{'ours/stock':>12}" if len(drivers) == 2 else "")
    for name, _, _, packets, _ in CASES:
        for unit, count in (("message", 1), ("packet", packets)):
            if unit == "packet" and count == 1:
                continue
            row = [cases[d, name] for d in drivers]
            line = f"{name if unit == 'message' else '':27}{unit:9}"
            line += "".join(f"{c.insns / count:10.0f}{c.rep / count:9.0f}" for c in row)
            if len(drivers) == 2:
                line += f"{cases['ours', name].insns / cases['stock', name].insns:12.2f}"
            yield line


def reach(cases):
    """Whether ours costs as little as it is to."""
    for name, *_, most in CASES:
        ratio = cases["ours", name].insns / cases["stock", name].insns
        good = ratio < 1 if most == 1 else ratio <= most
        want = "below the kernel's own" if most == 1 else f"at most {most} of the kernel's own"
        yield f"{'yes' if good else 'no ':3}  {name}: {want} ({ratio:.2f})"


def profile(cases, drivers, top):
    """The functions that a message spends its instructions in."""
    for name, _, _, packets, _ in CASES:
        for driver in drivers:
            case = cases[driver, name]
            yield f"{driver}, {name}: {case.insns:.0f} instructions a message, {case.rep:.0f} rep"
            modules = Counter()
            for symbol, insns in case.symbols.items():
                modules[symbol.partition(" ")[2] or "the kernel"] += insns
            yield "  " + ", ".join(f"{m} {n / case.insns:.0%}" for m, n in modules.most_common(6))
            yield f"  {'a message':>10}{'a packet':>10}{'share':>7}{'rep':>9}  function"
            for symbol, insns in case.symbols.most_common(top):
                yield (f"  {insns:10.0f}{insns / packets:10.1f}{insns / case.insns:7.1%}"
                       f"{case.rep_symbols[symbol]:9.0f}  {symbol}")
            yield "  rep: " + ", ".join(f"{symbol} {rep:.0f}" for symbol, rep in
                                        case.rep_symbols.most_common(6))
            yield ""
