# SPDX-License-Identifier: GPL-2.0-or-later
"""Authentications as hand-made captures need them."""

import base64
import json

from common.handmade import Reading
from common.messages import array, compact, framed, int16, int64, request, response, string, uvarint
from common.pcap import Connection
from common.tshark import Item

HANDSHAKE, AUTHENTICATE = 17, 36
PASSWORD = "open-sesame"
PLAIN = b"\0alice\0" + PASSWORD.encode()


def handshake(
    connection: Connection, mechanism: str, version: int = 1, error: int = 0, correlation_id: int = 1
) -> None:
    connection.request(request(HANDSHAKE, version, correlation_id, string(mechanism)))
    connection.response(response(correlation_id, int16(error) + array([string("PLAIN"), string("SCRAM-SHA-256")])))


def authenticate_request(data: bytes, correlation_id: int = 2) -> bytes:
    """Version 2."""
    return request(AUTHENTICATE, 2, correlation_id, uvarint(len(data) + 1) + data + b"\0", tags=b"\0")


def authenticate_response(
    data: bytes = b"", error: int = 0, message: str | None = None, lifetime: int = 0, correlation_id: int = 2
) -> bytes:
    body = int16(error) + compact(message) + uvarint(len(data) + 1) + data + int64(lifetime) + b"\0"
    return response(correlation_id, body, tags=b"\0")


def authenticate(connection: Connection, data: bytes, answer: bytes = b"", correlation_id: int = 2, **how) -> None:
    connection.request(authenticate_request(data, correlation_id))
    connection.response(authenticate_response(answer, correlation_id=correlation_id, **how))


def tokens(connection: Connection, *messages: bytes) -> None:
    """Bare tokens, the client's first."""
    for number, message in enumerate(messages):
        (connection.response if number % 2 else connection.request)(framed(message))


def base64url(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def bearer(claims: dict, signature: bytes, *pairs: bytes) -> bytes:
    """A client's message of OAUTHBEARER."""
    token = b".".join([base64url(b'{"alg":"RS256"}'), base64url(json.dumps(claims).encode()), base64url(signature)])
    return b"\1".join([b"n,,", b"auth=Bearer " + token, *pairs, b"", b""])


def items(reading: Reading) -> list[Item]:
    """The fields with the bytes of tokens."""
    return [item for shown in reading.shown for item in shown.item.all("kafka.sasl_authentication")]


def below(item: Item) -> list[tuple[str, str]]:
    return [(child.name.removeprefix("kafka."), child.show) for child in item.children if child.name != "_ws.expert"]
