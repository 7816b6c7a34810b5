"""Training steps of users through the real worker: every bug is seen, and its twin without the bug has the bits of one rank."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from real_worker import Worker, numbers

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ORDERCHECK = ROOT / "build/cpu/bin/ordercheck"


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    assert worker.close() == 0


def own(name: str) -> str:
    return f"own_steps:{name}" if name else ""


def run(
    worker: Worker,
    stack: str,
    function: str = "shard",
    step: str = "step",
    optimizer: str = "adamw",
    model: str = "model",
    **more: Any,
) -> dict[str, Any]:
    """A reference, of the stack "", names the function that it may have the parameters of, and the ranks of its case."""
    if not stack:
        more = {"reference_ranks": 2, **more}
    return worker.run(
        stack,
        model=own(model),
        step=own(step),
        optimizer=own(optimizer),
        **{"apply" if stack else "reference_apply": own(function)},
        **{"steps": 3, **more},
    )


def test_a_right_step_has_the_bits_of_one_rank(worker: Worker) -> None:
    reference = run(worker, "")
    assert reference["ending"] == "completed", reference["failure"]
    assert all(p["changed"] and p["has_gradient"] for p in reference["parameters"])
    assert numbers(run(worker, "fsdp=2")) == numbers(reference)
    assert numbers(run(worker, "ddp=2", "replicate")) == numbers(reference)
    of_four = numbers(run(worker, "", reference_ranks=4))
    assert numbers(run(worker, "fsdp=4")) == of_four
    assert numbers(run(worker, "hsdp=2x2", "shard_and_replicate")) == of_four


# stack, function, and what is not the usual: step, optimizer, model, accumulation.
RIGHT: list[tuple[str, str, dict[str, Any]]] = [
    ("ddp=2", "replicate", {"step": "no_sync_until_the_last"}),
    ("fsdp=2", "shard", {"step": "sync_in_the_last"}),
    ("fsdp=2", "shard", {"step": "multiply_gradients"}),
    ("cp=2", "sequences_in_parts", {"step": "average_over_cp"}),
    ("fsdp=2", "shard", {"step": "clip"}),
    ("ddp=2", "replicate", {"step": "clip"}),
    ("fsdp=2", "shard", {"optimizer": "adamw_by_one"}),
    ("fsdp=2", "shard", {"optimizer": "adamw_fused"}),
    ("fsdp=2", "shard", {"optimizer": "sign"}),
    ("fsdp=2", "shard", {"optimizer": "in_backward", "accumulation": 1}),
    ("fsdp=2", "shard", {"optimizer": "adamw_halved", "step": "schedule"}),
    ("fsdp=2", "shard", {"model": "averaging", "step": "average"}),
    ("fsdp=2", "shard", {"model": "dropping", "accumulation": 1}),
]
WRONG: list[tuple[str, str, dict[str, Any]]] = [
    ("ddp=2", "replicate", {"step": "no_sync_in_the_last"}),
    ("fsdp=2", "shard", {"step": "sync_in_none"}),
    ("fsdp=2", "shard", {"step": "sync_in_the_first_alone"}),
    ("fsdp=2", "shard", {"step": "divide_by_the_tokens_of_the_rank"}),
    ("ddp=2", "replicate", {"step": "divide_by_the_tokens_of_the_rank"}),
    ("cp=2", "sequences_in_parts", {}),
    ("fsdp=2", "shard", {"step": "clip_parts"}),
    ("ddp=2", "replicate", {"optimizer": "in_backward", "accumulation": 1}),
    ("fsdp=2", "shard", {"optimizer": "adamw_halved", "step": "schedule_by_tokens"}),
    ("fsdp=2", "shard", {"model": "averaging", "step": "average_parts"}),
    ("fsdp=2", "shard", {"step": "never_step_on_many"}),
    ("fsdp=2", "shard", {"step": "loss_of_the_rank"}),
]


def seen(record: dict[str, Any]) -> Any:
    """All that is compared, with what ranks have apart."""
    assert record["ending"] == "completed", record["failure"]
    steps = [sorted({*s["loss"], *s["gradient_norm"]}) for s in record["steps"]]
    parameters = [(p["name"], p["gradient"], p["value"], p["replicas_agree"]) for p in record["parameters"]]
    return steps, parameters, [(b["name"], b["value"], b["replicas_agree"]) for b in record["buffers"]]


@pytest.mark.parametrize(("stack", "function", "own"), RIGHT, ids=str)
def test_a_right_program_has_the_bits_of_one_rank(
    worker: Worker, stack: str, function: str, own: dict[str, Any]
) -> None:
    assert seen(run(worker, stack, function, **own)) == seen(run(worker, "", function, **own))


@pytest.mark.parametrize(("stack", "function", "own"), WRONG, ids=str)
def test_a_wrong_one_has_not(worker: Worker, stack: str, function: str, own: dict[str, Any]) -> None:
    assert seen(run(worker, stack, function, **own)) != seen(run(worker, "", function, **own))


def test_a_step_that_updates_nothing_on_one_rank_is_refused(worker: Worker) -> None:
    record = run(worker, "", step="never_step")
    assert record["ending"] == "unsupported", record["failure"]
    assert (
        "never_step changed no parameter in 3 steps; expected it to call optimizer.step()"
        in record["failure"]["message"]
    )


def test_a_parameter_that_no_optimizer_has_shows_a_gradient_and_no_change(worker: Worker) -> None:
    """The supervisor reports that: verdict_of_runs.cpp."""
    for stack in ("", "fsdp=2"):
        record = run(worker, stack, optimizer="adamw_without_the_head")
        assert [p["name"] for p in record["parameters"] if p["has_gradient"] and not p["changed"]] == [
            "head.weight"
        ]


def test_notes_say_what_is_not_compared(worker: Worker) -> None:
    assert any(
        "has no hooks of torch.optim.Optimizer" in note for note in run(worker, "", optimizer="sign")["notes"]
    )
    assert any("returns no loss" in note for note in run(worker, "", step="no_sync_until_the_last")["notes"])
    assert all(note.startswith("cast: ") for note in run(worker, "")["notes"])


def test_a_step_that_returns_something_else_fails(worker: Worker) -> None:
    record = run(worker, "fsdp=2", step="answer_with_a_model")
    assert record["ending"] == "failed"
    assert (
        "answer_with_a_model returned FSDPModel; expected the loss over all ranks"
        in record["failure"]["message"]
    )


REFUSED = [
    (
        "fsdp=2,optimizer=adamw",
        {"step": "step"},
        "the stack names an optimizer, and own_steps:adamw makes one",
    ),
    (
        "fsdp=2,optimizer=adamw:clip=1",
        {"step": "step", "optimizer": ""},
        "own_steps:step clips gradients itself",
    ),
    ("fsdp=2", {"step": "step", "function": ""}, "this engine's own transforms sum them for its own trainer"),
    ("fsdp=2", {"step": "", "optimizer": "in_backward"}, "steps within backward"),
    ("fsdp=2", {"step": "step", "model": "dropping"}, "your step gets several microbatches at once"),
    ("fsdp=2", {"optimizer": "model"}, "takes () -> 'nn.Module'; expected a function of (model)"),
    ("fsdp=2,cp=2", {"step": "step"}, "own_steps:step gets whole sequences on every rank of cp"),
    ("fsdp=2", {"step": "clip_all"}, "has no 'clip_all'"),
]


@pytest.mark.parametrize(("stack", "own", "said"), REFUSED, ids=str)
def test_what_is_not_run_says_why(worker: Worker, stack: str, own: dict[str, Any], said: str) -> None:
    record = run(worker, stack, **own)
    assert record["ending"] == "unsupported", record["failure"]
    assert said in record["failure"]["message"]


@pytest.mark.parametrize("optimizer", ["adamw_by_one", "sign", "adamw_without_the_head"])
def test_an_optimizer_of_the_user_is_stepped_by_the_trainer_of_the_engine(
    worker: Worker, optimizer: str
) -> None:
    reference = run(worker, "", step="", optimizer=optimizer)
    assert seen(run(worker, "fsdp=2", step="", optimizer=optimizer)) == seen(reference)
    assert seen(reference) != seen(run(worker, "", step="", optimizer=""))


def test_muon_over_shards_is_close_to_one_rank() -> None:
    """It rounds to bfloat16 inside, so exact arithmetic refuses it."""
    if not ORDERCHECK.exists() or not hasattr(torch.optim, "Muon"):
        pytest.skip(f"needs {ORDERCHECK} and torch.optim.Muon")
    command = [str(ORDERCHECK), "run", "fsdp=2", "--quick", "--engine", "pytorch", "--python", sys.executable]
    for arithmetic, verdict in (("float32", "close"), ("exact", "unrun")):
        own = (
            "--model own_steps:model --apply own_steps:shard --optimizer own_steps:muon --step own_steps:step"
        )
        done = subprocess.run(
            [
                *command,
                *own.split(),
                "--arithmetic",
                arithmetic,
                "--format",
                "json",
                "--rules",
                str(ROOT / "rules"),
            ],
            cwd=HERE / "data",
            capture_output=True,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        assert json.loads(done.stdout)["verdict"] == verdict, done.stdout + done.stderr
