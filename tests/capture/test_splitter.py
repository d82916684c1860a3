# SPDX-License-Identifier: GPL-2.0-or-later
"""The splitter itself, on captures whose content is known: what it finds is what the other tests compare with."""

from pathlib import Path

from common.manifest import capture
from common.messages import (
    SASL_HANDSHAKE,
    array,
    framed,
    heartbeat_request,
    heartbeat_response,
    int16,
    metadata_request,
    metadata_response,
    produce_request,
    request,
    response,
    string,
)
from common.pcap import CLIENT, SERVER, Capture, Connection, cut
from common.splitter import REQUEST, RESPONSE, Pdu, split


def found(made: Capture, folder: Path) -> list[Pdu]:
    return split(made.write(folder / "made.pcap"), {9092})


def test_follows_lengths_over_any_segments(tmp_path: Path) -> None:
    made = Capture()
    connection = Connection(made).open()
    ends = [connection.request(metadata_request(i, ["topic"]), 7)[-1] for i in (1, 2)]
    answers = connection.response(metadata_response(1, ["topic"]) + metadata_response(2, ["topic"]))
    pdus = found(made, tmp_path)
    assert [(p.direction, p.api_key, p.correlation_id, p.frame) for p in pdus] == [
        (REQUEST, 3, 1, ends[0]),
        (REQUEST, 3, 2, ends[1]),
        (RESPONSE, 3, 1, answers[0]),
        (RESPONSE, 3, 2, answers[0]),
    ]
    assert [p.pair and p.pair.frame for p in pdus] == [answers[0], answers[0], *ends]
    assert pdus[2].time_ns - pdus[0].time_ns == (answers[0] - ends[0]) * 10**6


def test_retransmitted_reordered_and_lost(tmp_path: Path) -> None:
    made = Capture()
    connection = Connection(made).open()
    stream = b"".join(heartbeat_request(i) for i in range(1, 9))
    pieces = [(i * 30, piece) for i, piece in enumerate(cut(stream, 30))]
    pieces[2], pieces[3] = pieces[3], pieces[2]
    pieces.insert(5, pieces[0])
    for offset, piece in pieces:
        connection.segment(CLIENT, offset, piece)
    connection.skip(CLIENT, 10)
    connection.request(heartbeat_request(20))
    pdus = found(made, tmp_path)
    assert [p.correlation_id for p in pdus] == [*range(1, 9), 20]
    assert [p.found for p in pdus] == [False] * 8 + [True]


def test_knows_who_waits_for_no_answer(tmp_path: Path) -> None:
    made = Capture()
    connection = Connection(made).open()
    connection.request(produce_request(1, b"", acks=0) + produce_request(2, b"", acks=-1) + heartbeat_request(3))
    connection.response(heartbeat_response(3))
    assert [p.expects_response for p in found(made, tmp_path)[:3]] == [False, True, True]


def test_raw_sasl_tokens(tmp_path: Path) -> None:
    made = Capture()
    connection = Connection(made).open()
    connection.request(request(SASL_HANDSHAKE, 0, 1, string("PLAIN")))
    connection.response(response(1, int16(0) + array([string("PLAIN")])))
    connection.request(framed(b"\0user\0secret"))
    connection.response(framed(b""))
    connection.request(heartbeat_request(2))
    connection.response(heartbeat_response(2))
    pdus = found(made, tmp_path)
    assert [(p.direction, p.kind) for p in pdus] == [
        (REQUEST, "message"),
        (REQUEST, "token"),
        (REQUEST, "message"),
        (RESPONSE, "message"),
        (RESPONSE, "token"),
        (RESPONSE, "message"),
    ]
    assert pdus[2].pair is pdus[5]


def test_begins_in_the_middle(tmp_path: Path) -> None:
    made = Capture()
    connection = Connection(made)
    connection.request(b"x" * 40 + heartbeat_request(5) + heartbeat_request(6))
    connection.send(SERVER, b"y" * 9 + heartbeat_response(5) + heartbeat_response(6))
    assert [(p.offset, p.correlation_id, p.found) for p in found(made, tmp_path)] == [
        (40, 5, True),
        (79, 6, True),
        (9, 5, True),
        (19, 6, True),
    ]


def test_cut_by_the_snapshot_length(tmp_path: Path) -> None:
    made = Capture(snaplen=100)
    connection = Connection(made).open()
    connection.request(metadata_request(1, ["t" * 100]))
    connection.request(heartbeat_request(2))
    first, second = found(made, tmp_path)
    assert (first.correlation_id, first.cut, first.complete, len(first.data)) == (1, True, False, 100 - 54 - 4)
    assert (second.correlation_id, second.cut, second.complete) == (2, False, True)


def test_real_captures_have_what_their_makers_saw() -> None:
    """Counts that were taken when the captures were made."""
    pipelined = split(capture("raw-4.4-pipelined").path, {9092})
    assert sum(p.direction == REQUEST for p in pipelined) == 44
    assert sum(p.direction == REQUEST and not p.expects_response for p in pipelined) == 10
    lost = split(capture("hard-loss2pct").path, {29092})
    assert [p.correlation_id for p in lost if not p.complete] == [15]
