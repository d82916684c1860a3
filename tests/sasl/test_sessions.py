# SPDX-License-Identifier: GPL-2.0-or-later
"""Failures, how long a session lasts, and authenticating again on the same connection (KIP-368)."""

from pathlib import Path

import pytest
from common import expert_names as names
from common.handmade import Reading, read, severe
from common.messages import heartbeat_request, heartbeat_response
from common.pcap import Capture, Connection
from common.tshark import Item, Tshark

from sasl.exchanges import PLAIN, authenticate, handshake

FAILED, UNSUPPORTED = 58, 33


def all_of(found: Reading, name: str) -> list[Item]:
    return [item for shown in found.shown for item in shown.item.all(name)]


def notes(found: Reading) -> list[tuple[int, str]]:
    return [(expert.frame, expert.message) for expert in found.experts if expert.name == names.SASL_REAUTHENTICATION]


def test_failure(tshark: Tshark, scratch: Path) -> None:
    capture = Capture()
    connection = Connection(capture).open()
    handshake(connection, "PLAIN")
    authenticate(connection, PLAIN, error=FAILED, message="Invalid username or password")
    found = read(tshark, capture, scratch)
    (failure,) = [expert for expert in found.kafka_experts if expert.name == names.SASL_FAILED]
    assert (failure.severity, failure.message) == ("warning", "The broker says: Invalid username or password")
    (message,) = [item for item in all_of(found, "kafka.error_message") if item.show]
    assert (failure.pos, failure.size) == (message.pos, message.size)
    assert tshark.columns(found.path, ["-Y", "kafka"])[-1][2] == (
        "SaslAuthenticate v2 Response, PLAIN, SASL_AUTHENTICATION_FAILED"
    )
    # Whoever only wants to know what went wrong is told as well.
    report = tshark.read(found.path, ["-q", "-z", "expert"]).text
    assert "The broker says: Invalid username or password" in report


def test_mechanism_that_the_broker_has_not(tshark: Tshark, scratch: Path) -> None:
    capture = Capture()
    connection = Connection(capture).open()
    handshake(connection, "GSSAPI", error=UNSUPPORTED)
    found = read(tshark, capture, scratch)
    assert [expert.name for expert in severe(found.kafka_experts)] == [names.ERROR_FINAL]
    assert [item.show for item in all_of(found, "kafka.sasl_mechanism")] == ["GSSAPI", "PLAIN", "SCRAM-SHA-256"]


@pytest.mark.parametrize(
    "lifetime, text, end",
    [
        (3_600_000, "3600000ms (1 hour)", "2023-11-14T23:13:20.007000000Z"),
        (2500, "2500ms (2.500000000 seconds)", "2023-11-14T22:13:22.507000000Z"),
        (0, "0ms (no end)", None),
    ],
)
def test_session_lifetime(tshark: Tshark, scratch: Path, lifetime: int, text: str, end: str | None) -> None:
    """The session ends so long after the packet in which the broker says so."""
    capture = Capture()
    connection = Connection(capture).open()
    handshake(connection, "PLAIN")
    authenticate(connection, PLAIN, lifetime=lifetime)
    found = read(tshark, capture, scratch)
    (item,) = all_of(found, "kafka.session_lifetime_ms")
    assert item.show == str(lifetime)
    assert item.showname.endswith(text)
    ends = [_iso(child.show) for child in item.children if child.name == "kafka.session_end"]
    assert ends == ([] if end is None else [end])


def _iso(text: str) -> str:
    """Wireshark before 4.6 writes a date in words."""
    return text.replace("Nov 14, 2023 ", "2023-11-14T").replace(" UTC", "Z")


@pytest.mark.parametrize("lifetime", [-1, (1 << 63) - 1])
def test_lifetimes_that_cannot_be(tshark: Tshark, scratch: Path, lifetime: int) -> None:
    capture = Capture()
    connection = Connection(capture).open()
    handshake(connection, "PLAIN")
    authenticate(connection, PLAIN, lifetime=lifetime)
    found = read(tshark, capture, scratch)
    assert [item.show for item in all_of(found, "kafka.session_lifetime_ms")] == [str(lifetime)]
    assert found.malformed == []


@pytest.mark.parametrize("passes", [(), ("-2",)])
def test_reauthentication(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    capture = Capture()
    connection = Connection(capture).open()
    handshake(connection, "PLAIN")
    authenticate(connection, PLAIN, lifetime=2500)
    connection.request(heartbeat_request(3))
    connection.response(heartbeat_response(3))
    handshake(connection, "PLAIN", correlation_id=4)
    authenticate(connection, PLAIN, correlation_id=5, error=FAILED, message="Expired")
    # What the broker refused does not count.
    handshake(connection, "SCRAM-SHA-256", correlation_id=6)
    authenticate(connection, b"n,,n=alice,r=x", b"r=xy,s=cw==,i=4096", correlation_id=7)
    authenticate(connection, b"c=biws,r=xy,p=cA==", b"v=dg==", correlation_id=8)
    handshake(connection, "SCRAM-SHA-256", correlation_id=9)
    found = read(tshark, capture, scratch, passes)
    text = "Re-authentication: the broker accepted this connection in frame {} before"
    assert notes(found) == [(10, text.format(7)), (14, text.format(7)), (20, text.format(19))]
    assert [item.show for item in all_of(found, "kafka.sasl_previous_authentication")] == ["7", "7", "19"]
    mechanisms = [item.show for item in all_of(found, "kafka.sasl_mechanism")]
    assert mechanisms.count("SCRAM-SHA-256") == 2 + 4 + 4  # handshakes, tokens, what the broker offers


def test_connections_do_not_share(tshark: Tshark, scratch: Path) -> None:
    capture = Capture()
    for port in (50000, 50001):
        connection = Connection(capture, client_port=port).open()
        handshake(connection, "PLAIN")
        authenticate(connection, PLAIN)
    assert notes(read(tshark, capture, scratch)) == []
