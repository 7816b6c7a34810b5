"""The program that measures orders on a GPU, at toy size on the CPU: it runs every order, and refuses a GPU that is absent."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

PROGRAM = Path(__file__).parents[2] / "bench" / "gpu" / "order_costs.py"
TOY = ["--device", "cpu", "--blocks", "1", "--width", "32", "--sequence", "8", "--batch", "1", "--steps", "2"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore", str(PROGRAM), *arguments], capture_output=True, text=True
    )


def test_every_order_is_measured() -> None:
    done = run(*TOY, "--backend", "aot_eager", "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    orders = [row["order"] for row in rows]
    assert orders[:5] == ["(nothing)", "ac", "compile", "ac,compile", "compile,ac"]
    assert orders[-1] == "(nothing)"
    assert all(len(row["seconds"]) == 2 and row["peak_bytes"] is None for row in rows)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_it_says_so() -> None:
    done = run()
    assert done.returncode == 2
    assert "--device cuda: torch sees no GPU" in done.stderr
