#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""House rules that no ready-made tool knows. One of:

  headers   no header is included twice, every header has one guard, named after its path
  kdoc      every function that other files call has a kernel-doc comment
  size      functions fit a screen, files can be read in one sitting
  spdx      every source file carries the licence line
  paths     no file names a machine's own folders or a person
  objects   the object lists name every source file, each in its layer's list
  version   dkms.conf and version.h agree

Prints file:line: text for each violation and exits 1 if there is one.
"""
import argparse
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from layers import RXE, strip  # noqa: E402 pylint: disable=wrong-import-position

LICENCE = "SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB"
MAX_FUNCTION = 80
MAX_FILE = 700

C_ROOTS = ("drivers", "include", "kunit", "tools")
# Written by builds, or texts of others
SKIP = re.compile(r"(^|/)(features\.h|[^/]*\.mod\.c|__pycache__|demo-out|\.git|\.sources)(/|$)"
                  r"|\.(o|ko|mod|cmd|probe|log|symvers|pyc|pcap)$|(^|/)modules\.order$|^\.build\.lock$")


def files(top):
    """Project files, tracked or about to be, relative to `top`."""
    git = subprocess.run(["git", "-C", top, "ls-files", "-co", "--exclude-standard"],
                         capture_output=True, text=True, check=False)
    if git.returncode == 0 and (top / ".git").exists():
        names = git.stdout.splitlines()
    else:
        names = [p.relative_to(top).as_posix() for p in top.rglob("*") if p.is_file()]
    return sorted(Path(n) for n in set(names) if not SKIP.search(n) and (top / n).is_file())


def c_files(top, suffixes=(".c", ".h")):
    return [p for p in files(top) if p.suffix in suffixes and p.parts[0] in C_ROOTS]


def guard_of(path):
    p = path.as_posix()
    for root, prefix in ((RXE + "/", "RXE_"), ("include/", "RXE_"), ("kunit/", "RXE_KUNIT_")):
        if p.startswith(root):
            return prefix + re.sub(r"\W", "_", p[len(root):]).upper()
    return "RXE_" + re.sub(r"\W", "_", p).upper()


def check_headers(top):
    guards = defaultdict(list)
    for path in c_files(top):
        text = (top / path).read_text()
        seen = {}
        for number, line in enumerate(text.splitlines(), 1):
            m = re.match(r"\s*#\s*include\s*[\"<]([^\">]+)[\">]", line)
            if m and m.group(1) in seen:
                yield path, number, f"{m.group(1)} is included in line {seen[m.group(1)]} already"
            elif m:
                seen[m.group(1)] = number
        if path.suffix != ".h":
            continue
        m = re.search(r"^#\s*(?:ifndef\s+(\w+)|if\s+!defined\((\w+)\).*)\n#\s*define\s+(\w+)\s*$",
                      text, re.M)
        if not m or (m.group(1) or m.group(2)) != m.group(3):
            yield path, 1, "has no include guard"
            continue
        guards[m.group(3)].append(path)
        if path.parts[0] != "tools" and m.group(3) != guard_of(path):
            yield path, text.count("\n", 0, m.start()) + 1, \
                f"guard {m.group(3)} should be {guard_of(path)}"
    for guard, paths in guards.items():
        for path in paths[1:]:
            yield path, 1, f"shares the guard {guard} with {paths[0]}"


def functions(text):
    """(name, is_static, first line, last line) of every function defined."""
    code = strip(text)
    # Preprocessor lines, with their continuations, are no code of a function
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group(0)),
                  code, flags=re.M)
    for m in re.finditer(r"^(?![\s{}#])([^;{}=]*?\b(\w+)\s*\((?:[^;{}]*)\)[^;{}()]*)\n\{", code, re.M):
        end = code.find("\n}", m.end())
        if end < 0:
            continue
        yield (m.group(2), bool(re.search(r"\bstatic\b", m.group(1))),
               code.count("\n", 0, m.start()) + 1, code.count("\n", 0, end) + 2)


def check_kdoc(top):
    documented = set()
    for path in c_files(top):
        if path.as_posix().startswith(RXE):
            documented |= set(re.findall(r"/\*\*\n \* (\w+)(?:\(\))? - ", (top / path).read_text()))
    for path in c_files(top, (".c",)):
        if not path.as_posix().startswith(RXE):
            continue
        for name, static, line, _ in functions((top / path).read_text()):
            if static or not name.islower() or name in ("init_module", "cleanup_module"):
                continue
            if name not in documented:
                yield path, line, f"{name}() has no kernel-doc comment"
            if not name.startswith("rxe_"):
                yield path, line, f"{name}() is seen by other files and has no rxe_ prefix"


def check_size(top):
    for path in c_files(top):
        if not path.as_posix().startswith((RXE, "include", "kunit")):
            continue
        text = (top / path).read_text()
        lines = text.count("\n")
        if lines > MAX_FILE:
            yield path, 1, f"{lines} lines; more than {MAX_FILE} is more than one subject"
        for name, _, first, last in functions(text):
            if last - first + 1 > MAX_FUNCTION:
                yield path, first, f"{name}() has {last - first + 1} lines; {MAX_FUNCTION} fit a screen"


def check_spdx(top):
    for path in files(top):
        if path.parts[0] == "LICENSES" or path.name in ("COPYING", ".clang-format"):
            continue
        # The debug kernel is cached under a hash of its configuration
        if path.suffix in (".json", ".pcap", ".bin", ".png", ".config"):
            continue
        try:
            head = "\n".join((top / path).read_text().splitlines()[:3])
        except UnicodeDecodeError:
            continue
        if LICENCE not in head:
            yield path, 1, f'no line "{LICENCE}" among the first three'


def check_paths(top):
    # Put together here so that this file is no violation itself
    folders = re.compile(r"(?<![\w.$}~-])/(?:" + "|".join(("wo" + "rk", "ro" + "ot", "ho" + r"me/\w+",
                         "tmp/ba" + "sh_jobs")) + r")/")
    authors = re.compile(r"MODULE_" + r"AUTHOR|\bSigned-" + r"off-by|[\w.]+@[\w-]+\.(?:com|org|net|de)\b")
    for path in files(top):
        if path.parts[0] in ("LICENSES",) or path.name == ".clang-format":
            continue
        try:
            lines = (top / path).read_text().splitlines()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(lines, 1):
            m = folders.search(line)
            if m:
                yield path, number, f"names {m.group(0)}, a folder of one machine"
            m = authors.search(line)
            if m:
                yield path, number, f"names a person: {m.group(0)}"


def make_list(text, name):
    m = re.search(rf"^{name} :=((?:.*\\\n)*.*)$", text, re.M)
    return m.group(1).replace("\\\n", " ").split() if m else None


def check_objects(top):
    listing = Path(RXE) / "objs.mk"
    text = (top / listing).read_text()
    present = defaultdict(set)
    for path in c_files(top, (".c",)):
        p = path.as_posix()
        if p.startswith(RXE + "/"):
            rel = p[len(RXE) + 1:]
            present[rel.split("/")[0] if "/" in rel else "top"].add(rel[:-2] + ".o")
    layers = ("wire", "proto", "obj", "dp", "net", "verbs", "top")
    for layer in sorted(set(present) - set(layers)):
        yield listing, 1, f"folder {layer}/ belongs to no list"
    for layer in layers:
        listed = set(make_list(text, f"rxe-{layer}") or ())
        for obj in sorted(present[layer] - listed):
            yield listing, 1, f"rxe-{layer} lacks {obj}"
        for obj in sorted(listed - present[layer]):
            yield listing, 1, f"rxe-{layer} lists {obj}, which has no source there"
    text = (top / "kunit/objs.mk").read_text()
    sources = [p for p in c_files(top, (".c",)) if p.parts[0] == "kunit"]
    for name, folder in ("rxe-kunit", "kunit"), ("rxe-kverbs", "kunit/kverbs"):
        listed = set(make_list(text, name) or ())
        present = {p.as_posix()[6:-2] + ".o" for p in sources if p.parent.as_posix() == folder}
        for obj in sorted(present - listed):
            yield Path("kunit/objs.mk"), 1, f"{name} lacks {obj}"
        for obj in sorted(listed - present):
            yield Path("kunit/objs.mk"), 1, f"{name} lists {obj}, which has no source there"


def check_version(top):
    conf = re.search(r'^PACKAGE_VERSION="(.*)"', (top / "dkms.conf").read_text(), re.M)
    path = Path(RXE) / "version.h"
    if not (top / path).is_file():
        yield path, 1, "is missing"
        return
    define = re.search(r'#define RXE_VERSION\s+"(.*)"', (top / path).read_text())
    if not conf or not define or conf.group(1) != define.group(1):
        yield path, 1, "RXE_VERSION and PACKAGE_VERSION of dkms.conf differ"


CHECKS = {name[6:]: func for name, func in list(globals().items()) if name.startswith("check_")}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=[*CHECKS, "list-c", "list-sh", "list-py"])
    parser.add_argument("top", nargs="?", default=Path(__file__).resolve().parents[2], type=Path,
                        help="top of the sources")
    args = parser.parse_args()
    top = args.top.resolve()
    if args.check == "list-c":
        print("\n".join(p.as_posix() for p in c_files(top)))
        return 0
    if args.check in ("list-sh", "list-py"):
        word = {"list-sh": r"#!.*\b(?:ba|da)?sh\b", "list-py": r"#!.*\bpython3?\b"}[args.check]
        for path in files(top):
            if path.suffix == "." + args.check[5:]:
                print(path)
                continue
            with open(top / path, "rb") as f:
                if re.match(word.encode(), f.readline()):
                    print(path)
        return 0
    found = list(CHECKS[args.check](top))
    for path, line, text in found:
        print(f"{path}:{line}: {text}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
