# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the TCP segments of a pcap or pcapng file (also gzipped), without any help from Wireshark."""

import gzip
import ipaddress
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ETHERNET = 1
FIN, SYN, RST, ACK = 1, 2, 4, 16


@dataclass(frozen=True, slots=True)
class Frame:
    number: int
    time_ns: int
    wire_length: int
    data: bytes  # what the capture kept


@dataclass(frozen=True, slots=True)
class Segment:
    frame: int
    time_ns: int
    source: tuple[str, int]
    target: tuple[str, int]
    seq: int
    flags: int
    payload: bytes  # what the capture kept
    wire_length: int  # of the payload


def frames(path: Path) -> Iterator[Frame]:
    raw = path.read_bytes()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    magic = raw[:4]
    if magic == b"\x0a\x0d\x0d\x0a":
        yield from _pcapng_frames(raw)
    else:
        yield from _pcap_frames(raw)


def _pcap_frames(raw: bytes) -> Iterator[Frame]:
    kinds = {
        b"\xd4\xc3\xb2\xa1": ("<", 1000),
        b"\xa1\xb2\xc3\xd4": (">", 1000),
        b"\x4d\x3c\xb2\xa1": ("<", 1),
        b"\xa1\xb2\x3c\x4d": (">", 1),
    }
    order, unit = kinds[raw[:4]]
    if struct.unpack_from(order + "I", raw, 20)[0] != ETHERNET:
        raise ValueError("only Ethernet frames are read")
    offset, number = 24, 0
    while offset < len(raw):
        seconds, fraction, kept, wire = struct.unpack_from(order + "IIII", raw, offset)
        number += 1
        yield Frame(number, seconds * 10**9 + fraction * unit, wire, raw[offset + 16 : offset + 16 + kept])
        offset += 16 + kept


def _pcapng_frames(raw: bytes) -> Iterator[Frame]:
    order, number = "<", 0
    resolutions: list[int] = []  # nanoseconds a tick, by interface
    offset = 0
    while offset < len(raw):
        if raw[offset : offset + 4] == b"\x0a\x0d\x0d\x0a":
            order = "<" if raw[offset + 8 : offset + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            resolutions = []
        kind, size = struct.unpack_from(order + "II", raw, offset)
        body = raw[offset + 8 : offset + size - 4]
        if kind == 1:
            if struct.unpack_from(order + "H", body, 0)[0] != ETHERNET:
                raise ValueError("only Ethernet frames are read")
            resolutions.append(_tick(body[8:], order))
        elif kind == 6:
            interface, high, low, kept, wire = struct.unpack_from(order + "IIIII", body, 0)
            number += 1
            time = (high << 32 | low) * resolutions[interface]
            yield Frame(number, time, wire, body[20 : 20 + kept])
        offset += size


def _tick(options: bytes, order: str) -> int:
    offset = 0
    while offset + 4 <= len(options):
        code, size = struct.unpack_from(order + "HH", options, offset)
        if code == 9:  # if_tsresol
            return 10 ** (9 - options[offset + 4])
        offset += 4 + (size + 3) // 4 * 4
    return 1000


def segments(path: Path) -> Iterator[Segment]:
    """The TCP segments of a file in its order; what is no TCP over Ethernet is left out."""
    for frame in frames(path):
        segment = _segment(frame)
        if segment is not None:
            yield segment


def _segment(frame: Frame) -> Segment | None:
    data = frame.data
    if len(data) < 14:
        return None
    ether_type = int.from_bytes(data[12:14], "big")
    if ether_type == 0x0800 and data[14 + 9] == 6:
        header = (data[14] & 15) * 4
        ip_payload = int.from_bytes(data[16:18], "big") - header
        addresses = data[26:30], data[30:34]
        tcp = 14 + header
    elif ether_type == 0x86DD and data[14 + 6] == 6:
        ip_payload = int.from_bytes(data[18:20], "big")
        addresses = data[22:38], data[38:54]
        tcp = 14 + 40
    else:
        return None
    source_port, target_port, seq = struct.unpack_from(">HHI", data, tcp)
    header = (data[tcp + 12] >> 4) * 4
    wire = ip_payload - header
    source, target = (str(ipaddress.ip_address(address)) for address in addresses)
    return Segment(
        frame=frame.number,
        time_ns=frame.time_ns,
        source=(source, source_port),
        target=(target, target_port),
        seq=seq,
        flags=data[tcp + 13],
        payload=data[tcp + header : tcp + header + wire],
        wire_length=wire,
    )
