# SPDX-License-Identifier: GPL-2.0-or-later
"""Kafka is recognised on ports that nobody named, over TCP and inside TLS, and what is not Kafka is not."""

from pathlib import Path

import pytest
from common.handmade import Reading, read
from common.manifest import Capture as Real
from common.manifest import capture
from common.messages import (
    api_versions_request,
    api_versions_response,
    compact,
    heartbeat_request,
    heartbeat_response,
    metadata_request,
    metadata_response,
    produce_request,
    produce_response,
    request,
)
from common.pcap import Capture, Connection
from common.tshark import Tshark
from encrypt import encrypted
from others import TALKS, Talk, converse, dcerpc, random_bytes, smpp

PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])
PORT = 39077
FIELDS = [
    "frame.number",
    "kafka.len",
    "kafka.api_key",
    "kafka.api_version",
    "kafka.response.version",
    "kafka.correlation_id",
    "kafka.request_frame",
]
# from their first packet on; of other captures what comes before the first request is missing
ON_OTHER_PORTS = [
    "java-4.4-nonstd-port-19092",
    "broker-0.8.2-oldproducer-gzip",
    "broker-0.10.2-sarama",
    "broker-0.10.2-sasl-v0-scram",
    "broker-2.3-kcat",
    "go-franz-4.4-tls13-dsb",
]
KAFKA: Talk = [
    (True, api_versions_request(1)),
    (False, api_versions_response(1)),
    (True, metadata_request(2, ["orders"])),
    (False, metadata_response(2, ["orders"])),
    (True, produce_request(3, b"")),
    (False, produce_response(3)),
    (True, produce_request(4, b"")),
    (False, produce_response(4)),
    (True, heartbeat_request(5)),
    (False, heartbeat_response(5)),
]
KAFKA_HEADERS = [(18, 1), (18, 1), (3, 2), (3, 2), (0, 3), (0, 3), (0, 4), (0, 4), (12, 5), (12, 5)]


def headers(reading: Reading) -> list[tuple[int | None, int | None]]:
    return [(shown.api_key, shown.correlation_id) for shown in reading.shown]


@pytest.mark.parametrize("name", ON_OTHER_PORTS)
def test_real_captures(tshark: Tshark, name: str) -> None:
    real: Real = capture(name)
    found = tshark.fields(real.path, FIELDS)
    assert sum(len(row["kafka.len"]) for row in found) > 10
    assert found == tshark.fields(real.path, FIELDS, real.options)
    assert found == tshark.fields(real.path, FIELDS, ["-2"])


@PASSES
def test_behind_smpp(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """SMPP's heuristic is asked first once it found SMPP, and takes Produce requests for its own."""
    made = Capture()
    of_smpp = converse(made, smpp(), 39078)
    of_kafka = converse(made, KAFKA, PORT, 50001)
    reading = read(tshark, made, scratch, passes)
    assert all("smpp" in reading.protocols(frame) for frame in of_smpp)
    assert headers(reading) == KAFKA_HEADERS
    assert [shown.frame for shown in reading.shown] == of_kafka


@PASSES
@pytest.mark.parametrize("correlation_id", [3, 5000])
def test_producer_from_the_middle(
    tshark: Tshark, scratch: Path, correlation_id: int, passes: tuple[str, ...]
) -> None:
    """Produce requests alone look like SMPP's, whatever their correlation ids are."""
    made = Capture()
    of_smpp = converse(made, smpp(), 39078)
    connection = Connection(made, server_port=PORT)
    connection.skip("client", 100)
    for number in range(4):
        connection.request(produce_request(correlation_id + number, b""))
        connection.response(produce_response(correlation_id + number))
    reading = read(tshark, made, scratch, passes)
    assert all("smpp" in reading.protocols(frame) for frame in of_smpp)
    assert headers(reading) == [(0, correlation_id + number) for number in range(4) for _ in range(2)]


@PASSES
def test_not_dcerpc(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    """What the middle of a header has after a version of 5 looks like DCE/RPC, to which it is given on no port of
    Kafka's: it would wait for more than there is, and keep the message behind it."""
    made = Capture()
    of_dcerpc = converse(made, dcerpc(), PORT)
    connection = Connection(made)
    connection.skip("client", 7)
    names = compact("apache-kafka-java") + compact("4.4.0") + b"\0"
    connection.request(request(18, 5, 0, names, tags=b"\0")[7:])
    (frame,) = connection.request(metadata_request(1, ["orders"]))
    connection.response(metadata_response(1, ["orders"]))
    reading = read(tshark, made, scratch, passes)
    assert all("dcerpc" in reading.protocols(number) for number in of_dcerpc)
    assert headers(reading) == [(3, 1), (3, 1)]
    assert reading.shown[0].frame == frame


@pytest.mark.parametrize("talk, protocol", [(dcerpc(), "dcerpc"), (smpp(), "smpp")], ids=["dcerpc", "smpp"])
def test_others_where_kafka_is_disabled(tshark: Tshark, scratch: Path, talk: Talk, protocol: str) -> None:
    """Then nothing is kept from them, on Kafka's port either."""
    made = Capture()
    frames = converse(made, talk, 9092)
    path = made.write(scratch / "made.pcap")
    wanted = ["--disable-protocol", "kafka", "-Y", protocol]
    assert [number for number, _, _ in tshark.columns(path, wanted)] == frames


@PASSES
@pytest.mark.parametrize("talk", [KAFKA, smpp()], ids=["kafka", "smpp"])
def test_inside_tls(tshark: Tshark, scratch: Path, talk: Talk, passes: tuple[str, ...]) -> None:
    made = Capture()
    converse(made, smpp(), 39078)
    key_log = scratch / "keys"
    frames = converse(made, encrypted(talk, key_log), PORT, 50001)
    reading = read(tshark, made, scratch, [*passes, "-o", f"tls.keylog_file:{key_log}"])
    assert headers(reading) == (KAFKA_HEADERS if talk is KAFKA else [])
    assert all("tls" in reading.protocols(frame) for frame in frames)
    assert reading.malformed == []


@PASSES
def test_tls_without_keys(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    made = Capture()
    frames = converse(made, encrypted(KAFKA, scratch / "keys"), PORT)
    reading = read(tshark, made, scratch, passes)
    assert reading.items == []
    assert all("tls" in reading.protocols(frame) for frame in frames)


@PASSES
def test_other_protocols(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    made = Capture()
    for number, talk in enumerate(TALKS.values()):
        converse(made, talk(), 39100 + number)
        converse(made, [(not from_client, payload) for from_client, payload in talk()], 39200 + number)
    rows = tshark.fields(made.write(scratch / "made.pcap"), ["frame.number", "kafka"], passes)
    assert len(rows) > 300
    assert [row["frame.number"] for row in rows if row["kafka"]] == []


@PASSES
def test_random_bytes(tshark: Tshark, scratch: Path, passes: tuple[str, ...]) -> None:
    made = Capture()
    for seed in range(20):
        converse(made, random_bytes(seed, 500), 39100 + seed)
    rows = tshark.fields(made.write(scratch / "made.pcap"), ["frame.number", "kafka"], passes)
    assert [row["frame.number"] for row in rows if row["kafka"]] == []


def test_switched_off(tshark: Tshark, scratch: Path) -> None:
    made = Capture()
    converse(made, KAFKA, PORT)
    assert headers(read(tshark, made, scratch)) == KAFKA_HEADERS
    assert read(tshark, made, scratch, ["--disable-heuristic", "kafka_tcp"]).items == []
    assert read(tshark, made, scratch, ["-o", "kafka.use_builtin:TRUE"]).items == []
