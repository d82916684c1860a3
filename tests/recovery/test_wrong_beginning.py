# SPDX-License-Identifier: GPL-2.0-or-later
"""Bytes that look like the beginning of a large response to a request before the capture, and are none."""

from pathlib import Path

import pytest
from common.handmade import read
from common.messages import heartbeat_request, heartbeat_response, int32
from common.pcap import Capture, Connection
from common.tshark import Tshark

LENGTH, CORRELATION_ID = 2_687_744, 458_752


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])
@pytest.mark.parametrize("size", [3_000, 10_000, 40_000])
@pytest.mark.parametrize("segment", [1448, 65_000])
def test_next_response_is_shown_when_it_comes(
    tshark: Tshark, scratch: Path, segment: int, size: int, passes: tuple[str, ...]
) -> None:
    """The response behind them comes in small segments, and no more after it."""
    made = Capture()
    connection = Connection(made)
    connection.skip("client", 1000)
    connection.skip("server", 1000)
    connection.response(int32(LENGTH) + int32(CORRELATION_ID) + bytes(3) + int32(1) + b"\0\4rk-t" + int32(1))
    connection.response(bytes(size), segment)
    connection.request(heartbeat_request(7))
    *_, last = connection.response(heartbeat_response(7), 4)
    reading = read(tshark, made, scratch, passes)
    assert [(one.api_key, one.correlation_id) for one in reading.shown] == [(12, 7), (12, 7)]
    assert reading.shown[1].frame == last
    assert reading.malformed == []
