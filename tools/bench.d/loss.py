# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Goodput over a link that loses, reorders or delays, in the guest's own time."""

import plan

DELAY = "50us"  # which a packet that is early does not take


def points(opts):
    """(name, wire, netem, arguments) of each, and the names by operation."""
    args = (f"--size {opts.size} --mtu 1024 --timeout 14 --retry 7 --warm 8 "
            f"--messages {opts.messages} --limit-ms {opts.limit * 1000}")
    found = []
    for op in opts.ops:
        for loss in opts.loss:
            netem = f"loss {loss:g}%" if loss else "loss 0%"
            found.append((f"{op} loss {loss:g}", "wire", netem, f"--op {op} {args}"))
        for early in opts.reorder:
            netem = f"delay {DELAY} reorder {early:g}%" if early else f"delay {DELAY}"
            found.append((f"{op} reorder {early:g}", "wire", netem, f"--op {op} {args}"))
        for delay in opts.delay:
            found.append((f"{op} delay {delay:g}", "wire", f"delay {delay:g}ms", f"--op {op} {args}"))
    return found


def rate(figures):
    """MB/s, and what else is to be said; None where nothing was measured."""
    if not figures:
        return None, "nothing printed"
    f = figures[0]
    mb = int(f["messages"]) * int(f["size"]) / 1e6
    note = "" if f["status"] == "ok" else f"{f['status']} after {f['messages']} messages"
    return mb / (int(f["ns"]) / 1e9), note


class Results:
    """Rates by driver, operation, kind (loss, reorder, delay) and percentage or ms."""

    def __init__(self, figures, opts):
        self.opts, self.rates, self.notes = opts, {}, {}
        for (driver, name), f in figures.items():
            op, kind, percent = name.split()
            key = driver, op, kind, float(percent)
            self.rates[key], self.notes[key] = rate(f)

    def get(self, *key):
        return self.rates.get(key)

    def ratio(self, op, kind, percent):
        """Ours to the kernel's own."""
        ours, stock = (self.get(d, op, kind, percent) for d in ("ours", "stock"))
        return ours / stock if ours is not None and stock else None

    def kept(self, op, kind, percent):
        """Ours to ours on a good link of this kind."""
        ours, good = self.get("ours", op, kind, percent), self.get("ours", op, kind, 0.0)
        return ours / good if ours is not None and good else None

    def _row(self, op, kind, percent):
        line = f"{op:8}{kind:8}{percent:5g} {'ms' if kind == 'delay' else '% '}"
        notes = []
        for driver in self.opts.drivers:
            value, note = (x.get((driver, op, kind, percent)) for x in (self.rates, self.notes))
            line += f"{value:10.2f}" if value is not None else f"{'-':>10}"
            if note:
                notes.append(f"{driver}: {note}")
        for value, form in ((self.ratio(op, kind, percent), "{:.2f}"),
                            (self.kept(op, kind, percent), "{:.0%}")):
            line += f"{form.format(value) if value is not None else '-':>12}"
        return line + ("   " + "; ".join(notes) if notes else "")

    def table(self):
        """The lines of the table for people."""
        yield (f"Goodput in MB/s of the guest's time, {self.opts.messages} messages of "
               f"{self.opts.size} bytes, MTU 1024")
        yield f"{'':23}" + "".join(f"{d:>10}" for d in self.opts.drivers) + \
            f"{'ours/stock':>12}{'of ours@0':>12}"
        for op in self.opts.ops:
            for kind, percents in (("loss", self.opts.loss), ("reorder", self.opts.reorder),
                                   ("delay", self.opts.delay)):
                for percent in percents:
                    yield self._row(op, kind, percent)

    def reach(self):
        """Whether ours is as good as it is to be, where that was measured.

        Where the kernel's own loses little there is no being many times as
        good: what ours without loss would be is said, too.
        """
        wants = (
            (self.ratio, "loss", 0.0, 1, "not slower than the kernel's own without loss"),
            (self.ratio, "loss", 1.0, 10, "10 times the kernel's own at 1 % loss"),
            (self.kept, "loss", 1.0, 0.6, "60 % of ours without loss at 1 %"),
            (self.ratio, "loss", 5.0, 50, "50 times the kernel's own at 5 % loss"),
            (self.kept, "reorder", 1.0, 0.8, "80 % of no reordering at 1 %"),
            (self.kept, "reorder", 5.0, 0.8, "80 % of no reordering at 5 %"),
        )
        for op in self.opts.ops:
            for what, kind, percent, least, text in wants:
                value = what(op, kind, percent)
                if value is None:
                    continue
                said = f"{value:.2f}"
                kept = self.kept(op, kind, percent)
                if what == self.ratio and percent and kept:
                    said += f"; with all its speed {value / kept:.1f}"
                yield f"{'yes' if value >= least else 'no ':3}  {op}: {text} ({said})"


def measure(opts, out):
    """Run all points; the results there are, and what went wrong or None."""
    figures, wrong = plan.run(points(opts), opts.drivers, out, opts.host_timeout)
    return Results(figures, opts), wrong
