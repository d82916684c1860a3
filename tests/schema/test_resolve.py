# SPDX-License-Identifier: GPL-2.0-or-later
"""Filter names, types, meanings and labels by the rules of docs/display.md."""

from collections.abc import Callable
from pathlib import Path

import labels
import pytest
from model import SchemaError
from resolve import Resolved, Schema, resolve, walk

MakeSchema = Callable[..., Path]


def by_path(schema: Schema) -> dict[str, Resolved]:
    return {path: schema.fields[id(field)] for api in schema.apis for message in api.messages.values()
            for path, field in walk(message.fields, message.name)}


@pytest.mark.parametrize(("name", "expected"), [
    ("ThrottleTimeMs", "throttle_time_ms"),
    ("HWMark", "hw_mark"),
    ("V3AndBelowTopics", "v3_and_below_topics"),
    ("isKRaftController", "is_k_raft_controller"),
    ("timeoutMs", "timeout_ms"),
    ("Isr", "isr"),
])
def test_snake_case(name: str, expected: str) -> None:
    assert labels.snake_case(name) == expected


@pytest.mark.parametrize(("name", "expected"), [
    ("ThrottleTimeMs", "Throttle Time"),
    ("TopicId", "Topic ID"),
    ("isKRaftController", "Is KRaft Controller"),
    ("GroupIds", "Group IDs"),
    ("LastOffsetOfTheBatch", "Last Offset of the Batch"),
])
def test_labels(name: str, expected: str) -> None:
    assert labels.field_label(name) == expected


@pytest.mark.parametrize(("many", "one"), [
    ("Topics", "Topic"), ("Entries", "Entry"), ("State Batches", "State Batch"), ("Topic Data", "Topic"),
    ("Status", "Status"), ("API Keys", "API Key"),
])
def test_singular(many: str, one: str) -> None:
    assert labels.singular(many) == one


def test_names_without_rows(make_schema: MakeSchema, meaning_header: Path) -> None:
    schema = resolve(make_schema(), meaning_header)
    fields = by_path(schema)
    assert fields["ExampleRequest.Items"].count_filter == "kafka.items_count"
    assert fields["ExampleRequest.Items"].filter is None
    assert fields["ExampleRequest.Items"].element_label == "Item"
    assert fields["ExampleRequest.Items.Size"].filter == "kafka.size"
    assert schema.displays["kafka.size"].type == "int32"


def test_the_last_row_that_matches_counts(make_schema: MakeSchema, meaning_header: Path) -> None:
    folder = make_schema(
        names="# comment\n*.Name\tkafka.any_name\nExample*.Items.*\tkafka.item\tstring\n"
              "Example*.Size\tkafka.item_size\n",
        meanings="*Name\tgroup_id\n*.Items.Name\ttopic_name\n", elements="*.Items\tThing\n")
    schema = resolve(folder, meaning_header)
    fields = by_path(schema)
    assert fields["ExampleRequest.Name"].filter == "kafka.any_name"
    assert fields["ExampleRequest.Items.Name"].filter == "kafka.item"
    assert fields["ExampleRequest.Items.Size"].filter == "kafka.item_size"
    assert fields["ExampleRequest.Name"].meaning == "group_id"
    assert fields["ExampleRequest.Items.Name"].meaning == "topic_name"
    assert fields["ExampleRequest.Items"].element_label == "Thing"


def test_type_and_alias(make_schema: MakeSchema, meaning_header: Path) -> None:
    schema = resolve(make_schema(names="*.Size\tkafka.size\tuint64\tkafka.other_size\tnote\n"), meaning_header)
    assert schema.displays["kafka.size"].alias == "kafka.other_size"
    assert schema.displays["kafka.other_size"].type == "uint64"
    assert schema.displays["kafka.other_size"].alias is None


def test_a_timestamp_is_a_time(make_schema: MakeSchema, meaning_header: Path) -> None:
    api = "api 0 A\nrequest ARequest 0 flexible none\n  At int64 0+\nresponse AResponse 0 flexible none\n"
    schema = resolve(make_schema(api, meanings="*.At\ttimestamp\n"), meaning_header)
    assert schema.displays["kafka.at"].type == "time"


@pytest.mark.parametrize(("tables", "message"), [
    ({"names": "*.Size\tkafka.name\n"}, "kafka.name has type"),
    ({"meanings": "*.Items.Name\ttopic_name\n"}, "kafka.name has meaning"),
    ({"names": "*.Size\tkafka.size\t\tkafka.name\n"}, "kafka.name has type"),
    ({"names": "*.Colour\tkafka.colour\n"}, "decides for no field"),
    ({"names": "*.Size\tkafka.a\n*ExampleRequest*Size\tkafka.b\n"}, "names.tsv:1: .* decides for no field"),
    ({"meanings": "*.Size\tcolour\n"}, "unknown meaning colour"),
    ({"names": "*.Size\tkafka.size\tint\n"}, "unknown field type int"),
    ({"names": "*.Size\tSize\n"}, "no filter name"),
    ({"names": "*.Size kafka.size\n"}, "names.tsv:1"),
    ({"elements": "*.Item\tThing\n"}, "decides for no field"),
    ({"builtin": "kafka.size\tint64\t4.0\n"}, "kafka.size is int32 .* int64 in the built-in"),
])
def test_bad_tables_are_refused(make_schema: MakeSchema, meaning_header: Path, tables: dict, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        resolve(make_schema(**tables), meaning_header)


def test_a_variant_may_have_another_field_of_the_same_name(make_schema: MakeSchema, meaning_header: Path) -> None:
    api = ("api 0 A\nrequest ARequest 0-1 flexible none\n  Things []string 0+\nvariant ARequest 0 flexible none\n"
           "  Things string 0\nresponse AResponse 0-1 flexible none\n")
    schema = resolve(make_schema(api), meaning_header)
    request = schema.apis[0].messages["request"]
    assert request.variant is not None
    assert schema.fields[id(request.fields[0])].count_filter == "kafka.things_count"
    assert schema.fields[id(request.variant.fields[0])].count_filter is None
