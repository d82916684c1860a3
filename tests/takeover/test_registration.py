# SPDX-License-Identifier: GPL-2.0-or-later
"""What the plugin registers beside the built-in dissector: plugin list, preferences, fields."""

import re
from collections import defaultdict
from pathlib import Path

from common.tshark import REPO, Tshark, plugin_dir


def kafka_fields(tshark: Tshark) -> dict[str, set[str]]:
    """Filter name to field types, as `tshark -G fields` lists them."""
    types: dict[str, set[str]] = defaultdict(set)
    for line in tshark.run(["-G", "fields"]).text.splitlines():
        cells = line.split("\t")
        if cells[0] == "F" and cells[2].startswith("kafka."):
            types[cells[2]].add(cells[3])
    return types


def builtin_fields(version: tuple[int, int, int]) -> dict[str, str]:
    """The built-in's fields of that Wireshark version, from the list in tests/common."""
    lines = (REPO / "tests" / "common" / "builtin-fields.tsv").read_text(encoding="utf-8").splitlines()[1:]
    rows = (line.split("\t") for line in lines)
    series = f"{version[0]}.{version[1]}"
    return {name: kind for name, kind, where in rows if series in where.split(",")}


def test_plugin_is_listed(tshark: Tshark) -> None:
    lines = [line.split("\t") for line in tshark.run(["-G", "plugins"]).text.splitlines()]
    (row,) = [line for line in lines if line[0].strip() == "kafka.so"]
    assert row[1] and row[1][0].isdigit(), "a version"
    assert row[2] == "dissector"
    assert row[3].startswith(str(plugin_dir()))


def test_list_of_builtin_fields_is_right(builtin: Tshark) -> None:
    """The committed list against the Wireshark that is here."""
    types = kafka_fields(builtin)
    assert {name: {kind} for name, kind in builtin_fields(builtin.version()).items()} == types


def test_builtin_fields_keep_their_types(tshark: Tshark, builtin: Tshark) -> None:
    before, after = kafka_fields(builtin), kafka_fields(tshark)
    assert {name: after.get(name) for name in before} == before


def test_fields_of_every_builtin_are_there(tshark: Tshark) -> None:
    """Also those that only a newer Wireshark has: profiles move between versions. FT_NONE are its expert infos."""
    after = kafka_fields(tshark)
    lines = (REPO / "tests" / "common" / "builtin-fields.tsv").read_text(encoding="utf-8").splitlines()[1:]
    wrong = []
    for line in lines:
        name, kind, _ = line.split("\t")
        if kind != "FT_NONE" and after.get(name) != {kind}:
            wrong.append((name, kind, after.get(name)))
    assert wrong == []


def test_one_type_a_filter(tshark: Tshark) -> None:
    assert {name: kinds for name, kinds in kafka_fields(tshark).items() if len(kinds) > 1} == {}


def test_filters_are_usable(tshark: Tshark) -> None:
    """Each filter compiles: a name registered twice with different types crashes or is refused here."""
    names = sorted(kafka_fields(tshark))
    path = REPO / "captures" / "kcat-4.4-acks0.pcapng"
    step = 150
    for start in range(0, len(names), step):
        expression = " or ".join(names[start : start + step])
        tshark.read(path, ["-Y", expression, "-T", "fields", "-e", "frame.number"])


def test_names_are_lower_case(tshark: Tshark) -> None:
    odd = [name for name in kafka_fields(tshark) if not re.fullmatch(r"kafka(\.[a-z0-9_]+)+", name)]
    assert odd == []


def kafka_prefs(tshark: Tshark) -> dict[str, str]:
    prefs = {}
    for line in tshark.run(["-G", "currentprefs"]).text.splitlines():
        name, colon, value = line.lstrip("#").partition(":")
        if colon and name.startswith("kafka."):
            prefs[name] = value.strip()
    return prefs


def test_builtin_preferences_stay(tshark: Tshark, builtin: Tshark) -> None:
    before, after = kafka_prefs(builtin), kafka_prefs(tshark)
    assert {name: after.get(name) for name in before} == before
    assert after.keys() - before.keys() >= {"kafka.use_builtin"}
    assert after["kafka.use_builtin"] == "FALSE"


def test_preferences_are_accepted(tshark: Tshark) -> None:
    for name, value in kafka_prefs(tshark).items():
        if not name.startswith("kafka.tcp.port") or name == "kafka.tcp.ports":
            tshark.run(["-o", f"{name}:{value}", "--version"])
    for option in ("kafka.show_string_bytes_lengths:TRUE", "kafka.show_string_bytes_lengths:FALSE"):
        path = REPO / "captures" / "kcat-4.4-acks0.pcapng"
        tshark.read(path, ["-o", option])


def test_preferences_file(scratch: Path) -> None:
    folder = scratch / "wireshark"
    folder.mkdir(mode=0o755)
    (folder / "preferences").write_text("kafka.use_builtin: TRUE\nkafka.show_string_bytes_lengths: TRUE\n")
    prefs = kafka_prefs(Tshark(extra_env=(("XDG_CONFIG_HOME", str(scratch)),)))
    assert prefs["kafka.use_builtin"] == "TRUE"
    assert prefs["kafka.show_string_bytes_lengths"] == "TRUE"
