"""Exact kernels under Inductor. The loops that it writes add up in an order of their own and are out of a kernel's reach:
while exact kernels are in place it calls operators instead (its fallback_by_default), and keeps those whole that compute
(decompositions.py). It captures graphs, decomposes the rest, and partitions as ever."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from torch.utils._python_dispatch import _disable_current_modes

from .decompositions import without_what_computes

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
    with contextlib.ExitStack() as stack:
        stack.enter_context(_keeping_operators_whole())
        if can_call_operators():
            stack.enter_context(_falling_back())
        yield


@contextlib.contextmanager
def _keeping_operators_whole() -> Iterator[None]:
    """For all that goes through compile_fx, the stand-in for inductor as well."""
    from torch._functorch import config as functorch_config
    from torch._inductor import compile_fx, config

    table = compile_fx.select_decomp_table
    compile_fx.select_decomp_table = lambda: without_what_computes(table())
    try:
        # x + 0 rounds x to the grid of additions: it is not nothing, and is not folded away. What is cached by the graph
        # before it is decomposed would be taken for what other decompositions made of it.
        with (
            config.patch(joint_graph_constant_folding=False),
            functorch_config.patch(enable_autograd_cache=False),
        ):
            yield
    finally:
        compile_fx.select_decomp_table = table


@contextlib.contextmanager
def _falling_back() -> Iterator[None]:
    from torch._inductor import config, output_code

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
