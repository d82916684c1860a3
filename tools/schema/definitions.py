# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the message definitions (JSON with comments) that a kafka-clients jar contains."""

from __future__ import annotations

import json
import re
import zipfile
from dataclasses import dataclass
from typing import Any, Optional

from model import NONE, SCALARS, Field, SchemaError, Versions

FOLDER = "common/message/"
# A string is matched first, so that "//" inside of one is no comment.
TOKEN = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)


@dataclass
class Definition:
    """One message as one release defines it."""

    name: str
    kind: str  # "request", "response", "data"
    api_key: Optional[int]
    versions: Versions
    flexible: Versions
    fields: list[Field]


def parse_json(text: str) -> dict[str, Any]:
    """Parses JSON with comments; what follows the object is ignored (2.8 has such a file)."""
    plain = TOKEN.sub(lambda match: match.group(1) or " ", text)
    return json.JSONDecoder().raw_decode(plain.lstrip())[0]


def default_text(value: Any) -> Optional[str]:
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_field(raw: dict[str, Any], structs: dict[str, list], parents: tuple[str, ...]) -> Field:
    is_array = raw["type"].startswith("[]")
    kind = raw["type"][2:] if is_array else raw["type"]
    members = None
    if kind not in SCALARS:
        if kind in parents:
            raise SchemaError(f"structure {kind} contains itself")
        members = [read_field(member, structs, parents + (kind,)) for member in raw.get("fields") or structs[kind]]
    tagged = Versions.parse(raw.get("taggedVersions", "none"))
    # A field that is tagged wherever it is may leave out "versions" (3.5 has one).
    return Field(
        raw["name"], kind, is_array, Versions.parse(raw["versions"]) if "versions" in raw else tagged,
        nullable=Versions.parse(raw.get("nullableVersions", "none")),
        tagged=tagged, tag=int(raw["tag"]) if tagged else None,
        default=default_text(raw.get("default")), entity=raw.get("entityType"), members=members)


def read_definition(text: str) -> Optional[Definition]:
    """Returns the definition, or None for a message that the release knows but does not speak, and for headers."""
    raw = parse_json(text)
    versions = Versions.parse(raw["validVersions"])
    if raw["type"] not in ("request", "response", "data") or not versions:
        return None
    structs = {struct["name"]: struct["fields"] for struct in raw.get("commonStructs", [])}
    # A structure that is defined where it is first used may be used again by name.
    def collect(fields: list[dict[str, Any]]) -> None:
        for field in fields:
            if field.get("fields"):
                structs.setdefault(field["type"].removeprefix("[]"), field["fields"])
                collect(field["fields"])
    collect(raw["fields"])
    for fields in list(structs.values()):
        collect(fields)
    return Definition(
        raw["name"], raw["type"], raw.get("apiKey"), versions, Versions.parse(raw.get("flexibleVersions", "none")),
        [read_field(field, structs, ()) for field in raw["fields"]])


def read_jar(path: str) -> list[Definition]:
    """All requests, responses and data messages of a jar, by name."""
    found = []
    with zipfile.ZipFile(path) as jar:
        for name in sorted(jar.namelist()):
            if name.startswith(FOLDER) and name.endswith(".json"):
                definition = read_definition(jar.read(name).decode("utf-8"))
                if definition is not None:
                    found.append(definition)
    if not found:
        raise SchemaError(f"{path} has no message definitions")
    return found
