# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A small initramfs: busybox, the modules that reach the root, one script."""

import hashlib
import lzma
import os
import subprocess
from pathlib import Path

from .cache import cache_dir

MODULES = ("virtio_pci", "virtio_net", "9pnet_virtio", "9p", "overlay")
BUSYBOX = Path("/bin/busybox")
HERE = Path(__file__).resolve().parent


def _entry(name, mode, data=b"", rdev=(0, 0)):
    """One member of a cpio archive in the newc format."""
    fields = (0, mode, 0, 0, 1, 0, len(data), 0, 0, *rdev, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08x" % f for f in fields)
    head += name.encode() + b"\0"
    head += b"\0" * (-len(head) % 4)
    return head + data + b"\0" * (-len(data) % 4)


def _module_files(kernel):
    """The files of MODULES and what they need, in loading order."""
    if not kernel.installed:
        return []  # it boots with what is built in
    out = subprocess.run(
        ["/sbin/modprobe", "-S", kernel.release, "-a", "--show-depends", *MODULES],
        stdout=subprocess.PIPE, text=True, check=True).stdout
    files = []
    for line in out.splitlines():
        word = line.split()
        if word[0] == "insmod" and word[1] not in files:
            files.append(word[1])
    return [Path(f) for f in files]


def _module(path):
    """Name and bytes of a module; busybox's insmod takes no compressed ones."""
    data = path.read_bytes()
    if path.suffix == ".xz":
        return path.stem, lzma.decompress(data)
    return path.name, data


def _build(kernel, files, script):
    out = [_entry(d, 0o040755) for d in ("bin", "dev", "proc", "sys", "mod", "new")]
    out.append(_entry("dev/console", 0o020600, rdev=(5, 1)))
    out.append(_entry("bin/busybox", 0o100755, BUSYBOX.read_bytes()))
    for order, path in enumerate(files):
        name, data = _module(path)
        out.append(_entry(f"mod/{order:02d}-{name}", 0o100644, data))
    out.append(_entry("init", 0o100755, script))
    out.append(_entry("TRAILER!!!", 0))
    return b"".join(out)


def initramfs(kernel):
    """The path of the initramfs for this kernel, made when not cached."""
    files = _module_files(kernel)
    script = (HERE / "initramfs-init").read_bytes()
    key = hashlib.sha256(script + Path(__file__).read_bytes())
    for path in (BUSYBOX, *files):
        st = path.stat()
        key.update(f"{path} {st.st_size} {st.st_mtime_ns}\n".encode())
    path = cache_dir() / f"initramfs-{kernel.release}-{key.hexdigest()[:16]}.cpio"
    if not path.exists():
        part = path.with_suffix(f".{os.getpid()}")
        part.write_bytes(_build(kernel, files, script))
        part.rename(path)
    return path
