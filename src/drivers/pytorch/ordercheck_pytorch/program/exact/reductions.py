"""Reductions of c10d: the terms of a sum are rounded to the grid of additions, as those of every other sum, and the group's
backend adds them. A user's function may reduce what is on no grid, as the weighted outputs of experts.

What data parallel divides by its degree lies on a finer grid, that of averages, and passes unchanged: DDP that is not told of
microbatches takes the average of an average.

At c10d's operators, which all of Python's collectives, functional ones, compiled graphs and DDP's reducer pass. What a rank
hands in and does not get back, it keeps as it is."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.distributed as dist

from .grid import addition_bits, average_bits, rounded, rounded_
from .kernels import is_exact

_CPU = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)

# Arguments that hold terms. Of those worked on in place the result takes the place of the term.
_IN_PLACE = {"allreduce_": "tensors", "allreduce_coalesced_": "tensors"}
_HANDED_IN = {
    "reduce_scatter_": "input_tensors",
    "_reduce_scatter_base_": "input_tensor",
    "reduce_scatter_tensor_coalesced_": "inputs",
    "reduce_": "tensors",
}


def can_round_reductions() -> bool:
    """Whether this release lets a kernel call the one that it replaces, and distributed is built in."""
    return hasattr(torch.library, "get_kernel") and dist.is_available()


@contextlib.contextmanager
def exact_reductions() -> Iterator[None]:
    if not can_round_reductions():
        yield
        return
    library = torch.library.Library("c10d", "IMPL")
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Warning only once for all operators")
            for name in [*_IN_PLACE, *_HANDED_IN]:
                library.impl(name, _reduction(name), "CPU", allow_override=True)
        yield
    finally:
        library._destroy()


def _reduction(name: str) -> Callable[..., Any]:
    stock = torch.library.get_kernel(f"c10d::{name}", "CPU")
    schema = getattr(torch.ops.c10d, name).default._schema
    names = [argument.name for argument in schema.arguments]
    terms_at = names.index(_IN_PLACE.get(name) or _HANDED_IN[name])
    operator_at, root_at = names.index("reduce_op"), names.index("root_rank") if "root_rank" in names else -1
    group_at = names.index("process_group")

    def kernel(*given: Any) -> Any:
        passed = list(given)
        if is_sum(given[operator_at]):
            gets_result = name in _IN_PLACE or (
                root_at >= 0 and dist.ProcessGroup.unbox(given[group_at]).rank() == given[root_at]
            )
            with torch.no_grad():
                passed[terms_at] = _on_grid(given[terms_at], rounded_ if gets_result else rounded)
        # Whether a call is waited for has a default, and so has its timeout: the stock kernel is called with all.
        defaults = [argument.default_value for argument in schema.arguments[len(passed) :]]
        return stock.call_boxed(_CPU, *passed, *defaults)

    return kernel


def is_sum(operator: Any) -> bool:
    """Of a ReduceOp as operators of c10d take it."""
    kinds: Any = dist.ReduceOp.RedOpType
    return operator.op() in (kinds.SUM.value, kinds.AVG.value)


def _on_grid(terms: Any, change: Callable[[torch.Tensor, int], torch.Tensor]) -> Any:
    if isinstance(terms, (list, tuple)):
        return [_on_grid(each, change) for each in terms]
    if not is_exact(terms) or bool(rounded(terms, average_bits()).eq(terms).all()):
        return terms
    return change(terms, addition_bits())
