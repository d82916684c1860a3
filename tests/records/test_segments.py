# SPDX-License-Identifier: GPL-2.0-or-later
"""Segment files of real brokers: every batch and record as Kafka's own dump tool printed it."""

from pathlib import Path

import pytest
from kafka_dump import SEGMENTS, Dump, Line, dumps
from records_tool import COUNT_AND_LAST_DELTA_DIFFER, LAST_DELTA_TOO_HIGH, Row, dump, hex_or_none

TRANSACTIONAL, CONTROL, DELETE_HORIZON, LOG_APPEND_TIME = 0x10, 0x20, 0x40, 0x08
CODECS = {"nocompressioncodec": "none"}  # the name in 0.8 and 0.9
ARCHIVES = sorted(SEGMENTS.glob("*.tar.xz"))


def check_batch(line: Line, row: Row) -> None:
    assert row["base_offset"] == line.number("baseoffset")
    assert row["last_offset"] == line.number("lastoffset")
    assert row["count"] == line.number("count")
    assert row["base_sequence"] == line.number("basesequence")
    assert row["last_sequence"] == line.number("lastsequence")
    assert row["producer_id"] == line.number("producerid")
    assert row["producer_epoch"] == line.number("producerepoch")
    assert row["leader_epoch"] == line.number("partitionleaderepoch")
    assert row["position"] == line.number("position")
    assert row["size"] == line.number("size")
    assert row["magic"] == line.number("magic")
    assert row["crc"] == line.number("crc")
    assert row["codec"] == line.fields["compresscodec"].lower()
    assert row["crc_good"] == (line.fields["isvalid"] == "true")
    flags = row["attributes"]
    assert bool(flags & TRANSACTIONAL) == (line.fields["istransactional"] == "true")
    assert bool(flags & CONTROL) == (line.fields["iscontrol"] == "true")
    horizon = line.fields.get("deletehorizonms", "OptionalLong.empty")
    assert bool(flags & DELETE_HORIZON) == (horizon != "OptionalLong.empty")
    if flags & DELETE_HORIZON:
        assert horizon == f"OptionalLong[{row['base_timestamp']}]"
    kind = "logappendtime" if flags & LOG_APPEND_TIME else "createtime"
    assert line.time == (kind, row["max_timestamp"])
    # What compaction and real brokers leave behind is all that may be unusual.
    assert row["problems"] & ~COUNT_AND_LAST_DELTA_DIFFER == 0


def check_text(text: str | None, data: bytes | None) -> None:
    """Text that a terminal shows as it is must be the same; the tool's way of showing other bytes is its own."""
    if text is not None and data is not None and data.isascii() and data.decode().isprintable():
        assert text.rstrip("\n") == data.decode()


def check_record(line: Line, row: Row, batch: Row | None, compare_text: bool) -> None:
    key, value = hex_or_none(row["key"]), hex_or_none(row["value"])
    assert row["offset"] == line.number("offset")
    assert line.key_size == (-1 if key is None else len(key))
    assert line.value_size == (-1 if value is None else len(value))
    if line.time is not None:
        assert line.time[1] == row["timestamp"]
    else:
        assert row["timestamp"] == -1
    if "sequence" in line.fields:
        assert row["sequence"] == line.number("sequence")
    if line.header_keys is not None:
        assert line.header_keys == [bytes.fromhex(header["key"]).decode() for header in row["headers"]]
    if batch is None:
        assert row["magic"] == line.number("magic")
        assert row["crc"] == line.number("crc")
        assert row["crc_good"] == (line.fields["isvalid"] == "true")
    elif "producerid" in line.fields:  # 0.11 prints the batch's fields with every record
        assert batch["producer_id"] == line.number("producerid")
        assert batch["producer_epoch"] == line.number("producerepoch")
        assert batch["position"] == line.number("position")
        assert batch["codec"] == CODECS.get(line.fields["compresscodec"].lower(), line.fields["compresscodec"].lower())
        assert batch["crc_good"] == (line.fields["isvalid"] == "true")
    if "control" in row:
        check_control(line, row)
    elif compare_text:
        shown_key, shown_value = line.content_of(key is not None)
        check_text(shown_key, key)
        check_text(shown_value, value)


def check_control(line: Line, row: Row) -> None:
    """The tool names the type, and prints the value of a transaction marker and the version of the others."""
    control = row["control"]
    name = line.content.split()[0].rstrip(":")
    if name == "endTxnMarker":
        _, kind, _, epoch = line.content.split()
        assert control["name"].upper() == kind
        assert control["message"] == "EndTxnMarker"
        assert int.from_bytes(bytes.fromhex(control["body"]), signed=True) == int(epoch)
    else:
        assert control["name"].replace(" ", "") == name
        assert f'"version":{control["value_version"]}' in line.content


def check_segment(segment: Dump) -> tuple[int, int]:
    """Returns how many batches and records were compared."""
    rows = iter(dump(segment.data))
    batch: Row | None = None
    wrapped = 0
    batches = records = 0
    lines = iter(segment.lines)
    for row in rows:
        assert row["what"] == "inner" or wrapped == 0, "fewer inner messages than counted"
        match row["what"]:
            case "batch":
                assert row["status"] == "complete"
                assert "unpack_fault" not in row
                batch = row
                batches += 1
                if any(line.is_batch for line in segment.lines):
                    line = next(lines)
                    assert line.is_batch, line
                    check_batch(line, row)
            case "record" | "message" | "inner":
                assert row["status"] == "complete"
                line = next(lines)
                assert not line.is_batch, line
                check_record(line, row, batch, not segment.is_internal)
                records += 1
                wrapped -= 1 if row["what"] == "inner" else 0
            case "seen":
                assert row["status"] == "end"
                assert row["problems"] & ~LAST_DELTA_TOO_HIGH == 0
            case "wrapper":
                assert row["status"] == "complete"
                assert row["problems"] == 0
                assert row["crc_good"]
                wrapped = row["count"]
            case what:
                pytest.fail(f"{what}: {row}")
    assert wrapped == 0, "fewer inner messages than counted"
    assert next(lines, None) is None, "the dump tool saw more"
    return batches, records


@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.name.removesuffix(".tar.xz"))
def test_as_the_dump_tool_says(archive: Path) -> None:
    compared = 0
    for segment in dumps(archive):
        try:
            compared += check_segment(segment)[1]
        except AssertionError as error:
            raise AssertionError(f"{segment.name}: {error}") from error
    assert compared > 50


def test_archives_are_there() -> None:
    assert len(ARCHIVES) == 10
