# SPDX-License-Identifier: GPL-2.0-or-later
"""What members of groups write for one another, by Kafka's own classes (generator/), in every message that carries it.

corpus.jsonl has the bytes and the fields that must be shown for them; regenerate.sh makes it again.
"""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from common.handmade import Reading, read
from common.pcap import Capture, Connection
from common.tshark import Item, Tshark, scratch_dir

from nested.groups import describe_groups, envelope, join_group, sync_group

CORPUS = Path(__file__).resolve().parent / "corpus.jsonl"


class Case(NamedTuple):
    title: str
    kind: str
    type: str
    name: str
    data: bytes
    fields: list[tuple[str, str]]


def cases() -> list[Case]:
    found = []
    for line in CORPUS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        fields = [(name, value) for name, value in row["fields"]]
        found.append(Case(row["title"], row["kind"], row["type"], row["name"], bytes.fromhex(row["bytes"]), fields))
    return found


CASES = cases()
GROUPS = [case for case in CASES if case.kind != "principal"]
PRINCIPALS = [case for case in CASES if case.kind == "principal"]


@cache
def reading(tshark: Tshark) -> Reading:
    """All cases in one capture, each on a connection of its own."""
    capture = Capture()
    for number, case in enumerate(CASES):
        connection = Connection(capture, client_port=30000 + number).open()
        if case.kind == "principal":
            envelope(connection, case.data)
            continue
        metadata, assignment = (case.data, b"") if case.kind == "metadata" else (b"", case.data)
        join_group(connection, case.type, case.name, metadata)
        sync_group(connection, 5, case.type, case.name, assignment)
        # Versions that do not tell what the group speaks.
        sync_group(connection, 0, case.type, case.name, assignment)
        describe_groups(connection, case.type, case.name, metadata, assignment)
        connection.close()
    return read(tshark, capture, scratch_dir())


def shown(item: Item) -> list[tuple[str, str]]:
    """The fields below an item, in the order of the bytes, without those that no byte carries."""
    return [
        (below.name, below.show)
        for child in item.children
        for below in child.walk()
        if below.name.startswith("kafka.") and not below.hidden and below.name != "kafka.timestamp"
    ]


def holders(found: Reading, case: Case, filters: tuple[str, ...]) -> list[Item]:
    """The bytes fields of a case's connection."""
    port = str(30000 + CASES.index(case))
    items = []
    for packet in found.packets:
        tcp = next(proto for proto in packet.protos if proto.name == "tcp")
        if port in (tcp.shows("tcp.srcport") + tcp.shows("tcp.dstport")):
            items += [item for proto in packet.named("kafka") for name in filters for item in proto.all(name)]
    return [item for item in items if item.show]


@pytest.mark.parametrize("case", [case for case in GROUPS if case.kind == "metadata"], ids=lambda case: case.title)
def test_metadata(tshark: Tshark, case: Case) -> None:
    """In the request and the response of JoinGroup, and in that of DescribeGroups."""
    items = holders(reading(tshark), case, ("kafka.protocol_metadata", "kafka.member_metadata"))
    assert [item.name for item in items] == ["kafka.protocol_metadata", "kafka.member_metadata", "kafka.member_metadata"]
    for item in items:
        assert item.show == case.data.hex(":")
        assert shown(item) == case.fields


@pytest.mark.parametrize("case", [case for case in GROUPS if case.kind == "assignment"], ids=lambda case: case.title)
def test_assignment(tshark: Tshark, case: Case) -> None:
    """In requests and responses of SyncGroup that say what the group speaks, in others, and in DescribeGroups."""
    items = holders(reading(tshark), case, ("kafka.member_assignment",))
    assert len(items) == 5
    for item in items:
        assert item.show == case.data.hex(":")
        assert shown(item) == case.fields


@pytest.mark.parametrize("case", PRINCIPALS, ids=lambda case: case.title)
def test_principal(tshark: Tshark, case: Case) -> None:
    (item,) = holders(reading(tshark), case, ("kafka.request_principal",))
    assert shown(item) == case.fields


def test_nothing_is_wrong(tshark: Tshark) -> None:
    found = reading(tshark)
    assert found.malformed == []
    assert [expert for expert in found.kafka_experts if expert.severity in ("note", "warning", "error")] == []


def test_every_byte_is_shown(tshark: Tshark) -> None:
    """The fields below a bytes field that have no children cover it, but for counts."""
    for case in GROUPS:
        filters = ("kafka.protocol_metadata", "kafka.member_assignment")
        for item in holders(reading(tshark), case, filters):
            covered = bytearray(item.size)
            for below in item.walk():
                if below is not item and below.name.startswith("kafka."):
                    begin = below.pos - item.pos
                    covered[begin : begin + below.size] = b"\1" * below.size
            # The length of the field itself stands before what is in it.
            prefix = item.size - len(case.data)
            assert all(covered[prefix:]), case.title
