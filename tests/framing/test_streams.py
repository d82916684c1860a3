# SPDX-License-Identifier: GPL-2.0-or-later
"""Where TCP's own numbers change, and where it would put the same bytes together again and again."""

from pathlib import Path

import pytest
from common.handmade import read
from common.messages import (
    heartbeat_request,
    heartbeat_response,
    int16,
    int32,
    metadata_request,
    metadata_response,
    string,
)
from common.pcap import CLIENT, SERVER, Capture, Connection
from common.tshark import Tshark

PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])
RELATIVE = pytest.mark.parametrize("relative", ["TRUE", "FALSE"])


def exchange(connection: Connection) -> None:
    for i in (1, 2):
        connection.request(heartbeat_request(i))
        connection.response(heartbeat_response(i))
    connection.request(metadata_request(3, ["a"]))
    connection.response(metadata_response(3, ["a"]))


@PASSES
@RELATIVE
@pytest.mark.parametrize("opened", [True, False], ids=["from the start", "from the middle"])
def test_ports_used_again(
    tshark: Tshark, scratch: Path, opened: bool, relative: str, passes: tuple[str, ...]
) -> None:
    """Of the new connection only the SYN/ACK is there: Wireshark goes on with the old one, by other numbers."""
    capture = Capture()
    first = Connection(capture)
    if opened:
        first.open()
    else:
        first.skip(CLIENT, 50000)
        first.skip(SERVER, 60000)
    exchange(first)
    second = Connection(capture, first_seq={CLIENT: 500000, SERVER: 900000})
    second.answer()
    exchange(second)
    reading = read(tshark, capture, scratch, [*passes, "-o", f"tcp.relative_sequence_numbers:{relative}"])
    assert [s.correlation_id for s in reading.shown] == [1, 1, 2, 2, 3, 3] * 2
    assert reading.malformed == []


def test_header_without_end(tshark: Tshark, scratch: Path) -> None:
    """A tag of the header that is as large as a capture: bytes are not put together again with each segment.

    Where they are, the time grows with the square of the size: two minutes for this one, of which it gets one.
    """
    capture = Capture()
    connection = Connection(capture)
    connection.skip(CLIENT, 5000)
    connection.request(int32(10) + int16(18) + int16(0) + int32(1) + string(""))
    header = int16(18) + int16(3) + int32(2) + string("cl") + b"\x01\x05\x80\x80\x80\x20"
    connection.request(int32(70_000_000) + header + bytes(15_000_000))
    (last,) = connection.request(metadata_request(3, ["a"]))
    path = capture.write(scratch / "endless.pcap")
    assert tshark.fields(path, ["frame.number"], ["-Y", f"frame.number == {last}"], timeout=60)
