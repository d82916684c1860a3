#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compiles schema/ into C tables. The build calls this; see README.md."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import errors
from emit import SchemaWriter
from model import SchemaError
from resolve import resolve

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schema", type=Path, default=ROOT / "schema", help="folder with the schema")
    parser.add_argument("--meanings", type=Path, default=ROOT / "plugin" / "wire" / "meaning.h",
                        help="header that lists the meanings")
    parser.add_argument("--schema-out", type=Path, required=True, help="messages and fields, for wire/schema.h")
    parser.add_argument("--display-out", type=Path, required=True, help="filter names, for dissector/display.h")
    parser.add_argument("--errors-out", type=Path, help="error codes, for wire/errors.h")
    arguments = parser.parse_args()
    try:
        writer = SchemaWriter(resolve(arguments.schema, arguments.meanings))
        arguments.schema_out.write_text(writer.write(), encoding="utf-8")
        arguments.display_out.write_text(writer.write_displays(), encoding="utf-8")
        if arguments.errors_out:
            arguments.errors_out.write_text(errors.write(errors.read(arguments.schema)), encoding="utf-8")
    except SchemaError as error:
        sys.exit(f"compile.py: {error}")


if __name__ == "__main__":
    main()
