"""What `ordercheck record` does to a job, and what it leaves of one that ends early."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ORDERCHECK = HERE.parents[1] / "build/cpu/bin/ordercheck"
JOB = HERE / "data/recorded_process.py"


def run(folder: Path, how: str, records: bool = True) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "ignore", str(JOB), how]
    if records:
        command = [str(ORDERCHECK), "record", "--", *command]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(folder)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240)


def recording(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "job.json").read_text())
    return found


def test_a_job_trains_as_without_it_and_its_own_hooks_and_sitecustomize_run(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('my sitecustomize')\n")
    recorded, plain = run(tmp_path, "hooks"), run(tmp_path, "hooks", records=False)
    assert recorded.returncode == 0, recorded.stderr
    assert recorded.stdout == plain.stdout
    assert recorded.stdout.startswith("my sitecustomize\nloss ")
    found = recording(tmp_path)
    assert (found["state"], found["stepped"], found["problems"]) == ("finished", True, [])


def test_a_job_that_raises_leaves_its_calls_and_no_values(tmp_path: Path) -> None:
    done = run(tmp_path, "raise")
    assert done.returncode == 1
    assert "SECRET" not in (tmp_path / "job.json").read_text()
    found = recording(tmp_path)
    assert found["raised"]["type"] == "RuntimeError"
    assert [event["class"] for event in found["events"]].count("Linear") == 2
    judged = subprocess.run([ORDERCHECK, "check", tmp_path / "job.json"], capture_output=True, text=True)
    assert judged.returncode == 3, judged.stdout
    assert "the job: ended with RuntimeError" in judged.stdout


def test_a_job_that_is_killed_leaves_what_was_seen(tmp_path: Path) -> None:
    done = run(tmp_path, "kill")
    assert done.returncode == 128 + 9
    found = recording(tmp_path)
    assert (found["state"], found["stepped"]) == ("started", False)
    assert [event["class"] for event in found["events"]].count("Linear") == 2


def test_ranks_that_are_spawned_write_one_recording(tmp_path: Path) -> None:
    done = run(tmp_path, "spawn")
    assert done.returncode == 0, done.stderr
    assert recording(tmp_path)["ranks"] == 2
    assert "ac" in done.stderr and "ddp=2" in done.stderr, done.stderr


def test_a_recording_is_seen_to_be_new(tmp_path: Path) -> None:
    for _ in range(2):
        assert "wrote job.json" in run(tmp_path, "plain").stderr


BUILDS_TUPLES = """
import sys, threading
sys.path.insert(0, sys.argv[1])
import torch
from ordercheck_recorder.models import live_modules
model = torch.nn.Sequential(*(torch.nn.Linear(2, 2) for _ in range(20)))
found = []
def look():
    for _ in range(60):
        found.append(sum(module is model for module in live_modules()))
looking = threading.Thread(target=look)
sys.setswitchinterval(1e-6)
looking.start()
while looking.is_alive():
    tuple(object() for _ in range(300))
print(set(found))
"""


def test_looking_for_models_leaves_tuples_of_other_threads_alone() -> None:
    recorder = HERE.parents[1] / "src/python/ordercheck/recorder"
    command = [sys.executable, "-c", BUILDS_TUPLES, str(recorder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert (done.returncode, done.stdout) == (0, "{1}\n"), done.stderr
