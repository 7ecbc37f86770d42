#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Run rdma-core's tests of the verbs, a process per module.

pyverbs-run.py FOLDER DEVICE: what unittest says about FOLDER/test_NAME.py goes to
FOLDER/test_NAME.log. Each process is forked from one that has loaded them all, which
takes longer than most of them run.
"""

import importlib.machinery
import os
import pathlib
import signal
import sys
import unittest

LIMIT_S = 300 * int(os.environ.get("RXE_SLOW", "1"))


def run(tests, module, log):
    """In a child: run a module and exit."""
    for fd in (1, 2):
        os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), fd)
    signal.alarm(LIMIT_S)
    unittest.main(module=tests, argv=["tests", "--verbose", f"tests.{module}"])


def main():
    folder, device = pathlib.Path(sys.argv[1]), sys.argv[2]
    os.chdir(folder)
    sys.path.insert(0, ".")
    tests = importlib.machinery.SourceFileLoader("tests", "./__init__.py").load_module()
    sys.argv[1:] = ["--dev", device]
    tests.parser.parse_args()
    for path in sorted(folder.glob("test_*.py")):
        pathlib.Path("/dev/kmsg").write_text(f"rxe test: {path.stem}\n", encoding="ascii")
        pid = os.fork()
        if not pid:
            run(tests, path.stem, path.with_suffix(".log"))
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
