# SPDX-License-Identifier: GPL-2.0-or-later
"""Record sets made by Kafka's builders: every value of every batch and record as Kafka's own reader gives it."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from corpus import RecordSet, as_expected, record_sets
from records_tool import LZ4_OLD_CHECKSUM, Row, dump, hex_or_none

SETS = list(record_sets())
SHARED = ("size", "magic", "crc", "crc_good", "codec", "last_offset")
BATCH_ONLY = (
    "base_offset",
    "count",
    "leader_epoch",
    "producer_id",
    "producer_epoch",
    "base_sequence",
    "last_sequence",
    "max_timestamp",
)


def batch_of(row: Row) -> Row:
    """A batch's row in the form of the corpus."""
    flags = row["attributes"]
    found = {name: row[name] for name in ("what", "position") + SHARED + BATCH_ONLY}
    found["log_append_time"] = bool(flags & 0x08)
    found["transactional"] = bool(flags & 0x10)
    found["control"] = bool(flags & 0x20)
    found["delete_horizon"] = row["base_timestamp"] if flags & 0x40 else None
    return found


def old_batch_of(row: Row, max_timestamp: int) -> Row:
    """A message of an old magic, or a wrapper, which Kafka reads as a batch too."""
    found = {name: row[name] for name in ("position",) + SHARED if name in row}
    found["what"] = "batch"
    found["last_offset"] = row["offset"]
    found["log_append_time"] = bool(row["attributes"] & 0x08)
    found["max_timestamp"] = max_timestamp
    return found


def record_of(row: Row, sequence: int) -> Row:
    headers = [
        [as_expected(hex_or_none(header["key"])), as_expected(hex_or_none(header["value"]))]
        for header in row.get("headers", [])
    ]
    return {
        "what": "record",
        "offset": row["offset"],
        "timestamp": row["timestamp"],
        "sequence": sequence,
        "key": as_expected(hex_or_none(row["key"])),
        "value": as_expected(hex_or_none(row["value"])),
        "headers": headers,
    }


def in_corpus_form(rows: list[Row]) -> Iterator[Row]:
    rest = 0
    readable = True  # Kafka reads no records of a batch whose checksum is wrong
    for row in rows:
        if row.get("status") == "partial":
            rest += row["present"]
            continue
        match row["what"]:
            case "batch":
                readable = row["crc_good"]
                yield batch_of(row)
            case "record":
                if readable and not rest:
                    yield record_of(row, row["sequence"])
            case "message":
                yield old_batch_of(row, row["timestamp"])
                yield record_of(row, -1)
            case "wrapper":
                yield old_batch_of(row, row["timestamp"])
            case "inner":
                yield record_of(row, -1)
            case "seen":
                pass
            case what:
                pytest.fail(f"{what}: {row}")
    yield {"what": "rest", "size": rest}


def differences(expected: Row, found: Row) -> dict[str, tuple[Any, Any]]:
    names = expected.keys() | found.keys()
    return {name: (expected.get(name), found.get(name)) for name in names if expected.get(name) != found.get(name)}


@pytest.mark.parametrize("record_set", SETS, ids=lambda record_set: record_set.name)
def test_as_kafka_reads_it(record_set: RecordSet) -> None:
    found = list(in_corpus_form(dump(record_set.data)))
    for expected, row in zip(record_set.expected, found):
        assert differences(expected, row) == {}, (expected, row)
    assert len(found) == len(record_set.expected)


def test_nothing_is_wrong_with_them() -> None:
    """Kafka's own writers make nothing that the checks object to."""
    for record_set in SETS:
        if record_set.name.startswith(("empty", "set-cut")) or "bad-crc" in record_set.name:
            continue
        gaps = "gaps" in record_set.name
        for row in dump(record_set.data):
            assert row.get("status", "complete") in ("complete", "end"), record_set.name
            assert row.get("unpack_fault") is None, record_set.name
            # count − 1 is not the last offset delta where offsets are missing
            assert row.get("problems", 0) & ~(4 if gaps else 0) == 0, (record_set.name, row)


def test_old_lz4_checksums_are_noted() -> None:
    notes = {
        record_set.name: row["notes"] & LZ4_OLD_CHECKSUM
        for record_set in SETS
        if re.fullmatch(r"v[012]-lz4-many", record_set.name)
        for row in dump(record_set.data)
        if "notes" in row
    }
    assert notes == {"v0-lz4-many": LZ4_OLD_CHECKSUM, "v1-lz4-many": 0, "v2-lz4-many": 0}


def test_every_combination_is_there() -> None:
    kinds = Counter(tuple(record_set.name.split("-")[:2]) for record_set in SETS if record_set.name.startswith("v"))
    codecs = ("none", "gzip", "snappy", "lz4")
    assert set(kinds) == {(f"v{magic}", codec) for magic in range(3) for codec in codecs} | {("v2", "zstd")}
    assert min(kinds.values()) >= 11
