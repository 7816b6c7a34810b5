"""What Dynamo captured and where it gave up, by its own counters."""

from __future__ import annotations

import torch._dynamo
from torch._dynamo.utils import counters

from .wording import first_line


def forget_graphs() -> None:
    """Before a case: every graph of an earlier one is dropped, and counting begins at 0."""
    torch._dynamo.reset()
    counters.clear()


def graph_counters() -> dict[str, int]:
    """By their names in a record, since forget_graphs()."""
    return {
        "graph_captures": int(counters["stats"]["unique_graphs"]),
        "graph_breaks": sum(counters["graph_break"].values()),
    }


def break_reasons() -> list[str]:
    """One line each, sorted."""
    return sorted({f"graph break: {first_line(str(reason))}" for reason in counters["graph_break"]})
