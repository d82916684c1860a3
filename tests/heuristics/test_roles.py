# SPDX-License-Identifier: GPL-2.0-or-later
"""Who is client and who is broker is told by the messages, whatever the ports are."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from common.handmade import read
from common.messages import (
    array,
    heartbeat_request,
    heartbeat_response,
    int16,
    int32,
    metadata_request,
    metadata_response,
    response,
    string,
)
from common.pcap import Capture, Connection
from common.tshark import Tshark

PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])
KAFKA_PORTS = ["-o", "kafka.tcp.ports:9092,9093,39077"]
# of the client and of the broker
PORTS = [(9092, 9092), (9092, 9093), (9093, 9092), (39077, 39077), (9092, 50000), (50000, 39077)]
EXPECTED = [("request", 3, 2), ("response", 3, 2), ("request", 12, 3), ("response", 12, 3)]


def connections(made: Capture) -> Iterator[Connection]:
    for number, (client, server) in enumerate(PORTS):
        yield Connection(made, client_port=client, server_port=server, client_address=f"10.0.1.{number}")


def begin_in_the_middle(connection: Connection) -> None:
    connection.skip("client", 1000)
    connection.skip("server", 1000)


def talk(connection: Connection) -> None:
    connection.request(metadata_request(2, ["orders"]))
    connection.response(metadata_response(2, ["orders"]))
    connection.request(heartbeat_request(3))
    connection.response(heartbeat_response(3))


@PASSES
def test_from_the_start(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    made = Capture()
    for connection in connections(made):
        talk(connection.open())
    reading = read(tshark, made, scratch, [*passes, *KAFKA_PORTS])
    assert [header[1:] for header in reading.headers] == EXPECTED * len(PORTS)


@PASSES
def test_from_the_middle(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    made = Capture()
    for connection in connections(made):
        begin_in_the_middle(connection)
        talk(connection)
    reading = read(tshark, made, scratch, [*passes, *KAFKA_PORTS])
    assert [header[1:] for header in reading.headers] == EXPECTED * len(PORTS)


@PASSES
def test_responses_first(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """What is a response is never shown as a request; the first ones may stay unknown."""
    made = Capture()
    first_frames = []
    for connection in connections(made):
        begin_in_the_middle(connection)
        first_frames += connection.response(heartbeat_response(71))
        for correlation_id in (72, 73):
            connection.response(heartbeat_response(correlation_id))
        connection.response(metadata_response(74, ["orders"]))
        talk(connection)
    reading = read(tshark, made, scratch, [*passes, *KAFKA_PORTS])
    for first in first_frames:
        shown = [one for one in reading.headers if first <= one[0] < first + 8]
        assert [header[1:] for header in shown[-4:]] == EXPECTED
        assert {header[1] for header in shown[:-4]} <= {"response"}
    assert reading.malformed == []


@PASSES
def test_response_like_a_request(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """An OffsetCommit response with correlation id 0 is a Produce request too, to its last byte."""
    made = Capture()
    connection = Connection(made)
    begin_in_the_middle(connection)
    partition = int32(0) + int16(0)
    connection.response(response(0, array([string("orders") + array([partition])])))
    reading = read(tshark, made, scratch, passes)
    assert [header for header in reading.headers if header[1] == "request"] == []
