# SPDX-License-Identifier: GPL-2.0-or-later
"""The schema compiler as the build runs it."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import errors
import pytest
from emit import changes
from model import Message, SchemaError, layout
from resolve import resolve

REPO = Path(__file__).resolve().parents[2]
COMPILE = REPO / "tools" / "schema" / "compile.py"


def run(schema: Path, out: Path) -> subprocess.CompletedProcess[str]:
    out.mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, COMPILE, "--schema", schema, "--schema-out", out / "schema_data.c", "--display-out",
         out / "display_data.c", "--errors-out", out / "errors_data.c"],
        capture_output=True, text=True, check=False)


def test_the_same_schema_gives_the_same_c(schema_folder: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        result = run(schema_folder, tmp_path / name)
        assert result.returncode == 0, result.stderr
    for file in ("schema_data.c", "display_data.c", "errors_data.c"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_the_c_compiles_without_warnings(schema_folder: Path, tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    assert compiler is not None
    assert run(schema_folder, tmp_path).returncode == 0
    subprocess.run([compiler, "-std=c17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{REPO / 'plugin'}",
                    *sorted(tmp_path.glob("*.c"))], check=True)


def test_a_bad_schema_is_refused_in_one_line(make_schema: Callable[..., Path], tmp_path: Path) -> None:
    result = run(make_schema(names="*.Nothing\tkafka.nothing\n"), tmp_path)
    assert result.returncode == 1
    assert result.stderr == "compile.py: names.tsv:1: *.Nothing decides for no field\n"


def messages(schema_folder: Path, meaning_header: Path) -> list[Message]:
    schema = resolve(schema_folder, meaning_header)
    return [message for api in schema.apis for message in api.messages.values()] + schema.data


def test_versions_are_read_alike_up_to_a_change(schema_folder: Path, meaning_header: Path) -> None:
    alike = 0
    for message in messages(schema_folder, meaning_header):
        found = changes(message)
        assert found >> message.versions.first & 1
        for version in range(message.versions.first + 1, message.versions.last + 1):
            if found >> version & 1:
                continue
            alike += 1
            assert (version in message.flexible) == (version - 1 in message.flexible)
            assert layout(message.fields, version) == layout(message.fields, version - 1)
            if message.variant is not None and version in message.variant.versions:
                assert version - 1 in message.variant.versions
                assert layout(message.variant.fields, version) == layout(message.variant.fields, version - 1)
    assert alike > 100


def test_changes(make_schema: Callable[..., Path], meaning_header: Path) -> None:
    """A field inside a structure in version 1, the flexible format in 2."""
    request, response = messages(make_schema(), meaning_header)
    assert changes(request) == 0b111
    assert changes(response) == 0b101


def test_errors_are_sorted_and_joined(make_schema: Callable[..., Path]) -> None:
    folder = make_schema(errors="2\tTWO\tretriable\n-1\tMINUS\tfinal\n", error_meanings="-1\tLess.\n2\tMore.\n")
    assert errors.read(folder) == [errors.Error(-1, "MINUS", False, "Less."), errors.Error(2, "TWO", True, "More.")]


@pytest.mark.parametrize(("names", "meanings"), [
    ("1\tONE\tfinal\n", ""),
    ("", "1\tOne.\n"),
    ("1\tONE\tfinal\n", "1\t\n"),
    ("1\tONE\tfinal\n1\tONE\tfinal\n", "1\tOne.\n"),
])
def test_every_error_has_one_name_and_one_meaning(make_schema: Callable[..., Path], names: str, meanings: str) -> None:
    with pytest.raises(SchemaError):
        errors.read(make_schema(errors=names, error_meanings=meanings))


def test_all_of_kafkas_errors_have_a_meaning(schema_folder: Path) -> None:
    known = errors.read(schema_folder)
    assert [error.code for error in known] == list(range(-1, len(known) - 1))
    by_name = {error.name: error for error in known}
    assert by_name["UNKNOWN_TOPIC_OR_PARTITION"].code == 3
    assert by_name["UNKNOWN_TOPIC_OR_PARTITION"].retriable
    assert not by_name["TOPIC_AUTHORIZATION_FAILED"].retriable
