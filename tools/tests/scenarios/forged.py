#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Cases of forged.sh: forged.py DEVICE FAR-INTERFACE IPV4-GID-INDEX IPV6-GID-INDEX

Prints KTAP.
"""

import sys

sys.dont_write_bytecode = True

import forged_datagram  # noqa: E402
import forged_requester  # noqa: E402
import forged_responder  # noqa: E402
import rig  # noqa: E402
from forged_peer import Forge  # noqa: E402

if __name__ == "__main__":
    dev, iface, gid4, gid6 = sys.argv[1:]
    sys.exit(rig.run(
        forged_responder.CASES + forged_requester.CASES + forged_datagram.CASES,
        lambda: Forge(dev, iface, int(gid4), int(gid6))))
