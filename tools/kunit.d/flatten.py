#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Turn the kernel's nested KTAP (stdin) into one line per case (stdout).

A case becomes `ok N - suite.case`.  What is missing is a failure of its own: a
case fewer than a suite announced, a suite without an end, no suite at all, or a
log that stops before the module is removed.  Exit status 1 on any failure.
"""

import re
import sys

RESULT = re.compile(r"^(?P<indent> *)(?P<verdict>ok|not ok) (?P<n>\d+)(?: - | )?(?P<name>.*)$")
PLAN = re.compile(r"^ {4}1\.\.(\d+)\s*$")
SUBTEST = re.compile(r"^ {4}# Subtest: (\S+)\s*$")
INNER = re.compile(r"^ {8}# Subtest: (\S+)\s*$")
MARK = re.compile(r"^kunit-(suite|empty): (\S+)$")


class Flat:
    """State of the translation; feed() takes lines, end() concludes."""

    def __init__(self, out):
        self.out, self.count, self.failed = out, 0, 0
        self.suite, self.planned, self.cases = None, None, 0
        self.ended, self.listed, self.complete = set(), [], False

    def emit(self, good, name):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}", file=self.out, flush=True)

    def note(self, text):
        print(f"# {text.strip()}", file=self.out, flush=True)

    def close_suite(self, name):
        """After a suite's own result line, or when it never came (None)."""
        if self.suite is None:
            return
        if self.cases != self.planned:
            self.emit(False, f"{self.suite}: {self.cases} of {self.planned} cases ran")
        elif name is None:
            self.emit(False, f"{self.suite}: the suite did not end")
        self.ended.add(self.suite)
        self.suite = None

    def result(self, m):
        indent, good = len(m["indent"]), m["verdict"] == "ok"
        if indent == 4 and self.suite:
            self.cases += 1
            self.emit(good, f"{self.suite}.{m['name']}")
        elif indent == 0 and self.suite:
            clean = self.cases and self.cases == self.planned
            if not good and clean and not self.failed:
                self.emit(False, f"{self.suite}: set-up or tear-down of the suite")
            self.close_suite(m["name"])
        elif not good:
            self.note(f"not ok: {m['name']}")

    def feed(self, line):
        line = line.rstrip()
        if m := SUBTEST.match(line):
            self.close_suite(None)
            self.suite, self.planned, self.cases = m[1], None, 0
        elif (m := PLAN.match(line)) and self.suite and self.planned is None:
            self.planned = int(m[1])
        elif m := RESULT.match(line):
            self.result(m)
        elif m := MARK.match(line):
            self.listed.append(m[2])
            if m[1] == "empty":
                self.emit(False, f"{m[2]}: no results in debugfs")
        elif line == "kunit-end":
            self.complete = True
        elif line.strip().startswith("#") and not INNER.match(line) \
                and not re.match(r"^ *# \S+: (pass|\S+ pass):", line) \
                and not line.strip().startswith("# Totals"):
            self.note(line.strip(" #"))

    def end(self):
        self.close_suite(None)
        for suite in sorted(set(self.listed) - self.ended):
            self.emit(False, f"{suite}: not seen in the kernel's log")
        if not self.ended:
            self.emit(False, "kunit: no suite ran")
        elif not self.complete:
            self.emit(False, "kunit: the guest ended before the suites did")


def main():
    print("KTAP version 1", flush=True)
    flat = Flat(sys.stdout)
    for line in sys.stdin:
        flat.feed(line)
    flat.end()
    status = sys.argv[1] if len(sys.argv) > 1 else None
    if status:
        # The file to which the rig's exit status is written after stdin ends.
        with open(status, encoding="ascii") as f:
            flat.emit(f.read().strip() == "0", "kunit: the guest's kernel log is clean")
    print(f"1..{flat.count}")
    return 1 if flat.failed else 0


if __name__ == "__main__":
    sys.exit(main())
