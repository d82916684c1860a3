# SPDX-License-Identifier: GPL-2.0-or-later
import pytest
from common.manifest import Capture, captures
from common.tshark import Tshark
from view import View

REORDERED = {"hard-reorder"}
PLAIN = [capture for capture in captures() if not capture.tls]


@pytest.fixture(scope="session", params=PLAIN, ids=lambda capture: capture.name)
def view(request: pytest.FixtureRequest, tshark: Tshark) -> View:
    """Each capture without TLS; pytest runs all tests of one capture together."""
    capture: Capture = request.param
    extra = ("-o", "tcp.reassemble_out_of_order:TRUE") if capture.name in REORDERED else ()
    return View(capture, tshark, extra)
