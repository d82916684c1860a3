# SPDX-License-Identifier: GPL-2.0-or-later
"""Names in Info and in the texts of the tree: what is a name's own and what is the line's cannot be mistaken."""

from pathlib import Path

import pytest
from common.handmade import read
from common.messages import int16, int32, metadata_request, request, response, string
from common.pcap import Capture, Connection
from common.tshark import Tshark


E_ACUTE = "\u00e9"


def info_of(tshark: Tshark, scratch: Path, message: bytes) -> str:
    made = Capture()
    Connection(made).open().request(message)
    ((_, _, info),) = tshark.columns(read(tshark, made, scratch).path, ["-Y", "kafka"])
    return info


@pytest.mark.parametrize(
    "name, shown",
    [
        ("orders-1.eu_west", "orders-1.eu_west"),
        ("caf\u00e9", "caf\u00e9"),
        ("a b", '"a b"'),
        ("a, b [0]", '"a, b [0]"'),
        ("a|b", '"a|b"'),
        ('say "x"', '"say \\"x\\""'),
        ("back\\slash", "back\\slash"),
        ("back\\ slash", '"back\\\\ slash"'),
        ("tab\tnewline\n", '"tab\\x09newline\\x0a"'),
        ("\x1b[31m", '"\\x1b[31m"'),
        ("a\0b", "a…"),
        ("no\u00a0break", '"no\u00a0break"'),
        ("right\u202eleft", '"right\\u202eleft"'),
        ("x" * 61, "x" * 60 + "…"),
        ("x " * 31, '"' + "x " * 30 + '…"'),
    ],
)
def test_topics_in_info(tshark: Tshark, scratch: Path, name: str, shown: str) -> None:
    info = info_of(tshark, scratch, metadata_request(1, [name, "next"]))
    assert info == f"Metadata v1 Request, {shown}, next"


def test_other_names_in_info(tshark: Tshark, scratch: Path) -> None:
    body = string("group, member x") + int32(1) + string("m m")
    info = info_of(tshark, scratch, request(12, 0, 1, body))
    assert info == 'Heartbeat v0 Request, group "group, member x", generation 1, member "m m"'


def test_long_line_stays_whole(tshark: Tshark, scratch: Path) -> None:
    """What does not fit in quotation marks is left out as a whole."""
    info = info_of(tshark, scratch, metadata_request(1, ["\n" * 40] * 9))
    assert info == "Metadata v1 Request, …"


def test_arrays_in_the_tree(tshark: Tshark, scratch: Path) -> None:
    made = Capture()
    connection = Connection(made).open()
    connection.request(request(17, 1, 1, string("PLAIN")))
    mechanisms = [string(name) for name in ("PLAIN", "GSSAPI")]
    connection.response(response(1, int16(0) + int32(2) + b"".join(mechanisms)))
    connection.request(metadata_request(2, ["a", "\u00e9" * 31]))
    text = tshark.read(read(tshark, made, scratch).path, ["-V", "-O", "kafka"]).text
    assert "    Mechanisms (2): PLAIN, GSSAPI\n" in text
    assert f"        Topic: {E_ACUTE * 30}…\n" in text
