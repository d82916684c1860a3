# SPDX-License-Identifier: GPL-2.0-or-later
"""Splits the TCP connections of a capture into Kafka's PDUs, knowing nothing of any dissector.

What it knows of Kafka: the 4-byte length, the first fields of the headers, that Produce with acks=0 has no response,
that raw tokens follow SaslHandshake version 0, and that clients of Kafka 0.9 begin with such of GSSAPI. The rest is TCP: sequence numbers, retransmissions, holes.
"""

import struct
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

from common.capfile import ACK, SYN, Segment, segments

PRODUCE, SASL_HANDSHAKE, CONTROLLED_SHUTDOWN = 0, 17, 7
HIGHEST_KEY, HIGHEST_VERSION = 94, 20
LARGEST_REQUEST, LARGEST_RESPONSE = 104857600, 1 << 30
REQUEST, RESPONSE = "request", "response"
SMALLEST = {REQUEST: 4 + 10, RESPONSE: 4 + 6}  # an empty client id, a lone error code

# SaslHandshake version 0: how many tokens each side sends after it
TOKENS = {b"PLAIN": 1, b"SCRAM-SHA-256": 2, b"SCRAM-SHA-512": 2}


@dataclass(slots=True)
class Pdu:
    stream: int  # as Wireshark counts tcp.stream
    direction: str
    offset: int  # in the stream, 0 for the first byte after SYN
    length: int  # value of the length field
    first_frame: int
    frame: int  # the one that completes it
    time_ns: int  # of that frame
    data: bytes  # without the length field; less than `length` when the capture cut it
    kind: str = "message"  # "message", "token" (raw SASL), "bad length", "foreign" (not Kafka: the rest of the stream)
    complete: bool = True  # all bytes are in the capture
    cut: bool = False  # the capture cut one of its frames (snaplen)
    found: bool = False  # by searching, not by following lengths from the start of the connection
    api_key: int | None = None
    api_version: int | None = None
    correlation_id: int | None = None
    client_id: bytes | None = None
    pair: "Pdu | None" = None  # the response of a request, the request of a response

    @property
    def expects_response(self) -> bool:
        return self.api_key != PRODUCE or produce_acks(self) != 0

    @property
    def api_key_known(self) -> bool:
        """Whether there is an API of that key; responses have the key of their request."""
        return self.api_key is not None and 0 <= self.api_key <= HIGHEST_KEY


@dataclass(slots=True)
class Piece:
    """A run of bytes of one direction that one frame brought first."""

    start: int
    end: int
    frame: int
    time_ns: int
    data: bytes  # shorter than end - start when the capture cut the frame

    @property
    def kept_end(self) -> int:
        return self.start + len(self.data)


@dataclass
class Side:
    """One direction of a connection."""

    base: int | None = None  # sequence number of the first byte
    from_start: bool = False  # a SYN was seen
    pieces: list[Piece] = field(default_factory=list)

    def add(self, segment: Segment) -> None:
        if not segment.wire_length:
            return
        if self.base is None:
            self.base = segment.seq
        start = sequence_difference(segment.seq, self.base)
        self._insert(Piece(start, start + segment.wire_length, segment.frame, segment.time_ns, segment.payload))

    def _insert(self, new: Piece) -> None:
        """Adds what no earlier frame brought."""
        if not self.pieces or new.start >= self.pieces[-1].end:
            self.pieces.append(new)
            return
        runs = [new]
        for old in self.pieces:
            cut: list[Piece] = []
            for run in runs:
                if run.end <= old.start or run.start >= old.end:
                    cut.append(run)
                    continue
                if run.start < old.start:
                    cut.append(_part(run, run.start, old.start))
                if run.end > old.end:
                    cut.append(_part(run, old.end, run.end))
            runs = cut
        self.pieces = sorted([*self.pieces, *runs], key=lambda piece: piece.start)

    def runs(self) -> Iterator[list[Piece]]:
        """The pieces between holes."""
        run: list[Piece] = []
        for piece in self.pieces:
            if run and piece.start > run[-1].end:
                yield run
                run = []
            run.append(piece)
        if run:
            yield run


def sequence_difference(seq: int, base: int) -> int:
    return (seq - base + (1 << 31)) % (1 << 32) - (1 << 31)


def _part(piece: Piece, start: int, end: int) -> Piece:
    return Piece(start, end, piece.frame, piece.time_ns, piece.data[start - piece.start : end - piece.start])


@dataclass
class Connection:
    stream: int
    client: tuple[str, int]
    server: tuple[str, int]
    sides: dict[tuple[str, int], Side] = field(default_factory=lambda: defaultdict(Side))
    syn: int | None = None
    frames: list[int] = field(default_factory=list)


def connections(path: Path, ports: Iterable[int]) -> list[Connection]:
    """The TCP connections to or from one of these ports, with the bytes of both directions."""
    ports = set(ports)
    known: dict[frozenset, Connection] = {}
    found: list[Connection] = []
    count = 0
    for segment in segments(path):
        ends = frozenset((segment.source, segment.target))
        connection = known.get(ends)
        opens = segment.flags & SYN and not segment.flags & ACK
        if connection is None or (opens and connection.syn is not None and connection.syn != segment.seq):
            client, server = segment.source, segment.target
            if segment.flags & SYN and segment.flags & ACK or (not opens and client[1] in ports):
                client, server = server, client
            connection = known[ends] = Connection(count, client, server)
            count += 1
            if server[1] in ports or client[1] in ports:
                found.append(connection)
        if opens:
            connection.syn = segment.seq
        connection.frames.append(segment.frame)
        side = connection.sides[segment.source]
        if segment.flags & SYN:
            side.base, side.from_start = (segment.seq + 1) % (1 << 32), True
        side.add(segment)
    return found


class _Bytes:
    """The bytes of a run of pieces, up to the first one that the capture cut."""

    def __init__(self, pieces: list[Piece]) -> None:
        self.pieces = pieces
        self.start, self.end = pieces[0].start, pieces[-1].end

    def kept(self, start: int, end: int) -> bytes:
        """The bytes from start to end that the capture has without a gap."""
        parts: list[bytes] = []
        at = start
        for piece in self.pieces:
            if piece.end <= at:
                continue
            if piece.start > at or at >= end:
                break
            part = piece.data[at - piece.start : end - piece.start]
            parts.append(part)
            at += len(part)
            if at < min(end, piece.end):  # cut by the capture
                break
        return b"".join(parts)

    def brought(self, start: int, end: int) -> list[Piece]:
        return [piece for piece in self.pieces if piece.start < end and piece.end > start]


def _limit(direction: str) -> int:
    return LARGEST_REQUEST if direction == REQUEST else LARGEST_RESPONSE


def _split(connection: Connection, side: Side, direction: str, known_ids: set[int]) -> list[Pdu]:
    pdus: list[Pdu] = []
    at: int | None = 0 if side.from_start else None  # where the next PDU begins, when that is known
    latest = Piece(0, 0, 0, 0, b"")
    for pieces in side.runs():
        run = _Bytes(pieces)
        if at is not None and at < run.start:
            at = None  # the length that would say where the next one begins was lost
        found = at is None
        if at is None:
            at = _search(run, direction, known_ids)
        while at is not None and at < run.end:
            prefix = run.kept(at, at + 4)
            if len(prefix) < 4:
                at = _after_cut(run, at)
                continue
            length = struct.unpack(">i", prefix)[0]
            end = at + 4 + length
            bad = not 0 <= length <= _limit(direction)
            pieces_of = run.brought(at, run.end if bad else end)
            latest = max([latest, *pieces_of], key=lambda piece: piece.frame)
            # TCP hands bytes on in order: what comes after bytes that arrived late is late too
            late = max((p for p in run.pieces if p.start < (at + 4 if bad else end)), key=lambda piece: piece.frame)
            pdu = Pdu(
                stream=connection.stream,
                direction=direction,
                offset=at,
                length=length,
                first_frame=pieces_of[0].frame,
                frame=late.frame,
                time_ns=late.time_ns,
                data=run.kept(at + 4, end) if not bad else run.kept(at, run.end),
                found=found,
            )
            pdus.append(pdu)
            if bad:
                pdu.kind = "foreign" if all(32 <= byte < 127 for byte in prefix) else "bad length"
                return pdus
            pdu.cut = any(piece.kept_end < piece.end for piece in pieces_of)
            pdu.complete = len(pdu.data) == length
            at = end
    return pdus


def _after_cut(run: _Bytes, at: int) -> int | None:
    """The capture cut a length field: the next PDU is taken to begin with the next frame."""
    return next((piece.start for piece in run.pieces if piece.start > at), None)


def _search(run: _Bytes, direction: str, known_ids: set[int]) -> int | None:
    """The first place from which PDUs follow each other to the end of the run."""
    text = run.kept(run.start, run.end)
    if direction == RESPONSE and _lengths_lead_to_a_known_id(text, known_ids):
        return run.start
    for offset in range(len(text) - SMALLEST[direction] + 1):
        if _plausible(text, offset, direction, known_ids) and _chain(text, offset, direction, known_ids):
            return run.start + offset
    return None


def _lengths_lead_to_a_known_id(text: bytes, known_ids: set[int]) -> bool:
    """Responses to requests from before the capture: whole ones from the first byte on, up to one that is known."""
    offset = 0
    while offset + SMALLEST[RESPONSE] <= len(text):
        length, correlation_id = struct.unpack_from(">ii", text, offset)
        if not SMALLEST[RESPONSE] - 4 <= length <= 1 << 24:
            return False
        if correlation_id in known_ids:
            return _chain(text, offset, RESPONSE, known_ids)
        offset += 4 + length
    return offset == len(text)


def _plausible(text: bytes, offset: int, direction: str, known_ids: set[int]) -> bool:
    length = struct.unpack_from(">i", text, offset)[0]
    if not SMALLEST[direction] - 4 <= length <= _limit(direction) or offset + SMALLEST[direction] > len(text):
        return False
    if direction == RESPONSE:
        return struct.unpack_from(">i", text, offset + 4)[0] in known_ids
    key, version, correlation_id = struct.unpack_from(">hhi", text, offset + 4)
    if not (0 <= key <= HIGHEST_KEY and 0 <= version <= HIGHEST_VERSION and correlation_id >= 0):
        return False
    size = int.from_bytes(text[offset + 12 : offset + 14], "big", signed=True)
    client = text[offset + 14 : offset + 14 + max(size, 0)]
    return 0 < size <= length - 10 and all(32 <= byte < 127 for byte in client)


def _chain(text: bytes, offset: int, direction: str, known_ids: set[int]) -> bool:
    whole = 0
    while offset + SMALLEST[direction] <= len(text):
        if not _plausible(text, offset, direction, known_ids):
            return False
        offset += 4 + struct.unpack_from(">i", text, offset)[0]
        whole += 1
    return whole > 1 or offset == len(text) or direction == REQUEST


def _read_request_header(pdu: Pdu) -> None:
    if len(pdu.data) < 8:
        return
    pdu.api_key, pdu.api_version, pdu.correlation_id = struct.unpack_from(">hhi", pdu.data)
    if (pdu.api_key, pdu.api_version) == (CONTROLLED_SHUTDOWN, 0) or len(pdu.data) < 10:
        return
    size = struct.unpack_from(">h", pdu.data, 8)[0]
    pdu.client_id = None if size < 0 else pdu.data[10 : 10 + size]


def _after_client_id(pdu: Pdu) -> int:
    return 10 + len(pdu.client_id or b"")


def produce_acks(pdu: Pdu) -> int:
    at = _after_client_id(pdu)
    if pdu.api_version >= 9:  # no tags in the header, compact transactional id
        at += 1 + max(pdu.data[at + 1], 1)
    elif pdu.api_version >= 3:
        at += 2 + max(struct.unpack_from(">h", pdu.data, at)[0], 0)
    return struct.unpack_from(">h", pdu.data, at)[0]


def _sasl_tokens(pdu: Pdu) -> int:
    if (pdu.api_key, pdu.api_version) != (SASL_HANDSHAKE, 0):
        return 0
    return TOKENS.get(pdu.data[_after_client_id(pdu) + 2 :], 0)


def _is_gssapi(pdu: Pdu) -> bool:
    """Whether a frame is a token of GSSAPI: of RFC 2743, or one that Kerberos wraps (RFC 4121)."""
    return pdu.data[:1] == b"\x60" or pdu.data[:2] == b"\x05\x04"


def _read_headers(requests: list[Pdu], responses: list[Pdu]) -> None:
    """Headers of both directions and the pairs; raw SASL tokens are told from messages here."""
    outstanding: dict[int, deque[Pdu]] = defaultdict(deque)
    if requests and requests[0].data[:1] == b"\x60":
        for pdu in [*takewhile(_is_gssapi, requests), *takewhile(_is_gssapi, responses)]:
            pdu.kind = "token"
    answers = deque(pdu for pdu in responses if pdu.kind == "message")
    for pdu in answers:
        if len(pdu.data) >= 4:
            pdu.correlation_id = struct.unpack_from(">i", pdu.data)[0]
    tokens = 0
    for pdu in requests:
        if pdu.kind != "message":
            continue
        if tokens:
            tokens -= 1
            pdu.kind = "token"
            continue
        _read_request_header(pdu)
        if pdu.api_key is None:
            continue
        if pdu.expects_response:
            outstanding[pdu.correlation_id].append(pdu)
        if wanted := _sasl_tokens(pdu):
            after = [answer for answer in answers if answer.frame > pdu.frame]
            if after and after[0].data[4:6] == b"\0\0":
                tokens = wanted
                for answer in after[1 : 1 + wanted]:
                    answer.kind, answer.correlation_id = "token", None
    for pdu in answers:
        if pdu.kind != "message" or pdu.correlation_id is None:
            continue
        waiting = outstanding[pdu.correlation_id]
        # a response can only belong to a request that came before it
        if waiting and (waiting[0].frame < pdu.frame or waiting[0].first_frame < pdu.first_frame):
            request = waiting.popleft()
            pdu.pair, request.pair = request, pdu
            pdu.api_key, pdu.api_version = request.api_key, request.api_version


def split(path: Path, ports: Iterable[int]) -> list[Pdu]:
    """All PDUs of a capture, connection by connection, requests before responses."""
    return split_connections(connections(path, ports))


def split_connections(found_connections: Iterable[Connection]) -> list[Pdu]:
    found: list[Pdu] = []
    for connection in found_connections:
        requests = _split(connection, connection.sides[connection.client], REQUEST, set())
        for pdu in requests:
            if pdu.kind == "message" and len(pdu.data) >= 8:
                pdu.correlation_id = struct.unpack_from(">i", pdu.data, 4)[0]
        known_ids = {pdu.correlation_id for pdu in requests if pdu.correlation_id is not None}
        responses = _split(connection, connection.sides[connection.server], RESPONSE, known_ids)
        for pdu in requests:
            pdu.correlation_id = None
        _read_headers(requests, responses)
        found += requests + responses
    return found
