#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Hold the sources to the layering rule of Documentation/architecture.rst.

A layer includes only what INCLUDES lists for it, and a file holds nothing that
a row of BANS forbids there. Both are tables; a change to one is a design
decision. Prints file:line: rule: text for each violation and exits 1 if there
is one.
"""
import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

RXE = "drivers/infiniband/sw/rxe"

# Headers of the kernel that need no device, no lock and no memory
PURE = (
    "linux/types.h linux/bits.h linux/bitfield.h linux/bitmap.h linux/bitops.h linux/build_bug.h "
    "linux/byteorder/generic.h asm/byteorder.h linux/compiler.h linux/container_of.h "
    "linux/errno.h linux/hash.h linux/kernel.h linux/limits.h linux/log2.h linux/math.h "
    "linux/math64.h linux/minmax.h linux/overflow.h linux/stddef.h linux/string.h "
    "linux/time64.h linux/array_size.h"
).split()

# What the top layer offers to those below it
SHARED = ["trace.h", "version.h"]

# layer -> patterns of what it may include. Local headers by their path below
# RXE, others as written. "*" stands for any characters.
INCLUDES = {
    "wire": ["wire/*", "compat/unaligned.h", "linux/crc32.h", *PURE],
    "proto": ["wire/*", "proto/*", *PURE],
    "obj": ["wire/*", "proto/*", "obj/*", *SHARED, "linux/*", "asm/*", "rdma/*",
            "uapi/rdma/*", "crypto/*", "compat/alloc.h", "compat/rdma.h",
            "compat/odp.h", "compat/timer.h", "compat/unaligned.h"],
    # dst_cache: dp keeps the route of a QP for net, which alone looks into it
    "dp": ["wire/*", "proto/*", "obj/*", "dp/*", *SHARED, "linux/*", "asm/*",
           "<net/dst_cache.h", "<net/inet_ecn.h", "compat/alloc.h", "compat/timer.h", "compat/unaligned.h"],
    # dp is entered at rx.h alone; net_ops.h is what net implements
    "net": ["wire/*", "net/*", "dp/rx.h", "dp/net_ops.h", "obj/dev.h", "obj/av.h",
            "obj/counters.h", *SHARED, "linux/*", "asm/*", "<net/*",
            "compat/alloc.h", "compat/net.h", "compat/unaligned.h"],
    "verbs": ["wire/*", "proto/*", "obj/*", "verbs/*", "dp/sched.h", "dp/mcast.h", *SHARED,
              "linux/*", "asm/*", "rdma/*", "uapi/rdma/*", "compat/alloc.h",
              "compat/rdma.h"],
    "top": ["*"],
    "compat": ["linux/*", "asm/*", "rdma/*", "<net/*", "trace/*", "compat/*"],
    # crc.h: computes and nothing else, so it is linked into the KUnit module
    "kunit": ["kunit/*", "wire/*", "proto/*", "obj/*", "dp/crc.h", "compat/*", "linux/*",
              "asm/*", "rdma/*", "uapi/rdma/*"],
}


@dataclass
class Ban:
    """One row: `pattern` is forbidden in `layers`, but for the files `but`."""
    name: str
    layers: str
    pattern: str
    why: str
    but: tuple = ()


ALL = " ".join(INCLUDES)

BANS = [
    Ban("version-if", ALL, r"\b(LINUX_VERSION_CODE|KERNEL_VERSION)\b",
        "kernels are told apart by compile probes, never by version"),
    Ban("have-if", "wire proto obj dp net verbs top kunit", r"\bHAVE_[A-Z0-9_]+\b",
        "differences between kernels stay in include/compat and ops.c", ("ops.c",)),
    Ban("skb", "wire proto obj verbs top kunit", r"\bsk_buff\b|\bskb_\w+\(",
        "packets as skbs exist in dp and net only; netlink attributes are no packets",
        ("restrack.c", "restrack.h", "ops.c")),
    Ban("ib-struct", "wire proto dp net", r"\bstruct\s+ib_\w+|\bib_[a-z]\w*\(",
        "objects of the RDMA core belong to obj, verbs and the top"),
    Ban("user-pointer", "wire proto obj dp net top kunit",
        r"\b__user\b|\bcopy_(to|from)_user\b|\b(get|put|clear)_user\b|\bib_copy_\w*udata\w*|"
        r"\bib_respond_udata\b",
        "user memory is touched by verbs only"),
    Ban("udata", "wire proto obj dp net kunit", r"\bib_udata\b|\buverbs_attr_bundle\b",
        "udata belongs to verbs; ops.c hands it on"),
    Ban("current", "wire proto obj dp net top kunit", r"(?<![\w.>])current\b",
        "only verbs run on behalf of a task; a prefetch may be waited for, which a signal ends",
        ("odp.c",)),
    Ban("pure-lock", "wire proto",
        r"\b(raw_)?(spin|read|write)_(un)?lock\w*\b|\bmutex_\w+|\bspinlock_t\b|\brcu_\w+\(|"
        r"\bstruct\s+mutex\b|\blockdep_\w+",
        "pure code holds no locks"),
    Ban("pure-print", "wire proto",
        r"\bprintk\w*\b|\bpr_(emerg|alert|crit|err|warn|notice|info|debug)\w*\b|\bdev_(err|warn|info|dbg)\b|"
        r"\btrace_\w+\(",
        "pure code prints and traces nothing"),
    Ban("pure-alloc", "wire proto",
        r"\bk[vmzc]*alloc\w*\(|\bk[v]?free\w*\(|\bvmalloc\w*\(|\balloc_page\w*\(",
        "pure code allocates nothing"),
    Ban("pure-clock", "wire proto",
        r"\bktime_get\w*\b|\bjiffies\b|\bget_random_\w+|\bprandom_\w+|\blocal_clock\b|\bget_cycles\b",
        "pure code is told the time and draws no lots"),
    Ban("pure-module", "wire proto",
        r"\bEXPORT_SYMBOL\w*|\bmodule_param\w*|\bMODULE_[A-Z]+\(|\bTHIS_MODULE\b|\bKBUILD_MODNAME\b",
        "pure objects are linked into two modules"),
    Ban("bug-on", ALL, r"\bBUG(_ON)?\(", "a fault of ours warns once, it never stops the machine"),
    Ban("export", "obj dp net verbs top", r"\bEXPORT_SYMBOL\w*", "the module exports nothing"),
]


def strip(text):
    """Blank out comments and string contents, keeping line numbers."""
    def blank(m):
        s = m.group(0)
        if s[0] == '"':
            return '""'
        return re.sub(r"[^\n]", " ", s)
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def layer_of(path):
    """Layer of a path relative to the top of the clone, or None."""
    p = path.as_posix()
    if p.startswith("include/compat/"):
        return None if "/probe/" in p else "compat"
    if p.startswith("kunit/"):
        return "kunit"
    if not p.startswith(RXE + "/"):
        return None
    rest = p[len(RXE) + 1:].split("/")
    return rest[0] if len(rest) > 1 else "top"


def resolve(top, path, name, quoted):
    """The include as INCLUDES spells it."""
    if quoted:
        for base in (path.parent, Path(RXE), Path("include")):
            target = top / base / name
            if not target.is_file():
                continue
            rel = target.resolve().relative_to(top.resolve()).as_posix()
            for root in (RXE + "/", "include/"):
                if rel.startswith(root):
                    return rel[len(root):]
            return rel
        return name
    return "<" + name if name.startswith("net/") else name


def allowed(layer, name):
    for pattern in INCLUDES[layer]:
        if re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), name):
            return True
    return False


def check_file(top, path):
    layer = layer_of(path)
    if layer is None:
        return
    if layer not in INCLUDES:
        yield path, 1, "unknown-layer", f"folder {layer}/ is not in the table of layers"
        return
    text = (top / path).read_text()
    for number, line in enumerate(text.splitlines(), 1):
        m = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
        if not m:
            continue
        name = resolve(top, path, m.group(2), m.group(1) == '"')
        if Path(name).name == "features.h":
            # Generated, so it may not be there yet
            if layer != "compat" and path.name != "ops.c":
                yield path, number, "have-if", "features.h is for include/compat and ops.c"
        elif not allowed(layer, name):
            yield path, number, "include", f"{layer} may not include {name.lstrip('<')}"
    code = strip(text)
    for ban in BANS:
        if layer not in ban.layers.split() or path.name in ban.but:
            continue
        for m in re.finditer(ban.pattern, code):
            yield path, code.count("\n", 0, m.start()) + 1, ban.name, f"{m.group(0)}: {ban.why}"


def check_tree(top):
    """All violations below `top` as (path, line, rule, text)."""
    found = []
    for root in (RXE, "include/compat", "kunit"):
        for path in sorted((top / root).rglob("*.[ch]")):
            if path.name == "features.h" or path.name.endswith(".mod.c"):
                continue
            found += check_file(top, path.relative_to(top))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("top", nargs="?", default=Path(__file__).resolve().parents[2], type=Path,
                        help="top of the sources")
    found = check_tree(parser.parse_args().top)
    for path, line, rule, text in found:
        print(f"{path}:{line}: {rule}: {text}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
