# SPDX-License-Identifier: GPL-2.0-or-later
"""How far consumers are behind, and what a Fetch waited for."""

from decimal import Decimal
from pathlib import Path

import pytest
from common.handmade import Reading, read
from common.manifest import capture
from common.messages import (
    FETCH,
    array,
    heartbeat_request,
    heartbeat_response,
    int8,
    int16,
    int32,
    int64,
    produce_request,
    request,
    response,
    string,
)
from common.pcap import Capture, Connection
from common.tshark import Tshark
from fetches import fetch_request, fetch_response
from record_builder import Batch, marker, some_records

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
    aborted = bytes(Batch([marker(0)], attributes=0x30, base_offset=20, producer_id=7, producer_epoch=0))
    rows = [(0, 100, batch(10, 5) + batch(15, 5)), (1, 7, batch(3, 4)), (2, 50, batch(10, 10) + aborted)]
    partial = (3, 40, batch(0, 3) + batch(3, 9)[:-1])
    connection.response(fetch_response(1, 0, [("a", [*rows, partial])]))
    reading = read(tshark, made, scratch, passes)
    assert reading.shown[1].item.shows("kafka.fetch_lag") == ["80", "0", "29", "37"]


Asked = list[tuple[int, int]]


def asking(number: int, session: int, epoch: int, asked: Asked) -> bytes:
    """Version 7: of each partition of "a", the number and the offset from which on."""
    partitions = [int32(partition) + int64(offset) + int64(-1) + int32(1000) for partition, offset in asked]
    body = int32(-1) + int32(500) + int32(1) + int32(10**6) + int8(0) + int32(session) + int32(epoch)
    return request(FETCH, 7, number, body + array([string("a") + array(partitions)]) + array([]))


@PASSES
def test_lag_where_nothing_is_returned(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """The consumer stays where its request was; not known where it did not say, or where the broker refuses."""
    made = Capture()
    connection = Connection(made).open()
    connection.request(asking(1, 0, -1, [(0, 10), (1, 20), (2, 30), (3, -1)]))
    rows = [(2, 100, b""), (0, 100, None), (1, 100, batch(20, 2)[:-1]), (3, 100, None), (4, 100, None), (0, -1, None)]
    connection.response(fetch_response(1, 0, [("a", rows)]))
    reading = read(tshark, made, scratch, passes)
    assert reading.shown[1].item.shows("kafka.fetch_lag") == ["70", "90", "80"]


@PASSES
def test_lag_in_a_session(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """Later requests list only what changes; the response to one is not measured by the next."""
    made = Capture()
    connection = Connection(made).open()
    asked: list[tuple[int, Asked]] = [(0, [(0, 10), (1, 20)]), (1, [(1, 25)]), (2, [])]
    for number, (epoch, changes) in enumerate(asked):
        connection.request(asking(number, 9 if epoch else 0, epoch, changes))
        connection.response(fetch_response(number, 9, [("a", [(0, 100, None), (1, 100, b"")])]))
    connection.request(asking(3, 9, 3, []) + asking(4, 9, 4, [(0, 50)]))
    for number in (3, 4):
        connection.response(fetch_response(number, 9, [("a", [(0, 100, None)])]))
    shown = read(tshark, made, scratch, passes).shown
    lags = [s.item.shows("kafka.fetch_lag") for s in shown if s.value("kafka.time") is not None]
    assert lags == [["90", "80"], ["90", "75"], ["90", "75"], [], ["50"]]


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
    assert [line for line in graph.splitlines() if "<>" in line][0].split("|")[2].strip() == "0"


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


@PASSES
def test_outstanding_requests_where_a_response_is_lost(
    tshark: Tshark, scratch: Path, passes: tuple[str, ...]
) -> None:
    """Brokers answer in order: what was asked before an answered request waits for nothing any more."""
    made = Capture()
    connection = Connection(made).open()
    for number in (1, 2, 3):
        connection.request(heartbeat_request(number))
    connection.response(heartbeat_response(2))
    connection.request(heartbeat_request(4))
    connection.response(heartbeat_response(4))
    connection.request(heartbeat_request(5))
    reading = read(tshark, made, scratch, passes)
    assert [s.number("kafka.outstanding") for s in reading.shown] == [1, 2, 3, 1, 2, 0, 1]


def test_outstanding_requests_in_io_graphs(tshark: Tshark) -> None:
    path = capture("raw-4.4-pipelined").path
    shown = tshark.read(path, ["-Y", "kafka.outstanding", "-T", "fields", "-e", "kafka.outstanding"]).text
    most = max(int(number) for number in shown.replace(",", "\n").split())
    graph = tshark.read(path, ["-q", "-z", "io,stat,0,MAX(kafka.outstanding)kafka.outstanding"]).text
    assert most > 1
    assert [line for line in graph.splitlines() if "<>" in line][0].split("|")[2].strip() == str(most)


def throttled(number: int, milliseconds: int) -> bytes:
    """Heartbeat version 1."""
    return response(number, int32(milliseconds) + int16(0))


@PASSES
def test_throttling_is_told_from_being_slow(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    made = Capture()
    connection = Connection(made).open()
    frames = []
    for number, (throttle, milliseconds) in enumerate([(0, 300), (200, 3), (200, 200), (200, 250), (-1, 5)]):
        connection.request(request(12, 1, number, string("g") + int32(1) + string("m")))
        made.time_ns += (milliseconds - 1) * 10**6
        frames += connection.response(throttled(number, throttle))
    reading = read(tshark, made, scratch, passes)
    answers = [s for s in reading.shown if s.value("kafka.time") is not None]
    beyond = [[Decimal(time) for time in s.item.shows("kafka.time_beyond_throttle")] for s in answers]
    assert beyond == [[], [], [Decimal(0)], [Decimal("0.05")], []]
    notes = [(e.frame, e.severity, e.message) for e in reading.experts if e.name == "kafka.throttled"]
    text = "The broker throttles this client for 200 ms"
    held = f"{text}, and may have held this response back"
    assert notes == [(frame, "note", t) for frame, t in zip(frames[1:4], [f"{text}, from this response on", held, held])]
    info = [line for _, _, line in tshark.columns(reading.path, [*passes, "-Y", "kafka.throttled"])]
    assert info == ["Heartbeat v1 Response, throttled 200 ms"] * 3
    found = tshark.read(reading.path, [*passes, "-Y", "kafka.time_beyond_throttle > 0", "-T", "fields", "-e", "frame.number"])
    assert found.text.split() == [str(frames[3])]
