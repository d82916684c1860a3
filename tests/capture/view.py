# SPDX-License-Identifier: GPL-2.0-or-later
"""A capture as the splitter and tshark see it; each part is made once."""

from functools import cached_property

from common.manifest import Capture
from common.shown import PROTOCOLS, Shown, by_frame
from common.splitter import Pdu, split
from common.tshark import Packet, Tshark


class View:
    def __init__(self, capture: Capture, tshark: Tshark, extra: tuple[str, ...] = ()) -> None:
        self.capture, self.tshark = capture, tshark
        self.options = [*capture.options, *extra]

    @cached_property
    def expected(self) -> list[Pdu]:
        return split(self.capture.path, self.capture.ports)

    def packets(self, *passes: str) -> list[Packet]:
        """The packets with Kafka or something malformed in them."""
        options = [*self.options, *passes, "-Y", "kafka or _ws.malformed", "-J", PROTOCOLS]
        return list(self.tshark.pdml(self.capture.path, options, timeout=300))

    @cached_property
    def one_pass(self) -> list[Packet]:
        return self.packets()

    @cached_property
    def two_pass(self) -> list[Packet]:
        return self.packets("-2")

    @cached_property
    def shown(self) -> dict[int, list[Shown]]:
        return by_frame(self.one_pass)

    @cached_property
    def shown_with_passwords(self) -> dict[int, list[Shown]]:
        if not any(item.item.first("kafka.sasl_authentication") for items in self.shown.values() for item in items):
            return self.shown
        return by_frame(self.packets("-o", "kafka.show_passwords:TRUE"))

    @cached_property
    def shown_two_pass(self) -> dict[int, list[Shown]]:
        return by_frame(self.two_pass)

    @cached_property
    def columns(self) -> list[tuple[int, str, str]]:
        return self.tshark.columns(self.capture.path, [*self.options, "-Y", "kafka"])
