# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads what Kafka's dump tool (kafka-dump-log, DumpLogSegments) printed of a segment file, whichever release printed it."""

import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

SEGMENTS = Path(__file__).parent / "segments"

BATCH = re.compile(r"baseOffset: ")
RECORD = re.compile(r"\|? ?offset: (?=-?\d)")
# What may follow the fields of a record. Everything after the first of these is content.
CONTENT = re.compile(
    r" (?=key: |payload: |endTxnMarker: |LeaderChange: |SnapshotHeader |SnapshotFooter |KRaftVersion |KRaftVoters )"
)
FIELD = re.compile(r"(\w+): (\[[^\]]*\]|\S+)")


@dataclass(slots=True)
class Line:
    """One batch or record; names of fields in lower case, since releases differ in that."""

    is_batch: bool
    fields: dict[str, str]
    content: str = ""

    def number(self, name: str) -> int | None:
        return int(self.fields[name]) if name in self.fields else None

    @property
    def time(self) -> tuple[str, int] | None:
        """The type of the time and its value; None where the magic has none."""
        for kind in ("createtime", "logappendtime"):
            if kind in self.fields:
                return kind, int(self.fields[kind])
        return None

    @property
    def key_size(self) -> int:
        """-1 for null."""
        return int(self.fields.get("keysize", "-1"))

    @property
    def value_size(self) -> int:
        return int(self.fields.get("valuesize", self.fields.get("payloadsize", "-1")))

    @property
    def header_keys(self) -> list[str] | None:
        text = self.fields.get("headerkeys")
        if text is None:
            return None
        return text[1:-1].split(",") if len(text) > 2 else []

    def content_of(self, has_key: bool) -> tuple[str | None, str | None]:
        """Key and payload as text, where the tool printed them; has_key: there is a key, so the text begins with it."""
        text = self.content
        key = None
        if text.startswith("key: "):
            text = text[len("key: ") :]
            if not has_key:
                return None, None
            size = self.key_size
            key, text = text[:size], text[size:].lstrip(" ")
        return key, text[len("payload: ") :] if text.startswith("payload: ") else None


@dataclass(slots=True)
class Dump:
    """A segment: its bytes, and what the tool said of them."""

    name: str
    data: bytes
    lines: list[Line] = field(default_factory=list)

    @property
    def is_internal(self) -> bool:
        """The tool decodes what internal topics hold, so that it does not show their bytes."""
        return self.name.split("/")[1].startswith("__")


def parse(text: str) -> list[Line]:
    lines: list[Line] = []
    for raw in text.split("\n"):
        is_batch = BATCH.match(raw) is not None
        if not is_batch and not RECORD.match(raw):
            # The rest of a payload with a line break, or what the tool says of the file as a whole.
            if lines and lines[-1].content:
                lines[-1].content += "\n" + raw
            continue
        head, *content = CONTENT.split(raw, maxsplit=1)
        fields = {name.lower(): value for name, value in FIELD.findall(head)}
        lines.append(Line(is_batch, fields, content[0] if content else ""))
    return lines


def dumps(archive: Path) -> Iterator[Dump]:
    """The segments of one broker."""
    with tarfile.open(archive) as tar:
        data = {}
        for member in tar.getmembers():
            file = tar.extractfile(member)
            if file is None:
                continue
            if member.name.endswith(".dump.txt"):
                name = member.name.removesuffix(".dump.txt")
                yield Dump(name, data[name], parse(file.read().decode(errors="replace")))
            else:
                data[member.name] = file.read()
