# SPDX-License-Identifier: GPL-2.0-or-later
"""The packet list: protocol and Info of every frame with Kafka in it."""

import re

from common.apis import APIS
from view import View

LONGEST = 1024


def test_protocol_column(view: View) -> None:
    assert [row for row in view.columns if row[1] != "Kafka"] == []


def test_every_pdu_is_named_in_info(view: View) -> None:
    """API, version and direction of each PDU in the order of the bytes, until the line would be too long."""
    wrong = []
    for frame, _, info in view.columns:
        at = 0
        for shown in view.shown.get(frame, []):
            if shown.direction is None or shown.api_key not in APIS or shown.is_assumed:
                continue
            want = rf"{APIS[shown.api_key].name} v{shown.api_version} {shown.direction.capitalize()}"
            found = info.find(want, at)
            if found < 0 and not info.endswith("…"):
                wrong.append((frame, want, info))
            at = max(found, at)
    assert wrong == []


def test_info_is_the_same_for_those_who_look_at_nothing_else(view: View) -> None:
    """Without a tree to fill, the dissector passes over what it takes for unwanted (tshark 4.0's -T fields makes one)."""
    columns = 'gui.column.format:"No.","%m","Info","%i"'
    lines = view.tshark.read(view.capture.path, [*view.options, "-o", columns]).text.splitlines()
    seen = {int(number): info.strip() for number, _, info in (line.strip().partition(" ") for line in lines)}
    assert {frame: seen.get(frame) for frame, _, _ in view.columns} == {n: info.strip() for n, _, info in view.columns}


def test_info_is_sane(view: View) -> None:
    wrong = []
    for frame, _, info in view.columns:
        if not info.strip() or len(info) > LONGEST or re.search(r"[\x00-\x1f\x7f]", info):
            wrong.append((frame, info))
    assert wrong == []


def test_several_pdus_are_separated(view: View) -> None:
    """A separator stands before each direction word but the first."""
    wrong = []
    for frame, _, info in view.columns:
        heads = list(re.finditer(r"[A-Z]\w+ v\d+ (Request|Response)", info))
        for head in heads[1:]:
            if not re.search(r"[,;|] ?(Kafka )?$", info[: head.start()]):
                wrong.append((frame, info))
    assert wrong == []
