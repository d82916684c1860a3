# SPDX-License-Identifier: GPL-2.0-or-later
"""Every field of the built-in dissector has the same values in the plugin, where the built-in reads to the end."""

import pytest
from common.manifest import captures
from common.tshark import Tshark
from compare import Comparison, Exemption, builtin_filters, exemptions, message_name, pdus_of, read_to_the_end

# What is inside of record sets is not decoded into fields yet.
INSIDE_RECORDS = {
    "kafka.batch_base_sequence",
    "kafka.batch_codec",
    "kafka.batch_control_batch",
    "kafka.batch_crc",
    "kafka.batch_first_timestamp",
    "kafka.batch_last_offset_delta",
    "kafka.batch_last_timestamp",
    "kafka.batch_size",
    "kafka.batch_timestamp_type",
    "kafka.batch_transactional",
    "kafka.header_key",
    "kafka.header_value",
    "kafka.message_codec",
    "kafka.message_compression_reduction",
    "kafka.message_crc",
    "kafka.message_key",
    "kafka.message_magic",
    "kafka.message_size",
    "kafka.message_timestamp",
    "kafka.message_timestamp_type",
    "kafka.message_value",
    "kafka.record_attributes",
    "kafka.truncated_content",
}
# Fields of messages that batches have as well: not compared where there are records.
ALSO_INSIDE_RECORDS = {
    "kafka.leader_epoch",
    "kafka.offset",
    "kafka.producer_epoch",
    "kafka.producer_id",
}
RECORD_APIS = {0, 1}
# captures with few versions that a built-in dissector knows, or with the same messages over and over
LEFT_OUT = ("cluster-4.4", "connect-4.4", "hard-", "java-4.4")
LEAST_FIELDS, LEAST_MESSAGES = 110, 280


def series(program: Tshark) -> str:
    major, minor, _ = program.version()
    return f"{major}.{minor}"


@pytest.fixture(scope="module")
def comparison(tshark: Tshark, builtin: Tshark) -> Comparison:
    result = Comparison()
    allowed = exemptions(series(builtin))
    filters = builtin_filters().keys() - INSIDE_RECORDS
    for capture in captures():
        if capture.tls or capture.name.startswith(LEFT_OUT):
            continue
        theirs, malformed = pdus_of(builtin, capture)
        ours, _ = pdus_of(tshark, capture)
        for frame, pdus in theirs.items():
            by_id = {(s.length, s.correlation_id, s.direction): s for s in ours.get(frame, [])}
            for shown in pdus:
                if not read_to_the_end(shown, malformed):
                    continue
                mine = by_id.get((shown.length, shown.correlation_id, shown.direction))
                if mine is None or (mine.api_key, mine.api_version) != (shown.api_key, shown.api_version):
                    result.different.append(("PDU", message_name(shown), frame, capture.name, len(ours.get(frame, []))))
                    continue
                left_out = ALSO_INSIDE_RECORDS if shown.api_key in RECORD_APIS else set()
                result.add(shown, mine, sorted(filters - left_out), allowed)
    return result


def test_same_values(comparison: Comparison) -> None:
    kinds = {(name, message) for name, message, *_ in comparison.different}
    shown = [next(d for d in comparison.different if d[:2] == kind) for kind in sorted(kinds)]
    lines = [f"{name} in {message}, frame {rest}" for name, message, *rest in shown]
    assert not lines, "\n".join([f"{len(comparison.different)} in all", *lines])


def test_coverage(comparison: Comparison) -> None:
    """Enough was compared; run pytest with -rP to see what."""
    never = sorted(builtin_filters().keys() - INSIDE_RECORDS - comparison.compared.keys())
    print(f"{len(comparison.messages)} messages, {len(comparison.compared)} fields compared, never: {never}")
    assert len(comparison.compared) >= LEAST_FIELDS
    assert len(comparison.messages) >= LEAST_MESSAGES


def test_documented_differences_are_real(comparison: Comparison, builtin: Tshark) -> None:
    """A row of docs/filters.md that no capture needs is out of date."""
    unused: list[Exemption] = [e for e in exemptions(series(builtin)) if not comparison.exempted[e]]
    assert unused == []
