# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that begin in the middle of connections, or lost packets: what is whole in them is decoded, and nothing is
shown that is not there. report.py measures the same on all captures, for docs/recovery.md."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest
from common.manifest import capture
from common.tshark import Tshark, scratch_dir
from copies import Copy, Source, write
from measure import Count, Seen, measure, read
from ways import WAYS

LEAST = 0.99
COPIES, WINDOW, SEED = 25, 100, 1
SAMPLE = [
    "broker-0.10.2-downconvert-client-0.9",
    "broker-0.10.2-sasl-v0-scram",
    "broker-0.8.2-oldproducer-gzip",
    "broker-3.9-java-txn",
    "cluster-4.4-raft-election",
    "connect-4.4-two-workers",
    "hard-7byte-segments",
    "hard-midstream-small",
    "hard-mss1448",
    "java-4.4-ipv6",
    "java-4.4-produce-fetch-none",
    "java-4.4-sasl-scram256",
    "java-4.4-transactions",
    "kcat-4.4",
    "node-kafkajs-4.4",
    "python-confluent-4.4",
    "raw-4.4-pipelined",
    "zkcluster-0.10.2-two-brokers",
]
PORTS = ",".join(sorted({capture(name).port_list for name in SAMPLE}))


@dataclass
class Made:
    """One file with all copies that are made in one way."""

    tshark: Tshark
    way: str

    def copies_of_all(self) -> Iterator[Copy]:
        for name in SAMPLE:
            yield from WAYS[self.way].copies(Source(capture(name), WAYS[self.way].segment), COPIES, WINDOW, SEED)

    @cached_property
    def copies(self) -> list[Copy]:
        return write(self.path, self.copies_of_all())

    @cached_property
    def path(self) -> Path:
        return scratch_dir() / "copies.pcap"

    def shown(self, out_of_order: bool, *passes: str) -> dict[int, list[Seen]]:
        assert self.copies
        options = ["-o", f"kafka.tcp.ports:{PORTS}", "-o", f"tcp.reassemble_out_of_order:{str(out_of_order).upper()}"]
        return read(self.tshark, self.path, [*options, *passes])

    @cached_property
    def one_pass(self) -> dict[int, list[Seen]]:
        return self.shown(False)

    @cached_property
    def out_of_order(self) -> dict[int, list[Seen]]:
        return self.shown(True)


@pytest.fixture(scope="module", params=list(WAYS))
def made(request: pytest.FixtureRequest, tshark: Tshark) -> Made:
    return Made(tshark, request.param)


def check(counts: dict[str, Count], least: float) -> None:
    wrong = [line for count in counts.values() for line in count.wrong]
    assert wrong == []
    name, worst = min(counts.items(), key=lambda item: item[1].rate)
    assert worst.rate >= least, f"{name}: {worst.rate:.2%} of {worst.whole}: {worst.missing[:20]}"


def test_recovered(made: Made) -> None:
    counts = measure(made.one_pass, made.copies)
    assert sum(count.whole for count in counts.values()) > 2000
    check(counts, LEAST)


def test_out_of_order(made: Made) -> None:
    """With reassembly of what arrives out of order TCP waits at a hole for ever."""
    check(measure(made.out_of_order, made.copies), LEAST if WAYS[made.way].has_no_holes else 0)


def test_two_passes(made: Made) -> None:
    assert made.shown(False, "-2") == made.one_pass


def test_two_passes_out_of_order(made: Made) -> None:
    assert made.shown(True, "-2") == made.out_of_order


def test_most_responses_without_request_are_recognised(made: Made) -> None:
    total = Count()
    for count in measure(made.one_pass, made.copies).values():
        total.add(count)
    assert total.assumed >= total.orphans * 0.6
