# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Goodput by message size over a slow link with a short queue, in the guest's own time."""

import plan

SIZES = [1 << k for k in range(1, 24)]
MTUS = (1024, 4096)
NETEM = "rate 1gbit limit 50"
LEAST = 0.9  # of the best of all smaller sizes


def messages(size):
    """So many that the link is busy for a while, and few of the large ones."""
    return max(8, min(2000, (32 << 20) // size))


def points(opts):
    """(name, wire, netem, arguments) of each."""
    return [(f"{op} {mtu} {size}", "wire", NETEM,
             f"--op {op} --size {size} --mtu {mtu} --timeout 14 --retry 7 --warm 4 "
             f"--messages {messages(size)} --limit-ms 20000")
            for op in opts.ops for mtu in MTUS for size in SIZES]


class Results:
    """Rates by driver, operation, MTU and size."""

    def __init__(self, figures, opts):
        self.opts, self.rates = opts, {}
        for (driver, name), f in figures.items():
            op, mtu, size = name.split()
            if f and f[0]["status"] == "ok":
                mb = int(f[0]["messages"]) * int(size) / 1e6
                self.rates[driver, op, int(mtu), int(size)] = mb / (int(f[0]["ns"]) / 1e9)

    def columns(self):
        """Driver, operation and MTU of each column."""
        return [(d, op, mtu) for op in self.opts.ops for mtu in MTUS for d in self.opts.drivers]

    def table(self):
        """The lines of the table for people."""
        yield "Goodput in MB/s of the guest's time over netem: " + NETEM
        yield f"{'bytes':>10}" + "".join(f"{f'{d} {op} {mtu}':>18}" for d, op, mtu in self.columns())
        for size in SIZES:
            line = f"{size:10}"
            for column in self.columns():
                value = self.rates.get((*column, size))
                line += f"{value:18.2f}" if value is not None else f"{'failed':>18}"
            yield line

    def reach(self):
        """Whether larger messages are never slower than smaller ones, with ours."""
        for driver, op, mtu in self.columns():
            if driver != "ours":
                continue
            best, bad = 0.0, []
            for size in SIZES:
                value = self.rates.get((driver, op, mtu, size))
                if value is None or value < LEAST * best:
                    bad.append(str(size))
                best = max(best, value or 0.0)
            said = f"not at {', '.join(bad)} bytes" if bad else f"{best:.1f} MB/s at most"
            yield (f"{'no ' if bad else 'yes'}  {op}, MTU {mtu}: no size fails or is slower than a "
                   f"smaller one by more than 10 % ({said})")


def measure(opts, out):
    """Run all points; the results there are, and what went wrong or None."""
    figures, wrong = plan.run(points(opts), opts.drivers, out, opts.host_timeout)
    return Results(figures, opts), wrong
