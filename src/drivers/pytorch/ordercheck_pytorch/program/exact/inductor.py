"""Exact kernels under Inductor. The loops that it writes add up in an order of their own and are out of a kernel's reach:
while exact kernels are in place it calls operators instead (its fallback_by_default), and keeps those whole that compute
(decompositions.py). It captures graphs, decomposes the rest, and partitions as ever."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ...torch_compat import can_call_operators, decomposition_table, falling_back, table_in_place, with_table
from .decompositions import without_what_computes

CALLS_OPERATORS = "compile=inductor: operators of its graphs run as kernels (fallback_by_default), not as loops that it writes"


def keeps_operators_whole() -> bool:
    return table_in_place() is _table_of_exact_arithmetic


def _table_of_exact_arithmetic() -> dict[Any, Any]:
    return without_what_computes(decomposition_table())


@contextlib.contextmanager
def calling_operators() -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        stack.enter_context(with_table(_table_of_exact_arithmetic))
        if can_call_operators():
            stack.enter_context(falling_back())
        yield
