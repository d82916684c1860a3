# SPDX-License-Identifier: GPL-2.0-or-later
"""Real captures with random damage: tshark neither crashes, nor stops, nor reports a bug of the dissector.

The seeds are fixed. KAFKA_MUTATIONS sets the number of damaged copies of each capture (default 2), KAFKA_MUTATION_SEED
another start.
"""

import os
import random
from pathlib import Path

import pytest
from common.capfile import frames
from common.manifest import capture
from common.pcap import Capture
from common.tshark import Tshark, experts

CAPTURES = [
    "broker-0.10.2-sarama",
    "broker-0.10.2-sasl-v0-scram",
    "broker-0.11.0-java-txn",
    "broker-0.8.2-newproducer-codecs",
    "broker-2.3-java-txn",
    "broker-3.9-kcat",
    "go-franz-4.4",
    "hard-7byte-segments",
    "hard-midstream-small",
    "hard-mss1448",
    "hard-snaplen200",
    "java-4.4-admin",
    "java-4.4-share-group",
    "java-4.4-streams-kip1071",
    "kcat-4.4-acks0",
    "python-kafka-python-4.4",
    "raw-4.4-pipelined",
    "sweep-4.4-broker",
    "zkcluster-3.9-two-brokers",
]
COPIES = int(os.environ.get("KAFKA_MUTATIONS", "2"))
SEED = int(os.environ.get("KAFKA_MUTATION_SEED", "1"))
INTERESTING = [
    b"\0",
    b"\x7f",
    b"\x80",
    b"\xff",
    b"\0\0\0\0",
    b"\x7f\xff\xff\xff",
    b"\x80\0\0\0",
    b"\xff\xff\xff\xff",
    b"\xff" * 10,
]
LIMIT_S = 60


def damaged(path: Path, chance: random.Random) -> Capture:
    """Each kind of damage at a rate of its own: flipped bits, put-in values, lost, doubled and swapped frames."""
    rates = {kind: chance.choice((0, 0.02, 0.2)) for kind in ("flip", "put", "lose", "double", "swap", "cut")}
    made = Capture()
    kept: list[bytes] = []
    for frame in frames(path):
        data = bytearray(frame.data)
        header = payload_offset(data)
        if header is not None and header < len(data):
            if chance.random() < rates["flip"]:
                data[chance.randrange(header, len(data))] ^= 1 << chance.randrange(8)
            if chance.random() < rates["put"]:
                value = chance.choice(INTERESTING)
                at = chance.randrange(header, len(data))
                data[at : at + len(value)] = value[: len(data) - at]
            if chance.random() < rates["cut"]:
                del data[chance.randrange(header, len(data)) :]
        if chance.random() < rates["lose"]:
            continue
        kept.append(bytes(data))
        if chance.random() < rates["double"]:
            kept.append(bytes(data))
        if chance.random() < rates["swap"] and len(kept) > 1:
            kept[-1], kept[-2] = kept[-2], kept[-1]
    for data in kept:
        made.add(data)
    return made


def payload_offset(data: bytes) -> int | None:
    """Of TCP's payload in an Ethernet frame."""
    if len(data) < 54 or data[12:14] not in (b"\x08\0", b"\x86\xdd"):
        return None
    tcp = 14 + ((data[14] & 15) * 4 if data[12:14] == b"\x08\0" else 40)
    return tcp + (data[tcp + 12] >> 4) * 4 if tcp + 13 < len(data) else None


@pytest.mark.parametrize("copy", range(COPIES))
@pytest.mark.parametrize("name", CAPTURES)
def test_random_damage(tshark: Tshark, scratch: Path, name: str, copy: int) -> None:
    which = capture(name)
    chance = random.Random(f"{SEED} {name} {copy}")
    path = damaged(which.path, chance).write(scratch / "damaged.pcap")
    options = [*which.options, "-V"] + (["-2"] if copy % 2 else [])
    text = tshark.read(path, options, timeout=LIMIT_S).text
    assert "Kafka" in text
    assert "Dissector bug" not in text


def sprinkled(path: Path, chance: random.Random) -> Capture:
    """One byte of a message in a hundred is another one, so that all that is there can be wrong in some way."""
    made = Capture()
    for frame in frames(path):
        data = bytearray(frame.data)
        for at in range(payload_offset(data) or len(data), len(data)):
            if chance.random() < 0.01:
                data[at] = chance.randrange(256)
        made.add(bytes(data))
    return made


@pytest.mark.parametrize("copy", range(COPIES))
@pytest.mark.parametrize("name", ["broker-0.10.2-sasl-v0-scram", "broker-0.10.2-java-lz4", "java-4.4-admin"])
def test_filter_finds_expert_infos(tshark: Tshark, scratch: Path, name: str, copy: int) -> None:
    """A filter finds the expert infos of the whole tree, though nobody references the fields that they are about."""
    which = capture(name)
    path = sprinkled(which.path, random.Random(f"{SEED} {name} {copy}")).write(scratch / "sprinkled.pcap")
    shown = [packet.number for packet in tshark.kafka(path, which.options) if experts(packet)]
    found = tshark.read(path, [*which.options, "-Y", "kafka && _ws.expert"]).text.splitlines()
    assert len(shown) > 5
    assert [int(line.split()[0]) for line in found] == shown
