# SPDX-License-Identifier: GPL-2.0-or-later
"""Expected filter names, by the rules of docs/display.md and the hand-written tables in schema/.

This reads the tables for itself: the schema compiler, whose output the plugin has, shall not judge its own work.
"""

import csv
import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SCHEMA = Path(__file__).resolve().parents[2] / "schema"

KINDS = {
    "bool": "bool",
    "float64": "double",
    "uuid": "guid",
    "string": "string",
    "bytes": "bytes",
    "records": "none",
}


@dataclass(frozen=True)
class Shown:
    """How a field is to be shown; kind is the field type, in small letters and without FT_."""

    filter: str
    kind: str
    # Hidden fields with the same value on the same bytes.
    aliases: tuple[str, ...] = ()
    meaning: str | None = None


def snake_case(name: str) -> str:
    out = []
    for i, letter in enumerate(name):
        before = name[i - 1] if i > 0 else ""
        after = name[i + 1] if i + 1 < len(name) else ""
        if letter.isupper() and before:
            word_starts = before.islower() or before.isdigit() or (before.isupper() and after.islower())
            if word_starts:
                out.append("_")
        out.append(letter.lower())
    return "".join(out)


def _rows(file: str) -> list[list[str]]:
    """The rows of a table, filled up with empty cells."""
    with open(SCHEMA / file, encoding="utf-8", newline="") as lines:
        facts = (line for line in lines if line.strip() and not line.startswith("#"))
        table = csv.reader(facts, "excel-tab", quoting=csv.QUOTE_NONE)
        return [row + [""] * (5 - len(row)) for row in table]


def _matcher(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in pattern.split("*")) + r"\Z", re.DOTALL)


@functools.cache
def _table(file: str) -> list[tuple[re.Pattern[str], list[str]]]:
    return [(_matcher(row[0]), row) for row in _rows(file)]


def _last_match(file: str, path: str) -> list[str] | None:
    return next((row for pattern, row in reversed(_table(file)) if pattern.match(path)), None)


def _aliases(path: str, version: int, alias: str) -> tuple[str, ...]:
    # Version 0 of FindCoordinator looks for groups only: it has no type of the key (KIP-98).
    if path == "FindCoordinatorRequest.Key" and version == 0:
        return ("kafka.consumer_group", "kafka.group_id")
    return (alias,) if alias else ()


@functools.cache
def field(path: str, kafka_type: str, version: int) -> Shown:
    """A scalar field, or an element of an array of scalars."""
    row = _last_match("names.tsv", path) or ["", "", "", "", ""]
    meaning_row = _last_match("meanings.tsv", path)
    meaning = meaning_row[1] if meaning_row else None
    name = row[1] or "kafka." + snake_case(path.rsplit(".", 1)[-1])
    kind = row[2] or KINDS.get(kafka_type, kafka_type)
    if kafka_type == "records":
        name = "kafka.records"
    if meaning == "timestamp":
        kind = "time"
    return Shown(name, kind, _aliases(path, version, row[3]), meaning)


def count(name: str) -> str:
    return f"kafka.{snake_case(name)}_count"


@functools.cache
def _renamed() -> dict[tuple[str, str], str]:
    """Parent's path and older name of a field that older releases call otherwise, to the newest name."""
    return {
        (path.rpartition(".")[0], older): path.rpartition(".")[2]
        for kind, path, older, *_ in _rows("differences.tsv")
        if kind == "renamed"
    }


def newest(parent: str, name: str, siblings: Sequence[str]) -> str:
    """The newest name of a field that an older release wrote."""
    current = _renamed().get((parent, name), name)
    return name if current in siblings else current
