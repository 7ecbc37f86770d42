# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Emulated guests of all runs on this machine, few more at a time than CPUs.

An emulated guest keeps a CPU busy, and one that is starved loses packets to
timeouts that no real machine would see. So runs take turns.
"""

import fcntl
import os
import time

from .cache import cache_dir


class Slots:
    """Locks held for the life of a run; the kernel drops them with the process."""

    def __init__(self):
        self.files = []

    def _try(self, folder, total, need):
        """Lock `need` of the slots, or none."""
        got = []
        for i in range(total):
            f = open(folder / f"slot{i}", "w", encoding="ascii")
            try:
                fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
                got.append(f)
            except BlockingIOError:
                f.close()
            if len(got) == need:
                self.files += got
                return True
        for f in got:
            f.close()
        return False

    def take(self, guests, alone, waiting):
        """Wait for as many slots as guests, or for all when the run must be
        alone; calls waiting() once if it has to.

        Whoever waits holds the gate, so that a run with many guests is not
        overtaken for ever by runs with one.
        """
        total = (os.cpu_count() or 1) * 3 // 2
        need = total if alone else min(guests, total)
        folder = cache_dir() / "slots"
        folder.mkdir(exist_ok=True)
        with open(folder / "gate", "w", encoding="ascii") as gate:
            told = False
            while True:
                try:
                    fcntl.flock(gate, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if not told:
                        waiting()
                    told = True
                    time.sleep(0.5)
            while not self._try(folder, total, need):
                if not told:
                    waiting()
                told = True
                time.sleep(0.5)

    def release(self):
        """Let others go on."""
        for f in self.files:
            f.close()
        self.files = []
