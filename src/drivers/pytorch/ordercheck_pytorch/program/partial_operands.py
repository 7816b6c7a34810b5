"""Operators that sum, and that DTensor hands partial sums to.

DTensor lets a product, a sum or the backward of a norm take an operand whose placement is Partial: each rank multiplies its
part, and the results are added up later. That is linear, but rounding is not: the parts, rounded to the grid one by one, do
not add up to the rounded whole. So such operators are found here, and the case is run a second time with the operands reduced
first. Where the two runs are no further apart than rounding explains, the numbers of the second are held against one rank.

By the schemas that DTensor propagates, not by a dispatch mode, under which Dynamo would skip frames."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.distributed.tensor import DTensor, Partial, Replicate

from .exact.table import operators

# Not an addition: its grid is so fine that the parts of products pass through it unchanged.
_KINDS = ("contraction", "sum", "norm", "scatter", "attention", "loss", "softmax")
_ADDITIONS = ("add", "add_")

# Gradients of the first step of the case as it is, for the run that follows it in the same ranks.
_as_it_is: dict[str, torch.Tensor] = {}


def furthest(grid: int) -> float:
    """How far apart, relative to a gradient, the two runs may be: a thousand times what one rounding to the grid moves."""
    return 2.0 ** (10 - grid)


def _summing() -> frozenset[str]:
    return frozenset(one.name for one in operators() if one.kind in _KINDS and one.name not in _ADDITIONS)


@contextlib.contextmanager
def watched(reduces: bool) -> Iterator[set[str]]:
    """Within, the set fills with the operators that partial sums went into. With `reduces` none do: they are reduced first."""
    seen: set[str] = set()
    propagator: Any = DTensor._op_dispatcher.sharding_propagator
    stock, cached = propagator.propagate_op_sharding_non_cached, propagator.propagate_op_sharding
    summing = _summing()

    def propagate(schema: Any) -> Any:
        name = schema.op.name().removeprefix("aten::").partition(".")[0]
        if name not in summing:
            return stock(schema)
        if reduces and _takes_partial(schema):
            reduced = _with_specs(schema, _reduced)
            result = stock(reduced)
            # The result may be one of a cache: it is of the reduced operands.
            return dataclasses.replace(
                result, redistribute_schema=result.redistribute_schema or reduced, needs_redistribute=True
            )
        result = stock(schema)
        if _takes_partial(result.redistribute_schema if result.needs_redistribute else schema):
            seen.add(f"aten.{name}")
        return result

    propagator.propagate_op_sharding_non_cached = propagate
    propagator.propagate_op_sharding = type(cached)(propagate)
    _forget_schemas(propagator)
    try:
        yield seen
    finally:
        del propagator.propagate_op_sharding_non_cached
        propagator.propagate_op_sharding = cached
        _forget_schemas(propagator)


def _forget_schemas(propagator: Any) -> None:
    """What was propagated before is not propagated again."""
    propagator.propagate_op_sharding.cache_clear()
    getattr(torch._C, "_clear_DTensor_sharding_propagator_cache", lambda: None)()


def _is_spec(one: Any) -> bool:
    return hasattr(one, "placements") and hasattr(one, "mesh")


def _takes_partial(schema: Any) -> bool:
    found = [one for one in _leaves(schema.args_schema) if _is_spec(one)]
    return any(isinstance(placement, Partial) for spec in found for placement in spec.placements)


def _leaves(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _leaves(value)
        else:
            yield value


def _with_specs(schema: Any, change: Callable[[Any], Any]) -> Any:
    def changed(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return type(value)(changed(one) for one in value)
        return change(value) if _is_spec(value) else value

    return type(schema)(
        schema.op, changed(schema.args_schema), dict(schema.kwargs_schema), schema.schema_info
    )


def _reduced(spec: Any) -> Any:
    placements = tuple(Replicate() if isinstance(one, Partial) else one for one in spec.placements)
    return type(spec)(spec.mesh, placements, tensor_meta=spec.tensor_meta)


def keep(gradients: dict[str, torch.Tensor]) -> None:
    """Of the case as it is."""
    _as_it_is.clear()
    _as_it_is.update(gradients)


def apart(gradients: dict[str, torch.Tensor]) -> float:
    """The largest distance of a gradient of the run before, relative to it. Infinite where there is none."""
    distances = [torch.inf if gradients.keys() - _as_it_is.keys() else 0.0]
    for name, gradient in gradients.items():
        if name in _as_it_is:
            # In plain arithmetic, which is outside exact kernels.
            away, size = (_as_it_is[name] - gradient).norm().item(), gradient.norm().item()
            distances.append(away / size if size else (torch.inf if away else 0.0))
    _as_it_is.clear()
    return max(distances)
