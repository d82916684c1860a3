# SPDX-License-Identifier: GPL-2.0-or-later
"""A filter finds a field also when nothing around it is wanted, and nobody looks at the tree."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from common.manifest import Capture, capture
from common.tshark import Tshark

ADMIN = capture("java-4.4-admin")
RECORDS = capture("java-4.4-produce-fetch-none")


@pytest.mark.parametrize(
    "known, name",
    [
        (ADMIN, "kafka.authorized_operations.read"),
        (ADMIN, "kafka.null"),
        (ADMIN, "kafka.uuid"),
        (ADMIN, "kafka.header_version"),
        (ADMIN, "kafka.tagged_fields_count"),
        (ADMIN, "kafka.timestamp"),
        (RECORDS, "kafka.fetch_lag"),
        (RECORDS, "kafka.session.topic_name"),
        (RECORDS, "kafka.record_header_count"),
        (RECORDS, "kafka.batch_last_offset"),
        (RECORDS, "kafka.throttle_time"),
    ],
)
def test_found_alone(tshark: Tshark, known: Capture, name: str) -> None:
    shown = [packet.number for packet in tshark.kafka(known.path, known.options) if any(packet.named(name))]
    found = tshark.read(known.path, [*known.options, "-Y", name]).text.splitlines()
    assert shown, "the capture does not have it"
    assert [int(line.split()[0]) for line in found] == shown


@pytest.mark.parametrize(
    "known, passes",
    [
        (capture("broker-3.9-java-txn"), ("-2",)),
        (capture("broker-0.8.2-oldproducer-gzip"), ()),
        (capture("java-4.4-errors"), ()),
    ],
)
def test_every_field_found_alone(tshark: Tshark, known: Capture, passes: tuple[str, ...]) -> None:
    """Each field of a capture by itself: what is passed over for one filter must not be what another one asks for."""
    options = [*known.options, *passes]
    shown: dict[str, set[int]] = {}
    for packet in tshark.kafka(known.path, options):
        for item in (item for proto in packet.protos for item in proto.walk()):
            if item.name.startswith("kafka."):
                shown.setdefault(item.name, set()).add(packet.number)

    def found(name: str) -> set[int]:
        return {int(line.split()[0]) for line in tshark.read(known.path, [*options, "-Y", name]).text.splitlines()}

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        differences = {name for name, frames in zip(shown, pool.map(found, shown)) if frames != shown[name]}
    assert len(shown) > 50
    assert not differences
