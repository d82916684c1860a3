# SPDX-License-Identifier: GPL-2.0-or-later
"""The ways in which captures are made incomplete."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from copies import Copy, Source, cuts_at_packets, cuts_inside_packets, with_loss, with_snaplen

ORDINARY_SEGMENT = 1448
LOSS = 0.02
SNAPLEN = 160


def _losses(source: Source, count: int, window: int, seed: int) -> Iterator[Copy]:
    """As many packets as the other ways take, and three copies at least."""
    for number in range(max(count * window // len(source.packets), 3)):
        yield with_loss(source, LOSS, seed + number)


def _snapped(source: Source, _count: int, _window: int, _seed: int) -> Iterator[Copy]:
    yield with_snaplen(source, SNAPLEN)


@dataclass(frozen=True)
class Way:
    title: str
    make: Callable[[Source, int, int, int], Iterable[Copy]]
    segment: int | None  # largest segment
    has_no_holes: bool

    def copies(self, source: Source, count: int, window: int, seed: int) -> Iterable[Copy]:
        """At most `count` copies of at most `window` packets, or as many packets in copies of the whole."""
        return self.make(source, count, window, seed)


WAYS = {
    "packets": Way("begun at a packet", cuts_at_packets, None, True),
    "packets-1448": Way("begun at a packet, segments of 1448 bytes", cuts_at_packets, ORDINARY_SEGMENT, True),
    "bytes": Way("begun inside a packet", cuts_inside_packets, None, True),
    "bytes-1448": Way("begun inside a packet, segments of 1448 bytes", cuts_inside_packets, ORDINARY_SEGMENT, True),
    "loss": Way("2 % of packets lost", _losses, None, False),
    "loss-1448": Way("2 % of packets lost, segments of 1448 bytes", _losses, ORDINARY_SEGMENT, False),
    "snaplen": Way("packets cut at 160 bytes", _snapped, None, False),
}
