"""Exact kernels under Inductor. The loops that it writes add up in an order of their own and are out of a kernel's reach:
while exact kernels are in place it calls operators instead (its fallback_by_default), so that a graph is captured, decomposed
and partitioned as ever, and its operators run as kernels."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from torch.utils._python_dispatch import _disable_current_modes

CALLS_OPERATORS = "compile=inductor: operators of its graphs run as kernels (fallback_by_default), not as loops that it writes"


def calls_operators() -> bool:
    from torch._inductor import config

    return bool(getattr(config, "fallback_by_default", False))


def can_call_operators() -> bool:
    """Whether this release can be told to; torch 2.8 cannot."""
    from torch._inductor import config

    return hasattr(config, "fallback_by_default")


@contextlib.contextmanager
def calling_operators() -> Iterator[None]:
    from torch._inductor import config, output_code

    if not can_call_operators():
        yield
        return
    call = output_code.CompiledFxGraph.__call__

    def unseen(graph: Any, inputs: Any) -> Any:
        # As of loops that Inductor writes, a dispatch mode outside sees nothing of the operators: whoever selects what to
        # keep must not find more there than in a job.
        with _disable_current_modes():
            return call(graph, inputs)

    output_code.CompiledFxGraph.__call__ = unseen  # type: ignore[method-assign, assignment]
    try:
        with config.patch(fallback_by_default=True):
            yield
    finally:
        output_code.CompiledFxGraph.__call__ = call  # type: ignore[method-assign]
