"""`compare` of two functions on one stack: one with a bug, and its twin without it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ORDERCHECK = ROOT / "build/cpu/bin/ordercheck"


OF_FUNCTIONS = (
    "--model own_programs:model --apply own_programs:shard --apply own_programs:shard_with_gate_detached"
)
OF_STEPS = (
    "--model own_steps:model --apply own_steps:shard --optimizer own_steps:adamw --step own_steps:clip "
    "--step own_steps:clip_parts"
)


@pytest.mark.parametrize("options", [OF_FUNCTIONS, OF_STEPS], ids=["apply", "step"])
def test_the_function_with_the_bug_differs(options: str) -> None:
    if not ORDERCHECK.exists():
        pytest.skip(f"there is no {ORDERCHECK}: scripts/ordercheck builds it")
    command = [
        str(ORDERCHECK),
        "compare",
        "fsdp=2",
        "--run",
        "--json",
        "--engine",
        "pytorch",
        "--python",
        sys.executable,
    ]
    done = subprocess.run(
        [*command, *options.split(), "--rules", str(ROOT / "rules")],
        cwd=HERE / "data",
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 1, done.stdout + done.stderr
    runs = json.loads(done.stdout)["runs"][0]
    assert (runs["left"]["verdict"], runs["right"]["verdict"]) == ("equal", "differs")
