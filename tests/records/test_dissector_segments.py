# SPDX-License-Identifier: GPL-2.0-or-later
"""Segments of real brokers as the records of Fetch responses: the tree has what Kafka's dump tool printed."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from common.tshark import Item, Tshark, scratch_dir
from frames import Frames
from kafka_dump import SEGMENTS, Dump, dumps
from shown_records import Message, Row, headers, messages, number, rows
from test_segments import check_batch, check_record

ARCHIVES = sorted(SEGMENTS.glob("*.tar.xz"))
VERSION = 12
PART = 100_000  # about the most bytes in one response
# What compaction, old clients and brokers leave behind; nothing else is unusual.
EXPECTED_EXPERTS = {"kafka.batch_compacted", "kafka.unpack_note"}
CONTROL_NAMES = (
    "Abort",
    "Commit",
    "Leader Change",
    "Snapshot Header",
    "Snapshot Footer",
    "KRaft Version",
    "KRaft Voters",
)


@dataclass
class Sent:
    segment: Dump
    parts: list[tuple[int, int]] = field(default_factory=list)  # position in the segment, correlation id


def entries(data: bytes) -> Iterator[int]:
    """Where each batch or message ends."""
    at = 0
    while at < len(data):
        at += 12 + struct.unpack_from(">i", data, at + 8)[0]
        yield at


def send(frames: Frames, segment: Dump) -> Sent:
    sent = Sent(segment)
    begin = 0
    for end in entries(segment.data):
        if end - begin >= PART or end == len(segment.data):
            sent.parts.append((begin, frames.fetch(VERSION, segment.data[begin:end])))
            begin = end
    assert begin == len(segment.data)
    return sent


def hex_of(data: bytes | None) -> str | None:
    return None if data is None else data.hex()


def control_of(record: Item) -> Row | None:
    """The control record below a record, in the form of the wire tests."""
    found = next((item for item in record.children if item.show.startswith("Control record: ")), None)
    if found is None:
        return None
    kind = number(found, "kafka.control_record_type")
    epoch = found.first("kafka.coordinator_epoch")
    versions = found.all("kafka.control_record_version")
    return {
        "name": CONTROL_NAMES[kind],
        "message": "EndTxnMarker" if kind < 2 else "",
        "body": "" if epoch is None else int(epoch.show).to_bytes(4, signed=True).hex(),
        "value_version": int(versions[1].show),
    }


def in_wire_form(row: Row, item: Item, position: int) -> Row:
    """The row as the program of the wire tests prints it, so that both are held to the dump in the same way."""
    row = dict(row)
    if "position" in row:
        row["position"] += position
    if "crc_status" in row:
        row["crc_good"] = row["crc_status"] == "good"
    if row["what"] == "batch":
        row["attributes"] = number(item, "kafka.batch_attributes")
        row["base_timestamp"] = row["first_timestamp"]
        row["problems"] = 0
        return row
    row["key"] = hex_of(row["key"])
    if "value" in row:
        row["value"] = hex_of(row["value"])
    if row["what"] == "record":
        row["headers"] = [{"key": key.hex(), "value": hex_of(value)} for key, value in headers(item)]
        control = control_of(item)
        if control is not None:
            row["control"] = control
    return row


@dataclass
class Archive:
    sent: list[Sent]
    shown: dict[int, Message]


@pytest.fixture(scope="module")
def archives(tshark: Tshark) -> dict[str, Archive]:
    """All archives in one capture."""
    frames = Frames()
    sent = {}
    for path in ARCHIVES:
        frames.connect()
        sent[path.name] = [send(frames, segment) for segment in dumps(path)]
    capture = frames.capture.write(scratch_dir() / "segments.pcap")
    shown = messages(tshark.pdml(capture, ["-J", "frame tcp kafka"], timeout=300))
    return {name: Archive(segments, shown) for name, segments in sent.items()}


def check_segment(sent: Sent, shown: dict[int, Message]) -> int:
    """Returns how many records were compared."""
    segment = sent.segment
    lines = iter(segment.lines)
    has_batches = any(line.is_batch for line in segment.lines)
    batch: Row | None = None
    compared = 0
    for position, correlation_id in sent.parts:
        message = shown[correlation_id]
        assert message.names <= EXPECTED_EXPERTS
        for shown_row, item in rows(message.sets[0]):
            row = in_wire_form(shown_row, item, position)
            match row["what"]:
                case "batch":
                    batch = row
                    if has_batches:
                        line = next(lines)
                        assert line.is_batch, line
                        check_batch(line, row)
                case "record" | "message" | "inner":
                    line = next(lines)
                    assert not line.is_batch, line
                    check_record(line, row, batch, not segment.is_internal)
                    compared += 1
                case "wrapper":
                    assert row["crc_good"]
                case what:
                    pytest.fail(f"{what}: {row}")
    assert next(lines, None) is None, "the dump tool saw more"
    return compared


@pytest.mark.parametrize("name", [path.name for path in ARCHIVES], ids=lambda name: name.removesuffix(".tar.xz"))
def test_as_the_dump_tool_says(archives: dict[str, Archive], name: str) -> None:
    compared = 0
    for sent in archives[name].sent:
        try:
            compared += check_segment(sent, archives[name].shown)
        except AssertionError as error:
            raise AssertionError(f"{sent.segment.name}: {error}") from error
    assert compared > 50
