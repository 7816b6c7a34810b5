"""What programs do between transforms, through the real worker: every bug is seen, and its twin has the bits of one rank."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from real_worker import Worker, numbers

# Since this release fully_shard refuses groups that share a parameter.
REFUSES_SHARED = torch.__version__ >= "2.12"


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    assert worker.close() == 0


def run(worker: Worker, stack: str, function: str, model: str = "model") -> dict[str, Any]:
    apply = f"own_between:{function}" if stack else ""
    return worker.run(stack, model=f"own_between:{model}", apply=apply)


@pytest.mark.parametrize(
    ("function", "model"),
    [
        ("tied_together", "tied"),
        ("buffer_kept", "model"),
        ("loads_before_sharding", "model"),
        ("warm_and_reshard", "model"),
    ],
)
def test_a_right_program_has_the_bits_of_one_rank(worker: Worker, function: str, model: str) -> None:
    record = run(worker, "fsdp=2", function, model)
    assert record["ending"] == "completed", record["failure"]
    assert numbers(record) == numbers(run(worker, "", "", model))


@pytest.mark.parametrize("function", ["buffer_lost", "warm", "with_gradients"])
def test_a_wrong_one_has_not(worker: Worker, function: str) -> None:
    record = run(worker, "fsdp=2", function)
    assert record["ending"] == "completed", record["failure"]
    assert numbers(record) != numbers(run(worker, "", ""))


def test_groups_that_part_tied_weights_are_seen(worker: Worker) -> None:
    record = run(worker, "fsdp=2", "tied_apart", "tied")
    if REFUSES_SHARED:
        assert "already managed by another FSDP group" in record["failure"]["message"]
    else:
        assert record["ending"] == "completed", record["failure"]
        assert numbers(record) != numbers(run(worker, "", "", "tied"))


def test_whole_values_loaded_into_shards_fail(worker: Worker) -> None:
    record = run(worker, "fsdp=2", "loads_whole_into_shards")
    assert record["ending"] == "failed"
    assert "got mixed torch.Tensor and DTensor" in record["failure"]["message"]
