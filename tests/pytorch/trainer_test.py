"""The trainer is a user's: clip_grad_norm_ over the model's parameters, as PyTorch hands their gradients to it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from real_worker import Worker, numbers

ROOT = Path(__file__).parents[2]
ORDERCHECK = ROOT / "build/cpu/bin/ordercheck"

# Writes down what the trainer hands to clip_grad_norm_, and clips.
SPY = """
import json
import torch
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, SequenceParallel, parallelize_module
from ordercheck_pytorch.program.transforms.tp import block_plan, root_plan

stock = torch.nn.utils.clip_grad_norm_

def shard(model, mesh):
    parallelize_module(model, mesh["tp"], root_plan(True, False))
    for block in model.layers.values():
        parallelize_module(block, mesh["tp"], block_plan(True))

    def clip(parameters, max_norm, **more):
        parameters = list(parameters)
        seen = [[str(one) for one in p.grad.placements] if isinstance(p.grad, DTensor) else [] for p in parameters]
        with open({path!r}, "a") as file:
            file.write(json.dumps([max_norm, seen]) + "\\n")
        return stock(parameters, max_norm, **more)

    torch.nn.utils.clip_grad_norm_ = clip
"""


@pytest.fixture(scope="module")
def worker() -> Any:
    one = Worker()
    yield one
    assert one.close() == 0


def failure_of(record: dict[str, Any]) -> tuple[str, str]:
    assert record["failure"], "it ran"
    return record["failure"]["phase"], record["failure"]["message"]


def test_gradients_are_clipped_as_pytorch_left_them(tmp_path: Path) -> None:
    """Under sequence parallel the gradient of a norm is a part of a sum on each rank, and no trainer adds it up first."""
    path = tmp_path / "seen.jsonl"
    (tmp_path / "spy.py").write_text(SPY.replace("{path!r}", repr(str(path))))
    worker = Worker(users_code=str(tmp_path))
    worker.run("tp=2,optimizer=adamw:clip=1", apply="spy:shard")
    calls = [json.loads(line) for line in path.read_text().splitlines()]
    assert {max_norm for max_norm, _ in calls} == {1.0}
    placements = {one for _, seen in calls for of_one in seen for one in of_one}
    assert any(one.startswith("P") for one in placements), f"parts of a sum among {placements}"
    assert worker.close() == 0


def test_stock_clipping_leaves_parts_of_a_sum_unclipped(worker: Worker) -> None:
    """CLA-033. The twins: one tensor at a time, no clipping, and FSDP2, which adds the parts up before."""
    stock = "optimizer=adamw:clip=1"
    reference = numbers(worker.run(stock))
    wrong = worker.run(f"tp=2,{stock}")
    assert numbers(wrong)[0][0] == reference[0][0], "loss and norm of the first step are right"
    assert numbers(wrong) != reference
    assert numbers(worker.run(f"tp=2,fsdp=2,{stock}")) == reference
    # The exact norms of a list are rounded to another grid than that of one tensor: one rank has the same trainer.
    one_by_one = "optimizer=adamw:clip=1:foreach=off"
    assert numbers(worker.run(f"tp=2,{one_by_one}")) == numbers(worker.run(one_by_one))
    assert numbers(worker.run("tp=2")) == numbers(worker.run(""))


def test_an_optimizer_in_backward_steps_where_pytorch_calls_its_hooks(worker: Worker) -> None:
    """FSDP2 has reduced the gradient then, DDP has not (CLA-042), and what clips finds none (EFF-018)."""
    within = "optimizer=adamw:in_backward=on"
    reference = numbers(worker.run("optimizer=adamw", accumulation=1))
    assert numbers(worker.run(f"fsdp=2,{within}", accumulation=1)) == reference
    assert numbers(worker.run(f"fsdp=2,{within}")) != numbers(worker.run("optimizer=adamw")), (
        "of two microbatches"
    )
    replicas = worker.run(f"ddp=2,{within}", accumulation=1)
    assert not any(parameter["replicas_agree"] for parameter in replicas["parameters"])
    clipping = worker.run(f"{within}:clip=1", accumulation=1)
    assert clipping["steps"][0]["gradient_norm"] == ["0000000000000000"]


@pytest.mark.parametrize("threshold", ["1", "0.03125"])
def test_a_threshold_binds_that_gradients_are_above(worker: Worker, threshold: str) -> None:
    clipped, unclipped = worker.run(f"fsdp=2,optimizer=adamw:clip={threshold}"), worker.run("fsdp=2")
    _, parameters = numbers(clipped)
    _, values = numbers(unclipped)
    assert clipped["steps"][0]["loss"] == unclipped["steps"][0]["loss"], (
        "nothing was clipped before the first step"
    )
    assert [p[2] for p in parameters] != [p[2] for p in values]
    assert not any(note.startswith("clip: no gradient") for note in clipped["notes"])


def test_a_threshold_that_no_gradient_reaches_is_told(worker: Worker) -> None:
    record = worker.run("fsdp=2,optimizer=adamw:clip=1000")
    assert any(note.startswith("clip: no gradient was scaled down") for note in record["notes"])


def test_stages_of_a_pipeline_are_clipped_apart_unless_the_trainer_adds_them_up(worker: Worker) -> None:
    apart = worker.run("pp=2,optimizer=adamw:clip=1")
    norms = [step["gradient_norm"] for step in apart["steps"]]
    assert all(len(set(of_step)) == 2 for of_step in norms), "each stage has a norm of its own"
    added_up = worker.run("pp=2,optimizer=adamw:clip=per_mesh")
    assert numbers(added_up) == numbers(worker.run("optimizer=adamw:clip=per_mesh"))
    assert numbers(added_up) == numbers(worker.run("optimizer=adamw:clip=1"))
    assert any(note.startswith("clip=per_mesh") for note in added_up["notes"])


def test_a_plan_that_leaves_plain_tensors_is_refused_by_stock_clipping(worker: Worker) -> None:
    stock = "optimizer=adamw:clip=1"
    assert numbers(worker.run(f"tp=2:plan=blocks,{stock}")) == numbers(worker.run(stock))
    phase, message = failure_of(worker.run(f"tp=2:plan=blocks:rest=plain,{stock}"))
    assert phase == "optimizer" and "got mixed torch.Tensor and DTensor" in message
    per_mesh = "optimizer=adamw:clip=per_mesh"
    assert numbers(worker.run(f"tp=2:plan=blocks:rest=plain,{per_mesh}")) == numbers(worker.run(stock))


def test_ddp_around_tensor_parallel_leaves_clipping_nothing(worker: Worker) -> None:
    """model.parameters() has no gradient any more: the norm is 0, and nothing is scaled down."""
    record = worker.run("tp=2,ddp=2:device_mesh,optimizer=adamw:clip=1")
    assert {norm for step in record["steps"] for norm in step["gradient_norm"]} == {"0" * 16}


def test_cp_adds_gradients_up_before_clipping(worker: Worker) -> None:
    stock = "optimizer=adamw:clip=1"
    assert numbers(worker.run(f"cp=2,{stock}")) == numbers(worker.run(stock))


@pytest.mark.parametrize(
    ("stack", "verdict", "clipping"),
    [
        ("fsdp=2", "equal", "clip_grad_norm_ works"),
        (
            "pp=2",
            "equal",
            "clip_grad_norm_ clips by another norm than one rank does (CLA-030); "
            "a norm of each mesh and of all stages: optimizer=adamw:clip=per_mesh",
        ),
        ("tp=2:plan=blocks:rest=plain", "equal", 'clip_grad_norm_ raises "'),
        ("fsdp=2,optimizer=adamw:clip=1", "equal", None),
        ("ac,tp=2", "differs", None),
    ],
)
def test_run_says_beside_a_right_verdict_what_clipping_does(
    stack: str, verdict: str, clipping: str | None
) -> None:
    if not ORDERCHECK.exists():
        pytest.skip(f"there is no {ORDERCHECK}: scripts/ordercheck builds it")
    command = [
        str(ORDERCHECK),
        "run",
        "--engine",
        "pytorch",
        "--python",
        sys.executable,
        stack,
        "--steps",
        "1",
    ]
    done = subprocess.run(
        [*command, "--format", "json", "--rules", str(ROOT / "rules")],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    said = json.loads(done.stdout)
    assert said["verdict"] == verdict
    assert said.get("clipping", "").startswith(clipping) if clipping else "clipping" not in said
