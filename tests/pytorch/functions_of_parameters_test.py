"""Functions of parameters and divided losses through the real worker: what rounds in a layout, and where nothing does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from real_worker import Worker, numbers

HERE = "functions_of_parameters"


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    assert worker.close() == 0


def run(worker: Worker, stack: str, function: str, coarse_factors: bool) -> dict[str, Any]:
    apply = f"{HERE}:{function}" if function else ""
    return worker.run(stack, coarse_factors=coarse_factors, model=f"{HERE}:model", apply=apply)


def test_with_coarse_derivatives_no_product_rounds(worker: Worker) -> None:
    reference = run(worker, "", "", coarse_factors=True)
    assert numbers(run(worker, "ddp=2", "replicate", coarse_factors=True)) == numbers(reference)
    fine = [run(worker, *one, coarse_factors=False) for one in (("", ""), ("ddp=2", "replicate"))]
    assert numbers(fine[0]) != numbers(fine[1]), "else this test shows nothing"


@pytest.mark.parametrize(
    "function", ["replicate_and_halve_gate", "replicate_and_pass_straight", "replicate_with_another_last_bit"]
)
def test_with_coarse_derivatives_an_error_is_seen(worker: Worker, function: str) -> None:
    reference = run(worker, "", "", coarse_factors=True)
    assert numbers(run(worker, "ddp=2", function, coarse_factors=True)) != numbers(reference)


def test_every_parameter_keeps_its_gradient(worker: Worker) -> None:
    reference = run(worker, "", "", coarse_factors=True)
    assert all(parameter["has_gradient"] for parameter in reference["parameters"])


def trained(worker: Worker, stack: str, loss: str) -> dict[str, Any]:
    apply = f"{HERE}:replicate" if stack else ""
    return worker.run(stack, model=f"{HERE}:plain", apply=apply, loss=f"{HERE}:{loss}")


def test_a_loss_divided_by_the_tokens_of_all_ranks_is_equal(worker: Worker) -> None:
    assert numbers(trained(worker, "ddp=2", "loss_of_step")) == numbers(trained(worker, "", "loss_of_step"))


def test_a_loss_divided_by_the_tokens_of_a_microbatch_is_not(worker: Worker) -> None:
    assert numbers(trained(worker, "ddp=2", "loss_of_microbatch")) != numbers(
        trained(worker, "", "loss_of_microbatch")
    )
