# SPDX-License-Identifier: GPL-2.0-or-later
"""Gives each field of the schema its filter, field type, meaning and labels, by the tables of schema/."""

from __future__ import annotations

import re
from dataclasses import dataclass, field as dataclass_field
from pathlib import Path
from typing import Iterator, Optional

import labels
import notation
from model import Api, Field, Message, SchemaError
from rules import Rules

# Field type of Wireshark for each type of Kafka (docs/display.md).
DISPLAY_TYPES = {
    "bool": "boolean", "int8": "int8", "int16": "int16", "int32": "int32", "int64": "int64", "uint16": "uint16",
    "uint32": "uint32", "float64": "double", "uuid": "guid", "string": "string", "bytes": "bytes", "records": "none",
}
ALL_DISPLAY_TYPES = set(DISPLAY_TYPES.values()) | {"uint8", "uint64", "time"}
NO_MEANING = "none"
# A meaning of single fields that share a filter name with fields of a more general meaning.
GENERAL_MEANINGS = {"list_offsets_timestamp": "timestamp_ms"}
FILTER = re.compile(r"kafka(\.[a-z][a-z0-9_]*)+")


@dataclass
class Display:
    """One filter name."""

    filter: str
    type: str
    meaning: str
    first_user: str
    alias: Optional[str] = None


@dataclass
class Resolved:
    """What one field of one message is shown as; a structure has no filter of its own."""

    meaning: str
    label: str
    filter: Optional[str] = None
    count_filter: Optional[str] = None
    element_label: Optional[str] = None


def read_meanings(header: Path) -> list[str]:
    """The meanings that plugin/wire/meaning.h knows, in lower case."""
    names = re.findall(r"\bX\((\w+)\)\s", header.read_text(encoding="utf-8"))
    return [name.lower() for name in names if name.isupper()]


def walk(fields: list[Field], path: str) -> Iterator[tuple[str, Field]]:
    for field in fields:
        here = f"{path}.{field.name}"
        yield here, field
        yield from walk(field.members or [], here)


def all_messages(apis: list[Api], data: list[Message]) -> Iterator[Message]:
    """Every message and variant."""
    for message in [api.messages[kind] for api in apis for kind in ("request", "response")] + data:
        yield message
        if message.variant is not None:
            yield message.variant


@dataclass
class Schema:
    """The whole schema, resolved."""

    apis: list[Api]
    data: list[Message]
    displays: dict[str, Display] = dataclass_field(default_factory=dict)
    # By the field's id(), since a variant may have another field of the same path.
    fields: dict[int, Resolved] = dataclass_field(default_factory=dict)

    def add_display(self, new: Display) -> None:
        """One filter name has one field type, one meaning and one alias."""
        known = self.displays.setdefault(new.filter, new)
        for what in ("type", "meaning", "alias"):
            if getattr(known, what) != getattr(new, what):
                raise SchemaError(f"{new.filter} has {what} {getattr(known, what)} for {known.first_user}, "
                                  f"but {getattr(new, what)} for {new.first_user}")


def resolve_field(schema: Schema, path: str, field: Field, names: Rules, meanings: Rules, elements: Rules) -> Resolved:
    label = labels.field_label(field.name)
    resolved = Resolved(NO_MEANING, label)
    if field.is_array:
        resolved.count_filter = f"kafka.{labels.snake_case(field.name)}_count"
        schema.add_display(Display(resolved.count_filter, "int32", NO_MEANING, path))
    if field.members is not None:
        if field.is_array:
            rule = elements.find(path)
            resolved.element_label = rule.columns[0] if rule else labels.singular(label)
        return resolved
    rule = meanings.find(path)
    resolved.meaning = rule.columns[0] if rule else NO_MEANING
    rule = names.find(path)
    resolved.filter = rule.columns[0] if rule else f"kafka.{labels.snake_case(field.name)}"
    kind = "time" if resolved.meaning == "timestamp" else DISPLAY_TYPES[field.type]
    alias = None
    if rule:
        kind = rule.column(1) or kind
        alias = rule.column(2)
    meaning = GENERAL_MEANINGS.get(resolved.meaning, resolved.meaning)
    schema.add_display(Display(resolved.filter, kind, meaning, path, alias))
    if alias:
        schema.add_display(Display(alias, kind, meaning, path))
    return resolved


def check_tables(names: Rules, meanings: Rules, known_meanings: list[str]) -> None:
    for rule in meanings.rules:
        if rule.columns[0] not in known_meanings:
            raise SchemaError(f"{rule.where}: unknown meaning {rule.columns[0]}")
    for rule in names.rules:
        for name in (rule.columns[0], rule.column(2)):
            if name is not None and not FILTER.fullmatch(name):
                raise SchemaError(f"{rule.where}: {name} is no filter name")
        if rule.column(1) is not None and rule.column(1) not in ALL_DISPLAY_TYPES:
            raise SchemaError(f"{rule.where}: unknown field type {rule.column(1)}")


def check_builtin(schema: Schema, path: Path) -> None:
    """Refuses a field type that differs from the one of Wireshark's built-in dissector."""
    problems = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, kind = line.split("\t")[:2]
            ours = schema.displays.get(name)
            if ours is not None and ours.type != kind:
                problems.append(f"{name} is {ours.type} for {ours.first_user}, but {kind} in the built-in dissector")
    if problems:
        raise SchemaError("\n".join(problems))


def resolve(folder: Path, meaning_header: Path) -> Schema:
    """Reads a schema folder and resolves all of it."""
    apis, data = notation.read_folder(folder / "messages")
    schema = Schema(apis, sorted(data + notation.read_nested(folder / "nested"), key=lambda message: message.name))
    names = Rules.read(folder / "names.tsv", 4)
    meanings = Rules.read(folder / "meanings.tsv", 2)
    elements = Rules.read(folder / "elements.tsv", 1)
    check_tables(names, meanings, read_meanings(meaning_header))
    problems = []
    for message in all_messages(schema.apis, schema.data):
        for path, field in walk(message.fields, message.name):
            try:
                schema.fields[id(field)] = resolve_field(schema, path, field, names, meanings, elements)
            except SchemaError as error:
                if str(error).split()[0] not in [problem.split()[0] for problem in problems]:
                    problems.append(str(error))
    if problems:
        raise SchemaError("\n".join(problems))
    for rules in (names, meanings, elements):
        rules.refuse_idle()
    check_builtin(schema, folder / "builtin.tsv")
    return schema
