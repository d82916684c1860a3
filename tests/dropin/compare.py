# SPDX-License-Identifier: GPL-2.0-or-later
"""The values of the built-in's fields in the same PDU, by the built-in dissector and by the plugin."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from common.apis import APIS
from common.manifest import Capture
from common.shown import PROTOCOLS, Shown, by_frame
from common.splitter import REQUEST
from common.tshark import REPO, Packet, Tshark, experts

API_VERSIONS = 18
# what the built-in says when it does not read a message to its end
UNSURE = {
    "kafka.bad_array_length",
    "kafka.bad_bytes_length",
    "kafka.bad_string_length",
    "kafka.bad_varint",
    "kafka.pdu_length_mismatch",
    "kafka.request_missing",
    "kafka.unknown_api_key",
    "kafka.unsupported_api_version",
}
DOCUMENT = REPO / "docs" / "filters.md"


def builtin_filters() -> dict[str, str]:
    """The built-in's fields, without its expert infos."""
    lines = (REPO / "tests" / "common" / "builtin-fields.tsv").read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    return {name: kind for name, kind, _ in rows if kind != "FT_NONE"}


@dataclass(frozen=True)
class Exemption:
    """A row of docs/filters.md: a filter that gives another value on purpose in some messages."""

    filter: str
    messages: str  # "MetadataResponse", "*", "Fetch*": a pattern, several with commas
    series: frozenset[str]  # Wireshark versions whose built-in differs: "4.0"

    def covers(self, name: str, message: str) -> bool:
        patterns = (pattern.strip() for pattern in self.messages.split(","))
        return name == self.filter and any(fnmatchcase(message, pattern) for pattern in patterns)


def exemptions(series: str) -> list[Exemption]:
    """The rows for that Wireshark of the table under "Filters that differ on purpose"."""
    text = DOCUMENT.read_text(encoding="utf-8").split("## Filters that differ on purpose", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `(kafka\.[a-z0-9_.]+)` \| `([^`]+)` \| ([^|]+) \|", text, re.MULTILINE)
    found = [Exemption(name, messages, frozenset(where.split(", "))) for name, messages, where in rows]
    return [exemption for exemption in found if series in exemption.series]


def message_name(shown: Shown) -> str:
    direction = "Request" if shown.direction == REQUEST else "Response"
    return f"{APIS[shown.api_key].name}{direction}v{shown.api_version}"


def read_to_the_end(shown: Shown, malformed: set[int]) -> bool:
    """Whether the built-in decoded this PDU without a doubt of its own."""
    if shown.direction is None or shown.api_key not in APIS or shown.frame in malformed:
        return False
    found = {e.name for e in experts(Packet(shown.frame, [shown.item]))}
    if shown.api_key == API_VERSIONS:  # says of every API in the list which versions it does not know itself
        found -= {"kafka.unknown_api_key"} | ({"kafka.unsupported_api_version"} if shown.api_version <= 3 else set())
    return not found & UNSURE


@dataclass
class Comparison:
    compared: Counter = field(default_factory=Counter)  # (filter): PDUs in which it was compared
    messages: set[str] = field(default_factory=set)
    exempted: Counter = field(default_factory=Counter)  # exemption: how often it was needed
    different: list[tuple] = field(default_factory=list)

    def add(self, theirs: Shown, ours: Shown, filters: Iterable[str], allowed: list[Exemption]) -> None:
        message = message_name(theirs)
        self.messages.add(message)
        values_of = [_values(shown) for shown in (theirs, ours)]
        for name in filters:
            want, have = (values.get(name, []) for values in values_of)
            if not want:
                continue
            self.compared[name] += 1
            if want == have:
                continue
            without_version = re.sub(r"v\d+$", "", message)
            exemption = next((e for e in allowed if e.covers(name, message) or e.covers(name, without_version)), None)
            if exemption is not None:
                self.exempted[exemption] += 1
            else:
                self.different.append((name, message, theirs.frame, _short(want), _short(have)))


def _values(shown: Shown) -> dict[str, list[str]]:
    values: dict[str, list[str]] = defaultdict(list)
    for item in shown.item.walk():
        if item.name.startswith("kafka."):
            values[item.name].append(item.show)
    return values


def _short(values: list[str]) -> list[str]:
    return [value[:60] for value in values[:8]]


def pdus_of(tshark: Tshark, capture: Capture) -> tuple[dict[int, list[Shown]], set[int]]:
    options = [*capture.options, "-2", "-Y", "kafka or _ws.malformed", "-J", PROTOCOLS]
    packets = list(tshark.pdml(capture.path, options, timeout=300))
    return by_frame(packets), {packet.number for packet in packets if packet.malformed}
