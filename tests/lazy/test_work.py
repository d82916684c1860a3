# SPDX-License-Identifier: GPL-2.0-or-later
"""What nobody looks at is not computed: checksums, unpacking and walks over records are counted by the plugin."""

from pathlib import Path

import pytest
from common.manifest import capture
from common.tshark import Tshark, scratch_dir

PACKED = capture("java-4.4-produce-fetch-gzip").path
NOTHING = {"checksums": 0, "inflations": 0, "record_walks": 0}


def work(path: Path, *args: str, **how) -> dict[str, int]:
    counts = scratch_dir() / "work"
    tshark = Tshark(extra_env=(("KAFKA_WORK_COUNTS", str(counts)),))
    tshark.read(path, args, **how)
    return {name: int(value) for name, value in (line.split() for line in counts.read_text().splitlines())}


@pytest.mark.parametrize(
    "args",
    [
        ("-q", "-z", "io,phs"),
        ("-Y", "tcp.port == 9092"),
        ("-Y", "kafka"),
        ("-Y", "kafka.topic_name == \"jp-gzip\""),
        ("-Y", "kafka.error != 0"),
        ("-2", "-R", "kafka.api_key == 1", "-q"),
        ("-q", "-z", "io,stat,0,kafka.api_key == 0"),
    ],
)
def test_nothing_for_those_who_ask_for_no_record(args: tuple[str, ...]) -> None:
    assert work(PACKED, *args) == NOTHING


@pytest.mark.parametrize("field", ["batch_codec", "producer_id", "batch_base_sequence", "batch_size"])
def test_batch_headers_need_no_unpacking(field: str) -> None:
    assert work(PACKED, "-Y", f"kafka.{field} == 1") == NOTHING


def test_info_column_needs_no_unpacking() -> None:
    assert work(PACKED, "-o", "gui.column.format:\"Info\",\"%i\"") == NOTHING


@pytest.mark.parametrize("field", ["message_key", "message_value.text", "header_key", "record_offset_delta"])
def test_records_need_no_checksum(field: str) -> None:
    done = work(PACKED, "-Y", f"kafka.{field}")
    assert done["checksums"] == 0
    assert done["inflations"] > 0
    assert done["record_walks"] == done["inflations"]


@pytest.mark.parametrize("field", ["batch_crc.status", "batch_crc.bad"])
def test_checksums_need_no_unpacking(field: str) -> None:
    done = work(PACKED, "-Y", f"kafka.{field}")
    assert done["checksums"] > 0
    assert done["inflations"] == done["record_walks"] == 0


@pytest.mark.parametrize("args", [("-q", "-z", "expert"), ("-Y", "_ws.expert"), ("-Y", "_ws.expert.severity == \"Error\""), ("-V",)])
def test_expert_infos_need_everything(args: tuple[str, ...]) -> None:
    done = work(PACKED, *args)
    assert done["checksums"] > 0
    assert done["inflations"] > 0
    assert done["record_walks"] > 0


def test_everything_is_done_once() -> None:
    """One checksum and one inflation a batch, however many fields want them."""
    batches = sum(
        len(row["kafka.batch_crc"]) for row in Tshark().fields(PACKED, ["kafka.batch_crc"])
    )
    assert batches > 0
    assert work(PACKED, "-V") == {"checksums": batches, "inflations": batches, "record_walks": batches}
