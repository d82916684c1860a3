# SPDX-License-Identifier: GPL-2.0-or-later
"""Merges what several releases say about one message into one definition with every version that any of them has."""

from __future__ import annotations

from definitions import Definition
from model import NONE, OPEN_END, Field, Message, SchemaError, Versions, in_version, layout


def as_range(versions: list[int], last_of_message: int, what: str) -> Versions:
    """The range that holds exactly these versions; one that reaches the message's last version is left open."""
    if not versions:
        return NONE
    first, last = min(versions), max(versions)
    if sorted(versions) != list(range(first, last + 1)):
        raise SchemaError(f"{what}: versions with a gap: {sorted(versions)}")
    return Versions(first, OPEN_END if last == last_of_message else last)


def place(order: list[list[Field]], fields: list[Field]) -> None:
    """Adds the fields of one version to the merged order, each new one after the field that precedes it."""
    previous = -1
    for field in fields:
        for index, known in enumerate(order):
            if known[0].same_field(field):
                known.append(field)
                previous = index
                break
        else:
            previous += 1
            order.insert(previous, [field])


def merge_fields(versions: dict[int, list[Field]], last_of_message: int, what: str) -> list[Field]:
    """Merges one field list a version. The highest version comes first: newest names, defaults and hints win."""
    order: list[list[Field]] = []
    for version in sorted(versions, reverse=True):
        place(order, versions[version])
    merged = []
    for same in order:
        newest = same[0]
        path = f"{what}.{newest.name}"
        tags = {field.tag for field in same if field.tag is not None}
        if len(tags) > 1:
            raise SchemaError(f"{path}: several tags: {sorted(tags)}")
        members = None
        if newest.members is not None:
            members = merge_fields({field.versions.first: field.members or [] for field in same}, last_of_message, path)

        def span(chosen: list[Field]) -> Versions:
            return as_range([field.versions.first for field in chosen], last_of_message, path)
        merged.append(Field(
            newest.name, newest.type, newest.is_array, span(same),
            nullable=span([field for field in same if field.nullable]),
            tagged=span([field for field in same if field.tagged]), tag=tags.pop() if tags else None,
            default=next((field.default for field in same if field.default is not None), None),
            entity=next((field.entity for field in same if field.entity is not None), None),
            members=members))
    return merged


def reads_both(newer: tuple, older: tuple) -> bool:
    """Whether one definition reads both layouts: the older one may have other names, and lack tagged fields."""
    rest = list(older)
    for field in newer:
        same = rest and rest[0][1:5] == field[1:5] and (field[5] is None or reads_both(field[5], rest[0][5]))
        if same:
            rest.pop(0)
        elif field[4] is None:
            return False
    return not rest


def build(name: str, versions: dict[int, tuple[list[Field], bool]], last: int) -> Message:
    flexible = [version for version, (_, flag) in versions.items() if flag]
    return Message(
        name, Versions(min(versions), max(versions)), as_range(flexible, last, name),
        merge_fields({version: fields for version, (fields, _) in versions.items()}, last, name))


def merge_message(definitions: list[Definition]) -> Message:
    """Merges the definitions of one message, the newest release first. A version that an older release has with an
    incompatible layout goes into a variant."""
    name = definitions[0].name
    main: dict[int, tuple[list[Field], bool]] = {}
    other: dict[int, tuple[list[Field], bool]] = {}
    for definition in definitions:
        for version in definition.versions:
            entry = (in_version(definition.fields, version), version in definition.flexible)
            if version not in main:
                main[version] = entry
                continue
            newer = main[version]
            if newer[1] == entry[1] and reads_both(layout(newer[0], version), layout(entry[0], version)):
                continue
            if version in other and layout(other[version][0], version) != layout(entry[0], version):
                raise SchemaError(f"{name} version {version}: a third layout")
            other.setdefault(version, entry)
    if sorted(main) != list(range(min(main), max(main) + 1)):
        raise SchemaError(f"{name}: versions with a gap: {sorted(main)}")
    message = build(name, main, max(main))
    message.variant = build(name, other, max(main)) if other else None
    return message
