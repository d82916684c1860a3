# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes batches, records and messages byte by byte, right ones and wrong ones, and the plainest form of each codec."""

import gzip
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from common.messages import int32, uvarint

TIME = 1_700_000_000_000
GZIP, SNAPPY, LZ4, ZSTD = 1, 2, 3, 4
LOG_APPEND_TIME, TRANSACTIONAL, CONTROL, DELETE_HORIZON = 0x08, 0x10, 0x20, 0x40


def _crc32c_table() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


CRC32C = _crc32c_table()


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC32C[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def varint(value: int) -> bytes:
    """Zigzag."""
    return uvarint(value << 1 if value >= 0 else (-value << 1) - 1)


def sized(data: bytes | None) -> bytes:
    return varint(-1) if data is None else varint(len(data)) + data


@dataclass
class Record:
    offset_delta: int = 0
    key: bytes | None = b"key"
    value: bytes | None = b"value"
    headers: Sequence[tuple[bytes | None, bytes | None]] = ()
    timestamp_delta: int = 0
    header_count: int | None = None
    length: int | None = None
    rest: bytes = b""  # behind the last field

    def __bytes__(self) -> bytes:
        body = b"\0" + varint(self.timestamp_delta) + varint(self.offset_delta) + sized(self.key) + sized(self.value)
        body += varint(len(self.headers) if self.header_count is None else self.header_count)
        body += b"".join(sized(key) + sized(value) for key, value in self.headers) + self.rest
        return varint(len(body) if self.length is None else self.length) + body


def some_records(count: int) -> list[Record]:
    return [Record(i, b"key-%d" % i, b"value-%d" % i) for i in range(count)]


def plain(records: Sequence[Record | bytes]) -> bytes:
    return b"".join(bytes(record) for record in records)


@dataclass
class Batch:
    """Of magic 2. What is None is what it should be."""

    records: Sequence[Record | bytes] = field(default_factory=lambda: [Record()])
    payload: bytes | None = None  # what stands behind the header in place of the records: packed ones
    attributes: int = 0
    base_offset: int = 0
    count: int | None = None
    last_offset_delta: int | None = None
    base_timestamp: int = TIME
    max_timestamp: int = TIME
    producer_id: int = -1
    producer_epoch: int = -1
    base_sequence: int = -1
    leader_epoch: int = 0
    magic: int = 2
    length: int | None = None
    crc: int | None = None

    def __bytes__(self) -> bytes:
        payload = plain(self.records) if self.payload is None else self.payload
        count = len(self.records) if self.count is None else self.count
        last = count - 1 if self.last_offset_delta is None else self.last_offset_delta
        covered = struct.pack(">Hi", self.attributes, last)
        covered += struct.pack(">qqqh", self.base_timestamp, self.max_timestamp, self.producer_id, self.producer_epoch)
        covered += struct.pack(">ii", self.base_sequence, count) + payload
        crc = crc32c(covered) if self.crc is None else self.crc
        length = len(covered) + 9 if self.length is None else self.length
        return struct.pack(">qiibI", self.base_offset, length, self.leader_epoch, self.magic, crc) + covered


@dataclass
class OldMessage:
    """Of magic 0 or 1."""

    offset: int = 0
    magic: int = 1
    attributes: int = 0
    timestamp: int = TIME
    key: bytes | None = b"key"
    value: bytes | None = b"value"
    crc: int | None = None

    def __bytes__(self) -> bytes:
        covered = struct.pack(">bB", self.magic, self.attributes)
        covered += struct.pack(">q", self.timestamp) if self.magic == 1 else b""
        for part in (self.key, self.value):
            covered += int32(-1) if part is None else int32(len(part)) + part
        crc = zlib.crc32(covered) if self.crc is None else self.crc
        return struct.pack(">qiI", self.offset, len(covered) + 4, crc) + covered


def marker(kind: int, offset_delta: int = 0) -> Record:
    """A control record of a transaction: 0 aborts, 1 commits."""
    return Record(offset_delta, struct.pack(">hh", 0, kind), struct.pack(">hi", 0, 7))


def gzip_stream(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def snappy_raw(data: bytes) -> bytes:
    """Literals only."""
    packed = uvarint(len(data))
    for at in range(0, len(data), 60):
        literal = data[at : at + 60]
        packed += bytes([len(literal) - 1 << 2]) + literal
    return packed


def snappy_xerial(data: bytes, block: int = 64, words: bytes = int32(1) + int32(1)) -> bytes:
    packed = b"\x82SNAPPY\0" + words
    for at in range(0, len(data), block):
        piece = snappy_raw(data[at : at + block])
        packed += int32(len(piece)) + piece
    return packed


LZ4_HEADER = bytes.fromhex("04224d18604082")
LZ4_OLD_HEADER = bytes.fromhex("04224d1860401a")  # its checksum includes the magic number


def lz4_frame(data: bytes, block: int = 64, header: bytes = LZ4_HEADER) -> bytes:
    """Blocks that are not compressed."""
    packed = header
    for at in range(0, len(data), block):
        piece = data[at : at + block]
        packed += struct.pack("<I", len(piece) | 1 << 31) + piece
    return packed + bytes(4)


def zstd_frame(data: bytes, block: int = 64, window: int = 0x58) -> bytes:
    """Raw blocks, no content size, no checksum; `window` is the frame's window descriptor."""
    packed = bytes.fromhex("28b52ffd") + bytes([0, window])
    for at in range(0, len(data), block):
        piece = data[at : at + block]
        is_last = at + block >= len(data)
        packed += struct.pack("<I", is_last | len(piece) << 3)[:3] + piece
    return packed


PACK = {GZIP: gzip_stream, SNAPPY: snappy_xerial, LZ4: lz4_frame, ZSTD: zstd_frame}


def gzip_bomb(size: int) -> bytes:
    return gzip_stream(bytes(size))


def snappy_bomb(size: int) -> bytes:
    """A literal of one byte, then copies of 64 bytes each."""
    return uvarint(1 + size // 64 * 64) + b"\0\0" + b"\xfe\x01\x00" * (size // 64)


def lz4_bomb(size: int) -> bytes:
    """Blocks of 64 KiB: one literal, a match that goes on from it, and the five literals that must end a block."""
    block = b"\x1f\0\x01\0" + b"\xff" * 256 + bytes([231]) + b"\x50" + bytes(5)
    return LZ4_HEADER + (struct.pack("<I", len(block)) + block) * (size >> 16) + bytes(4)


def zstd_bomb(size: int) -> bytes:
    """Blocks of 128 KiB, each one byte that is repeated."""
    header = bytes.fromhex("28b52ffd0058")
    block = struct.pack("<I", 1 << 1 | (128 << 10) << 3)[:3] + b"\0"
    return header + block * (size >> 17) + struct.pack("<I", 1)[:3]


BOMBS = {GZIP: gzip_bomb, SNAPPY: snappy_bomb, LZ4: lz4_bomb, ZSTD: zstd_bomb}


def packed_batch(records: Sequence[Record], codec: int, payload: bytes | None = None, **fields) -> Batch:
    """A batch whose records are packed; `payload` in place of what they pack to."""
    data = PACK[codec](plain(records)) if payload is None else payload
    return Batch(records, data, attributes=codec | fields.pop("attributes", 0), **fields)


def wrapper(inner: Sequence[OldMessage], codec: int = GZIP, **fields) -> OldMessage:
    data = PACK[codec](b"".join(bytes(message) for message in inner))
    values = {"offset": inner[-1].offset, "magic": inner[0].magic, "value": data, "key": None} | fields
    return OldMessage(attributes=codec | values.pop("attributes", 0), **values)
