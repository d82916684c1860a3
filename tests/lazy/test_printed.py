# SPDX-License-Identifier: GPL-2.0-or-later
"""What tshark -T fields prints is what the whole tree has, and nothing else is made for it."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from common.capfile import frames
from common.manifest import Capture as Real
from common.manifest import capture
from common.pcap import Capture
from common.tshark import Item, Tshark
from test_work import NOTHING, PACKED, work

ERRORS = capture("java-4.4-errors")
# What stands for a value of no bytes; an empty text is nothing at all.
EMPTY = ("", "<MISSING>")
# Frame number, field, values.
Values = dict[tuple[int, str], list[str]]


@pytest.fixture(scope="module")
def types(tshark: Tshark) -> dict[str, str]:
    rows = (line.split("\t") for line in tshark.run(["-G", "fields"]).text.splitlines() if line.startswith("F\t"))
    return {row[2]: row[3] for row in rows}


def as_printed(item: Item, types: dict[str, str]) -> str:
    match types.get(item.name):
        case "FT_NONE":
            return "1"
        case "FT_BYTES":
            return item.show.replace(":", "")
    return item.show


def in_tree(tshark: Tshark, known: Real, options: Sequence[str], types: dict[str, str]) -> Values:
    """What the tree has, in its order."""
    found: Values = {}
    for packet in tshark.kafka(known.path, options):
        for item in (item for proto in packet.named("kafka") for item in proto.walk()):
            value = as_printed(item, types)
            if item.name.startswith("kafka.") and value not in EMPTY:
                found.setdefault((packet.number, item.name), []).append(value)
    return found


def printed(
    tshark: Tshark, known: Real, options: Sequence[str], names: Sequence[str], types: dict[str, str]
) -> Values:
    found: Values = {}
    words = {"True": "1", "False": "0"}  # of Wireshark 4.6
    for row in tshark.fields(known.path, ["frame.number", *names], options):
        for name in names:
            values = [value for value in row[name] if value not in EMPTY]
            if types[name] == "FT_BOOLEAN":
                values = [words.get(value, value) for value in values]
            if values:
                found[int(row["frame.number"][0]), name] = values
    return found


@pytest.mark.parametrize(
    "known, passes",
    [
        (ERRORS, []),
        (capture("broker-3.9-java-txn"), ["-2"]),
        (capture("broker-0.8.2-oldproducer-gzip"), []),
        (capture("java-4.4-admin"), []),
        (capture("java-4.4-produce-fetch-none"), ["-2"]),
    ],
)
def test_all_fields_printed(tshark: Tshark, known: Real, passes: list[str], types: dict[str, str]) -> None:
    options = [*known.options, *passes]
    shown = in_tree(tshark, known, options, types)
    names = sorted({name for _, name in shown})
    assert len(names) > 50
    assert printed(tshark, known, options, names, types) == shown


def test_each_field_printed_alone(tshark: Tshark, types: dict[str, str]) -> None:
    shown = in_tree(tshark, ERRORS, ERRORS.options, types)
    names = sorted({name for _, name in shown})
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        alone = dict(zip(names, pool.map(lambda name: printed(tshark, ERRORS, ERRORS.options, [name], types), names)))
    wrong = {name for name in names if alone[name] != {at: values for at, values in shown.items() if at[1] == name}}
    assert len(names) > 50
    assert not wrong


@pytest.mark.parametrize(
    "args",
    [
        "-T fields -e kafka.api_key",
        "-Tfields -ekafka.topic_name -e frame.number",
        "-nTfields -E separator=/t -E aggregator=- -e kafka.batch_size",
        "-T fields -e kafka.api_key -e _ws.col.Info",
        "--color --temp-dir=/tmp --log-level critical -l -T fields -e kafka.api_key",
        "-t ad -Y tcp -T fields -e tcp.port",
    ],
)
def test_nothing_made_that_is_not_printed(args: str) -> None:
    assert work(PACKED, *args.split()) == NOTHING


@pytest.mark.parametrize(
    "args",
    [
        "-T fields -e kafka.message_key",
        "-P -T fields -e frame.number -e kafka.message_value",
        "-Y kafka.record_offset_delta==0 -T fields -e frame.number",
    ],
)
def test_records_read_that_are_printed(args: str) -> None:
    done = work(PACKED, *args.split())
    assert done["checksums"] == 0
    assert done["record_walks"] == done["inflations"] > 0


@pytest.mark.parametrize("args", ["-T pdml", "-T json", "-V", "-V -T text", "-T ek -J kafka"])
def test_everything_made_for_trees(args: str) -> None:
    done = work(PACKED, *args.split())
    assert done["checksums"] == done["inflations"] == done["record_walks"] > 0


def lines(tshark: Tshark, *args: str, **how) -> list[str]:
    return tshark.read(PACKED, args, **how).text.splitlines()


@pytest.mark.parametrize("name", ["kafka", "text"])
def test_texts_printed(tshark: Tshark, name: str) -> None:
    """Where texts are printed of items, all texts are there. From 4.4 on tshark makes none of those that it prints."""
    if tshark.version() >= (4, 4, 0):
        pytest.skip("tshark prints no texts of items")
    found = lines(tshark, "-T", "fields", "-e", name)
    assert any("Produce" in line if name == "kafka" else "Record batch" in line for line in found)


@pytest.mark.parametrize("snaplen", [100, 120, 300])
def test_tree_comes_back_after_an_exception(tshark: Tshark, scratch: Path, snaplen: int) -> None:
    """A GSSAPI token that the capture cuts breaks Wireshark's dissection of its packet off, and of no other one."""
    known = capture("broker-0.9-sasl-gssapi")
    cut = Capture(snaplen=snaplen)
    cut.frames = [(frame.time_ns, frame.data) for frame in frames(known.path)]
    rows = tshark.fields(cut.write(scratch / "cut.pcap"), ["frame.number", "tcp.port"], known.options)
    assert len(rows) == len(cut.frames)
    assert all(row["frame.number"] and row["tcp.port"] for row in rows)


@pytest.mark.parametrize("printing", [[], ["-T", "fields", "-e", "_ws.col.X"]])
def test_column_of_severities(tshark: Tshark, printing: list[str]) -> None:
    if printing and tshark.version() >= (4, 4, 0):
        pytest.skip("the name of the field is another one")
    args = [*ERRORS.options, "-o", 'gui.column.format:"X","%a"', *printing]
    found = tshark.read(ERRORS.path, args).text.splitlines()
    assert {"Warning", "Note"} <= {line.strip() for line in found}


def test_scripts_see_all_fields(tshark: Tshark, scratch: Path) -> None:
    if tshark.version() >= (4, 4, 0):
        pytest.skip("tshark itself makes what it prints, and no more")
    script = scratch / "count.lua"
    script.write_text(
        "local counter = Proto('counter', 'Counter')\n"
        "counter.fields = {ProtoField.uint32('counter.fields', 'Fields')}\n"
        "function counter.dissector(tvb, pinfo, tree)\n"
        "  tree:add(counter.fields[1], #{all_field_infos()})\n"
        "end\n"
        "register_postdissector(counter, true)\n"
    )
    script.chmod(0o644)
    args = [*ERRORS.options, "-X", f"lua_script:{script}", "-T", "fields", "-e", "kafka.len", "-e", "counter.fields"]
    rows = (line.split("\t") for line in tshark.read(ERRORS.path, args).text.splitlines())
    counts = [int(row[1]) for row in rows if row[0]]
    assert max(counts) > 200


def test_another_program(tshark: Tshark, scratch: Path) -> None:
    """A program that is not called tshark has other options: as much is made as for eyes, and the same printed."""
    if tshark.version() >= (4, 4, 0):
        pytest.skip("tshark itself makes what it prints, and no more")
    args = ("-T", "fields", "-e", "kafka.message_key", "-e", "kafka.topic_name")
    program = tshark.run(["-c", "command -v tshark"], program="sh").text.strip()
    other = scratch / "another"
    other.symlink_to(program)
    assert lines(tshark, *args, program=str(other)) == lines(tshark, *args)
    assert work(PACKED, *args)["checksums"] == 0
    assert work(PACKED, *args, program=str(other))["checksums"] > 0
