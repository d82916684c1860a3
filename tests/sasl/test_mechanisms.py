# SPDX-License-Identifier: GPL-2.0-or-later
"""The messages of each mechanism, as they should be and as they should not."""

from pathlib import Path

import pytest
from common import expert_names as names
from common.handmade import read, severe
from common.pcap import Capture, Connection
from common.tshark import Tshark

from sasl.exchanges import authenticate, bearer, below, handshake, items, tokens

SCRAM = ("sasl_mechanism", "SCRAM-SHA-256")
OAUTH = ("sasl_mechanism", "OAUTHBEARER")
MASKED = ("sasl_password", "********")


def exchange(mechanism: str, message: bytes, answer: bytes = b"") -> Capture:
    capture = Capture()
    connection = Connection(capture).open()
    handshake(connection, mechanism)
    authenticate(connection, message, answer)
    return capture


PLAIN_OK = [
    (b"\0alice\0secret", ["", "alice"]),
    (b"bob\0alice\0secret", ["bob", "alice"]),
    ("\0älice\0sëcret".encode(), ["", "älice"]),
]


@pytest.mark.parametrize("message, names_shown", PLAIN_OK)
def test_plain(tshark: Tshark, scratch: Path, message: bytes, names_shown: list[str]) -> None:
    found = read(tshark, exchange("PLAIN", message), scratch)
    request, response = items(found)
    assert below(request) == [
        ("sasl_mechanism", "PLAIN"),
        ("sasl_authorization_id", names_shown[0]),
        ("sasl_user", names_shown[1]),
        MASKED,
    ]
    assert below(response) == [("sasl_mechanism", "PLAIN")]
    assert severe(found.kafka_experts) == []


SCRAM_OK = [
    (b"n,,n=alice,r=abc", [("sasl_gs2_header", "n,,"), ("sasl_user", "alice"), ("scram_nonce", "abc")]),
    (
        b"n,a=bob,n=al=2Cic=3De,r=a+b/c,tokenauth=true",
        [
            ("sasl_gs2_header", "n,a=bob,"),
            ("sasl_authorization_id", "bob"),
            ("sasl_user", "al,ic=e"),
            ("scram_nonce", "a+b/c"),
            ("scram_extension", "tokenauth=true"),
        ],
    ),
    (
        b"c=biws,r=abcdef,p=cHJvb2Y=",
        [("scram_channel_binding", "biws"), ("scram_nonce", "abcdef"), ("scram_client_proof", "cHJvb2Y=")],
    ),
]


@pytest.mark.parametrize("message, shown", SCRAM_OK)
def test_scram_of_the_client(tshark: Tshark, scratch: Path, message: bytes, shown: list[tuple[str, str]]) -> None:
    found = read(tshark, exchange("SCRAM-SHA-256", message), scratch)
    assert items(found)[0].show == message.hex(":")
    assert below(items(found)[0]) == [SCRAM, *shown]
    assert severe(found.kafka_experts) == []


@pytest.mark.parametrize(
    "message, shown",
    [
        (
            b"r=abcdef,s=c2FsdA==,i=4096",
            [("scram_nonce", "abcdef"), ("scram_salt", "c2FsdA=="), ("scram_iterations", "4096")],
        ),
        (b"v=c2lnbmF0dXJl", [("scram_server_signature", "c2lnbmF0dXJl")]),
    ],
)
def test_scram_of_the_broker(tshark: Tshark, scratch: Path, message: bytes, shown: list[tuple[str, str]]) -> None:
    found = read(tshark, exchange("SCRAM-SHA-256", b"n,,n=alice,r=abc", message), scratch)
    assert below(items(found)[1]) == [SCRAM, *shown]
    assert severe(found.kafka_experts) == []


def test_scram_error(tshark: Tshark, scratch: Path) -> None:
    found = read(tshark, exchange("SCRAM-SHA-256", b"c=biws,r=abc,p=cA==", b"e=other-error"), scratch)
    assert below(items(found)[1]) == [SCRAM, ("scram_error", "other-error")]
    (expert,) = severe(found.kafka_experts)
    assert (expert.name, expert.severity, expert.message) == (
        names.SASL_FAILED,
        "warning",
        "The broker says: other-error",
    )


def test_oauthbearer(tshark: Tshark, scratch: Path) -> None:
    message = bearer({"sub": "alice"}, b"signature", b"traceId=7", b"host=broker")
    found = read(tshark, exchange("OAUTHBEARER", message), scratch)
    assert below(items(found)[0]) == [
        OAUTH,
        ("sasl_gs2_header", "n,,"),
        ("jwt_header", '{"alg":"RS256"}'),
        ("jwt_claims", '{"sub": "alice"}'),
        ("oauthbearer_extension", "traceId=7"),
        ("oauthbearer_extension", "host=broker"),
    ]
    assert severe(found.kafka_experts) == []


def test_oauthbearer_with_an_opaque_token(tshark: Tshark, scratch: Path) -> None:
    found = read(tshark, exchange("OAUTHBEARER", b"n,,\1auth=Bearer 0123456789\1\1"), scratch)
    assert below(items(found)[0]) == [OAUTH, ("sasl_gs2_header", "n,,"), ("oauthbearer_token", "********")]
    assert severe(found.kafka_experts) == []


def test_oauthbearer_error(tshark: Tshark, scratch: Path) -> None:
    """The client takes note of it with a byte of its own (RFC 7628)."""
    error = b'{"status":"invalid_token"}'
    capture = exchange("OAUTHBEARER", bearer({}, b""), error)
    connection = Connection(capture, client_port=50001).open()
    handshake(connection, "OAUTHBEARER")
    authenticate(connection, b"\1")
    found = read(tshark, capture, scratch)
    assert below(items(found)[1]) == [OAUTH, ("oauthbearer_error", error.decode())]
    assert below(items(found)[2]) == [OAUTH]
    assert [(expert.name, expert.message) for expert in severe(found.kafka_experts)] == [
        (names.SASL_FAILED, f"The broker says: {error.decode()}")
    ]


@pytest.mark.parametrize(
    "mechanism, message, text",
    [
        ("PLAIN", b"alice", "A message of PLAIN has an authorization id, a user and a password, with NUL between"),
        ("PLAIN", b"\0\0\0", "A message of PLAIN has an authorization id, a user and a password, with NUL between"),
        ("SCRAM-SHA-256", b"n,,alice", "The bytes are no message of SCRAM"),
        ("SCRAM-SHA-256", b"\xff\xfe", "The bytes are no message of SCRAM"),
        ("SCRAM-SHA-256", b"c=biws,", "The bytes are no message of SCRAM"),
        ("SCRAM-SHA-256", b"r=x,s=y,i=many", "The number of iterations is no number"),
        ("SCRAM-SHA-256", b"r=x,s=y,i=99999999999", "The number of iterations is no number"),
        ("OAUTHBEARER", b"{}", "A message of OAUTHBEARER begins with a GS2 header"),
        ("OAUTHBEARER", b"n,,\1auth=Bearer x", "A message of OAUTHBEARER has pairs of keys and values, with 0x01 between"),
        ("OAUTHBEARER", b"n,,\1auth=Bearer !.e30.\1\1", "A part of the JSON Web Token is not in base64"),
    ],
)
def test_malformed(tshark: Tshark, scratch: Path, mechanism: str, message: bytes, text: str) -> None:
    found = read(tshark, exchange(mechanism, message), scratch)
    assert [(expert.name, expert.message) for expert in severe(found.kafka_experts)] == [(names.SASL_MALFORMED, text)]
    assert found.malformed == []
    assert len(found.shown) == 4


def test_text_that_is_none(tshark: Tshark, scratch: Path) -> None:
    """A user's name is the client's to choose; PDML takes a line feed in an attribute for a blank."""
    found = read(tshark, exchange("PLAIN", b"\0al\xffi\nce\0secret"), scratch)
    assert ("sasl_user", "al\ufffdi ce") in below(items(found)[0])
    assert {expert.name for expert in found.kafka_experts} == {names.BAD_UTF8}
    infos = [info for _, _, info in tshark.columns(found.path, ["-Y", "kafka.sasl_user"])]
    assert infos == ["SaslAuthenticate v2 Request, PLAIN, user \"al\ufffdi\\x0ace\""]


def test_long_names_are_cut_in_info(tshark: Tshark, scratch: Path) -> None:
    found = read(tshark, exchange("PLAIN", b"\0" + "ä".encode() * 100 + b"\0secret"), scratch)
    (info,) = [info for _, _, info in tshark.columns(found.path, ["-Y", "kafka.sasl_user"])]
    assert info == f"SaslAuthenticate v2 Request, PLAIN, user {'ä' * 30}…"
    assert ("sasl_user", "ä" * 100) in below(items(found)[0])


def test_other_mechanisms_stay_bytes(tshark: Tshark, scratch: Path) -> None:
    found = read(tshark, exchange("AWS_MSK_IAM", b'{"version":"2020_10_22"}', b"{}"), scratch)
    assert [below(item) for item in items(found)] == [[("sasl_mechanism", "AWS_MSK_IAM")]] * 2
    # Nobody knows what of it is secret.
    assert [item.show for item in items(found)] == [(b"*" * 24).hex(":"), b"{}".hex(":")]
    shown = read(tshark, exchange("AWS_MSK_IAM", b'{"version":"2020_10_22"}'), scratch, ["-o", "kafka.show_passwords:TRUE"])
    assert items(shown)[0].show == b'{"version":"2020_10_22"}'.hex(":")
    assert found.kafka_experts == []


def test_bare_tokens(tshark: Tshark, scratch: Path) -> None:
    """After SaslHandshake version 0, until requests begin again."""
    capture = Capture()
    connection = Connection(capture).open()
    handshake(connection, "SCRAM-SHA-256", version=0)
    tokens(connection, b"n,,n=alice,r=x", b"r=xy,s=cw==,i=4096", b"c=biws,r=xy,p=cA==", b"v=dg==")
    handshake(connection, "PLAIN", version=0, correlation_id=5)
    tokens(connection, b"\0bob\0secret", b"")
    found = read(tshark, capture, scratch)
    assert [below(item)[0][1] for item in items(found)] == ["SCRAM-SHA-256"] * 4 + ["PLAIN"] * 2
    assert [below(item)[-1] for item in items(found)] == [
        ("scram_nonce", "x"),
        ("scram_iterations", "4096"),
        ("scram_client_proof", "cA=="),
        ("scram_server_signature", "dg=="),
        MASKED,
        ("sasl_mechanism", "PLAIN"),
    ]
    infos = [info for _, _, info in tshark.columns(found.path, ["-Y", "kafka.sasl_authentication"])]
    assert infos == [
        "SASL token, SCRAM-SHA-256, user alice",
        *["SASL token, SCRAM-SHA-256"] * 3,
        "SASL token, PLAIN, user bob",
        "SASL token, PLAIN",
    ]


def test_capture_without_handshake(tshark: Tshark, scratch: Path) -> None:
    """What a client sends tells the mechanism where the capture begins behind the handshake."""
    capture = Capture()
    for number, message in enumerate([b"\0alice\0secret", b"n,,n=alice,r=x", bearer({}, b"s"), b"unknown"]):
        authenticate(Connection(capture, client_port=50000 + number).open(), message, b"r=x,s=cw==,i=1")
    found = read(tshark, capture, scratch)
    shown = [below(item) for item in items(found)]
    assert shown[0] == [("sasl_authorization_id", ""), ("sasl_user", "alice"), MASKED]
    assert shown[2][1] == ("sasl_user", "alice")
    assert shown[3][-1] == ("scram_iterations", "1")
    assert shown[4][-1] == ("jwt_claims", "{}")
    assert shown[6] == shown[7] == []


@pytest.mark.parametrize("passes", [(), ("-2",)])
def test_what_comes_later_changes_nothing(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    capture = Capture()
    connection = Connection(capture).open()
    authenticate(connection, b"what is this")
    authenticate(connection, b"\0alice\0secret", correlation_id=3)
    handshake(connection, "SCRAM-SHA-256", correlation_id=4)
    authenticate(connection, b"n,,n=bob,r=x", b"r=xy,s=cw==,i=4096", correlation_id=5)
    found = read(tshark, capture, scratch, passes)
    users = [[value for name, value in below(item) if name == "sasl_user"] for item in items(found)]
    assert users == [[], [], ["alice"], [], ["bob"], []]
    assert items(found)[0].show == b"what is this".hex(":")
