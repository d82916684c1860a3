# SPDX-License-Identifier: GPL-2.0-or-later
"""Real connections with one bit flipped inside a batch: its checksum says so, and all else is shown as before.

The seed is fixed. KAFKA_FLIPS sets the number of flips a capture (default 8), KAFKA_FLIP_SEED another start.
"""

import os
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from common.capfile import SYN, segments
from common.manifest import capture
from common.pcap import CLIENT, SERVER, Capture, Connection
from common.shown import pdus
from common.tshark import Item, Packet, Tshark, scratch_dir
from shown_records import Message, Row, rows

CAPTURES = [
    "broker-0.8.2-oldproducer-none",
    "broker-0.8.2-newproducer-codecs",
    "broker-0.10.2-java-lz4",
    "broker-0.11.0-java-txn",
    "broker-3.9-java-snappy",
    "java-4.4-produce-fetch-gzip",
    "java-4.4-transactions",
    "kcat-4.4",
    "python-kafka-python-4.4",
]
FLIPS = int(os.environ.get("KAFKA_FLIPS", "8"))
SEED = int(os.environ.get("KAFKA_FLIP_SEED", "1"))
MOST_BYTES = 200_000  # of a connection that is worth copying
CHECKSUMS = {"kafka.batch_crc.bad", "kafka.message_crc.bad"}

# Parts of a batch, and of a message, by where they begin.
OFFSET, LENGTH, LEADER_EPOCH, MAGIC, COVERED = "offset", "length", "leader epoch", "magic", "covered"


def part_of(magic: int, at: int) -> str:
    if at < 8:
        return OFFSET
    if at < 12:
        return LENGTH
    if magic == 2 and at < 16:
        return LEADER_EPOCH
    # Of a message, bytes 12 to 15 are the checksum.
    return MAGIC if at == 16 else COVERED


Pieces = list[tuple[str, bytes]]  # who sends what, in the order of the capture


def streams(name: str) -> Iterator[Pieces]:
    """The connections of a capture that have no gap, without what TCP sent twice."""
    which = capture(name)
    found: dict[tuple, Pieces] = defaultdict(list)
    next_seq: dict[tuple, int] = {}
    broken = set()
    for segment in segments(which.path):
        is_client = segment.target[1] in which.ports
        ends = (segment.source, segment.target) if is_client else (segment.target, segment.source)
        side = (*ends, is_client)
        if segment.flags & SYN:
            next_seq[side] = segment.seq + 1 & 0xFFFFFFFF
            continue
        if not segment.wire_length:
            continue
        behind = next_seq.setdefault(side, segment.seq) - segment.seq & 0xFFFFFFFF
        if len(segment.payload) < segment.wire_length or len(segment.payload) < behind < 1 << 31 or behind >= 1 << 31:
            if behind >= 1 << 31:
                broken.add(ends)
            continue
        new = segment.payload[behind:]
        if new:
            found[ends].append((CLIENT if is_client else SERVER, new))
            next_seq[side] = next_seq[side] + len(new) & 0xFFFFFFFF
    for ends, pieces in found.items():
        if ends not in broken and sum(len(data) for _, data in pieces) <= MOST_BYTES:
            yield pieces


def replay(made: Capture, port: int, pieces: Pieces) -> None:
    connection = Connection(made, client_port=port).open()
    for side, data in pieces:
        connection.send(side, data, 60_000)


@dataclass
class Entry:
    """A batch, or a message of an old magic with what is inside it, as it is shown."""

    found: list[Row]
    data: bytes


def entries(records: Item) -> list[Entry]:
    found: list[Entry] = []
    for row, item in rows(records):
        if row["what"] == "partial":
            continue
        if "position" in row:
            found.append(Entry([], bytes.fromhex(item.value)))
        found[-1].found.append({name: value for name, value in row.items() if name != "position"})
    return found


def by_port(packets: Iterator[Packet]) -> dict[int, list[Message]]:
    """The PDUs with records of each connection."""
    found: dict[int, list[Message]] = defaultdict(list)
    for packet in packets:
        assert not packet.malformed, packet.number
        (tcp,) = [proto for proto in packet.protos if proto.name == "tcp"]
        ports = [tcp.number("tcp.srcport") or 0, tcp.number("tcp.dstport") or 0]
        ports.remove(9092)
        for shown in pdus(packet):
            if shown.item.first("kafka.records") is not None:
                found[ports[0]].append(Message(shown, packet))
    return found


@dataclass
class Flip:
    name: str
    original: int  # the port of the connection without the flip
    message: int  # which PDU with records
    number: int  # which record set
    entry: int  # which batch
    at: int  # the byte of it
    bit: int
    magic: int
    port: int = 0

    def __str__(self) -> str:
        return f"{self.name}: {part_of(self.magic, self.at)} of magic {self.magic}, byte {self.at} bit {self.bit}"


@dataclass
class Run:
    flips: list[Flip] = field(default_factory=list)
    before: dict[int, list[Message]] = field(default_factory=dict)
    after: dict[int, list[Message]] = field(default_factory=dict)


def flipped(pieces: Pieces, data: bytes, at: int, bit: int) -> Pieces | None:
    """The connection with one bit changed in the bytes that the data are; None if they stand in no piece, or in two."""
    holders = [i for i, (_, piece) in enumerate(pieces) if data in piece]
    if len(holders) != 1 or pieces[holders[0]][1].count(data) != 1:
        return None
    changed = list(pieces)
    side, piece = changed[holders[0]]
    place = piece.index(data) + at
    changed[holders[0]] = side, piece[:place] + bytes([piece[place] ^ 1 << bit]) + piece[place + 1 :]
    return changed


def choose(name: str, port: int, shown: list[Message], chance: random.Random) -> Iterator[Flip]:
    """Flips of batches that were chosen at random, most of them in the header, whose bytes all have a meaning."""
    places = [
        (message, number, index, entry)
        for message, what in enumerate(shown)
        for number, records in enumerate(what.sets)
        for index, entry in enumerate(entries(records))
    ]
    while places:
        message, number, index, entry = chance.choice(places)
        header = min(61, len(entry.data))
        first, end = chance.choice(
            [(0, 8), (8, 12), (12, 16), (16, 17), (17, header), (17, header), (0, len(entry.data))]
        )
        yield Flip(
            name, port, message, number, index, chance.randrange(first, end), chance.randrange(8), entry.data[16]
        )


@pytest.fixture(scope="module")
def run(tshark: Tshark) -> Run:
    """All connections as they were, then all copies with a flip, each in one capture."""
    originals: dict[int, tuple[str, Pieces]] = {}
    made = Capture()
    for name in CAPTURES:
        for pieces in streams(name):
            port = 20_000 + len(originals)
            originals[port] = name, pieces
            replay(made, port, pieces)
    options = ["-Y", "kafka.records", "-J", "frame tcp kafka"]
    path = made.write(scratch_dir() / "before.pcap")
    done = Run(before=by_port(tshark.pdml(path, options)))

    made = Capture()
    for name in CAPTURES:
        chance = random.Random(f"{SEED} {name}")
        ports = [port for port, shown in done.before.items() if originals[port][0] == name]
        assert ports, name
        sources = {port: choose(name, port, done.before[port], chance) for port in ports}
        wanted = len(done.flips) + FLIPS
        for _ in range(50 * FLIPS):
            if len(done.flips) == wanted:
                break
            port = chance.choice(ports)
            flip = next(sources[port], None)
            if flip is None:
                continue
            records = done.before[port][flip.message].sets[flip.number]
            changed = flipped(originals[port][1], entries(records)[flip.entry].data, flip.at, flip.bit)
            if changed is not None:
                flip.port = 30_000 + len(done.flips)
                replay(made, flip.port, changed)
                done.flips.append(flip)
    path = made.write(scratch_dir() / "after.pcap")
    done.after = by_port(tshark.pdml(path, options))
    return done


def test_flips_of_every_kind(run: Run) -> None:
    kinds = {part_of(flip.magic, flip.at) for flip in run.flips}
    assert kinds == {OFFSET, LENGTH, LEADER_EPOCH, MAGIC, COVERED}
    assert {flip.magic for flip in run.flips} == {0, 1, 2}
    assert len(run.flips) >= len(CAPTURES) * FLIPS * 3 // 4


def test_all_else_is_as_before(run: Run) -> None:
    """Every other record set, and every other batch of the set with the flip."""
    for flip in run.flips:
        before, after = run.before[flip.original], run.after[flip.port]
        assert len(before) == len(after), str(flip)
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            assert len(old.sets) == len(new.sets), str(flip)
            for number, (old_set, new_set) in enumerate(zip(old.sets, new.sets, strict=True)):
                was, now = entries(old_set), entries(new_set)
                if (index, number) != (flip.message, flip.number):
                    assert [e.found for e in was] == [e.found for e in now], str(flip)
                    continue
                others = [entry.found for i, entry in enumerate(was) if i != flip.entry]
                shown = [entry.found for entry in now]
                if part_of(flip.magic, flip.at) not in (LENGTH, MAGIC):
                    assert len(now) == len(was), str(flip)
                    assert shown[: flip.entry] + shown[flip.entry + 1 :] == others, str(flip)
                else:
                    # A batch whose end is unknown may take the next one along.
                    assert shown[: flip.entry] == others[: flip.entry], str(flip)


def test_the_checksum_says_so(run: Run) -> None:
    for flip in run.flips:
        message = run.after[flip.port][flip.message]
        names = {expert.name for expert in message.experts if expert.severity in ("warning", "error")}
        match part_of(flip.magic, flip.at):
            case part if part == COVERED or (part == MAGIC and flip.magic < 2 and flip.bit == 0):
                assert names & CHECKSUMS, str(flip)
                entry = entries(message.sets[flip.number])[flip.entry]
                assert entry.found[0].get("crc_status") == "bad", str(flip)
            case part if part in (OFFSET, LEADER_EPOCH):
                assert not names & CHECKSUMS, str(flip)
            case _:
                # Length and magic: the end of the batch, or what it is, is not known any more.
                assert message.names & (CHECKSUMS | UNREADABLE), str(flip)


UNREADABLE = {"kafka.ei_kafka_bad_message_set_length", "kafka.unknown_message_magic", "kafka.partial_batch"}


def own_experts(message: Message) -> list[str]:
    """Without those that depend on what the same producer sent before: the copies are all in one capture."""
    return [e.name for e in message.experts if not e.name.startswith("kafka.producer.")]



def test_nothing_else_is_said(run: Run) -> None:
    """Messages without the flip have the expert infos that they had."""
    for flip in run.flips:
        for index, (old, new) in enumerate(zip(run.before[flip.original], run.after[flip.port], strict=True)):
            if index != flip.message:
                assert own_experts(old) == own_experts(new), str(flip)
