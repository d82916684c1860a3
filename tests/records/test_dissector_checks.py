# SPDX-License-Identifier: GPL-2.0-or-later
"""Record sets made by hand, right ones and wrong ones: which expert infos say what of each, and what is still shown."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from common.messages import FETCH, PRODUCE, int16, int32, int64
from common.tshark import Expert, Item, Tshark, scratch_dir
from frames import Frames
from record_builder import (
    CONTROL,
    GZIP,
    LOG_APPEND_TIME,
    LZ4,
    LZ4_OLD_HEADER,
    PACK,
    SNAPPY,
    TIME,
    TRANSACTIONAL,
    ZSTD,
    Batch,
    OldMessage,
    Record,
    gzip_stream,
    lz4_frame,
    marker,
    packed_batch,
    plain,
    snappy_raw,
    snappy_xerial,
    some_records,
    wrapper,
    zstd_frame,
)
from shown_records import Message, child, is_record, messages, payload, rows

BAD_BATCH_CRC = "kafka.batch_crc.bad"
BAD_MESSAGE_CRC = "kafka.message_crc.bad"
PARTIAL = "kafka.partial_batch"
BAD_BATCH = "kafka.ei_kafka_bad_message_set_length"
BAD_RECORD = "kafka.bad_record_length"
UNKNOWN_MAGIC = "kafka.unknown_message_magic"
MAGIC_NOT_ALLOWED = "kafka.magic_not_allowed"
CODEC_NOT_ALLOWED = "kafka.codec_not_allowed"
UNKNOWN_CODEC = "kafka.unknown_codec"
RECORD_COUNT = "kafka.batch_size.bad"
LAST_OFFSET_DELTA = "kafka.batch_last_offset_delta.bad"
COMPACTED = "kafka.batch_compacted"
NOT_ASCENDING = "kafka.record_offset_delta.bad"
MAX_TIMESTAMP = "kafka.batch_last_timestamp.bad"
LEFT_OVER = "kafka.records_left_over"
ATTRIBUTES = "kafka.batch_attributes.bad"
PRODUCER = "kafka.batch_producer.bad"
CONTROL_BATCH = "kafka.batch_control.bad"
UNPACK = "kafka.ei_kafka_bad_decompression_length"
UNPACK_LIMIT = "kafka.unpack_limit"
UNPACK_NOTE = "kafka.unpack_note"
WRAPPER = "kafka.wrapper.bad"
SEVERITIES = {
    PARTIAL: "note",
    COMPACTED: "note",
    ATTRIBUTES: "note",
    UNPACK_NOTE: "note",
    UNPACK_LIMIT: "note",
    BAD_BATCH_CRC: "error",
    BAD_MESSAGE_CRC: "error",
    BAD_BATCH: "error",
    BAD_RECORD: "error",
    UNKNOWN_MAGIC: "error",
    UNPACK: "error",
}  # the others are warnings

GOOD = bytes(Batch(some_records(3), base_offset=7))
Part = Batch | OldMessage | bytes


@dataclass
class Case:
    """A record set, and exactly which expert infos the message with it has."""

    name: str
    parts: list[Part] | None  # None is null
    names: set[str] = field(default_factory=set)
    api: int = FETCH
    version: int = 12
    texts: list[str] = field(default_factory=list)  # that the expert infos have
    records: int | None = None  # shown, of all magics; None: not looked at

    @property
    def data(self) -> bytes | None:
        return None if self.parts is None else b"".join(bytes(part) for part in self.parts)


def produce(name: str, parts: list[Part] | None, names: set[str] | None = None, version: int = 9, **how) -> Case:
    return Case(name, parts, names or set(), PRODUCE, version, **how)


def fetch(name: str, parts: list[Part] | None, names: set[str] | None = None, version: int = 12, **how) -> Case:
    return Case(name, parts, names or set(), FETCH, version, **how)


def cut_sets() -> list[Case]:
    """A fetch limit may cut the last batch anywhere."""
    second = bytes(Batch(some_records(2), base_offset=10))
    cases = []
    for kept in (1, 8, 12, 16, 17, 60, 61, len(second) - 1):
        whole = f"{kept} of {len(second)} bytes" if kept >= 12 else f"{kept} bytes of its header"
        cases.append(fetch(f"cut after {kept}", [GOOD, second[:kept]], {PARTIAL}, texts=[whole], records=3))
    message = bytes(OldMessage(value=b"v" * 50))
    cases += [
        fetch(f"message cut after {kept}", [message, message[:kept]], {PARTIAL}, 2, records=1) for kept in (1, 16, 40)
    ]
    cases.append(produce("cut in a request", [Batch(some_records(2)), second[:-5]], {BAD_BATCH}, records=2))
    return cases


def magics() -> list[Case]:
    old = [OldMessage(0, 0), OldMessage(1, 1)]
    return [
        fetch("mixed magics", [*old, GOOD, OldMessage(10, 0)], records=6),
        fetch("unknown magic", [Batch(magic=3), GOOD], {UNKNOWN_MAGIC}, texts=["Magic 3"], records=3),
        fetch("negative magic", [Batch(magic=-1), GOOD], {UNKNOWN_MAGIC}, texts=["Magic -1"], records=3),
        produce("magic 2 in Produce v2", [GOOD], {MAGIC_NOT_ALLOWED}, 2, records=3),
        produce("magic 1 in Produce v2", [OldMessage()], version=2, records=1),
        produce("magic 0 in Produce v2", [OldMessage(magic=0)], {MAGIC_NOT_ALLOWED}, 2, records=1),
        produce("magic 1 in Produce v3", [OldMessage()], {MAGIC_NOT_ALLOWED}, 3, records=1),
        produce("magic 2 in Produce v3", [GOOD], version=3, records=3),
        fetch("magic 2 in Fetch v3", [GOOD], {MAGIC_NOT_ALLOWED}, 3, records=3),
        fetch("magic 2 in Fetch v4", [GOOD], version=4, records=3),
    ]


def codecs() -> list[Case]:
    records = some_records(40)
    zstd = packed_batch(records, ZSTD)
    cases = [
        produce("zstd in Produce v6", [zstd], {CODEC_NOT_ALLOWED}, 6, records=40),
        produce("zstd in Produce v7", [zstd], version=7, records=40),
        fetch("zstd in Fetch v9", [zstd], {CODEC_NOT_ALLOWED}, 9, records=40),
        fetch("zstd in Fetch v10", [zstd], version=10, records=40),
    ]
    for codec in (5, 6, 7):
        cases.append(
            fetch(
                f"codec {codec}", [Batch(attributes=codec), GOOD], {UNKNOWN_CODEC}, texts=[f"Codec {codec}"], records=3
            )
        )
    for codec, pack in PACK.items():
        packed = pack(plain(records))
        cases.append(fetch(f"codec {codec} whole", [packed_batch(records, codec), GOOD], records=43))
        # A record takes about 22 bytes, a block has 64: what came before the cut is shown, and the batch behind it.
        half = packed_batch(records, codec, packed[: len(packed) // 2])
        cases.append(fetch(f"codec {codec} cut", [half, GOOD], {UNPACK}, texts=["ends too early"]))
    data = plain(records)
    broken = bytearray(gzip_stream(data))
    broken[-8] ^= 1
    framing = b"\xff\x06\0\0sNaPpY" + bytes(20)
    lz4_blocks = bytearray(lz4_frame(data))
    lz4_blocks[7 + 2 * 68 : 7 + 2 * 68 + 4] = b"\xff\xff\xff\x7f"
    zstd_blocks = bytearray(zstd_frame(data))
    zstd_blocks[6 + 2 * 67] |= 3 << 1  # a kind of block that does not exist
    xerial = bytearray(snappy_xerial(data))
    at = 16 + 2 * len(snappy_xerial(data[:64])[16:]) + 4
    xerial[at : at + 5] = b"\xff" * 5
    cases += [
        fetch("gzip trailer", [packed_batch(records, GZIP, bytes(broken))], {UNPACK}, texts=["checksum"], records=40),
        fetch(
            "gzip garbage", [packed_batch(records, GZIP, b"not gzip at all")], {UNPACK}, texts=["corrupt"], records=0
        ),
        fetch("lz4 block", [packed_batch(records, LZ4, bytes(lz4_blocks))], {UNPACK}, texts=["corrupt"]),
        fetch("lz4 garbage", [packed_batch(records, LZ4, b"not lz4 at all")], {UNPACK}, texts=["corrupt"], records=0),
        fetch("zstd block", [packed_batch(records, ZSTD, bytes(zstd_blocks))], {UNPACK}, texts=["corrupt"]),
        fetch(
            "zstd garbage", [packed_batch(records, ZSTD, b"not zstd at all")], {UNPACK}, texts=["corrupt"], records=0
        ),
        fetch(
            "zstd window",
            [packed_batch(records, ZSTD, zstd_frame(data, window=0xA0))],
            {UNPACK_LIMIT},
            texts=["window"],
            records=0,
        ),
        fetch("xerial block", [packed_batch(records, SNAPPY, bytes(xerial))], {UNPACK}, texts=["corrupt"]),
        fetch("raw snappy", [packed_batch(records, SNAPPY, snappy_raw(data))], records=40),
        fetch("raw snappy cut", [packed_batch(records, SNAPPY, snappy_raw(data)[:-9])], {UNPACK}, records=0),
        fetch("snappy framing", [packed_batch(records, SNAPPY, framing)], {UNPACK}, texts=["framing"], records=0),
        fetch(
            "xerial swapped",
            [packed_batch(records, SNAPPY, snappy_xerial(data, words=b"\1\0\0\0\1\0\0\0"))],
            {UNPACK_NOTE},
            texts=["little-endian"],
            records=40,
        ),
        fetch("xerial large blocks", [packed_batch(records, SNAPPY, snappy_xerial(data, block=1 << 20))], records=40),
        fetch(
            "lz4 of old clients",
            [packed_batch(records, LZ4, lz4_frame(data, header=LZ4_OLD_HEADER))],
            {UNPACK_NOTE},
            texts=["wrong bytes"],
            records=40,
        ),
        fetch(
            "gzip members", [packed_batch(records, GZIP, gzip_stream(data[:300]) + gzip_stream(data[300:]))], records=40
        ),
        fetch(
            "gzip and more",
            [packed_batch(records, GZIP, gzip_stream(data) + b"more")],
            {UNPACK_NOTE},
            texts=["left over"],
            records=40,
        ),
        fetch(
            "zstd frames", [packed_batch(records, ZSTD, zstd_frame(data[:300]) + zstd_frame(data[300:]))], records=40
        ),
        fetch("lz4 frames", [packed_batch(records, LZ4, lz4_frame(data[:300]) + lz4_frame(data[300:]))], records=40),
    ]
    return cases


def headers_of_batches() -> list[Case]:
    two = some_records(2)
    producer = {"producer_id": 9, "producer_epoch": 1, "base_sequence": 5}
    control = {"attributes": CONTROL | TRANSACTIONAL, "producer_id": 9, "producer_epoch": 1}
    kraft = [
        Record(0, int16(0) + int16(5), int16(0) + int16(1) + b"\0"),
        Record(1, int16(0) + int16(4), int16(0) + b"\0"),
    ]
    return [
        produce("idempotent", [Batch(two, **producer)], records=2),
        produce("transactional without producer", [Batch(two, attributes=TRANSACTIONAL)], {PRODUCER}),
        produce("producer without sequence", [Batch(two, producer_id=9, producer_epoch=1)], {PRODUCER}),
        fetch("a marker", [Batch([marker(1)], **control)], records=1),
        fetch("two markers", [Batch([marker(1), marker(0, 1)], **control)], {CONTROL_BATCH}, records=2),
        fetch("two records of KRaft", [Batch(kraft, attributes=CONTROL)], records=2),
        fetch("packed control", [packed_batch([marker(1)], GZIP, **control)], {CONTROL_BATCH}, records=1),
        fetch("unused attributes", [Batch(two, attributes=0x8080)], {ATTRIBUTES}, texts=["0x8080"]),
        fetch("length too small", [Batch(two, length=48), GOOD], {BAD_BATCH}, records=3),
        fetch("negative length", [Batch(two, length=-1), GOOD], {BAD_BATCH}, records=3),
        fetch("length too large", [Batch(two, length=5000), GOOD], {BAD_BATCH}, texts=["5012 bytes"], records=3),
        fetch("bad checksum", [Batch(two, crc=1), GOOD], {BAD_BATCH_CRC}, records=5),
        fetch("leader epoch is not covered", [Batch(two, leader_epoch=77)], records=2),
    ]


def counts() -> list[Case]:
    two = some_records(2)
    gaps = [Record(0), Record(5)]
    return [
        produce("count too high", [Batch(two, count=3, last_offset_delta=1)], {RECORD_COUNT, LAST_OFFSET_DELTA}),
        fetch("count too high in Fetch", [Batch(two, count=3, last_offset_delta=1)], {RECORD_COUNT, LAST_OFFSET_DELTA}),
        fetch(
            "count too low in Fetch",
            [Batch(two, count=1, last_offset_delta=1)],
            {RECORD_COUNT, COMPACTED},
            texts=["counts 1 records and has 2"],
        ),
        fetch("negative count", [Batch(two, count=-1)], {RECORD_COUNT}, texts=["cannot be"]),
        produce("gaps in Produce", [Batch(gaps, last_offset_delta=5)], {LAST_OFFSET_DELTA}, records=2),
        fetch("gaps in Fetch", [Batch(gaps, last_offset_delta=5)], {COMPACTED}, records=2),
        produce("last delta too high", [Batch(two, last_offset_delta=4)], {LAST_OFFSET_DELTA}, records=2),
        fetch("last delta too high in Fetch", [Batch(two, last_offset_delta=4)], {COMPACTED}, records=2),
        produce("last delta too low", [Batch(two, last_offset_delta=0)], {LAST_OFFSET_DELTA}, records=2),
        fetch("last delta too low in Fetch", [Batch(two, last_offset_delta=0)], {LAST_OFFSET_DELTA}, records=2),
        fetch("compacted to nothing", [Batch([], last_offset_delta=5)], {COMPACTED}, records=0),
        fetch("same offset twice", [Batch([Record(1), Record(1)])], {NOT_ASCENDING}, records=2),
        fetch(
            "max timestamp", [Batch([Record(timestamp_delta=5)], max_timestamp=TIME + 4)], {MAX_TIMESTAMP}, records=1
        ),
        fetch(
            "max timestamp of the broker", [Batch([Record(timestamp_delta=5)], attributes=LOG_APPEND_TIME)], records=1
        ),
    ]


def broken_records() -> list[Case]:
    def one(name: str, record: Record | bytes, text: str) -> Case:
        return fetch(name, [Batch([Record(0), record, Record(2)]), GOOD], {BAD_RECORD}, texts=[text])

    return [
        one("record longer than the batch", Record(1, length=1000), "longer than what is left of the batch"),
        one("negative record length", b"\x01", "length is negative"),
        one("bytes in the record", Record(1, rest=b"rest"), "left over"),
        one("header count", Record(1, header_count=50), "number of headers"),
        one("negative header count", Record(1, header_count=-1), "number of headers"),
        one("null header key", Record(1, headers=[(None, b"v")]), "header's key"),
        one("short record", b"\x06\0\0\x02", "ends before its fields do"),
        fetch(
            "bytes left over",
            [Batch([*some_records(2), b"\0\0\0"], count=2), GOOD],
            {LEFT_OVER},
            texts=["3 bytes"],
            records=5,
        ),
    ]


def old_messages() -> list[Case]:
    inner = [OldMessage(0), OldMessage(1)]
    zeros = [OldMessage(0, 0), OldMessage(1, 0)]
    return [
        fetch("wrapper", [wrapper(inner, offset=11)], version=2, records=2),
        fetch("bad message", [OldMessage(crc=1), OldMessage()], {BAD_MESSAGE_CRC}, 2, records=2),
        fetch("bad inner message", [wrapper([OldMessage(0), OldMessage(1, crc=1)])], {BAD_MESSAGE_CRC}, 2, records=2),
        fetch("null wrapper", [wrapper(inner, value=None)], {WRAPPER}, 2, texts=["no value"], records=0),
        fetch("wrapper of another magic", [wrapper(zeros, magic=1)], {WRAPPER}, 2, texts=["another magic"], records=2),
        fetch("wrapper in a wrapper", [wrapper([wrapper(inner)])], {WRAPPER}, 2, texts=["compressed again"]),
        fetch(
            "wrapper offset",
            [wrapper([OldMessage(0), OldMessage(5)], offset=3)],
            {WRAPPER},
            2,
            texts=["below"],
            records=2,
        ),
        fetch("zstd wrapper", [wrapper(inner, ZSTD)], {WRAPPER}, 2, texts=["cannot have"], records=2),
        fetch("empty wrapper", [wrapper(inner, value=gzip_stream(b""))], {WRAPPER}, 2, texts=["No message"], records=0),
        fetch(
            "wrapper cut",
            [wrapper([OldMessage(0), OldMessage(1)], LZ4, value=lz4_frame(b"".join(map(bytes, inner)), 38)[:-60])],
            {UNPACK},
            2,
            texts=["too early"],
        ),
        fetch(
            "left over in a message",
            [int64(0) + int32(14 + 3) + bytes(OldMessage(magic=0, key=None, value=None))[12:] + b"abc"],
            {BAD_BATCH, BAD_MESSAGE_CRC},
            2,
            texts=["left over"],
        ),
    ]


CASES = [
    fetch("null", None),
    fetch("null in Fetch v4", None, version=4),
    fetch("empty", []),
    produce("null in Produce", None),
    produce("one batch", [GOOD], records=3),
    fetch("two batches", [GOOD, GOOD], records=6),
    *cut_sets(),
    *magics(),
    *codecs(),
    *headers_of_batches(),
    *counts(),
    *broken_records(),
    *old_messages(),
]


def send(frames: Frames, case: Case) -> int:
    sender: Callable[..., int] = frames.produce if case.api == PRODUCE else frames.fetch
    return sender(case.version, case.data)


@dataclass
class Reading:
    ids: dict[str, int]
    shown: dict[int, Message]

    def __getitem__(self, name: str) -> Message:
        return self.shown[self.ids[name]]


FRAMES = Frames()
IDS = {case.name: send(FRAMES, case) for case in CASES}


@pytest.fixture(scope="module")
def capture():
    return FRAMES.capture.write(scratch_dir() / "checks.pcap")


@pytest.fixture(scope="module")
def reading(tshark: Tshark, capture) -> Reading:
    return Reading(IDS, messages(tshark.pdml(capture, ["-J", "frame tcp kafka"])))


def kafka_experts(message: Message) -> list[Expert]:
    return [expert for expert in message.experts if expert.name.startswith("kafka.")]


def record_count(message: Message) -> int:
    return sum(len([item for item in records.walk() if item.name == "kafka.message_value"]) for records in message.sets)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_expert_infos(reading: Reading, case: Case) -> None:
    message = reading[case.name]
    found = kafka_experts(message)
    assert {expert.name for expert in found} == case.names, [expert.message for expert in found]
    for expert in found:
        assert expert.severity == SEVERITIES.get(expert.name, "warning"), expert
    for text in case.texts:
        assert any(text in expert.message for expert in found), [expert.message for expert in found]
    if case.records is not None:
        assert record_count(message) == case.records


# The field that an expert info stands at: where it begins in the batch, and its size.
PLACES = [
    ("bad checksum", BAD_BATCH_CRC, 17, 4),
    ("unused attributes", ATTRIBUTES, 21, 2),
    ("zstd in Produce v6", CODEC_NOT_ALLOWED, 21, 2),
    ("packed control", CONTROL_BATCH, 21, 2),
    ("magic 2 in Fetch v3", MAGIC_NOT_ALLOWED, 16, 1),
    ("transactional without producer", PRODUCER, 43, 8),
    ("producer without sequence", PRODUCER, 53, 4),
    ("two markers", CONTROL_BATCH, 57, 4),
    ("count too low in Fetch", RECORD_COUNT, 57, 4),
    ("gaps in Produce", LAST_OFFSET_DELTA, 23, 4),
    ("last delta too low in Fetch", LAST_OFFSET_DELTA, 23, 4),
    ("gaps in Fetch", COMPACTED, 23, 4),
    ("max timestamp", MAX_TIMESTAMP, 35, 8),
    ("same offset twice", NOT_ASCENDING, 61 + len(bytes(Record(1))), len(bytes(Record(1)))),
    ("bytes left over", LEFT_OVER, 61 + len(plain(some_records(2))), 3),
    ("bytes in the record", BAD_RECORD, 61 + len(bytes(Record(0))), len(bytes(Record(1, rest=b"rest")))),
]


@pytest.mark.parametrize(("case", "name", "offset", "size"), PLACES, ids=lambda value: str(value))
def test_expert_infos_stand_at_the_bytes(reading: Reading, case: str, name: str, offset: int, size: int) -> None:
    message = reading[case]
    (_, batch), *_ = rows(message.sets[0])
    (found,) = [expert for expert in message.experts if expert.name == name]
    assert (found.pos - batch.pos, found.size) == (offset, size)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_said_once(reading: Reading, case: Case) -> None:
    """No two expert infos of a message say the same."""
    found = [(expert.name, expert.pos) for expert in kafka_experts(reading[case.name])]
    assert len(set(found)) == len(found)


def test_null_and_empty(reading: Reading) -> None:
    for name, size in (("null", "-1"), ("null in Fetch v4", "-1"), ("null in Produce", "-1"), ("empty", "0")):
        (records,) = reading[name].sets
        assert records.shows("kafka.records_size") == [size]
        assert (records.first("kafka.null") is not None) == (size == "-1")
        assert list(rows(records)) == []


@pytest.mark.parametrize("codec", PACK)
def test_records_before_a_fault_are_shown(reading: Reading, codec: int) -> None:
    """Of a stream that is cut in its middle: the first records are there, as they were written."""
    found = [row for row, _ in rows_as_far_as_they_go(reading[f"codec {codec} cut"])]
    assert found[-3:] == [(7 + i, b"key-%d" % i, b"value-%d" % i) for i in range(3)]  # of the batch behind it
    whole = [(i, b"key-%d" % i, b"value-%d" % i) for i in range(40)]
    shown = found[:-3]
    assert 10 <= len(shown) < 40
    assert shown == whole[: len(shown)]


@pytest.mark.parametrize("name", ["lz4 block", "zstd block", "xerial block"])
def test_blocks_before_a_fault_are_shown(reading: Reading, name: str) -> None:
    """Two blocks of 64 bytes are right; a record takes 20 bytes or more."""
    found = [row for row, _ in rows_as_far_as_they_go(reading[name])]
    assert len(found) == 128 // len(bytes(some_records(1)[0]))
    assert found == [(i, b"key-%d" % i, b"value-%d" % i) for i in range(len(found))]


def rows_as_far_as_they_go(message: Message) -> list[tuple[tuple[int, bytes, bytes], Item]]:
    """Offset, key and value of the records that have all three."""
    found = []
    for item in message.sets[0].walk():
        if is_record(item):
            key, value, offset = (
                child(item, "kafka.message_key"),
                child(item, "kafka.message_value"),
                child(item, "kafka.offset"),
            )
            if key is not None and value is not None and offset is not None:
                found.append(((int(offset.show), payload(key), payload(value)), item))
    return found


def test_expert_report(tshark: Tshark, capture, reading: Reading) -> None:
    """The report alone, without a tree, finds every bad checksum."""
    report = tshark.read(capture, ["-q", "-z", "expert"]).text
    found = dict.fromkeys(("Bad CRC-32C ", "Bad CRC-32 "), 0)
    for line in report.splitlines():
        for text in found:
            if text in line:
                found[text] += int(line.split()[0])
    wrong = [expert.name for message in reading.shown.values() for expert in message.experts]
    assert found == {"Bad CRC-32C ": wrong.count(BAD_BATCH_CRC), "Bad CRC-32 ": wrong.count(BAD_MESSAGE_CRC)}
    assert min(found.values()) > 0


SNAPSHOT = b"".join(bytes(Batch(some_records(4), base_offset=4 * i)) for i in range(6))
ONE = len(SNAPSHOT) // 6


@pytest.fixture(scope="module")
def snapshot(tshark: Tshark) -> dict[int, Message]:
    """Parts of a snapshot that begin and end anywhere."""
    frames = Frames()
    for begin, end in PARTS:
        frames.fetch_snapshot(begin, len(SNAPSHOT), SNAPSHOT[begin:end])
    path = frames.capture.write(scratch_dir() / "snapshot.pcap")
    return messages(tshark.pdml(path, ["-J", "frame tcp kafka"]))


PARTS = [(0, 3 * ONE), (0, ONE + 9), (9, 3 * ONE), (ONE - 1, 4 * ONE + 70), (70, ONE - 3), (2 * ONE + 70, 3 * ONE + 70)]


@pytest.mark.parametrize("number", range(len(PARTS)))
def test_parts_of_a_snapshot(snapshot: dict[int, Message], number: int) -> None:
    begin, end = PARTS[number]
    (records,) = snapshot[number + 1].sets
    found = [row["base_offset"] for row, _ in rows(records) if row["what"] == "batch"]
    assert found == [4 * i for i in range(6) if begin <= i * ONE and (i + 1) * ONE <= end]
    left = [row["size"] for row, _ in rows(records) if row["what"] == "partial"]
    first = -begin % ONE if begin % ONE else 0
    if not found and begin % ONE:
        expected = [end - begin]  # nothing in the part can be proven to be a batch
    else:
        expected = [size for size in (first, (end - begin - first) % ONE) if size]
    assert left == expected
    assert {expert.name for expert in kafka_experts(snapshot[number + 1])} == ({PARTIAL} if expected else set())


# What only a filter asks for is there too: values of control records, sizes, and what is wrong.
FILTERS = {
    "kafka.compressed_size > 0": "codec 1 whole",
    "kafka.uncompressed_size > 0": "codec 4 whole",
    "kafka.coordinator_epoch == 7": "a marker",
    "kafka.kraft_version == 1": "two records of KRaft",
    "kafka.batch_control.bad": "two markers",
    "kafka.batch_last_offset_delta.bad": "gaps in Produce",
    "kafka.batch_size.bad": "negative count",
    "kafka.record_offset_delta.bad": "same offset twice",
    "kafka.message_crc.bad": "bad inner message",
    "kafka.undecoded": "bytes left over",
    "kafka.partial_batch": "cut after 61",
    "kafka.wrapper.bad": "null wrapper",
    "kafka.unpack_note": "gzip and more",
    'kafka.message_key.text == "key-39"': "codec 3 whole",
}


@pytest.mark.parametrize("query", FILTERS)
def test_filters_alone(tshark: Tshark, capture, reading: Reading, query: str) -> None:
    """A display filter without a tree finds the same packets as one with it."""
    plain_lines = tshark.read(capture, ["-Y", query]).text.splitlines()
    found = {int(line.split()[0]) for line in plain_lines}
    assert reading[FILTERS[query]].packet.number in found
    name = query.split()[0]
    if " " not in query or query.endswith("> 0"):
        assert found == {
            message.packet.number for message in reading.shown.values() if message.shown.item.first(name) is not None
        }
