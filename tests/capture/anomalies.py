# SPDX-License-Identifier: GPL-2.0-or-later
"""What is really wrong in the captures: expert infos of warning or above that are no error codes.

Each entry: capture, frames, expert infos that may stand there, reason. The test also fails when an entry is not needed.
"""

from dataclasses import dataclass

from common import expert_names as names


@dataclass(frozen=True)
class Anomaly:
    capture: str
    frames: frozenset[int]
    experts: frozenset[str]
    reason: str


def _anomaly(capture: str, frames: set[int], experts: set[str], reason: str) -> Anomaly:
    return Anomaly(capture, frozenset(frames), frozenset(experts), reason)


ANOMALIES: list[Anomaly] = [
    _anomaly(
        "java-4.4-fenced-producer",
        {69},
        {names.PRODUCER_FENCED},
        "the producer goes on with its epoch 0 when another has epoch 2, and the broker refuses it",
    ),
    _anomaly("raw-4.4-apiversions-v99", {32}, {names.UNKNOWN_API_KEY}, "a request with API key 999"),
    _anomaly("raw-4.4-apiversions-v99", {51}, {names.BAD_LENGTH}, "a frame of 2147483647 bytes"),
    _anomaly("raw-4.4-apiversions-v99", {58}, {names.BAD_LENGTH}, "a frame of -5 bytes"),
    _anomaly(
        "sweep-0.10.2-broker",
        {573},
        {names.UNEXPECTED_NULL, names.LEFT_OVER},
        "broker 0.10.2 answers ControlledShutdown version 3, which it does not know, in the layout of version 1",
    ),
]
