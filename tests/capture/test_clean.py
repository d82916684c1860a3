# SPDX-License-Identifier: GPL-2.0-or-later
"""Nothing is malformed, nothing is left undecoded, and no expert info warns of what is not wrong."""

import pytest
from anomalies import ANOMALIES
from common import expert_names as names
from common.tshark import experts
from test_pdus import matched
from view import View

# what brokers say
ERRORS = {names.ERROR_FINAL, names.ERROR_RETRIABLE, names.SASL_FAILED}
PASSES = pytest.mark.parametrize("passes", ["one_pass", "two_pass"])


@PASSES
def test_not_malformed(view: View, passes: str) -> None:
    wrong = []
    for packet in getattr(view, passes):
        bugs = [i.showname for proto in packet.protos for i in proto.walk() if "Dissector bug" in i.showname + i.show]
        if packet.malformed or bugs:
            wrong.append((packet.number, bugs))
    assert wrong == []


@PASSES
def test_no_unexplained_expert_info(view: View, passes: str) -> None:
    explained = [anomaly for anomaly in ANOMALIES if anomaly.capture == view.capture.name]
    unneeded = set(explained)
    wrong = []
    for packet in getattr(view, passes):
        for expert in experts(packet):
            # TCP has opinions of its own on lost and reordered segments
            if expert.severity not in ("warning", "error") or expert.name.startswith("tcp."):
                continue
            if expert.name in ERRORS:
                continue
            reasons = [a for a in explained if expert.frame in a.frames and expert.name in a.experts]
            unneeded.difference_update(reasons)
            if not reasons:
                wrong.append(expert)
    assert wrong == []
    assert unneeded == set()


def test_no_undecoded_bytes(view: View) -> None:
    """Bytes that the plugin could make nothing of, outside of the anomalies."""
    frames = {frame for a in ANOMALIES if a.capture == view.capture.name for frame in a.frames}
    frames |= {f for pdu in view.expected if pdu.cut for f in range(pdu.first_frame, pdu.frame + 1)}
    # nobody knows how to read a response without its request
    frames |= {pdu.frame for pdu in view.expected if pdu.kind == "message" and not pdu.api_key_known}
    wrong = [
        (packet.number, item.pos, item.size)
        for packet in view.one_pass
        for proto in packet.named("kafka")
        for item in proto.walk()
        if item.name in ("kafka.undecoded", "kafka.problem", "kafka.body") and item.size and packet.number not in frames
    ]
    assert wrong == []


def test_every_byte_belongs_to_a_field(view: View) -> None:
    """The fields of a PDU cover it without a gap. What belongs to a structure and no field of it: tag sections without
    tags (zero bytes) and the presence byte at the start. Fields leave out what is masked, unless it is to be shown."""
    wrong = []
    for pdu, shown in matched(view, view.shown_with_passwords):
        covered: list[tuple[int, int]] = []
        for item in shown.item.walk():
            if item is not shown.item and item.size and item.name != "_ws.expert":
                covered.append((item.pos, item.pos + (item.size if item.name else 1)))
        start = shown.item.pos
        message = pdu.length.to_bytes(4, "big") + pdu.data
        for first, last in _gaps(start, start + shown.item.size, covered):
            if message[first - start : last - start].strip(b"\0"):
                wrong.append((shown.frame, shown.text, first - start, last - start))
    assert wrong == []


def _gaps(start: int, end: int, covered: list[tuple[int, int]]) -> list[tuple[int, int]]:
    gaps, at = [], start
    for first, last in sorted(covered):
        if first > at:
            gaps.append((at, min(first, end)))
        at = max(at, last)
    if at < end:
        gaps.append((at, end))
    return gaps
