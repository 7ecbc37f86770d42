# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The frequency of the host's time stamp counter.

An emulated guest reads the host's counter, and finds its frequency out by a
loop that a busy host disturbs: its clock may then run many times too fast.
So the frequency is measured here, with care, and given to the guest.
"""

import ctypes
import mmap
import time

# rdtsc; shl rdx, 32; or rax, rdx; ret
_CODE = bytes.fromhex("0f31 48c1e220 4809d0 c3")


def _sample(read):
    """(nanoseconds, ticks) of one moment, the tightest of some tries."""
    best = None
    for _ in range(200):
        before = time.monotonic_ns()
        ticks = read()
        after = time.monotonic_ns()
        if best is None or after - before < best[0]:
            best = (after - before, (before + after) // 2, ticks)
    return best[1:]


def khz(seconds=0.25):
    """Ticks per millisecond, to about one in 10000."""
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(_CODE)
    at = ctypes.addressof(ctypes.c_char.from_buffer(page))
    read = ctypes.CFUNCTYPE(ctypes.c_uint64)(at)
    ns0, ticks0 = _sample(read)
    time.sleep(seconds)
    ns1, ticks1 = _sample(read)
    return round((ticks1 - ticks0) * 1_000_000 / (ns1 - ns0))
