# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads back hand-made captures."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from common.pcap import Capture
from common.shown import PROTOCOLS, Shown, pdus
from common.tshark import Expert, Packet, Tshark, experts


@dataclass
class Reading:
    """What tshark shows of a capture."""

    tshark: Tshark
    path: Path
    options: Sequence[str] = ()

    @cached_property
    def packets(self) -> list[Packet]:
        return list(self.tshark.pdml(self.path, [*self.options, "-J", f"{PROTOCOLS} http tls data smpp dcerpc"]))

    @cached_property
    def items(self) -> list[Shown]:
        """All protocol items "kafka", bytes that only continue a PDU included."""
        return [shown for packet in self.packets for shown in pdus(packet)]

    @property
    def shown(self) -> list[Shown]:
        return [shown for shown in self.items if shown.is_message]

    @property
    def headers(self) -> list[tuple[int, str | None, int | None, int | None]]:
        """Frame, direction, API key, correlation id of each PDU."""
        return [(s.frame, s.direction, s.api_key, s.correlation_id) for s in self.shown]

    @property
    def correlation_ids(self) -> list[int | None]:
        return [shown.correlation_id for shown in self.shown]

    @cached_property
    def experts(self) -> list[Expert]:
        return [expert for packet in self.packets for expert in experts(packet)]

    @property
    def kafka_experts(self) -> list[Expert]:
        return [expert for expert in self.experts if expert.name.startswith(("kafka.", "_ws.malformed"))]

    @property
    def malformed(self) -> list[int]:
        return [packet.number for packet in self.packets if packet.malformed]

    def protocols(self, frame: int) -> list[str]:
        return [proto.name for proto in self.packets[frame - 1].protos]


def read(tshark: Tshark, capture: Capture, folder: Path, options: Sequence[str] = ()) -> Reading:
    return Reading(tshark, capture.write(folder / "made.pcap"), options)


def severe(experts_found: list[Expert]) -> list[Expert]:
    return [expert for expert in experts_found if expert.severity in ("warning", "error")]
