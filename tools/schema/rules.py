# SPDX-License-Identifier: GPL-2.0-or-later
"""The hand-written tables of schema/: rows that choose fields by a pattern over Message.Path.Field."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from model import SchemaError


@dataclass
class Rule:
    """One row. `decides` tells whether it was the last match of any field."""

    where: str
    pattern: str
    columns: list[str]
    regex: re.Pattern[str]
    decides: bool = False

    def column(self, index: int) -> Optional[str]:
        """The column after the pattern, or None when it is empty or missing."""
        return (self.columns[index] or None) if index < len(self.columns) else None


class Rules:
    def __init__(self, rules: list[Rule]) -> None:
        self.rules = rules

    @staticmethod
    def read(path: Path, columns: int) -> "Rules":
        """Reads a table with one to that many columns after the pattern; "#" starts a comment line."""
        rules = []
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            where = f"{path.name}:{number}"
            pattern, *rest = [column.strip() for column in line.split("\t")]
            if not rest or not rest[0] or len(rest) > columns:
                raise SchemaError(f"{where}: a pattern and 1 to {columns} more columns, separated by tabs")
            if not re.fullmatch(r"[\w.*]+", pattern):
                raise SchemaError(f"{where}: {pattern} is no pattern")
            rules.append(Rule(where, pattern, rest, re.compile(pattern.replace(".", r"\.").replace("*", ".*"))))
        return Rules(rules)

    def find(self, path: str) -> Optional[Rule]:
        """The last row that matches."""
        for rule in reversed(self.rules):
            if rule.regex.fullmatch(path):
                rule.decides = True
                return rule
        return None

    def refuse_idle(self) -> None:
        """Refuses rows that decide nothing: the field is gone, the pattern is wrong, or later rows take all of it."""
        idle = [f"{rule.where}: {rule.pattern} decides for no field" for rule in self.rules if not rule.decides]
        if idle:
            raise SchemaError("\n".join(idle))
