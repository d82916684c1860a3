# SPDX-License-Identifier: GPL-2.0-or-later
"""How much of what is whole in copies of captures tshark shows, and whether it shows anything that is not there."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from common.splitter import REQUEST, RESPONSE, Pdu, Piece
from common.tshark import Tshark
from copies import Copy

HEADER_SIZE = 12  # length, API key, API version, correlation id

_WANTED = (
    "kafka.len",
    "kafka.correlation_id",
    "kafka.request_key",
    "kafka.api_key",
    "kafka.api_version",
    "kafka.response.version",
)
_FIELD = re.compile(r'^    <field name="([^"]+)".* show="([^"]*)"')


@dataclass(slots=True)
class Seen:
    """One PDU that tshark shows."""

    fields: dict[str, int] = field(default_factory=dict)

    @property
    def direction(self) -> str:
        return REQUEST if "kafka.request_key" in self.fields else RESPONSE

    @property
    def header(self) -> tuple[str, int | None, int | None]:
        return self.direction, self.fields.get("kafka.len"), self.fields.get("kafka.correlation_id")

    @property
    def api(self) -> tuple[int | None, int | None]:
        """Key and version. Where several versions of an API read a response alike, there is only the key."""
        version = "kafka.api_version" if self.direction == REQUEST else "kafka.response.version"
        return self.fields.get("kafka.api_key"), self.fields.get(version)

    @property
    def is_message(self) -> bool:
        return None not in self.header


def read(tshark: Tshark, path: Path, options: Sequence[str]) -> dict[int, list[Seen]]:
    """The PDUs of each frame. PDML is read by lines: these files are large."""
    wanted = ["-Y", "kafka", "-T", "pdml", "-j", " ".join(["frame.number", "kafka", *_WANTED])]
    text = tshark.read(path, [*options, *wanted], timeout=600).text
    shown: dict[int, list[Seen]] = defaultdict(list)
    number = 0
    inside = False
    for line in text.split("\n"):
        if line.startswith("  <proto name="):
            inside = line.startswith('  <proto name="kafka"')
            if inside:
                shown[number].append(Seen())
            continue
        match = _FIELD.match(line)
        if match is None:
            continue
        if match[1] == "num":
            number = int(match[2])
        elif inside and match[1] in _WANTED:
            shown[number][-1].fields.setdefault(match[1], int(match[2], 0))
    return shown


@dataclass
class Count:
    """What was found out about some copies."""

    whole: int = 0  # PDUs that are whole; responses only where the header of their request is there too
    decoded: int = 0  # of those, shown with the right API key and version
    missing: list[str] = field(default_factory=list)  # the others
    orphans: int = 0  # whole responses whose request is not there
    assumed: int = 0  # of those, shown with the right API key, and no wrong version
    wrong: list[str] = field(default_factory=list)  # shown, and not there or not so

    @property
    def rate(self) -> float:
        return self.decoded / self.whole if self.whole else 1.0

    def add(self, other: "Count") -> None:
        for name in (one.name for one in fields(self)):
            setattr(self, name, getattr(self, name) + getattr(other, name))


def _covers(pieces: Sequence[Piece], start: int, end: int) -> bool:
    at = start
    for piece in pieces:
        if piece.start <= at:
            at = max(at, piece.kept_end)
    return at >= end


class _Expected:
    """The PDUs of a copy's source, as far as the copy has them."""

    def __init__(self, copy: Copy) -> None:
        ends = {connection.stream: connection for connection in copy.source.connections}
        self.whole: dict[int, list[Pdu]] = defaultdict(list)  # by the frame that completes them
        self.begun: dict[int, list[Pdu]] = defaultdict(list)  # by each frame that has some of their bytes
        self.there: set[int] = set()  # requests whose header is there, by id()
        for pdu in copy.source.pdus:
            connection = ends[pdu.stream]
            sender = connection.client if pdu.direction == REQUEST else connection.server
            side = copy.sides.get((pdu.stream, sender))
            end = pdu.offset + 4 + pdu.length
            brought = [p for p in side.pieces if p.start < end and p.end > pdu.offset] if side is not None else []
            for piece in brought:
                self.begun[piece.frame].append(pdu)
            if _covers(brought, pdu.offset, min(end, pdu.offset + HEADER_SIZE)):
                self.there.add(id(pdu))
            if pdu.kind == "message" and pdu.complete and _covers(brought, pdu.offset, end):
                self.whole[max(piece.frame for piece in brought)].append(pdu)


def _name(copy: Copy, frame: int, header: tuple, api: tuple) -> str:
    source = copy.packets[frame - copy.first_number].segment.frame
    return f"{copy.name}: frame {source}: {header[0]} {api}, {header[1]} bytes, correlation id {header[2]}"


def _header(pdu: Pdu) -> tuple[str, int, int | None]:
    return pdu.direction, pdu.length, pdu.correlation_id


def _compare_frame(copy: Copy, frame: int, expected: _Expected, seen: list[Seen]) -> Count:
    count = Count()
    for pdu in expected.whole.get(frame, []):
        same = next((one for one in seen if one.header == _header(pdu)), None)
        if same is not None:
            seen.remove(same)
        api = pdu.api_key, pdu.api_version
        name = _name(copy, frame, _header(pdu), api)
        if pdu.direction == REQUEST or (pdu.pair is not None and id(pdu.pair) in expected.there):
            count.whole += 1
            if same is not None and same.api == api:
                count.decoded += 1
            else:
                count.missing.append(name if same is None else f"{name} shown as {same.api}")
        elif pdu.pair is not None:
            count.orphans += 1
            if same is not None and same.api in (api, (pdu.api_key, None)):
                count.assumed += 1
            elif same is not None and same.api[0] is not None:
                count.wrong.append(f"{name} shown as {same.api}")
    for one in seen:
        if not any(_may_be(one, pdu) for pdu in expected.begun.get(frame, [])):
            count.wrong.append(f"{_name(copy, frame, one.header, one.api)} is not there")
    return count


def _may_be(one: Seen, pdu: Pdu) -> bool:
    """Whether it is a PDU of which the copy has a part."""
    is_known = pdu.direction == REQUEST or pdu.pair is not None
    return one.header == _header(pdu) and (
        one.api[0] is None or not is_known or one.api in ((pdu.api_key, pdu.api_version), (pdu.api_key, None))
    )


def _frames(copy: Copy) -> Iterator[int]:
    return iter(range(copy.first_number, copy.first_number + len(copy.packets)))


def measure(shown: dict[int, list[Seen]], copies: Iterable[Copy]) -> dict[str, Count]:
    """By capture."""
    counts: dict[str, Count] = defaultdict(Count)
    for copy in copies:
        expected = _Expected(copy)
        for frame in _frames(copy):
            seen = [one for one in shown.get(frame, []) if one.is_message]
            counts[copy.source.capture.name].add(_compare_frame(copy, frame, expected, seen))
    return counts
