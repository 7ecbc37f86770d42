# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Where the rig keeps what it makes, outside the clone."""

import os
from pathlib import Path


def cache_dir():
    """The project's cache folder, made if absent."""
    path = os.environ.get("RXE_CACHE")
    if not path:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        path = os.path.join(base, "rdma_rxe")
    os.makedirs(path, exist_ok=True)
    return Path(path)
