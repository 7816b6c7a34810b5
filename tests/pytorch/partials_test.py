"""Operators that sum and are handed partial sums: found, run again with these reduced, and held to what rounding explains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from ordercheck_pytorch.worker.partials import reconciled
from ordercheck_pytorch.worker.pool import Outcome
from ordercheck_pytorch.worker.report import RankError, RankReport
from real_worker import Worker, numbers

MODEL = "partial_sums:network"
FURTHEST = 1e-3


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    assert worker.close() == 0


def test_a_product_of_partial_sums_has_the_bits_of_one_rank_once_they_are_reduced(worker: Worker) -> None:
    alone = worker.run("", model=MODEL)
    record = worker.run("tp=2", model=MODEL, apply="partial_sums:leave_in_parts")
    assert any(
        "partial sums are operands of aten.mm" in note and "of that run" in note for note in record["notes"]
    )
    assert numbers(record) == numbers(alone)


def test_what_is_wrong_stays_wrong(worker: Worker) -> None:
    alone = worker.run("", model=MODEL)
    record = worker.run(
        "tp=2",
        model=MODEL,
        apply="partial_sums:leave_in_parts_of_another_size",
    )
    assert numbers(record) != numbers(alone)
    assert record["parity_owed"]


def test_nothing_is_told_of_a_plan_that_reduces_what_it_multiplies(worker: Worker) -> None:
    assert not any("partial sums" in note for note in worker.run("tp=2")["notes"])


def told(again: Outcome, *, met: bool = True) -> tuple[RankReport, bool, list[Mapping[str, Any]]]:
    asked: list[Mapping[str, Any]] = []

    def run_again(run: Mapping[str, Any]) -> Outcome:
        asked.append(run)
        return again

    first = RankReport(
        rank=0, losses=[1.0], counters={"matmul_flops": 8}, partial_operands=["aten.mm"] if met else []
    )
    reports, owed = reconciled({"case": {"text": "tp=2"}}, [first], run_again, FURTHEST)
    return reports[0], owed, asked


def reduced(apart: float) -> Outcome:
    return Outcome(
        [RankReport(rank=0, losses=[2.0], counters={"matmul_flops": 9}, partials_apart=apart)], [], False
    )


def test_numbers_are_of_the_second_run_and_counters_of_the_first() -> None:
    report, owed, asked = told(reduced(1e-7))
    assert (report.losses, report.counters, owed) == ([2.0], {"matmul_flops": 8}, True)
    assert asked[0]["case"] == {"text": "tp=2", "reduces_partials": True}


@pytest.mark.parametrize("apart", [2e-2, float("inf"), float("nan")])
def test_what_rounding_does_not_explain_is_left_as_it_is(apart: float) -> None:
    report, owed, _ = told(reduced(apart))
    assert (report.losses, owed) == ([1.0], True)
    assert "more than the 1.0e-03 that rounding could explain" in report.notes[0]


@pytest.mark.parametrize(("on_coarser", "losses"), [(8e-2, [2.0]), (5e-3, [1.0])])
def test_small_numbers_are_held_on_a_coarser_grid_where_an_error_stays(
    on_coarser: float, losses: list[float]
) -> None:
    asked: list[Mapping[str, Any]] = []

    def run_again(run: Mapping[str, Any]) -> Outcome:
        asked.append(run["case"])
        return reduced(5e-3 if run["case"]["settings"]["grid"] == 20 else on_coarser)

    first = RankReport(rank=0, losses=[1.0], partial_operands=["aten.mm"])
    reports, owed = reconciled({"case": {"settings": {"grid": 20}}}, [first], run_again, FURTHEST)
    assert (reports[0].losses, owed) == (losses, True)
    assert [(case["settings"]["grid"], case.get("reduces_partials", False)) for case in asked] == [
        (20, True),
        (16, False),
        (16, True),
    ]


def test_no_bit_is_owed_where_the_second_run_fails() -> None:
    failed = Outcome(
        [], [RankError(rank=0, time=0, ending="failed", message="no\nmore", phase="forward")], False
    )
    report, owed, _ = told(failed)
    assert (report.losses, owed) == ([1.0], False)
    assert "fails in forward (no), so no bit is owed" in report.notes[0]


def test_nothing_is_run_again_without_such_an_operand() -> None:
    assert told(reduced(0.0), met=False)[1:] == (True, [])
