# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs tshark with the plugin, or without it for Wireshark's built-in dissector.

Environment:
    TSHARK            the program, default "tshark"
    KAFKA_PLUGIN_DIR  folder that holds <X.Y>/epan/kafka.so, default build/plugins
    KAFKA_TSHARK_ENV  more variables for tshark, "NAME=VALUE NAME=VALUE" as a shell would split them, for sanitizers:
                      "LD_PRELOAD=/usr/lib/gcc/x86_64-linux-gnu/12/libasan.so ASAN_OPTIONS=detect_leaks=0"
    KAFKA_TSHARK_TIME factor for all time limits, default 1

Wireshark ignores WIRESHARK_PLUGIN_DIR as root, so tshark is run as "nobody" then. Files that it shall read must be
readable for everybody: `scratch_dir()` makes a folder that is.
"""

import atexit
import functools
import os
import re
import shlex
import shutil
import stat
import subprocess
import tempfile
import xml.parsers.expat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
NOBODY = 65534
VALUE_SEPARATOR = "\x1e"


def scratch_dir() -> Path:
    """A new empty folder that every user can read and write; removed at the end."""
    path = Path(tempfile.mkdtemp(prefix="kafka-test-"))
    path.chmod(stat.S_IRWXU | stat.S_IRWXG | stat.S_IRWXO)
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


@functools.cache
def _home() -> Path:
    home = scratch_dir()
    empty = home / "no-plugins"
    empty.mkdir()
    empty.chmod(0o755)
    return home


def plugin_dir() -> Path:
    return Path(os.environ.get("KAFKA_PLUGIN_DIR", REPO / "build" / "plugins")).resolve()


@dataclass(slots=True)
class Item:
    """A field or protocol of a PDML packet."""

    name: str
    show: str
    showname: str
    pos: int
    size: int
    value: str
    hidden: bool
    children: list["Item"] = field(default_factory=list)

    def walk(self) -> Iterator["Item"]:
        """This item and all below it, in the order of the tree."""
        yield self
        for child in self.children:
            yield from child.walk()

    def all(self, name: str) -> list["Item"]:
        return [item for item in self.walk() if item.name == name]

    def shows(self, name: str) -> list[str]:
        return [item.show for item in self.walk() if item.name == name]

    def first(self, name: str) -> "Item | None":
        return next((item for item in self.walk() if item.name == name), None)

    def number(self, name: str) -> int | None:
        item = self.first(name)
        return None if item is None else int(item.show, 0)


@dataclass(slots=True)
class Packet:
    number: int
    protos: list[Item]

    def named(self, name: str) -> list[Item]:
        """The protocol items of that name, at any depth."""
        return [item for proto in self.protos for item in proto.walk() if item.name == name]

    @property
    def malformed(self) -> bool:
        """Whether a dissector broke off; an expert info of the group "Malformed" is something else."""
        return any(proto.name in ("_ws.malformed", "_ws.short") for proto in self.protos)


@dataclass(frozen=True)
class Expert:
    """An expert info with what it stands at."""

    frame: int
    name: str
    severity: str
    message: str
    pos: int
    size: int


SEVERITIES = {"1048576": "comment", "2097152": "chat", "4194304": "note", "6291456": "warning", "8388608": "error"}


def experts(packet: Packet) -> list[Expert]:
    """All expert infos of a packet, in the order of the tree, with the bytes of the item that they are attached to."""
    found: list[Expert] = []

    def visit(item: Item) -> None:
        for child in item.children:
            if child.name == "_ws.expert":
                severity = child.first("_ws.expert.severity")
                message = child.first("_ws.expert.message")
                names = [c.name for c in child.children if not c.name.startswith("_ws.expert")]
                found.append(
                    Expert(
                        frame=packet.number,
                        name=names[0] if names else "",
                        severity=SEVERITIES.get(severity.show if severity else "", "?"),
                        message=message.show if message else "",
                        pos=item.pos,
                        size=item.size,
                    )
                )
            visit(child)

    for proto in packet.protos:
        visit(proto)
    return found


def _own_leaks(args: Sequence[str | Path]) -> str:
    """What AddressSanitizer has to be told for tshark's own leaks, which are there without the plugin, too."""
    if "-U" in args:  # a string, by a function that has no name: nothing to know it by
        return ":detect_leaks=0"
    if "-z" in args:  # leaks.supp knows those of statistics, by the whole stack, which takes time
        return ":fast_unwind_on_malloc=0"
    return ""


class TsharkError(AssertionError):
    """tshark ended with an error, wrote to stderr or took too long."""


@dataclass(frozen=True)
class Result:
    stdout: bytes
    stderr: str
    returncode: int

    @property
    def text(self) -> str:
        return self.stdout.decode("utf-8", "replace")


@dataclass(frozen=True)
class Tshark:
    """plugin=False gives the built-in dissector: the plugin folder is an empty one."""

    plugin: bool = True
    extra_env: tuple[tuple[str, str], ...] = ()

    def command(self, args: Sequence[str | Path], program: str | None = None) -> list[str]:
        home = _home()
        variables = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_RUNTIME_DIR": str(home),
            "TMPDIR": str(home),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "WIRESHARK_PLUGIN_DIR": str(plugin_dir() if self.plugin else home / "no-plugins"),
        }
        for assignment in shlex.split(os.environ.get("KAFKA_TSHARK_ENV", "")):
            name, _, value = assignment.partition("=")
            variables[name] = value
        variables.update(dict(self.extra_env))
        if "ASAN_OPTIONS" in variables:
            variables["ASAN_OPTIONS"] += _own_leaks(args)
        as_nobody = []
        if os.getuid() == 0:
            as_nobody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
            # It keeps root's right to every file: the tree may lie in a folder that is closed to others.
            as_nobody += ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"]
        return [
            *as_nobody,
            "env",
            "-i",
            *(f"{name}={value}" for name, value in variables.items()),
            program or os.environ.get("TSHARK", "tshark"),
            *map(str, args),
        ]

    def run(
        self,
        args: Sequence[str | Path],
        *,
        timeout: float = 120,
        check_stderr: bool = True,
        check_status: bool = True,
        program: str | None = None,
    ) -> Result:
        command = self.command(args, program)
        shown = shlex.join(map(str, args))
        limit = timeout * float(os.environ.get("KAFKA_TSHARK_TIME", "1"))
        try:
            done = subprocess.run(command, capture_output=True, timeout=limit, cwd=_home(), check=False)
        except subprocess.TimeoutExpired as expired:
            raise TsharkError(f"tshark {shown}: not ready after {limit:g} s") from expired
        result = Result(done.stdout, done.stderr.decode("utf-8", "replace"), done.returncode)
        if check_status and done.returncode != 0:
            raise TsharkError(f"tshark {shown}: status {done.returncode}\n{result.stderr[-3000:]}")
        if check_stderr and result.stderr.strip():
            raise TsharkError(f"tshark {shown}: on stderr:\n{result.stderr[-3000:]}")
        return result

    def read(self, capture: Path, args: Sequence[str | Path], **how) -> Result:
        """Reads a capture, without name resolution."""
        return self.run(["-n", "-r", capture, *args], **how)

    def fields(
        self, capture: Path, names: Sequence[str], options: Sequence[str] = (), **how
    ) -> list[dict[str, list[str]]]:
        """One dictionary a packet: each field's values in the order of the tree."""
        args = ["-T", "fields", "-E", "separator=/t", "-E", "occurrence=a", "-E", f"aggregator={VALUE_SEPARATOR}"]
        for name in names:
            args += ["-e", name]
        lines = self.read(capture, [*options, *args], **how).text.split("\n")
        rows = []
        for line in lines[:-1]:
            cells = line.split("\t")
            rows.append({n: c.split(VALUE_SEPARATOR) if c else [] for n, c in zip(names, cells, strict=True)})
        return rows

    def columns(self, capture: Path, options: Sequence[str] = (), **how) -> list[tuple[int, str, str]]:
        """Frame number, Protocol and Info of each packet that is shown."""
        names = ["frame.number", "_ws.col.Protocol", "_ws.col.Info"]
        rows = self.fields(capture, names, options, **how)
        # From 4.4 on tshark writes each backslash of a column as two.
        written, means = ("\\\\", "\\") if self.version() >= (4, 4, 0) else ("", "")
        return [(int(r[names[0]][0]), *("".join(r[n]).replace(written, means) for n in names[1:])) for r in rows]

    def pdml(self, capture: Path, options: Sequence[str] = (), **how) -> Iterator[Packet]:
        """The packets with their whole trees."""
        yield from parse_pdml(self.read(capture, [*options, "-T", "pdml"], **how).stdout)

    def kafka(self, capture: Path, options: Sequence[str] = (), **how) -> Iterator[Packet]:
        """The packets that have a protocol item "kafka", with only the protocols "frame", "tcp" and "kafka"."""
        wanted = ["-Y", "kafka", "-J", "frame tcp kafka"]
        yield from self.pdml(capture, [*options, *wanted], **how)

    @functools.cache
    def version(self) -> tuple[int, int, int]:
        first = self.run(["--version"]).text.split("\n", 1)[0]
        match = re.search(r"(\d+)\.(\d+)\.(\d+)", first)
        if match is None:
            raise TsharkError(f"no version in {first!r}")
        return tuple(int(part) for part in match.groups())

    def has_plugin(self) -> bool:
        major, minor, _ = self.version()
        return (plugin_dir() / f"{major}.{minor}" / "epan" / "kafka.so").is_file()


# Wireshark writes these two as they are in a message, but no XML may have them. What stands for them is unassigned.
_NOT_IN_XML = {"\ufffe": "\U000d5ffe", "\uffff": "\U000d5fff"}


def parse_pdml(document: bytes) -> Iterator[Packet]:
    """Reads a PDML document packet by packet."""
    for character, substitute in _NOT_IN_XML.items():
        document = document.replace(character.encode(), substitute.encode())
    packets: list[Packet] = []
    stack: list[Item] = []

    def number(attributes: dict[str, str], name: str) -> int:
        return int(attributes.get(name) or 0)

    def text(attributes: dict[str, str], name: str) -> str:
        found = attributes.get(name, "")
        for character, substitute in _NOT_IN_XML.items():
            found = found.replace(substitute, character)
        return found

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == "packet":
            packets.append(Packet(0, []))
            stack.clear()
            return
        if tag not in ("proto", "field"):
            return
        item = Item(
            name=attributes.get("name", ""),
            show=text(attributes, "show"),
            showname=text(attributes, "showname"),
            pos=number(attributes, "pos"),
            size=number(attributes, "size"),
            value=attributes.get("value", attributes.get("unmaskedvalue", "")),
            hidden=attributes.get("hide") == "yes",
        )
        if item.size <= 4:  # Wireshark 4.6 writes booleans as words, earlier ones as numbers; no text is that short
            item.show = {"True": "1", "False": "0"}.get(item.show, item.show)
        if stack:
            stack[-1].children.append(item)
        elif packets:
            packets[-1].protos.append(item)
        if item.name == "num" or item.name == "frame.number":
            packets[-1].number = int(item.show)
        stack.append(item)

    def end(tag: str) -> None:
        if tag in ("proto", "field"):
            stack.pop()

    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    step = 1 << 20
    for offset in range(0, max(len(document), 1), step):
        parser.Parse(document[offset : offset + step], offset + step >= len(document))
        # the last packet may be unfinished
        while len(packets) > 1:
            yield packets.pop(0)
    yield from packets
