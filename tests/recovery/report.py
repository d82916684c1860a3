#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures how much is decoded of incomplete copies of all captures, and prints the table of docs/recovery.md.

With --write it puts the table there. Each way of making copies takes a minute or two.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from common.manifest import captures
from common.tshark import REPO, Tshark, scratch_dir
from copies import Source, write
from measure import Count, measure, read
from ways import WAYS, Way

DOCS = REPO / "docs" / "recovery.md"
BEGIN, END = "<!-- made by tests/recovery/report.py -->\n", "<!-- end -->\n"
# copies are made of whole captures; the manifest tells of these that packets are missing or cut
NOT_WHOLE = {"hard-loss2pct", "hard-reorder", "hard-snaplen200"}
HEAD = [
    "| captures | whole messages | decoded | worst capture | with reassembly out of order | built-in |",
    "|---|--:|--:|---|--:|--:|",
]


@dataclass
class Measured:
    counts: dict[str, Count]

    @property
    def total(self) -> Count:
        total = Count()
        for count in self.counts.values():
            total.add(count)
        return total

    @property
    def worst(self) -> tuple[str, Count]:
        return min(self.counts.items(), key=lambda item: item[1].rate)


def percent(rate: float) -> str:
    """Rounded down: 100 % is said of all only."""
    return f"{int(rate * 10000) / 100:.2f} %"


def row(way: Way, count: int, window: int, seed: int) -> str:
    whole = [one for one in captures() if not one.tls and one.name not in NOT_WHOLE]
    ports = ",".join(sorted({one.port_list for one in whole}))
    path = scratch_dir() / "copies.pcap"
    made = write(path, (copy for one in whole for copy in way.copies(Source(one, way.segment), count, window, seed)))

    def measured(tshark: Tshark, out_of_order: str) -> Measured:
        options = ["-o", f"kafka.tcp.ports:{ports}", "-o", f"tcp.reassemble_out_of_order:{out_of_order}"]
        return Measured(measure(read(tshark, path, options), made))

    usual = measured(Tshark(), "FALSE")
    other = measured(Tshark(), "TRUE")
    builtin = measured(Tshark(plugin=False), "FALSE")
    for wrong in [*usual.total.wrong, *other.total.wrong]:
        print("wrong:", wrong, file=sys.stderr)
    name, worst = usual.worst
    cells = [
        way.title,
        f"{usual.total.whole:,}",
        percent(usual.total.rate),
        f"{name}: {percent(worst.rate)} of {worst.whole:,}",
        percent(other.total.rate),
        percent(builtin.total.rate),
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--copies", type=int, default=10, help="of each capture, at most")
    parser.add_argument("--window", type=int, default=100, help="packets of a copy, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="put the table into docs/recovery.md")
    parser.add_argument("ways", nargs="*", default=list(WAYS), help="by default all: " + ", ".join(WAYS))
    options = parser.parse_args()
    lines = list(HEAD)
    for way in options.ways:
        lines.append(row(WAYS[way], options.copies, options.window, options.seed))
        print(lines[-1], flush=True)
    if options.write:
        before, _, rest = DOCS.read_text(encoding="utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        DOCS.write_text(before + BEGIN + "\n".join(lines) + "\n" + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
