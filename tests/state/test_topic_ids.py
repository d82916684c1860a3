# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of topics that messages have only the id of."""

import base64
import uuid
from collections import Counter
from pathlib import Path

import pytest
from common.handmade import Reading, read
from common.manifest import capture
from common.messages import (
    FETCH,
    METADATA,
    compact,
    compact_array,
    int8,
    int16,
    int32,
    int64,
    request,
    response,
    uvarint,
)
from common.pcap import Capture, Connection
from common.shown import Shown
from common.tshark import Item, Tshark
from fetches import fetch_request as fetch_by_name
from fetches import fetch_response
from record_builder import Batch, Record

from nested.groups import envelope_request, envelope_response, unframed

PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])
ORDERS = uuid.UUID("9506455d-6453-4fcc-90bf-06d4635cc0ec")
OTHER = uuid.UUID("11111111-2222-3333-4444-555555555555")
PRODUCE_FETCH = capture("java-4.4-produce-fetch-none").path
CONFLICT = "kafka.topic_id_conflict"


def kafka_form(topic_id: uuid.UUID) -> str:
    return base64.urlsafe_b64encode(topic_id.bytes).decode().rstrip("=")


def metadata_response(correlation_id: int, topics: list[tuple[str | None, uuid.UUID]], error: int = 0) -> bytes:
    """Version 12."""
    shown = [
        int16(error) + compact(name) + topic_id.bytes + b"\0" + compact_array([]) + int32(-(2**31)) + b"\0"
        for name, topic_id in topics
    ]
    body = int32(0) + compact_array([]) + compact("cluster") + int32(1) + compact_array(shown) + b"\0"
    return response(correlation_id, body, tags=b"\0")


def metadata_request(correlation_id: int, topics: list[tuple[str | None, uuid.UUID]]) -> bytes:
    """Version 12."""
    wanted = [topic_id.bytes + compact(name) + b"\0" for name, topic_id in topics]
    return request(METADATA, 12, correlation_id, compact_array(wanted) + b"\1\0\0", tags=b"\0")


def fetch_request(correlation_id: int, topics: list[uuid.UUID]) -> bytes:
    """Version 13 of partition 0 of each topic."""
    partition = int32(0) + int32(-1) + int64(7) + int32(-1) + int64(-1) + int32(1000) + b"\0"
    wanted = [topic.bytes + compact_array([partition]) + b"\0" for topic in topics]
    body = int32(-1) + int32(500) + int32(1) + int32(10**6) + int8(0) + int32(0) + int32(-1)
    return request(
        FETCH, 13, correlation_id, body + compact_array(wanted) + compact_array([]) + compact("") + b"\0", tags=b"\0"
    )


def topics_of(shown: Shown) -> list[Item]:
    return shown.item.all("kafka.topic_id")


def names(shown: Shown) -> list[str | None]:
    """Of each topic id, the name below it."""
    found = [item.first("kafka.topic_name") for item in topics_of(shown)]
    return [None if item is None else item.show for item in found]


def of_key(reading: Reading, key: int) -> list[Shown]:
    return [shown for shown in reading.shown if shown.api_key == key]


@PASSES
def test_names_that_a_capture_shows(tshark: Tshark, passes: tuple[str, ...]) -> None:
    """A real producer and consumer: every topic id has its name, and where that is from."""
    reading = Reading(tshark, PRODUCE_FETCH, passes)
    counts: Counter[int] = Counter()
    for shown in reading.shown:
        if shown.api_key in (0, FETCH):
            counts[shown.api_key] += len(topics_of(shown))
            assert set(names(shown)) <= {"jp-none"}
            for item in topics_of(shown):
                assert item.shows("kafka.topic_name_frame") == ["10"]
                name = item.first("kafka.topic_name")
                assert (name.pos, name.size) == (item.pos, 16)
        elif shown.api_key == METADATA:
            assert set(names(shown)) == {None}, "the name stands beside the id"
    assert counts[0] >= 4
    assert counts[FETCH] >= 2


def test_info_has_the_name(tshark: Tshark) -> None:
    info = {number: text for number, _, text in tshark.columns(PRODUCE_FETCH, ["-Y", "kafka"])}
    assert info[24].startswith("Produce v13 Request, jp-none [0 (13 records")
    assert info[26] == "Produce v13 Response, jp-none [1, 0]"


def test_text_has_the_name(tshark: Tshark) -> None:
    text = tshark.read(PRODUCE_FETCH, ["-Y", "frame.number == 24", "-V"]).text
    assert "Topic Data: jp-none, 2 Partition Data" in text or "jp-none, 2 Partition" in text
    assert "[Topic Name: jp-none]" in text


@PASSES
@pytest.mark.parametrize("wanted, frames", [("jp-none", True), ("another", False)])
def test_filter_finds_the_name(tshark: Tshark, wanted: str, frames: bool, passes: tuple[str, ...]) -> None:
    """Also where nobody looks at the tree."""
    by_id = tshark.read(PRODUCE_FETCH, [*passes, "-Y", "kafka.topic_id && kafka.api_key != 3"]).text.splitlines()
    options = [*passes, "-Y", f'kafka.topic_name == "{wanted}" && kafka.api_key in {{0, 1}}']
    by_name = tshark.read(PRODUCE_FETCH, options).text.splitlines()
    assert len(by_id) >= 6
    assert (by_name == by_id) == frames
    assert frames or by_name == []


def test_frame_can_be_filtered_alone(tshark: Tshark) -> None:
    assert tshark.read(PRODUCE_FETCH, ["-Y", "kafka.topic_name_frame == 10"]).text.count("\n") >= 6


def named_late() -> tuple[Capture, int]:
    """A Fetch whose topic another connection names afterwards; and the frame that does."""
    made = Capture()
    first = Connection(made).open()
    second = Connection(made, client_port=50001).open()
    first.request(fetch_request(1, [ORDERS]))
    second.request(metadata_request(1, [("orders", uuid.UUID(int=0))]))
    (frame,) = second.response(metadata_response(1, [("orders", ORDERS)]))
    first.request(fetch_request(2, [ORDERS, OTHER]))
    return made, frame


def test_learned_later(tshark: Tshark, scratch: Path) -> None:
    made, frame = named_late()
    for passes, early in (((), None), (("-2",), "orders")):
        reading = read(tshark, made, scratch, passes)
        before, after = of_key(reading, FETCH)
        assert names(before) == [early]
        assert names(after) == ["orders", None]
        assert topics_of(after)[0].shows("kafka.topic_name_frame") == [str(frame)]
        info = [text for _, _, text in tshark.columns(reading.path, ["-Y", "kafka.api_key == 1", *passes])]
        assert info[0] == f"Fetch v13 Request, {'orders' if early else 'id ' + kafka_form(ORDERS)[:8] + '…'} [0]"
        assert info[1] == f"Fetch v13 Request, orders [0], id {kafka_form(OTHER)[:8]}… [0]"
        assert reading.kafka_experts == [] or {e.name for e in reading.kafka_experts} == {"kafka.no_response.expert"}


@PASSES
def test_requests_by_id_alone(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """In a Metadata request the name follows the id, and may be null."""
    made = Capture()
    connection = Connection(made).open()
    connection.request(metadata_request(1, [("orders", uuid.UUID(int=0)), ("other", uuid.UUID(int=0))]))
    connection.response(metadata_response(1, [("orders", ORDERS), ("other", OTHER)]))
    connection.request(metadata_request(2, [(None, ORDERS), ("orders", ORDERS), (None, OTHER)]))
    connection.response(metadata_response(2, [("orders", ORDERS), (None, OTHER)], 3))
    reading = read(tshark, made, scratch, passes)
    assert [names(shown) for shown in reading.shown] == [
        [None, None],
        [None, None],
        ["orders", None, "other"],
        [None, "other"],
    ]


@PASSES
def test_conflicting_names(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    made = Capture()
    connection = Connection(made).open()
    frames = []
    for i, name in enumerate(("orders", "orders", "renamed"), 1):
        connection.request(metadata_request(i, [(name, uuid.UUID(int=0))]))
        frames += connection.response(metadata_response(i, [(name, ORDERS)]))
    connection.request(fetch_request(9, [ORDERS]))
    reading = read(tshark, made, scratch, passes)
    conflicts = [expert for expert in reading.experts if expert.name == CONFLICT]
    assert [(e.frame, e.severity) for e in conflicts] == [(frames[2], "note")]
    assert conflicts[0].message == (
        f"This topic id is orders in frame {frames[0]}, and renamed in frame {frames[2]}"
    )
    assert names(of_key(reading, FETCH)[0]) == ["orders"]
    links = {s.frame: s.item.shows("kafka.topic_name_frame") for s in reading.shown}
    assert links[frames[2]] == [str(frames[0])]
    assert links[frames[1]] == []


@pytest.mark.parametrize("character", ["\u00e4", "\u20ac", "\U0001d11e"])
def test_long_conflicting_names(tshark: Tshark, scratch: Path, character: str) -> None:
    """What has no room in an expert info is left out by whole characters; else no program could read the PDML."""
    made = Capture()
    connection = Connection(made).open()
    frames = []
    long = 200 // len(character.encode()) * character
    for i in range(6):
        # Of one byte more each time; no broker has such a name, but it may stand where there is a conflict already.
        odd = "a" * i + long
        for name in ("orders", "renamed", odd):
            connection.request(metadata_request(len(frames), [(name, uuid.UUID(int=0))]))
            frames += connection.response(metadata_response(len(frames), [(name, uuid.UUID(int=i + 2))]))
    conflicts = [expert for expert in read(tshark, made, scratch).experts if expert.name == CONFLICT]
    assert [expert.frame for expert in conflicts] == [frame for i, frame in enumerate(frames) if i % 3 != 0]
    for i, expert in enumerate(conflicts[1::2]):
        frame = frames[3 * i]
        whole = f"This topic id is orders in frame {frame}, and {'a' * i}{long} in frame {expert.frame}"
        assert expert.message.endswith("\u2026") and whole.startswith(expert.message[:-1])
        assert len(expert.message.encode()) > 230


@PASSES
def test_broken_responses_name_nothing(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    made = Capture()
    connection = Connection(made).open()
    connection.request(metadata_request(1, [("orders", uuid.UUID(int=0))]))
    broken = bytearray(metadata_response(1, [("orders", ORDERS)]))
    broken[-1] = 9
    connection.response(bytes(broken))
    connection.request(fetch_request(2, [ORDERS]))
    reading = read(tshark, made, scratch, passes)
    assert names(of_key(reading, FETCH)[0]) == [None]


@PASSES
def test_the_topic_of_the_metadata_has_its_name(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    made = Capture()
    Connection(made).open().request(fetch_request(1, [uuid.UUID(int=1), uuid.UUID(int=0)]))
    reading = read(tshark, made, scratch, passes)
    assert names(reading.shown[0]) == ["__cluster_metadata", None]
    assert reading.shown[0].item.shows("kafka.topic_name_frame") == []


def preference(topic_id: str, name: str) -> tuple[str, str]:
    return ("-o", f'uat:kafka_topic_ids:"{topic_id}","{name}"')


@pytest.mark.parametrize("form", [kafka_form(OTHER), str(OTHER), OTHER.hex.upper()])
def test_preference(tshark: Tshark, scratch: Path, form: str) -> None:
    """It names what the capture does not name, in the first pass too; what the capture names stays."""
    made, frame = named_late()
    options = (*preference(form, "given"), *preference(kafka_form(ORDERS), "ignored"))
    before, after = of_key(read(tshark, made, scratch, options), FETCH)
    assert names(before) == ["ignored"], "nothing better is known yet"
    assert names(after) == ["orders", "given"]
    assert [item.shows("kafka.topic_name_frame") for item in topics_of(after)] == [[str(frame)], []]
    before, after = of_key(read(tshark, made, scratch, (*options, "-2")), FETCH)
    assert (names(before), names(after)) == (["orders"], ["orders", "given"])
    found = tshark.read(scratch / "made.pcap", [*options, "-Y", 'kafka.topic_name == "given"']).text
    assert len(found.splitlines()) == 1


@pytest.mark.parametrize("row", [("short", "name"), (kafka_form(OTHER), ""), (kafka_form(OTHER), "no name")])
def test_preference_is_checked(tshark: Tshark, row: tuple[str, str]) -> None:
    result = tshark.read(PRODUCE_FETCH, [*preference(*row), "-c", "1"], check_stderr=False, check_status=False)
    assert result.returncode != 0
    assert "topic" in result.stderr


def topic_record(name: str, topic_id: uuid.UUID, key: int = 2) -> Record:
    """As the log of the cluster's metadata has it: frame version, key and version of the record, its fields."""
    return Record(0, None, b"\1" + uvarint(key) + b"\0" + compact(name) + topic_id.bytes + b"\0")


LOG = bytes(Batch([Record(0, None, b"\1\x14\0\0"), topic_record("orders", ORDERS)]))


@PASSES
@pytest.mark.parametrize(
    "topic, records, found",
    [
        ("__cluster_metadata", LOG, ["orders"]),
        ("__cluster_metadata", LOG[:-1], [None]),
        ("__cluster_metadata", LOG + LOG[:-1], ["orders"]),
        ("__cluster_metadata", LOG[:-2] + b"\7\0", [None]),
        ("__cluster_metadata", bytes(Batch([topic_record("orders", ORDERS, 3)])), [None]),
        ("__cluster_metadata", bytes(Batch([topic_record("no name", ORDERS)])), [None]),
        ("another", LOG, [None]),
    ],
    ids=["log", "cut", "behind", "checksum", "other-record", "name", "topic"],
)
def test_records_of_the_metadata(
    tshark: Tshark, scratch: Path, topic: str, records: bytes, found: list[str | None], passes: tuple[str, ...]
) -> None:
    made = Capture()
    connection = Connection(made).open()
    connection.request(fetch_by_name(1, 0, -1, [(topic, [0])]))
    (frame,) = connection.response(fetch_response(1, 0, [(topic, [(0, 100, records)])]))
    connection.request(fetch_request(2, [ORDERS]))
    last = read(tshark, made, scratch, passes).shown[-1]
    assert names(last) == found
    assert topics_of(last)[0].shows("kafka.topic_name_frame") == ([str(frame)] if found[0] else [])


@PASSES
def test_snapshot_of_the_metadata(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """A part may begin inside a batch, and end inside one."""
    part = LOG[9:] + bytes(Batch([topic_record("other", OTHER)])) + LOG[:30]
    snapshot = int64(500) + int32(3) + b"\0"
    asked = int32(0) + int32(3) + snapshot + int64(9) + b"\0"
    told = int32(0) + int16(0) + snapshot + int64(999) + int64(9) + uvarint(len(part) + 1) + part + b"\0"
    topic = compact("__cluster_metadata")
    made = Capture()
    connection = Connection(made).open()
    body = int32(4) + int32(10**6) + compact_array([topic + compact_array([asked]) + b"\0"]) + b"\0"
    connection.request(request(59, 0, 1, body, tags=b"\0"))
    body = int32(0) + int16(0) + compact_array([topic + compact_array([told]) + b"\0"]) + b"\0"
    connection.response(response(1, body, tags=b"\0"))
    connection.request(fetch_request(2, [ORDERS, OTHER]))
    reading = read(tshark, made, scratch, passes)
    assert names(reading.shown[-1]) == [None, "other"]
    assert not [e for e in reading.kafka_experts if e.severity == "error"]


@PASSES
def test_response_in_an_envelope(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """A broker forwards CreateTopics to the controller, whose response has the ids."""
    made = Capture()
    connection = Connection(made).open()
    asked = unframed(metadata_request(7, [("orders", uuid.UUID(int=0))]))
    connection.request(envelope_request(asked, b"", bytes(4)))
    (frame,) = connection.response(envelope_response(unframed(metadata_response(7, [("orders", ORDERS)]))))
    connection.request(fetch_request(2, [ORDERS]))
    last = read(tshark, made, scratch, passes).shown[-1]
    assert names(last) == ["orders"]
    assert topics_of(last)[0].shows("kafka.topic_name_frame") == [str(frame)]
