# SPDX-License-Identifier: GPL-2.0-or-later
"""Fixtures of all tests. That this file is here also makes `common` importable: pytest puts its folder on the path."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from common.tshark import Tshark, plugin_dir, scratch_dir


@pytest.fixture(scope="session")
def tshark() -> Tshark:
    """tshark with the plugin."""
    program = Tshark()
    major, minor, _ = program.version()
    if not program.has_plugin():
        pytest.fail(f"no plugin for Wireshark {major}.{minor} in {plugin_dir()}")
    return program


@pytest.fixture(scope="session")
def builtin() -> Tshark:
    """tshark with Wireshark's own Kafka dissector."""
    return Tshark(plugin=False)


@pytest.fixture
def scratch() -> Iterator[Path]:
    """A folder that tshark's user can read."""
    yield scratch_dir()
