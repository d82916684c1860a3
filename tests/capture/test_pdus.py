# SPDX-License-Identifier: GPL-2.0-or-later
"""Every PDU that the splitter finds is shown, where it ends, with the right header, and belongs to its other half."""

from collections import defaultdict

from common.apis import APIS, request_header_version, response_header_version
from common.shown import Shown
from common.splitter import REQUEST, Pdu
from view import View


def wanted(view: View) -> dict[int, list[Pdu]]:
    """By frame, in the order of the stream. A PDU whose end the capture does not have may be shown, but need not be."""
    frames: dict[int, list[Pdu]] = defaultdict(list)
    for pdu in view.expected:
        if pdu.complete and pdu.kind in ("message", "token"):
            frames[pdu.frame].append(pdu)
    for pdus in frames.values():
        pdus.sort(key=lambda pdu: pdu.offset)
    return frames


def header(pdu: Pdu) -> tuple:
    if pdu.kind == "token":
        return pdu.length, None, None, None, None
    return pdu.length, pdu.direction, pdu.api_key, pdu.api_version, pdu.correlation_id


def shown_header(shown: Shown) -> tuple:
    # What responses without a request are taken for is for tests/recovery.
    key, version = (None, None) if shown.is_assumed else (shown.api_key, shown.api_version)
    return shown.length, shown.direction, key, version, shown.correlation_id


def matched(view: View, shown: dict[int, list[Shown]]) -> list[tuple[Pdu, Shown]]:
    """Expected and shown PDUs side by side; those that the capture cut are left out."""
    pairs = []
    for frame, pdus in wanted(view).items():
        there = [s for s in shown.get(frame, []) if s.is_message]
        pairs += zip(pdus, there, strict=False)
    return pairs


def test_all_shown(view: View) -> None:
    cut = {pdu.frame for pdu in view.expected if not pdu.complete or pdu.kind in ("bad length", "foreign")}
    cut |= {pdu.first_frame for pdu in view.expected if not pdu.complete}
    missing, unexpected = [], []
    expected = wanted(view)
    for frame in sorted(expected.keys() | view.shown.keys()):
        want = [header(pdu) for pdu in expected.get(frame, [])]
        have = [shown_header(shown) for shown in view.shown.get(frame, []) if shown.is_message]
        if frame in cut:
            if [h for h in have if h in want] != want:
                missing.append((frame, want, have))
        elif want != have:
            (missing if len(want) > len(have) else unexpected).append((frame, want, have))
    assert (missing, unexpected) == ([], [])


def test_what_the_capture_cut_is_shown(view: View) -> None:
    """A PDU cut by the snapshot length shows the header that is there, or that it goes on."""
    lost = []
    for pdu in view.expected:
        if not pdu.cut or pdu.kind != "message" or len(pdu.data) < 8:
            continue
        places = [s for frame in range(pdu.first_frame, pdu.frame + 1) for s in view.shown.get(frame, [])]
        # when its first segment is whole, TCP keeps that for a reassembly that the next segment makes impossible
        want = pdu.length, pdu.correlation_id
        if not any((s.length, s.correlation_id) == want or not s.is_message for s in places):
            lost.append((pdu.first_frame, pdu.frame, header(pdu)))
    assert lost == []


def test_whole_pdu_is_its_range(view: View) -> None:
    wrong = [
        (shown.frame, shown.item.size, pdu.length)
        for pdu, shown in matched(view, view.shown)
        if shown.item.size != pdu.length + 4
    ]
    assert wrong == []


def test_header_versions(view: View) -> None:
    wrong = []
    for pdu, shown in matched(view, view.shown):
        key, version = pdu.api_key, pdu.api_version
        if key not in APIS or not APIS[key].lowest <= version <= APIS[key].highest:
            continue
        version_of = request_header_version if pdu.direction == REQUEST else response_header_version
        if shown.number("kafka.header_version") != version_of(key, version):
            wrong.append((shown.frame, header(pdu), shown.value("kafka.header_version")))
    assert wrong == []


def test_client_ids(view: View) -> None:
    wrong = []
    for pdu, shown in matched(view, view.shown):
        if pdu.kind == "message" and pdu.direction == REQUEST and (pdu.api_key, pdu.api_version) != (7, 0):
            want = "[ Null ]" if pdu.client_id is None else pdu.client_id.decode()
            if shown.value("kafka.client_id") != want:
                wrong.append((shown.frame, want, shown.value("kafka.client_id")))
    assert wrong == []


def test_pairs(view: View) -> None:
    """Response to request in one pass; both directions in two."""
    wrong = []
    for passes, frames in ((1, view.shown), (2, view.shown_two_pass)):
        for pdu, shown in matched(view, frames):
            if pdu.kind != "message":
                continue
            other = pdu.pair if pdu.pair is not None and pdu.pair.complete else None
            link = "kafka.response_frame" if pdu.direction == REQUEST else "kafka.request_frame"
            want = other.frame if other else None
            if pdu.direction == REQUEST and passes == 1:
                want = None
            if shown.number(link) != want and not (other is None and pdu.pair is not None):
                wrong.append((passes, shown.frame, header(pdu), link, want, shown.number(link)))
    assert wrong == []


def test_time(view: View) -> None:
    wrong = []
    for pdu, shown in matched(view, view.shown):
        if pdu.kind == "message" and pdu.direction != REQUEST and pdu.pair is not None:
            want = pdu.time_ns - pdu.pair.time_ns
            if shown.elapsed_ns() != want:
                wrong.append((shown.frame, header(pdu), want, shown.elapsed_ns()))
    assert wrong == []


def test_no_response(view: View) -> None:
    """From the second pass on a request that nobody answered can be found; acks=0 expects no answer."""
    wrong = []
    for pdu, shown in matched(view, view.shown_two_pass):
        if pdu.kind != "message" or pdu.direction != REQUEST:
            continue
        want = pdu.pair is None and pdu.expects_response
        have = shown.item.first("kafka.no_response") is not None
        if want != have and (pdu.pair is None or pdu.pair.complete):
            wrong.append((shown.frame, header(pdu), want, have))
    assert wrong == []
