"""Through the real worker: what a user is told names the cause."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from real_worker import Worker, numbers


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    assert worker.close() == 0


def run(
    worker: Worker, stack: str, apply: str, model: str = "own_programs:model", **more: str
) -> dict[str, Any]:
    return worker.run(stack, model=model, apply=apply, **more)


def test_an_output_without_logits_is_an_input_error(worker: Worker) -> None:
    record = run(worker, "", "", "told:dictionary")
    assert record["ending"] == "unsupported"
    assert record["failure"]["message"].startswith("the model returned dict; expected logits")
    assert "--loss" in record["failure"]["message"]


def test_initial_values_that_a_function_draws_are_named(worker: Worker) -> None:
    said = "your function drew new values for embed.weight and 1 more; one rank has those of the factory"
    assert said in run(worker, "fsdp=2", "told:shard_and_draw_anew")["notes"]
    assert not any("drew" in note for note in run(worker, "fsdp=2", "own_programs:shard")["notes"])
    assert not any("drew" in note for note in run(worker, "ddp=2", "own_programs:replicate")["notes"])


def test_parameters_that_the_optimizer_holds_after_they_are_freed_stay_as_they_are(worker: Worker) -> None:
    reference = run(worker, "", "")
    record = run(worker, "fsdp=2", "told:shard_and_run_before_the_optimizer")
    assert record["ending"] == "completed", record["failure"]
    assert [p["name"] for p in record["parameters"] if not p["changed"]] == ["embed.weight", "head.weight"]
    assert numbers(run(worker, "fsdp=2", "own_programs:shard")) == numbers(reference)


def test_a_rank_that_raises_by_itself_is_in_no_collective(worker: Worker, tmp_path: Path) -> None:
    flight_file = str(tmp_path / "flight")
    record = run(worker, "fsdp=2", "told:shard_and_fail_after_a_collective", flight_file=flight_file)
    assert record["ending"] == "failed"
    assert "of its own" in record["failure"]["message"]
    assert record["failure"]["operation"] == ""
    assert len(record["failure"]["ranks"]) == 2
    assert not any("all_" in line for line in record["failure"]["ranks"]), record["failure"]["ranks"]


def forward_trace(record: dict[str, Any]) -> dict[tuple[int, str], str]:
    assert record["ending"] == "completed", record["failure"]
    return {(e["step"], e["module"]): e["hash"] for e in record["trace"] if e["phase"] == "forward"}


def test_the_first_module_whose_forward_differs_is_found(worker: Worker, tmp_path: Path) -> None:
    def traced(stack: str, apply: str) -> dict[tuple[int, str], str]:
        folder = tmp_path / (apply.partition(":")[2] or "reference")
        folder.mkdir()
        return forward_trace(run(worker, stack, apply, values_folder=str(folder)))

    reference = traced("", "")
    assert next(iter(reference)) == (0, "embed")
    assert traced("fsdp=2", "own_programs:shard") == reference
    assert traced("ddp=2", "own_programs:replicate") == reference
    wrong = traced("fsdp=2", "told:shard_and_double_what_goes_into_a_product")
    assert next(place for place, found in reference.items() if wrong[place] != found) == (0, "second.up")


def test_of_ranks_that_split_tensors_no_output_is_kept(worker: Worker, tmp_path: Path) -> None:
    record = run(worker, "tp=2", "own_programs:shard_blocks", values_folder=str(tmp_path))
    assert forward_trace(record) == {}
