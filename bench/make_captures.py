#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the captures of the benchmark: a real client's traffic with a real broker, recorded on loopback.

Broker, client and capture run in a network namespace of their own, so that no port can be taken and nothing else is in
the capture. README.md beside this file says what the captures hold and what is needed to make them.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOAD = HERE / "load"
PORT = 9092
LOADS = {"large": 48, "small": 250_000}  # MiB of records for each codec; requests
# Large messages in the segments of 64 KiB that loopback and network cards with offloading hand to a capture; small ones
# one packet a segment, of the size that a network has. (Wireshark's reassembly takes time by the square of the segments
# of a message: thousands of them would hide everything else.)
LINKS = {
    "large": ["mtu", "65536"],
    "small": ["mtu", "1500", "gso_max_size", "1514", "gso_max_segs", "1"],
}
PROCESSORS = sorted(os.sched_getaffinity(0))
TOOLS = ("java", "mvn", "dumpcap", "unshare", "ip")


def cache_folder() -> Path:
    """Where jars and captures are kept: never in the repository."""
    if folder := os.environ.get("BENCH_DIR"):
        return Path(folder).absolute()
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache).absolute() / "kafka-wireshark-bench"


def fetch_jars(part: str, folder: Path) -> None:
    """Resolves the jars of the client or the broker once; only complete folders get their final name."""
    target = folder / "libs" / part
    if target.is_dir():
        return
    unfinished = target.with_name(part + ".part")
    shutil.rmtree(unfinished, ignore_errors=True)
    # fmt: off
    subprocess.run(
        ["mvn", "-q", "-B", "-f", str(LOAD / f"{part}-pom.xml"), "dependency:copy-dependencies",
         "-DincludeScope=runtime", f"-DoutputDirectory={unfinished}"],
        check=True,
    )
    # fmt: on
    unfinished.rename(target)


def wait_for_port(process: subprocess.Popen[bytes], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise SystemExit(f"the broker ended with status {process.returncode}")
        try:
            socket.create_connection(("127.0.0.1", PORT), timeout=1).close()
            return
        except OSError:
            time.sleep(0.2)
    raise SystemExit("the broker did not open its port")


@contextmanager
def on_processor(number: int) -> Iterator[None]:
    """Processes started meanwhile stay on one processor."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {number})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def broker(libs: Path, scratch: Path) -> Iterator[None]:
    config = scratch / "broker.properties"
    config.write_text((LOAD / "broker.properties").read_text() + f"log.dirs={scratch / 'data'}\n")
    java = ["java", "-Xmx1g", "-cp", f"{libs}/*"]
    cluster = ["-t", "AAAAAAAAAAAAAAAAAAAAAQ", "-c", str(config)]
    with open(scratch / "broker.log", "wb") as log:
        output = {"stdout": log, "stderr": subprocess.STDOUT}
        subprocess.run([*java, "kafka.tools.StorageTool", "format", *cluster], check=True, **output)
        process = subprocess.Popen([*java, "kafka.Kafka", str(config)], **output)
        try:
            wait_for_port(process, 60)
            yield
        finally:
            process.terminate()
            process.wait()


@contextmanager
def capture(path: Path, scratch: Path) -> Iterator[None]:
    """Records the port into the file, and refuses a capture that lost a packet."""
    report = scratch / "dumpcap.log"
    with open(report, "wb") as log:
        # -B: MiB of kernel buffer, far more than dumpcap ever falls behind.
        command = ["dumpcap", "-q", "-i", "lo", "-f", f"tcp port {PORT}", "-B", "512", "-w", str(path)]
        with on_processor(PROCESSORS[-1]):
            process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        try:
            while not (path.exists() and path.stat().st_size):
                if process.poll() is not None:
                    raise SystemExit(report.read_text())
                time.sleep(0.1)
            time.sleep(1)  # the file's header is there slightly before the first packet would be taken
            yield
            time.sleep(2)  # what is still in the kernel's buffer
        finally:
            process.send_signal(signal.SIGINT)
            process.wait()
    dropped = re.search(r"received/dropped on interface .*: (\d+)/(\d+)", report.read_text())
    if not dropped or dropped[2] != "0":
        raise SystemExit(f"the capture is not complete:\n{report.read_text()}")
    print(f"{path.name}: {dropped[1]} packets, {path.stat().st_size / 1e6:.0f} MB", flush=True)


def record(name: str, amount: int, folder: Path) -> None:
    """Makes one capture; runs inside the network namespace."""
    subprocess.run(["ip", "link", "set", "lo", *LINKS[name], "up"], check=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch_name:
        scratch = Path(scratch_name)
        unfinished = scratch / f"{name}.pcapng"
        # Loopback hands packets over on the sender's processor: with several the capture would be out of order.
        libs = folder / "libs"
        with on_processor(PROCESSORS[0]), broker(libs / "broker", scratch), capture(unfinished, scratch):
            # fmt: off
            subprocess.run(
                ["java", "-Xmx1g", "-cp", f"{libs / 'client'}/*", str(LOAD / "Load.java"),
                 f"127.0.0.1:{PORT}", name, str(amount)],
                check=True,
            )
            # fmt: on
        unfinished.chmod(0o644)
        unfinished.rename(folder / f"{name}.pcapng")


def record_in_namespace(name: str, amount: int, folder: Path) -> None:
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    inside = [sys.executable, __file__, "--inside", f"--{name}", str(amount), name]
    subprocess.run(["unshare", *user, "--net", *inside], check=True, env={**os.environ, "BENCH_DIR": str(folder)})


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes the benchmark's captures in $BENCH_DIR.")
    parser.add_argument("names", nargs="*", help="which to make, of large and small (default: those that are missing)")
    parser.add_argument("--large", type=int, default=LOADS["large"], help="MiB of records for each codec")
    parser.add_argument("--small", type=int, default=LOADS["small"], help="requests of one record")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    folder = cache_folder()
    if unknown := set(arguments.names) - LOADS.keys():
        parser.error(f"no such capture: {', '.join(sorted(unknown))}")
    if missing := [tool for tool in TOOLS if not shutil.which(tool)]:
        raise SystemExit(f"needed and not found: {', '.join(missing)}")
    amounts = {"large": arguments.large, "small": arguments.small}
    names = arguments.names or [name for name in LOADS if not (folder / f"{name}.pcapng").exists()]
    if arguments.inside:
        record(names[0], amounts[names[0]], folder)
        return
    for part in ("client", "broker"):
        fetch_jars(part, folder)
    for name in names:
        record_in_namespace(name, amounts[name], folder)
    print(f"captures are in {folder}")


if __name__ == "__main__":
    main()
