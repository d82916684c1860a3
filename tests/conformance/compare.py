# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the tree that Wireshark shows with what the generator put into the capture, item by item."""

import re
import socket
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass

from common.tshark import Item

from conformance import expected, names, values
from conformance.expected import Node, Pdu

RELATIONS = {
    "kafka.header_version",
    "kafka.request_frame",
    "kafka.response_frame",
    "kafka.no_response",
    "kafka.time",
    "kafka.response.version",
}
# What the messages before this one tell about it: tests/state has the tests of these.
STATE = {"kafka.outstanding", "kafka.session", "kafka.transaction"}
EXPERT = "_ws.expert"
# Errors that a broker reports are no fault of the message that reports them.
SEVERITIES_OF_FAULTS = {"6291456", "8388608"}
ERROR_CODES = {"kafka.error.final", "kafka.error.retriable", "kafka.error.unknown", "kafka.sasl_failed"}
# What carries no byte of its own and stands below a field.
NULL_MARK = "kafka.null"
UUID_TEXT = "kafka.uuid"
RECORDS_SIZE = "kafka.records_size"
TIMESTAMP = "kafka.timestamp"
SESSION_END = "kafka.session_end"
# Milliseconds since 1970 of a capture's first packet; the others follow, one each millisecond.
FIRST_PACKET = 1_760_000_000_000
OPERATION = "kafka.authorized_operations."
# Below fields that earlier messages tell more about: tests/state has the tests of these too.
TOLD_BY_OTHERS = {
    "topic_id": ("kafka.topic_name", "kafka.topic_name_frame"),
    "offset": ("kafka.commit_lag", "kafka.high_watermark_frame"),
    "partition": ("kafka.session.since_frame",),
    "throttle_time": ("kafka.time_beyond_throttle",),
}


@dataclass(frozen=True)
class Place:
    """Where a field is: for people with indexes, for the tables without and with the newest names."""

    shown: str
    schema: str

    def below(self, name: str, newest: str) -> "Place":
        return Place(f"{self.shown}.{name}", f"{self.schema}.{newest}")

    def element(self, index: str) -> "Place":
        return Place(f"{self.shown}[{index}]", self.schema)


class Comparison:
    """One PDU; differences() yields a line for each thing that is not as it should be."""

    def __init__(self, pdu: Pdu, shown: Item, message: str, renamed: bool, version: values.Version) -> None:
        self.pdu = pdu
        self.root = shown
        self.message = message
        self.renamed = renamed
        self.version = version

    def differences(self) -> Iterator[str]:
        for line in self._differences():
            yield f"{self.pdu}: {line}"

    def _differences(self) -> Iterator[str]:
        if self.root.size != self.pdu.length:
            yield f"the protocol item covers {self.root.size} bytes of {self.pdu.length}"
        yield from self._faults()
        top = [item for item in self.root.children if item.name != EXPERT and item.name not in STATE]
        relations = [item for item in top if item.name in RELATIONS or self._is_generated_key(item)]
        yield from self._relations(relations)
        items = _without(top, relations)
        nodes = [Node("Length", "int32", 0, 4, self.pdu.length - 4), *self.pdu.head, *self.pdu.body]
        head = len(self.pdu.head) + 1
        header = self._header_places()
        used = yield from self._fields(nodes[:head], items, Place(self.message, self.message), header)
        yield from self._fields_to_end(nodes[head:], items[used:], Place(self.message, self.message))

    # The header

    def _is_generated_key(self, item: Item) -> bool:
        return not self.pdu.request and item.name in ("kafka.api_key", "kafka.response_key")

    def _header_places(self) -> dict[str, names.Shown]:
        return {
            "Length": names.Shown("kafka.len", "int32"),
            "RequestApiKey": names.Shown("kafka.api_key", "int16", ("kafka.request_key",)),
            "RequestApiVersion": names.Shown("kafka.api_version", "int16", ("kafka.request.version",)),
            "CorrelationId": names.Shown("kafka.correlation_id", "int32"),
            "ClientId": names.Shown("kafka.client_id", "string"),
        }

    def _relations(self, items: Sequence[Item]) -> Iterator[str]:
        """The generated fields that join a request and its response."""
        shown: dict[str, str] = {}
        for item in items:
            if item.name in shown:
                yield f"{item.name} is there twice"
            shown[item.name] = item.show
            if item.size != 0:
                yield f"{item.name} covers {item.size} bytes that do not carry it"
        wanted: dict[str, str | None] = {"kafka.header_version": str(self.pdu.header)}
        partner = self.pdu.partner
        if self.pdu.request:
            wanted["kafka.response_frame"] = str(partner.frame) if partner else None
        elif partner:
            wanted["kafka.request_frame"] = str(partner.frame)
            wanted["kafka.api_key"] = wanted["kafka.response_key"] = str(self.pdu.api)
            wanted["kafka.response.version"] = str(self.pdu.version)
            milliseconds = self.pdu.frame - partner.frame
            wanted["kafka.time"] = f"{milliseconds // 1000}.{milliseconds % 1000:03}000000"
        for name in wanted.keys() | shown.keys():
            if shown.get(name) != wanted.get(name):
                yield f"{name}: expected {wanted.get(name)}, shown {shown.get(name)}"

    def _faults(self) -> Iterator[str]:
        """Nothing is wrong with these messages, and Wireshark must not say so."""
        for item in self.root.walk():
            if item.name != EXPERT:
                continue
            severity = next((child.show for child in item.children if child.name == "_ws.expert.severity"), "")
            kinds = {child.name for child in item.children if not child.name.startswith(EXPERT)}
            if severity in SEVERITIES_OF_FAULTS and not kinds & ERROR_CODES:
                text = next((child.show for child in item.children if child.name == "_ws.expert.message"), "")
                yield f"expert info {', '.join(sorted(kinds))}: {text}"

    # Fields

    def _fields_to_end(self, nodes: Sequence[Node], items: Sequence[Item], place: Place) -> Iterator[str]:
        used = yield from self._fields(nodes, items, place, {})
        for item in items[used:]:
            yield f"{place.shown}: {_describe(item)} is more than the message has"

    def _fields(
        self, nodes: Sequence[Node], items: Sequence[Item], place: Place, known: Mapping[str, names.Shown]
    ) -> Generator[str, None, int]:
        """Compares nodes and items one by one; returns how many items belong to the nodes."""
        siblings = [node.name for node in nodes]
        at = 0
        for node in nodes:
            newest = names.newest(place.schema, node.name, siblings) if self.renamed else node.name
            here = place.below(node.name, newest) if node.name else place
            if at >= len(items):
                yield f"{here.shown}: missing ({node.type} at byte {node.offset})"
                continue
            at = yield from self._node(node, items, at, here, known.get(node.name))
        return at

    def _node(
        self, node: Node, items: Sequence[Item], at: int, place: Place, shown: names.Shown | None
    ) -> Generator[str, None, int]:
        """Compares one node; returns the index of the next item."""
        if node.type == "array":
            yield from self._array(node, items[at], place)
        elif node.type == "struct":
            yield from self._struct(node, items[at], place)
        elif node.type == expected.TAGS:
            yield from self._tags(node, items[at], place)
        else:
            shown = shown or names.field(place.schema, node.type, self.pdu.version)
            # Hidden second names may stand on either side.
            together = items[at : at + 1 + len(shown.aliases)]
            item = next((item for item in together if not item.hidden), together[0])
            yield from self._scalar(node, item, place, shown)
            yield from self._aliases(item, _without(together, [item]), place, shown.aliases)
            at += len(shown.aliases)
        return at + 1

    def _place(self, node: Node, item: Item, place: Place, name: str) -> Iterator[str]:
        if item.name != name:
            yield f"{place.shown}: expected {name or 'a structure'}, shown {_describe(item)}"
        start = item.pos - self.root.pos
        if (start, item.size) != (node.offset, node.length):
            yield (
                f"{place.shown} ({name}): expected at bytes {node.offset} to {node.end}, "
                f"shown at {start} to {start + item.size}"
            )
        if item.hidden:
            yield f"{place.shown} ({name}): hidden"

    def _children(self, node: Node, item: Item, place: Place, allowed: Sequence[str] = ()) -> Iterator[str]:
        """The generated children of an item: the mark of null, and what is allowed besides."""
        null = [child for child in item.children if child.name == NULL_MARK]
        if len(null) != (node.value is None):
            yield f"{place.shown}: {'not ' if node.value is None else ''}marked as null"
        for child in item.children:
            if child.name not in (NULL_MARK, EXPERT, *allowed):
                yield f"{place.shown}: {_describe(child)} does not belong there"

    def _array(self, node: Node, item: Item, place: Place) -> Iterator[str]:
        name = place.schema.rsplit(".", 1)[-1]
        yield from self._place(node, item, place, names.count(name))
        count = -1 if node.value is None else node.value
        if item.show != str(count):
            yield f"{place.shown}: expected {count} elements, shown {item.show}"
        children = [child for child in item.children if child.name not in (EXPERT, NULL_MARK)]
        at = 0
        for element in node.children:
            here = place.element(element.name)
            if at >= len(children):
                yield f"{here.shown}: missing"
                return
            at = yield from self._node(element, children, at, here, None)
        for extra in children[at:]:
            yield f"{place.shown}: {_describe(extra)} is more than the array has"

    def _struct(self, node: Node, item: Item, place: Place) -> Iterator[str]:
        yield from self._place(node, item, place, "")
        if node.value is None:
            yield from self._children(node, item, place)
            return
        children = [child for child in item.children if child.name != EXPERT]
        yield from self._fields_to_end(node.children, children, place)

    def _tags(self, node: Node, item: Item, place: Place) -> Iterator[str]:
        here = Place(f"{place.shown}.<tags>", place.schema)
        yield from self._place(node, item, here, "kafka.tagged_fields_count")
        if item.show != str(node.value):
            yield f"{here.shown}: expected {node.value}, shown {item.show}"
        children = [child for child in item.children if child.name != EXPERT]
        if len(children) != len(node.children):
            yield f"{here.shown}: {len(node.children)} tagged fields, {len(children)} items"
        for tag, child in zip(node.children, children, strict=False):
            yield from self._tag(tag, child, place)

    def _tag(self, node: Node, item: Item, place: Place) -> Iterator[str]:
        number, _, content = node.children
        here = Place(f"{place.shown}.<tag {number.value}>", place.schema)
        yield from self._place(node, item, here, "")
        known = {
            expected.TAG_NUMBER: names.Shown("kafka.tagged_field_tag", "uint64"),
            expected.TAG_SIZE: names.Shown("kafka.tagged_field_size", "uint32"),
            expected.RAW: names.Shown("kafka.tagged_field_data", "bytes"),
        }
        items = [child for child in item.children if child.name != EXPERT]
        at = 0
        for part in node.children:
            if at >= len(items):
                yield f"{here.shown}: {part.name or part.type} is missing"
                return
            if part is content and part.type != expected.RAW:
                newest = names.newest(place.schema, part.name, []) if self.renamed else part.name
                at = yield from self._node(part, items, at, place.below(part.name, newest), None)
            else:
                at = yield from self._node(part, items, at, here, known[part.type])
        for extra in items[at:]:
            yield f"{here.shown}: {_describe(extra)} does not belong there"

    def _scalar(self, node: Node, item: Item, place: Place, shown: names.Shown) -> Iterator[str]:
        yield from self._place(node, item, place, shown.filter)
        if node.type == "records":
            yield from self._records(node, item, place)
            return
        yield from self._value(node, item, place, shown)
        children = {}
        if node.value is not None:
            children = self._generated(node, place, shown)
        allowed = [*children, *TOLD_BY_OTHERS.get(shown.meaning, ())]
        yield from self._children(node, item, place, allowed)
        for name, wanted in children.items():
            if item.shows(name) != [wanted]:
                yield f"{place.shown}: {name}: expected {wanted}, shown {item.shows(name)}"
        if node.type == "uuid":
            yield from self._reserved(node, item, place, shown)

    def _generated(self, node: Node, place: Place, shown: names.Shown) -> dict[str, str]:
        """What stands below a field to explain it."""
        if node.type == "uuid":
            return {UUID_TEXT: values.uuid_text(node.value)}
        if shown.meaning in ("timestamp_ms", "list_offsets_timestamp") and node.value >= 0:
            return {TIMESTAMP: values.time(node.value, self.version)}
        if shown.meaning == "session_lifetime" and node.value > 0:
            return {SESSION_END: values.time(FIRST_PACKET + self.pdu.frame - 1 + node.value, self.version)}
        if shown.meaning == "client_address" and len(node.value) == 2 * 4:
            return {"kafka.client_ipv4": socket.inet_ntop(socket.AF_INET, bytes.fromhex(node.value))}
        if shown.meaning == "client_address" and len(node.value) == 2 * 16:
            return {"kafka.client_ipv6": socket.inet_ntop(socket.AF_INET6, bytes.fromhex(node.value))}
        if shown.meaning == "authorized_operations" and node.value != values.NOT_ASKED_FOR:
            operations = values.operations(node.value)
            return {OPERATION + name: values.boolean(bit) for name, bit in operations.items()}
        return {}

    def _reserved(self, node: Node, item: Item, place: Place, shown: names.Shown) -> Iterator[str]:
        """Beside the GUID stands Kafka's form of it, or Kafka's name for it."""
        name = values.reserved_name(node.value, shown.meaning == "directory_id")
        text = f"({name or values.uuid_text(node.value)})"
        if not item.showname.endswith(text):
            yield f"{place.shown}: expected {text}, shown {item.showname}"

    def _value(self, node: Node, item: Item, place: Place, shown: names.Shown) -> Iterator[str]:
        value, kind = node.value, shown.kind
        wanted: str | int
        if kind == "string":
            wanted = values.string(value)
        elif kind == "bytes":
            wanted = values.hex_bytes(value)
        elif kind == "guid":
            wanted = values.guid(value)
        elif kind == "bool":
            wanted = values.boolean(value)
        elif kind == "double":
            if values.is_double(item.show, value, self.version):
                return
            wanted = f"the double {value}"
        elif kind == "time":
            wanted = values.time(value, self.version)
        else:
            wanted = values.integer(int(value), kind)
            # Bits are shown as hexadecimal digits.
            if re.fullmatch(r"-?\d+|0x[0-9a-f]+", item.show) and int(item.show, 0) == wanted:
                return
        if item.show != wanted:
            yield f"{place.shown} ({shown.filter}): expected {wanted!r:.200}, shown {item.show!r:.200}"

    def _records(self, node: Node, item: Item, place: Place) -> Iterator[str]:
        """What is inside a record set is no part of this test, but its size is."""
        size = -1 if node.value is None else len(node.value) // 2
        prefix = node.length - max(size, 0)
        sizes = [child for child in item.children if child.name == RECORDS_SIZE]
        if [child.show for child in sizes] != [str(size)]:
            yield f"{place.shown}: {RECORDS_SIZE}: expected {size}, shown {[child.show for child in sizes]}"
        for child in sizes:
            start = child.pos - self.root.pos
            if (start, child.size) != (node.offset, prefix):
                yield f"{place.shown}: {RECORDS_SIZE}: at bytes {start} to {start + child.size}"

    def _aliases(self, item: Item, aliases: Sequence[Item], place: Place, wanted: Sequence[str]) -> Iterator[str]:
        """Other names of a field: hidden, with the same value on the same bytes."""
        if sorted(alias.name for alias in aliases) != sorted(wanted):
            yield f"{place.shown}: expected aliases {list(wanted)}, shown {[alias.name for alias in aliases]}"
            return
        for alias in aliases:
            if not alias.hidden:
                yield f"{place.shown}: alias {alias.name} is not hidden"
            if (alias.pos, alias.size, alias.show) != (item.pos, item.size, item.show):
                yield f"{place.shown}: alias {_describe(alias)}, not as {_describe(item)}"


def _without(items: Sequence[Item], excluded: Sequence[Item]) -> list[Item]:
    return [item for item in items if not any(item is other for other in excluded)]


def _describe(item: Item) -> str:
    return f"{item.name or 'a text node'} = {item.show!r:.60}, {item.size} bytes at {item.pos}"
