# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the modules of tools/schema importable, and small schema folders to try the compiler on."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO / "tools" / "schema"))

API = """api 0 Example

request ExampleRequest 0-2 flexible 2+
  Name string 0+
  Items []Item 0+
    Name string 0+
    Size int32 1+

response ExampleResponse 0-2 flexible 2+
  ErrorCode int16 0+
"""


@pytest.fixture
def make_schema(tmp_path: Path) -> Callable[..., Path]:
    """Returns a function that writes a schema folder: one API, and the tables that it is given."""

    def make(api: str = API, **tables: str) -> Path:
        (tmp_path / "messages").mkdir(exist_ok=True)
        (tmp_path / "messages" / "Example.txt").write_text(api, encoding="utf-8")
        for name in ("names", "meanings", "elements", "builtin", "errors", "error-meanings"):
            table = tables.get(name.replace("-", "_"), "")
            (tmp_path / f"{name}.tsv").write_text(table, encoding="utf-8")
        return tmp_path

    return make


@pytest.fixture(scope="session")
def meaning_header() -> Path:
    return REPO / "plugin" / "wire" / "meaning.h"


@pytest.fixture(scope="session")
def schema_folder() -> Path:
    return REPO / "schema"
