"""Reductions of c10d: the terms of a sum are rounded to the grid of additions, as those of every other sum, and the group's
backend adds them. A user's function may reduce what is on no grid, as the weighted outputs of experts.

What data parallel divides by its degree lies on a finer grid, that of averages, and passes unchanged: DDP that is not told of
microbatches takes the average of an average.

At c10d's operators, which all of Python's collectives, functional ones, compiled graphs and DDP's reducer pass. What a rank
hands in and does not get back, it keeps as it is.

In front of the stock kernels, at BackendSelect, and not in their place: to redispatch lets go of the GIL, and to call a stock
kernel that is held by itself does not. A group's thread that ends a work may hold the group's lock and wait for the GIL. Who
watches collectives stands there too, and is called next."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.distributed as dist

from ...torch_compat import (
    CAN_HOLD_KERNELS,
    KEYS_BEHIND_BACKEND_SELECT,
    OVER_A_KERNEL,
    has_kernel,
    schema_of,
    take_back,
    unseen_by_dynamo,
)
from .grid import addition_bits, average_bits, rounded, rounded_
from .kernels import is_exact

# Arguments that hold terms. Of those worked on in place the result takes the place of the term.
_IN_PLACE = {"allreduce_": "tensors", "allreduce_coalesced_": "tensors"}
_HANDED_IN = {
    "reduce_scatter_": "input_tensors",
    "_reduce_scatter_base_": "input_tensor",
    "reduce_scatter_tensor_coalesced_": "inputs",
    "reduce_": "tensors",
}


def can_round_reductions() -> bool:
    """Whether distributed is built in, and this release lets a kernel call the one that it replaces where somebody watches."""
    return dist.is_available() and (CAN_HOLD_KERNELS or not _is_watched("allreduce_"))


def _is_watched(name: str) -> bool:
    return has_kernel(f"c10d::{name}", "BackendSelect")


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
                library.impl(
                    name,
                    unseen_by_dynamo(_reduction(name)),
                    "BackendSelect",
                    with_keyset=True,
                    **OVER_A_KERNEL,
                )
        yield
    finally:
        take_back(library)


def _reduction(name: str) -> Callable[..., Any]:
    operator = getattr(torch.ops.c10d, name).default
    watch = torch.library.get_kernel(f"c10d::{name}", "BackendSelect") if _is_watched(name) else None
    names = [argument.name for argument in schema_of(operator).arguments]
    terms_at = names.index(_IN_PLACE.get(name) or _HANDED_IN[name])
    operator_at, root_at = names.index("reduce_op"), names.index("root_rank") if "root_rank" in names else -1
    group_at = names.index("process_group")

    def kernel(keys: Any, *given: Any) -> Any:
        passed = list(given)
        if is_sum(given[operator_at]):
            group = dist.ProcessGroup.unbox(given[group_at])
            gets_result = name in _IN_PLACE or (root_at >= 0 and group.rank() == given[root_at])
            with torch.no_grad():
                passed[terms_at] = _terms_on_grid(
                    given[terms_at], group.size(), rounded_ if gets_result else rounded
                )
        if watch is None:
            return operator.redispatch(keys & KEYS_BEHIND_BACKEND_SELECT, *passed)
        # Unlike redispatch, a kernel that is called by itself is to be handed defaults too.
        defaults = [argument.default_value for argument in schema_of(operator).arguments[len(passed) :]]
        return watch.call_boxed(keys, *passed, *defaults)

    return kernel


def is_sum(operator: Any) -> bool:
    """Of a ReduceOp as operators of c10d take it."""
    kinds: Any = dist.ReduceOp.RedOpType
    return operator.op() in (kinds.SUM.value, kinds.AVG.value)


def _terms_on_grid(terms: Any, ranks: int, change: Callable[[torch.Tensor, int], torch.Tensor]) -> Any:
    if isinstance(terms, (list, tuple)):
        return [_terms_on_grid(each, ranks, change) for each in terms]
    if (
        not is_exact(terms)
        or _lie_on(terms, average_bits())
        or _add_up_exactly(terms, ranks)
        or _is_masked(terms)
    ):
        return terms
    return change(terms, addition_bits())


def _lie_on(terms: torch.Tensor, bits: int) -> bool:
    return bool(rounded(terms, bits).eq(terms).all())


# So many numbers that are on no grid do not all end in zeros by chance.
_TOO_MANY_FOR_CHANCE = 16


def _add_up_exactly(terms: torch.Tensor, ranks: int) -> bool:
    """Parts of a gradient that was divided by powers of two since it was summed, as clipping does, lie on a grid as fine as
    they are small: there float64 holds the sum of so many parts."""
    if terms.numel() < _TOO_MANY_FOR_CHANCE:
        return False
    largest = terms.abs().max().item()
    if not 0 < largest < math.inf:
        return False
    bits = 53 - math.frexp(largest)[1] - max(1, math.ceil(math.log2(ranks)))
    return bits <= 1000 and _lie_on(terms, bits)


def _is_masked(terms: torch.Tensor) -> bool:
    """Parts of a lookup that is split over ranks, as loss parallel looks labels up: each element is of one rank, and zero on
    the others, so that nothing is added. To round it here and to a coarser grid in the sum that follows rounds twice."""
    return int((terms == 0).sum()) * 8 >= terms.numel() > 1
