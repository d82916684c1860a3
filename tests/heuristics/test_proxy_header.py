# SPDX-License-Identifier: GPL-2.0-or-later
"""A PROXY protocol header before the first message of a connection does not disturb."""

import ipaddress
import struct
from pathlib import Path

import pytest
from common.handmade import read, severe
from common.pcap import Capture, Connection
from common.tshark import Tshark
from encrypt import encrypted
from others import Talk, add
from test_any_port import KAFKA, KAFKA_HEADERS, headers

PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])
PORTS = pytest.mark.parametrize("port", [9092, 39077])
JOINED = pytest.mark.parametrize("joined", [False, True], ids=["alone", "with the request"])
LINE = b"PROXY TCP4 192.0.2.1 192.0.2.2 40001 9092\r\n"


def binary(family: int, addresses: bytes, rest: bytes = b"", command: int = 1) -> bytes:
    body = addresses + rest
    return b"\r\n\r\n\0\r\nQUIT\n" + struct.pack(">BBH", 0x20 | command, family, len(body)) + body


def pair(first: str, second: str, port: int) -> bytes:
    packed = ipaddress.ip_address(first).packed + ipaddress.ip_address(second).packed
    return packed + struct.pack(">HH", port, 9092)


# of different connections: from 4.4 on Wireshark goes by their addresses and ports
HEADERS = {
    "line": (LINE, LINE.decode().strip()),
    "line6": (b"PROXY TCP6 2001:db8::1 2001:db8::2 40001 9092\r\n", "PROXY TCP6 2001:db8::1 2001:db8::2 40001 9092"),
    "unknown": (b"PROXY UNKNOWN\r\n", "PROXY UNKNOWN"),
    "binary": (binary(0x11, pair("192.0.2.1", "192.0.2.2", 40002)), "PROXY TCP4 192.0.2.1 192.0.2.2 40002 9092"),
    "binary6": (
        binary(0x21, pair("2001:db8::1", "2001:db8::2", 40002), b"\x04\0\1\0"),
        "PROXY TCP6 2001:db8::1 2001:db8::2 40002 9092",
    ),
    "local": (binary(0, b"", command=0), "PROXY UNKNOWN"),
}


@PASSES
@JOINED
@PORTS
def test_before_the_first_request(
    tshark: Tshark, scratch: Path, port: int, joined: bool, passes: tuple[str, ...]
) -> None:
    made = Capture()
    frames = []
    for number, (header, _) in enumerate(HEADERS.values()):
        talk: Talk = [(True, header + KAFKA[0][1]), *KAFKA[1:]] if joined else [(True, header), *KAFKA]
        frames.append(add(Connection(made, client_port=50000 + number, server_port=port).open(), talk))
    reading = read(tshark, made, scratch, passes)
    assert headers(reading) == KAFKA_HEADERS * len(HEADERS)
    assert [shown.frame for shown in reading.shown] == [n for one in frames for n in one[0 if joined else 1 :]]
    assert reading.malformed == []
    assert severe(reading.kafka_experts) == []
    if joined or port == 9092:
        texts = [shown.value("kafka.proxy_header") for shown in reading.items]
        assert [text for text in texts if text is not None] == [text for _, text in HEADERS.values()]


@PASSES
@PORTS
def test_after_another_one(tshark: Tshark, scratch: Path, port: int, passes: tuple[str, ...]) -> None:
    """Wireshark's own heuristic for the header stands in front once it found one."""
    made = Capture()
    add(Connection(made, client_port=50001, server_port=39078).open(), [(True, LINE)])
    add(Connection(made, server_port=port).open(), [(True, LINE + KAFKA[0][1]), *KAFKA[1:]])
    reading = read(tshark, made, scratch, passes)
    assert headers(reading) == KAFKA_HEADERS


@PASSES
@JOINED
def test_before_tls(tshark: Tshark, scratch: Path, joined: bool, passes: tuple[str, ...]) -> None:
    key_log = scratch / "keys"
    talk = encrypted(KAFKA, key_log)
    talk = [(True, LINE + talk[0][1]), *talk[1:]] if joined else [(True, LINE), *talk]
    made = Capture()
    frames = add(Connection(made).open(), talk)
    reading = read(tshark, made, scratch, [*passes, "-o", f"tls.keylog_file:{key_log}"])
    assert headers(reading) == KAFKA_HEADERS
    assert all("tls" in reading.protocols(frame) for frame in frames[0 if joined else 1 :])
