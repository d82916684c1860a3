# SPDX-License-Identifier: GPL-2.0-or-later
"""Preferences that limit what is shown and unpacked: notes say what is missing, and memory stays bounded."""

import os
import subprocess
from pathlib import Path

import pytest
from common.messages import int32, int64
from common.tshark import Tshark, scratch_dir
from frames import Frames
from record_builder import BOMBS, GZIP, Batch, OldMessage, Record, packed_batch, plain, some_records, wrapper
from shown_records import Message, is_message, is_record, messages, rows

LEFT_OUT = "kafka.records_left_out"
UNPACK_LIMIT = "kafka.unpack_limit"
MANY = 200
BOMB = 100 << 20  # bytes; the limit of a batch is 64 MiB
BATCH_LIMIT = 64 << 20


def write(frames: Frames) -> Path:
    return frames.capture.write(scratch_dir() / "limits.pcap")


def read(tshark: Tshark, path: Path, *options: str) -> dict[int, Message]:
    return messages(tshark.pdml(path, [*options, "-J", "frame tcp kafka"]))


@pytest.fixture(scope="module")
def many() -> Path:
    """1: 200 records in each of two partitions; 2: 200 messages, and 200 in a wrapper, the last with a bad CRC."""
    frames = Frames()
    records = some_records(MANY)
    frames.fetch(12, bytes(packed_batch(records, GZIP)), bytes(Batch(records, base_offset=1000)))
    old = [OldMessage(i) for i in range(MANY - 1)] + [OldMessage(MANY - 1, crc=1)]
    frames.fetch(2, b"".join(map(bytes, old)), bytes(wrapper(old)))
    return write(frames)


def shown_counts(message: Message) -> int:
    return sum(
        1 for item in message.shown.item.walk() if is_record(item) or (is_message(item) and "gzip" not in item.show)
    )


def test_max_records(tshark: Tshark, many: Path) -> None:
    shown = read(tshark, many, "-o", "kafka.max_records:30")
    assert [shown_counts(shown[number]) for number in (1, 2)] == [30, 30]
    for number in (1, 2):
        notes = [expert for expert in shown[number].experts if expert.name == LEFT_OUT]
        assert [expert.severity for expert in notes] == ["note", "note"]
        assert [int(expert.message.split()[0]) for expert in notes] == [MANY - 30, MANY]
        assert all("kafka.max_records (30)" in expert.message for expert in notes)
    # Headers of batches are all there, and checksums are verified of what is not shown too.
    assert [row["count"] for records in shown[1].sets for row, _ in rows(records) if row["what"] == "batch"] == [
        MANY,
        MANY,
    ]
    bad = [expert for expert in shown[2].experts if expert.name == "kafka.message_crc.bad"]
    assert len(bad) == 2


def test_filters_find_records_beyond_the_limit(tshark: Tshark, many: Path) -> None:
    options = ["-o", "kafka.max_records:30", "-Y", f'kafka.message_key.text == "key-{MANY - 1}"']
    assert len(tshark.read(many, options).text.splitlines()) == 1


def test_verify_checksums_off(tshark: Tshark, many: Path) -> None:
    shown = read(tshark, many, "-o", "kafka.verify_checksums:FALSE")
    for message in shown.values():
        statuses = {row["crc_status"] for records in message.sets for row, _ in rows(records) if "crc_status" in row}
        assert statuses == {"unverified"}
        assert not {name for name in message.names if name.endswith("crc.bad")}


@pytest.mark.parametrize(
    ("preference", "limit", "notes"),
    [
        ("max_unpacked_batch", len(plain(some_records(MANY))) - 1, 4),
        ("max_unpacked_batch", len(plain(some_records(MANY))), 0),
        ("max_unpacked_packet", 3 * len(plain(some_records(MANY))), 1),
        ("max_unpacked_packet", 1, 4),
    ],
)
def test_max_unpacked(tshark: Tshark, preference: str, limit: int, notes: int) -> None:
    """Four batches in a packet: as many as there is room for are unpacked, and all checksums are verified."""
    frames = Frames()
    frames.fetch(12, bytes(packed_batch(some_records(MANY), GZIP)) * 4)
    message = read(tshark, write(frames), "-o", f"kafka.{preference}:{limit}")[1]
    found = [expert for expert in message.experts if expert.name == UNPACK_LIMIT]
    assert len(found) == notes
    assert all(expert.severity == "note" and "kafka.max_unpacked_batch" in expert.message for expert in found)
    batches = [row for row, _ in rows(message.sets[0]) if row["what"] == "batch"]
    assert [row["crc_status"] for row in batches] == ["good"] * 4
    assert [row["uncompressed_size"] is None for row in batches] == [False] * (4 - notes) + [True] * notes
    assert shown_counts(message) == MANY * (4 - notes)


def test_what_is_given_up_counts(tshark: Tshark) -> None:
    """Unpacking up to the limit of a batch takes its time from the packet's limit, though nothing of it is kept."""
    frames = Frames()
    size = len(plain(some_records(MANY)))
    frames.fetch(12, bytes(packed_batch(some_records(MANY), GZIP)) * 8)
    options = [f"kafka.max_unpacked_batch:{size - 1}", f"kafka.max_unpacked_packet:{2 * size + 1}"]
    message = read(tshark, write(frames), *(part for option in options for part in ("-o", option)))[1]
    texts = [expert.message for expert in message.experts if expert.name == UNPACK_LIMIT]
    left = [int(text.split("more than ")[1].split()[0]) for text in texts]
    assert left == [size - 1, size - 1, 1, 0, 0, 0, 0, 0]


def test_many_broken_entries_take_no_time(tshark: Tshark) -> None:
    """Behind each entry of an unknown magic the next batch is looked for, but not again and again in the same bytes."""
    frames = Frames()
    entry = int64(0) + int32(2000) + int32(0) + b"\3" + b"\2" * 1995
    frames.fetch(12, entry * 2000)
    path = write(frames)
    before = os.times().children_user
    names = read(tshark, path)[1].names
    assert names == {"kafka.unknown_message_magic"}
    assert os.times().children_user - before < 20  # seconds; without bounds it is minutes


def peak_memory(tshark: Tshark, path: Path, *options: str) -> int:
    """The most memory in bytes that tshark had at a time; its output is looked at for trouble."""
    log = scratch_dir() / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(tshark.command(["-n", "-r", path, *options]), stdout=output, stderr=output)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    text = log.read_text(errors="replace")
    assert process.returncode == 0, text[-1000:]
    assert "Dissector bug" not in text
    assert "Malformed Packet" not in text
    return usage.ru_maxrss * 1024


@pytest.fixture(scope="module")
def bombs() -> Path:
    """One of each codec in a batch of its own, and in a wrapper."""
    frames = Frames()
    for codec, bomb in BOMBS.items():
        data = bomb(BOMB)
        frames.fetch(12, bytes(packed_batch([Record()], codec, data)))
        if codec < 4:
            frames.fetch(2, bytes(OldMessage(attributes=codec, key=None, value=data)))
    return write(frames)


def test_bombs_get_a_note_and_no_memory(tshark: Tshark, bombs: Path) -> None:
    notes = {number: message.names for number, message in read(tshark, bombs).items()}
    assert notes == dict.fromkeys(range(1, 8), {UNPACK_LIMIT})
    without = peak_memory(tshark, bombs, "-V", "-O", "kafka", "-o", "kafka.max_unpacked_batch:1000")
    assert peak_memory(tshark, bombs, "-V", "-O", "kafka") - without < 1.25 * BATCH_LIMIT


def test_bombs_within_the_limit_of_a_batch(tshark: Tshark) -> None:
    """Many that each just fit: the packet's limit holds."""
    frames = Frames()
    data = BOMBS[4](60 << 20)
    frames.fetch(12, bytes(packed_batch([Record()], 4, data)) * 20)
    path = write(frames)
    options = ["-V", "-O", "kafka", "-o", "kafka.max_unpacked_packet:130000000"]
    without = peak_memory(tshark, path, *options, "-o", "kafka.max_unpacked_batch:1000")
    assert peak_memory(tshark, path, *options) - without < 130_000_000 + 1.25 * BATCH_LIMIT


HOSTILE = {
    "broken records": bytes(Batch([b"\x02\0"] * 20_000)),
    "empty batches": bytes(Batch([], last_offset_delta=0)) * 5_000,
    "wrong batches": bytes(Batch([], crc=1, last_offset_delta=-1, attributes=0xFF97)) * 5_000,
    "wrong messages": bytes(OldMessage(crc=1, key=None, value=None)) * 20_000,
    "headers": bytes(Batch([Record(headers=[(b"", None)] * 20_000)])),
    "unknown magic": bytes(Batch([], magic=7)) * 5_000,
    "wrong messages in a wrapper": bytes(wrapper([OldMessage(crc=1, key=None, value=None)] * 20_000)),
}


def test_no_packet_has_more_items_than_wireshark_takes(tshark: Tshark) -> None:
    """Wireshark calls more items than gui.max_tree_items a bug of the dissector."""
    frames = Frames()
    numbers = {name: frames.fetch(12, data) for name, data in HOSTILE.items()}
    shown = read(tshark, write(frames), "-o", "gui.max_tree_items:10000", "-o", "kafka.max_records:1000000")
    for name, number in numbers.items():
        count = sum(1 for _ in shown[number].shown.item.walk())
        assert 8000 < count < 10_000, name
        assert shown[number].names & {LEFT_OUT, "kafka.items_left_out"}, name
        assert not any("Dissector bug" in item.showname for item in shown[number].shown.item.walk()), name


def test_what_the_capture_cut(tshark: Tshark) -> None:
    """A batch that the capture has only the beginning of: its checksum is unverified, and what is there is shown."""
    frames = Frames()
    frames.capture.snaplen = 400
    frames.fetch(12, bytes(Batch(some_records(40))))
    frames.fetch(12, bytes(packed_batch(some_records(40), GZIP)) + bytes(Batch(some_records(40))))
    shown = read(tshark, write(frames))
    assert sorted(shown) == [1, 2]
    for message in shown.values():
        assert "kafka.cut_batch" in message.names
        assert not message.names & {"kafka.batch_crc.bad", "kafka.bad_record_length", "kafka.batch_size.bad"}
    (first, *records) = [row for row, _ in rows(shown[1].sets[0])]
    assert first["crc_status"] == "unverified"
    whole = [row for row in records if row["what"] == "record"]
    assert 5 < len(whole) < 40
    assert [row["value"] for row in whole] == [b"value-%d" % i for i in range(len(whole))]
