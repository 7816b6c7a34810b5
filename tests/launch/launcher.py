"""Starts ranks as a launcher does, and reads what they leave."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

# Only a run that hangs takes so long.
HANGS = 600.0
LAUNCHERS = ("RANK", "WORLD_SIZE", "LOCAL_", "MASTER_", "TORCHELASTIC_", "OMPI_", "PMI", "SLURM_", "GLOO_")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def bare_environment(**variables: str) -> dict[str, str]:
    """That of this process without what a launcher around it may have set."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHERS)}
    return kept | variables


def by_hand(rank: int, size: int, port: int, host: str = "127.0.0.1") -> dict[str, str]:
    return bare_environment(RANK=str(rank), WORLD_SIZE=str(size), MASTER_ADDR=host, MASTER_PORT=str(port))


def row_of(table: Path, case: str) -> dict[str, str]:
    lines = [line for line in table.read_text().splitlines() if not line.startswith("#")]
    columns = lines[0].split("\t")
    rows = [dict(zip(columns, line.split("\t"), strict=True)) for line in lines[1:]]
    return next(row for row in rows if row["case"] == case)


def processes() -> Iterator[tuple[int, str, int]]:
    """Number, name and parent of each that there is."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (folder / "stat").read_text().partition(" (")[2].rpartition(") ")
        except OSError:
            continue
        yield int(folder.name), name, int(rest.split()[1])


def below(pid: int) -> set[int]:
    """The processes that it started, and those that these did."""
    parents = {one: parent for one, _, parent in processes()}

    def starts(one: int) -> bool:
        while one in parents and one != pid:
            one = parents[one]
        return one == pid

    return {one for one in parents if one != pid and starts(one)}


def rank_processes(launch: int, rank: int) -> list[tuple[int, int]]:
    """The process that is a rank of the run under way, and the one that looks after it."""
    started = below(launch) | {launch}
    return [(pid, parent) for pid, name, parent in processes() if name == f"rank {rank}" and pid in started]


def await_true(what: str, holds: Callable[[], object]) -> None:
    until = time.monotonic() + HANGS
    while not holds():
        if time.monotonic() > until:
            raise AssertionError(f"waited {HANGS} s for: {what}")
        time.sleep(0.02)


class LaunchTest(unittest.TestCase):
    """With a folder of its own, in which each process's output goes to a file."""

    ranks_program: Path
    ordercheck: Path
    root: Path

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.record = self.folder / "record.tsv"

    def arguments(self, *cases: str, timeout: int = 60) -> list[str]:
        written = self.folder / "cases"
        written.write_text("\n".join(cases) + "\n")
        options = ["--env", "--case", str(written), "--record", str(self.record)]
        return [str(self.ranks_program), *options, "--timeout", str(timeout)]

    def start(self, command: list[str], environment: Mapping[str, str], name: str) -> subprocess.Popen[bytes]:
        out, errors = self.folder / f"{name}.out", self.folder / f"{name}.err"
        with out.open("wb") as to, errors.open("wb") as errors_to:
            process = subprocess.Popen(
                command, env=environment, stdout=to, stderr=errors_to, stdin=subprocess.DEVNULL
            )
        self.addCleanup(self.end, process)
        return process

    def started_by_hand(self, size: int, *cases: str, timeout: int = 60) -> list[subprocess.Popen[bytes]]:
        port, command = free_port(), self.arguments(*cases, timeout=timeout)
        return [self.start(command, by_hand(rank, size, port), str(rank)) for rank in range(size)]

    @staticmethod
    def end(process: subprocess.Popen[bytes]) -> None:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait()

    def code_of(self, process: subprocess.Popen[bytes]) -> int:
        try:
            return process.wait(HANGS)
        except subprocess.TimeoutExpired:
            self.fail(f"it did not end within {HANGS} s")

    def out(self, name: str) -> str:
        return (self.folder / f"{name}.out").read_text()

    def errors(self, name: str) -> str:
        return (self.folder / f"{name}.err").read_text()

    def merge(self) -> subprocess.CompletedProcess[str]:
        command = [
            str(self.ordercheck),
            "matrix",
            "merge",
            str(self.record),
            "--rules",
            str(self.root / "rules"),
        ]
        return subprocess.run(command, capture_output=True, text=True, timeout=HANGS)

    def await_steps(self, launch: int, rank: int) -> tuple[int, int]:
        """Until this rank has been running for a while: it and what looks after it."""
        await_true(f"rank {rank}", lambda: rank_processes(launch, rank))
        ((pid, parent),) = rank_processes(launch, rank)

        def seconds() -> float:
            ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
            return (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")

        await_true(f"steps of rank {rank}", lambda: seconds() > 0.2)
        return pid, parent
