# SPDX-License-Identifier: GPL-2.0-or-later
"""Fetch sessions and share sessions: what they hold, and whether requests follow each other."""

from pathlib import Path

import pytest
from common.handmade import Reading, read
from common.manifest import capture
from common.pcap import Capture, Connection
from common.shown import Shown
from common.tshark import Tshark
from fetches import fetch_request, fetch_response

PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])
EPOCH_GAP, LOST = "kafka.session.epoch_gap", "kafka.session.lost"
NOT_FOUND, INVALID_EPOCH = 70, 71

Held = list[tuple[str, list[int]]]


def held(shown: Shown) -> Held | None:
    """The partitions that the session holds, as shown; None where no session is."""
    session = shown.item.first("kafka.session")
    if session is None:
        return None
    topics = session.all("kafka.session.topic_name")
    found = [(topic.show, [int(n) for n in topic.shows("kafka.session.partition")]) for topic in topics]
    assert session.shows("kafka.session.partition_count") == [str(sum(len(numbers) for _, numbers in found))]
    return found


def first_frames(reading: Reading) -> set[str]:
    return {frame for shown in reading.shown for frame in shown.item.shows("kafka.session.first_frame")}


def session_experts(reading: Reading) -> list[tuple[int, str, str]]:
    return [(e.frame, e.name, e.severity) for e in reading.experts if e.name.startswith("kafka.session")]


@PASSES
def test_real_session(tshark: Tshark, passes: tuple[str, ...]) -> None:
    """Partitions are taken out, come back, and are taken out one by one: what the requests say is what is shown."""
    reading = Reading(tshark, capture("java-4.4-fetch-sessions").path, passes)
    everything = [("fs-a", [2, 1, 0]), ("fs-b", [2, 1, 0]), ("fs-c", [2, 1, 0]), ("fs-lat", [0])]
    shown = {s.frame: s for s in reading.shown if s.api_key == 1}
    assert held(shown[159]) is None, "whether a session is opened is known from the response"
    for frame in (183, 184, 186, 187, 196, 200):
        assert held(shown[frame]) == everything
    for frame in (201, 205, 279):
        assert held(shown[frame]) == everything[:1]
    assert held(shown[281]) == everything
    assert held(shown[304]) == [("fs-b", [2, 1]), ("fs-c", [2, 1, 0]), ("fs-lat", [0])]
    assert first_frames(reading) == {"159"}
    assert session_experts(reading) == []
    text = shown[187].item.first("kafka.session").showname
    assert text == "Fetch session 197413655, 10 partitions"


@PASSES
def test_real_share_session(tshark: Tshark, passes: tuple[str, ...]) -> None:
    reading = Reading(tshark, capture("java-4.4-share-group").path, passes)
    sessions = [held(s) for s in reading.shown if s.api_key in (78, 79)]
    assert sessions[0] is None
    assert len(sessions) > 50
    assert {str(found) for found in sessions[1:]} == {"[('jp-lz4', [0, 1])]"}
    assert first_frames(reading) == {"79"}
    assert session_experts(reading) == []


def test_filters(tshark: Tshark) -> None:
    """What a session holds is found where nobody looks at the tree."""
    path = capture("java-4.4-fetch-sessions").path
    held_by = tshark.read(path, ["-Y", 'kafka.session.topic_name == "fs-c"', "-T", "fields", "-e", "frame.number"])
    frames = held_by.text.split()
    assert {"184", "187", "300"} < set(frames)
    assert not {"201", "205", "249"} & set(frames)
    counts = tshark.read(path, ["-Y", "kafka.session.partition_count == 3", "-T", "fields", "-e", "frame.number"])
    assert counts.text.split()[:2] == ["201", "205"]


class Session:
    """A client and the responses of a broker that holds session 9."""

    def __init__(self) -> None:
        self.capture = Capture()
        self.connection = Connection(self.capture).open()
        self.number = 0

    def ask(self, session: int, epoch: int, *lists, answer: int | None = 9, error: int = 0) -> int:
        """Returns the request's frame."""
        self.number += 1
        (frame,) = self.connection.request(fetch_request(self.number, session, epoch, *lists))
        if answer is not None:
            self.connection.response(fetch_response(self.number, answer, error=error))
        return frame


def requests(reading: Reading) -> list[Held | None]:
    return [held(s) for s in reading.shown if s.direction == "REQUEST" or s.number("kafka.request_key") is not None]


@PASSES
def test_adds_and_forgets(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    client = Session()
    client.ask(0, 0, [("a", [0, 1]), ("b", [7])])
    client.ask(9, 1)
    client.ask(9, 2, [("a", [1, 2])], [("b", [7]), ("a", [0])])
    client.ask(9, 3, [("b", [7])], [("nothing", [3])])
    client.ask(9, -1)
    reading = read(tshark, client.capture, scratch, passes)
    assert requests(reading) == [
        None,
        [("a", [0, 1]), ("b", [7])],
        [("a", [1, 2])],
        [("a", [1, 2]), ("b", [7])],
        [("a", [1, 2]), ("b", [7])],
    ]
    assert session_experts(reading) == []


@PASSES
def test_no_session(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """A client that wants none, and a broker that opens none."""
    client = Session()
    for _ in range(2):
        client.ask(0, -1, [("a", [0])], answer=0)
        client.ask(0, 0, [("a", [0])], answer=0)
    reading = read(tshark, client.capture, scratch, passes)
    assert [held(s) for s in reading.shown] == [None] * 8
    assert session_experts(reading) == []


@PASSES
def test_begins_before_the_capture(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    client = Session()
    frame = client.ask(9, 41, [("a", [0])])
    client.ask(9, 42)
    reading = read(tshark, client.capture, scratch, passes)
    assert requests(reading) == [[("a", [0])], [("a", [0])]]
    assert first_frames(reading) == {str(frame)}
    texts = {s.item.first("kafka.session").showname for s in reading.shown}
    assert texts == {"Fetch session 9, at least 1 partition"}
    assert session_experts(reading) == []


@PASSES
def test_epochs_that_do_not_follow(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    client = Session()
    client.ask(0, 0, [("a", [0])])
    client.ask(9, 1)
    third = client.ask(9, 3)
    client.ask(9, 4)
    again = client.ask(9, 4)
    client.ask(9, 5)
    reading = read(tshark, client.capture, scratch, passes)
    assert session_experts(reading) == [(third, EPOCH_GAP, "note"), (again, EPOCH_GAP, "note")]
    messages = [e.message for e in reading.experts if e.name == EPOCH_GAP]
    assert messages[0] == f"Session epoch 3 does not follow that of frame {third - 2}: 2 was to come"


@PASSES
def test_epoch_behind_the_greatest(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    client = Session()
    for epoch in (2**31 - 2, 2**31 - 1, 1, 2):
        client.ask(9, epoch)
    assert session_experts(read(tshark, client.capture, scratch, passes)) == []


@PASSES
@pytest.mark.parametrize("error", [NOT_FOUND, INVALID_EPOCH])
def test_session_that_the_broker_lost(tshark: Tshark, scratch: Path, error: int, passes: tuple[str, ...]) -> None:
    client = Session()
    client.ask(0, 0, [("a", [0])])
    refused = client.ask(9, 1, answer=0, error=error)
    opened = client.ask(9, 0, [("b", [5])], answer=10)
    client.ask(10, 1, answer=10)
    reading = read(tshark, client.capture, scratch, passes)
    assert session_experts(reading) == [(refused + 1, LOST, "warning")]
    assert requests(reading) == [None, [("a", [0])], None, [("b", [5])]]
    assert reading.shown[-1].item.shows("kafka.session.first_frame") == [str(opened)]


@PASSES
def test_a_session_for_each_connection(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """The id of one broker's session says nothing about another's."""
    made = Capture()
    one = Connection(made).open()
    other = Connection(made, client_port=50001, server_address="10.0.0.3").open()
    for connection, topic in ((one, "a"), (other, "b")):
        connection.request(fetch_request(1, 0, 0, [(topic, [0])]))
        connection.response(fetch_response(1, 9))
    for connection in (one, other):
        connection.request(fetch_request(2, 9, 1))
    reading = read(tshark, made, scratch, passes)
    assert [held(s) for s in reading.shown[-2:]] == [[("a", [0])], [("b", [0])]]
