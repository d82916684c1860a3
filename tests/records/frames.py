# SPDX-License-Identifier: GPL-2.0-or-later
"""Puts record sets into Produce requests and Fetch responses of any version, and these into a capture."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from common.messages import (
    FETCH,
    PRODUCE,
    array,
    compact,
    compact_array,
    int8,
    int16,
    int32,
    int64,
    request,
    response,
    string,
    uvarint,
)
from common.pcap import Capture, Connection

TOPIC = "topic"
TOPIC_ID = bytes(range(16))
FETCH_SNAPSHOT = 59
# First versions whose bodies are flexible, and that name topics by their ids.
FLEXIBLE = {PRODUCE: 9, FETCH: 12}
TOPIC_IDS = {PRODUCE: 13, FETCH: 13}
# Below what an IPv4 packet can hold.
SEGMENT = 60_000


def _is_flexible(api: int, version: int) -> bool:
    return version >= FLEXIBLE[api]


def _array(api: int, version: int, elements: list[bytes]) -> bytes:
    return compact_array(elements) if _is_flexible(api, version) else array(elements)


def _tags(api: int, version: int) -> bytes:
    return b"\0" if _is_flexible(api, version) else b""


def _topic(api: int, version: int) -> bytes:
    if version >= TOPIC_IDS[api]:
        return TOPIC_ID
    return compact(TOPIC) if _is_flexible(api, version) else string(TOPIC)


def _records(is_flexible: bool, records: bytes | None) -> bytes:
    if records is None:
        return b"\0" if is_flexible else int32(-1)
    return (uvarint(len(records) + 1) if is_flexible else int32(len(records))) + records


def produce_request(version: int, correlation_id: int, partitions: list[bytes | None]) -> bytes:
    """With acks 0, so that no response is due."""
    tags = _tags(PRODUCE, version)
    is_flexible = _is_flexible(PRODUCE, version)
    rows = [int32(i) + _records(is_flexible, records) + tags for i, records in enumerate(partitions)]
    topic = _topic(PRODUCE, version) + _array(PRODUCE, version, rows) + tags
    body = b""
    if version >= 3:
        body += b"\0" if is_flexible else string(None)  # transactional id
    body += int16(0) + int32(1500) + _array(PRODUCE, version, [topic]) + tags
    return request(PRODUCE, version, correlation_id, body, tags=tags)


def fetch_request(version: int, correlation_id: int) -> bytes:
    """Of no topic: it tells the version of the response."""
    body = b"" if version >= 15 else int32(-1)  # replica id
    body += int32(500) + int32(1)
    if version >= 3:
        body += int32(1 << 20)
    if version >= 4:
        body += int8(0)
    if version >= 7:
        body += int32(0) + int32(-1)
    body += _array(FETCH, version, [])
    if version >= 7:
        body += _array(FETCH, version, [])  # forgotten topics
    if version >= 11:
        body += compact("") if _is_flexible(FETCH, version) else string("")  # rack
    tags = _tags(FETCH, version)
    return request(FETCH, version, correlation_id, body + tags, tags=tags)


def fetch_response(version: int, correlation_id: int, partitions: list[bytes | None]) -> bytes:
    tags = _tags(FETCH, version)
    rows = []
    for index, records in enumerate(partitions):
        row = int32(index) + int16(0) + int64(1_000_000)
        if version >= 4:
            row += int64(999_999)
        if version >= 5:
            row += int64(0)
        if version >= 4:
            row += b"\0" if _is_flexible(FETCH, version) else int32(-1)  # aborted transactions
        if version >= 11:
            row += int32(-1)
        rows.append(row + _records(_is_flexible(FETCH, version), records) + tags)
    body = int32(0) if version >= 1 else b""
    if version >= 7:
        body += int16(0) + int32(0)
    body += _array(FETCH, version, [_topic(FETCH, version) + _array(FETCH, version, rows) + tags])
    return response(correlation_id, body + tags, tags)


def fetch_snapshot_request(correlation_id: int, position: int) -> bytes:
    """Version 0."""
    partition = int32(0) + int32(1) + int64(100) + int32(1) + b"\0" + int64(position) + b"\0"
    topic = compact("__cluster_metadata") + compact_array([partition]) + b"\0"
    body = int32(1) + int32(1 << 20) + compact_array([topic]) + b"\0"
    return request(FETCH_SNAPSHOT, 0, correlation_id, body, tags=b"\0")


def fetch_snapshot_response(correlation_id: int, position: int, size: int, records: bytes) -> bytes:
    """Version 0: a part of a snapshot of that size."""
    partition = int32(0) + int16(0) + int64(100) + int32(1) + b"\0" + int64(size) + int64(position)
    partition += _records(True, records) + b"\0"
    topic = compact("__cluster_metadata") + compact_array([partition]) + b"\0"
    return response(correlation_id, int32(0) + int16(0) + compact_array([topic]) + b"\0", b"\0")


@dataclass
class Frames:
    """A capture whose messages are told from each other by their correlation ids."""

    capture: Capture = field(default_factory=Capture)
    next_id: int = 1
    ports: Iterable[int] = field(default_factory=lambda: iter(range(20_000, 60_000)))
    connection: Connection | None = None

    def _begin(self) -> tuple[Connection, int]:
        if self.connection is None:
            self.connect()
        assert self.connection is not None
        self.next_id += 1
        return self.connection, self.next_id - 1

    def connect(self) -> None:
        """A new connection for what follows."""
        self.connection = Connection(self.capture, client_port=next(iter(self.ports))).open()

    def produce(self, version: int, *partitions: bytes | None) -> int:
        """Returns the request's correlation id."""
        connection, correlation_id = self._begin()
        connection.request(produce_request(version, correlation_id, list(partitions)), SEGMENT)
        return correlation_id

    def fetch(self, version: int, *partitions: bytes | None) -> int:
        """A request and its response."""
        connection, correlation_id = self._begin()
        connection.request(fetch_request(version, correlation_id))
        connection.response(fetch_response(version, correlation_id, list(partitions)), SEGMENT)
        return correlation_id

    def fetch_snapshot(self, position: int, size: int, records: bytes) -> int:
        connection, correlation_id = self._begin()
        connection.request(fetch_snapshot_request(correlation_id, position))
        connection.response(fetch_snapshot_response(correlation_id, position, size, records), SEGMENT)
        return correlation_id
