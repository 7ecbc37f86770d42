# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What is measured: one guest, the points in order, for each driver."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent


class Failed(Exception):
    """Something that is no figure went wrong; said in words."""


def build(out):
    """traffic and insns.so in `out`."""
    done = subprocess.run(["make", "-s", "-C", HERE, f"OUT={out}"], check=False,
                          stdout=sys.stderr)
    if done.returncode:
        raise Failed("the programs of tools/bench.d do not build")


def setup():
    """Install what is missing."""
    if subprocess.run([TOP / "tools/setup"], check=False, stdout=sys.stderr).returncode:
        raise Failed("tools/setup failed")


def build_module():
    """rdma_rxe.ko in the clone."""
    done = subprocess.run(["make", "-s", "--no-print-directory", f"-j{os.cpu_count()}",
                           "-C", TOP], check=False, stdout=sys.stderr)
    if done.returncode:
        raise Failed("rdma_rxe.ko does not build")


def run(points, drivers, out, timeout, plugin=False):
    """Measure. `points` are (name, wire|self, netem or -, arguments of traffic).

    Returns {(driver, name): [figures...]}, figures being the words of a line that
    traffic printed, and what went wrong, None if nothing. A point that printed
    nothing has an empty list.
    """
    build(out / "bin")
    plan = out / "plan"
    plan.write_text("".join("|".join(p) + "\n" for p in points))
    cmd = [TOP / "tools/vm/run", "--icount", "0", "--out", out / "vm", "--timeout", str(timeout),
           "--env", f"BENCH_DRIVERS={' '.join(drivers)}", "--env", f"BENCH_DIR={out / 'bin'}",
           "--env", f"BENCH_PLAN={plan}"]
    if plugin:
        cmd += ["--plugin", f"{out / 'bin' / 'insns.so'},out={out / 'insns'}"]
    figures = {(d, p[0]): [] for d in drivers for p in points}
    with subprocess.Popen([*cmd, HERE / "guest.sh"], stdout=subprocess.PIPE, text=True) as guest:
        for line in guest.stdout:
            kind, _, rest = line.strip().partition(" ")
            if kind not in ("result", "counters"):
                continue
            driver, name, words = rest.split("|")
            print(f"bench: {driver}, {name}: {words}", file=sys.stderr, flush=True)
            if kind == "result":
                figures[driver, name].append(dict(w.split("=", 1) for w in words.split()))
    return figures, f"the guest failed; logs in {out / 'vm'}" if guest.returncode else None
