#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes schema/messages from the message definitions in kafka-clients jars. update.sh calls this; see README.md."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path

import notation
from definitions import Definition, read_jar
from differences import Known, compare
from merge import merge_message
from model import Api, Message, SchemaError

ROOT = Path(__file__).resolve().parents[2]


def jar_version(path: str) -> tuple[int, ...]:
    found = re.search(r"(\d+(?:\.\d+)+)\.jar$", path)
    if found is None:
        raise SchemaError(f"{path}: the name of a jar ends with its version")
    return tuple(int(part) for part in found.group(1).split("."))


def identity(definition: Definition) -> tuple[str, object]:
    """What stays the same in all releases: APIs have been renamed, their keys have not."""
    return definition.kind, definition.name if definition.api_key is None else definition.api_key


def merge(releases: list[list[Definition]]) -> tuple[list[Api], list[Message]]:
    groups: dict[tuple[str, object], list[Definition]] = {}
    for release in releases:
        for definition in release:
            groups.setdefault(identity(definition), []).append(definition)
    apis: dict[int, Api] = {}
    data = []
    for (kind, key), definitions in groups.items():
        message = merge_message(definitions)
        if not isinstance(key, int):
            data.append(message)
            continue
        api = apis.setdefault(key, Api(key, ""))
        api.messages[kind] = message
        if kind == "request":
            api.name = message.name[:-len("Request")]
    return sorted(apis.values(), key=lambda api: api.key), sorted(data, key=lambda message: message.name)


def write(folder: Path, apis: list[Api], data: list[Message]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "data").mkdir(parents=True)
    for api in apis:
        (folder / f"{api.name}.txt").write_text(notation.write_api(api), encoding="utf-8")
    for message in data:
        (folder / "data" / f"{message.name}.txt").write_text(notation.write_data(message), encoding="utf-8")


def check(folder: Path, jars: list[str], known: Known) -> None:
    """Reads the files again and compares each (message, version) of each jar with them."""
    apis, data = notation.read_folder(folder)
    messages: dict[tuple[str, object], Message] = {("data", message.name): message for message in data}
    for api in apis:
        for kind, message in api.messages.items():
            messages[kind, api.key] = message
    problems = []
    compared = 0
    for jar in jars:
        for definition in read_jar(jar):
            message = messages.get(identity(definition))
            where = f"{Path(jar).name}: {definition.name}"
            if message is None:
                problems.append(f"{where}: not in the schema")
                continue
            for version in definition.versions:
                problems += [f"{where} {version}: {text}" for text in compare(message, definition, version, known)]
                compared += 1
    if problems:
        raise SchemaError("\n".join(problems))
    pairs = sum(len(list(api.messages["request"].versions)) for api in apis)
    print(f"{len(apis)} APIs, {pairs} (API, version) pairs, {len(data)} other messages; "
          f"{compared} (message, version) layouts of {len(jars)} jars are equal")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jars", nargs="+", help="kafka-clients jars whose versions are merged")
    parser.add_argument("--out", type=Path, default=ROOT / "schema" / "messages", help="folder that is made anew")
    parser.add_argument("--known", type=Path, default=ROOT / "schema" / "differences.tsv",
                        help="what is known to differ between releases")
    parser.add_argument("--check", nargs="*", default=[], metavar="JAR", help="further jars that are only compared")
    arguments = parser.parse_args()
    try:
        jars = sorted(arguments.jars, key=jar_version, reverse=True)
        apis, data = merge([read_jar(jar) for jar in jars])
        write(arguments.out, apis, data)
        known = Known.read(arguments.known)
        check(arguments.out, jars + arguments.check, known)
        if arguments.check:
            known.refuse_unused()
    except SchemaError as error:
        sys.exit(f"extract.py: {error}")


if __name__ == "__main__":
    main()
