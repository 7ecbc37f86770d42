#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""strays.py ADDRESS: send datagrams from and to ADDRESS, an own one, until killed.

They name the multicast QP number, which needs no QP that anybody made, and are right in
all else.
"""
import os
import socket
import struct
import sys

sys.path.insert(0, os.path.join(os.environ["RXE_TOP"], "tools/tests/capture"))
import forge

UD_SEND_ONLY, MULTICAST_QPN = 0x64, 0xFFFFFF

address = sys.argv[1]
raw = socket.inet_aton(address)
body = forge.bth(UD_SEND_ONLY, 0, MULTICAST_QPN) + struct.pack(">II", 1, 17) + bytes(64)
packet = forge.frame(body, src=raw, dst=raw, ident=1)[14:]
sock = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
while True:
    sock.sendto(packet, (address, 0))
