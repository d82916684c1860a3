# SPDX-License-Identifier: GPL-2.0-or-later
"""Whole decoded values against texts that were checked; update_golden.py makes them again after a wanted change."""

import difflib

from golden import GOLDEN, path_of, text_of
from view import View


def test_golden(view: View) -> None:
    path = path_of(view.capture.name)
    assert path.exists() == (view.capture.name in GOLDEN)
    if path.exists():
        want = path.read_text(encoding="utf-8").splitlines()
        have = text_of(view.shown_two_pass).splitlines()
        assert "\n".join(difflib.unified_diff(want, have, "golden", "shown", lineterm="", n=4)) == ""
