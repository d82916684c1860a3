# SPDX-License-Identifier: GPL-2.0-or-later
"""Record sets made by Kafka's builders, in Produce requests and Fetch responses: the tree has every value."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle

import pytest
from common.tshark import Tshark, scratch_dir
from corpus import RecordSet, record_sets
from frames import Frames
from shown_records import Message, Row, messages, milliseconds, rows, with_hashes

SETS = list(record_sets())
LARGEST = "size-1000000"  # one message with it is enough
FETCH_VERSIONS = {
    0: cycle([0, 1, 2, 3, 4, 9, 11, 12, 13, 15, 18]),
    1: cycle([2, 3, 4, 7, 10, 12, 13, 16, 17]),
    2: cycle([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]),
}
ZSTD_FETCH_VERSIONS = cycle(range(10, 19))
PRODUCE_VERSIONS = {0: cycle([0, 1]), 1: cycle([2]), 2: cycle(range(3, 14))}
ZSTD_PRODUCE_VERSIONS = cycle(range(7, 14))
# A producer may not write what these hold.
FETCH_ONLY = re.compile(r"^(control|empty|set)-|bad-crc|gaps|delete-horizon")

# A column that names one of the text fields: then all of them come to be.
NAMES_TEXT = ["-o", 'gui.column.format:"Key","%Cus:kafka.message_key.text:0:R"']
PAYLOADS = ("kafka.message_key", "kafka.message_value", "kafka.header_value")

# Of what the expert infos may speak: Kafka's own writers make nothing else that is unusual.
EXPECTED_EXPERTS = {"kafka.partial_batch", "kafka.batch_compacted", "kafka.unpack_note"}
# The same producer's batches are there once for each codec and API, and as one capture has them that is a repetition.
EXPECTED_EXPERTS |= {"kafka.producer.repeated", "kafka.producer.gap", "kafka.producer.back", "kafka.producer.new_epoch"}


@dataclass
class Sent:
    record_set: RecordSet
    label: str  # "Fetch v12"
    correlation_id: int


def magic_of(record_set: RecordSet) -> int:
    """The highest one."""
    return max((row["magic"] for row in record_set.expected if row["what"] == "batch"), default=2)


def send_all(frames: Frames) -> Iterator[Sent]:
    for record_set in SETS:
        magic = magic_of(record_set)
        is_zstd = any(row.get("codec") == "zstd" for row in record_set.expected)
        version = next(ZSTD_FETCH_VERSIONS if is_zstd else FETCH_VERSIONS[magic])
        yield Sent(record_set, f"Fetch v{version}", frames.fetch(version, record_set.data))
        if FETCH_ONLY.search(record_set.name) or record_set.name.endswith(LARGEST):
            continue
        version = next(ZSTD_PRODUCE_VERSIONS if is_zstd else PRODUCE_VERSIONS[magic])
        yield Sent(record_set, f"Produce v{version}", frames.produce(version, record_set.data))


FRAMES = Frames()
SENT = list(send_all(FRAMES))


@pytest.fixture(scope="module")
def shown(tshark: Tshark) -> dict[int, Message]:
    path = FRAMES.capture.write(scratch_dir() / "corpus.pcap")
    return messages(tshark.pdml(path, [*NAMES_TEXT, "-J", "frame tcp kafka"]))


def is_text(payload: bytes) -> bool:
    """Whether people can read it: UTF-8 without control characters other than white space."""
    try:
        text = payload.decode()
    except UnicodeDecodeError:
        return False
    return not any(char < " " and char not in "\t\n\r" or char == "\x7f" for char in text)


def test_text_fields(shown: dict[int, Message]) -> None:
    found = 0
    for message in shown.values():
        for item in (item for name in PAYLOADS for item in message.shown.item.all(name)):
            texts = [below for below in item.children if below.name == f"{item.name}.text"]
            payload = bytes.fromhex(item.show.replace(":", ""))
            is_null = item.first("kafka.null") is not None
            assert len(texts) == (is_text(payload) and not is_null)
            assert all(bytes.fromhex(text.value) == payload and text.hidden for text in texts)
            found += len(texts)
    assert found > 10_000


def test_text_fields_only_when_named(tshark: Tshark) -> None:
    path = FRAMES.capture.write(scratch_dir() / "corpus.pcap")
    (first, *_) = tshark.pdml(path, ["-Y", "kafka.message_value", "-c", "100"])
    assert first.named("kafka.message_value")
    assert not first.named("kafka.message_value.text")
    named = tshark.fields(path, ["kafka.message_value.text"], ["-Y", "kafka.message_value", "-c", "100"])
    assert any(row["kafka.message_value.text"] for row in named)


def as_batch(row: Row) -> Row:
    """A message of an old magic, or a wrapper, which Kafka reads as a batch too."""
    batch = {name: row[name] for name in ("position", "size", "magic", "codec", "crc", "log_append_time")}
    batch |= {"what": "batch", "last_offset": row["offset"], "max_timestamp": row["timestamp"]}
    batch["crc_good"] = row["crc_status"] == "good"
    return batch


def in_corpus_form(found: Iterator[Row]) -> Iterator[Row]:
    rest = 0
    is_readable = True  # Kafka reads no records of a batch whose checksum is wrong
    for row in found:
        match row["what"]:
            case "batch":
                is_readable = row["crc_status"] == "good"
                yield row | {"crc_good": is_readable}
            case "record":
                if is_readable:
                    yield with_hashes(row)
            case "message":
                yield as_batch(row)
                yield with_hashes(row)
            case "wrapper":
                yield as_batch(row)
            case "inner":
                assert row["crc_status"] == "good"
                yield with_hashes(row)
            case "partial":
                rest += row["size"]
    yield {"what": "rest", "size": rest}


@pytest.mark.parametrize("sent", SENT, ids=lambda sent: f"{sent.record_set.name} {sent.label}")
def test_as_kafka_reads_it(shown: dict[int, Message], sent: Sent) -> None:
    message = shown[sent.correlation_id]
    (records,) = message.sets
    found = list(in_corpus_form(row for row, _ in rows(records)))
    for expected, row in zip(sent.record_set.expected, found, strict=False):
        assert {name: row[name] for name in expected} == expected
    assert len(found) == len(sent.record_set.expected)
    is_bad = "bad-crc" in sent.record_set.name
    assert ("kafka.batch_crc.bad" in message.names) == is_bad
    if not is_bad:
        assert message.names <= EXPECTED_EXPERTS


def test_sizes_and_ratio(shown: dict[int, Message]) -> None:
    """What a batch unpacks to is what the same records take where they are not compressed."""
    plain = {}
    for sent in SENT:
        for row, _ in rows(shown[sent.correlation_id].sets[0]):
            if row["what"] != "batch" or "v2" not in sent.record_set.name:
                continue
            shape = sent.record_set.name.split("-", 2)[2]
            if row["codec"] == "none":
                plain[shape] = row["size"] - 61
                assert row["compressed_size"] is None
    compared = 0
    for sent in SENT:
        for row, item in rows(shown[sent.correlation_id].sets[0]):
            if row["what"] != "batch" or row["codec"] == "none" or row["count"] == 0:
                continue
            assert row["compressed_size"] == row["size"] - 61
            ratio = item.first("kafka.message_compression_reduction")
            assert ratio is not None
            assert float(ratio.show) == pytest.approx(row["compressed_size"] / row["uncompressed_size"], rel=1e-5)
            if sent.record_set.name.startswith("v2") and sent.record_set.name.endswith(("-0", "-1", "-100", "0000")):
                assert row["uncompressed_size"] == plain[sent.record_set.name.split("-", 2)[2]]
                compared += 1
    assert compared > 20


def test_old_lz4_checksums_are_noted(shown: dict[int, Message]) -> None:
    noted = {
        sent.record_set.name
        for sent in SENT
        if "lz4" in sent.record_set.name and "kafka.unpack_note" in shown[sent.correlation_id].names
    }
    assert noted == {sent.record_set.name for sent in SENT if sent.record_set.name.startswith("v0-lz4")}


# Control type, versions of key and value, and the fields of the value, by the name of the record set.
TIME_MS = 1_700_000_000_000
CONTROL = {
    "control-kraft-version": (5, [0, 0], {"kraft_version": ["1"]}),
    "control-leader-change-0": (2, [0, 0], {"leader_id": ["2"], "voter_id": ["1", "2", "3", "2", "3"]}),
    "control-leader-change-1": (2, [0, 1], {"leader_id": ["2"], "voter_id": ["1", "2", "3", "2", "3"]}),
    "control-snapshot-footer": (4, [0, 0], {}),
    "control-snapshot-header": (3, [0, 0], {}),
    "control-voters": (
        6,
        [0, 0],
        {
            "voter_id": ["1"],
            "listener_name": ["CONTROLLER"],
            "host": ["::1"],
            "port": ["65535"],
            "min_supported_version": ["0"],
            "max_supported_version": ["1"],
        },
    ),
} | {
    f"control-{name}-{epoch}": (kind, [0, 0], {"coordinator_epoch": [str(epoch)]})
    for kind, name in enumerate(("abort", "commit"))
    for epoch in (-1, 0, 12, 2**31 - 1)
}


@pytest.mark.parametrize(
    "sent", [sent for sent in SENT if "control" in sent.record_set.name], ids=lambda s: s.record_set.name
)
def test_control_records(shown: dict[int, Message], sent: Sent) -> None:
    kind, versions, fields = CONTROL[sent.record_set.name]
    ((_, _), (_, record)) = rows(shown[sent.correlation_id].sets[0])
    (control,) = [item for item in record.children if item.show.startswith("Control record: ")]
    assert control.shows("kafka.control_record_type") == [str(kind)]
    assert [int(text) for text in control.shows("kafka.control_record_version")] == versions
    for name, values in fields.items():
        assert control.shows(f"kafka.{name}") == values
    directories = control.all("kafka.voter_directory_id")
    if sent.record_set.name in ("control-voters", "control-leader-change-1"):
        # 16 bytes that the value has in this order
        value = bytes.fromhex(sent.record_set.expected[1]["value"])
        assert len(directories) == len(fields["voter_id"])
        assert all(bytes.fromhex(item.value) in value for item in directories)
    else:
        assert directories == []
    if "header" in sent.record_set.name:
        time = control.first("kafka.last_contained_log_timestamp")
        assert time is not None and milliseconds(time) == TIME_MS - 5
