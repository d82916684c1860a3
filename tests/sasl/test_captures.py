# SPDX-License-Identifier: GPL-2.0-or-later
"""Real authentications: every token of each capture with all that is shown of it."""

import re
from collections.abc import Iterator

import pytest
from common.manifest import capture
from common.shown import by_frame
from common.tshark import Item, Tshark

from sasl.exchanges import below

# frame: what stands below the token; "…" for what chance made in the client or the broker
PLAIN = [("sasl_mechanism", "PLAIN"), ("sasl_authorization_id", ""), ("sasl_user", "alice"), ("sasl_password", "********")]
PLAIN_ANSWER = [("sasl_mechanism", "PLAIN")]
SCRAM_512 = ("sasl_mechanism", "SCRAM-SHA-512")
BOB = [SCRAM_512, ("sasl_gs2_header", "n,,"), ("sasl_user", "bob"), ("scram_nonce", "…")]
SALT = [SCRAM_512, ("scram_nonce", "…"), ("scram_salt", "…"), ("scram_iterations", "4096")]
PROOF = [SCRAM_512, ("scram_channel_binding", "biws"), ("scram_nonce", "…"), ("scram_client_proof", "…")]
SIGNATURE = [SCRAM_512, ("scram_server_signature", "…")]
OAUTH = ("sasl_mechanism", "OAUTHBEARER")
BEARER = [
    OAUTH,
    ("sasl_gs2_header", "n,,"),
    ("jwt_header", '{"alg":"none"}'),
    ("jwt_claims", "…"),
    ("oauthbearer_extension", "traceId=7f"),
]
REFUSED = [OAUTH, ("oauthbearer_error", '{"status":"invalid_token"}')]

TOKENS: dict[str, dict[int, list[tuple[str, str]]]] = {
    "java-4.4-sasl-reauth": {11: PLAIN, 12: PLAIN_ANSWER, 30: PLAIN, 31: PLAIN_ANSWER, 50: PLAIN, 51: PLAIN_ANSWER},
    "java-4.4-sasl-scram512": {
        11: BOB,
        12: SALT,
        14: PROOF,
        15: SIGNATURE,
        31: BOB,
        32: SALT,
        34: PROOF,
        35: SIGNATURE,
        58: [SCRAM_512, ("sasl_gs2_header", "n,,"), ("sasl_user", "nobody,="), ("scram_nonce", "…")],
        60: [SCRAM_512],
    },
    "java-4.4-sasl-oauth-failure": {
        11: BEARER,
        12: [OAUTH],
        28: BEARER,
        29: [OAUTH],
        50: BEARER,
        51: REFUSED,
        53: [OAUTH],
        55: [OAUTH],
    },
    "broker-0.10.2-sasl-v0-librdkafka": {
        12: PLAIN,
        13: PLAIN_ANSWER,
        38: PLAIN,
        39: PLAIN_ANSWER,
        88: PLAIN,
    },
}


def tokens(tshark: Tshark, name: str, *options: str) -> Iterator[tuple[int, Item]]:
    known = capture(name)
    for frame, pdus in by_frame(tshark.kafka(known.path, [*known.options, *options])).items():
        for pdu in pdus:
            for item in pdu.item.all("kafka.sasl_authentication"):
                yield frame, item


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])
@pytest.mark.parametrize("name", TOKENS)
def test_tokens(tshark: Tshark, name: str, passes: tuple[str, ...]) -> None:
    shown = {}
    for frame, item in tokens(tshark, name, *passes):
        wanted = dict(TOKENS[name].get(frame, []))
        assert all(value for name, value in below(item) if wanted.get(name) == "…")
        shown[frame] = [(name, "…" if wanted.get(name) == "…" else value) for name, value in below(item)]
    assert shown == TOKENS[name]


def test_claims(tshark: Tshark) -> None:
    claims = [value for _, item in tokens(tshark, "java-4.4-sasl-oauth-failure") for value in item.shows("kafka.jwt_claims")]
    assert len(claims) == 3
    for text in claims:
        assert re.fullmatch(r'\{"sub":"alice","iat":\d{10},"exp":\d{10},"scope":\["topics"\]\}', text)


def test_sessions_of_the_reauthentication(tshark: Tshark) -> None:
    known = capture("java-4.4-sasl-reauth")
    names = ["frame.number", "kafka.sasl_previous_authentication", "kafka.session_lifetime_ms"]
    rows = tshark.fields(known.path, names, [*known.options, "-Y", "kafka.session_lifetime_ms or kafka.sasl_reauthentication"])
    assert [tuple("".join(row[name]) for name in names) for row in rows] == [
        ("12", "", "2500"),
        ("31", "", "2500"),
        ("47", "31", ""),
        ("51", "", "2500"),
    ]


GSSAPI = {"java-4.4-sasl-gssapi": [11, 13, 15, 32, 33, 34], "broker-0.9-sasl-gssapi": [4, 6, 8, 17, 19, 21]}


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])
@pytest.mark.parametrize("name", GSSAPI)
def test_gssapi_is_handed_on(tshark: Tshark, name: str, passes: tuple[str, ...]) -> None:
    """Wireshark's own dissectors show Kerberos; the columns stay Kafka's."""
    known = capture(name)
    shown = {}
    for packet in tshark.pdml(known.path, [*known.options, *passes, "-Y", "kafka.sasl_authentication"]):
        for proto in packet.named("kafka"):
            for item in proto.all("kafka.sasl_authentication"):
                assert item.shows("kafka.sasl_mechanism") == ["GSSAPI"]
                if item.show:
                    shown[packet.number] = [child.name for child in item.children]
    assert list(shown) == GSSAPI[name]
    assert all("gss-api" in children for children in shown.values())
    rows = tshark.columns(known.path, [*known.options, *passes, "-Y", "kafka.sasl_authentication"])
    assert {protocol for _, protocol, _ in rows} == {"Kafka"}
    assert all(re.fullmatch(r"(SASL token|SaslAuthenticate v2 (Request|Response)), GSSAPI", info) for _, _, info in rows)


@pytest.mark.parametrize("name", GSSAPI)
def test_filters_on_what_is_handed_on(tshark: Tshark, name: str) -> None:
    """They name no field of ours."""
    known = capture(name)
    wanted = 'kerberos.realm == "EXAMPLE.COM"'
    for passes in ((), ("-2",)):
        rows = tshark.fields(known.path, ["frame.number"], [*known.options, *passes, "-Y", wanted])
        assert [int(row["frame.number"][0]) for row in rows] == [GSSAPI[name][0], GSSAPI[name][3]]


def test_requests_follow_bare_tokens_of_gssapi(tshark: Tshark) -> None:
    """A client of Kafka 0.9 begins with a token, without a handshake."""
    known = capture("broker-0.9-sasl-gssapi")
    infos = [info for _, _, info in tshark.columns(known.path, [*known.options, "-Y", "kafka"])]
    assert infos == [
        *["SASL token, GSSAPI"] * 3,
        "Metadata v0 Request, mini",
        "Metadata v0 Response, 1 Broker, mini [0]",
        *["SASL token, GSSAPI"] * 3,
        "Produce v1 Request, mini [0 (1 record, 34 bytes)]",
        "Produce v1 Response, mini [0]",
    ]
