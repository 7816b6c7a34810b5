"""What meets a sum on one rank and none on another has the same bits: the grid is one of the value's place. Each with a twin
that is wrong."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from real_worker import Worker, numbers


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    assert worker.close() == 0


@pytest.mark.parametrize(
    ("model", "stack", "accumulation", "right", "wrong"),
    [
        ("with_biases", "tp=2", 2, "split_mlp", "split_mlp_with_a_bias_a_rank"),
        ("with_biases", "tp=4", 2, "split_mlp", "split_mlp_with_a_bias_a_rank"),
        # One sample a microbatch, with which nothing is added up over samples.
        ("with_biases", "ddp=8", 2, "replicate", "replicate_without_positions"),
        ("with_biases", "ddp=2", 8, "replicate", "replicate_without_positions"),
        ("with_experts", "tp=2", 2, "split_experts", "split_experts_and_keep_gradients"),
    ],
)
def test_a_value_has_the_grid_of_its_place(
    worker: Worker, model: str, stack: str, accumulation: int, right: str, wrong: str
) -> None:
    own = {"model": f"on_a_grid:{model}", "accumulation": str(accumulation)}
    alone = worker.run("", **own)
    assert numbers(worker.run(stack, apply=f"on_a_grid:{right}", **own)) == numbers(alone)
    broken = worker.run(stack, apply=f"on_a_grid:{wrong}", **own)
    agree = all(parameter["replicas_agree"] for parameter in broken["parameters"])
    assert not agree or numbers(broken) != numbers(alone)
