# SPDX-License-Identifier: GPL-2.0-or-later
"""PDUs as text that people can read and compare: one block a PDU, one line a field, indented as in the tree."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from common.apis import APIS
from common.shown import Shown
from common.tshark import Item

FOLDER = Path(__file__).resolve().parent / "golden"
LONGEST_VALUE = 120
LONGEST_BLOCK = 80  # lines; of longer messages the rest is kept as a checksum
OLD_TIME = re.compile(r"([A-Z][a-z]{2}) ([ \d]\d), (\d{4,}) (\d\d:\d\d:\d\d\.\d{9}) UTC")
MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec"

# captures of which each API, version and direction is kept once: its first PDU
GOLDEN = [
    "broker-0.10.2-sarama",
    "broker-0.10.2-sasl-v0-scram",
    "broker-0.11.0-java-txn",
    "broker-0.8.2-oldproducer-none",
    "broker-0.9-kafka-python",
    "broker-2.3-kcat",
    "broker-3.9-java-txn",
    "cluster-4.4-add-voter-snapshot",
    "cluster-4.4-startup",
    "connect-4.4-two-workers",
    "go-franz-4.4",
    "go-kafkago-4.4",
    "java-2.8-client-vs-4.4",
    "java-4.4-admin",
    "java-4.4-consumer-kip848",
    "java-4.4-sasl-scram256",
    "java-4.4-share-group",
    "java-4.4-streams-classic",
    "java-4.4-streams-kip1071",
    "java-4.4-telemetry",
    "java-4.4-transactions",
    "node-kafkajs-4.4",
    "python-confluent-4.4",
    "python-kafka-python-4.4",
    "rust-kafka-crate-4.4",
    "zkcluster-0.10.2-two-brokers",
    "zkcluster-3.9-two-brokers",
]


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.txt"


def text_of(frames: dict[int, list[Shown]]) -> str:
    blocks: list[str] = []
    seen: set[tuple] = set()
    for frame in sorted(frames):
        for shown in frames[frame]:
            kind = (shown.api_key, shown.api_version, shown.direction)
            if kind not in seen:
                seen.add(kind)
                blocks.append("\n".join(_shortened(list(_block(shown)))))
    return "\n\n".join(blocks) + "\n"


def _shortened(lines: list[str]) -> list[str]:
    if len(lines) <= LONGEST_BLOCK:
        return lines
    rest = "\n".join(lines[LONGEST_BLOCK:])
    digest = hashlib.sha256(rest.encode()).hexdigest()[:16]
    return [*lines[:LONGEST_BLOCK], f"  … {len(lines) - LONGEST_BLOCK} more lines, {digest}"]


def _block(shown: Shown) -> Iterator[str]:
    api = APIS.get(shown.api_key)
    name = "message" if api is None else f"{api.name} v{shown.api_version}"
    yield f"frame {shown.frame}: {name} {shown.direction or ''}".rstrip()
    for child in shown.item.children:
        yield from _lines(child, 1)


def _lines(item: Item, depth: int) -> Iterator[str]:
    if item.hidden:
        return
    if item.name == "_ws.expert":
        message = item.first("_ws.expert.message")
        yield f"{'  ' * depth}! {message.show if message else ''}"
        return
    value = OLD_TIME.sub(_iso, item.show)
    if len(value) > LONGEST_VALUE:
        value = f"{value[:LONGEST_VALUE]}… ({len(value)})"
    yield "  " * depth + (f"{item.name} = {value}" if item.name else value).rstrip()
    for child in item.children:
        # what is inside of record sets has tests of its own
        if item.name != "kafka.records" or child.name == "kafka.records_size":
            yield from _lines(child, depth + 1)


def _iso(match: re.Match[str]) -> str:
    """Points in time as Wireshark writes them from 4.2 on."""
    month = MONTHS.index(match[1]) // 3 + 1
    return f"{match[3]}-{month:02}-{int(match[2]):02}T{match[4]}Z"
