# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages with one thing wrong: an expert info at the bytes that show it, and the next PDU is decoded."""

import struct
from dataclasses import dataclass
from pathlib import Path

import pytest
from common import expert_names as names
from common.handmade import Reading, read
from common.messages import (
    API_VERSIONS,
    METADATA,
    api_versions_request,
    api_versions_response,
    array,
    compact,
    compact_array,
    framed,
    heartbeat_request,
    heartbeat_response,
    int16,
    int32,
    int64,
    metadata_request,
    request,
    response,
    string,
    uvarint,
)
from common.pcap import CLIENT, SERVER, Capture, Connection
from common.tshark import Tshark, experts, scratch_dir

HEADERS = 14 + 20 + 20  # Ethernet, IPv4, TCP
BODY = 4 + 8 + 2 + len("client")  # of a request of version 1
FLEXIBLE_BODY = BODY + 1
PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])


@dataclass(frozen=True)
class Case:
    """A bad message, what must be said of it, and where: offset from the start of the PDU and length."""

    name: str
    message: bytes
    expert: str
    offset: int
    length: int
    before: bytes = b""  # a request, when the bad message is a response
    severity: str = "error"

    @property
    def is_response(self) -> bool:
        return bool(self.before)


def shortened(message: bytes, by: int) -> bytes:
    """The same message with its last bytes gone and the length adapted."""
    return framed(message[4:-by])


def produce_3(records: bytes) -> bytes:
    """A Produce request of version 3 with these bytes for the length and the records of its one partition."""
    return request(0, 3, 2, string(None) + int16(1) + int32(9) + array([string("t") + array([int32(0) + records])]))


TWO_BILLION = int32(2_000_000_000)
ONE_TOPIC = metadata_request(2, ["topic"])
FLEXIBLE_METADATA = (METADATA, 9, 2)

REQUESTS = [
    Case("ends in a string", shortened(ONE_TOPIC, 2), names.BAD_STRING_LENGTH, BODY + 4, 2),
    Case("ends in a string's length", framed(ONE_TOPIC[4:-6]), names.SHORT, BODY + 4, 1),
    Case("ends before the body", framed(ONE_TOPIC[4:BODY]), names.SHORT, 0, BODY),
    Case("ends in a count", framed(ONE_TOPIC[4 : BODY + 3]), names.SHORT, BODY, 3),
    Case("ends in the client id", framed(ONE_TOPIC[4 : BODY - 3]), names.BAD_STRING_LENGTH, 12, 2),
    Case(
        "count of two billion",
        request(METADATA, 1, 2, TWO_BILLION + string("topic")),
        names.BAD_ARRAY_LENGTH,
        BODY,
        4,
    ),
    Case(
        "negative count",
        request(METADATA, 1, 2, int32(-2) + string("topic")),
        names.BAD_ARRAY_LENGTH,
        BODY,
        4,
    ),
    Case(
        "negative string length",
        request(METADATA, 1, 2, array([int16(-7) + b"topic"])),
        names.BAD_STRING_LENGTH,
        BODY + 4,
        2,
    ),
    Case(
        "string longer than the message",
        request(METADATA, 1, 2, array([int16(32767) + b"topic"])),
        names.BAD_STRING_LENGTH,
        BODY + 4,
        2,
    ),
    Case(
        "null where none is allowed",
        request(METADATA, 1, 2, array([string(None)])),
        names.UNEXPECTED_NULL,
        BODY + 4,
        2,
        severity="warning",
    ),
    Case(
        "negative length of records",
        produce_3(int32(-5)),
        names.BAD_BYTES_LENGTH,
        BODY + 2 + 2 + 4 + 4 + 3 + 4 + 4,
        4,
    ),
    Case(
        "records longer than the message",
        produce_3(int32(99) + bytes(9)),
        names.BAD_BYTES_LENGTH,
        BODY + 2 + 2 + 4 + 4 + 3 + 4 + 4,
        4,
    ),
    Case(
        "negative length of bytes",
        request(14, 0, 2, string("g") + int32(1) + string("m") + array([string("m") + int32(-3)])),
        names.BAD_BYTES_LENGTH,
        BODY + 3 + 4 + 3 + 4 + 3,
        4,
    ),
    Case(
        "varint of ten bytes as a count",
        request(*FLEXIBLE_METADATA, b"\xff" * 9 + b"\x7f" + b"\1\1\1\0", tags=b"\0"),
        names.BAD_VARINT,
        FLEXIBLE_BODY,
        5,
    ),
    Case(
        "varint of ten bytes as a string length",
        request(*FLEXIBLE_METADATA, b"\2" + b"\xff" * 10 + b"\0\1\1\1\0", tags=b"\0"),
        names.BAD_VARINT,
        FLEXIBLE_BODY + 1,
        5,
    ),
    Case(
        "compact count of two billion",
        request(*FLEXIBLE_METADATA, uvarint(2_000_000_001) + compact("topic") + b"\0\1\1\1\0", tags=b"\0"),
        names.BAD_ARRAY_LENGTH,
        FLEXIBLE_BODY,
        5,
    ),
    Case(
        "boolean of 7",
        request(METADATA, 4, 2, array([string("topic")]) + b"\7"),
        names.BAD_BOOLEAN,
        BODY + 4 + 7,
        1,
        severity="warning",
    ),
    Case(
        "string that is not UTF-8",
        request(METADATA, 1, 2, array([string(b"to\xffpic")])),
        names.BAD_UTF8,
        BODY + 4,
        8,
        severity="warning",
    ),
    Case(
        "client id that is not UTF-8",
        request(METADATA, 1, 2, array([string("topic")]), client_id=b"cli\xffnt"),
        names.BAD_UTF8,
        12,
        8,
        severity="warning",
    ),
    Case(
        "NUL in a string",
        request(METADATA, 1, 2, array([string(b"to\0pic")])),
        names.NUL_IN_STRING,
        BODY + 4,
        8,
        severity="note",
    ),
    Case(
        "bytes left over",
        request(METADATA, 1, 2, array([string("topic")]) + b"\1\2\3"),
        names.LEFT_OVER,
        BODY + 4 + 7,
        3,
        severity="warning",
    ),
    Case(
        "tags that do not ascend",
        request(*FLEXIBLE_METADATA, compact_array([]) + b"\1\0\0" + b"\2\5\1x\4\1y", tags=b"\0"),
        names.BAD_TAG_ORDER,
        FLEXIBLE_BODY + 1 + 3 + 1 + 3,
        1,
        severity="warning",
    ),
    Case(
        "tagged field longer than the message",
        request(*FLEXIBLE_METADATA, compact_array([]) + b"\1\0\0" + b"\1\5\x63x", tags=b"\0"),
        names.BAD_TAG_SIZE,
        FLEXIBLE_BODY + 1 + 3 + 2,
        1,
    ),
    Case(
        "two billion tags",
        request(*FLEXIBLE_METADATA, compact_array([]) + b"\1\0\0" + uvarint(2_000_000_000) + b"\5\1x", tags=b"\0"),
        names.BAD_ARRAY_LENGTH,
        FLEXIBLE_BODY + 1 + 3,
        5,
    ),
    Case("unknown API key", request(1234, 0, 2, b"whatever"), names.UNKNOWN_API_KEY, 4, 2, severity="warning"),
    Case("negative API key", request(-2, 0, 2, b"whatever"), names.UNKNOWN_API_KEY, 4, 2, severity="warning"),
    Case(
        "newer version than any known",
        request(METADATA, 19, 2, compact_array([]) + b"\1\0\0" + b"new", tags=b"\0"),
        names.UNSUPPORTED_VERSION,
        6,
        2,
        severity="note",
    ),
    Case(
        "negative version",
        request(METADATA, -1, 2, array([])),
        names.UNSUPPORTED_VERSION,
        6,
        2,
        severity="note",
    ),
    Case(
        "nullable structure that is neither there nor null",
        # StreamsGroupHeartbeat version 0: group, member, epoch, endpoint epoch, instance id, rack, timeout, topology
        request(
            88,
            0,
            2,
            compact("g") + compact("m") + int32(1) + int32(1) + b"\0\0" + int32(-1) + b"\5" + bytes(8),
            tags=b"\0",
        ),
        names.BAD_PRESENCE,
        FLEXIBLE_BODY + 2 + 2 + 4 + 4 + 2 + 4,
        1,
        severity="warning",
    ),
]

RESPONSES = [
    Case(
        "response ends early",
        framed(heartbeat_response(2)[4:-1]),
        names.SHORT,
        8,
        1,
        before=heartbeat_request(2),
    ),
    Case(
        "response with bytes left over",
        response(2, int16(0) + b"\0\0\1"),
        names.LEFT_OVER,
        10,
        3,
        before=heartbeat_request(2),
        severity="warning",
    ),
    Case(
        "response with an unknown error code",
        heartbeat_response(2, 9999),
        names.ERROR_UNKNOWN,
        8,
        2,
        before=heartbeat_request(2),
        severity="warning",
    ),
    Case(
        "response with a final error",
        heartbeat_response(2, 25),
        names.ERROR_FINAL,
        8,
        2,
        before=heartbeat_request(2),
        severity="warning",
    ),
    Case(
        "response with a retriable error",
        heartbeat_response(2, 15),
        names.ERROR_RETRIABLE,
        8,
        2,
        before=heartbeat_request(2),
        severity="note",
    ),
    Case(
        "answer in version 0 to a newer ApiVersions",
        bytes.fromhex("0000001000000002002300000001001200000004"),
        names.OTHER_BODY_VERSION,
        8,
        12,
        before=api_versions_request(2, 4),
        severity="note",
    ),
    Case(
        "answer without throttle time to ApiVersions 1",
        api_versions_response(2),
        names.OTHER_BODY_VERSION,
        8,
        12,
        before=api_versions_request(2, 1),
        severity="note",
    ),
]


def conversation(case: Case) -> tuple[Capture, int]:
    """A good exchange, the bad message (and its request), and another good exchange."""
    capture = Capture()
    connection = Connection(capture).open()
    connection.request(heartbeat_request(1))
    connection.response(heartbeat_response(1))
    if case.is_response:
        connection.request(case.before + heartbeat_request(3))
        (frame,) = connection.response(case.message + heartbeat_response(3))
    else:
        (frame,) = connection.request(case.message + heartbeat_request(3))
    connection.request(heartbeat_request(4))
    connection.response(heartbeat_response(4))
    return capture, frame


@PASSES
@pytest.mark.parametrize("case", REQUESTS + RESPONSES, ids=lambda case: case.name)
def test_bad_message(tshark: Tshark, scratch: Path, case: Case, passes: tuple[str, ...]) -> None:
    capture, frame = conversation(case)
    reading = read(tshark, capture, scratch, passes)
    found = [e for e in reading.experts if e.frame == frame and e.name == case.expert]
    places = [(e.pos - HEADERS, e.size, e.severity) for e in found]
    assert (case.offset, case.length, case.severity) in places, reading.kafka_experts
    # a version that is not known is named where it stands and where the message differs
    assert len(places) == (2 if case.name == "newer version than any known" else 1)
    next_pdu_is_decoded(reading, frame)


@pytest.fixture(scope="module")
def all_of_them(tshark: Tshark) -> tuple[Path, dict[str, set[int]]]:
    """Every bad message in one capture, and in which frames the visible tree has each expert info."""
    capture = Capture()
    for port, case in enumerate(REQUESTS + RESPONSES, start=40_000):
        connection = Connection(capture, client_port=port).open()
        connection.request(heartbeat_request(1))
        if case.is_response:
            connection.request(case.before)
            connection.response(case.message)
        else:
            connection.request(case.message)
    path = capture.write(scratch_dir() / "all.pcap")
    frames: dict[str, set[int]] = {}
    for packet in tshark.kafka(path):
        for expert in experts(packet):
            frames.setdefault(expert.name, set()).add(packet.number)
    return path, frames


def found_by(tshark: Tshark, path: Path, expression: str) -> set[int]:
    """Frame numbers, from the columns that tshark prints by itself: on 4.0, `-T fields` makes Wireshark show everything."""
    return {int(line.split()[0]) for line in tshark.read(path, ["-Y", expression]).text.splitlines()}


@pytest.mark.parametrize("expert", sorted({case.expert for case in REQUESTS + RESPONSES}))
def test_found_where_nobody_looks(tshark: Tshark, all_of_them: tuple[Path, dict[str, set[int]]], expert: str) -> None:
    """A filter on an expert info finds it, though none of the fields that it is about is asked for."""
    path, frames = all_of_them
    assert frames[expert]
    assert found_by(tshark, path, expert) == frames[expert]


def test_expert_report_has_them_all(tshark: Tshark, all_of_them: tuple[Path, dict[str, set[int]]]) -> None:
    path, frames = all_of_them
    assert found_by(tshark, path, "_ws.expert") >= set().union(*frames.values())
    report = tshark.read(path, ["-q", "-z", "expert"]).text
    assert "UTF-8" in report and "U+2400" in report


@pytest.fixture(scope="module")
def many_in_a_frame() -> Path:
    """Six thousand PDUs of length 0 in one segment, each with something to say about it, and a good exchange."""
    capture = Capture()
    connection = Connection(capture).open()
    connection.request(heartbeat_request(1))
    connection.response(heartbeat_response(1))
    connection.segment(CLIENT, connection.sent[CLIENT], int32(0) * 6000)
    connection.request(heartbeat_request(2))
    connection.response(heartbeat_response(2))
    return capture.write(scratch_dir() / "many.pcap")


def test_expert_infos_of_a_packet_are_limited(tshark: Tshark, many_in_a_frame: Path) -> None:
    """Wireshark complains on standard error, which fails here, when there are more than it has room for."""
    report = tshark.read(many_in_a_frame, ["-q", "-z", "expert"]).text
    assert "Further expert infos of this packet are left out" in report
    (packet,) = (p for p in tshark.kafka(many_in_a_frame) if p.number == 6)
    found = [e.name for e in experts(packet)]
    assert 1000 < len(found) < 5000
    assert found.count("kafka.experts_left_out") == 1


@pytest.mark.parametrize("limit", [2000, 5000])
@PASSES
def test_items_of_a_packet_are_limited(
    tshark: Tshark, many_in_a_frame: Path, limit: int, passes: tuple[str, ...]
) -> None:
    packets = list(tshark.kafka(many_in_a_frame, ["-o", f"gui.max_tree_items:{limit}", *passes]))
    assert not any(packet.malformed for packet in packets)
    (packet,) = (p for p in packets if p.number == 6)
    assert 200 < sum(1 for proto in packet.protos for _ in proto.walk()) < limit
    assert [e.name for e in experts(packet)].count("kafka.items_left_out") == 1
    assert [p.number for p in packets][-2:] == [7, 8]


def next_pdu_is_decoded(reading: Reading, frame: int) -> None:
    in_frame = [shown for shown in reading.shown if shown.frame == frame]
    assert [shown.correlation_id for shown in in_frame] == [2, 3]
    assert in_frame[1].api_key == 12
    assert [s.correlation_id for s in reading.shown][-2:] == [4, 4]
    good = [s.frame for s in reading.shown if s.correlation_id in (1, 4)]
    assert [e for e in reading.kafka_experts if e.frame in good] == []
    assert reading.malformed == []


def one(tshark: Tshark, scratch: Path, *sent: tuple[str, bytes]) -> Reading:
    capture = Capture()
    connection = Connection(capture).open()
    for side, message in sent:
        connection.send(side, message)
    return read(tshark, capture, scratch)


def test_unknown_api_keeps_its_body_as_bytes(tshark: Tshark, scratch: Path) -> None:
    reading = one(tshark, scratch, (CLIENT, request(1234, 0, 2, b"whatever")), (SERVER, response(2, b"an answer")))
    for shown, start, size in zip(reading.shown, (BODY, 8), (8, 9), strict=True):
        assert shown.correlation_id == 2
        (body,) = [i for i in shown.item.children if i.name in ("kafka.body", "kafka.undecoded")]
        assert (body.pos - HEADERS, body.size) == (start, size)
    assert reading.malformed == []


def test_newer_version_shows_what_it_can(tshark: Tshark, scratch: Path) -> None:
    """Read as the newest known version; what is left is shown as bytes, without a complaint."""
    body = compact_array([bytes(16) + compact("topic") + b"\0"]) + b"\1\0" + b"\0" + b"from the future"
    reading = one(tshark, scratch, (CLIENT, request(METADATA, 19, 2, body, tags=b"\0")))
    (shown,) = reading.shown
    assert shown.item.shows("kafka.topic_name") == ["topic"]
    assert len(shown.item.all("kafka.undecoded")) == 1
    assert {(e.name, e.severity) for e in reading.kafka_experts} == {(names.UNSUPPORTED_VERSION, "note")}


def test_response_without_its_request(tshark: Tshark, scratch: Path) -> None:
    reading = one(
        tshark,
        scratch,
        (CLIENT, heartbeat_request(1)),
        (SERVER, heartbeat_response(1)),
        (SERVER, heartbeat_response(77)),
        (CLIENT, heartbeat_request(2)),
        (SERVER, heartbeat_response(2)),
    )
    assert [s.correlation_id for s in reading.shown] == [1, 1, 77, 2, 2]
    (missing,) = [e for e in reading.experts if e.name == names.REQUEST_MISSING]
    assert missing.frame == reading.shown[2].frame
    assert reading.shown[2].api_key is None


def test_repeated_correlation_ids_pair_in_order(tshark: Tshark, scratch: Path) -> None:
    reading = one(
        tshark,
        scratch,
        (CLIENT, heartbeat_request(5)),
        (CLIENT, metadata_request(5, ["a"])),
        (SERVER, heartbeat_response(5)),
        (SERVER, response(5, array([]) + int32(1) + array([]))),
    )
    frames = [s.frame for s in reading.shown]
    assert [s.number("kafka.request_frame") for s in reading.shown[2:]] == frames[:2]
    assert [s.api_key for s in reading.shown] == [12, 3, 12, 3]
    assert [e for e in reading.kafka_experts if e.severity in ("warning", "error")] == []


def test_answers_out_of_order(tshark: Tshark, scratch: Path) -> None:
    reading = one(
        tshark,
        scratch,
        (CLIENT, heartbeat_request(1)),
        (CLIENT, metadata_request(2, ["a"])),
        (SERVER, response(2, array([]) + int32(1) + array([]))),
        (SERVER, heartbeat_response(1)),
    )
    frames = [s.frame for s in reading.shown]
    assert [s.number("kafka.request_frame") for s in reading.shown[2:]] == [frames[1], frames[0]]


def test_correlation_ids_wrap(tshark: Tshark, scratch: Path) -> None:
    last = (1 << 31) - 1
    sent: list[tuple[str, bytes]] = []
    for i in (last - 1, last, 0, 1):
        sent += [(CLIENT, heartbeat_request(i)), (SERVER, heartbeat_response(i))]
    reading = one(tshark, scratch, *sent)
    assert [s.number("kafka.request_frame") for s in reading.shown[1::2]] == [s.frame for s in reading.shown[::2]]


def test_api_versions_answer_of_user_cases(tshark: Tshark, scratch: Path) -> None:
    """Version 0 with error 35 to a request of version 4: decoded to its last byte."""
    reading = one(
        tshark,
        scratch,
        (CLIENT, api_versions_request(7, 4)),
        (SERVER, bytes.fromhex("0000001000000007002300000001001200000004")),
        (CLIENT, api_versions_request(8, 0)),
        (SERVER, api_versions_response(8)),
    )
    answer = reading.shown[1]
    assert answer.item.shows("kafka.error") == ["35"]
    assert answer.item.shows("kafka.api_versions.api_key") == ["18"]
    assert answer.item.shows("kafka.api_versions.max_version") == ["4"]
    assert answer.number("kafka.header_version") == 0
    assert {e.name for e in reading.kafka_experts} == {names.OTHER_BODY_VERSION, names.ERROR_FINAL}
    assert [s.correlation_id for s in reading.shown] == [7, 7, 8, 8]


@PASSES
def test_stray_bytes_after_api_versions(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """An old librdkafka sends an empty array, four zero bytes, in ApiVersions of version 0, which has no fields."""
    capture = Capture()
    connection = Connection(capture).open()
    (frame,) = connection.request(request(API_VERSIONS, 0, 1, bytes(4)))
    connection.response(api_versions_response(1))
    connection.request(metadata_request(2, ["topic"]))
    reading = read(tshark, capture, scratch, passes)
    (stray,) = [e for e in reading.experts if e.name == names.STRAY_BYTES]
    assert (stray.frame, stray.pos - HEADERS, stray.size, stray.severity) == (frame, BODY, 4, "note")
    assert [s.correlation_id for s in reading.shown] == [1, 1, 2]
    assert [e for e in reading.kafka_experts if e.severity in ("warning", "error")] == []
    assert reading.malformed == []


@PASSES
def test_stray_bytes_behind_api_versions(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """The same four bytes behind the message are a frame of no bytes; nothing else is the worse for it."""
    capture = Capture()
    connection = Connection(capture).open()
    connection.request(api_versions_request(1) + bytes(4))
    connection.response(api_versions_response(1))
    connection.request(metadata_request(2, ["topic"]))
    reading = read(tshark, capture, scratch, passes)
    assert [s.correlation_id for s in reading.shown if s.correlation_id is not None] == [1, 1, 2]
    assert {e.size for e in reading.kafka_experts if e.severity != "note"} <= {4}
    assert reading.malformed == []


def test_first_frames_of_user_cases(tshark: Tshark, scratch: Path) -> None:
    """Produce 0 and its topic; a Fetch 0 response that is answered to a request of the same version."""
    produce = bytes.fromhex(
        "00000049000000000000000400000000000005dc0000000100076d79746f7069630000000100000000000000200000000000000000"
        "000000148dc795a20000ffffffff0000000648656c6c6f21"
    )
    fetch = bytes.fromhex(
        "0000006e000000000000000100076d79746f70696300000001000000000000000000000000000200000047000000000000000000000014"
        "8dc795a20000ffffffff0000000648656c6c6f2100000000000000010000001b989feb390000ffffffff0000000d48656c6c6f2c20576f"
        "726c6421"
    )
    partition = int32(0) + int64(0) + int32(1000)
    topics = array([string("mytopic") + array([partition])])
    fetch_request = request(1, 0, 0, int32(-1) + int32(1) + int32(1) + topics)
    reading = one(tshark, scratch, (CLIENT, produce), (CLIENT, fetch_request), (SERVER, fetch))
    assert [s.item.shows("kafka.topic_name") for s in reading.shown] == [["mytopic"]] * 3
    assert reading.shown[0].item.shows("kafka.required_acks") == ["0"]
    assert reading.shown[2].item.shows("kafka.records_size") == ["71"]
    assert reading.malformed == []


def test_strings_with_control_characters(tshark: Tshark, scratch: Path) -> None:
    reading = one(tshark, scratch, (CLIENT, metadata_request(1, ["a\0b", "", "tab\there", "ü€𝄞"])))
    topics = reading.shown[0].item.shows("kafka.topic_name")
    assert topics[0] == "a\u2400b"
    assert topics[1] == ""
    assert topics[3] == "ü€𝄞"
    assert [e.name for e in reading.kafka_experts] == [names.NUL_IN_STRING]


def test_null_is_told_from_empty(tshark: Tshark, scratch: Path) -> None:
    sent = [(CLIENT, metadata_request(1, [], client_id=None)), (CLIENT, metadata_request(2, [], client_id=""))]
    reading = one(tshark, scratch, *sent)
    null, empty = (shown.item.first("kafka.client_id") for shown in reading.shown)
    assert (null.show, empty.show) == ("[ Null ]", "")
    assert [len(item.all("kafka.null")) for item in (null, empty)] == [1, 0]
    assert (null.size, empty.size) == (2, 2)


def test_array_of_a_million_empty_elements(tshark: Tshark, scratch: Path) -> None:
    """As many elements as there are bytes for: shown within bounds, quickly."""
    count = 1_000_000
    body = struct.pack(">i", count) + int16(0) * count
    capture = Capture()
    connection = Connection(capture).open()
    connection.request(request(METADATA, 1, 1, body) + heartbeat_request(2), 60000)
    path = capture.write(scratch / "million.pcap")
    text = tshark.read(path, ["-V"], timeout=120).text
    assert "Dissector bug" not in text
    assert "Heartbeat" in text
