# SPDX-License-Identifier: GPL-2.0-or-later
"""Kafka inside of TLS. Wireshark's TLS decrypts, but only the splitter reads what comes out of it."""

import pytest
from common.expert_names import ERROR_FINAL
from common.manifest import Capture, capture
from common.splitter import REQUEST, Connection, Pdu, Piece, split_connections
from common.tshark import Tshark, experts
from test_pdus import header, shown_header
from view import View

TLS = ["go-franz-4.4-tls13", "go-franz-4.4-tls13-dsb"]


def decrypted(tshark: Tshark, which: Capture) -> list[Pdu]:
    """The PDUs of the decrypted records, with the frames that end them."""
    names = ["frame.number", "frame.time_epoch", "tcp.stream", "tcp.srcport", "tcp.dstport", "data.data"]
    keys = [option for option in which.options if option.startswith("tls.keylog")]
    options = [o for port in which.ports for o in ("-d", f"tls.port=={port},data")]
    options += ["-o", *keys] if keys else []
    connections: dict[int, Connection] = {}
    for row in tshark.fields(which.path, names, [*options, "-Y", "tls and data"]):
        numbers = ("frame.number", "tcp.stream", "tcp.srcport", "tcp.dstport")
        frame, stream, source, target = (int(row[name][0]) for name in numbers)
        seconds, _, nanoseconds = row["frame.time_epoch"][0].partition(".")
        time_ns = int(seconds) * 10**9 + int(nanoseconds)
        client, server = (source, target) if target in which.ports else (target, source)
        connection = connections.setdefault(stream, Connection(stream, ("", client), ("", server)))
        side = connection.sides["", source]
        side.from_start = True
        for record in row["data.data"]:
            data = bytes.fromhex(record)
            start = side.pieces[-1].end if side.pieces else 0
            side.pieces.append(Piece(start, start + len(data), frame, time_ns, data))
    return split_connections(connections.values())


@pytest.fixture(scope="module", params=TLS)
def tls_view(request: pytest.FixtureRequest, tshark: Tshark) -> View:
    return View(capture(request.param), tshark)


def test_all_shown(tls_view: View, tshark: Tshark) -> None:
    expected = decrypted(tshark, tls_view.capture)
    assert len(expected) == 53
    frames = sorted({pdu.frame for pdu in expected} | set(tls_view.shown))
    for frame in frames:
        want = [header(pdu) for pdu in sorted(expected, key=lambda p: p.offset) if pdu.frame == frame]
        assert (frame, [shown_header(shown) for shown in tls_view.shown.get(frame, [])]) == (frame, want)


def test_pairs(tls_view: View, tshark: Tshark) -> None:
    want = [(pdu.frame, pdu.pair and pdu.pair.frame) for pdu in decrypted(tshark, tls_view.capture)]
    linked = []
    for shown in [s for frame in tls_view.shown_two_pass.values() for s in frame]:
        link = "kafka.response_frame" if shown.direction == REQUEST else "kafka.request_frame"
        linked.append((shown.frame, shown.number(link)))
    assert sorted(linked) == sorted(want)


def test_clean(tls_view: View) -> None:
    for packet in tls_view.one_pass + tls_view.two_pass:
        assert not packet.malformed
        severe = [e for e in experts(packet) if e.severity in ("warning", "error") and e.name.startswith("kafka.")]
        assert [e for e in severe if e.name != ERROR_FINAL] == []


def test_without_keys_nothing_is_shown(tshark: Tshark) -> None:
    view = View(capture("go-franz-4.4-tls13"), tshark)
    view.options = ["-d", "tls.port==9096,kafka"]
    assert view.one_pass == []
