# SPDX-License-Identifier: GPL-2.0-or-later
"""The notation of the files in schema/messages and schema/nested: see README.md beside this file."""

from __future__ import annotations

import json
from pathlib import Path

from model import NONE, SCALARS, Api, Field, Message, SchemaError, Versions

SPDX = "# SPDX-License-Identifier: GPL-2.0-or-later"
MADE_BY = "# Made from Kafka's message definitions by tools/schema/extract.py; not to be changed by hand."
INDENT = "  "
ATTRIBUTES = ("nullable", "tagged", "tag", "default", "entity")


def write_field(field: Field, depth: int) -> list[str]:
    words = [field.name, ("[]" if field.is_array else "") + field.type, str(field.versions)]
    if field.nullable:
        words += ["nullable", str(field.nullable)]
    if field.tagged:
        words += ["tagged", str(field.tagged), "tag", str(field.tag)]
    if field.default is not None:
        # Quoted only where it would not be read back as one word.
        plain = field.default and not any(char in field.default for char in ' "')
        words += ["default", field.default if plain else json.dumps(field.default)]
    if field.entity:
        words += ["entity", field.entity]
    lines = [INDENT * depth + " ".join(words)]
    for member in field.members or []:
        lines += write_field(member, depth + 1)
    return lines


def write_message(kind: str, message: Message) -> list[str]:
    lines = ["", f"{kind} {message.name} {message.versions} flexible {message.flexible}"]
    for field in message.fields:
        lines += write_field(field, 1)
    if message.variant is not None:
        lines += write_message("variant", message.variant)
    return lines


def write_api(api: Api) -> str:
    lines = [SPDX, MADE_BY, "", f"api {api.key} {api.name}"]
    for kind in ("request", "response"):
        lines += write_message(kind, api.messages[kind])
    return "\n".join(lines) + "\n"


def write_data(message: Message) -> str:
    return "\n".join([SPDX, MADE_BY] + write_message("data", message)) + "\n"


def split_words(line: str) -> list[str]:
    """Splits at spaces; a word in double quotes is a JSON string."""
    words: list[str] = []
    rest = line.strip()
    decoder = json.JSONDecoder()
    while rest:
        if rest[0] == '"':
            word, end = decoder.raw_decode(rest)
        else:
            end = len(rest.split(" ", 1)[0])
            word = rest[:end]
        words.append(word)
        rest = rest[end:].lstrip(" ")
    return words


def read_field(line: str) -> Field:
    words = split_words(line)
    if len(words) < 3 or len(words) % 2 == 0:
        raise SchemaError("a field has a name, a type, versions, and attributes with a value each")
    name, kind, versions = words[:3]
    is_array = kind.startswith("[]")
    kind = kind[2:] if is_array else kind
    field = Field(name, kind, is_array, Versions.parse(versions), members=None if kind in SCALARS else [])
    for attribute, value in zip(words[3::2], words[4::2]):
        if attribute not in ATTRIBUTES:
            raise SchemaError(f"unknown attribute {attribute}")
        if attribute in ("nullable", "tagged"):
            setattr(field, attribute, Versions.parse(value))
        else:
            setattr(field, attribute, int(value) if attribute == "tag" else value)
    if bool(field.tagged) != (field.tag is not None):
        raise SchemaError("tagged and tag belong together")
    return field


def read_message_line(words: list[str]) -> Message:
    if len(words) != 5 or words[3] != "flexible":
        raise SchemaError("a message has a name, versions, and the versions in which it is flexible")
    return Message(words[1], Versions.parse(words[2]), Versions.parse(words[4]), [])


class Reader:
    """Reads one file line by line."""

    def __init__(self) -> None:
        self.api: Api | None = None
        self.data: list[Message] = []
        self.message: Message | None = None
        self.open: list[list[Field]] = []  # the list that a line of this depth goes into

    def start_message(self, words: list[str]) -> None:
        message = read_message_line(words)
        kind = words[0]
        if kind == "variant":
            if self.message is None or self.message.variant is not None:
                raise SchemaError("a variant stands below the message that it varies")
            self.message.variant = message
        elif kind == "data":
            self.data.append(message)
        else:
            if self.api is None or kind in self.api.messages:
                raise SchemaError(f"an API has one {kind}")
            self.api.messages[kind] = message
        self.message = message
        self.open = [message.fields]

    def line(self, line: str) -> None:
        depth, odd = divmod(len(line) - len(line.lstrip(" ")), len(INDENT))
        if odd:
            raise SchemaError("odd indentation")
        if depth > 0:
            if depth > len(self.open):
                raise SchemaError("a field below one that is no structure")
            field = read_field(line)
            self.open[depth - 1].append(field)
            self.open[depth:] = [] if field.members is None else [field.members]
            return
        words = split_words(line)
        if words[0] == "api" and len(words) == 3 and self.api is None:
            self.api = Api(int(words[1]), words[2])
        elif words[0] in ("request", "response", "variant", "data"):
            self.start_message(words)
        else:
            raise SchemaError("neither a field nor the start of a message")


def read_text(text: str, where: str) -> tuple[Api | None, list[Message]]:
    """Returns the API of a file, or the data messages that it has instead."""
    reader = Reader()
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            try:
                reader.line(line)
            except (SchemaError, ValueError) as error:
                raise SchemaError(f"{where}:{number}: {error}") from error
    if reader.api is not None and set(reader.api.messages) != {"request", "response"}:
        raise SchemaError(f"{where}: an API has a request and a response")
    return reader.api, reader.data


def read_folder(folder: Path) -> tuple[list[Api], list[Message]]:
    """Reads schema/messages: the APIs by key, the data messages by name."""
    apis: list[Api] = []
    data: list[Message] = []
    for path in sorted(folder.rglob("*.txt")):
        api, messages = read_text(path.read_text(encoding="utf-8"), str(path))
        if api is not None:
            apis.append(api)
        data += messages
    apis.sort(key=lambda api: api.key)
    if [api.key for api in apis] != list(range(len(apis))):
        raise SchemaError(f"{folder}: API keys with a gap or twice")
    return apis, sorted(data, key=lambda message: message.name)


def read_nested(folder: Path) -> list[Message]:
    """Reads schema/nested, which has data messages only."""
    data: list[Message] = []
    for path in sorted(folder.glob("*.txt")):
        api, messages = read_text(path.read_text(encoding="utf-8"), str(path))
        if api is not None:
            raise SchemaError(f"{path}: no API belongs here")
        data += messages
    return data
