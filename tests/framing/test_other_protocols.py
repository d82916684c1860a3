# SPDX-License-Identifier: GPL-2.0-or-later
"""What is no Kafka on a Kafka port goes to Wireshark's own dissectors; inside of a Kafka connection it is named."""

from pathlib import Path

import pytest
from common.expert_names import OTHER_PROTOCOL
from common.handmade import read
from common.messages import heartbeat_request, heartbeat_response
from common.pcap import Capture, Connection
from common.tshark import Tshark

HTTP_REQUEST = b"GET /metrics HTTP/1.1\r\nHost: broker:9092\r\nAccept: */*\r\n\r\n"
HTTP_RESPONSE = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
# a TLS 1.2 ClientHello with one cipher suite and no extensions, and an alert
CLIENT_HELLO = bytes.fromhex("160301002d010000290303" + "ab" * 32 + "00" + "0002c02f" + "0100")
TLS_ALERT = bytes.fromhex("15030300020228")
PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])


@PASSES
def test_http_on_the_port(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    capture = Capture()
    connection = Connection(capture).open()
    (request,) = connection.request(HTTP_REQUEST)
    (answer,) = connection.response(HTTP_RESPONSE)
    reading = read(tshark, capture, scratch, passes)
    assert reading.shown == []
    assert "http" in reading.protocols(request)
    assert "http" in reading.protocols(answer)
    assert reading.malformed == []


@PASSES
def test_tls_on_the_port(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    capture = Capture()
    connection = Connection(capture).open()
    (hello,) = connection.request(CLIENT_HELLO)
    (alert,) = connection.response(TLS_ALERT)
    reading = read(tshark, capture, scratch, passes)
    assert reading.shown == []
    assert "tls" in reading.protocols(hello)
    assert "tls" in reading.protocols(alert)
    assert reading.malformed == []


@PASSES
@pytest.mark.parametrize(
    "foreign",
    [
        HTTP_REQUEST,
        b"PUT /x HTTP/1.1\r\n\r\n",
        b"PROXY TCP4 10.0.0.1 10.0.0.2 50000 9092\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n",
    ],
    ids=["GET", "PUT", "PROXY", "SSH"],
)
def test_named_inside_of_a_kafka_connection(
    tshark: Tshark, scratch: Path, foreign: bytes, passes: tuple[str, ...]
) -> None:
    capture = Capture()
    connection = Connection(capture).open()
    connection.request(heartbeat_request(1))
    connection.response(heartbeat_response(1))
    (frame,) = connection.request(foreign)
    reading = read(tshark, capture, scratch, passes)
    assert [s.correlation_id for s in reading.shown if s.frame != frame] == [1, 1]
    named = [e for e in reading.experts if e.frame == frame and e.name == OTHER_PROTOCOL]
    assert len(named) == 1
    word = {b"GET": "HTTP", b"PUT": "HTTP", b"PRO": "PROXY", b"SSH": "SSH"}[foreign[:3]]
    assert word in named[0].message
    assert reading.malformed == []


@PASSES
def test_http_answer_inside_of_a_kafka_connection(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """A load balancer answers a Kafka request in HTTP."""
    capture = Capture()
    connection = Connection(capture).open()
    connection.request(heartbeat_request(1))
    (frame,) = connection.response(HTTP_RESPONSE)
    reading = read(tshark, capture, scratch, passes)
    named = [e for e in reading.experts if e.frame == frame and e.name == OTHER_PROTOCOL]
    assert len(named) == 1 and "HTTP" in named[0].message


@PASSES
def test_client_port_9092_to_another_service(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """The client happens to use port 9092 towards port 80: that is HTTP."""
    capture = Capture()
    connection = Connection(capture, client_port=9092, server_port=80).open()
    (request,) = connection.request(HTTP_REQUEST)
    (answer,) = connection.response(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
    reading = read(tshark, capture, scratch, passes)
    assert reading.shown == []
    assert "http" in reading.protocols(request)
    assert "http" in reading.protocols(answer)
    assert reading.malformed == []


@PASSES
def test_client_port_9092_to_tls(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    capture = Capture()
    connection = Connection(capture, client_port=9092, server_port=443).open()
    (hello,) = connection.request(CLIENT_HELLO)
    (alert,) = connection.response(TLS_ALERT)
    reading = read(tshark, capture, scratch, passes)
    assert reading.shown == []
    assert "tls" in reading.protocols(hello) and "tls" in reading.protocols(alert)


@PASSES
def test_client_port_9092_to_kafka_elsewhere(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """The client's port is 9092 and the broker's is not: who asks is told from the bytes, not from the port."""
    capture = Capture()
    connection = Connection(capture, client_port=9092, server_port=39092).open()
    (request,) = connection.request(heartbeat_request(1))
    (answer,) = connection.response(heartbeat_response(1))
    reading = read(tshark, capture, scratch, passes)
    assert reading.headers == [(request, "request", 12, 1), (answer, "response", 12, 1)]
    assert reading.shown[1].number("kafka.request_frame") == request
