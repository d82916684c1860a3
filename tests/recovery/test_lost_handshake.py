# SPDX-License-Identifier: GPL-2.0-or-later
"""SaslHandshake version 0 whose response is lost: what the client sends next are tokens all the same."""

from pathlib import Path

import pytest
from common.handmade import read
from common.messages import SASL_HANDSHAKE, framed, metadata_request, metadata_response, request, string
from common.pcap import Capture, Connection
from common.tshark import Tshark


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])
def test_token_is_no_request(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    made = Capture()
    connection = Connection(made).open()
    connection.request(request(SASL_HANDSHAKE, 0, 1, string("PLAIN")))
    connection.skip("server", 21)
    (token,) = connection.request(framed(b"\0alice\0secret"))
    connection.skip("server", 4)
    connection.request(metadata_request(2, ["orders"]))
    connection.response(metadata_response(2, ["orders"]))
    reading = read(tshark, made, scratch, passes)
    (shown,) = [one for one in reading.shown if one.frame == token]
    assert shown.direction is None
    assert shown.item.shows("kafka.sasl_user") == ["alice"]
    assert shown.item.shows("kafka.sasl_password") == ["********"]
    assert [(one.api_key, one.direction) for one in reading.shown][-2:] == [(3, "request"), (3, "response")]
