# SPDX-License-Identifier: GPL-2.0-or-later
"""How it is known what members of a group write for one another, and what becomes of bytes that do not fit."""

from pathlib import Path

import pytest
from common import expert_names as names
from common.handmade import Reading, read, severe
from common.messages import int16, int32
from common.pcap import Capture, Connection
from common.tshark import Item, Tshark

from nested.groups import connect_worker, describe_groups, join_group, subscription, sync_group

ASSIGNMENT = int16(0) + int32(0) + int32(-1)  # no partitions, no user data


def fields(reading: Reading, name: str) -> list[Item]:
    return [item for packet in reading.packets for proto in packet.named("kafka") for item in proto.all(name)]


def texts(reading: Reading) -> list[str]:
    return [expert.message for expert in reading.experts if expert.name == names.NESTED_UNDECODED]


def decoded(reading: Reading) -> list[bool]:
    """Of each assignment, whether something stands below it."""
    return [bool(item.shows("kafka.nested_version")) for item in fields(reading, "kafka.member_assignment")]


def test_a_group_is_known_by_an_earlier_message(tshark: Tshark, scratch: Path) -> None:
    capture = Capture()
    connection = Connection(capture).open()
    join_group(connection, "consumer", "range", subscription(0, ["orders"]), group="one")
    sync_group(connection, 0, None, None, ASSIGNMENT, group="one")
    sync_group(connection, 0, None, None, ASSIGNMENT, correlation_id=3, group="other")
    # What one connection shows says nothing of the groups of another.
    second = Connection(capture, client_port=50001).open()
    sync_group(second, 0, None, None, ASSIGNMENT, group="one")
    found = read(tshark, capture, scratch)
    assert decoded(found) == [True, True, False, False, False, False]
    assert texts(found) == []


@pytest.mark.parametrize("passes", [(), ("-2",)])
def test_passes_are_alike(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """A group that another type of members takes over later stays what it was in earlier packets."""
    capture = Capture()
    connection = Connection(capture).open()
    join_group(connection, "consumer", "range", subscription(0, ["orders"]))
    sync_group(connection, 0, None, None, ASSIGNMENT)
    join_group(connection, "connect", "default", connect_worker("http://a/", 7), correlation_id=3)
    sync_group(connection, 0, None, None, b"", correlation_id=4)
    join_group(connection, "unknown", "x", b"{}", correlation_id=5)
    sync_group(connection, 0, None, None, ASSIGNMENT, correlation_id=6)
    found = read(tshark, capture, scratch, passes)
    assert decoded(found) == [True, True, False, False, False, False]
    assert [item.show for item in fields(found, "kafka.connect_url")] == ["http://a/"] * 2
    assert texts(found) == []
    assert severe(found.kafka_experts) == []


def test_bytes_of_an_unknown_group_stay_bytes(tshark: Tshark, scratch: Path) -> None:
    capture = Capture()
    connection = Connection(capture).open()
    join_group(connection, "sr", "v0", b'{"version":1}')
    join_group(connection, "", "range", subscription(0, ["orders"]), correlation_id=2)
    join_group(connection, "consumer", "mine", subscription(0, ["orders"])[:-4] + int32(2) + b"ab", correlation_id=3)
    found = read(tshark, capture, scratch)
    assert [len(item.children) for item in fields(found, "kafka.protocol_metadata")][:2] == [0, 0]
    # An assignor that nobody knows has user data that nobody can read.
    assert [(item.show, item.children) for item in fields(found, "kafka.user_data")] == [("61:62", [])] * 2
    assert texts(found) == []


@pytest.mark.parametrize(
    "name, data, text",
    [
        ("range", b"\0", "The bytes are no Consumer Subscription"),
        ("range", subscription(0, ["orders"])[:-1], "The bytes are no Consumer Subscription of version 0"),
        ("range", subscription(-1, []), "The bytes are no Consumer Subscription of version -1"),
        ("range", int16(0) + int32(1 << 30), "The bytes are no Consumer Subscription of version 0"),
        ("sticky", subscription(0, [])[:-4] + int32(3) + b"abc", "The bytes are no Sticky Assignor"),
        ("stream", subscription(0, [])[:-4] + int32(4) + int32(12), "The bytes are no Streams Subscription of version 12"),
        ("range", subscription(0, ["a"], b"\1\2"), "2 bytes are left over behind a Consumer Subscription of version 0"),
        ("range", subscription(1, ["a"]), "The bytes are no Consumer Subscription of version 1, but one of version 0"),
    ],
)
def test_bytes_that_do_not_fit(tshark: Tshark, scratch: Path, name: str, data: bytes, text: str) -> None:
    """They get a note, and stay bytes; nothing else is wrong with the message."""
    capture = Capture()
    join_group(Connection(capture).open(), "consumer", name, data)
    found = read(tshark, capture, scratch)
    assert texts(found) == [text] * 2
    assert found.malformed == []
    assert severe(found.kafka_experts) == []
    (item,) = fields(found, "kafka.protocol_metadata")
    assert item.show == data.hex(":")
    # The message goes on behind them: two each, the response has the member's id before.
    assert len(found.shown) == 2


def test_bytes_behind_a_newer_version(tshark: Tshark, scratch: Path) -> None:
    newer = subscription(8, ["orders"], int32(0) + int32(5) + int16(-1) + b"new")
    capture = Capture()
    join_group(Connection(capture).open(), "consumer", "range", newer)
    found = read(tshark, capture, scratch)
    assert texts(found) == ["3 bytes are left over behind a Consumer Subscription of version 8"] * 2
    for item in fields(found, "kafka.protocol_metadata"):
        assert item.shows("kafka.nested_version") == ["8"]
        assert item.shows("kafka.topic_name") == ["orders"]
        assert item.shows("kafka.undecoded") == [b"new".hex(":")]


def test_a_cut_by_the_capture(tshark: Tshark, scratch: Path) -> None:
    capture = Capture(snaplen=150)
    topics = [f"topic-{number}" for number in range(20)]
    connection = Connection(capture).open()
    join_group(connection, "consumer", "range", subscription(0, topics))
    found = read(tshark, capture, scratch)
    shown = [item.shows("kafka.topic_name") for item in fields(found, "kafka.protocol_metadata")]
    assert shown and 0 < len(shown[0]) < 20
    assert shown[0] == topics[: len(shown[0])]
    assert severe(found.kafka_experts) == []
    assert names.CUT in {expert.name for expert in found.kafka_experts}


@pytest.mark.parametrize(
    "wanted",
    ['kafka.topic_name == "inside"', "kafka.nested_version == 0", "kafka.topics_count == 1"],
)
def test_filters_find_what_is_inside(tshark: Tshark, scratch: Path, wanted: str) -> None:
    """With and without somebody who looks at the tree."""
    capture = Capture()
    connection = Connection(capture).open()
    join_group(connection, "consumer", "range", subscription(0, ["inside"]))
    describe_groups(connection, "consumer", "range", subscription(0, ["inside"]), ASSIGNMENT)
    path = capture.write(scratch / "made.pcap")
    for passes in ((), ("-2",)):
        frames = [row["frame.number"] for row in tshark.fields(path, ["frame.number"], [*passes, "-Y", wanted])]
        assert frames == [["4"], ["5"], ["7"]]
    assert tshark.read(path, ["-Y", wanted]).text.count("\n") == 3


def test_the_info_column_does_not_change(tshark: Tshark, scratch: Path) -> None:
    capture = Capture()
    join_group(Connection(capture).open(), "consumer", "range", subscription(0, ["inside"]))
    infos = [info for _, _, info in tshark.columns(capture.write(scratch / "made.pcap"), ["-Y", "kafka"])]
    assert infos == [
        "JoinGroup v2 Request, group group, 1 Protocol",
        "JoinGroup v2 Response, generation 1, member member, 1 Member",
    ]
