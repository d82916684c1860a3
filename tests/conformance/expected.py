# SPDX-License-Identifier: GPL-2.0-or-later
"""What the generator says is in a capture (the form is described in README.md)."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CORPUS = Path(__file__).resolve().parent / "corpus"

# Types of nodes that are no field of Kafka's.
TAGS = "tags"
TAG = "tag"
TAG_NUMBER = "tagNumber"
TAG_SIZE = "tagSize"
RAW = "raw"


@dataclass(slots=True)
class Node:
    """A field, an element, a tag section or a part of one; offsets count from the PDU's first byte."""

    name: str
    type: str
    offset: int
    length: int
    value: int | str | bool | None
    children: list["Node"] = field(default_factory=list)

    @property
    def end(self) -> int:
        return self.offset + self.length

    @classmethod
    def from_json(cls, row: list) -> "Node":
        name, kind, offset, length, value = row[:5]
        return cls(name, kind, offset, length, value, [cls.from_json(child) for child in row[5:6] for child in child])

    def walk(self) -> Iterator["Node"]:
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(slots=True)
class Pdu:
    frame: int
    message: str
    request: bool
    api: int
    version: int
    header: int
    correlation: int
    release: str
    shape: str
    length: int
    head: list[Node]
    body: list[Node]
    # The other half of the exchange; None for a request that gets no response.
    partner: "Pdu | None" = None

    def __str__(self) -> str:
        return f"frame {self.frame}, {self.message} v{self.version} ({self.shape}, made by {self.release})"


def read(path: Path) -> list[Pdu]:
    """The PDUs of a capture in the order in which their last bytes were sent, requests and responses joined."""
    pdus: list[Pdu] = []
    outstanding: dict[int, Pdu] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            pdu = Pdu(
                frame=row["frame"],
                message=row["message"],
                request=row["dir"] == "request",
                api=row["api"],
                version=row["version"],
                header=row["header"],
                correlation=row["correlation"],
                release=row["kafka"],
                shape=row["shape"],
                length=row["length"],
                head=[Node.from_json(node) for node in row["head"]],
                body=[Node.from_json(node) for node in row["body"]],
            )
            # The generator uses no correlation id twice in a capture.
            if pdu.request:
                outstanding[pdu.correlation] = pdu
            else:
                pdu.partner = outstanding.pop(pdu.correlation)
                pdu.partner.partner = pdu
            pdus.append(pdu)
    return pdus


def captures(folder: Path = CORPUS) -> list[Path]:
    return sorted(folder.glob("*.pcap.gz"))


def list_of(capture: Path) -> Path:
    """The list that belongs to a capture."""
    return capture.with_name(capture.name.removesuffix(".pcap.gz") + ".jsonl.gz")
