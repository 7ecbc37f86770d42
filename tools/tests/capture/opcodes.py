# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""BTH opcodes by the IBTA's list (volume 1, table 38), written independently.

The upper three bits of an opcode name the transport, the lower five the
operation; which extension headers follow depends on both.
"""

TRANSPORTS = {0x00: "RC", 0x20: "UC", 0x60: "UD"}

# operation: (name, extension headers, place of the packet in its message)
_RC = {
    0x00: ("SEND First", (), "first"),
    0x01: ("SEND Middle", (), "middle"),
    0x02: ("SEND Last", (), "last"),
    0x03: ("SEND Last with Immediate", ("imm",), "last"),
    0x04: ("SEND Only", (), "only"),
    0x05: ("SEND Only with Immediate", ("imm",), "only"),
    0x06: ("RDMA WRITE First", ("reth",), "first"),
    0x07: ("RDMA WRITE Middle", (), "middle"),
    0x08: ("RDMA WRITE Last", (), "last"),
    0x09: ("RDMA WRITE Last with Immediate", ("imm",), "last"),
    0x0A: ("RDMA WRITE Only", ("reth",), "only"),
    0x0B: ("RDMA WRITE Only with Immediate", ("reth", "imm"), "only"),
    0x0C: ("RDMA READ Request", ("reth",), "only"),
    0x0D: ("RDMA READ Response First", ("aeth",), "first"),
    0x0E: ("RDMA READ Response Middle", (), "middle"),
    0x0F: ("RDMA READ Response Last", ("aeth",), "last"),
    0x10: ("RDMA READ Response Only", ("aeth",), "only"),
    0x11: ("Acknowledge", ("aeth",), "only"),
    0x12: ("Atomic Acknowledge", ("aeth", "atomicack"), "only"),
    0x13: ("CmpSwap", ("atomic",), "only"),
    0x14: ("FetchAdd", ("atomic",), "only"),
    0x16: ("SEND Last with Invalidate", ("ieth",), "last"),
    0x17: ("SEND Only with Invalidate", ("ieth",), "only"),
    0x1C: ("FLUSH", ("feth", "reth"), "only"),
    0x1D: ("ATOMIC WRITE", ("reth",), "only"),
}

OPCODES = {}
for _op, (_name, _ext, _place) in _RC.items():
    OPCODES[_op] = (f"RC {_name}", _ext, _place)
    if _op <= 0x0B:
        OPCODES[0x20 | _op] = (f"UC {_name}", _ext, _place)
OPCODES[0x64] = ("UD SEND Only", ("deth",), "only")
OPCODES[0x65] = ("UD SEND Only with Immediate", ("deth", "imm"), "only")
OPCODES[0x81] = ("CNP", (), "only")
NUMBERS = {_name: _op for _op, (_name, _, _) in OPCODES.items()}

ACKNOWLEDGE, ATOMIC_ACK, READ_REQUEST = 0x11, 0x12, 0x0C
READ_RESPONSES = range(0x0D, 0x11)
RC_RESPONSES = frozenset(range(0x0D, 0x13))


def name(opcode):
    """The opcode's name, or its number for one that is not listed."""
    return OPCODES[opcode][0] if opcode in OPCODES else f"opcode 0x{opcode:02x}"


def is_rc_request(opcode):
    """Whether it travels from an RC requester to a responder."""
    return opcode < 0x20 and opcode not in RC_RESPONSES


NAKS = {0: "PSN Sequence Error", 1: "Invalid Request", 2: "Remote Access Error",
        3: "Remote Operational Error", 4: "Invalid RD Request"}


def syndrome(value):
    """An AETH syndrome in words (volume 1, 9.7.5.2.3)."""
    kind, low = value >> 5 & 3, value & 31
    if value & 0x80 or kind == 2:
        return "reserved"
    if kind == 0:
        return f"ACK, credit code {low}" + (" (no credit limit)" if low == 31 else "")
    if kind == 1:
        return f"RNR NAK, timer code {low}"
    return f"NAK, {NAKS.get(low, 'reserved code ' + str(low))}"
