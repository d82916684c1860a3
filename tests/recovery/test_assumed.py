# SPDX-License-Identifier: GPL-2.0-or-later
"""Responses whose request is not in the capture: decoded where only one layout fits, else said what they may be."""

from pathlib import Path

import pytest
from common.expert_names import REQUEST_MISSING, RESPONSE_ASSUMED
from common.handmade import Reading, read
from common.manifest import capture
from common.messages import (
    api_versions_request,
    api_versions_response,
    array,
    heartbeat_request,
    heartbeat_response,
    int16,
    int32,
    metadata_response,
    produce_response,
    request,
    response,
    string,
)
from common.pcap import Capture, Connection
from common.shown import Shown
from common.tshark import Tshark
from copies import Copy, Source, write
from measure import Count, measure
from measure import read as read_all

PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])
FIND_COORDINATOR = 10
UNDECODED = "kafka.body"
# the share that is decoded at least; old and small messages look alike
SAMPLE = {
    "broker-0.10.2-sarama": 0.6,
    "broker-0.8.2-oldproducer-gzip": 0.35,
    "broker-2.3-kcat": 0.6,
    "cluster-4.4-raft-election": 0.95,
    "connect-4.4-two-workers": 0.95,
    "go-kafkago-4.4": 0.95,
    "java-4.4-admin": 0.6,
    "java-4.4-consumer-kip848": 0.6,
    "java-4.4-fetch-sessions": 0.6,
    "java-4.4-share-group": 0.3,
    "java-4.4-transactions": 0.6,
    "node-kafkajs-4.4": 0.6,
    "sweep-0.10.2-broker": 0.35,
    "sweep-4.4-broker": 0.45,
    "zkcluster-3.9-two-brokers": 0.6,
}


def connection_from_the_middle(made: Capture) -> Connection:
    connection = Connection(made)
    connection.skip("client", 1000)
    connection.skip("server", 1000)
    return connection


def notes(reading: Reading, name: str) -> int:
    return sum(expert.name == name and expert.severity == "note" for expert in reading.experts)


def only(reading: Reading) -> Shown:
    (shown,) = [one for one in reading.shown if one.direction == "response"]
    return shown


@PASSES
def test_one_layout_fits(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    made = Capture()
    connection_from_the_middle(made).response(metadata_response(7, ["orders"]))
    reading = read(tshark, made, scratch, passes)
    shown = only(reading)
    assert (shown.api_key, shown.api_version, shown.correlation_id) == (3, 1, 7)
    assert shown.value("kafka.response.assumed") == "Metadata v1"
    assert shown.item.shows("kafka.topic_name") == ["orders"]
    assert shown.item.first(UNDECODED) is None
    assert "Metadata v1 Response (assumed)" in shown.text
    assert notes(reading, RESPONSE_ASSUMED) == notes(reading, REQUEST_MISSING) == 1
    assert reading.malformed == []


@PASSES
def test_versions_of_one_layout(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """Versions 2 to 8 of JoinGroup's responses differ, 2 to 4 do not: which of them it is, is not said."""
    member = string("member-1") + int32(3) + b"abc"
    body = int32(0) + int16(0) + int32(1) + string("range") + string("member-1") + string("member-1") + array([member])
    made = Capture()
    connection_from_the_middle(made).response(response(7, body))
    shown = only(read(tshark, made, scratch, passes))
    assert (shown.api_key, shown.api_version) == (11, None)
    assert shown.value("kafka.response.assumed") == "JoinGroup v2\u20134"


@PASSES
def test_several_fit(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    made = Capture()
    connection_from_the_middle(made).response(heartbeat_response(700, error=27))
    reading = read(tshark, made, scratch, passes)
    shown = only(reading)
    candidates = shown.item.shows("kafka.response.candidate")
    assert {"Heartbeat v0", "LeaveGroup v0"} < set(candidates)
    assert shown.api_key is None and shown.value("kafka.response.assumed") is None
    assert shown.item.first(UNDECODED) is not None
    assert shown.item.first("kafka.error") is None
    assert notes(reading, RESPONSE_ASSUMED) == 0 and notes(reading, REQUEST_MISSING) == 1


@PASSES
def test_what_the_connection_has_shown(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """Two APIs answer with an error code, a node and its address; a client sends an API in one version only."""
    body = int16(0) + int32(7) + string("broker.example") + int32(9092)
    made = Capture()
    connection = connection_from_the_middle(made)
    connection.response(response(70, body))
    connection.request(request(FIND_COORDINATOR, 2, 71, string("group") + b"\0"))
    connection.response(response(71, int32(0) + int16(0) + string(None) + body[2:]))
    connection.response(response(69, int32(0) + int16(0) + string(None) + body[2:]))
    reading = read(tshark, made, scratch, passes)
    first, _, last = [one for one in reading.shown if one.direction == "response"]
    assert first.value("kafka.response.assumed") == "FindCoordinator v0"
    assert last.value("kafka.response.assumed") == "FindCoordinator v1\u20132"
    assert (last.api_key, last.api_version) == (FIND_COORDINATOR, None)


@PASSES
@pytest.mark.parametrize("body", [b"", b"\1", bytes(3), b"\xff" * 40], ids=["empty", "byte", "zeros", "ones"])
def test_nothing_fits(tshark: Tshark, scratch: Path, body: bytes, passes: tuple[str, ...]) -> None:
    """In the middle of a connection whose requests are known."""
    made = Capture()
    connection = Connection(made).open()
    connection.request(heartbeat_request(1))
    connection.response(heartbeat_response(1))
    connection.response(response(2, body))
    connection.request(heartbeat_request(3))
    connection.response(heartbeat_response(3))
    reading = read(tshark, made, scratch, passes)
    shown = [one for one in reading.shown if one.direction == "response"]
    assert [one.correlation_id for one in shown] == [1, 2, 3]
    assert [one.api_key for one in shown] == [12, None, 12]
    assert shown[1].value("kafka.response.assumed") is None
    assert reading.malformed == []


@PASSES
def test_not_taken_for_another_request(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """An assumed response takes no request's place."""
    made = Capture()
    connection = Connection(made).open()
    connection.request(api_versions_request(1))
    connection.response(produce_response(9))
    connection.response(api_versions_response(1))
    reading = read(tshark, made, scratch, passes)
    assert [(one.api_key, one.number("kafka.request_frame")) for one in reading.shown][2] == (18, 4)


@pytest.mark.parametrize("name", SAMPLE)
def test_responses_alone(tshark: Tshark, scratch: Path, name: str) -> None:
    """Of real captures only what brokers sent: none is taken for anything else than it is."""
    real = capture(name)
    source = Source(real)
    ports = real.ports
    copy = Copy(source, name, [p for p in source.packets if p.segment.source[1] in ports and p.segment.payload])
    path = scratch / "responses.pcap"
    write(path, [copy])
    options = ["-o", f"kafka.tcp.ports:{real.port_list}"]
    shown = read_all(tshark, path, options)
    total = Count()
    for count in measure(shown, [copy]).values():
        total.add(count)
    assert total.wrong == []
    assert total.orphans > 10
    assert total.assumed >= total.orphans * SAMPLE[name], f"{total.assumed} of {total.orphans}"
    assert shown == read_all(tshark, path, [*options, "-2"])
