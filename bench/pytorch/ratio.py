"""Cases a minute of the pytorch engine's pool of ranks over those of torchrun, which starts every case anew.

Both run the same program on the same case and take turns; every round gives one ratio. The pool runs a case as a record
needs it, observed and hashed; torchrun trains and compares nothing. `run` in this folder starts this."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "pytorch"))
from run_message import case_of, run_of

HERE = Path(__file__).resolve().parent
DRIVER = HERE.parent.parent / "src" / "drivers" / "pytorch"
GOALS = {"eager": 20, "aot_eager": 5}
CASES = {"eager": ["ddp=2", "ac,fsdp=2", "tp=2,fsdp=2"], "aot_eager": ["compile,fsdp=2", "ac,compile"]}
POOLED_RUNS = 3  # of the pool, a round


def case_json(text: str) -> dict[str, Any]:
    return case_of(text, text=text, steps=3)


def ranks_of(case: dict[str, Any]) -> int:
    world = 1
    for axis in case["mesh"]:
        world *= axis["degree"]
    return world


def environment() -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(DRIVER)}


def torchrun_seconds(case: dict[str, Any]) -> float:
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", str(ranks_of(case)),
         str(HERE / "one_case.py"), json.dumps(case)],
        capture_output=True, text=True, env=environment(),
    )  # fmt: skip
    if done.returncode != 0:
        # What a rank says of itself comes first, what torchrun says of all of them last.
        said = f"{done.stderr[:3000]}\n...\n{done.stderr[-500:]}"
        sys.exit(f"ratio.py: torchrun ended with {done.returncode} on {case['text']}:\n{said}")
    return time.monotonic() - began


class Worker:
    """A worker of the engine, driven as the supervisor drives it."""

    def __init__(self, folder: str) -> None:
        self.flight = str(Path(folder) / "flight")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ordercheck_pytorch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, env=environment(),
        )  # fmt: skip
        self.runs = 0
        self.answer()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def seconds(self, case: dict[str, Any]) -> float:
        assert self.process.stdin is not None
        self.runs += 1
        run = run_of(self.runs, case, flight_file=self.flight)
        began = time.monotonic()
        self.process.stdin.write(json.dumps(run) + "\n")
        self.process.stdin.flush()
        while (message := self.answer())["type"] != "record":
            pass
        if message["record"]["ending"] != "completed":
            sys.exit(
                f"ratio.py: {case['text']} {message['record']['ending']}: {message['record']['failure']}"
            )
        return time.monotonic() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2, help="a round takes every case once")
    options = parser.parse_args()
    ratios: dict[str, list[float]] = {kind: [] for kind in CASES}
    with tempfile.TemporaryDirectory() as folder:
        worker = Worker(folder)
        for texts in CASES.values():  # what is imported and looked up once is not a case's
            for text in texts:
                worker.seconds(case_json(text))
        for _ in range(options.rounds):
            for kind, texts in CASES.items():
                for text in texts:
                    case = case_json(text)
                    alone = torchrun_seconds(case)
                    pooled = statistics.mean(worker.seconds(case) for _ in range(POOLED_RUNS))
                    ratios[kind].append(alone / pooled)
                    print(f"{kind} {text}: torchrun {alone:.2f} s, pool {pooled:.2f} s a case", flush=True)
        worker.process.kill()
    for kind, values in ratios.items():
        median, goal = statistics.median(values), GOALS[kind]
        spread = f"min {min(values):.1f}, median {median:.1f}, max {max(values):.1f}"
        print(
            f"cases a minute, {kind}, pool over torchrun: {spread} (goal {goal}: {'met' if median >= goal else 'not met'})"
        )


main()
