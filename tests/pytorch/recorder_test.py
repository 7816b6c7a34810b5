"""What `ordercheck record` reads from jobs: the stack that was applied, whatever it is called in code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tomllib
from real_worker import Worker

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ORDERCHECK = ROOT / "build/cpu/bin/ordercheck"
SMOKE = tomllib.loads((ROOT / "matrix/space-pytorch.toml").read_text())["smoke"]
# Beside the smoke tier: what options change.
MORE = [
    "hsdp=2x2",
    "fsdp=2:reshard=never",
    "ac:reentrant,fsdp=2",
    "ac=selective,fsdp=2",
    "tp=2:sp=off",
    "tp=2:plan=blocks,fsdp=2",
    "tp=2:loss_parallel",
    "compile@model,fsdp=2",
    "compile:wrap,fsdp=2",
    "compile=aot_eager,ac",
    "pp=2,tp=2",
    "tp=2,pp=2",
    "cp=2,fsdp=2",
    "optimizer=adamw,fsdp=2",
    "fsdp=2,optimizer=adamw:clip=1",
    "ac,replicate=2",
]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("recordings") / "job.json"


@pytest.fixture(scope="module")
def worker(recording: Path) -> Iterator[Worker]:
    worker = Worker(script="recording_worker.py", RECORDING=str(recording))
    yield worker
    assert worker.close() == 0


def imported(recording: Path) -> dict[str, Any]:
    said = subprocess.run(
        [ORDERCHECK, "import", recording, "--json"], capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(said.stdout)["stacks"][0]
    return found


@pytest.mark.parametrize("stack", [*SMOKE, *MORE])
def test_a_recorded_case_gives_back_its_stack(worker: Worker, recording: Path, stack: str) -> None:
    recording.unlink(missing_ok=True)
    record = worker.run(stack)
    found = imported(recording)
    # The engine splits a batch in two where the stack names no number; a job always has one.
    assert found["stack"] == stack.replace("pp=2", "pp=2:microbatches=2"), (record["failure"], found)


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("jobs")
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    subprocess.run(
        [*launch, HERE / "data/recorded_jobs.py", folder],
        check=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        timeout=300,
    )
    return folder


@pytest.mark.parametrize(
    ("job", "stack"),
    [
        ("usual", "ac,fsdp=2"),
        ("optimizer_too_early", "optimizer=adamw,fsdp=2"),
        ("block_left_out", "ac,fsdp=2"),
        ("saved_before_split", "ac,tp=2:plan=blocks:rest=plain"),
        ("saved_by_its_caller", "fsdp=2,ac"),
        ("saved_by_itself", "ac,fsdp=2"),
        ("saved_in_one_call", "ac,ddp=2"),
        ("orders_that_differ", "fsdp=2,compile"),
        ("compiled_without_effect", "compile:wrap,fsdp=2"),
    ],
)
def test_the_stack_is_what_the_calls_did(jobs: Path, job: str, stack: str) -> None:
    assert imported(jobs / f"{job}.json")["stack"] == stack


@pytest.mark.parametrize(
    ("job", "kind", "why"),
    [
        ("optimizer_too_early", "ineffective", "19 of its 19 parameters are in no model"),
        ("block_left_out", "open", "ac reaches 3 of 4 layers.*"),
        ("saved_before_split", "ineffective", "none of the entries of its plan matched a module"),
        (
            "orders_that_differ",
            "open",
            "their order differs between modules: fsdp first on layers.0, compile first on layers.3",
        ),
        ("compiled_without_effect", "ineffective", "the first step captured no graph"),
    ],
)
def test_what_had_no_effect_or_is_no_stack_is_named(jobs: Path, job: str, kind: str, why: str) -> None:
    notes = imported(jobs / f"{job}.json")["not_understood"]
    assert any(note["kind"] == kind and why in note["why"] for note in notes), notes
    told = subprocess.run(
        [ORDERCHECK, "check", jobs / f"{job}.json"], capture_output=True, text=True, check=False
    )
    assert told.returncode == (1 if kind == "ineffective" else 3), told.stdout
    assert why in told.stdout


@pytest.mark.parametrize("job", ["usual", "saved_by_itself", "saved_in_one_call"])
def test_a_right_job_is_green(jobs: Path, job: str) -> None:
    assert imported(jobs / f"{job}.json")["not_understood"] == []
    told = subprocess.run(
        [ORDERCHECK, "check", jobs / f"{job}.json"], capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stdout + told.stderr


def test_each_kind_of_module_has_its_order(jobs: Path) -> None:
    rows = {
        (row["family"], row["count"], row["order"])
        for row in imported(jobs / "block_left_out.json")["families"]
    }
    assert ("blocks", 3, "ac, fsdp") in rows
    assert ("blocks", 1, "fsdp") in rows
    rows = {(row["count"], row["order"]) for row in imported(jobs / "orders_that_differ.json")["families"]}
    assert {(3, "fsdp, compile"), (1, "compile, fsdp")} <= rows
