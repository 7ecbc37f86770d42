# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What perftest prints about its queue pairs."""

import re
from dataclasses import dataclass

_LINE = re.compile(r"^\s*(local|remote) address: LID \S+ QPN (0x[0-9a-f]+) PSN (0x[0-9a-f]+)",
                   re.MULTILINE)


@dataclass(frozen=True)
class Ends:
    """QPNs and first PSNs of one printed connection; ours is the printer's."""

    qpn: int
    psn: int
    peer_qpn: int
    peer_psn: int


def ends(text):
    """An Ends per queue pair, in the order printed."""
    found = {"local": [], "remote": []}
    for side, qpn, psn in _LINE.findall(text):
        found[side].append((int(qpn, 16), int(psn, 16)))
    if not found["local"] or len(found["local"]) != len(found["remote"]):
        raise ValueError("no complete pair of addresses in perftest's output")
    return [Ends(*a, *b) for a, b in zip(found["local"], found["remote"])]
