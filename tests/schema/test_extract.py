# SPDX-License-Identifier: GPL-2.0-or-later
"""Reading Kafka's definitions, merging releases, comparing them with the result."""

import json
import zipfile
from pathlib import Path

import pytest
from definitions import Definition, read_definition, read_jar
from differences import Known, compare
from merge import merge_message
from model import SchemaError, layout


def definition(text: str) -> Definition:
    found = read_definition(text)
    assert found is not None
    return found


def example(versions: str, fields: list[dict], flexible: str = "none", name: str = "ExampleRequest") -> Definition:
    return definition(json.dumps({"apiKey": 1, "type": "request", "name": name, "validVersions": versions,
                                  "flexibleVersions": flexible, "fields": fields}))


def field(name: str, kind: str, versions: str, **more: object) -> dict:
    return {"name": name, "type": kind, "versions": versions, **more}


def names(message_layout: tuple) -> list[str]:
    return [entry[0] for entry in message_layout]


NOTHING_KNOWN = Known(set())


def test_odd_json() -> None:
    read = definition("""// a comment
        { "type": "data", "name": "Odd", /* another */ "validVersions": "0-1",
          "fields": [ // versions left out, the tag a string, a comment's slashes in a text
            { "name": "Tagged", "type": "string", "taggedVersions": "1+", "tag": "3", "default": "http://x" } ] }
        } text after the end""")
    assert read.fields[0].tag == 3
    assert read.fields[0].default == "http://x"
    assert 1 in read.fields[0].versions and 0 not in read.fields[0].versions


def test_removed_messages_and_headers_are_left_out() -> None:
    assert read_definition('{"type": "request", "name": "GoneRequest", "validVersions": "none"}') is None
    assert read_definition('{"type": "header", "name": "H", "validVersions": "0", "fields": []}') is None


def test_common_structures_are_expanded_in_each_place() -> None:
    read = definition(json.dumps({
        "type": "data", "name": "Common", "validVersions": "0",
        "fields": [field("A", "[]Pair", "0+"), field("B", "Pair", "0+")],
        "commonStructs": [{"name": "Pair", "versions": "0+", "fields": [field("X", "int8", "0+")]}]}))
    assert [[member.name for member in entry.members or []] for entry in read.fields] == [["X"], ["X"]]


def test_a_jar_without_definitions_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "empty-1.0.jar", "w") as jar:
        jar.writestr("README", "nothing")
    with pytest.raises(SchemaError, match="no message definitions"):
        read_jar(str(tmp_path / "empty-1.0.jar"))


def test_older_versions_come_from_older_releases_and_names_from_newer_ones() -> None:
    newer = example("2-3", [field("New", "int32", "0+"), field("Added", "string", "3+", nullableVersions="3+")])
    older = example("0-2", [field("Old", "int32", "1+"), field("Dropped", "bool", "0-1")])
    message = merge_message([newer, older])
    assert str(message.versions) == "0-3"
    assert names(layout(message.fields, 3)) == ["New", "Added"]
    assert names(layout(message.fields, 2)) == ["New"]
    assert names(layout(message.fields, 1)) == ["Old", "Dropped"]
    assert names(layout(message.fields, 0)) == ["Dropped"]
    assert message.variant is None
    assert compare(message, newer, 3, NOTHING_KNOWN) == []
    assert compare(message, older, 0, NOTHING_KNOWN) == []


def test_a_rename_has_to_be_listed() -> None:
    message = merge_message([example("0", [field("New", "int32", "0+")])])
    older = example("0", [field("Old", "int32", "0+")])
    assert compare(message, older, 0, NOTHING_KNOWN) == ["ExampleRequest.New is called Old"]
    known = Known({("renamed", "ExampleRequest.New", "Old")})
    assert compare(message, older, 0, known) == []
    known.refuse_unused()


def test_a_row_that_no_release_needs_is_refused() -> None:
    with pytest.raises(SchemaError, match="ExampleRequest.Gone"):
        Known({("renamed", "ExampleRequest.Gone", "Old")}).refuse_unused()


def test_a_tagged_field_that_came_later_makes_no_variant() -> None:
    newer = example("0", [field("A", "int32", "0+"), field("T", "int8", "0+", taggedVersions="0+", tag=0)], "0+")
    older = example("0", [field("A", "int32", "0+")], "0+")
    message = merge_message([newer, older])
    assert message.variant is None
    assert compare(message, older, 0, NOTHING_KNOWN) != []
    assert compare(message, older, 0, Known({("tag", "ExampleRequest.T", "-")})) == []


def test_another_layout_becomes_a_variant() -> None:
    newer = example("0-1", [field("A", "int32", "0+"), field("B", "int64", "0+")])
    older = example("0", [field("B", "int64", "0+")])
    message = merge_message([newer, older])
    assert names(layout(message.fields, 0)) == ["A", "B"]
    assert message.variant is not None
    assert str(message.variant.versions) == "0"
    assert names(layout(message.variant.fields, 0)) == ["B"]
    assert compare(message, older, 0, NOTHING_KNOWN) == []
    third = example("0", [field("B", "int8", "0+")])
    assert compare(message, third, 0, NOTHING_KNOWN) != []
    with pytest.raises(SchemaError, match="third layout"):
        merge_message([newer, older, third])


def test_nullable_structures_differ_from_plain_ones() -> None:
    inner = [field("X", "int8", "0+")]
    newer = example("0", [field("S", "Thing", "0+", nullableVersions="0+", fields=inner)])
    older = example("0", [field("S", "Thing", "0+", fields=inner)])
    assert merge_message([newer, older]).variant is not None


def test_versions_with_a_gap_are_refused() -> None:
    with pytest.raises(SchemaError, match="gap"):
        merge_message([example("3", []), example("0-1", [])])
