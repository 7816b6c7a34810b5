"""Experts of a user's own model: the mesh of its function has ep beside dp_shard, laid out as torchtitan's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from real_worker import Worker, numbers


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    assert worker.close() == 0


def run(worker: Worker, stack: str, function: str) -> dict[str, Any]:
    apply = f"own_experts:{function}" if function else ""
    return worker.run(stack, model="own_experts:model", apply=apply, steps=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("stack", "function"),
    [
        ("fsdp=2,ep=2", "split_experts"),
        ("fsdp=4,ep=2", "split_experts"),
        ("fsdp=2,tp=2,ep=2:etp=2", "split_by_a_mesh_with_etp"),
    ],
)
def test_split_experts_have_the_bits_of_one_rank(worker: Worker, stack: str, function: str) -> None:
    record = run(worker, stack, function)
    assert numbers(record) == numbers(run(worker, "", ""))
    assert ("all_gather", "forward") in {(c["kind"], c["phase"]) for c in record["collectives"]}


def test_notes_name_the_axes_of_experts(worker: Worker) -> None:
    notes = run(worker, "fsdp=4,ep=2", "split_experts")["notes"]
    for axis, split in (("dp_shard", 2), ("dp_shard_mod_ep", 1), ("ep", 1)):
        assert any(note.startswith(f"over {axis}: {split} of 3 parameters split") for note in notes), notes


def test_gradients_of_experts_that_are_summed_are_seen(worker: Worker) -> None:
    assert numbers(run(worker, "fsdp=2,ep=2", "split_experts_summed")) != numbers(run(worker, "", ""))


def test_a_degree_that_takes_a_part_of_an_axis_is_refused(worker: Worker) -> None:
    record = run(worker, "fsdp=2,tp=4,ep=2", "split_experts")
    assert record["ending"] == "unsupported", record["failure"]
    assert "expected a multiple of 4 that divides 8" in record["failure"]["message"]
