# SPDX-License-Identifier: GPL-2.0-or-later
"""The notation of schema/messages: what is written is read back, what is wrong is refused."""

from pathlib import Path

import notation
import pytest
from model import Api, Field, Message, SchemaError, Versions


def read_field(line: str) -> Field:
    api, data = notation.read_text(f"data Example 0-3 flexible none\n  {line}\n", "example")
    assert api is None
    return data[0].fields[0]


def test_every_file_is_written_back_as_it_is(schema_folder: Path) -> None:
    files = sorted((schema_folder / "messages").rglob("*.txt"))
    assert len(files) > 100
    for path in files:
        text = path.read_text(encoding="utf-8")
        api, data = notation.read_text(text, path.name)
        assert (notation.write_api(api) if api else notation.write_data(data[0])) == text, path.name


@pytest.mark.parametrize("default", ["-1", "", "two words", 'with "quotes"', "true"])
def test_defaults_survive(default: str) -> None:
    field = Field("Text", "string", False, Versions(0, 3), default=default)
    message = Message("Example", Versions(0, 3), Versions(), [field])
    _, data = notation.read_text(notation.write_data(message), "example")
    assert data == [message]


def test_all_attributes_survive() -> None:
    member = Field("Inner", "uuid", False, Versions.parse("2+"), entity="topicId")
    field = Field("Outer", "Thing", True, Versions.parse("1+"), nullable=Versions.parse("2"),
                  tagged=Versions.parse("2-3"), tag=7, default="null", members=[member])
    variant = Message("ExampleRequest", Versions(1, 1), Versions(), [])
    request = Message("ExampleRequest", Versions(0, 3), Versions.parse("2+"), [field], variant)
    response = Message("ExampleResponse", Versions(0, 3), Versions.parse("2+"), [])
    api = Api(12, "Example", {"request": request, "response": response})
    assert notation.read_text(notation.write_api(api), "example") == (api, [])


def test_what_a_line_says() -> None:
    field = read_field("Topics []Topic 1+ nullable 2+ tagged 3+ tag 0")
    assert (field.name, field.type, field.is_array, field.tag) == ("Topics", "Topic", True, 0)
    assert 0 not in field.versions and 1 in field.versions and 99 in field.versions
    assert 1 not in field.nullable and 2 in field.nullable
    assert field.members == []


@pytest.mark.parametrize("line", [
    "Name string",
    "Name string 0+ default",
    "Name string 0+ colour red",
    "Name string zero",
    "Name string 0+ tagged 1+",
    " Name string 0+",
    "Name string 0+\n    Below string 0+",
])
def test_bad_lines_are_refused(line: str) -> None:
    with pytest.raises(SchemaError, match="example:"):
        read_field(line)


def test_an_api_needs_both_directions() -> None:
    with pytest.raises(SchemaError, match="request and a response"):
        notation.read_text("api 1 Half\nrequest HalfRequest 0 flexible none\n", "half")


def test_api_keys_have_no_gap(tmp_path: Path) -> None:
    for key in (0, 2):
        (tmp_path / f"{key}.txt").write_text(
            f"api {key} A\nrequest ARequest 0 flexible none\nresponse AResponse 0 flexible none\n", encoding="utf-8")
    with pytest.raises(SchemaError, match="gap"):
        notation.read_folder(tmp_path)
