# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads record sets back from the tree that tshark shows: batches, messages and records in the form of the corpus."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from common.shown import Shown, pdus
from common.splitter import RESPONSE
from common.tshark import Expert, Item, Packet, experts
from corpus import as_expected

Row = dict[str, Any]

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
CRC_STATUS = {"0": "bad", "1": "good", "2": "unverified"}
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
TIME = re.compile(r"(\w{3}) +(\d+), (-?\d+) (\d+):(\d+):(\d+)\.(\d+) UTC")
ISO_TIME = re.compile(r"([+-]?\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)\.(\d+)Z")


def child(item: Item, name: str) -> Item | None:
    return next((below for below in item.children if below.name == name), None)


def show(item: Item, name: str) -> str:
    found = child(item, name)
    assert found is not None, f"no {name} below {item.show!r}"
    return found.show


def number(item: Item, name: str) -> int:
    return int(show(item, name), 0)


def crc_status(item: Item, name: str) -> str:
    """The status field stands beside the checksum, or below it."""
    found = item.first(name)
    assert found is not None, f"no {name} below {item.show!r}"
    return CRC_STATUS.get(found.show, found.show.lower())


def milliseconds(item: Item) -> int:
    """A point in time, from its text."""
    if item.showname.endswith("-1 (none)"):
        return -1
    if match := TIME.search(item.showname):
        month, day, year, hour, minute, second, fraction = match.groups()
        month_number = MONTHS.index(month) + 1
    elif match := ISO_TIME.search(item.showname):
        year, month, day, hour, minute, second, fraction = match.groups()
        month_number = int(month)
    else:
        raise AssertionError(f"no time: {item.showname}")
    # Python ends with year 9999; the calendar repeats itself every 400 years.
    cycles, rest = divmod(int(year) - 1970, 400)
    base = datetime(1970 + rest, month_number, int(day), int(hour), int(minute), int(second), tzinfo=UTC)
    seconds = int(base.timestamp()) + cycles * 146_097 * 86_400
    return seconds * 1000 + int(fraction[:3])


def payload(item: Item) -> bytes | None:
    """A key or value; its item covers the length too, so the bytes are the end of the item's own."""
    if item.first("kafka.null") is not None:
        assert item.show == ""
        return None
    shown = bytes.fromhex(item.show.replace(":", ""))
    assert bytes.fromhex(item.value).endswith(shown)
    text = next((below for below in item.children if below.name.endswith(".text")), None)
    if text is not None:
        assert bytes.fromhex(text.value) == shown
    return shown


def headers(record: Item) -> list[tuple[bytes, bytes | None]]:
    counted = child(record, "kafka.record_header_count")
    assert counted is not None
    found = []
    for header in counted.children:
        key, value = child(header, "kafka.header_key"), child(header, "kafka.header_value")
        assert key is not None and value is not None
        found.append((key.show.encode(), payload(value)))
    assert int(counted.show) == len(found)
    return found


def is_batch(item: Item) -> bool:
    return item.name == "" and item.show.startswith("Record batch")


def is_record(item: Item) -> bool:
    return item.name == "kafka.record_length" or (item.name == "" and item.show.startswith("Record:"))


def is_message(item: Item) -> bool:
    return item.name == "" and item.show.startswith("Message")


def batch_row(item: Item) -> Row:
    """Every field of the header."""
    if child(item, "kafka.batch_attributes") is None:
        return {"what": "broken batch"}
    attributes = number(item, "kafka.batch_attributes")
    bits = child(item, "kafka.batch_attributes")
    assert bits is not None
    assert number(bits, "kafka.batch_codec") == attributes & 7
    row: Row = {
        "what": "batch",
        "size": number(item, "kafka.message_size") + 12,
        "magic": number(item, "kafka.message_magic"),
        "crc": number(item, "kafka.batch_crc"),
        "crc_status": crc_status(item, "kafka.batch_crc.status"),
        "codec": CODECS[attributes & 7] if attributes & 7 < len(CODECS) else "unknown",
        "last_offset": number(item, "kafka.batch_last_offset"),
        "base_offset": number(item, "kafka.offset"),
        "count": number(item, "kafka.batch_size"),
        "leader_epoch": number(item, "kafka.leader_epoch"),
        "producer_id": number(item, "kafka.producer_id"),
        "producer_epoch": number(item, "kafka.producer_epoch"),
        "base_sequence": number(item, "kafka.batch_base_sequence"),
        "last_offset_delta": number(item, "kafka.batch_last_offset_delta"),
    }
    last_sequence = child(item, "kafka.batch_last_sequence")
    row["last_sequence"] = -1 if last_sequence is None else int(last_sequence.show)
    for name, bit in (
        ("timestamp_type", 0x08),
        ("transactional", 0x10),
        ("control_batch", 0x20),
        ("delete_horizon", 0x40),
    ):
        assert number(bits, f"kafka.batch_{name}") == bool(attributes & bit), name
    first, last = child(item, "kafka.batch_first_timestamp"), child(item, "kafka.batch_last_timestamp")
    assert first is not None and last is not None
    row["first_timestamp"], row["max_timestamp"] = milliseconds(first), milliseconds(last)
    assert first.showname.endswith("(delete horizon)") == bool(attributes & 0x40)
    row["log_append_time"] = bool(attributes & 0x08)
    row["transactional"] = bool(attributes & 0x10)
    row["control"] = bool(attributes & 0x20)
    row["delete_horizon"] = row["first_timestamp"] if attributes & 0x40 else None
    for name in ("compressed_size", "uncompressed_size"):
        found = child(item, f"kafka.{name}")
        row[name] = None if found is None else int(found.show)
    return row


def record_row(item: Item) -> Row:
    time = child(item, "kafka.message_timestamp")
    sequence = child(item, "kafka.record_sequence")
    key, value = child(item, "kafka.message_key"), child(item, "kafka.message_value")
    counted = child(item, "kafka.record_header_count")
    if time is None or key is None or value is None or counted is None:
        return {"what": "broken record"}
    if item.first("kafka.bad_record_length") is not None or int(counted.show) != len(counted.children):
        return {"what": "broken record"}
    return {
        "what": "record",
        "offset": number(item, "kafka.offset"),
        "timestamp": milliseconds(time),
        "sequence": -1 if sequence is None else int(sequence.show),
        "key": payload(key),
        "value": payload(value),
        "headers": headers(item),
    }


def message_row(item: Item) -> Row:
    """Of magic 0 or 1; a wrapper has no value of its own, but messages below it."""
    if child(item, "kafka.message_key") is None:
        status = item.first("kafka.message_crc.status")
        return {"what": "broken message", "crc_status": CRC_STATUS[status.show] if status else None}
    attributes = number(item, "kafka.message_attributes")
    time = child(item, "kafka.message_timestamp")
    key, value = child(item, "kafka.message_key"), child(item, "kafka.message_value")
    assert key is not None
    row: Row = {
        "what": "message" if attributes & 7 == 0 else "wrapper",
        "offset": number(item, "kafka.offset"),
        "size": number(item, "kafka.message_size") + 12,
        "magic": number(item, "kafka.message_magic"),
        "crc": number(item, "kafka.message_crc"),
        "crc_status": crc_status(item, "kafka.message_crc.status"),
        "codec": CODECS[attributes & 7] if attributes & 7 < len(CODECS) else "unknown",
        "log_append_time": bool(attributes & 0x08),
        "timestamp": -1 if time is None else milliseconds(time),
        "key": payload(key),
    }
    assert (time is None) == (row["magic"] == 0)
    if value is not None:
        row["value"] = payload(value)
    return row


def rows(records: Item) -> Iterator[tuple[Row, Item]]:
    """
    What is below an item "kafka.records": each batch, message and record in the order of the tree, with its item. One
    that ends early has only its "what", "broken …".
    """
    begin = records.pos + records.size
    size = child(records, "kafka.records_size")
    if size is not None:
        begin = size.pos + size.size
    for item in records.children:
        if is_batch(item):
            yield batch_row(item) | {"position": item.pos - begin}, item
            for below in item.children:
                if is_record(below):
                    yield record_row(below), below
        elif is_message(item):
            yield message_row(item) | {"position": item.pos - begin}, item
            for below in item.children:
                if is_message(below):
                    row = message_row(below)
                    yield row | {"what": row["what"] if "broken" in row["what"] else "inner"}, below
        elif item.name == "kafka.truncated_content":
            yield {"what": "partial", "size": item.size}, item


def with_hashes(row: Row) -> Row:
    """A record's row with keys and values in the form that the corpus has them."""
    return {
        "what": "record",
        "offset": row["offset"],
        "timestamp": row["timestamp"],
        "sequence": row.get("sequence", -1),
        "key": as_expected(row["key"]),
        "value": as_expected(row["value"]),
        "headers": [[as_expected(key), as_expected(value)] for key, value in row.get("headers", [])],
    }


@dataclass(slots=True)
class Message:
    """A PDU that holds records."""

    shown: Shown
    packet: Packet

    @property
    def sets(self) -> list[Item]:
        return self.shown.item.all("kafka.records")

    @property
    def experts(self) -> list[Expert]:
        """Of this PDU alone."""
        return experts(Packet(self.packet.number, [self.shown.item]))

    @property
    def names(self) -> set[str]:
        return {expert.name for expert in self.experts}


def messages(packets: Iterator[Packet]) -> dict[int, Message]:
    """By correlation id; of a Fetch, the response."""
    found: dict[int, Message] = {}
    for packet in packets:
        assert not packet.malformed, packet.number
        for shown in pdus(packet):
            if not shown.is_message or shown.correlation_id is None:
                continue
            if shown.direction == RESPONSE or shown.item.first("kafka.records") is not None:
                found[shown.correlation_id] = Message(shown, packet)
    return found
