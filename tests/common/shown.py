# SPDX-License-Identifier: GPL-2.0-or-later
"""Kafka PDUs as tshark shows them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from common.splitter import REQUEST, RESPONSE
from common.tshark import Item, Packet

# protocols of a packet that tests look at
PROTOCOLS = "frame tcp kafka _ws.malformed _ws.short"


@dataclass(slots=True)
class Shown:
    """One protocol item "kafka"."""

    frame: int
    time_ns: int
    item: Item

    def value(self, name: str) -> str | None:
        """Of a field of the header: it stands directly below the protocol item."""
        return next((child.show for child in self.item.children if child.name == name), None)

    def number(self, name: str) -> int | None:
        value = self.value(name)
        return None if value is None else int(value, 0)

    @property
    def is_message(self) -> bool:
        """Not the rest of a PDU that began in an earlier segment, nor bytes without a usable length."""
        return self.length is not None and not self.item.first("kafka.continuation")

    @property
    def is_assumed(self) -> bool:
        """A response without a request, whose API and version are taken from its bytes."""
        return self.value("kafka.response.assumed") is not None

    @property
    def direction(self) -> str | None:
        if self.value("kafka.request_key") is not None:
            return REQUEST
        return RESPONSE if self.value("kafka.correlation_id") is not None else None

    @property
    def length(self) -> int | None:
        return self.number("kafka.len")

    @property
    def api_key(self) -> int | None:
        return self.number("kafka.api_key")

    @property
    def api_version(self) -> int | None:
        return self.number("kafka.api_version" if self.direction == REQUEST else "kafka.response.version")

    @property
    def correlation_id(self) -> int | None:
        return self.number("kafka.correlation_id")

    @property
    def text(self) -> str:
        return self.item.showname

    def elapsed_ns(self) -> int | None:
        value = self.value("kafka.time")
        return None if value is None else int(Decimal(value) * 10**9)


def pdus(packet: Packet) -> list[Shown]:
    """The PDUs of a packet in the order of the tree; PDUs inside of PDUs (Envelope) are not listed."""
    frame = next(proto for proto in packet.protos if proto.name == "frame")
    epoch = frame.first("frame.time_epoch")
    time_ns = int(Decimal(epoch.show) * 10**9) if epoch and "T" not in epoch.show else 0
    return [Shown(packet.number, time_ns, proto) for proto in packet.protos if proto.name == "kafka"]


def by_frame(packets: Iterable[Packet]) -> dict[int, list[Shown]]:
    found: dict[int, list[Shown]] = defaultdict(list)
    for packet in packets:
        found[packet.number] += pdus(packet)
    return found


def labels(item: Item, depth: int = 0) -> Iterator[tuple[int, str, str, str, int, int]]:
    """The tree as rows (depth, filter, value, text, position, size), expert infos included."""
    yield depth, item.name, item.show, item.showname, item.pos, item.size
    for child in item.children:
        yield from labels(child, depth + 1)
