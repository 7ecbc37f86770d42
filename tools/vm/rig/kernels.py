# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Which kernel a guest boots, and where its modules are."""

import re
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path


INSTALLED = Path("/lib/modules")


class KernelError(Exception):
    """No such kernel, said in one sentence."""


@dataclass(frozen=True)
class Kernel:
    """One bootable kernel.

    release: as uname -r prints it in the guest.
    image:   the bzImage.
    modules: the folder of its modules, or None when all is built in.
    """

    release: str
    image: Path
    modules: Path | None

    @property
    def installed(self):
        """Whether the machine's own modprobe finds its modules."""
        return self.modules is not None and self.modules.parent == INSTALLED


def release_of(image):
    """The release string of a bzImage, from its setup header (boot protocol)."""
    with open(image, "rb") as f:
        head = f.read(64 * 1024)
    if len(head) < 0x210 or head[0x202:0x206] != b"HdrS":
        raise KernelError(f"{image} is not a bzImage")
    at = struct.unpack_from("<H", head, 0x20E)[0] + 0x200
    return head[at:head.index(b"\0", at)].split()[0].decode()


def _from_image(image, modules=INSTALLED):
    release = release_of(image)
    return Kernel(release, image, modules / release if (modules / release).is_dir() else None)


def _version_key(path):
    return [int(n) for n in re.findall(r"\d+", path.name)]


def _debian(line):
    images = sorted(Path("/boot").glob(f"vmlinuz-{line}.*-amd64"), key=_version_key)
    for image in reversed(images):
        if (INSTALLED / image.name[len("vmlinuz-"):] / "build").exists():
            return _from_image(image)
    raise KernelError(f"no Debian {line} kernel with its headers in /boot; run tools/setup"
                      + ("" if line == "6.1" else " --full"))


def _debug():
    script = Path(__file__).resolve().parent.parent / "build-kernel"
    out = subprocess.run([script], stdout=subprocess.PIPE, text=True, check=False)
    if out.returncode:
        raise KernelError("the debug kernel did not build")
    return find(out.stdout.strip())


def find(name):
    """The kernel called `debian`, `6.12` or `debug`, or the one at a path.

    A path is a bzImage, a kernel build folder, or a folder that
    tools/vm/build-kernel printed.
    """
    if name in ("debian", "6.12"):
        return _debian("6.1" if name == "debian" else name)
    if name == "debug":
        return _debug()
    path = Path(name).resolve()
    if path.is_file():
        return _from_image(path)
    for tree in (path / "build", path):
        image = tree / "arch/x86/boot/bzImage"
        if image.is_file():
            return _from_image(image, path / "lib/modules")
    raise KernelError(f"no kernel at {name}")
