"""The whole worker as a supervisor starts it, and what its records have to say."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

from run_message import case_of, run_of

HERE = Path(__file__).parent
DRIVER = HERE.parents[1] / "src" / "drivers" / "pytorch"

# Many times what the slowest case takes on a busy machine, and less than those who run the tests wait.
PATIENCE_SECONDS = 150


class Worker:
    def __init__(
        self,
        before_start: Callable[[], None] | None = None,
        script: str = "",
        users_code: str = "",
        project: str = "",
        **environment: str,
    ) -> None:
        """`before_start` runs in the new process before it becomes the worker; `script` is one of this folder, in its place;
        `users_code` is a folder of modules that a case may name, beside data/; `project` is a published one."""
        paths = os.pathsep.join([str(DRIVER), str(HERE / "data"), users_code])
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-W",
                "ignore",
                *([str(HERE / script)] if script else ["-m", "ordercheck_pytorch"]),
                *(["--project", project] if project else []),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=before_start,
            env={
                **os.environ,
                "PYTHONPATH": paths,
                "OMP_NUM_THREADS": "1",
                "PYTHONFAULTHANDLER": "1",  # a process that is aborted prints its stacks
                **environment,
            },
        )
        self.hello = self.hear()
        self.runs = 0

    def hear(self) -> dict[str, Any]:
        assert self.process.stdout
        with self.aborted_when_silent():
            line = self.process.stdout.readline()
        assert line, f"the worker ended without a word, with status {self.process.wait()}"
        message: dict[str, Any] = json.loads(line)
        return message

    @contextmanager
    def aborted_when_silent(self) -> Iterator[None]:
        """A test that would wait for ever fails instead, with the stacks of the ranks and then of the front process."""
        timers = [
            Timer(PATIENCE_SECONDS, self.abort_ranks),
            Timer(PATIENCE_SECONDS + 20, self.process.send_signal, [signal.SIGABRT]),
        ]
        for timer in timers:
            timer.start()
        try:
            yield
        finally:
            for timer in timers:
                timer.cancel()

    def abort_ranks(self) -> None:
        pid = self.process.pid
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            os.kill(int(child), signal.SIGABRT)

    def run(
        self,
        stack: str,
        values_folder: str = "",
        coarse_factors: bool = False,
        flight_file: str = "",
        **settings: str,
    ) -> dict[str, Any]:
        """With a folder for values, they are kept."""
        assert self.process.stdin
        self.runs += 1
        keep = "values" if values_folder else "hashes"
        run = run_of(self.runs, case_of(stack, **settings), keep, None, flight_file, values_folder)
        run["coarse_factors"] = coarse_factors
        self.process.stdin.write(json.dumps(run) + "\n")
        self.process.stdin.flush()
        while (message := self.hear())["type"] == "progress":
            pass
        record: dict[str, Any] = message["record"]
        return record

    def close(self) -> int:
        assert self.process.stdin
        self.process.stdin.close()
        with self.aborted_when_silent():
            return self.process.wait()


def numbers(record: dict[str, Any]) -> Any:
    """What a layout must not change: every rank's like rank 0's, so one of each."""
    assert record["ending"] == "completed", record["failure"]
    assert all(parameter["replicas_agree"] for parameter in record["parameters"])
    steps = [
        {(loss, norm) for loss, norm in zip(s["loss"], s["gradient_norm"], strict=True)}
        for s in record["steps"]
    ]
    assert all(len(step) == 1 for step in steps)
    return steps, [(p["name"], p["gradient"], p["value"]) for p in record["parameters"]]
