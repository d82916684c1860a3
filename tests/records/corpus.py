# SPDX-License-Identifier: GPL-2.0-or-later
"""The corpus that regenerate.sh makes: record sets, and what Kafka's own reader says of each."""

import hashlib
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent / "corpus.zip"
MAX_HEX_BYTES = 128  # longer values are given by their hash


@dataclass(slots=True)
class RecordSet:
    name: str  # "v2-lz4-size-100": magic, codec, shape
    data: bytes
    expected: list[dict[str, Any]]  # "what": "batch", "record", and at last "rest"


def record_sets(corpus: Path = CORPUS) -> Iterator[RecordSet]:
    with zipfile.ZipFile(corpus) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".bin"):
                lines = archive.read(name.removesuffix(".bin") + ".jsonl").splitlines()
                yield RecordSet(name.removesuffix(".bin"), archive.read(name), [json.loads(line) for line in lines])


def as_expected(value: bytes | None) -> str | None:
    """A key or value in the form that the corpus has it."""
    if value is None:
        return None
    if len(value) <= MAX_HEX_BYTES:
        return value.hex()
    return f"sha256:{len(value)}:{hashlib.sha256(value).hexdigest()}"
