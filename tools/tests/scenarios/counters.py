#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Count the RoCEv2 packets that an interface sends and receives.

counters.py INTERFACE: prints `ready`, counts until its input ends, then prints a
line `name value` for each of the driver's counters that the wire can tell.
Packets are seen before a fault on their way in, and after one on their way out.
"""

import select
import socket
import struct
import sys

ETH_P_ALL = 3
PACKET_OUTGOING = 4
PACKET_STATISTICS = 6
SOL_PACKET = 263
SO_RCVBUFFORCE = 33
UDP, PORT = 17, 4791
SEND_ENDS = {0x02, 0x03, 0x04, 0x05, 0x16, 0x17}  # Last and Only, of any class
ACK = 0x11
# Requests of reliable connections: those that ask for an ACK, the others
SENDS_AND_WRITES = {*range(0x0c), 0x16, 0x17}
READ = 0x0c
REQUESTS = SENDS_AND_WRITES | {READ, 0x13, 0x14, 0x1c, 0x1d}
MTU = 1024  # of RoCE, on an interface with 1500
PSNS = 1 << 24


def behind(psn, other):
    """Is it before the other, or the same?"""
    return (other - psn) % PSNS < PSNS // 2


class Responder:
    """What a QP makes of requests: the expected PSN, and those kept beyond it."""

    def __init__(self, psn):
        self.epsn = psn
        self.held = {}

    def request(self, psn, psns, ack_req):
        """Return: is it a duplicate, ACKs that are due now."""
        if behind(psn, (self.epsn - 1) % PSNS):
            return True, ack_req
        self.held.setdefault(psn, (psns, ack_req))
        due = 0
        while self.epsn in self.held:
            psns, ack_req = self.held.pop(self.epsn)
            self.epsn = (self.epsn + psns) % PSNS
            due += ack_req
        return False, due


class Count:
    """What the driver should have counted."""

    def __init__(self):
        self.n = dict.fromkeys(
            ("sent_pkts", "sent_bytes", "rcvd_pkts", "rcvd_bytes", "rdma_sends", "rdma_recvs",
             "send_rnr_err", "rcvd_rnr_err", "out_of_seq_request", "rcvd_seq_err",
             "duplicate_request", "ack_deferred", "completer_retry_err"), 0)
        self.responders = {}
        self.last_sent = {}

    def packet(self, frame, out):
        """One Ethernet frame."""
        proto, = struct.unpack_from("!H", frame, 12)
        if proto == 0x0800 and frame[23] == UDP:
            length, = struct.unpack_from("!H", frame, 16)
            l4 = 14 + 4 * (frame[14] & 15)
        elif proto == 0x86dd and frame[20] == UDP:
            length = 40 + struct.unpack_from("!H", frame, 18)[0]
            l4 = 14 + 40
        else:
            return
        if struct.unpack_from("!H", frame, l4 + 2)[0] != PORT:
            return
        self.n["sent_pkts" if out else "rcvd_pkts"] += 1
        self.n["sent_bytes" if out else "rcvd_bytes"] += length
        bth = frame[l4 + 8:]
        if bth[0] & 0x1f in SEND_ENDS:
            self.n["rdma_sends" if out else "rdma_recvs"] += 1
        if bth[0] == ACK:
            self.ack(bth[12], out)
        elif bth[0] in REQUESTS:
            self.request(bth, out)

    def ack(self, syndrome, out):
        """An ACK or a NAK. An ACK that goes out was not put together with another."""
        if syndrome >> 5 == 1:
            self.n["send_rnr_err" if out else "rcvd_rnr_err"] += 1
        elif syndrome == 0x60:
            self.n["out_of_seq_request" if out else "rcvd_seq_err"] += 1
        elif syndrome >> 5 == 0 and out:
            self.n["ack_deferred"] -= 1

    def request(self, bth, out):
        """A request packet, from its BTH on."""
        qpn, psn = (int.from_bytes(bth[at:at + 3], "big") for at in (5, 9))
        if out:
            if behind(psn, self.last_sent.get(qpn, psn - 1)):
                self.n["completer_retry_err"] += 1
            self.last_sent[qpn] = psn
            return
        psns, ack_req = 1, bth[0] in SENDS_AND_WRITES and bth[8] >> 7
        if bth[0] == READ:
            psns = max(1, -(-struct.unpack_from("!I", bth, 24)[0] // MTU))
        responder = self.responders.setdefault(qpn, Responder(psn))
        duplicate, due = responder.request(psn, psns, ack_req)
        self.n["duplicate_request"] += duplicate
        self.n["ack_deferred"] += due


def main():
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 256 << 20)
    sock.bind((sys.argv[1], 0))
    print("ready", flush=True)
    count, going = Count(), True
    while going:
        readable, _, _ = select.select([sock, sys.stdin], [], [])
        if sock in readable:
            frame, where = sock.recvfrom(128)
            count.packet(frame, where[2] == PACKET_OUTGOING)
        elif sys.stdin in readable:
            going = False  # and nothing is left in the socket
    _, drops = struct.unpack("II", sock.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
    print("overlooked", drops)
    for name, value in count.n.items():
        print(name, value)


if __name__ == "__main__":
    main()
