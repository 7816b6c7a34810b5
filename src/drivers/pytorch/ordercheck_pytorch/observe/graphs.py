"""What Dynamo captured and where it gave up, by its own counters."""

from __future__ import annotations

from ..torch_compat import dynamo_counters
from .wording import first_line


def graph_counters() -> dict[str, int]:
    """By their names in a record, since they were forgotten."""
    counters = dynamo_counters()
    return {
        "graph_captures": int(counters["stats"]["unique_graphs"]),
        "graph_breaks": sum(counters["graph_break"].values()),
    }


def break_reasons() -> list[str]:
    """One line each, sorted."""
    return sorted({f"graph break: {first_line(str(reason))}" for reason in dynamo_counters()["graph_break"]})
