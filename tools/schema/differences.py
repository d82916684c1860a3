# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the merged schema with what one release defines, but for differences that schema/differences.tsv lists."""

from __future__ import annotations

from pathlib import Path

from definitions import Definition
from model import Message, SchemaError, layout


class Known:
    """Rows of differences.tsv: kind, path (with the newest names), what the older release has."""

    KINDS = ("renamed", "tag", "layout")

    def __init__(self, rows: set[tuple[str, str, str]]) -> None:
        self.rows = rows
        self.used: set[tuple[str, str, str]] = set()

    @staticmethod
    def read(path: Path) -> "Known":
        rows = set()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line and not line.startswith("#"):
                columns = line.split("\t")
                if len(columns) < 3 or columns[0] not in Known.KINDS:
                    raise SchemaError(f"{path}:{number}: kind, path, older")
                rows.add((columns[0], columns[1], columns[2]))
        return Known(rows)

    def has(self, kind: str, path: str, older: str) -> bool:
        row = (kind, path, older)
        self.used.add(row)
        return row in self.rows

    def refuse_unused(self) -> None:
        unused = sorted(self.rows - self.used)
        if unused:
            raise SchemaError("listed differences that no release has: " + "; ".join(" ".join(row) for row in unused))


def compare_layouts(ours: tuple, theirs: tuple, path: str, known: Known) -> list[str]:
    problems = []
    rest = list(theirs)
    for field in ours:
        here = f"{path}.{field[0]}"
        if not rest or rest[0][1:5] != field[1:5]:
            if field[4] is None or not known.has("tag", here, "-"):
                problems.append(f"{here}: {field[:5]} and {rest[0][:5] if rest else None}")
            continue
        other = rest.pop(0)
        if other[0] != field[0] and not known.has("renamed", here, other[0]):
            problems.append(f"{here} is called {other[0]}")
        if field[5] is not None:
            problems += compare_layouts(field[5], other[5], here, known)
    return problems + [f"{path}.{field[0]}: missing" for field in rest]


def compare(message: Message, definition: Definition, version: int, known: Known) -> list[str]:
    """Returns what differs. A layout that the message has as its variant is as good as its own."""
    theirs = layout(definition.fields, version)
    flexible = version in definition.flexible
    variant = message.variant
    if variant is not None and version in variant.versions and theirs == layout(variant.fields, version):
        return [] if flexible == (version in variant.flexible) else [f"flexible: {flexible}"]
    if version not in message.versions:
        return ["not in the schema"]
    if flexible != (version in message.flexible):
        return [f"flexible: {flexible}"]
    problems = compare_layouts(layout(message.fields, version), theirs, message.name, known)
    if problems and known.has("layout", message.name, str(version)):
        return []
    return problems
