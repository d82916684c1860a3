# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugin serves the protocol "kafka" wherever Wireshark's own dissector would, with nothing on stderr."""

from pathlib import Path

import pytest
from common.handmade import read
from common.manifest import capture
from common.messages import heartbeat_request, heartbeat_response
from common.pcap import Capture, Connection
from common.tshark import Tshark

# a field that only the plugin has
OURS = "kafka.header_version"
BUILTIN_PORT = capture("java-4.4-produce-fetch-none")
OTHER_PORT = capture("java-4.4-nonstd-port-19092")
TLS = capture("go-franz-4.4-tls13")
TLS_WITH_SECRETS = capture("go-franz-4.4-tls13-dsb")
TLS_WITHOUT_KEYS = capture("kcat-4.4-tls-nokeys")


def ours(tshark: Tshark, path: Path, *options: str) -> int:
    """How many PDUs the plugin shows; the helper refuses anything on stderr."""
    rows = tshark.fields(path, [OURS, "kafka.api_key"], options)
    assert sum(len(row["kafka.api_key"]) > 0 for row in rows) == sum(len(row[OURS]) > 0 for row in rows)
    return sum(len(row[OURS]) for row in rows)


def test_port_9092(tshark: Tshark) -> None:
    assert ours(tshark, BUILTIN_PORT.path) == 50


@pytest.mark.parametrize("ports", ["19092", "9092,19092", "9092,39092,19000-19100"])
def test_ports_preference(tshark: Tshark, ports: str) -> None:
    assert ours(tshark, OTHER_PORT.path, "-o", f"kafka.tcp.ports:{ports}") == 46


def test_ports_preference_without_9092(tshark: Tshark, builtin: Tshark) -> None:
    """Whether 9092 stays then is up to the built-in's registration; the plugin follows it."""
    rows = builtin.fields(BUILTIN_PORT.path, ["kafka.len"], ["-o", "kafka.tcp.ports:9999"])
    assert ours(tshark, BUILTIN_PORT.path, "-o", "kafka.tcp.ports:9999") == sum(len(row["kafka.len"]) for row in rows)


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])
def test_decode_as_tcp(tshark: Tshark, passes: tuple[str, ...]) -> None:
    assert ours(tshark, OTHER_PORT.path, "-d", "tcp.port==19092,kafka", *passes) == 46


def test_decode_as_several_ports(tshark: Tshark) -> None:
    options = ["-d", "tcp.port==9092,kafka", "-d", "tcp.port==19092,kafka", "-d", "tls.port==9096,kafka"]
    assert ours(tshark, OTHER_PORT.path, *options) == 46


def test_decode_as_takes_another_port_from_9092(tshark: Tshark) -> None:
    rows = tshark.fields(BUILTIN_PORT.path, [OURS], ["-d", "tcp.port==9092,data"])
    assert not any(row[OURS] for row in rows)


def test_disabled(tshark: Tshark) -> None:
    rows = tshark.fields(BUILTIN_PORT.path, [OURS, "kafka.len"], ["--disable-protocol", "kafka"])
    assert not any(row[OURS] or row["kafka.len"] for row in rows)


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-pass"])
@pytest.mark.parametrize("which", [TLS, TLS_WITH_SECRETS], ids=["key log", "secrets inside"])
def test_tls(tshark: Tshark, which, passes: tuple[str, ...]) -> None:
    assert ours(tshark, which.path, *which.options, *passes) == 53


def test_tls_key_log_and_secrets_give_the_same(tshark: Tshark) -> None:
    names = ["frame.number", "kafka.len", "kafka.api_key", "kafka.correlation_id", "kafka.request_frame"]
    with_log = tshark.fields(TLS.path, names, TLS.options)
    assert with_log == tshark.fields(TLS_WITH_SECRETS.path, names, TLS_WITH_SECRETS.options)


@pytest.mark.parametrize("which", [TLS, TLS_WITH_SECRETS], ids=["key log", "secrets inside"])
def test_tls_on_a_kafka_port(tshark: Tshark, which) -> None:
    """The port is given as Kafka's for TCP; TLS is recognised on it and Kafka found inside."""
    keys = [option for option in which.options if option.startswith("tls.keylog")]
    options = ["-o", "kafka.tcp.ports:9096", *(["-o", *keys] if keys else [])]
    assert ours(tshark, which.path, *options) == ours(tshark, which.path, *which.options)


def test_tls_without_keys_stays_tls(tshark: Tshark) -> None:
    for options in ([], TLS_WITHOUT_KEYS.options, ["-o", "kafka.tcp.ports:9096"]):
        rows = tshark.fields(TLS_WITHOUT_KEYS.path, ["tls.record.content_type", "kafka.len"], options)
        assert sum(len(row["tls.record.content_type"]) > 0 for row in rows) > 5
        assert not any(row["kafka.len"] for row in rows)


def test_decode_as_list_has_kafka_once(tshark: Tshark) -> None:
    """Two entries of one name would make every -d warn."""
    result = tshark.run(["-d", "tcp.port==9092,nonsense"], check_stderr=False, check_status=False)
    names = [line.split()[0] for line in result.stderr.splitlines() if line.startswith("\t") and line.split()]
    assert names.count("kafka") == 1


def test_falls_back_to_the_builtin(tshark: Tshark, builtin: Tshark) -> None:
    """With the preference on, the built-in dissector answers as without the plugin."""
    names = ["frame.number", "kafka.api_key", "kafka.correlation_id", OURS, "_ws.col.Info"]
    path = capture("broker-2.3-java-none").path
    port = ["-o", "kafka.tcp.ports:9113"]
    mine = tshark.fields(path, names, [*port, "-o", "kafka.use_builtin:TRUE"])
    assert not any(row[OURS] for row in mine)
    names.remove(OURS)
    mine = tshark.fields(path, names, [*port, "-o", "kafka.use_builtin:TRUE"])
    assert mine == builtin.fields(path, names, port)
    again = tshark.fields(path, [OURS], [*port, "-o", "kafka.use_builtin:FALSE"])
    assert any(row[OURS] for row in again)


def test_exported_pdus(tshark: Tshark, builtin: Tshark, scratch: Path) -> None:
    """A PDU exported from TLS has no TCP under it; reached through the dissector's name it is Kafka."""
    exported = scratch / "exported.pcapng"
    tshark.run(["-r", TLS_WITH_SECRETS.path, *TLS_WITH_SECRETS.options, "-U", "OSI layer 7", "-w", exported])
    rows = tshark.fields(exported, ["frame.protocols"], ["-c", "400"])
    assert rows, "nothing was exported"
    assert any("kafka" in row["frame.protocols"][0] for row in rows)
    assert not any("_ws.malformed" in row["frame.protocols"][0] for row in rows)


def test_nothing_on_stderr_at_start(tshark: Tshark) -> None:
    for args in (["--version"], ["-G", "fields"], ["-G", "currentprefs"], ["-G", "plugins"], ["-G", "decodes"]):
        tshark.run(args)


def test_own_port_of_a_client(tshark: Tshark, scratch: Path) -> None:
    """Ports given as Kafka's count on either side."""
    made = Capture()
    connection = Connection(made, client_port=39092, server_port=40000).open()
    connection.request(heartbeat_request(1))
    connection.response(heartbeat_response(1))
    reading = read(tshark, made, scratch, ["-o", "kafka.tcp.ports:39092"])
    assert [s.direction for s in reading.shown] == ["request", "response"]
