"""Collectives through the host, on the CPU: the code of ranks that share a GPU, without the GPU. They show what gloo shows."""

from collections.abc import Iterator

import pytest
from real_worker import Worker, numbers


@pytest.fixture(scope="module")
def workers() -> Iterator[tuple[Worker, Worker]]:
    usual, staged = Worker(), Worker(ORDERCHECK_WORLD="staged")
    yield usual, staged
    assert usual.close() == 0
    assert staged.close() == 0


@pytest.mark.parametrize(
    "stack",
    [
        "fsdp=2,ac",
        "tp=2,ac,fsdp=2",
        "ddp=2",
        "pp=2",
        "cp=2",
        "tp=2,compile=aot_eager",
    ],
)
def test_numbers_and_collectives_are_those_over_gloo(workers: tuple[Worker, Worker], stack: str) -> None:
    over_gloo, staged = (worker.run(stack) for worker in workers)
    assert numbers(staged) == numbers(over_gloo)
    assert staged["collectives"] == over_gloo["collectives"]
    # The profiler sees copies to the host and back as what they are, also where a collective is issued again in backward.
    del staged["counters"]["operators_recomputed"], over_gloo["counters"]["operators_recomputed"]
    assert staged["counters"] == over_gloo["counters"]


def test_a_record_says_what_its_collectives_went_over(
    workers: tuple[Worker, Worker],
) -> None:
    assert [worker.run("fsdp=2")["versions"][1:] for worker in workers] == [
        [],
        ["staged collectives"],
    ]
    assert workers[1].hello["versions"][1:] == ["staged collectives"]


def test_a_sum_that_nobody_reduced_is_seen(workers: tuple[Worker, Worker]) -> None:
    """The hostile twin: a stack that is wrong over gloo is as wrong here."""
    assert numbers(workers[1].run("optimizer=adamw,fsdp=2")) != numbers(workers[1].run(""))
