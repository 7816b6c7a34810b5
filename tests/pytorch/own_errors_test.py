"""What a user got wrong himself is one line and exit code 2: no stack was run, so nothing was decided about one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
STACK = "tp=2,ac,fsdp=2"
ORDERCHECK = ROOT / "build/cpu/bin/ordercheck"


def run(*options: str) -> subprocess.CompletedProcess[str]:
    if not ORDERCHECK.exists():
        pytest.skip(f"there is no {ORDERCHECK}: scripts/ordercheck builds it")
    command = [str(ORDERCHECK), "run", "--engine", "pytorch", "--python", sys.executable, STACK, *options]
    return subprocess.run(
        [*command, "--rules", str(ROOT / "rules")],
        cwd=HERE / "data",
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


@pytest.mark.parametrize(
    ("model", "apply", "told"),
    [
        ("mine:netwrok", "mine:parallelize", "has no 'netwrok'; did you mean 'network'?"),
        ("mien:network", "mine:parallelize", "no module named 'mien'"),
        ("mine:network", "mine:network", "takes () -> 'nn.Module'; expected a function of (model, mesh)"),
        ("mine:network", "", "mine:network has no `layers`"),
    ],
)
def test_it_is_told_in_one_line(model: str, apply: str, told: str) -> None:
    done = run("--model", model, *(["--apply", apply] if apply else []))
    assert done.returncode == 2, done.stdout + done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("ordercheck")]
    assert len(said) == 1, done.stderr
    assert told in said[0]
    assert done.stdout == ""


def test_the_right_names_run() -> None:
    done = run("--model", "mine:network", "--apply", "mine:parallelize")
    assert done.returncode == 0, done.stdout + done.stderr
