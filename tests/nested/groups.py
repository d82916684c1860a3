# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages that carry what members of a group write for one another, and Envelopes, as hand-made captures need them."""

from common.messages import (
    array,
    compact,
    compact_array,
    int16,
    int32,
    int64,
    metadata_request,
    metadata_response,
    request,
    response,
    string,
    uvarint,
)
from common.pcap import Connection

JOIN_GROUP, SYNC_GROUP, DESCRIBE_GROUPS, ENVELOPE = 11, 14, 15, 58
GROUP = "group"


def sized(data: bytes) -> bytes:
    return int32(len(data)) + data


def join_group(
    connection: Connection, kind: str | None, name: str, metadata: bytes, correlation_id: int = 1, group: str = GROUP
) -> None:
    """Version 2: the response tells the protocol's name, and not its type."""
    body = string(group) + int32(30000) + int32(60000) + string("") + string(kind)
    connection.request(request(JOIN_GROUP, 2, correlation_id, body + array([string(name) + sized(metadata)])))
    body = int32(0) + int16(0) + int32(1) + string(name) + string("leader") + string("member")
    connection.response(response(correlation_id, body + array([string("member") + sized(metadata)])))


def sync_group(
    connection: Connection,
    version: int,
    kind: str | None,
    name: str | None,
    assignment: bytes,
    correlation_id: int = 2,
    group: str = GROUP,
) -> None:
    """Version 0 or 5: the latter tells protocol type and name, as request and as response."""
    if version == 0:
        body = string(group) + int32(1) + string("member") + array([string("member") + sized(assignment)])
        connection.request(request(SYNC_GROUP, 0, correlation_id, body))
        connection.response(response(correlation_id, int16(0) + sized(assignment)))
        return
    member = compact("member") + uvarint(len(assignment) + 1) + assignment + b"\0"
    body = compact(group) + int32(1) + compact("member") + compact(None) + compact(kind) + compact(name)
    connection.request(
        request(SYNC_GROUP, version, correlation_id, body + compact_array([member]) + b"\0", tags=b"\0")
    )
    body = int32(0) + int16(0) + compact(kind) + compact(name) + uvarint(len(assignment) + 1) + assignment + b"\0"
    connection.response(response(correlation_id, body, tags=b"\0"))


def describe_groups(
    connection: Connection, kind: str, name: str, metadata: bytes, assignment: bytes, correlation_id: int = 3
) -> None:
    """Version 0."""
    connection.request(request(DESCRIBE_GROUPS, 0, correlation_id, array([string(GROUP)])))
    member = string("member") + string("client") + string("/10.0.0.1") + sized(metadata) + sized(assignment)
    group = int16(0) + string(GROUP) + string("Stable") + string(kind) + string(name) + array([member])
    connection.response(response(correlation_id, array([group])))


def envelope_request(inner: bytes, principal: bytes | None, address: bytes, correlation_id: int = 4) -> bytes:
    held = b"\0" if principal is None else uvarint(len(principal) + 1) + principal
    body = uvarint(len(inner) + 1) + inner + held + uvarint(len(address) + 1) + address + b"\0"
    return request(ENVELOPE, 0, correlation_id, body, tags=b"\0")


def envelope_response(inner: bytes | None, error: int = 0, correlation_id: int = 4) -> bytes:
    held = b"\0" if inner is None else uvarint(len(inner) + 1) + inner
    return response(correlation_id, held + int16(error) + b"\0", tags=b"\0")


def unframed(message: bytes) -> bytes:
    """A message without the length before it."""
    return message[4:]


def envelope(connection: Connection, principal: bytes) -> None:
    """A forwarded Metadata request, version 1."""
    inner = unframed(metadata_request(77, ["orders"]))
    connection.request(envelope_request(inner, principal, bytes([10, 0, 0, 1])))
    connection.response(envelope_response(unframed(metadata_response(77, ["orders"]))))


def subscription(version: int, topics: list[str], rest: bytes = b"") -> bytes:
    """What a consumer tells when it joins, without user data; versions above 0 have more behind it."""
    return int16(version) + array([string(topic) for topic in topics]) + int32(-1) + rest


def connect_worker(url: str, offset: int) -> bytes:
    """What a worker of Connect tells in version 0."""
    return int16(0) + string(url) + int64(offset)
