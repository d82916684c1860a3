#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the plugin with Wireshark's built-in Kafka dissector: CPU time and peak memory, side by side in one run.

README.md beside this file says what is measured and how. The result is a Markdown table on standard output.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from make_captures import PORT, cache_folder

PLUGINS = Path(__file__).resolve().parent.parent / "build" / "plugins"
NOBODY = 65534
STAGED = "KAFKA_BENCH_STAGED"
CAPTURES = ("large", "small")
TOPICS = {"large": "events-lz4", "small": "payments"}
KEY = b"user-012345"
FIELDS = (
    "frame.number",
    "kafka.api_key",
    "kafka.correlation_id",
    "kafka.topic_name",
    "kafka.partition_id",
    "kafka.message_key",
)


@dataclass(frozen=True)
class Mode:
    """One way of using tshark, with the ratio to the built-in that is aimed at for each capture."""

    title: str
    aims: dict[str, float]
    whole: bool = False  # the ratio of whole times, not of times net of bare TCP


MODES = {
    "first-pass": Mode("first pass", {"large": 0.33, "small": 0.40}),
    "topic": Mode("filter on the topic", {"large": 0.25, "small": 0.35}),
    "key": Mode("filter on the key", {"large": 0.50, "small": 0.50}),
    "fields": Mode("`-T fields`", {"large": 0.50, "small": 0.50}),
    "two-pass": Mode("`-2`", {"large": 0.25, "small": 0.35}),
    "verbose": Mode("`-V`", {"large": 0.67, "small": 0.67}, whole=True),
}


def mode_arguments(mode: str, capture: str) -> list[str]:
    match mode:
        case "first-pass":
            return ["-q", "-z", "io,phs"]
        case "topic":
            return ["-Y", f'kafka.topic_name == "{TOPICS[capture]}"']
        case "key":
            return ["-Y", f"kafka.message_key == {KEY.hex(':')}"]
        case "fields":
            return ["-T", "fields", *(argument for name in FIELDS for argument in ("-e", name))]
        case "two-pass":
            return ["-2", "-q", "-z", "io,phs"]
        case "verbose":
            return ["-V"]
    raise ValueError(mode)


# What the Kafka port is decoded as. "artemis" has Kafka's framing (a length of four bytes) and puts one field over what
# follows: its memory is what TCP reassembly alone keeps.
VARIANTS = {"tcp": "data", "reassembly": "artemis", "built-in": "kafka", "plugin": "kafka"}


@dataclass
class Cost:
    """What the runs of one variant in one mode took."""

    seconds: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)

    def time(self) -> float:
        return statistics.median(self.seconds)

    def memory(self) -> float:
        return statistics.median(self.megabytes)


class Stage:
    """A folder that the user without rights can read, inside the chroot if there is one.

    For root, captures and plugins are mounted into it (read-only, in a mount namespace of this program), because root's
    own folders are closed to others and a chroot does not have them.
    """

    def __init__(self, root: Path, plugins: Path, captures: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="kafka-bench-", dir=root / "tmp"))
        self.folder.chmod(0o755)
        self.plugins, self.captures = plugins, captures
        self.mounts: list[Path] = []
        self.home = self.folder / "home"  # what tshark writes as its user goes here
        self.no_plugins = self.folder / "none"
        for folder in (self.home, self.no_plugins):
            folder.mkdir()
        self.home.chmod(0o777)
        if os.geteuid() == 0:
            self.plugins = self.mount("plugins", plugins)
            self.captures = self.mount("captures", captures)

    def mount(self, name: str, source: Path) -> Path:
        target = self.folder / name
        target.mkdir()
        subprocess.run(["mount", "-o", "bind,ro", str(source), str(target)], check=True)
        self.mounts.append(target)
        return target

    def remove(self) -> None:
        # rmdir, so that nothing that is mounted after all can be emptied.
        for target in self.mounts:
            subprocess.run(["umount", str(target)], check=True)
            target.rmdir()
        shutil.rmtree(self.home)
        self.no_plugins.rmdir()
        self.folder.rmdir()


# The first caches of most processors of the last ten years, and a second one.
CACHES = ["--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=524288,8,64"]


class Counts(NamedTuple):
    """What valgrind counts of a run."""

    instructions: int
    code_misses: int  # of the first cache
    data_misses: int


class Tshark:
    """Runs one tshark, in a chroot or not, never as root (who gets no plugins from WIRESHARK_PLUGIN_DIR)."""

    def __init__(self, command: str, root: Path, stage: Stage) -> None:
        self.command = command
        self.root = root
        self.stage = stage

    def inside(self, path: Path) -> str:
        """The path as the chroot's programs see it."""
        return str(path) if self.root == Path("/") else "/" + str(path.relative_to(self.root))

    def command_line(self, variant: str, arguments: list[str]) -> list[str]:
        plugins = self.stage.plugins if variant == "plugin" else self.stage.no_plugins
        # fmt: off
        environment = ["env", "-i", "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", f"HOME={self.inside(self.stage.home)}",
                       f"WIRESHARK_PLUGIN_DIR={self.inside(plugins)}"]
        # fmt: on
        enter: list[str] = []
        if self.root != Path("/"):
            enter = ["chroot", f"--userspec={NOBODY}:{NOBODY}", str(self.root)]
        elif os.geteuid() == 0:
            enter = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        return [*enter, *environment, self.command, *arguments]

    def reading(self, variant: str, capture: str, arguments: list[str]) -> list[str]:
        path = self.inside(self.stage.captures / f"{capture}.pcapng")
        decode_as = f"tcp.port=={PORT},{VARIANTS[variant]}"
        return self.command_line(variant, ["-n", "-r", path, "-d", decode_as, *arguments])

    def counting(self, variant: str, capture: str, arguments: list[str], packets: int) -> list[str]:
        """As reading, for the first packets only, under valgrind, which counts instructions and simulates caches."""
        command = self.reading(variant, capture, ["-c", str(packets), *arguments])
        at = command.index(self.command)
        return [*command[:at], "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *CACHES, *command[at:]]

    def count(self, command: list[str]) -> "Counts":
        """How many instructions a run takes, and how often it misses the first caches."""
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        found = re.search(r"Collected\s*:((?:\s+\d+){9})", done.stderr.decode(errors="replace"))
        if done.returncode or found is None:
            raise SystemExit(f"{' '.join(command)}\nended with {done.returncode}: {done.stderr.decode()}")
        instructions, _, _, code, data_read, data_written, *_ = (int(number) for number in found[1].split())
        return Counts(instructions, code, data_read + data_written)

    def output(self, command: list[str]) -> str:
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode or done.stderr:
            raise SystemExit(f"{' '.join(command)}\nended with {done.returncode}: {done.stderr.decode()}")
        return done.stdout.decode(errors="replace")

    def measure(self, command: list[str], cost: Cost) -> None:
        """CPU time (user and system) and peak resident memory of one run; all helpers replace themselves by tshark."""
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
            try:
                _, status, usage = os.wait4(process.pid, 0)
            except BaseException:
                process.kill()
                process.wait()
                raise
            process.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            text = errors.read()
            if process.returncode or text:
                raise SystemExit(f"{' '.join(command)}\nended with {process.returncode}: {text.decode()}")
        cost.seconds.append(usage.ru_utime + usage.ru_stime)
        cost.megabytes.append(usage.ru_maxrss / 1024)


@dataclass
class Found:
    """What one side shows of a capture."""

    pdus: int = 0
    malformed: int = 0
    keys: int = 0  # of records
    topic: int = 0  # frames that the topic filter lets through
    key: int = 0  # frames that the key filter lets through


def found_by(tshark: Tshark, variant: str, capture: str) -> Found:
    names = ("kafka.len", "_ws.malformed", "kafka.topic_name", "kafka.message_key")
    arguments = ["-Y", "kafka", "-T", "fields", *(argument for name in names for argument in ("-e", name))]
    found = Found()
    for line in tshark.output(tshark.reading(variant, capture, arguments)).splitlines():
        lengths, malformed, topics, keys = (cell.split(",") if cell else [] for cell in line.split("\t"))
        found.pdus += len(lengths)
        found.malformed += len(malformed)
        found.keys += len(keys)
        found.topic += TOPICS[capture] in topics
        found.key += KEY.hex() in keys
    return found


def check_decoding(tshark: Tshark, capture: str) -> list[str]:
    """Stops when one side does not really decode, for a quick failure must not look like a win. Returns remarks."""
    sides = ("built-in", "plugin")
    loaded = {side: "kafka.so" in tshark.output(tshark.command_line(side, ["-G", "plugins"])) for side in sides}
    if loaded != {"built-in": False, "plugin": True}:
        raise SystemExit(f"the plugin must be loaded for its own runs only; loaded: {loaded}")
    builtin, plugin = (found_by(tshark, side, capture) for side in sides)
    note(f"{capture}: built-in {builtin}; plugin {plugin}")
    if not (builtin.pdus and builtin.topic and builtin.key):
        raise SystemExit(f"{capture}: the built-in does not decode this capture; there is nothing to compare with")
    if plugin.malformed or plugin.pdus < builtin.pdus or plugin.topic < builtin.topic:
        raise SystemExit(f"{capture}: the plugin does not decode what the built-in does; no figure would mean anything")
    if plugin.keys < builtin.keys:
        return [f"{capture}: the plugin shows {plugin.keys} records of the {builtin.keys} that the built-in shows."]
    return []


def measure(tshark: Tshark, captures: list[str], modes: list[str], runs: int) -> dict[tuple[str, str, str], Cost]:
    """All costs. The variants take turns, so that whatever else the machine does falls on all of them."""
    costs = {(c, m, v): Cost() for c in captures for m in modes for v in VARIANTS}
    for capture in captures:
        for mode in modes:
            for run in range(runs):
                for variant in VARIANTS:
                    command = tshark.reading(variant, capture, mode_arguments(mode, capture))
                    tshark.measure(command, costs[capture, mode, variant])
                note(f"{capture}: {mode}: run {run + 1} of {runs}")
    return costs


def count(tshark: Tshark, captures: list[str], modes: list[str], packets: int) -> str:
    """A table of instructions and misses of caches, which other programs on the machine do not change."""
    # fmt: off
    head = ["mode", "capture", "TCP, M", "built-in, M", "plugin, M", "ratio", "code misses, built-in", "plugin",
            "data misses, built-in", "plugin"]
    # fmt: on
    rows = [head, ["---"] * 2 + ["--:"] * (len(head) - 2)]
    for mode in modes:
        for capture in captures:
            arguments = mode_arguments(mode, capture)
            tcp, builtin, plugin = (
                tshark.count(tshark.counting(variant, capture, arguments, packets))
                for variant in ("tcp", "built-in", "plugin")
            )
            base = Counts(0, 0, 0) if MODES[mode].whole else tcp
            ours, theirs = ([a - b for a, b in zip(side, base)] for side in (plugin, builtin))
            title = MODES[mode].title + (" (whole)" if MODES[mode].whole else "")
            millions = [f"{number / 1e6:.0f}" for number in (tcp.instructions, theirs[0], ours[0])]
            misses = [f"{number / packets:.0f}" for i in (1, 2) for number in (theirs[i], ours[i])]
            rows.append([title, capture, *millions, f"**{ours[0] / theirs[0]:.2f}**", *misses])
            note(f"{capture}: {mode}: counted")
    return markdown(rows)


def row(capture: str, name: str, costs: dict[tuple[str, str, str], Cost]) -> list[str]:
    mode = MODES[name]
    tcp, reassembly, builtin, plugin = (costs[capture, name, variant] for variant in VARIANTS)
    base = 0.0 if mode.whole else tcp.time()
    ratio = (plugin.time() - base) / (builtin.time() - base)
    return [
        mode.title + (" (whole)" if mode.whole else ""),
        capture,
        f"{tcp.time():.2f}",
        f"{builtin.time() - base:.2f}",
        f"{plugin.time() - base:.2f}",
        f"**{ratio:.2f}**",
        f"{mode.aims[capture]:.2f}",
        f"{builtin.memory():.0f}",
        f"{plugin.memory():.0f}",
        f"{plugin.memory() / reassembly.memory():.2f}",
        f"{plugin.memory() / tcp.memory():.2f}",
    ]


def table(captures: list[str], modes: list[str], costs: dict[tuple[str, str, str], Cost]) -> str:
    # fmt: off
    head = ["mode", "capture", "TCP, s", "built-in, s", "plugin, s", "ratio", "aim", "built-in, MiB", "plugin, MiB",
            "memory to reassembly", "memory to TCP"]
    # fmt: on
    rows = [head, ["---"] * 2 + ["--:"] * (len(head) - 2)]
    rows += [row(capture, mode, costs) for mode in modes for capture in captures]
    return markdown(rows)


def markdown(rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def processor() -> str:
    found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return found[1] if found else platform.machine()


def enter_mount_namespace() -> None:
    """Starts this program again where its mounts are seen by nobody else."""
    if os.geteuid() == 0 and STAGED not in os.environ:
        os.environ[STAGED] = "yes"
        os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv])


def names(text: str, known: tuple[str, ...], parser: argparse.ArgumentParser) -> list[str]:
    chosen = text.split(",")
    if unknown := [name for name in chosen if name not in known]:
        parser.error(f"unknown: {', '.join(unknown)}; known are {', '.join(known)}")
    return chosen


def report(arguments: argparse.Namespace, tshark: Tshark, captures: list[str], modes: list[str]) -> Iterator[str]:
    version = tshark.output(tshark.command_line("built-in", ["--version"])).splitlines()[0]
    if arguments.instructions:
        yield f"{version}; millions of instructions for the first {arguments.instructions} packets, and misses a packet"
        yield from ("", count(tshark, captures, modes, arguments.instructions))
        return
    yield f"{version}; {processor()}; {os.cpu_count()} processors; medians of {arguments.runs}"
    remarks = [remark for capture in captures for remark in check_decoding(tshark, capture)]
    costs = measure(tshark, captures, modes, arguments.runs)
    yield ""
    yield table(captures, modes, costs)
    yield from ("", *remarks)
    if arguments.json:
        raw = [{"capture": c, "mode": m, "variant": v, **vars(cost)} for (c, m, v), cost in costs.items()]
        arguments.json.write_text(json.dumps(raw, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="Compares the plugin with the built-in dissector.")
    parser.add_argument("--tshark", default="tshark", help="the tshark to run (inside the chroot, if one is given)")
    parser.add_argument("--plugin-dir", type=Path, default=PLUGINS, help="as WIRESHARK_PLUGIN_DIR (%(default)s)")
    parser.add_argument("--chroot", type=Path, default=Path("/"), help="a system with another Wireshark; needs root")
    parser.add_argument("--captures", default=",".join(CAPTURES), help="which of the captures (%(default)s)")
    parser.add_argument("--modes", default=",".join(MODES), help="which of the modes (%(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each, of which the median counts (%(default)s)")
    parser.add_argument(
        "--instructions", type=int, metavar="PACKETS", help="count instructions and misses of caches, with valgrind"
    )
    parser.add_argument("--json", type=Path, help="write the single figures to this file")
    arguments = parser.parse_args()
    captures = names(arguments.captures, CAPTURES, parser)
    modes = names(arguments.modes, tuple(MODES), parser)
    root, plugins, folder = arguments.chroot.resolve(), arguments.plugin_dir.resolve(), cache_folder()
    if missing := [str(folder / f"{c}.pcapng") for c in captures if not (folder / f"{c}.pcapng").exists()]:
        parser.error(f"no {', '.join(missing)}; make_captures.py makes them")
    if not plugins.is_dir():
        parser.error(f"no plugins in {plugins}")
    enter_mount_namespace()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    stage = Stage(root, plugins, folder)
    try:
        tshark = Tshark(arguments.tshark, root, stage)
        for line in report(arguments, tshark, captures, modes):
            print(line, flush=True)
    finally:
        stage.remove()


if __name__ == "__main__":
    main()
