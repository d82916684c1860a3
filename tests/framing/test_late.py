# SPDX-License-Identifier: GPL-2.0-or-later
"""What comes after bytes that stand behind it in the stream. With its default preferences TCP brings of that fast
retransmissions, up to Wireshark 4.4, and withholds what it takes for other retransmissions; where it does not analyse
sequence numbers it brings all. No message is shown twice, and none is shown that does not begin where one is known to
begin."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from common.handmade import Reading, read
from common.messages import metadata_request
from common.pcap import CLIENT, SERVER, Capture, Connection
from common.tshark import Tshark

PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])
REQUESTS = [metadata_request(number, ["t" * 50, f"topic-{number}"]) for number in range(1, 7)]
STREAM = b"".join(REQUESTS)
SIZE = len(REQUESTS[0])  # all are of one size
DEFAULT: tuple[str, ...] = ()
BRINGS_ALL = ("-o", "tcp.analyze_sequence_numbers:FALSE")
OPTIONS = pytest.mark.parametrize("options", [DEFAULT, BRINGS_ALL], ids=["default", "without-analysis"])


@dataclass
class Stream:
    """A connection whose client sends STREAM."""

    capture: Capture = field(default_factory=Capture)
    connection: Connection = field(init=False)

    def __post_init__(self) -> None:
        self.connection = Connection(self.capture).open()

    def send(self, begin: float, end: float) -> int:
        """Sends what stands between two places, which count in requests."""
        first, last = round(begin * SIZE), round(end * SIZE)
        return self.connection.segment(CLIENT, first, STREAM[first:last])

    def send_again(self, begin: float, end: float) -> int:
        """Sends it at once when three acknowledgements asked for it."""
        sent = self.connection.sent[CLIENT]
        self.connection.sent[CLIENT] = round(begin * SIZE)
        for _ in range(4):
            self.connection.segment(SERVER, self.connection.sent[SERVER], b"")
        self.connection.sent[CLIENT] = sent
        return self.send(begin, end)


def brought(tshark: Tshark, options: tuple[str, ...], late: dict[int, int]) -> dict[int, int]:
    """What is shown of what comes late by a fast retransmission."""
    return late if options or tshark.version() < (4, 6) else {}


def shown(reading: Reading) -> dict[int | None, int]:
    """Correlation ids of what is shown, with their frames."""
    found = {one.correlation_id: one.frame for one in reading.shown}
    assert len(found) == len(reading.shown)
    for one in reading.shown:
        assert one.item.shows("kafka.topic_name") == ["t" * 50, f"topic-{one.correlation_id}"]
    assert reading.malformed == []
    return found


@PASSES
@OPTIONS
def test_all_of_a_gap(
    tshark: Tshark, scratch: Path, options: tuple[str, ...], passes: tuple[str, ...]
) -> None:
    stream = Stream()
    first, fourth = stream.send(0, 1), stream.send(3, 4)
    late = stream.send_again(1, 3)
    rest = stream.send(4, 6)
    reading = read(tshark, stream.capture, scratch, [*options, *passes])
    assert shown(reading) == {1: first, 4: fourth, 5: rest, 6: rest} | brought(tshark, options, {2: late, 3: late})


@PASSES
@OPTIONS
def test_a_gap_in_parts(
    tshark: Tshark, scratch: Path, options: tuple[str, ...], passes: tuple[str, ...]
) -> None:
    """The first part ends where a message does, the second inside one."""
    stream = Stream()
    first, last = stream.send(0, 1), stream.send(5, 6)
    parts = [stream.send_again(1, 2), stream.send_again(2, 3.5), stream.send_again(3.5, 5)]
    reading = read(tshark, stream.capture, scratch, [*options, *passes])
    late = {2: parts[0], 3: parts[1], 4: parts[2], 5: parts[2]}
    assert shown(reading) == {1: first, 6: last} | brought(tshark, options, late)


@PASSES
@OPTIONS
@pytest.mark.parametrize("begin", [0, 0.5])
@pytest.mark.parametrize("end", [2, 2.5, 3, 4, 4.5])
def test_more_than_a_gap(
    tshark: Tshark, scratch: Path, begin: float, end: float, options: tuple[str, ...], passes: tuple[str, ...]
) -> None:
    """Bytes before and behind the gap came already. Of what ends inside the gap the rest does not come."""
    stream = Stream()
    first, fourth = stream.send(0, 1), stream.send(3, 4.5)
    late = stream.send_again(begin, end)
    rest = stream.send(4.5, 6)
    reading = read(tshark, stream.capture, scratch, [*options, *passes])
    second = {2: late} | ({3: late} if end >= 3 else {})
    assert shown(reading) == {1: first, 4: fourth, 5: rest, 6: rest} | brought(tshark, options, second)


@PASSES
@OPTIONS
def test_inside_a_gap(
    tshark: Tshark, scratch: Path, options: tuple[str, ...], passes: tuple[str, ...]
) -> None:
    """Where a message begins in the middle of a gap nobody knows, until what is before that comes."""
    stream = Stream()
    first, fifth = stream.send(0, 1), stream.send(4, 5)
    middle = stream.send_again(2, 3)
    late = stream.send_again(1, 2)
    again = stream.send_again(2, 4)
    rest = stream.send(5, 6)
    reading = read(tshark, stream.capture, scratch, [*options, *passes])
    found = brought(tshark, options, {2: late, 3: again, 4: again})
    assert shown(reading) == {1: first, 5: fifth, 6: rest} | found
    assert [one.frame for one in reading.items if not one.is_message] == ([middle] if found else [])


@PASSES
def test_what_tcp_withholds(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """No acknowledgement asked for it: TCP takes it for a retransmission of what it had, and keeps it."""
    stream = Stream()
    first, fourth = stream.send(0, 1), stream.send(3, 4)
    late = stream.send(1, 3)
    rest = stream.send(4, 6)
    reading = read(tshark, stream.capture, scratch, passes)
    assert shown(reading) == {1: first, 4: fourth, 5: rest, 6: rest}
    assert "kafka" not in reading.protocols(late)
