# SPDX-License-Identifier: GPL-2.0-or-later
"""The captures of captures/MANIFEST.tsv and how tshark is told to read each."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from common.tshark import REPO

FOLDER = REPO / "captures"


@dataclass(frozen=True)
class Capture:
    name: str  # file name without its extension
    broker: str
    client: str
    shows: str
    packets: int
    port_list: str

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.pcapng"

    @cached_property
    def ports(self) -> frozenset[int]:
        ports: set[int] = set()
        for part in self.port_list.split(","):
            first, _, last = part.partition("-")
            ports.update(range(int(first), int(last or first) + 1))
        return frozenset(ports)

    @property
    def tls(self) -> bool:
        return "tls" in self.name

    @property
    def options(self) -> list[str]:
        """What makes tshark take the ports for Kafka's, and the key log where there is one."""
        keys = self.path.with_suffix(".keylog")
        if self.tls:
            options = [option for port in sorted(self.ports) for option in ("-d", f"tls.port=={port},kafka")]
            return options + (["-o", f"tls.keylog_file:{keys}"] if keys.exists() else [])
        return [] if self.ports == {9092} else ["-o", f"kafka.tcp.ports:{self.port_list}"]


def captures() -> list[Capture]:
    lines = (FOLDER / "MANIFEST.tsv").read_text(encoding="utf-8").splitlines()[1:]
    found = []
    for line in lines:
        file, broker, client, shows, packets, ports = line.split("\t")
        found.append(Capture(file.removesuffix(".pcapng"), broker, client, shows, int(packets), ports))
    return sorted(found, key=lambda capture: capture.name)


def capture(name: str) -> Capture:
    return next(capture for capture in captures() if capture.name == name)
