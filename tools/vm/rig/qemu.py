# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""QEMU's command line for a guest, and the virtual Ethernet between guests."""

import fcntl
import os
import socket
import subprocess
import tempfile
from pathlib import Path

from . import tsc
from .cache import cache_dir

QEMU = "qemu-system-x86_64"
KVM_CREATE_VM = 0xAE01
KVM_CREATE_VCPU = 0xAE41


def _kvm_opens():
    """Whether a virtual machine with a CPU can be made through /dev/kvm."""
    fds = []
    try:
        fds.append(os.open("/dev/kvm", os.O_RDWR | os.O_CLOEXEC))
        fds.append(fcntl.ioctl(fds[0], KVM_CREATE_VM, 0))
        fds.append(fcntl.ioctl(fds[1], KVM_CREATE_VCPU, 0))
        return True
    except OSError:
        return False
    finally:
        for fd in reversed(fds):
            os.close(fd)


def _kvm_boots(kernel, initrd):
    """Whether a kernel under KVM reaches its first process."""
    with tempfile.NamedTemporaryFile() as log:
        cmd = [QEMU, "-nodefaults", "-no-user-config", "-machine", "q35", "-accel", "kvm",
               "-cpu", "max", "-m", "512", "-display", "none", "-no-reboot",
               "-serial", f"file:{log.name}", "-kernel", str(kernel.image),
               "-initrd", str(initrd), "-append", "console=ttyS0 panic=-1 rig.probe"]
        try:
            subprocess.run(cmd, timeout=20, check=False, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            pass
        return b"rig: probe" in log.read()


def kvm_usable(kernel, initrd):
    """Whether KVM works here; tried once per boot of this machine.

    A machine that is itself a guest may offer a /dev/kvm that does not work.
    """
    if not _kvm_opens():
        return False
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    note = cache_dir() / f"kvm-{boot}"
    if not note.exists():
        note.write_text("yes" if _kvm_boots(kernel, initrd) else "no")
    return note.read_text() == "yes"


class Wires:
    """One Ethernet segment: guest 0 holds a hub, each other guest one cable.

    A cable is a connected pair of stream sockets made here and inherited by
    the two QEMUs: no port or path to collide with another run, nothing lost
    to a full datagram buffer. With two guests the cable needs no hub.
    """

    def __init__(self, guests):
        self.pairs = [socket.socketpair() for _ in range(1, guests)]
        self.guests = guests

    def fds(self, guest):
        """The descriptors that this guest's QEMU inherits."""
        if guest == 0:
            return [a.fileno() for a, _ in self.pairs]
        return [self.pairs[guest - 1][1].fileno()]

    def args(self, guest):
        """-netdev options; the guest's own device connects to `net0`."""
        fds = self.fds(guest)
        if guest or len(fds) == 1:
            return ["-netdev", f"socket,id=net0,fd={fds[0]}"]
        out = ["-netdev", "hubport,id=net0,hubid=0"]
        if not fds:
            # A port without a peer takes whatever comes: a lone guest's packets are sent.
            out += ["-netdev", "hubport,id=sink,hubid=0"]
        for i, fd in enumerate(fds):
            out += ["-netdev", f"socket,id=cable{i},fd={fd}",
                    "-netdev", f"hubport,id=port{i},hubid=0,netdev=cable{i}"]
        return out

    def close(self):
        for pair in self.pairs:
            for end in pair:
                end.close()


def command(kernel, initrd, guest, wires, opts, out):
    """The command that boots one guest.

    opts: mem (MiB), smp, kvm, icount (shift or None), plugin, append, capture
    (path or None), root, init.
    out:  the folder of the run, seen as /rig in the guest.
    """
    accel, tsc_khz = ["-accel", "kvm"], None
    if opts.icount is not None:
        # The counter that the guest reads is the virtual clock, in nanoseconds.
        accel = ["-accel", "tcg,thread=single", "-icount", f"shift={opts.icount},sleep=off"]
        tsc_khz = 1_000_000
    elif not opts.kvm:
        accel, tsc_khz = ["-accel", "tcg,thread=multi"], tsc.khz()
    for plugin in opts.plugin:
        accel += ["-plugin", plugin]
    append = ["console=ttyS0", "loglevel=5", "oops=panic", "panic=-1", "nokaslr",
              "mitigations=off", "random.trust_cpu=on", "net.ifnames=0",
              "watchdog_thresh=60", "rcupdate.rcu_cpu_stall_timeout=180",
              f"rig.guest={guest}", f"rig.init={opts.init}", *opts.append]
    if kernel.modules and not kernel.installed:
        append.append(f"rig.modules={kernel.modules}")
    if tsc_khz:
        append += [f"tsc_early_khz={tsc_khz}", "tsc=reliable"]
    cmd = [QEMU, "-name", f"rxe-guest{guest}", "-nodefaults", "-no-user-config",
           "-machine", "q35", *accel, "-cpu", "max", "-smp", str(opts.smp),
           "-m", str(opts.mem), "-display", "none", "-no-reboot",
           "-serial", f"file:{out}/guest{guest}/console.log",
           "-kernel", str(kernel.image), "-initrd", str(initrd),
           "-append", " ".join(append),
           "-fsdev", f"local,id=root,path={opts.root},security_model=none,"
                     "readonly=on,multidevs=remap",
           "-device", "virtio-9p-pci,fsdev=root,mount_tag=root",
           "-fsdev", f"local,id=rig,path={out},security_model=none,multidevs=remap",
           "-device", "virtio-9p-pci,fsdev=rig,mount_tag=rig",
           *wires.args(guest),
           "-device", f"virtio-net-pci,netdev=net0,mac=52:54:00:95:00:{128 + 2 * guest:02x}"
                      ",romfile="]
    if opts.capture and guest == 0:
        cmd += ["-object", f"filter-dump,id=dump0,netdev=net0,file={opts.capture}"]
    return cmd
