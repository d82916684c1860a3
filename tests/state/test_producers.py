# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether the batches of idempotent producers follow each other."""

from pathlib import Path

import pytest
from common.handmade import Reading, read
from common.manifest import capture
from common.messages import array, int16, int32, produce_response, request, string
from common.pcap import CLIENT, Capture, Connection
from common.tshark import Tshark
from record_builder import Batch, some_records

PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])
REPEATED, GAP, BACK = "kafka.producer.repeated", "kafka.producer.gap", "kafka.producer.back"
NEW_EPOCH, EPOCH_START = "kafka.producer.new_epoch", "kafka.producer.epoch_start"
FENCED, WRAPPED = "kafka.producer.fenced", "kafka.producer.wrapped"
LINKS = ("kafka.producer.repeats_frame", "kafka.producer.previous_frame")


def batch(sequence: int, count: int = 1, epoch: int = 0, producer_id: int = 4711) -> bytes:
    records = some_records(count)
    return bytes(Batch(records, producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence))


def produce(correlation_id: int, *partitions: tuple[str, int, bytes]) -> bytes:
    """Version 3."""
    topics = [string(topic) + array([int32(number) + int32(len(records)) + records]) for topic, number, records in partitions]
    return request(0, 3, correlation_id, string(None) + int16(-1) + int32(1500) + array(topics))


def remarks(reading: Reading) -> list[tuple[int, str, str]]:
    return [(e.frame, e.name, e.severity) for e in reading.experts if e.name.startswith("kafka.producer.")]


def links(reading: Reading) -> dict[int, list[str]]:
    return {s.frame: [v for name in LINKS for v in s.item.shows(name)] for s in reading.shown if s.api_key == 0}


@PASSES
def test_real_repeats(tshark: Tshark, passes: tuple[str, ...]) -> None:
    """A proxy sent some requests twice, one of them long after."""
    reading = Reading(tshark, capture("err-4.4-duplicate-batch").path, passes)
    assert remarks(reading) == [(frame, REPEATED, "note") for frame in (24, 33, 51)]
    shown = links(reading)
    assert {frame: to for frame, to in shown.items() if to} == {24: ["22"], 33: ["31"], 51: ["21"]}


@PASSES
def test_real_fencing(tshark: Tshark, passes: tuple[str, ...]) -> None:
    """Another producer with the same transactional id takes over."""
    reading = Reading(tshark, capture("java-4.4-fenced-producer").path, passes)
    assert remarks(reading) == [(63, NEW_EPOCH, "chat"), (69, FENCED, "warning")]
    assert links(reading)[69] == ["63"]


@PASSES
@pytest.mark.parametrize("name", ["java-4.4-produce-fetch-none", "java-4.4-acks0-acks1-pipelined", "go-franz-4.4"])
def test_nothing_to_remark(tshark: Tshark, name: str, passes: tuple[str, ...]) -> None:
    reading = Reading(tshark, capture(name).path, passes)
    assert [row for row in remarks(reading) if row[2] != "chat"] == []


def test_filters(tshark: Tshark) -> None:
    """Found where nobody looks at the tree."""
    path = capture("err-4.4-duplicate-batch").path
    for found in (REPEATED, "kafka.producer.repeats_frame"):
        assert tshark.read(path, ["-Y", found, "-T", "fields", "-e", "frame.number"]).text.split() == ["24", "33", "51"]


class Producer:
    def __init__(self) -> None:
        self.capture = Capture()
        self.connection = Connection(self.capture).open()
        self.number = 0

    def send(self, *partitions: tuple[str, int, bytes]) -> int:
        self.number += 1
        (frame,) = self.connection.request(produce(self.number, *partitions), 60000)
        self.connection.response(produce_response(self.number))
        return frame


@PASSES
def test_partitions_and_producers_count_apart(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    client = Producer()
    client.send(("a", 0, batch(0, 3)), ("a", 1, batch(0, 2)), ("b", 0, batch(0)))
    client.send(("a", 0, batch(3)), ("a", 1, batch(2)), ("b", 0, batch(1)))
    client.send(("a", 0, batch(0, producer_id=5)), ("a", 0, batch(4)))
    client.send(("a", 0, batch(-1, producer_id=-1)), ("a", 0, batch(5) + batch(6)))
    reading = read(tshark, client.capture, scratch, passes)
    assert remarks(reading) == []


@PASSES
def test_repeat_gap_back(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    client = Producer()
    first = client.send(("a", 0, batch(0, 3)))
    again = client.send(("a", 0, batch(0, 3)))
    gap = client.send(("a", 0, batch(5, 2)))
    back = client.send(("a", 0, batch(4)))
    client.send(("a", 0, batch(7)))
    reading = read(tshark, client.capture, scratch, passes)
    assert remarks(reading) == [(again, REPEATED, "note"), (gap, GAP, "note"), (back, BACK, "warning")]
    messages = [e.message for e in reading.experts if e.name.startswith("kafka.producer.")]
    assert messages == [
        f"The batch from sequence 0 to 2 was sent before, in frame {first}",
        f"Sequence numbers 3 to 4 are missing behind frame {first}",
        f"Sequence 4, where 7 was to come behind frame {gap}",
    ]
    assert links(reading)[again] == [str(first)]
    assert links(reading)[back] == [str(gap)]


@PASSES
def test_epochs_and_the_greatest_sequence(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    client = Producer()
    client.send(("a", 0, batch(2**31 - 2, 2)))
    wrapped = client.send(("a", 0, batch(0, 2)))
    higher = client.send(("a", 0, batch(0, 2, epoch=1)))
    client.send(("a", 0, batch(2, 2, epoch=1)))
    fenced = client.send(("a", 0, batch(2, 2)))
    odd = client.send(("a", 0, batch(9, epoch=3)))
    reading = read(tshark, client.capture, scratch, passes)
    assert remarks(reading) == [
        (wrapped, WRAPPED, "chat"),
        (higher, NEW_EPOCH, "chat"),
        (fenced, FENCED, "warning"),
        (odd, EPOCH_START, "note"),
    ]
    assert links(reading)[fenced] == [str(higher)]


@PASSES
def test_sent_again_on_another_connection(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    made = Capture()
    first = Connection(made).open()
    second = Connection(made, client_port=50001).open()
    (frame,) = first.request(produce(1, ("a", 0, batch(0))))
    second.request(produce(1, ("a", 0, batch(0))))
    reading = read(tshark, made, scratch, passes)
    assert [row[1] for row in remarks(reading)] == [REPEATED]
    assert list(links(reading).values()) == [[], [str(frame)]]


@PASSES
@pytest.mark.parametrize("options", [(), ("-o", "tcp.reassemble_out_of_order:TRUE")], ids=["default", "out-of-order"])
def test_retransmissions_are_no_repeats(
    tshark: Tshark, scratch: Path, options: tuple[str, ...], passes: tuple[str, ...]
) -> None:
    made = Capture()
    connection = Connection(made).open()
    for number in range(5):
        message = produce(number, ("a", 0, batch(number)))
        at = connection.sent[CLIENT]
        connection.request(message)
        connection.segment(CLIENT, at, message)
    reading = read(tshark, made, scratch, (*options, *passes))
    assert len([s for s in reading.shown if s.api_key == 0]) == 5
    assert remarks(reading) == []
