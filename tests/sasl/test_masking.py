# SPDX-License-Identifier: GPL-2.0-or-later
"""No output shows a password, nor what makes a token one, unless a preference says so.

Wireshark's own layers have the bytes of the packet (TCP's payload, the hex dump); what is tested is all that Kafka's
items show, as text and as hexadecimal digits.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from common.handmade import read
from common.manifest import capture
from common.messages import request, uvarint
from common.pcap import Capture, Connection
from common.tshark import Tshark

from sasl.exchanges import AUTHENTICATE, PASSWORD, PLAIN, authenticate, bearer, handshake, tokens

SIGNATURE = b"sign-that-is-secret"
ENCODED = "c2lnbi10aGF0LWlzLXNlY3JldA"
OPAQUE = "an-opaque-token"
SHOW = ("-o", "kafka.show_passwords:TRUE")

Output = Callable[[Tshark, Path, tuple[str, ...]], str]


def verbose(tshark: Tshark, path: Path, options: tuple[str, ...]) -> str:
    return tshark.read(path, [*options, "-V"]).text


def columns(tshark: Tshark, path: Path, options: tuple[str, ...]) -> str:
    return tshark.read(path, list(options)).text


def pdml(tshark: Tshark, path: Path, options: tuple[str, ...]) -> str:
    """Every attribute of Kafka's items: the value is the bytes of the packet that an item covers."""
    found = []
    for packet in tshark.pdml(path, list(options)):
        for proto in packet.named("kafka"):
            found += [f"{item.show} {item.showname} {item.value}" for item in proto.walk()]
    return "\n".join(found)


def _kafka(node: object) -> Iterator[object]:
    if isinstance(node, dict):
        for name, child in node.items():
            if name == "kafka":
                yield child
            else:
                yield from _kafka(child)
    elif isinstance(node, list):
        for child in node:
            yield from _kafka(child)


def as_json(tshark: Tshark, path: Path, options: tuple[str, ...]) -> str:
    document = json.loads(tshark.read(path, [*options, "-T", "json"]).text)
    return json.dumps(list(_kafka(document)), ensure_ascii=False)


def elastic(tshark: Tshark, path: Path, options: tuple[str, ...]) -> str:
    lines = tshark.read(path, [*options, "-T", "ek"]).text.splitlines()
    return json.dumps([list(_kafka(json.loads(line))) for line in lines], ensure_ascii=False)


def fields(tshark: Tshark, path: Path, options: tuple[str, ...]) -> str:
    names = [row.split("\t")[2] for row in tshark.run(["-G", "fields"]).text.splitlines() if row.startswith("F\t")]
    wanted = [name for name in names if name.startswith("kafka.") and "sasl" in name or "jwt" in name or "oauth" in name]
    assert {"kafka.sasl_password", "kafka.sasl_authentication"} <= set(wanted)
    wanted += ["kafka", "kafka.undecoded", "kafka.problem", "kafka.body", "kafka.tagged_field_data", "_ws.col.Info"]
    rows = tshark.fields(path, wanted, options)
    return "\n".join(" ".join(value) for row in rows for value in row.values())


def experts(tshark: Tshark, path: Path, options: tuple[str, ...]) -> str:
    return tshark.read(path, [*options, "-q", "-z", "expert"]).text


OUTPUTS: list[Output] = [verbose, columns, pdml, as_json, elastic, fields, experts]


def forms(secret: str) -> list[str]:
    raw = secret.encode()
    return [secret, raw.hex(), raw.hex(":")]


def made(scratch: Path) -> Path:
    """Passwords and tokens, right and broken, in messages that are right and broken."""
    file = Capture()
    ports = iter(range(50000, 51000))

    def connect(mechanism: str | None, version: int = 1) -> Connection:
        connection = Connection(file, client_port=next(ports)).open()
        if mechanism is not None:
            handshake(connection, mechanism, version)
        return connection

    secret = PASSWORD.encode()
    for message in (PLAIN, b"bob" + PLAIN, secret, b"\0" + secret, PLAIN + b"\0more", b"\0\0" + secret):
        authenticate(connect("PLAIN"), message)
        tokens(connect("PLAIN", 0), message)
    # Without a handshake, as in a capture that began late.
    authenticate(connect(None), PLAIN)
    authenticate(connect(None), bearer({"sub": "alice"}, SIGNATURE))
    authenticate(connect("OAUTHBEARER"), bearer({"sub": "alice"}, SIGNATURE, b"traceId=7"))
    authenticate(connect("OAUTHBEARER"), f"n,,\1auth=Bearer {OPAQUE}\1\1".encode())
    authenticate(connect("OAUTHBEARER"), f"n,,\1auth=Bearer {OPAQUE}".encode())
    authenticate(connect("OAUTHBEARER"), f"auth=Bearer {OPAQUE}".encode())
    # The key in another case, and twice; bytes that the mechanism does not have, and a mechanism that nobody knows.
    authenticate(connect("OAUTHBEARER"), f"n,,\1Auth=Bearer {OPAQUE}\1\1".encode())
    authenticate(connect("OAUTHBEARER"), f"n,,\1auth=Bearer x\1auth=Bearer {OPAQUE}\1\1".encode())
    authenticate(connect("SCRAM-SHA-256"), PLAIN)
    authenticate(connect("plain"), PLAIN)
    # Lengths that are wrong, bytes left over, an unknown version.
    connect("PLAIN").request(request(AUTHENTICATE, 2, 2, uvarint(120) + PLAIN + b"\0", tags=b"\0"))
    connect("PLAIN").request(request(AUTHENTICATE, 2, 2, uvarint(4) + PLAIN + b"\0", tags=b"\0"))
    connect("PLAIN").request(request(AUTHENTICATE, 2, 2, uvarint(1) + b"\0" + PLAIN, tags=b"\0"))
    connect("PLAIN").request(request(AUTHENTICATE, 9, 2, uvarint(1) + PLAIN, tags=b"\0"))
    return file.write(scratch / "made.pcap")


SECRETS = [*forms(PASSWORD), *forms(ENCODED), *forms(OPAQUE)]


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])
@pytest.mark.parametrize("output", OUTPUTS, ids=lambda output: output.__name__)
def test_nothing_shows_a_secret(tshark: Tshark, scratch: Path, output: Output, passes: tuple[str, ...]) -> None:
    text = output(tshark, made(scratch), passes)
    assert "Sasl" in text or "alice" in text or "SASL" in text  # something is shown
    assert [secret for secret in SECRETS if secret in text] == []


@pytest.mark.parametrize("output", [verbose, pdml, as_json, elastic, fields], ids=lambda output: output.__name__)
def test_the_preference_shows_them(tshark: Tshark, scratch: Path, output: Output) -> None:
    text = output(tshark, made(scratch), SHOW)
    assert PASSWORD in text
    assert OPAQUE in text
    assert any(form in text for form in forms(ENCODED)[1:]) or output is verbose


@pytest.mark.parametrize("output", [columns, experts], ids=lambda output: output.__name__)
def test_the_packet_list_never_shows_them(tshark: Tshark, scratch: Path, output: Output) -> None:
    text = output(tshark, made(scratch), SHOW)
    assert [secret for secret in SECRETS if secret in text] == []


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda output: output.__name__)
@pytest.mark.parametrize(
    "name, secret",
    [
        ("java-4.4-sasl-plain", "admin-secret"),
        ("java-4.4-sasl-failure", "wrong"),
        ("java-4.4-sasl-reauth", "alice-secret"),
        ("broker-0.10.2-sasl-v0-librdkafka", "alice-secret"),
        ("raw-4.4-sasl-mechs", "alice-secret"),
    ],
)
def test_real_captures(tshark: Tshark, output: Output, name: str, secret: str) -> None:
    known = capture(name)
    text = output(tshark, known.path, tuple(known.options))
    assert [form for form in forms(secret) if form in text] == []


def test_masked_bytes(tshark: Tshark, scratch: Path) -> None:
    """The value has as many bytes as were sent, the item ends before those that are masked."""
    file = Capture()
    connection = Connection(file).open()
    handshake(connection, "PLAIN")
    authenticate(connection, PLAIN)
    (masked,) = [i for s in read(tshark, file, scratch).shown for i in s.item.all("kafka.sasl_authentication") if i.show]
    assert masked.show == (b"\0alice\0" + b"*" * len(PASSWORD)).hex(":")
    assert masked.size == 1 + len(b"\0alice\0")
    shown = read(tshark, file, scratch, SHOW).shown
    (plain,) = [i for s in shown for i in s.item.all("kafka.sasl_authentication") if i.show]
    assert plain.show == PLAIN.hex(":")
    assert plain.size == 1 + len(PLAIN)
    assert [i.show for s in shown for i in s.item.all("kafka.sasl_password")] == [PASSWORD]
