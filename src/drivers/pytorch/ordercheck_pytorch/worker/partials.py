"""A case in which operators that sum are handed partial sums: it is run again with these reduced first. Numbers are of that
run where the two are no further apart than rounding explains. program/partial_operands.py tells why."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .blame import first_cause
from .pool import Outcome
from .report import RankReport


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
    if not apart <= furthest:
        return noted(
            reports, f"{what}; {first}, more than the {furthest:.1e} that rounding could explain"
        ), True
    return noted(joined(reports, again.reports), f"{what}; {first}: the numbers are those of that run"), True


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
