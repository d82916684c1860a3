# SPDX-License-Identifier: GPL-2.0-or-later
"""Filters by what values of control records have find every one, wherever its batch stands in the record set."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from common.manifest import capture
from common.tshark import Tshark, scratch_dir
from frames import Frames
from record_builder import CONTROL, TRANSACTIONAL, Batch, marker, some_records

PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])
VOTERS = capture("cluster-4.4-add-voter-snapshot")


def frames_found(tshark: Tshark, path: Path, wanted: str, options: Sequence[str]) -> list[int]:
    """Without a tree that anybody sees, which `-T fields` has in Wireshark 4.0, and with the Info column."""
    return [int(line.split()[0]) for line in tshark.read(path, [*options, "-Y", wanted]).text.splitlines()]


@PASSES
def test_transaction_markers(tshark: Tshark, passes: tuple[str, ...]) -> None:
    control = bytes(
        Batch([marker(1)], attributes=CONTROL | TRANSACTIONAL, base_offset=50, producer_id=5, producer_epoch=0)
    )
    data = bytes(Batch(some_records(4)))
    frames = Frames()
    part = data + control
    ids = [
        frames.fetch(12, control),
        frames.fetch(12, data, part),
        frames.fetch_snapshot(0, len(part), part),
        frames.fetch_snapshot(9, len(part), part[9:]),
        frames.fetch(12, bytes(Batch(some_records(4), length=100_000)) + control),
        frames.fetch(12, bytes(30) + control),
    ]
    frames.fetch(12, data)
    frames.fetch(12, data[:-3])
    # The connection begins with three packets, and each exchange has two.
    with_markers = [3 + 2 * correlation_id for correlation_id in ids]
    path = frames.capture.write(scratch_dir() / "made.pcap")
    for wanted in ("kafka.coordinator_epoch", "kafka.control_record_type"):
        assert frames_found(tshark, path, wanted, passes) == with_markers


@PASSES
def test_every_field_of_control_values(tshark: Tshark, passes: tuple[str, ...]) -> None:
    """What a filter finds is what the tree has that people see."""
    names: set[str] = set()
    frames: dict[str, set[int]] = {}
    options = [*VOTERS.options, *passes]
    for packet in tshark.pdml(VOTERS.path, options):
        for item in (item for proto in packet.protos if proto.name == "kafka" for item in proto.walk()):
            frames.setdefault(item.name, set()).add(packet.number)
            if (item.showname or item.show).startswith("Control record"):
                names |= {inner.name for inner in item.walk() if inner.name.startswith("kafka.")}
    assert {"kafka.uuid", "kafka.control_record_version"} < names
    for name in sorted(names):
        assert frames_found(tshark, VOTERS.path, name, options) == sorted(frames[name]), name
