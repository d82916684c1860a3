# SPDX-License-Identifier: GPL-2.0-or-later
"""The same tree in every pass, but for what only a later pass can know.

Classes of facts:
  known at the time   values, request frame, time, expert infos at bytes: the same in one pass, in the second of two,
                      and in any later dissection in any order
  known later         LATER: response frame, no response: from the second pass on; also the name of a topic id that a
                      later frame gives (kafka.topic_name_frame), in the tree and in the texts that tell it, and what
                      comes later in a transaction: its begin for InitProducerId, its end, and its outcome
"""

import json
import subprocess

import pytest
from common.manifest import capture
from common.shown import labels
from common.tshark import Item, Tshark
from view import View

LATER = {
    "kafka.response_frame",
    "kafka.no_response",
    "kafka.no_response.expert",
}
BEGIN, END, OUTCOME = "kafka.transaction.first_frame", "kafka.transaction.end_frame", "kafka.transaction.outcome"


def is_later_name(item: Item, frame: int) -> bool:
    learned = item.number("kafka.topic_name_frame") if item.name == "kafka.topic_name" else None
    return learned is not None and learned > frame


def is_later_end(item: Item, parent: Item, frame: int) -> bool:
    """Of what is below kafka.transaction; the outcome of one that has not ended before this frame is confirmed later."""
    if item.name in (BEGIN, END):
        return int(item.show) > frame
    ended = parent.number(END)
    return item.name == OUTCOME and (ended is None or ended >= frame or not parent.shows("kafka.transaction.duration"))


def without_later(item: Item, frame: int) -> Item:
    """The item as the first pass could show it in that frame."""
    children = []
    show = item.show
    for child in item.children:
        if child.name in LATER or (child.name == "_ws.expert" and any(c.name in LATER for c in child.children)):
            continue
        if is_later_name(child, frame) or is_later_end(child, item, frame):
            continue
        for name in child.children:
            if is_later_name(name, frame):
                show = show.replace(f" {name.show}", f" {child.shows('kafka.uuid')[0]}", 1)
        children.append(without_later(child, frame))
    return Item(item.name, show, item.showname, item.pos, item.size, item.value, item.hidden, children)


def test_one_pass_and_two(view: View) -> None:
    """Two passes show the same PDUs and, in them, everything that one pass shows."""
    assert view.shown.keys() == view.shown_two_pass.keys()
    wrong = []
    for frame, pdus in view.shown.items():
        others = view.shown_two_pass[frame]
        one = [list(labels(without_later(shown.item, frame))) for shown in pdus]
        two = [list(labels(without_later(shown.item, frame))) for shown in others]
        if one != two:
            first = next(((a, b) for x, y in zip(one, two) for a, b in zip(x, y) if a != b), (len(one), len(two)))
            wrong.append((frame, first))
    assert wrong == []


def test_later_facts_do_not_stand_in_the_first_pass(view: View) -> None:
    wrong = []
    for frame, pdus in view.shown.items():
        for shown in pdus:
            items = list(shown.item.walk())
            wrong += [(frame, item.name) for item in items if item.name in LATER or is_later_name(item, frame)]
            wrong += [(frame, child.name) for item in items for child in item.children if is_later_end(child, item, frame)]
    assert wrong == []


REDISSECTED = [
    "broker-0.10.2-sasl-v0-scram",
    "broker-0.9-kafka-python",
    "err-4.4-duplicate-batch",
    "go-franz-4.4",
    "hard-7byte-segments",
    "hard-loss2pct",
    "hard-midstream-large",
    "hard-midstream-small",
    "hard-snaplen200",
    "java-4.4-acks0-acks1-pipelined",
    "java-4.4-fetch-sessions",
    "java-4.4-fenced-producer",
    "java-4.4-share-group",
    "java-4.4-transactions",
    "raw-4.4-apiversions-v99",
    "raw-4.4-pipelined",
    "raw-4.4-sasl-mechs",
]


class Sharkd:
    """Wireshark without its windows: dissects any frame again, in any order, as clicking in the packet list does."""

    def __init__(self, tshark: Tshark, path: str) -> None:
        # "-" makes it read commands from stdin
        command = tshark.command(["-"], program="sharkd")
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.number = 0
        self.ask("load", file=path)

    def ask(self, method: str, **params) -> dict:
        self.number += 1
        question = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert "error" not in answer, answer
        return answer["result"]

    def kafka(self, frame: int) -> list[dict]:
        tree = self.ask("frame", frame=frame, proto=True)["tree"]
        return [node for node in tree if node.get("f") == "kafka"]

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(30)


@pytest.mark.parametrize("name", REDISSECTED)
def test_dissected_again_in_any_order(tshark: Tshark, name: str) -> None:
    which = capture(name)
    frames = sorted(View(which, tshark).shown)
    assert frames
    sharkd = Sharkd(tshark, str(which.path))
    try:
        if which.ports != {9092}:
            sharkd.ask("setconf", name="kafka.tcp.ports", value=which.port_list)
            sharkd.ask("load", file=str(which.path))
        forward = {frame: sharkd.kafka(frame) for frame in frames}
        backward = {frame: sharkd.kafka(frame) for frame in reversed(frames)}
        twice = {frame: sharkd.kafka(frame) for frame in frames for _ in range(2)}
    finally:
        sharkd.close()
    assert all(forward.values()), [frame for frame, tree in forward.items() if not tree]
    assert forward == backward
    assert forward == twice
    two_pass = View(which, tshark).shown_two_pass
    wrong = []
    for frame in frames:
        for node, shown in zip(forward[frame], two_pass[frame], strict=True):
            want = [item.showname or item.show for item in shown.item.walk() if not item.hidden]
            if sharkd_labels(node) != want:
                wrong.append((frame, sharkd_labels(node), want))
    assert wrong == []


def sharkd_labels(node: dict) -> list[str]:
    found = [node["l"]]
    for child in node.get("n", []):
        found += sharkd_labels(child)
    return found
