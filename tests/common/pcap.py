# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes captures of made-up TCP conversations, segment by segment."""

import ipaddress
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
CLIENT, SERVER = "client", "server"
START_NS = 1_700_000_000 * 10**9


def _checksum(data: bytes) -> int:
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


@dataclass
class Capture:
    """Frames in the order in which they were captured, one a millisecond."""

    snaplen: int = 262144
    frames: list[tuple[int, bytes]] = field(default_factory=list)
    time_ns: int = START_NS

    def add(self, data: bytes) -> int:
        """Adds an Ethernet frame; returns its frame number."""
        self.time_ns += 1_000_000
        self.frames.append((self.time_ns, data))
        return len(self.frames)

    def write(self, path: Path) -> Path:
        parts = [struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, self.snaplen, 1)]
        for time_ns, data in self.frames:
            kept = data[: self.snaplen]
            seconds, nanoseconds = divmod(time_ns, 10**9)
            parts += [struct.pack("<IIII", seconds, nanoseconds, len(kept), len(data)), kept]
        path.write_bytes(b"".join(parts))
        path.chmod(0o644)
        return path


@dataclass
class Connection:
    """One TCP connection over IPv4: `send` keeps the sequence numbers, `segment` puts bytes anywhere in the stream."""

    capture: Capture
    client_port: int = 50000
    server_port: int = 9092
    client_address: str = "10.0.0.1"
    server_address: str = "10.0.0.2"
    first_seq: dict[str, int] = field(default_factory=lambda: {CLIENT: 1000, SERVER: 7000})
    sent: dict[str, int] = field(default_factory=lambda: {CLIENT: 0, SERVER: 0})

    def open(self) -> "Connection":
        self._frame(CLIENT, -1, SYN)
        self.answer()
        return self

    def answer(self) -> None:
        """What follows the SYN, which may be missing."""
        self._frame(SERVER, -1, SYN | ACK)
        self._frame(CLIENT, 0, ACK)

    def close(self) -> None:
        self._frame(CLIENT, self.sent[CLIENT], FIN | ACK)
        self._frame(SERVER, self.sent[SERVER], FIN | ACK)

    def segment(self, side: str, offset: int, payload: bytes) -> int:
        """A segment with the bytes that stand at that offset of the side's stream; returns the frame number."""
        self.sent[side] = max(self.sent[side], offset + len(payload))
        return self._frame(side, offset, PSH | ACK, payload)

    def skip(self, side: str, count: int) -> None:
        """Bytes that the capture missed."""
        self.sent[side] += count

    def send(self, side: str, payload: bytes, sizes: Iterable[int] | int = 1448) -> list[int]:
        """Sends the bytes in segments of these sizes (the last one is repeated); returns the frame numbers."""
        pieces = cut(payload, sizes)
        return [self.segment(side, self.sent[side], piece) for piece in pieces]

    def request(self, payload: bytes, sizes: Iterable[int] | int = 1448) -> list[int]:
        return self.send(CLIENT, payload, sizes)

    def response(self, payload: bytes, sizes: Iterable[int] | int = 1448) -> list[int]:
        return self.send(SERVER, payload, sizes)

    def _frame(self, side: str, offset: int, flags: int, payload: bytes = b"") -> int:
        other = SERVER if side == CLIENT else CLIENT
        addresses = {CLIENT: self.client_address, SERVER: self.server_address}
        ports = {CLIENT: self.client_port, SERVER: self.server_port}
        source, target = (ipaddress.IPv4Address(addresses[name]).packed for name in (side, other))
        seq = (self.first_seq[side] + 1 + offset) % (1 << 32)
        ack = (self.first_seq[other] + 1 + self.sent[other]) % (1 << 32) if flags & ACK else 0
        tcp = struct.pack(">HHIIBBHHH", ports[side], ports[other], seq, ack, 5 << 4, flags, 65535, 0, 0) + payload
        pseudo = source + target + struct.pack(">BBH", 0, 6, len(tcp))
        tcp = tcp[:16] + struct.pack(">H", _checksum(pseudo + tcp)) + tcp[18:]
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0, source, target)
        ip = ip[:10] + struct.pack(">H", _checksum(ip)) + ip[12:]
        return self.capture.add(bytes(6) + b"\x02\0\0\0\0\x01" + b"\x08\0" + ip + tcp)


def cut(payload: bytes, sizes: Iterable[int] | int) -> list[bytes]:
    """Cuts bytes into pieces of these sizes; the last size is repeated to the end."""
    wanted: Sequence[int] = [sizes] if isinstance(sizes, int) else list(sizes)
    pieces, at, turn = [], 0, 0
    while at < len(payload):
        size = wanted[min(turn, len(wanted) - 1)]
        pieces.append(payload[at : at + size])
        at, turn = at + size, turn + 1
    return pieces
