# SPDX-License-Identifier: GPL-2.0-or-later
"""Copies of a capture from which something is missing, many in one file.

Each copy has addresses of its own, so that Wireshark takes its connections for others than those of the next copy; what
it lacks is what a capture in the field lacks: everything before a packet, the first bytes of one, packets here and
there, or the rest of each packet behind a snapshot length.
"""

import random
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from common.capfile import Frame, Segment, frames, segments
from common.manifest import Capture
from common.splitter import Connection, Pdu, Side, connections, sequence_difference, split_connections

ETHERNET_HEADER = 14
GAP_NS = 10**9  # between copies
UNLIMITED = 262144


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet of a capture, or a part of one: of its payload only the bytes from `begin` to `end`."""

    frame: Frame
    segment: Segment
    begin: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.begin

    @property
    def seq(self) -> int:
        return (self.segment.seq + self.begin) % (1 << 32)

    @property
    def header(self) -> int:
        """Bytes before the payload."""
        return self.frame.wire_length - self.segment.wire_length

    def cut(self, begin: int) -> "Packet":
        return replace(self, begin=self.begin + begin)

    def pieces(self, most: int) -> Iterator["Packet"]:
        """The packet in segments of at most so many bytes."""
        for begin in range(self.begin, max(self.end, self.begin + 1), most):
            yield replace(self, begin=begin, end=min(self.end, begin + most))


@dataclass
class Source:
    """A whole capture, and what is known to be in it. With `most`, its segments are cut into such of at most so many
    bytes: on loopback, where the captures come from, a segment holds nearly any message."""

    capture: Capture
    most: int | None = None

    @cached_property
    def packets(self) -> list[Packet]:
        """The TCP packets, in the order of the capture."""
        by_number = {frame.number: frame for frame in frames(self.capture.path)}
        whole = [Packet(by_number[s.frame], s, 0, s.wire_length) for s in segments(self.capture.path)]
        return whole if self.most is None else [piece for packet in whole for piece in packet.pieces(self.most)]

    @cached_property
    def connections(self) -> list[Connection]:
        return connections(self.capture.path, self.capture.ports)

    @cached_property
    def pdus(self) -> list[Pdu]:
        return split_connections(self.connections)

    @cached_property
    def stream_of(self) -> dict[int, int]:
        """Frame number to the connection that it belongs to."""
        return {frame: connection.stream for connection in self.connections for frame in connection.frames}


@dataclass
class Copy:
    """What is left of a capture, and where its packets stand in the file of copies."""

    source: Source
    name: str
    packets: list[Packet]
    snaplen: int = UNLIMITED
    first_number: int = 0  # of its first packet in the file

    @cached_property
    def sides(self) -> dict[tuple[int, tuple[str, int]], Side]:
        """The bytes that are left, by connection and sender; frames are numbered as in the file of copies. What Wireshark
        takes for a retransmission it withholds: a segment that begins before the end of an earlier one."""
        full = {connection.stream: connection for connection in self.source.connections}
        sides: dict[tuple[int, tuple[str, int]], Side] = {}
        ends: dict[tuple[int, tuple[str, int]], int] = {}
        for number, packet in enumerate(self.packets, self.first_number):
            stream = self.source.stream_of.get(packet.segment.frame)
            if stream is None:
                continue
            sender = packet.segment.source
            side = sides.setdefault((stream, sender), Side(base=full[stream].sides[sender].base))
            if packet.size and sequence_difference(packet.seq, ends.get((stream, sender), packet.seq)) < 0:
                continue
            ends[stream, sender] = packet.seq + packet.size
            kept = packet.segment.payload[packet.begin : packet.end][: max(self.snaplen - packet.header, 0)]
            side.add(replace(packet.segment, frame=number, seq=packet.seq, payload=kept, wire_length=packet.size))
        return sides


def cut_at(source: Source, index: int, begin: int = 0, window: int | None = None) -> Copy:
    """The packets from one on, of which the first may lack bytes; at most `window` of them."""
    packets = source.packets[index : None if window is None else index + window]
    name = f"{source.capture.name} from packet {index + 1}"
    if begin:
        return Copy(source, f"{name}, byte {begin}", [packets[0].cut(begin), *packets[1:]])
    return Copy(source, name, packets)


def cuts_at_packets(source: Source, most: int, window: int, seed: int) -> Iterator[Copy]:
    """At every packet, or at `most` of them by chance."""
    indexes: Iterable[int] = range(1, len(source.packets))
    if len(source.packets) - 1 > most:
        indexes = sorted(random.Random(seed).sample(indexes, most))
    for index in indexes:
        yield cut_at(source, index, window=window)


def cuts_inside_packets(source: Source, count: int, window: int, seed: int) -> Iterator[Copy]:
    """At any byte of the payload of some packets."""
    chance = random.Random(seed)
    with_payload = [index for index, packet in enumerate(source.packets) if packet.size > 1]
    for _ in range(count):
        index = chance.choice(with_payload)
        yield cut_at(source, index, chance.randrange(1, source.packets[index].size), window)


def with_loss(source: Source, share: float, seed: int) -> Copy:
    chance = random.Random(seed)
    packets = [packet for packet in source.packets if chance.random() >= share]
    return Copy(source, f"{source.capture.name} with {share:.0%} lost, seed {seed}", packets)


def with_snaplen(source: Source, snaplen: int) -> Copy:
    return Copy(source, f"{source.capture.name} with packets of {snaplen} bytes", source.packets, snaplen)


def _moved(packet: Packet, copy: int, hosts: dict[bytes, int]) -> bytes:
    """The bytes of the packet between addresses of the copy."""
    raw = bytearray(packet.frame.data)
    ip = ETHERNET_HEADER
    if raw[12:14] == b"\x08\x00":
        tcp = ip + (raw[ip] & 15) * 4
        for at in (ip + 12, ip + 16):
            host = hosts.setdefault(bytes(raw[at : at + 4]), len(hosts) + 1)
            raw[at : at + 4] = bytes((10, copy >> 8, copy & 255, host))
        size_at, size_from = ip + 2, ip
    else:
        tcp = ip + 40
        for at in (ip + 8, ip + 24):
            host = hosts.setdefault(bytes(raw[at : at + 16]), len(hosts) + 1)
            raw[at : at + 16] = b"\xfd" + bytes(11) + copy.to_bytes(2, "big") + host.to_bytes(2, "big")
        size_at, size_from = ip + 4, tcp
    payload = tcp + (raw[tcp + 12] >> 4) * 4
    kept = raw[payload + packet.begin : payload + packet.end]
    raw[tcp + 4 : tcp + 8] = packet.seq.to_bytes(4, "big")
    raw[size_at : size_at + 2] = (payload - size_from + packet.size).to_bytes(2, "big")
    return bytes(raw[:payload] + kept)


def write(path: Path, copies: Iterable[Copy]) -> list[Copy]:
    """Writes all copies into one file, one after the other; returns them with their places in it."""
    written: list[Copy] = []
    number, time_ns = 1, 1_700_000_000 * 10**9
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, UNLIMITED, 1))
        for copy in copies:
            copy.first_number = number
            hosts: dict[bytes, int] = {}
            begin = copy.packets[0].frame.time_ns if copy.packets else 0
            for packet in copy.packets:
                data = _moved(packet, len(written), hosts)
                now = time_ns + packet.frame.time_ns - begin
                kept = data[: copy.snaplen]
                file.write(struct.pack("<IIII", now // 10**9, now % 10**9, len(kept), packet.header + packet.size))
                file.write(kept)
                number += 1
            if copy.packets:
                time_ns += copy.packets[-1].frame.time_ns - begin + GAP_NS
            written.append(copy)
    path.chmod(0o644)
    return written
