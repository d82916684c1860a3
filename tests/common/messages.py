# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds the few Kafka messages that hand-made captures need, from the layouts of the protocol guide."""

import struct

PRODUCE, FETCH, LIST_OFFSETS, METADATA, SASL_HANDSHAKE, API_VERSIONS = 0, 1, 2, 3, 17, 18


def int8(value: int) -> bytes:
    return struct.pack(">b", value)


def int16(value: int) -> bytes:
    return struct.pack(">h", value)


def int32(value: int) -> bytes:
    return struct.pack(">i", value)


def int64(value: int) -> bytes:
    return struct.pack(">q", value)


def uvarint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def string(text: str | bytes | None) -> bytes:
    if text is None:
        return int16(-1)
    raw = text.encode() if isinstance(text, str) else text
    return int16(len(raw)) + raw


def compact(text: str | bytes | None) -> bytes:
    if text is None:
        return b"\0"
    raw = text.encode() if isinstance(text, str) else text
    return uvarint(len(raw) + 1) + raw


def array(elements: list[bytes]) -> bytes:
    return int32(len(elements)) + b"".join(elements)


def compact_array(elements: list[bytes]) -> bytes:
    return uvarint(len(elements) + 1) + b"".join(elements)


def framed(message: bytes) -> bytes:
    return int32(len(message)) + message


def request(
    key: int, version: int, correlation_id: int, body: bytes, client_id: str | bytes | None = "client", tags: bytes = b""
) -> bytes:
    """A request with its length; `tags` is the header's tag section (b"\\0" in flexible versions)."""
    return framed(int16(key) + int16(version) + int32(correlation_id) + string(client_id) + tags + body)


def response(correlation_id: int, body: bytes, tags: bytes = b"") -> bytes:
    return framed(int32(correlation_id) + tags + body)


def metadata_request(correlation_id: int, topics: list[str], client_id: str | None = "client") -> bytes:
    """Version 1."""
    return request(METADATA, 1, correlation_id, array([string(topic) for topic in topics]), client_id)


def metadata_response(correlation_id: int, topics: list[str], error: int = 0) -> bytes:
    """Version 1: one broker, one partition a topic."""
    partition = int16(error) + int32(0) + int32(7) + array([int32(7)]) + array([int32(7)])
    brokers = [int32(7) + string("broker.example") + int32(9092) + string(None)]
    shown = [int16(error) + string(topic) + b"\0" + array([partition]) for topic in topics]
    return response(correlation_id, array(brokers) + int32(7) + array(shown))


def heartbeat_request(correlation_id: int, group: str = "group", generation: int = 1) -> bytes:
    """Version 0."""
    return request(12, 0, correlation_id, string(group) + int32(generation) + string("member"))


def heartbeat_response(correlation_id: int, error: int = 0) -> bytes:
    return response(correlation_id, int16(error))


def api_versions_request(correlation_id: int, version: int = 0) -> bytes:
    if version >= 3:
        return request(API_VERSIONS, version, correlation_id, compact("test") + compact("1.0") + b"\0", tags=b"\0")
    return request(API_VERSIONS, version, correlation_id, b"")


def api_versions_response(
    correlation_id: int, error: int = 0, keys: list[tuple[int, int, int]] | None = None, rest: bytes = b""
) -> bytes:
    """Version 0, with `rest` after it."""
    entries = [int16(key) + int16(low) + int16(high) for key, low, high in keys or [(18, 0, 4)]]
    return response(correlation_id, int16(error) + array(entries) + rest)


def produce_request(correlation_id: int, records: bytes, acks: int = 1, topic: str = "topic") -> bytes:
    """Version 3 with one partition."""
    partition = int32(0) + int32(len(records)) + records
    body = string(None) + int16(acks) + int32(1500) + array([string(topic) + array([partition])])
    return request(PRODUCE, 3, correlation_id, body)


def produce_response(correlation_id: int, topic: str = "topic", error: int = 0) -> bytes:
    partition = int32(0) + int16(error) + int64(0) + int64(-1)
    return response(correlation_id, array([string(topic) + array([partition])]) + int32(0))
