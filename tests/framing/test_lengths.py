# SPDX-License-Identifier: GPL-2.0-or-later
"""Lengths that cannot be: an expert error at the four bytes, no wait for bytes that do not come, later PDUs found."""

from pathlib import Path

import pytest
from common.expert_names import BAD_LENGTH
from common.handmade import read
from common.messages import (
    heartbeat_request,
    heartbeat_response,
    int32,
    metadata_request,
    metadata_response,
)
from common.pcap import CLIENT, SERVER, Capture, Connection
from common.tshark import Tshark

ETHERNET_IP_TCP = 14 + 20 + 20
DEFAULT_REQUEST_LIMIT, DEFAULT_RESPONSE_LIMIT = 104857600, 1 << 30
PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])


@PASSES
@pytest.mark.parametrize("length", [-1, -2, -(1 << 31), DEFAULT_REQUEST_LIMIT + 1, (1 << 31) - 1])
def test_bad_request_length(tshark: Tshark, scratch: Path, length: int, passes: tuple[str, ...]) -> None:
    capture = Capture()
    connection = Connection(capture).open()
    connection.request(heartbeat_request(1))
    connection.response(heartbeat_response(1))
    (bad,) = connection.request(int32(length) + b"\x00\x0c\x00\x00\x00\x00\x00\x02\x00\x06client" + bytes(20))
    for i in (3, 4):
        connection.request(metadata_request(i, [f"topic-{i}"]))
        connection.response(metadata_response(i, [f"topic-{i}"]))
    reading = read(tshark, capture, scratch, passes)
    errors = [e for e in reading.experts if e.name == BAD_LENGTH]
    assert [(e.frame, e.severity, e.pos, e.size) for e in errors] == [(bad, "error", ETHERNET_IP_TCP, 4)]
    assert str(length) in errors[0].message
    assert [s.correlation_id for s in reading.shown if s.frame != bad] == [1, 1, 3, 3, 4, 4]
    assert reading.malformed == []


@PASSES
@pytest.mark.parametrize("length", [-1, -(1 << 31), DEFAULT_RESPONSE_LIMIT + 1])
def test_bad_response_length(tshark: Tshark, scratch: Path, length: int, passes: tuple[str, ...]) -> None:
    capture = Capture()
    connection = Connection(capture).open()
    for i in (1, 2):
        connection.request(heartbeat_request(i))
    connection.response(heartbeat_response(1))
    (bad,) = connection.response(int32(length) + int32(2) + bytes(30))
    for i in (3, 4):
        connection.request(metadata_request(i, [f"topic-{i}"]))
        connection.response(metadata_response(i, [f"topic-{i}"]))
    reading = read(tshark, capture, scratch, passes)
    errors = [e for e in reading.experts if e.name == BAD_LENGTH]
    assert [(e.frame, e.severity, e.pos, e.size) for e in errors] == [(bad, "error", ETHERNET_IP_TCP, 4)]
    assert [s.correlation_id for s in reading.shown if s.frame != bad] == [1, 2, 1, 3, 3, 4, 4]


def test_response_may_be_larger_than_a_request(tshark: Tshark, scratch: Path) -> None:
    """A response of 200 MiB is legal: its first segment is no error."""
    capture = Capture()
    connection = Connection(capture).open()
    connection.request(metadata_request(1, ["a"]))
    connection.response(int32(200 << 20) + int32(1) + bytes(60))
    reading = read(tshark, capture, scratch)
    assert [e for e in reading.experts if e.name == BAD_LENGTH] == []


@pytest.mark.parametrize("side", [CLIENT, SERVER])
def test_limits_are_preferences(tshark: Tshark, scratch: Path, side: str) -> None:
    capture = Capture()
    connection = Connection(capture).open()
    topics = ["t" * 100] * 30
    connection.request(metadata_request(1, topics))
    connection.response(metadata_response(1, topics))
    name = "max_request_size" if side == CLIENT else "max_response_size"
    reading = read(tshark, capture, scratch, ["-o", f"kafka.{name}:2000"])
    assert len([e for e in reading.experts if e.name == BAD_LENGTH]) == 1
    other = "max_response_size" if side == CLIENT else "max_request_size"
    # the other direction keeps its own limit
    reading = read(tshark, capture, scratch, ["-o", f"kafka.{name}:200000", "-o", f"kafka.{other}:200000"])
    assert [e for e in reading.experts if e.name == BAD_LENGTH] == []


@PASSES
@pytest.mark.parametrize("length", [(1 << 31) - 1, (1 << 31) - 5, (1 << 31) - 4])
def test_no_limits(tshark: Tshark, scratch: Path, length: int, passes: tuple[str, ...]) -> None:
    """Without limits, and without reassembly, the largest lengths are no exception of Wireshark's."""
    limits = [f"kafka.{name}:4294967295" for name in ("max_request_size", "max_response_size")]
    options = [word for limit in [*limits, "tcp.desegment_tcp_streams:FALSE"] for word in ("-o", limit)]
    capture = Capture()
    connection = Connection(capture).open()
    connection.request(heartbeat_request(1))
    connection.response(heartbeat_response(1))
    (request,) = connection.request(int32(length) + heartbeat_request(2)[4:])
    (response,) = connection.response(int32(length) + int32(2) + bytes(20))
    reading = read(tshark, capture, scratch, [*passes, *options])
    assert {request, response} <= {s.frame for s in reading.shown}
    assert "Exception" not in tshark.read(scratch / "made.pcap", [*passes, *options, "-V"]).text


@PASSES
def test_zero_length(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """A frame without a header: said so, and the next one is decoded. Empty SASL tokens look like that."""
    capture = Capture()
    connection = Connection(capture).open()
    connection.request(heartbeat_request(1) + int32(0) + heartbeat_request(2))
    connection.response(heartbeat_response(1) + int32(0) + heartbeat_response(2))
    reading = read(tshark, capture, scratch, passes)
    ids = [s.correlation_id for s in reading.shown if s.correlation_id is not None]
    assert ids == [1, 2, 1, 2]
    assert len(reading.shown) == 6
    empty = [s for s in reading.shown if s.correlation_id is None]
    assert [s.length for s in empty] == [0, 0]
    assert reading.malformed == []


@PASSES
@pytest.mark.parametrize("length", [1, 2, 3, 5, 7])
def test_too_short_for_a_header(tshark: Tshark, scratch: Path, length: int, passes: tuple[str, ...]) -> None:
    capture = Capture()
    connection = Connection(capture).open()
    (frame,) = connection.request(heartbeat_request(1) + int32(length) + bytes(length) + heartbeat_request(2))
    reading = read(tshark, capture, scratch, passes)
    assert [s.correlation_id for s in reading.shown if s.correlation_id] == [1, 2]
    assert [e.frame for e in reading.experts if e.severity == "error" and e.name.startswith("kafka.")] == [frame]
    assert reading.malformed == []
