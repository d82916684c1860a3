# SPDX-License-Identifier: GPL-2.0-or-later
"""Kafka's error codes: names from a release (errors.tsv), sentences of our own (error-meanings.tsv)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from emit import HEADER, c_string
from model import SchemaError


@dataclass
class Error:
    code: int
    name: str
    retriable: bool
    meaning: str


def read_table(path: Path, columns: int) -> dict[int, list[str]]:
    """Rows by their first column, an error code."""
    rows: dict[int, list[str]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line and not line.startswith("#"):
            code, *rest = line.split("\t")
            if len(rest) != columns - 1 or not all(rest) or int(code) in rows:
                raise SchemaError(f"{path.name}:{number}: {columns} columns, each code once")
            rows[int(code)] = rest
    return rows


def read(folder: Path) -> list[Error]:
    names = read_table(folder / "errors.tsv", 3)
    meanings = read_table(folder / "error-meanings.tsv", 2)
    if names.keys() != meanings.keys():
        different = ", ".join(str(code) for code in sorted(names.keys() ^ meanings.keys()))
        raise SchemaError(f"errors.tsv and error-meanings.tsv have not the same codes: {different}")
    return [Error(code, names[code][0], names[code][1] == "retriable", meanings[code][0]) for code in sorted(names)]


def write(errors: list[Error]) -> str:
    rows = [f"    {{{error.code}, {c_string(error.name)}, {str(error.retriable).lower()}, {c_string(error.meaning)}}},"
            for error in errors]
    return "\n".join([HEADER + '#include "wire/errors.h"', "",
                      "const struct kafka_error kafka_errors[] = {", *rows, "};",
                      f"const size_t kafka_error_count = {len(rows)};", ""])
