# SPDX-License-Identifier: GPL-2.0-or-later
"""Where Wireshark has no Kafka dissector of its own, the plugin registers everything itself.

No such Wireshark is packaged, so one is made: a copy of its library in which the built-in dissector has another name.
"""

import re
import subprocess
from pathlib import Path

import pytest
from common.manifest import capture
from common.tshark import Tshark, scratch_dir


@pytest.fixture(scope="module")
def bare() -> Tshark:
    program = Tshark().command([])[-1]
    path = subprocess.run(["sh", "-c", f"command -v {program}"], capture_output=True, text=True, check=True).stdout.strip()
    linked = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
    found = re.search(r"(libwireshark\.so\.\d+) => (\S+)", linked)
    assert found, linked
    content = Path(found[2]).read_bytes()
    assert content.count(b"kafka") > 100
    folder = scratch_dir()
    (folder / found[1]).write_bytes(content.replace(b"kafka", b"kafkb").replace(b"Kafka", b"Kafkb"))
    return Tshark(extra_env=(("LD_LIBRARY_PATH", str(folder)),))


def shown(bare: Tshark, name: str, *options: str) -> int:
    rows = bare.fields(capture(name).path, ["kafka.header_version"], options)
    return sum(len(row["kafka.header_version"]) for row in rows)


def test_builtin_is_another_protocol(bare: Tshark) -> None:
    protocols = [line.split("\t") for line in bare.run(["-G", "protocols"]).text.splitlines()]
    assert ["Kafka", "Kafka", "kafka"] in [columns[:3] for columns in protocols]
    assert ["Kafkb", "Kafkb", "kafkb"] in [columns[:3] for columns in protocols]


def test_default_port(bare: Tshark) -> None:
    assert shown(bare, "java-4.4-produce-fetch-none") == 50


@pytest.mark.parametrize("option", [("-o", "kafka.tcp.port:19092"), ("-d", "tcp.port==19092,kafka")])
def test_other_port(bare: Tshark, option: tuple[str, str]) -> None:
    assert shown(bare, "java-4.4-nonstd-port-19092", *option) == 46


def test_decode_as_over_tls(bare: Tshark) -> None:
    assert shown(bare, "go-franz-4.4-tls13-dsb", "-d", "tls.port==9096,kafka") == 53


def test_preferences(bare: Tshark) -> None:
    preferences = bare.run(["-G", "currentprefs"]).text
    assert re.search(r"^#?kafka\.use_builtin: ", preferences, re.MULTILINE)
    assert re.search(r"^#?kafka\.max_request_size: 104857600", preferences, re.MULTILINE)
