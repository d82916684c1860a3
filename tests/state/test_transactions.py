# SPDX-License-Identifier: GPL-2.0-or-later
"""The requests of a transaction, and how it ends."""

from decimal import Decimal
from pathlib import Path

import pytest
from common.handmade import Reading, read
from common.manifest import capture
from common.messages import array, int8, int16, int32, int64, request, response, string
from common.pcap import Capture, Connection
from common.shown import Shown
from common.tshark import Tshark

PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])
ABORT, COMMIT = "0", "1"


def value(shown: Shown, name: str) -> str | None:
    found = shown.item.shows(f"kafka.transaction.{name}")
    assert len(found) <= 1
    return found[0] if found else None


def begins(reading: Reading) -> dict[int, str | None]:
    return {s.frame: value(s, "first_frame") for s in reading.shown}


def durations(reading: Reading) -> dict[int, Decimal]:
    found = {s.frame: value(s, "duration") for s in reading.shown}
    return {frame: Decimal(text) for frame, text in found.items() if text is not None}


@PASSES
def test_real_transactions(tshark: Tshark, passes: tuple[str, ...]) -> None:
    reading = Reading(tshark, capture("java-4.4-transactions").path, passes)
    found = {frame: first for frame, first in begins(reading).items() if first is not None}
    first = [30, 38, 39, 40, 42, 43, 54, 56]
    second = [44, 45, 51, 57, 58, 59, 60, 62, 63, 67]
    for frames, begin in ((first, "30"), (second, "44")):
        assert {found[frame] for frame in frames} == {begin}
    assert set(found.values()) == {"30", "44", "123", "136"}
    times = durations(reading)
    assert times[43] == times[54] == Decimal("0.038982571")
    assert sorted(times) == [43, 54, 56, 62, 63, 67, 134, 135, 139, 182, 184, 185]
    ends = {s.frame: (value(s, "end_frame"), value(s, "outcome")) for s in reading.shown}
    if passes:
        assert ends[30] == ends[40] == ("42", COMMIT)
        assert ends[44] == ends[59] == ("60", ABORT)
    else:
        assert set(ends.values()) == {(None, None)}


def add_offsets(correlation_id: int, transactional_id: str) -> bytes:
    """Version 0."""
    return request(25, 0, correlation_id, string(transactional_id) + int64(7) + int16(0) + string("group"))


def init_producer_id(correlation_id: int, transactional_id: str | None) -> bytes:
    return request(22, 0, correlation_id, string(transactional_id) + int32(1000))


def end(correlation_id: int, transactional_id: str, committed: bool) -> bytes:
    return request(26, 0, correlation_id, string(transactional_id) + int64(7) + int16(0) + int8(committed))


def answer(correlation_id: int, error: int = 0) -> bytes:
    """Of AddOffsetsToTxn and EndTxn version 0."""
    return response(correlation_id, int32(0) + int16(error))


def markers(correlation_id: int, producer_id: int, committed: bool) -> bytes:
    marker = int64(producer_id) + int16(0) + int8(committed) + array([]) + int32(0)
    return request(27, 0, correlation_id, array([marker]))


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
    assert list(begins(reading).values()) == [str(first), None, str(first), None, str(second)]


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
    (other,) = connection.request(markers(4, 7, False))
    (unknown,) = connection.request(markers(5, 8, True))
    (right,) = connection.request(markers(6, 7, True))
    (late,) = connection.request(end(7, "a", False))
    reading = read(tshark, made, scratch, passes)
    assert durations(reading) == {done: Decimal("0.004"), right: Decimal("0.004")}
    found = begins(reading)
    assert {found[frame] for frame in (first, refused, done, right)} == {str(first)}
    assert (found[other], found[unknown], found[late]) == (None, None, str(late))
