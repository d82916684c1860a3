# SPDX-License-Identifier: GPL-2.0-or-later
"""Envelopes: a request that one broker forwards to another, its principal, and the response to it (KIP-590)."""

from pathlib import Path

import pytest
from common import expert_names as names
from common.handmade import Reading, read, severe
from common.messages import int16, metadata_request, metadata_response
from common.pcap import Capture, Connection
from common.tshark import Item, Tshark

from nested.groups import envelope_request, envelope_response, unframed

ALICE = int16(0) + b"\x05User\x06alice\x00\x00"
ADDRESS = bytes([10, 0, 0, 1])
UNANSWERING = "No request is known that the bytes would answer"


def one(reading: Reading, name: str) -> Item:
    (item,) = [item for shown in reading.shown for item in shown.item.all(name)]
    return item


def texts(reading: Reading) -> list[str]:
    return [expert.message for expert in reading.experts if expert.name == names.NESTED_UNDECODED]


def exchange(inner: bytes, answer: bytes | None, principal: bytes | None = ALICE, address: bytes = ADDRESS) -> Capture:
    capture = Capture()
    connection = Connection(capture).open()
    connection.request(envelope_request(inner, principal, address))
    connection.response(envelope_response(answer))
    return capture


@pytest.mark.parametrize("passes", [(), ("-2",)])
def test_request_and_response(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    inner, answer = unframed(metadata_request(77, ["orders"])), unframed(metadata_response(77, ["orders"], error=3))
    found = read(tshark, exchange(inner, answer), scratch, passes)
    assert found.headers == [(4, "request", 58, 4), (5, "response", 58, 4)]
    held = one(found, "kafka.request_data")
    assert held.show == inner.hex(":")
    assert held.showname.startswith("Request Data: Metadata v1 Request")
    assert [(child.name, child.show) for child in held.children if not child.hidden] == [
        ("kafka.api_key", "3"),
        ("kafka.api_version", "1"),
        ("kafka.correlation_id", "77"),
        ("kafka.client_id", "client"),
        ("kafka.header_version", "1"),
        ("kafka.topics_count", "1"),
    ]
    assert held.shows("kafka.topic_name") == ["orders"]
    answered = one(found, "kafka.response_data")
    assert answered.show == answer.hex(":")
    assert answered.showname.startswith("Response Data: Metadata v1 Response")
    assert answered.shows("kafka.correlation_id") == ["77"]
    assert answered.shows("kafka.api_key") == ["3"]
    assert answered.shows("kafka.response.version") == ["1"]
    assert answered.shows("kafka.topic_name") == ["orders"]
    assert answered.shows("kafka.error") == ["3", "3"]
    # Only the Envelope itself was sent and answered.
    assert [item.show for shown in found.shown for item in shown.item.all("kafka.request_frame")] == ["4"]
    assert len([item for shown in found.shown for item in shown.item.all("kafka.time")]) == 1
    assert texts(found) == []


def test_principal_and_client(tshark: Tshark, scratch: Path) -> None:
    inner = unframed(metadata_request(77, ["orders"]))
    found = read(tshark, exchange(inner, None), scratch)
    principal = one(found, "kafka.request_principal")
    assert [(child.name, child.show) for child in principal.children] == [
        ("kafka.nested_version", "0"),
        ("kafka.principal_type", "User"),
        ("kafka.principal_name", "alice"),
        ("kafka.token_authenticated", "0"),
    ]
    assert one(found, "kafka.client_host_address").shows("kafka.client_ipv4") == ["10.0.0.1"]
    found = read(tshark, exchange(inner, None, None, bytes(15) + b"\1"), scratch)
    assert one(found, "kafka.client_host_address").shows("kafka.client_ipv6") == ["::1"]
    assert one(found, "kafka.request_principal").shows("kafka.null") != []


def test_filters_and_info(tshark: Tshark, scratch: Path) -> None:
    inner, answer = unframed(metadata_request(77, ["orders"])), unframed(metadata_response(77, ["orders"], error=3))
    path = exchange(inner, answer).write(scratch / "made.pcap")
    assert [info for _, _, info in tshark.columns(path, ["-Y", "kafka"])] == [
        "Envelope v0 Request, Metadata v1 Request, orders",
        "Envelope v0 Response, Metadata v1 Response, 1 Broker, orders [0], UNKNOWN_TOPIC_OR_PARTITION",
    ]
    for wanted in ('kafka.topic_name == "orders"', "kafka.api_key == Metadata", "kafka.api_key == Envelope"):
        assert len(tshark.fields(path, ["frame.number"], ["-Y", wanted])) == 2
    assert len(tshark.fields(path, ["frame.number"], ["-Y", 'kafka.principal_name == "alice"'])) == 1


def test_response_without_its_request(tshark: Tshark, scratch: Path) -> None:
    capture = Capture()
    connection = Connection(capture).open()
    # The request's own bytes are lost; what is inside of it is not known then.
    lost = envelope_request(unframed(metadata_request(77, ["orders"])), ALICE, ADDRESS)
    connection.segment("client", 0, lost[:20])
    connection.skip("client", len(lost) - 20)
    connection.response(envelope_response(unframed(metadata_response(77, ["orders"]))))
    found = read(tshark, capture, scratch)
    assert texts(found) == [UNANSWERING]
    assert one(found, "kafka.response_data").children[0].name == "_ws.expert"


@pytest.mark.parametrize(
    "inner, text",
    [
        (b"\0\3", "The bytes are no request"),
        (b"garbage that is no request", "The bytes are no request"),
        (
            unframed(envelope_request(unframed(metadata_request(1, ["a"])), ALICE, ADDRESS)),
            "An Envelope holds no Envelope",
        ),
    ],
    ids=["short", "garbage", "envelope"],
)
def test_bytes_that_are_no_request(tshark: Tshark, scratch: Path, inner: bytes, text: str) -> None:
    found = read(tshark, exchange(inner, None), scratch)
    assert texts(found) == [text]
    assert found.malformed == []
    assert severe(found.kafka_experts) == []
    # What follows the bytes is shown all the same.
    assert found.shown[0].item.shows("kafka.client_ipv4")[-1] == "10.0.0.1"


@pytest.mark.parametrize(
    "inner",
    [
        b"\0\3",
        bytes.fromhex("fffc0000000000010000"),
        bytes.fromhex("00c800000000000100"),
        bytes.fromhex("0003ffff000000010000"),
        bytes.fromhex("00037fff000000010000"),
        bytes.fromhex("000300010000000100027f01"),
    ],
    ids=["short", "negative-key", "unknown-key", "negative-version", "huge-version", "client-id"],
)
def test_answers_to_what_is_no_request(tshark: Tshark, scratch: Path, inner: bytes) -> None:
    """What was no request has no answer, whatever the bytes are."""
    found = read(tshark, exchange(inner, bytes(range(40))), scratch)
    assert texts(found) == ["The bytes are no request", UNANSWERING]
    held = one(found, "kafka.response_data")
    assert held.show == bytes(range(40)).hex(":")
    assert [child.name for child in held.children] == ["_ws.expert"]
    assert held.showname.startswith("Response Data: 00010203")


@pytest.mark.parametrize(
    "principal, address, text",
    [
        (b"\0", ADDRESS, "The bytes are no Principal"),
        (ALICE[:-1], ADDRESS, "The bytes are no Principal of version 0"),
        (b"CN=alice,O=example", ADDRESS, "The bytes are no Principal of version 17230"),
        (ALICE, b"\1\2\3", "The bytes are no IP address"),
    ],
)
def test_other_principals_and_addresses(
    tshark: Tshark, scratch: Path, principal: bytes, address: bytes, text: str
) -> None:
    """A broker may have a principal builder of its own."""
    found = read(tshark, exchange(unframed(metadata_request(1, ["a"])), None, principal, address), scratch)
    assert texts(found) == [text]
    assert severe(found.kafka_experts) == []


def test_broken_inner_message(tshark: Tshark, scratch: Path) -> None:
    """A header that is right makes it a request; what is wrong behind it is told as in any other."""
    inner = unframed(metadata_request(77, ["orders"]))
    found = read(tshark, exchange(inner[:-3], None), scratch)
    assert {expert.name for expert in severe(found.kafka_experts)} == {names.BAD_STRING_LENGTH}
    assert one(found, "kafka.principal_name").show == "alice"
