# SPDX-License-Identifier: GPL-2.0-or-later
"""An error code other than NONE has an expert info, and the name stands in Info."""

import re

from common import expert_names as names
from common.tshark import Packet, experts
from view import View

ERRORS = {names.ERROR_FINAL, names.ERROR_RETRIABLE, names.ERROR_UNKNOWN}


def test_every_error_code_has_an_expert_info(view: View) -> None:
    wrong = []
    for frame, pdus in view.shown.items():
        for shown in pdus:
            codes = [item for item in shown.item.walk() if item.name == "kafka.error" and int(item.show) != 0]
            found = [e for e in experts(Packet(frame, [shown.item])) if e.name in ERRORS]
            if sorted((c.pos, c.size) for c in codes) != sorted((e.pos, e.size) for e in found):
                wrong.append((frame, [c.showname for c in codes], found))
    assert wrong == []


def test_errors_stand_in_info(view: View) -> None:
    infos = {frame: info for frame, _, info in view.columns}
    wrong = []
    for frame, pdus in view.shown.items():
        for shown in pdus:
            codes = [item for item in shown.item.walk() if item.name == "kafka.error" and int(item.show) != 0]
            error_names = {m[0] for c in codes if (m := re.search(r"[A-Z][A-Z0-9_]{4,}", c.showname))}
            if error_names and not any(name in infos[frame] for name in error_names) and len(infos[frame]) < 600:
                wrong.append((frame, error_names, infos[frame]))
    assert wrong == []
