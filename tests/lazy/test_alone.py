# SPDX-License-Identifier: GPL-2.0-or-later
"""A filter finds a field also when nothing around it is wanted, and nobody looks at the tree."""

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
