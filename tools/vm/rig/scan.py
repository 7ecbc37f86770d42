# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Find the lines of a kernel log by which a run has failed."""

import re

# Each alternative is a phrase of a report, none the banner of a checker that
# only says it is on.
_PROBLEM = re.compile("|".join((
    r"\bBUG: ", r"\bBUG [\w-]+ \(", r"kernel BUG at", r"\bOops\b", r"Kernel panic",
    r"WARNING: (?!Spectre)", r"general protection fault", r"double fault",
    r"[Uu]nable to handle", r"stack segment", r"invalid opcode:",
    r"KASAN: \w+-", r"UBSAN: ", r"KFENCE: \w+-", r"KCSAN: ",
    r"ODEBUG: ", r"refcount_t: ", r"list_(add|del) corruption",
    r"INFO: task .* blocked for more", r"INFO: possible", r"INFO: trying to register",
    r"INFO: rcu", r"rcu: INFO", r"detected stall", r"self-detected stall",
    r"DEBUG_LOCKS_WARN_ON", r"bad unlock balance", r"possible circular locking",
    r"inconsistent lock state", r"suspicious RCU usage", r"sleeping function called",
    r"scheduling while atomic", r"soft lockup", r"hard LOCKUP",
    r"kmemleak: \d+ new suspected", r"unreferenced object 0x",
    r"turning off the locking correctness validator",
    r"page allocation failure", r"Out of memory: ", r"nobody cared",
    r"waiting for .* to become free", r"rig: initramfs:",
)))


def problems(text, allow=()):
    """The offending lines of a log, without those an `allow` regex matches."""
    spared = [re.compile(a) for a in allow]
    found = []
    for line in text.splitlines():
        if _PROBLEM.search(line) and not any(a.search(line) for a in spared):
            found.append(line.strip())
    return found
