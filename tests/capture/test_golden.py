# SPDX-License-Identifier: GPL-2.0-or-later
"""Whole decoded values against texts that were checked; update_golden.py makes them again after a wanted change."""

import difflib

import pytest
from common.manifest import capture
from common.tshark import Tshark
from golden import GOLDEN, path_of, text_of
from view import View


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(tshark: Tshark, name: str) -> None:
    have = text_of(View(capture(name), tshark).shown_two_pass).splitlines()
    want = path_of(name).read_text(encoding="utf-8").splitlines()
    assert "\n".join(difflib.unified_diff(want, have, "golden", "shown", lineterm="", n=4)) == ""
