"""What float32 arithmetic sees of wrong functions, in float32 and in bf16: a table in docs/guide/float32-arithmetic.md,
which this test holds to what is run. Every wrong function has a right twin, and that is close."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from noise_floor import (
    FAR_BEYOND,
    SPLITS,
    Place,
    describe_place,
    distances,
    farthest,
    relative,
    widened,
)
from ordercheck_pytorch.program.result import RankResult
from real_worker import HERE, Worker

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guide" / "float32-arithmetic.md"
MODEL = "wrong_functions:transformer"
STACKS = {
    "float32": ("", "fsdp=2"),
    "bf16": ("amp", "amp,fsdp=2"),
}
TWINS = {
    "times_1_5": "times_1",
    "times_1_01": "times_1",
    "detached": "attached",
    "skipped_reduction": "all_reduced",
    "stale_optimizer": "fresh_optimizer",
    "dropped_bias": "kept_bias",
}


class Runs:
    """Of one worker, with their tensors."""

    def __init__(self, folder: Path) -> None:
        self.worker, self.folder = Worker(), folder
        self.floors: dict[str, dict[Place, float]] = {}
        self.reference: RankResult | None = None

    def run(self, stack: str, **settings: str) -> tuple[RankResult, list[str]]:
        """And the parameters of which ranks hold other bits."""
        folder = self.folder / str(self.worker.runs)
        folder.mkdir()
        record = self.worker.run(stack, model=MODEL, values_folder=str(folder), **settings)
        assert record["ending"] == "completed", record["failure"]
        seen = RankResult(gradients=[{} for _ in record["steps"]])
        for step in record["steps"]:
            seen.losses.append(struct.unpack(">d", bytes.fromhex(step["loss"][0]))[0])
            seen.gradient_norms.append(struct.unpack(">d", bytes.fromhex(step["gradient_norm"][0]))[0])
        for piece in record["trace"]:
            data = bytearray((folder / piece["file"]).read_bytes())
            tensor = torch.frombuffer(data, dtype=torch.float64)
            into = seen.gradients[piece["step"]] if piece["phase"] == "backward" else seen.values
            into[piece["module"].removeprefix("gradient of ")] = tensor
        apart = [p["name"] for p in record["parameters"] if not p["replicas_agree"]]
        return seen, apart

    def float64(self) -> RankResult:
        if self.reference is None:
            self.reference, _ = self.run("", arithmetic="plain")
        return self.reference

    def floor(self, dtype: str) -> dict[Place, float]:
        if dtype not in self.floors:
            floor: dict[Place, float] = {}
            for split in SPLITS:
                got, _ = self.run(STACKS[dtype][0], arithmetic="float32", accumulation=str(split))
                floor = widened(floor, distances(self.float64(), got))
            self.floors[dtype] = floor
        return self.floors[dtype]

    def held(self, dtype: str, function: str) -> tuple[str, Place, float, float]:
        """close or differs, and what is farthest, how far, and its floor."""
        got, apart = self.run(
            STACKS[dtype][1], arithmetic="float32", apply=f"wrong_functions:{dtype}.{function}"
        )
        found = distances(self.float64(), got)
        place, distance, noise = farthest(found, self.floor(dtype))
        return ("differs" if distance > FAR_BEYOND * noise or apart else "close"), place, distance, noise


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    runs = Runs(tmp_path_factory.mktemp("values"))
    yield runs
    assert runs.worker.close() == 0


def table() -> dict[str, dict[str, str]]:
    """Of the guide: by function and dtype, close or differs."""
    rows = re.findall(r"^\| `(\w+)` \|[^|]+\| (\w+)[^|]*\| (\w+)[^|]*\|$", GUIDE.read_text(), re.MULTILINE)
    return {name: {"float32": float32, "bf16": bf16} for name, float32, bf16 in rows}


def test_the_guide_lists_every_wrong_function() -> None:
    assert set(table()) == set(TWINS)


@pytest.mark.parametrize("dtype", STACKS)
@pytest.mark.parametrize("function", TWINS)
def test_what_is_seen_of_a_wrong_function_is_what_the_guide_says(
    runs: Runs, function: str, dtype: str
) -> None:
    seen, place, distance, noise = runs.held(dtype, function)
    assert seen == table()[function][dtype], (
        f"{describe_place(place)}: {distance:.1e}, noise floor {noise:.1e}"
    )


@pytest.mark.parametrize("dtype", STACKS)
@pytest.mark.parametrize("function", sorted(set(TWINS.values())))
def test_a_right_twin_is_close(runs: Runs, function: str, dtype: str) -> None:
    seen, place, distance, noise = runs.held(dtype, function)
    assert seen == "close", f"{describe_place(place)}: {distance:.1e}, noise floor {noise:.1e}"
    assert distance < 2 * noise, "the factor leaves room for a mesh, not for a right function on two ranks"


def test_the_first_noise_floor_of_bf16_is_what_the_guide_says(runs: Runs) -> None:
    first = [
        noise for (kind, step, _), noise in runs.floor("bf16").items() if kind == "gradient" and step == 0
    ]
    assert min(first) > 0.002
    assert max(first) < 0.02


def test_what_is_no_number_is_infinitely_far() -> None:
    assert relative(float("nan"), 1.0) == float("inf")
    assert relative(0.0, 0.0) == 0.0
    assert relative(1.0, 0.0) == float("inf")


ORDERCHECK = [ROOT / "build" / preset / "bin" / "ordercheck" for preset in ("cpu", "core")]


@pytest.mark.parametrize(
    ("function", "verdict", "code"), [("times_1_5", "differs", 1), ("times_1", "close", 0)]
)
def test_ordercheck_run_says_the_same(function: str, verdict: str, code: int) -> None:
    program = next((path for path in ORDERCHECK if path.exists()), None)
    if program is None:
        pytest.skip(f"there is no {ORDERCHECK[0]}: scripts/ordercheck builds it")
    command = [
        str(program),
        "run",
        "--engine",
        "pytorch",
        "--python",
        sys.executable,
        "--arithmetic",
        "float32",
    ]
    command += ["--model", MODEL, "--apply", f"wrong_functions:float32.{function}"]
    command += ["--rules", str(ROOT / "rules"), "fsdp=2"]
    # What it is asked for is imported from the working directory.
    done = subprocess.run(
        command, cwd=HERE / "data", capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert re.search(rf": {verdict}$", done.stdout.splitlines()[0]), done.stdout
    if verdict == "differs":
        assert re.search(
            r"gradient of (embed|blocks\.0)\.\S+ in step 0 is 0\.5 from a float64 single-rank run; "
            r"rounding explains \S+e-0[67]",
            done.stdout,
        ), done.stdout
        assert "[open; " in done.stdout  # a user's function contradicts no page
    else:
        assert "[confirmed]" in done.stdout
