# SPDX-License-Identifier: GPL-2.0-or-later
"""What a message definition says: version ranges, fields, messages, APIs."""

from __future__ import annotations

from dataclasses import dataclass, field as dataclass_field
from typing import Iterator, Optional

SCALARS = (
    "bool", "int8", "int16", "int32", "int64", "uint16", "uint32", "float64", "uuid", "string", "bytes", "records",
)
OPEN_END = 0x7FFF


class SchemaError(Exception):
    """Something in the schema or in a definition is not as it has to be."""


@dataclass(frozen=True)
class Versions:
    """An inclusive range of versions; `last` is OPEN_END for "12+", and below `first` for "none"."""

    first: int = 0
    last: int = -1

    @staticmethod
    def parse(text: str) -> "Versions":
        text = text.strip()
        if text == "none":
            return Versions()
        if text.endswith("+"):
            return Versions(int(text[:-1]), OPEN_END)
        first, dash, last = text.partition("-")
        return Versions(int(first), int(last if dash else first))

    def __str__(self) -> str:
        if self.last < self.first:
            return "none"
        if self.last == OPEN_END:
            return f"{self.first}+"
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"

    def __contains__(self, version: int) -> bool:
        return self.first <= version <= self.last

    def __bool__(self) -> bool:
        return self.first <= self.last

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.first, self.last + 1))


NONE = Versions()


@dataclass
class Field:
    """One field; `type` is a scalar of Kafka's or the name of a structure, whose fields are then `members`."""

    name: str
    type: str
    is_array: bool
    versions: Versions
    nullable: Versions = NONE
    tagged: Versions = NONE
    tag: Optional[int] = None
    default: Optional[str] = None
    entity: Optional[str] = None
    members: Optional[list["Field"]] = None

    def same_field(self, other: "Field") -> bool:
        """Whether both are one field in different versions: a structure may have been renamed."""
        return self.name == other.name and self.is_array == other.is_array and (
            self.type == other.type or (self.members is not None and other.members is not None))


@dataclass
class Message:
    """One direction of an API, or a message that belongs to none.

    `variant` is another layout, which a release gave to some of the same versions."""

    name: str
    versions: Versions
    flexible: Versions
    fields: list[Field]
    variant: Optional["Message"] = None


@dataclass
class Api:
    key: int
    name: str
    messages: dict[str, Message] = dataclass_field(default_factory=dict)  # by "request" and "response"


def in_version(fields: list[Field], version: int) -> list[Field]:
    """The fields that one version has, each with the range of that version alone; nested ones too."""
    found = []
    only = Versions(version, version)
    for field in fields:
        if version not in field.versions:
            continue
        tagged = version in field.tagged
        found.append(Field(
            field.name, field.type, field.is_array, only,
            nullable=only if version in field.nullable else NONE,
            tagged=only if tagged else NONE, tag=field.tag if tagged else None,
            default=field.default, entity=field.entity,
            members=None if field.members is None else in_version(field.members, version)))
    return found


def layout(fields: list[Field], version: int) -> tuple:
    """What one version has on the wire, comparable: untagged fields in their order, then tagged ones by tag."""
    present = [field for field in fields if version in field.versions]
    present.sort(key=lambda field: field.tag if version in field.tagged and field.tag is not None else -1)
    return tuple(
        (field.name, "struct" if field.members is not None else field.type, field.is_array, version in field.nullable,
         field.tag if version in field.tagged else None,
         None if field.members is None else layout(field.members, version))
        for field in present)
