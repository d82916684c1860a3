# SPDX-License-Identifier: GPL-2.0-or-later
"""Every field of every message in every version, at its bytes: Kafka's own writers against what Wireshark shows.

KAFKA_CONFORMANCE_CORPUS names another folder than the committed corpus (see regenerate.sh).
"""

import itertools
import os
import shutil
from collections import Counter
from pathlib import Path

import pytest
from common.handmade import read
from common.messages import metadata_request
from common.pcap import Capture, Connection
from common.tshark import Tshark

from conformance import expected, pdml
from conformance.compare import Comparison
from conformance.expected import Node, Pdu

FOLDER = Path(os.environ.get("KAFKA_CONFORMANCE_CORPUS", expected.CORPUS))
CAPTURES = expected.captures(FOLDER)
LINES_SHOWN = 12
NEWEST = "4.4.0"
# Of Kafka 3.9.2, 4.0.0 and 4.4.0 together.
PAIRS = 368

# What belongs to an item, but to none of its children, has no more bytes than this: a count, a byte of presence.
LARGEST_PREFIX = {"array": 5, "struct": 1, expected.TAGS: 5, expected.TAG: 0}


@pytest.fixture(scope="session")
def newest_messages() -> dict[tuple[int, bool], str]:
    """The newest names of the messages, by API key and direction."""
    result: dict[tuple[int, bool], str] = {}
    for capture in CAPTURES:
        first = {pdu.request: pdu for pdu in expected.read(expected.list_of(capture))}
        for pdu in first.values():
            if pdu.release == NEWEST or (pdu.api, pdu.request) not in result:
                result[pdu.api, pdu.request] = pdu.message
    return result


def readable_copy(capture: Path, folder: Path) -> Path:
    """The folder of the corpus need not be readable for the user that tshark runs as."""
    copy = Path(shutil.copy(capture, folder))
    copy.chmod(0o644)
    return copy


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.name.removesuffix(".pcap.gz"))
def test_every_leaf_is_shown(
    tshark: Tshark, scratch: Path, newest_messages: dict[tuple[int, bool], str], capture: Path
) -> None:
    pdus = expected.read(expected.list_of(capture))
    items = pdml.kafka_items(tshark, readable_copy(capture, scratch))
    differences = []
    for pdu, found in itertools.zip_longest(pdus, items):
        if pdu is None or found is None or pdu.frame != found[0]:
            shown_there = f"frame {found[0]}" if found else "nothing"
            differences.append(f"{pdu or 'the end'} was expected, {shown_there} is shown")
            break
        message = newest_messages[pdu.api, pdu.request]
        comparison = Comparison(pdu, found[1], message, pdu.release != NEWEST, tshark.version())
        differences += comparison.differences()
    if differences:
        more = len(differences) - LINES_SHOWN
        lines = differences[:LINES_SHOWN] + ([f"... and {more} more"] if more > 0 else [])
        pytest.fail(f"{len(differences)} differences in {capture.name}\n  " + "\n  ".join(lines), pytrace=False)


def _changes(node: Node) -> list[tuple[str, object]]:
    """For each attribute of a node another value that it could have."""
    changes: list[tuple[str, object]] = [("offset", node.offset + 1), ("length", node.length + 1)]
    if node.type in (expected.TAG, "records"):
        return changes
    if node.value is None:
        return [*changes, ("value", "" if node.type in ("string", "bytes") else 0)]
    if node.type == "struct":
        return [*changes, ("value", None)]
    if isinstance(node.value, bool):
        return [*changes, ("value", not node.value)]
    if isinstance(node.value, int):
        return [*changes, ("value", node.value ^ 1)]
    if node.type == "float64":
        return [*changes, ("value", "4045000000000000")]
    flipped = f"{int(node.value[-1:] or '0', 16) ^ 1:x}" if node.type != "string" else "?"
    return [*changes, ("value", node.value[:-1] + flipped if node.value else "00")]


def test_characters_that_no_xml_may_have(tshark: Tshark, scratch: Path) -> None:
    """Random strings have them now and then, and PDML as they are."""
    odd = "a\ufffeb\uffffc\U0010ffff"
    capture = Capture()
    Connection(capture).open().request(metadata_request(1, [odd]))
    (shown,) = read(tshark, capture, scratch).shown
    assert shown.item.shows("kafka.topic_name") == [odd]


@pytest.mark.parametrize("name", ["03-Metadata-4.4.0", "55-DescribeQuorum-4.4.0", "88-StreamsGroupHeartbeat-4.4.0"])
def test_comparison_sees_every_change(tshark: Tshark, scratch: Path, name: str) -> None:
    """Where the list says something else than the capture has, however little, there is a difference."""
    capture = expected.CORPUS / f"{name}.pcap.gz"
    items = pdml.kafka_items(tshark, readable_copy(capture, scratch))
    for pdu, (_, item) in zip(expected.read(expected.list_of(capture)), items, strict=True):
        # Some of the nodes of each message: each change wants a comparison of its own.
        nodes = [inner for node in [*pdu.head, *pdu.body] for inner in node.walk()]
        for node in nodes[:: max(1, len(nodes) // 12)]:
            for attribute, other in _changes(node):
                was = getattr(node, attribute)
                setattr(node, attribute, other)
                found = list(Comparison(pdu, item, pdu.message, False, tshark.version()).differences())
                assert found, f"{pdu}: {node.name} {attribute} {was!r} -> {other!r}"
                setattr(node, attribute, was)


def test_corpus_has_every_version_of_every_message() -> None:
    found = Counter(
        (pdu.api, pdu.version, pdu.request) for capture in CAPTURES for pdu in expected.read(expected.list_of(capture))
    )
    assert len(found) == 2 * PAIRS
    assert min(found.values()) >= 3
    assert {key[:2] for key in found if key[2]} == {key[:2] for key in found if not key[2]}


def _gaps(first: int, last: int, nodes: list[Node]) -> list[tuple[int, int]]:
    """The bytes from first to last that no node covers, as (offset, length); nodes must not overlap."""
    gaps = []
    at = first
    for node in nodes:
        assert node.offset >= at
        if node.offset > at:
            gaps.append((at, node.offset - at))
        at = node.end
    assert at <= last
    if at < last:
        gaps.append((at, last - at))
    return gaps


def _check_cover(node: Node) -> None:
    """All bytes of a node lie in its children, but for a prefix that says how much follows and an empty tag section."""
    gaps = _gaps(node.offset, node.end, node.children)
    if gaps and node.type == "struct" and gaps[-1][0] + gaps[-1][1] == node.end and node.value is not None:
        offset, length = gaps.pop()
        if length > 1:
            # presence and an empty tag section without a field between them
            assert length == 2 and not node.children
    for offset, length in gaps:
        assert offset == node.offset and length <= LARGEST_PREFIX[node.type], node


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.name.removesuffix(".pcap.gz"))
def test_expected_leaves_leave_no_gap(capture: Path) -> None:
    for pdu in expected.read(expected.list_of(capture)):
        nodes = [Node("Length", "int32", 0, 4, pdu.length - 4), *pdu.head, *pdu.body]
        # Empty tag sections: one may end the header, one the body.
        ends = {pdu.head[-1].end, pdu.length - 1}
        for offset, length in _gaps(0, pdu.length, nodes):
            assert length == 1 and offset in ends or length == 2 and not pdu.body, pdu
        for node in nodes:
            for inner in node.walk():
                if inner.children:
                    _check_cover(inner)
