# SPDX-License-Identifier: GPL-2.0-or-later
"""The requests of a transaction, and how it ends."""

from decimal import Decimal
from pathlib import Path

import pytest
from common.handmade import Reading, read
from common.manifest import capture
from common.messages import (
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
)
from common.pcap import Capture, Connection
from common.shown import Shown
from common.tshark import Item, Tshark
from fetches import fetch_request, fetch_response
from record_builder import Batch, marker, some_records

PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])
ABORT, COMMIT = "0", "1"


def transactions(shown: Shown) -> list[Item]:
    """Those that the message itself belongs to; those that control batches end stand deeper."""
    return [child for child in shown.item.children if child.name == "kafka.transaction"]


def value(shown: Shown, name: str) -> str | None:
    found = [text for item in transactions(shown) for text in item.shows(f"kafka.transaction.{name}")]
    assert len(found) <= 1
    return found[0] if found else None


def begins(reading: Reading) -> dict[int, str | None]:
    return {s.frame: value(s, "first_frame") for s in reading.shown}


def durations(reading: Reading) -> dict[int, Decimal]:
    found = {s.frame: value(s, "duration") for s in reading.shown}
    return {frame: Decimal(text) for frame, text in found.items() if text is not None}


def ends(reading: Reading) -> dict[int, tuple[str | None, str | None]]:
    return {s.frame: (value(s, "end_frame"), value(s, "outcome")) for s in reading.shown}


def markers_in_log(reading: Reading) -> dict[int, list[tuple[str, str, str]]]:
    """Of each Fetch response, the control batches: base offset, begin and outcome of the transaction."""
    found: dict[int, list[tuple[str, str, str]]] = {}
    for shown in reading.shown:
        offset = ""
        for item in shown.item.walk():
            if item.name == "kafka.offset":
                offset = item.show
            elif item.name == "kafka.transaction" and offset:
                begin, outcome = (item.first(f"kafka.transaction.{name}").show for name in ("first_frame", "outcome"))
                found.setdefault(shown.frame, []).append((offset, begin, outcome))
    return found


@PASSES
def test_real_transactions(tshark: Tshark, passes: tuple[str, ...]) -> None:
    reading = Reading(tshark, capture("java-4.4-transactions").path, passes)
    found = {frame: first for frame, first in begins(reading).items() if first is not None}
    first = [30, 38, 39, 40, 42, 43, 54, 56]
    second = [44, 45, 51, 57, 58, 59, 60, 62, 63, 67]
    for frames, begin in ((first, "30"), (second, "44")):
        assert {found[frame] for frame in frames} == {begin}
    assert set(found.values()) == {"30", "44", "123", "136"}
    assert {frame for frame in (24, 25) if frame in found} == ({24, 25} if passes else set())
    times = durations(reading)
    assert times[43] == times[54] == Decimal("0.038982571")
    assert sorted(times) == [43, 54, 56, 62, 63, 67, 134, 135, 139, 182, 184, 185]
    known = ends(reading)
    assert known[43] == known[54] == ("42", COMMIT)
    assert known[62] == known[67] == ("60", ABORT)
    assert known[42] == (None, COMMIT if passes else None)
    assert known[30] == known[40] == (("42", COMMIT) if passes else (None, None))
    assert known[44] == known[59] == (("60", ABORT) if passes else (None, None))
    starts = {value(s, "init_frame") for s in reading.shown if s.frame in found and s.frame not in (24, 25)}
    assert starts == {"24"}
    assert {value(s, "id") for s in reading.shown if s.frame in found} == {"tx-1"}
    assert markers_in_log(reading) == {
        112: [("6", "30", COMMIT), ("14", "44", ABORT), ("4", "30", COMMIT), ("8", "44", ABORT)],
        189: [("10", "136", COMMIT)],
        264: [("6", "30", COMMIT), ("14", "44", ABORT), ("4", "30", COMMIT), ("8", "44", ABORT), ("10", "136", COMMIT)],
    }


@PASSES
@pytest.mark.parametrize("name, frame", [("broker-0.11.0-java-txn", 124), ("broker-3.9-java-txn", 160)])
def test_real_markers_of_one_epoch(tshark: Tshark, name: str, frame: int, passes: tuple[str, ...]) -> None:
    """Before KIP-890 all transactions of a producer have one epoch: offsets tell which one a marker ends."""
    made = capture(name)
    reading = Reading(tshark, made.path, (*made.options, *passes))
    found = markers_in_log(reading)[frame]
    begun = begins(reading)
    assert [outcome for _, _, outcome in found[:3]] == [COMMIT, ABORT, COMMIT]
    firsts = [int(first) for _, first, _ in found[:3]]
    assert firsts == sorted(set(firsts))
    assert all(begun[first] == str(first) for first in firsts)


@PASSES
def test_real_fenced_producer(tshark: Tshark, passes: tuple[str, ...]) -> None:
    """A second producer ends the transaction of the first, whose later requests belong to what is over."""
    reading = Reading(tshark, capture("java-4.4-fenced-producer").path, passes)
    begun, known = begins(reading), ends(reading)
    assert {begun[frame] for frame in (36, 40, 69, 70, 76, 79)} == {"36"}
    assert {begun[frame] for frame in (63, 67, 72, 73, 75)} == {"63"}
    assert known[69] == known[76] == ("59", ABORT)
    assert known[73] == ("72", COMMIT)
    assert {value(s, "init_frame") for s in reading.shown if s.frame in (36, 69)} == {"31"}
    assert {value(s, "init_frame") for s in reading.shown if s.frame in (58, 63, 73)} == {"52"}


def add_offsets(correlation_id: int, transactional_id: str, producer_id: int = 7, epoch: int = 0) -> bytes:
    """Version 0."""
    producer = int64(producer_id) + int16(epoch)
    return request(25, 0, correlation_id, string(transactional_id) + producer + string("group"))


def init_producer_id(correlation_id: int, transactional_id: str | None) -> bytes:
    return request(22, 0, correlation_id, string(transactional_id) + int32(1000))


def end(correlation_id: int, transactional_id: str, committed: bool) -> bytes:
    return request(26, 0, correlation_id, string(transactional_id) + int64(7) + int16(0) + int8(committed))


def init_answer(correlation_id: int, producer_id: int, epoch: int, error: int = 0) -> bytes:
    """Version 0."""
    return response(correlation_id, int32(0) + int16(error) + int64(producer_id) + int16(epoch))


def produce(correlation_id: int, transactional_id: str, epoch: int = 0, first: int = 0) -> bytes:
    """Version 3: a batch of two records for partition 0 of "t", by producer 7."""
    records = some_records(2)
    batch = bytes(Batch(records, attributes=0x10, producer_id=7, producer_epoch=epoch, base_sequence=first))
    partition = int32(0) + int32(len(batch)) + batch
    body = string(transactional_id) + int16(-1) + int32(1500) + array([string("t") + array([partition])])
    return request(PRODUCE, 3, correlation_id, body)


def produced(correlation_id: int, offset: int, error: int = 0) -> bytes:
    partition = int32(0) + int16(error) + int64(offset) + int64(-1)
    return response(correlation_id, array([string("t") + array([partition])]) + int32(0))


def in_log(offset: int, kind: int, epoch: int = 0, attributes: int = 0x30) -> bytes:
    batch = Batch([marker(kind)], attributes=attributes, base_offset=offset, producer_id=7, producer_epoch=epoch)
    return bytes(batch)


def answer(correlation_id: int, error: int = 0) -> bytes:
    """Of AddOffsetsToTxn and EndTxn version 0."""
    return response(correlation_id, int32(0) + int16(error))


def markers(correlation_id: int, *rows: tuple[int, int, bool]) -> bytes:
    """Of each: producer id, epoch, whether it commits."""
    made = [int64(row[0]) + int16(row[1]) + int8(row[2]) + array([]) + int32(0) for row in rows]
    return request(27, 0, correlation_id, array(made))


@PASSES
def test_ids_count_apart(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    made = Capture()
    one = Connection(made).open()
    other = Connection(made, client_port=50001).open()
    (first,) = one.request(add_offsets(1, "a"))
    (second,) = other.request(add_offsets(1, "b"))
    one.request(end(2, "a", True))
    one.response(answer(2))
    (third,) = one.request(add_offsets(3, "a"))
    other.request(end(2, "b", False))
    reading = read(tshark, made, scratch, passes)
    assert list(begins(reading).values()) == [str(n) for n in (first, second, first, first, third, second)]


@PASSES
def test_a_new_producer_ends_it(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    made = Capture()
    connection = Connection(made).open()
    (first,) = connection.request(add_offsets(1, "a"))
    connection.request(init_producer_id(2, None))
    connection.request(add_offsets(3, "a"))
    connection.request(init_producer_id(4, "a"))
    (second,) = connection.request(add_offsets(5, "a"))
    reading = read(tshark, made, scratch, passes)
    later = str(second) if passes else None
    assert list(begins(reading).values()) == [str(first), None, str(first), later, str(second)]
    assert [value(shown, "init_frame") for shown in reading.shown] == [None, None, None, None, str(second - 1)]


@PASSES
def test_refused_and_repeated_end(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """The time counts to the response without error; markers belong to what ended as they say."""
    made = Capture()
    connection = Connection(made).open()
    (first,) = connection.request(add_offsets(1, "a"))
    connection.request(end(2, "a", True))
    (refused,) = connection.response(answer(2, 51))
    connection.request(end(3, "a", True))
    (done,) = connection.response(answer(3))
    (other,) = connection.request(markers(4, (7, 0, False)))
    (unknown,) = connection.request(markers(5, (8, 0, True)))
    (right,) = connection.request(markers(6, (7, 0, True)))
    (late,) = connection.request(end(7, "a", False))
    reading = read(tshark, made, scratch, passes)
    assert durations(reading) == {done: Decimal("0.004"), right: Decimal("0.004")}
    known = ends(reading)
    assert known[refused] == (str(refused - 1), COMMIT if passes else None)
    assert known[done] == (str(refused - 1), COMMIT)
    found = begins(reading)
    assert {found[frame] for frame in (first, refused, done, right)} == {str(first)}
    assert (found[other], found[unknown], found[late]) == (None, None, str(late))


@PASSES
def test_the_broker_ends_what_takes_too_long(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """Nobody asked for the marker, and its epoch is a new one; the client does not know yet."""
    made = Capture()
    connection = Connection(made).open()
    (first,) = connection.request(add_offsets(1, "a"))
    (early,) = connection.request(markers(2, (7, 0, False)))
    (wrong,) = connection.request(markers(3, (7, 1, True)))
    (aborted,) = connection.request(markers(4, (7, 1, False)))
    (late,) = connection.request(end(5, "a", True))
    reading = read(tshark, made, scratch, passes)
    assert [begins(reading)[frame] for frame in (early, wrong, aborted, late)] == [None, None, str(first), str(first)]
    assert ends(reading)[late] == (str(aborted), ABORT)
    assert durations(reading) == {aborted: Decimal("0.003"), late: Decimal("0.003")}


@PASSES
def test_a_producer_that_the_broker_refuses(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """What was under way goes on until the broker accepts the new producer."""
    made = Capture()
    connection = Connection(made).open()
    (first,) = connection.request(add_offsets(1, "a"))
    (asked,) = connection.request(init_producer_id(2, "a"))
    connection.response(init_answer(2, -1, -1, 51))
    connection.request(init_producer_id(3, "a"))
    (accepted,) = connection.response(init_answer(3, 7, 1))
    (fenced,) = connection.request(add_offsets(4, "a", 7, 0))
    (second,) = connection.request(add_offsets(5, "a", 7, 1))
    reading = read(tshark, made, scratch, passes)
    assert begins(reading)[fenced] == str(first)
    assert begins(reading)[second] == str(second)
    assert ends(reading)[fenced] == (str(accepted), ABORT)
    assert {value(s, "init_frame") for s in reading.shown if s.frame in (accepted, second)} == {str(asked)}


@PASSES
def test_several_transactions_in_a_message(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """Brokers gather what they add and mark."""

    def adding(transactional_id: str, producer_id: int) -> bytes:
        topics = compact_array([compact("t") + compact_array([int32(0)]) + b"\0"])
        return compact(transactional_id) + int64(producer_id) + int16(0) + b"\0" + topics + b"\0"

    made = Capture()
    connection = Connection(made).open()
    both = compact_array([adding("a", 7), adding("b", 8)]) + b"\0"
    (first,) = connection.request(request(24, 4, 1, both, tags=b"\0"))
    for number, transactional_id, producer_id in ((2, "a", 7), (3, "b", 8)):
        ending = string(transactional_id) + int64(producer_id) + int16(0) + int8(producer_id == 8)
        connection.request(request(26, 0, number, ending))
        connection.response(answer(number))
    connection.request(markers(4, (7, 0, False), (8, 0, True), (9, 0, True)))
    shown = read(tshark, made, scratch, passes).shown
    for message in (shown[0], shown[-1]):
        found = transactions(message)
        assert [item.showname for item in found] == ["Transaction: a", "Transaction: b"]
        assert [item.shows("kafka.transaction.first_frame") for item in found] == [[str(first)], [str(first)]]
    outcomes = [item.shows("kafka.transaction.outcome") for item in transactions(shown[-1])]
    assert outcomes == [[ABORT], [COMMIT]]


def fetched(made: Connection, number: int, records: bytes) -> int:
    made.request(fetch_request(number, 0, -1, [("t", [0])]))
    (frame,) = made.response(fetch_response(number, 0, [("t", [(0, 100, records)])]))
    return frame


@PASSES
def test_markers_in_the_log(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """By where transactions began in the partition; not where outcome or epoch are others, nor other control batches."""
    made = Capture()
    connection = Connection(made).open()
    firsts = []
    for number, (offset, committed) in enumerate([(10, True), (20, False), (30, True)]):
        firsts += connection.request(produce(3 * number, "a", first=2 * number))
        connection.response(produced(3 * number, offset))
        connection.request(end(3 * number + 1, "a", committed))
        connection.response(answer(3 * number + 1))
    log = [in_log(9, 1), in_log(15, 1), in_log(25, 0), in_log(26, 1), in_log(27, 0, 3), in_log(33, 1, 0, 0x20)]
    frame = fetched(connection, 100, b"".join([*log, in_log(40, 1)]))
    reading = read(tshark, made, scratch, passes)
    one, two, three = (str(first) for first in firsts)
    assert markers_in_log(reading) == {
        frame: [("15", one, COMMIT), ("25", two, ABORT), ("40", three, COMMIT)],
    }


@PASSES
def test_a_marker_tells_the_end(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """Only a consumer sees that the broker aborted; a batch that the broker refused does not count."""
    made = Capture()
    connection = Connection(made).open()
    (first,) = connection.request(produce(1, "a"))
    connection.response(produced(1, 10))
    frame = fetched(connection, 2, in_log(12, 0, 1))
    (second,) = connection.request(produce(3, "a", 2, 2))
    connection.response(produced(3, 30, 47))
    other = fetched(connection, 4, in_log(40, 1, 2))
    reading = read(tshark, made, scratch, passes)
    assert markers_in_log(reading) == {frame: [("12", str(first), ABORT)]}
    assert begins(reading)[second] == str(second)
    assert other > second
    assert ends(reading)[first] == ((str(frame), ABORT) if passes else (None, None))


def test_filters(tshark: Tshark) -> None:
    """What a control batch ends is found where nobody looks at the tree."""
    path = capture("java-4.4-transactions").path
    found = tshark.read(path, ["-Y", "kafka.transaction.id == tx-1 && kafka.api_key == 1", "-T", "fields", "-e", "frame.number"])
    assert found.text.split() == ["112", "189", "264"]
    found = tshark.read(path, ["-Y", "kafka.transaction.outcome == ABORT", "-T", "fields", "-e", "frame.number"])
    assert found.text.split() == ["62", "63", "67", "112", "264"]
