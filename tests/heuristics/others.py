# SPDX-License-Identifier: GPL-2.0-or-later
"""Conversations of other protocols: above all such that begin with a length of four bytes, as Kafka's messages do."""

import random
import struct

from common.pcap import Capture, Connection

# (from the client, bytes), in the order of the conversation
Talk = list[tuple[bool, bytes]]


def _i32(*values: int) -> bytes:
    return struct.pack(f">{len(values)}i", *values)


def _framed(body: bytes) -> bytes:
    return _i32(len(body)) + body


def _smpp(command: int, sequence: int, body: bytes = b"", status: int = 0) -> bytes:
    return struct.pack(">IIII", 16 + len(body), command, status, sequence) + body


def smpp() -> Talk:
    """A session that binds, sends and receives short messages, and is asked whether it lives."""
    bind = b"user\0secret\0\0\x34\0\0\0"
    message = b"\0\1\1" + b"4915112345678\0" + b"\1\1" + b"4915187654321\0" + bytes(9) + b"\x05hello"
    talk: Talk = [(True, _smpp(9, 1, bind)), (False, _smpp(0x80000009, 1, b"center\0"))]
    for sequence in range(2, 12):
        talk += [(True, _smpp(4, sequence, message)), (False, _smpp(0x80000004, sequence, b"id%d\0" % sequence))]
        talk += [(False, _smpp(5, sequence, message)), (True, _smpp(0x80000005, sequence, b"\0"))]
        talk += [(True, _smpp(0x15, sequence)), (False, _smpp(0x80000015, sequence))]
    return [*talk, (True, _smpp(6, 0x50003)), (False, _smpp(0x80000006, 0x50003))]


def dcerpc() -> Talk:
    """A bind and its acknowledgement, in network order."""
    syntax = bytes(16) + _i32(2)
    contexts = b"\1\0\0\0" + b"\0\0\1\0" + syntax + syntax
    bind = struct.pack(">HHI", 4280, 4280, 0) + contexts
    ack = struct.pack(">HHI", 4280, 4280, 1) + b"\0\x04135\0" + bytes(2) + b"\1\0\0\0" + bytes(4) + syntax
    return [
        (client, struct.pack(">BBBB4sHHI", 5, 0, kind, 3, bytes(4), 16 + len(body), 0, 1) + body)
        for client, kind, body in ((True, 11, bind), (False, 12, ack))
    ]


def zookeeper() -> Talk:
    connect = _i32(0) + bytes(8) + _i32(6000) + bytes(8) + _i32(16) + bytes(16) + b"\0"
    talk: Talk = [(True, _framed(connect)), (False, _framed(_i32(0, 6000, 0, 16) + _i32(16) + bytes(16) + b"\0"))]
    for xid in (1, 2, 3, 18, 0x10004, 0x30000, 0x120000):
        path = b"/brokers/ids/%d" % xid
        talk.append((True, _framed(_i32(xid, 4, len(path)) + path + b"\0")))
        talk.append((False, _framed(_i32(xid, 0, xid, 0) + _framed(b'{"host":"a","port":9092}') + bytes(68))))
    return [*talk, (True, _framed(_i32(-2, 11))), (False, _framed(_i32(-2, 0, 1, 0)))]


def postgresql() -> Talk:
    start = b"\0\3\0\0user\0admin\0database\0orders\0application_name\0psql\0client_encoding\0UTF8\0\0"
    return [
        (True, _i32(8, 80877103)),
        (False, b"N"),
        (True, _i32(4 + len(start)) + start),
        (False, b"R" + _i32(8, 0) + b"S" + _i32(25) + b"client_encoding\0UTF8\0" + b"Z" + _i32(5) + b"I"),
        (True, b"Q" + _i32(13) + b"SELECT 1\0"),
        (False, b"C" + _i32(13) + b"SELECT 1\0" + b"Z" + _i32(5) + b"I"),
    ]


def thrift() -> Talk:
    call = b"\x80\1\0\1" + _framed(b"get_table") + _i32(1) + b"\x0b\0\1" + _framed(b"default") + b"\0"
    old = _framed(b"get_table") + b"\1" + _i32(1) + b"\x0b\0\1" + _framed(b"default") + b"\0"
    return [(True, _framed(call)), (False, _framed(call)), (True, _framed(old)), (False, _framed(old))]


def bittorrent() -> Talk:
    talk: Talk = [(True, b"\x13BitTorrent protocol" + bytes(8) + b"infohash" * 5), (False, _framed(b"\5\xff\xff\xf0"))]
    for index in range(6):
        talk += [(True, _framed(b"\6" + _i32(index, 0, 16384))), (False, _framed(b"\4" + _i32(index)))]
    return [*talk, (True, _i32(0)), (False, _framed(b"\1")), (False, _framed(b"\7" + _i32(3, 0) + bytes(1200)))]


def smb() -> Talk:
    header = b"\xfeSMB" + struct.pack("<HHIHH", 64, 1, 0, 0, 1) + bytes(48)
    return [(True, _framed(header + bytes(36))), (False, _framed(header + bytes(120)))]


def sun_rpc() -> Talk:
    call = _i32(7, 0, 2, 100003, 3, 1, 0, 0, 0, 0)
    return [(True, struct.pack(">I", 0x80000000 | len(call)) + call), (False, b"\x80\0\0\x18" + _i32(7, 1, 0, 0, 0, 0))]


def modbus() -> Talk:
    talk: Talk = []
    for number in range(8):
        talk.append((True, struct.pack(">HHHBBHH", number, 0, 6, 1, 3, 16 * number, 10)))
        talk.append((False, struct.pack(">HHHBBB", number, 0, 23, 1, 3, 20) + bytes(20)))
    return talk


def cassandra() -> Talk:
    startup = struct.pack(">BBhBi", 4, 0, 0, 1, 22) + b"\0\1\0\x0bCQL_VERSION\0\x053.0.0"
    return [(True, startup), (False, struct.pack(">BBhBi", 0x84, 0, 0, 2, 0))]


def mysql() -> Talk:
    greeting = b"\x0a8.0.36\0" + struct.pack("<I", 11) + b"abcdefgh\0" + bytes(20)
    return [
        (False, struct.pack("<I", len(greeting)) + greeting),
        (True, b"\x0a\0\0\1" + bytes(10)),
        (False, b"\7\0\0\2" + bytes(7)),
        (True, b"\x09\0\0\0\3SELECT 1"),
    ]


def http2() -> Talk:
    settings = b"\0\0\x12\4\0\0\0\0\0" + b"\0\3\0\0\0\x64\0\4\0\1\0\0\0\2\0\0\0\0"
    return [(True, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings), (False, settings), (True, b"\0\0\0\4\1\0\0\0\0")]


def amqp() -> Talk:
    return [(True, b"AMQP\0\0\x09\1"), (False, b"\1\0\0\0\0\0\x0c\0\x0a\0\x0a\0\x09\0\0\0\0\0\0\xce")]


def mqtt() -> Talk:
    return [(True, b"\x10\x12\0\4MQTT\4\2\0\x3c\0\6sensor"), (False, b"\x20\2\0\0"), (True, b"\x30\7\0\1t1.5a")]


def redis() -> Talk:
    return [(True, b"*1\r\n$4\r\nPING\r\n"), (False, b"+PONG\r\n")]


def ldap() -> Talk:
    return [(True, b"\x30\x0c\2\1\1\x60\7\2\1\3\4\0\x80\0"), (False, b"\x30\x0c\2\1\1\x61\7\x0a\1\0\4\0\4\0")]


def dns() -> Talk:
    query = b"\0\x12\1\0\0\1\0\0\0\0\0\0\5kafka\7example\0\0\1\0\1"
    return [(True, struct.pack(">H", len(query)) + query), (False, struct.pack(">H", len(query)) + query)]


TALKS = {
    talk.__name__: talk
    for talk in (
        smpp,
        dcerpc,
        zookeeper,
        postgresql,
        thrift,
        bittorrent,
        smb,
        sun_rpc,
        modbus,
        cassandra,
        mysql,
        http2,
        amqp,
        mqtt,
        redis,
        ldap,
        dns,
    )
}


def random_bytes(seed: int, count: int) -> Talk:
    """Half of it is any bytes, half of it has a right length before bytes most of which are small."""
    chance = random.Random(seed)
    talk: Talk = []
    for number in range(count):
        size = chance.randrange(1, 120)
        if number % 2:
            talk.append((chance.random() < 0.5, chance.randbytes(size)))
        else:
            small = bytes(0 if chance.random() < 0.6 else chance.randrange(40) for _ in range(size))
            talk.append((chance.random() < 0.5, _framed(small)))
    return talk


def add(connection: Connection, talk: Talk) -> list[int]:
    """Returns the numbers of the frames."""
    frames: list[int] = []
    for from_client, payload in talk:
        frames += connection.request(payload) if from_client else connection.response(payload)
    return frames


def converse(capture: Capture, talk: Talk, port: int, client_port: int = 50000) -> list[int]:
    connection = Connection(capture, client_port=client_port, server_port=port).open()
    frames = add(connection, talk)
    connection.close()
    return frames
