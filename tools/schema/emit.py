# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the resolved schema as C tables."""

from __future__ import annotations

import json
from typing import Optional

from labels import filter_label
from model import OPEN_END, Field, Message, Versions
from resolve import Schema

MASK_BITS = 32  # of versions; none is greater

HEADER = """/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Made from schema/ by tools/schema/compile.py; not to be changed by hand. */
"""


def c_string(text: Optional[str]) -> str:
    """A C string literal; json's escapes for what Kafka's names and our texts can hold are C's too."""
    return "NULL" if text is None else json.dumps(text, ensure_ascii=False)


def c_versions(versions: Versions) -> str:
    last = "INT16_MAX" if versions.last == OPEN_END else str(versions.last)
    return f"{{{versions.first}, {last}}}"


def boundaries(fields: list[Field]) -> set[int]:
    """The versions from which on something about one of the fields, or of those in them, is otherwise."""
    found: set[int] = set()
    for field in fields:
        for versions in (field.versions, field.nullable, field.tagged):
            if versions:
                found |= {versions.first, versions.last + 1}
        if field.members is not None:
            found |= boundaries(field.members)
    return found


def changes(message: Message) -> int:
    """Bit n says that version n is read in another way than the one before it, or is the first."""
    found = {message.versions.first} | boundaries(message.fields)
    if message.flexible:
        found |= {message.flexible.first, message.flexible.last + 1}
    if message.variant is not None:
        found |= {message.variant.versions.first, message.variant.versions.last + 1}
    mask = sum(1 << version for version in found if version in message.versions and version < MASK_BITS)
    return mask if message.variant is None else mask | changes(message.variant)


class SchemaWriter:
    """Writes structures before what uses them; equal ones once."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.rows = {name: row for row, name in enumerate(sorted(schema.displays))}
        self.lines: list[str] = []
        self.names: dict[str, str] = {}  # definition of a structure: its C name

    def row(self, filter_name: Optional[str]) -> str:
        return "UINT16_MAX" if filter_name is None else str(self.rows[filter_name])

    def field(self, field: Field, path: str) -> str:
        resolved = self.schema.fields[id(field)]
        members = "NULL" if field.members is None else "&" + self.structure(field.type, field.members, path)
        kind = "STRUCT" if field.members is not None else field.type.upper()
        parts = [
            f".name = {c_string(field.name)}", f".type = KAFKA_TYPE_{kind}",
            f".is_array = {str(field.is_array).lower()}",
            f".versions = {c_versions(field.versions)}", f".nullable = {c_versions(field.nullable)}",
            f".tagged = {c_versions(field.tagged)}", f".tag = {-1 if field.tag is None else field.tag}",
            f".meaning = KAFKA_MEANING_{resolved.meaning.upper()}", f".display = {self.row(resolved.filter)}",
            f".count_display = {self.row(resolved.count_filter)}", f".label = {c_string(resolved.label)}",
            f".element_label = {c_string(resolved.element_label)}", f".members = {members}",
        ]
        return "    {" + ", ".join(parts) + "},"

    def structure(self, name: str, fields: list[Field], path: str) -> str:
        rows = [self.field(field, f"{path}.{field.name}") for field in fields]
        definition = "\n".join([name] + rows)
        if definition in self.names:
            return self.names[definition]
        c_name = path.replace(".", "_")
        while c_name in self.names.values():
            c_name += "_variant"
        self.names[definition] = c_name
        if rows:
            self.lines += [f"static const struct kafka_field {c_name}_fields[] = {{"] + rows + ["};"]
        array = f"{c_name}_fields" if rows else "NULL"
        self.lines += [f"static const struct kafka_struct {c_name} = {{{c_string(name)}, {array}, {len(rows)}}};", ""]
        return c_name

    def message(self, message: Message) -> str:
        """The initializer of a message."""
        variant = "NULL"
        if message.variant is not None:
            initializer = self.message(message.variant)
            c_name = f"{message.name}_variant_message"
            self.lines += [f"static const struct kafka_message {c_name} = {initializer};", ""]
            variant = f"&{c_name}"
        body = self.structure(message.name, message.fields, message.name)
        return (f"{{{c_string(message.name)}, {c_versions(message.versions)}, {c_versions(message.flexible)}, "
                f"{changes(message):#x}, &{body}, {variant}}}")

    def write(self) -> str:
        api_rows = []
        for api in self.schema.apis:
            for kind in ("request", "response"):
                message = api.messages[kind]
                initializer = self.message(message)
                self.lines += [f"static const struct kafka_message {message.name}_message = {initializer};", ""]
            api_rows.append(f"    {{{api.key}, {c_string(api.name)}, &{api.messages['request'].name}_message, "
                            f"&{api.messages['response'].name}_message}},")
        data_rows = [f"    {self.message(message)}," for message in self.schema.data]
        return "\n".join([HEADER + '#include "wire/schema.h"', ""] + self.lines + [
            "const struct kafka_api kafka_apis[] = {", *api_rows, "};",
            f"const size_t kafka_api_count = {len(api_rows)};", "",
            "const struct kafka_message kafka_data_messages[] = {", *data_rows, "};",
            f"const size_t kafka_data_message_count = {len(data_rows)};", ""])

    def write_displays(self) -> str:
        rows = []
        for name in sorted(self.schema.displays):
            display = self.schema.displays[name]
            alias = "KAFKA_NO_ALIAS" if display.alias is None else self.row(display.alias)
            kind, meaning = f"KAFKA_DISPLAY_{display.type.upper()}", f"KAFKA_MEANING_{display.meaning.upper()}"
            rows.append(f"    {{{c_string(name)}, {c_string(filter_label(name))}, {kind}, {meaning}, {alias}}},")
        return "\n".join([HEADER + '#include "dissector/display.h"', "",
                          "const struct kafka_display kafka_displays[] = {", *rows, "};",
                          f"const size_t kafka_display_count = {len(rows)};", ""])
