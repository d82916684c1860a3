# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark's trees, with strings as they are: its PDML is not XML to the letter."""

import re
from pathlib import Path

from common.tshark import Item, Tshark, parse_pdml

from conformance.values import STAND_INS


def _as_xml(document: bytes) -> bytes:
    """Wireshark writes white space into attributes as it is, where XML takes it for blanks, and characters that XML
    has not."""

    def protect(match: re.Match[bytes]) -> bytes:
        return match.group().replace(b"\t", b"&#9;").replace(b"\n", b"&#10;").replace(b"\r", b"&#13;")

    document = re.sub(rb'"[^"]*"', protect, document)
    for character, stand_in in STAND_INS.items():
        document = document.replace(character.encode(), stand_in.encode())
    return document


def kafka_items(tshark: Tshark, capture: Path) -> list[tuple[int, Item]]:
    """The protocol items of Kafka with the number of their packet, after two passes."""
    document = tshark.read(capture, ["-2", "-T", "pdml", "-Y", "kafka", "-J", "kafka"]).stdout
    return [
        (packet.number, proto)
        for packet in parse_pdml(_as_xml(document))
        for proto in packet.protos
        if proto.name == "kafka"
    ]
