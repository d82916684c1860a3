# SPDX-License-Identifier: GPL-2.0-or-later
"""PDUs and TCP segments: many segments a PDU, many PDUs a segment, repeated, overlapping, out of order, lost."""

from pathlib import Path

import pytest
from common.expert_names import CUT
from common.handmade import Reading, read, severe
from common.messages import (
    heartbeat_request,
    heartbeat_response,
    metadata_request,
    metadata_response,
    produce_request,
    produce_response,
)
from common.pcap import CLIENT, SERVER, Capture, Connection, cut
from common.splitter import REQUEST, RESPONSE
from common.tshark import Tshark

OUT_OF_ORDER = ("-o", "tcp.reassemble_out_of_order:TRUE")
PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])


def clean(reading: Reading) -> None:
    assert (severe(reading.experts), reading.malformed) == ([], [])


@PASSES
def test_one_pdu_in_a_thousand_segments(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    capture = Capture()
    connection = Connection(capture).open()
    topics = [f"topic-{number:04}" for number in range(1000)]
    request = metadata_request(1, topics)
    frames = connection.request(request, len(request) // 1000)
    answers = connection.response(metadata_response(1, topics[:3]))
    reading = read(tshark, capture, scratch, passes)
    assert len(frames) >= 1000
    assert reading.headers == [(frames[-1], REQUEST, 3, 1), (answers[0], RESPONSE, 3, 1)]
    assert reading.shown[0].item.shows("kafka.topic_name") == topics
    clean(reading)


@PASSES
def test_a_thousand_pdus_in_one_segment(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    capture = Capture()
    connection = Connection(capture).open()
    ids = list(range(1, 1001))
    (frame,) = connection.request(b"".join(heartbeat_request(i) for i in ids), 65000)
    (answer,) = connection.response(b"".join(heartbeat_response(i) for i in ids), 65000)
    reading = read(tshark, capture, scratch, passes)
    want = [(frame, REQUEST, 12, i) for i in ids] + [(answer, RESPONSE, 12, i) for i in ids]
    assert reading.headers == want
    assert {s.number("kafka.request_frame") for s in reading.shown if s.direction == RESPONSE} == {frame}
    clean(reading)


@PASSES
@pytest.mark.parametrize("first", [1, 2, 3, 4, 5, 7, 9, 11, 12, 13, 14])
def test_split_in_length_or_header(tshark: Tshark, scratch: Path, first: int, passes: tuple[str, ...]) -> None:
    """The first bytes of a PDU stand at the end of a segment that holds a whole PDU."""
    capture = Capture()
    connection = Connection(capture).open()
    whole = heartbeat_request(1)
    frames = connection.request(whole + heartbeat_request(2) + heartbeat_request(3), [len(whole) + first, 1448])
    answer = heartbeat_response(1)
    rest = min(first, len(answer) - 1)
    answers = connection.response(answer + heartbeat_response(2) + heartbeat_response(3), [len(answer) + rest, 1448])
    reading = read(tshark, capture, scratch, passes)
    assert reading.headers == [
        (frames[0], REQUEST, 12, 1),
        (frames[1], REQUEST, 12, 2),
        (frames[1], REQUEST, 12, 3),
        (answers[0], RESPONSE, 12, 1),
        (answers[1], RESPONSE, 12, 2),
        (answers[1], RESPONSE, 12, 3),
    ]
    clean(reading)


@PASSES
@pytest.mark.parametrize("size", [1, 2, 3, 5, 7])
def test_tiny_segments(tshark: Tshark, scratch: Path, size: int, passes: tuple[str, ...]) -> None:
    capture = Capture()
    connection = Connection(capture).open()
    ends: list[int] = []
    for i in (1, 2, 3):
        ends.append(connection.request(metadata_request(i, ["a", "b"]), size)[-1])
        ends.append(connection.response(metadata_response(i, ["a", "b"]), size)[-1])
    reading = read(tshark, capture, scratch, passes)
    assert [(s.frame, s.correlation_id) for s in reading.shown] == list(zip(ends, (1, 1, 2, 2, 3, 3), strict=True))
    clean(reading)


@PASSES
@pytest.mark.parametrize("options", [(), OUT_OF_ORDER], ids=["default", "out-of-order"])
def test_retransmitted(tshark: Tshark, scratch: Path, options: tuple[str, ...], passes: tuple[str, ...]) -> None:
    """Each segment twice: nothing is shown twice."""
    capture = Capture()
    connection = Connection(capture).open()
    for i in range(1, 6):
        for side, message in ((CLIENT, metadata_request(i, ["t" * 50])), (SERVER, metadata_response(i, ["t" * 50]))):
            start = connection.sent[side]
            for number, piece in enumerate(cut(message, 40)):
                for _ in range(2):
                    connection.segment(side, start + number * 40, piece)
    reading = read(tshark, capture, scratch, [*options, *passes])
    assert reading.correlation_ids == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert [e for e in severe(reading.experts) if e.name.startswith("kafka")] == []
    assert reading.malformed == []


@PASSES
@pytest.mark.parametrize("options", [(), OUT_OF_ORDER], ids=["default", "out-of-order"])
def test_overlapping(tshark: Tshark, scratch: Path, options: tuple[str, ...], passes: tuple[str, ...]) -> None:
    """Each segment repeats the last bytes of the one before, as after a retransmission with other borders. By default
    TCP takes all of them for retransmissions and withholds them."""
    capture = Capture()
    connection = Connection(capture).open()
    stream = b"".join(metadata_request(i, ["topic-one", "topic-two"]) for i in range(1, 21))
    at = 0
    while at < len(stream):
        connection.segment(CLIENT, max(at - 9, 0), stream[max(at - 9, 0) : at + 64])
        at += 64
    reading = read(tshark, capture, scratch, [*options, *passes])
    ids = [i for i in reading.correlation_ids if i is not None]
    assert ids == list(range(1, 21)) if options else set(ids) <= set(range(1, 21))
    for shown in reading.shown:
        assert shown.item.shows("kafka.topic_name") == ["topic-one", "topic-two"] or not options
    assert [e for e in severe(reading.experts) if e.name.startswith("kafka")] == []


def swapped(every: int) -> tuple[Capture, list[int]]:
    """Requests of several segments, with neighbours swapped at each `every`th segment."""
    capture = Capture()
    connection = Connection(capture).open()
    ids = list(range(1, 41))
    stream = b"".join(metadata_request(i, ["t" * 90, f"topic-{i}"]) for i in ids)
    pieces = [(number * 64, piece) for number, piece in enumerate(cut(stream, 64))]
    for number in range(every, len(pieces) - 1, every):
        pieces[number], pieces[number + 1] = pieces[number + 1], pieces[number]
    for offset, piece in pieces:
        connection.segment(CLIENT, offset, piece)
    return capture, ids


@PASSES
@pytest.mark.parametrize("every", [3, 5, 11])
def test_reordered_with_out_of_order_reassembly(
    tshark: Tshark, scratch: Path, every: int, passes: tuple[str, ...]
) -> None:
    capture, ids = swapped(every)
    reading = read(tshark, capture, scratch, [*OUT_OF_ORDER, *passes])
    assert reading.correlation_ids == ids
    assert [s.item.shows("kafka.topic_name") for s in reading.shown] == [["t" * 90, f"topic-{i}"] for i in ids]
    assert [e for e in severe(reading.experts) if e.name.startswith("kafka")] == []


@PASSES
@pytest.mark.parametrize("every", [3, 5, 11])
def test_reordered_without_it_shows_nothing_wrong(
    tshark: Tshark, scratch: Path, every: int, passes: tuple[str, ...]
) -> None:
    """TCP withholds what arrives late; what is shown must be true all the same."""
    capture, ids = swapped(every)
    reading = read(tshark, capture, scratch, passes)
    cut = {expert.frame for expert in reading.experts if expert.name == CUT}
    for shown in reading.shown:
        assert (shown.api_key, shown.api_version) == (3, 1)
        assert shown.correlation_id in ids
        names, want = shown.item.shows("kafka.topic_name"), ["t" * 90, f"topic-{shown.correlation_id}"]
        assert names == want or (shown.frame in cut and "\n".join(want).startswith("\n".join(names)))
    if every == 11:
        assert len(reading.shown) >= 10
    assert reading.malformed == []


BEFORE, LATE, AFTER = 4, 6, 7


def late(first: int, last: int) -> Capture:
    """Four requests in the frames BEFORE, 5, LATE and AFTER: the second one's bytes from `first` to `last` come late."""
    capture = Capture()
    connection = Connection(capture).open()
    one, two, three, four = (metadata_request(i, ["t" * 50, f"topic-{i}"]) for i in (1, 2, 3, 4))
    stream = one + two + three + four
    hole, behind, rest = len(one) + first, len(one) + last, len(one + two) + 10
    assert connection.segment(CLIENT, 0, stream[:hole]) == BEFORE
    connection.segment(CLIENT, behind, stream[behind:rest])
    assert connection.segment(CLIENT, hole, stream[hole:behind]) == LATE
    assert connection.segment(CLIENT, rest, stream[rest:]) == AFTER
    for i in (1, 2, 3, 4):
        connection.response(metadata_response(i, [f"topic-{i}"]))
    return capture


def withholds(tshark: Tshark) -> bool:
    """Whether TCP withholds what arrives late even when it belongs to a PDU that was begun."""
    return tshark.version() < (4, 6)


def requests(reading: Reading) -> dict[int | None, int]:
    """Correlation ids with their frames; none is shown twice, and none is thought to have no response."""
    shown = [s for s in reading.shown if s.direction == REQUEST]
    found = {s.correlation_id: s.frame for s in shown}
    assert len(found) == len(shown)
    assert [s for s in shown if s.item.first("kafka.no_response")] == []
    assert reading.malformed == []
    return found


def request_frames(reading: Reading) -> list[int | None]:
    return [s.number("kafka.request_frame") for s in reading.shown if s.direction == RESPONSE]


@PASSES
@pytest.mark.parametrize(("first", "last"), [(4, 60), (20, 40), (30, 31)])
def test_late_segment_ends_a_pdu(
    tshark: Tshark, scratch: Path, first: int, last: int, passes: tuple[str, ...]
) -> None:
    reading = read(tshark, late(first, last), scratch, passes)
    if withholds(tshark):
        assert requests(reading) == {1: BEFORE, 3: AFTER, 4: AFTER}
        known = BEFORE if first >= 20 else None  # by its header
        assert request_frames(reading) == [BEFORE, known, AFTER, AFTER]
    else:
        assert requests(reading) == {1: BEFORE, 2: LATE, 3: AFTER, 4: AFTER}
        assert request_frames(reading) == [BEFORE, LATE, AFTER, AFTER]
        assert [s.item.shows("kafka.topic_name")[1] for s in reading.shown[:4]] == [f"topic-{i}" for i in (1, 2, 3, 4)]
        assert severe(reading.kafka_experts) == []


@PASSES
@pytest.mark.parametrize(("first", "last", "third"), [(1, 40, AFTER), (3, 70, AFTER), (1, 87, None)])
def test_late_segment_begins_a_pdu(
    tshark: Tshark, scratch: Path, first: int, last: int, third: int | None, passes: tuple[str, ...]
) -> None:
    """How long the second request is was not known when TCP brought what is behind the hole, which does not come again.
    The third is found all the same, unless it begins in the late segment itself."""
    reading = read(tshark, late(first, last), scratch, passes)
    known = {} if third is None else {3: third}
    if withholds(tshark):
        assert requests(reading) == {1: BEFORE, 4: AFTER} | known
        assert request_frames(reading) == [BEFORE, None, third, AFTER]
    else:
        assert requests(reading) == {1: BEFORE, 2: LATE, 4: AFTER} | known
        assert request_frames(reading) == [BEFORE, LATE, third, AFTER]
        assert [e.frame for e in reading.experts if e.name == CUT] == [LATE]


@PASSES
def test_late_segment_ends_behind_a_pdu(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """In later passes TCP of Wireshark 4.6 withholds what it brought in the first (so it does with DNS, too). Of the third
    request five bytes are withheld, so that it is not found."""
    reading = read(tshark, late(20, 90), scratch, passes)
    if withholds(tshark):
        assert requests(reading) == {1: BEFORE, 4: AFTER}
        assert request_frames(reading) == [BEFORE, BEFORE, None, AFTER]
    else:
        assert requests(reading) == {1: BEFORE, 4: AFTER} | ({} if passes else {2: LATE})
        assert request_frames(reading) == [BEFORE, LATE, None, AFTER]


@PASSES
def test_lost_segment_between_pdus(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """The lost segment held exactly one PDU."""
    capture = Capture()
    connection = Connection(capture).open()
    connection.request(metadata_request(1, ["a"]))
    connection.skip(CLIENT, len(metadata_request(2, ["b"])))
    for i in (3, 4, 5):
        connection.request(metadata_request(i, ["c"]))
    reading = read(tshark, capture, scratch, passes)
    assert reading.correlation_ids == [1, 3, 4, 5]
    assert reading.malformed == []


@PASSES
def test_lost_segment_inside_pdu(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """The PDU with the hole is not shown as whole, the ones after it are shown."""
    capture = Capture()
    connection = Connection(capture).open()
    connection.request(metadata_request(1, ["a"]))
    long = metadata_request(2, ["x" * 100, "y" * 100, "z" * 100])
    connection.segment(CLIENT, connection.sent[CLIENT], long[:100])
    connection.skip(CLIENT, 100)
    connection.segment(CLIENT, connection.sent[CLIENT], long[200:])
    for i in range(3, 12):
        connection.request(metadata_request(i, ["c" * 60, f"d{i}"]))
    reading = read(tshark, capture, scratch, passes)
    ids = [i for i in reading.correlation_ids if i != 2]
    assert ids[0] == 1
    assert ids[1:] == list(range(12 - len(ids[1:]), 12)), "once found again, nothing is left out"
    assert len(ids) >= 7
    for shown in reading.shown:
        if shown.correlation_id not in (1, 2):
            assert shown.item.shows("kafka.topic_name") == ["c" * 60, f"d{shown.correlation_id}"]
    assert reading.malformed == []


@PASSES
def test_begins_in_the_middle(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """No SYN, and the first segment begins inside of a PDU."""
    capture = Capture()
    connection = Connection(capture)
    first = metadata_request(1, ["a" * 200])
    connection.request(first[90:] + metadata_request(2, ["b"]))
    for i in (3, 4, 5):
        connection.request(metadata_request(i, [f"c{i}"]))
        connection.response(metadata_response(i, [f"c{i}"]))
    reading = read(tshark, capture, scratch, passes)
    ids = [s.correlation_id for s in reading.shown if s.direction == REQUEST]
    assert ids in ([2, 3, 4, 5], [3, 4, 5])
    assert [s.correlation_id for s in reading.shown if s.direction == RESPONSE] == [3, 4, 5]
    assert reading.malformed == []


@PASSES
def test_without_desegmentation(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """tcp.desegment_tcp_streams off: what the first segment holds is shown, later PDUs are found where they begin."""
    capture = Capture()
    connection = Connection(capture).open()
    frames = []
    for i in (1, 2, 3):
        frames.append(connection.request(metadata_request(i, ["a" * 150, "b" * 150]), 100)[0])
        frames.append(connection.response(metadata_response(i, ["a" * 20]), 1448)[0])
    reading = read(tshark, capture, scratch, ["-o", "tcp.desegment_tcp_streams:FALSE", *passes])
    assert [(s.frame, s.correlation_id) for s in reading.shown] == list(zip(frames, (1, 1, 2, 2, 3, 3), strict=True))
    for shown in reading.shown:
        if shown.direction == RESPONSE:
            assert shown.item.shows("kafka.topic_name") == ["a" * 20]


@PASSES
def test_large_produce_over_many_segments(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """300 kB of records in 1448-byte segments, with a small request behind it in the last segment."""
    capture = Capture()
    connection = Connection(capture).open()
    batch = bytes(300_000)
    frames = connection.request(produce_request(1, batch) + heartbeat_request(2))
    answers = connection.response(produce_response(1) + heartbeat_response(2))
    reading = read(tshark, capture, scratch, passes)
    assert reading.headers == [
        (frames[-1], REQUEST, 0, 1),
        (frames[-1], REQUEST, 12, 2),
        (answers[0], RESPONSE, 0, 1),
        (answers[0], RESPONSE, 12, 2),
    ]
    assert reading.shown[0].item.shows("kafka.records_size") == ["300000"]


@PASSES
def test_sequence_numbers_wrap(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    capture = Capture()
    connection = Connection(capture, first_seq={CLIENT: (1 << 32) - 300, SERVER: (1 << 32) - 100}).open()
    for i in range(1, 31):
        connection.request(metadata_request(i, ["topic"]), 13)
        connection.response(metadata_response(i, ["topic"]), 29)
    reading = read(tshark, capture, scratch, passes)
    assert [s.correlation_id for s in reading.shown] == [i for i in range(1, 31) for _ in range(2)]
    clean(reading)


@PASSES
def test_keep_alive(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """A keep-alive repeats the last byte with garbage."""
    capture = Capture()
    connection = Connection(capture).open()
    connection.request(heartbeat_request(1))
    connection.response(heartbeat_response(1))
    connection.segment(CLIENT, connection.sent[CLIENT] - 1, b"\0")
    connection.request(heartbeat_request(2))
    connection.response(heartbeat_response(2))
    reading = read(tshark, capture, scratch, passes)
    assert reading.correlation_ids == [1, 1, 2, 2]
    assert reading.malformed == []
