# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs dump_records, which prints what plugin/wire makes of the bytes of a record set."""

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

Row = dict[str, Any]

# enum kafka_batch_problem, enum kafka_unpack_note
COUNT_AND_LAST_DELTA_DIFFER = 1 << 2
LAST_DELTA_TOO_HIGH = 1 << 11
LZ4_OLD_CHECKSUM = 1 << 0


def program() -> Path:
    path = Path(os.environ.get("KAFKA_BUILD_DIR", "build")) / "tests" / "dump_records"
    if not path.exists():
        raise FileNotFoundError(f"{path}: build the target dump_records, or set KAFKA_BUILD_DIR")
    return path


def dump(data: bytes) -> list[Row]:
    """A row for each batch ("what": "batch"), its records and what the walk over them saw, and each message."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        done = subprocess.run([program(), file.name], capture_output=True, check=True)
    assert done.stderr == b""
    return [json.loads(line) for line in done.stdout.splitlines()]


def hex_or_none(text: str | None) -> bytes | None:
    return None if text is None else bytes.fromhex(text)
