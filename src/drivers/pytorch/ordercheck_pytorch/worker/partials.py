"""A case in which operators that sum are handed partial sums: it is run again with these reduced first. Numbers are of that
run where the two are no further apart than rounding explains. program/partial_operands.py tells why."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .blame import first_cause
from .pool import Outcome
from .report import RankReport

# Operands are rounded by a unit of the grid, whatever their size: where they are small, gradients are further apart. So much
# further is asked about on a coarser grid, where rounding makes them 2^COARSER times as far apart.
FURTHER = 16
COARSER = 4
GROWS = 4


def operators_met(reports: Sequence[RankReport]) -> list[str]:
    return sorted({name for report in reports for name in report.partial_operands})


def reconciled(
    run: Mapping[str, Any],
    reports: Sequence[RankReport],
    run_again: Callable[[Mapping[str, Any]], Outcome],
    furthest: float,
) -> tuple[Sequence[RankReport], bool]:
    """The reports that the record is made of, and whether bits are owed."""
    names = operators_met(reports)
    if not names:
        return reports, True
    what = f"partial sums are operands of {', '.join(names)}, and rounding them is not linear"
    again = run_again({**run, "case": {**run["case"], "reduces_partials": True}})
    if again.errors:
        error = first_cause(again.errors)
        said = error.message.partition("\n")[0]
        return noted(
            reports,
            f"{what}; the run that reduces them first fails in {error.phase} ({said}), so no bit is owed",
        ), False
    apart = max(report.partials_apart for report in again.reports)
    first = f"a run that reduces them first is {apart:.1e} away in a gradient of the first step"
    if (
        furthest < apart <= FURTHER * furthest
        and (on_coarser := apart_on_coarser_grid(run, run_again)) >= GROWS * apart
    ):
        return noted(
            joined(reports, again.reports),
            f"{what}; {first}, and {on_coarser:.1e} on a grid coarser by {COARSER} bits, as rounding of small numbers: the "
            "numbers are those of that run",
        ), True
    if not apart <= furthest:
        return noted(
            reports, f"{what}; {first}, more than the {furthest:.1e} that rounding could explain"
        ), True
    return noted(joined(reports, again.reports), f"{what}; {first}: the numbers are those of that run"), True


def apart_on_coarser_grid(run: Mapping[str, Any], run_again: Callable[[Mapping[str, Any]], Outcome]) -> float:
    """An error stays as large as it is. 0 where a run does not end."""
    settings = {**run["case"]["settings"], "grid": run["case"]["settings"]["grid"] - COARSER}
    coarser = {**run, "case": {**run["case"], "settings": settings}}
    as_it_is = run_again(coarser)
    reduced = run_again({**coarser, "case": {**coarser["case"], "reduces_partials": True}})
    if as_it_is.errors or reduced.errors:
        return 0.0
    return max(report.partials_apart for report in reduced.reports)


def joined(seen: Sequence[RankReport], numbers: Sequence[RankReport]) -> list[RankReport]:
    """The numbers of one run, and what the other one called and counted."""
    by_rank = {report.rank: report for report in seen}
    return [
        dataclasses.replace(
            report,
            counters=by_rank[report.rank].counters,
            collectives=by_rank[report.rank].collectives,
            notes=by_rank[report.rank].notes,
        )
        for report in numbers
    ]


def noted(reports: Sequence[RankReport], note: str) -> list[RankReport]:
    return [dataclasses.replace(report, notes=[*report.notes, note]) for report in reports]
