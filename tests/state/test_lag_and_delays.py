# SPDX-License-Identifier: GPL-2.0-or-later
"""How far consumers are behind, and what a Fetch waited for."""

from decimal import Decimal
from pathlib import Path

import pytest
from common.handmade import Reading, read
from common.manifest import capture
from common.messages import array, heartbeat_request, heartbeat_response, int32, int64, produce_request, request, string
from common.pcap import Capture, Connection
from common.tshark import Tshark
from fetches import fetch_request, fetch_response
from record_builder import Batch, some_records

PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])


def offset_commit(correlation_id: int, *partitions: tuple[str, int, int]) -> bytes:
    """Version 2."""
    topics = [string(t) + array([int32(number) + int64(offset) + string(None)]) for t, number, offset in partitions]
    return request(8, 2, correlation_id, string("g") + int32(1) + string("m") + int64(-1) + array(topics))


def batch(base_offset: int, count: int) -> bytes:
    return bytes(Batch(some_records(count), base_offset=base_offset))


@PASSES
def test_lag_of_what_is_returned(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    made = Capture()
    connection = Connection(made).open()
    connection.request(fetch_request(1, 0, -1, [("a", [0, 1, 2, 3])]))
    rows = [(0, 100, batch(10, 5) + batch(15, 5)), (1, 7, batch(3, 4)), (2, 50, b""), (3, 50, None)]
    partial = (4, 40, batch(0, 3) + batch(3, 9)[:-1])
    connection.response(fetch_response(1, 0, [("a", [*rows, partial])]))
    reading = read(tshark, made, scratch, passes)
    assert reading.shown[1].item.shows("kafka.fetch_lag") == ["80", "0", "37"]


@PASSES
def test_lag_of_what_is_committed(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """Also where another connection fetched; an offset for a partition that nobody fetched has none."""
    made = Capture()
    fetching = Connection(made).open()
    committing = Connection(made, client_port=50001).open()
    committing.request(offset_commit(1, ("a", 0, 1)))
    frames = []
    for number, watermark in ((1, 100), (2, 120)):
        fetching.request(fetch_request(number, 0, -1, [("a", [0, 1])]))
        frames += fetching.response(fetch_response(number, 0, [("a", [(0, watermark, None), (1, 9, None)])]))
        committing.request(offset_commit(number + 1, ("b", 0, 5), ("a", 0, 90), ("a", 1, 9), ("a", 1, -1), ("a", 1, 11)))
    reading = read(tshark, made, scratch, passes)
    commits = [s for s in reading.shown if s.api_key == 8]
    assert [s.item.shows("kafka.commit_lag") for s in commits] == [[], ["10", "0", "-2"], ["30", "0", "-2"]]
    assert [s.item.shows("kafka.high_watermark_frame") for s in commits[1:]] == [[str(f)] * 3 for f in frames]


@PASSES
def test_real_consumer(tshark: Tshark, passes: tuple[str, ...]) -> None:
    """It reads everything, and commits that: topics by id in Fetch, by name in OffsetCommit."""
    reading = Reading(tshark, capture("java-4.4-produce-fetch-none").path, passes)
    lags = [s.item.shows("kafka.fetch_lag") for s in reading.shown if s.api_key == 1]
    assert [found for found in lags if found] == [["0", "0"]]
    commits = [s.item.shows("kafka.commit_lag") for s in reading.shown if s.api_key == 8]
    assert [found for found in commits if found] == [["0", "0"], ["0", "0"]]


def test_lag_in_io_graphs(tshark: Tshark) -> None:
    path = capture("java-4.4-produce-fetch-none").path
    graph = tshark.read(path, ["-q", "-z", "io,stat,0,MAX(kafka.commit_lag)kafka.commit_lag"]).text
    assert "|   0 |" in graph or "|      0 |" in graph or " 0 |" in graph


def test_lag_is_found_by_filters(tshark: Tshark) -> None:
    path = capture("java-4.4-produce-fetch-none").path
    assert tshark.read(path, ["-Y", "kafka.fetch_lag == 0", "-T", "fields", "-e", "frame.number"]).text.split() == ["86"]
    frames = tshark.read(path, ["-Y", "kafka.commit_lag == 0", "-T", "fields", "-e", "frame.number"]).text.split()
    assert frames == ["89", "92"]


def waits(reading: Reading) -> list[tuple[list[str], list[str]]]:
    fetches = [s for s in reading.shown if s.api_key == 1 and s.value("kafka.time") is not None]
    return [(s.item.shows("kafka.fetch_waited"), s.item.shows("kafka.time_beyond_wait")) for s in fetches]


@PASSES
def test_waiting_is_told_from_being_slow(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    made = Capture()
    connection = Connection(made).open()
    for number, (wait, milliseconds) in enumerate([(500, 3), (500, 500), (500, 1700), (0, 900)], 1):
        connection.request(fetch_request(number, 0, -1, [("a", [0])], wait=wait))
        made.time_ns += (milliseconds - 1) * 10**6
        connection.response(fetch_response(number, 0))
    reading = read(tshark, made, scratch, passes)
    found = [(waited, [Decimal(time) for time in beyond]) for waited, beyond in waits(reading)]
    assert found == [(["0"], []), (["1"], [Decimal(0)]), (["1"], [Decimal("1.2")]), ([], [])]


@PASSES
def test_real_waiting(tshark: Tshark, passes: tuple[str, ...]) -> None:
    reading = Reading(tshark, capture("java-4.4-fetch-sessions").path, passes)
    found = waits(reading)
    beyond = [Decimal(time[0]) for waited, time in found if waited == ["1"]]
    assert len(beyond) >= 15
    assert max(beyond) < Decimal("0.02")
    assert len([1 for waited, _ in found if waited == ["0"]]) >= 5


@PASSES
def test_outstanding_requests(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    made = Capture()
    connection = Connection(made).open()
    connection.request(heartbeat_request(1))
    connection.request(heartbeat_request(2) + produce_request(3, b"", acks=0) + heartbeat_request(4))
    connection.response(heartbeat_response(1))
    connection.request(heartbeat_request(5))
    connection.response(heartbeat_response(2) + heartbeat_response(4) + heartbeat_response(5))
    connection.response(heartbeat_response(6))
    reading = read(tshark, made, scratch, passes)
    found = [s.number("kafka.outstanding") for s in reading.shown]
    assert found == [1, 2, 2, 3, 2, 3, 2, 1, 0, None]


@PASSES
def test_outstanding_requests_of_several_segments(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """What is announced by its first bytes counts once, and not at all where it wants no response."""
    made = Capture()
    connection = Connection(made).open()
    connection.request(produce_request(1, batch(0, 50), acks=1), 100)
    connection.request(produce_request(2, batch(0, 50), acks=0), 13)
    connection.request(heartbeat_request(3), 9)
    reading = read(tshark, made, scratch, passes)
    assert [s.number("kafka.outstanding") for s in reading.shown] == [1, 1, 2]
