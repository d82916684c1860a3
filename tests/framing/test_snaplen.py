# SPDX-License-Identifier: GPL-2.0-or-later
"""A PDU cut by the snapshot length shows what is there, and says that the capture cut it."""

from pathlib import Path

import pytest
from common.expert_names import CUT
from common.handmade import read
from common.messages import heartbeat_request, heartbeat_response, metadata_request, metadata_response
from common.pcap import Capture, Connection
from common.splitter import REQUEST
from common.tshark import Tshark

HEADERS = 14 + 20 + 20
PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])


@PASSES
@pytest.mark.parametrize("kept", [20, 31, 60, 100, 150])
def test_cut_request(tshark: Tshark, scratch: Path, kept: int, passes: tuple[str, ...]) -> None:
    capture = Capture(snaplen=HEADERS + kept)
    connection = Connection(capture).open()
    topics = [f"topic-{number:02}" for number in range(20)]
    (cut,) = connection.request(metadata_request(1, topics))
    (answer,) = connection.response(metadata_response(1, []))
    (after,) = connection.request(heartbeat_request(2))
    reading = read(tshark, capture, scratch, passes)
    request = reading.shown[0]
    assert (request.frame, request.direction, request.api_key, request.correlation_id) == (cut, REQUEST, 3, 1)
    # each topic takes ten bytes, after 4 + 8 + 8 bytes of header and 4 of the count
    whole = max(0, (kept - 24) // 10)
    assert request.item.shows("kafka.topic_name")[:whole] == topics[:whole]
    assert [e.frame for e in reading.experts if e.name == CUT][:1] == [cut]
    assert [e for e in reading.experts if e.frame == cut and e.severity == "error"] == []
    assert [s.correlation_id for s in reading.shown] == [1, 1, 2]
    assert (reading.shown[1].frame, reading.shown[1].number("kafka.request_frame")) == (answer, cut)
    assert reading.shown[2].frame == after
    assert reading.malformed == []


@PASSES
def test_cut_pdu_of_several_segments(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """Each segment is cut; the next PDU begins where the length of the cut one says."""
    capture = Capture(snaplen=HEADERS + 100)
    connection = Connection(capture).open()
    for i in (1, 2, 3):
        connection.request(metadata_request(i, ["t" * 200] * 5), 400)
        connection.response(heartbeat_response(i))
    reading = read(tshark, capture, scratch, passes)
    assert [s.correlation_id for s in reading.shown if s.direction == REQUEST] == [1, 2, 3]
    assert reading.malformed == []
