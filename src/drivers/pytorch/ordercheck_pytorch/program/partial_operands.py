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
from torch.distributed.tensor import Partial, Replicate

from ..process_state import CASE_STATE, PROCESS
from ..torch_compat import forget_propagated, sharding_propagator
from .exact.table import operators

# Not an addition: its grid is so fine that the parts of products pass through it unchanged.
_SUMMING_KINDS = ("contraction", "sum", "norm", "scatter", "attention", "loss", "softmax")
_ADDITIONS_OF_TWO = ("add", "add_")


def furthest_apart(grid: int) -> float:
    """How far apart, relative to a gradient, the two runs may be: a thousand times what one rounding to the grid moves."""
    return 2.0 ** (10 - grid)


def _summing_operators() -> frozenset[str]:
    return frozenset(
        one.name for one in operators() if one.kind in _SUMMING_KINDS and one.name not in _ADDITIONS_OF_TWO
    )


@contextlib.contextmanager
def watching_partial_operands(reduces: bool) -> Iterator[set[str]]:
    """Within, the set fills with the operators that partial sums went into. With `reduces` none do: they are reduced first."""
    seen = CASE_STATE.partial_operands
    CASE_STATE.reduces_partials = reduces
    propagator: Any = sharding_propagator()
    stock, cached = propagator.propagate_op_sharding_non_cached, propagator.propagate_op_sharding
    summing = _summing_operators()

    def propagate(schema: Any) -> Any:
        name = schema.op.name().removeprefix("aten::").partition(".")[0]
        if name not in summing:
            return stock(schema)
        if reduces and _takes_partial_sums(schema):
            reduced = _with_other_specs(schema, _reduced_spec)
            result = stock(reduced)
            # The result may be one of a cache: it is of the reduced operands.
            return dataclasses.replace(
                result, redistribute_schema=result.redistribute_schema or reduced, needs_redistribute=True
            )
        result = stock(schema)
        if _takes_partial_sums(result.redistribute_schema if result.needs_redistribute else schema):
            seen.add(f"aten.{name}")
        return result

    propagator.propagate_op_sharding_non_cached = propagate
    propagator.propagate_op_sharding = type(cached)(propagate)
    forget_propagated()
    try:
        yield seen
    finally:
        del propagator.propagate_op_sharding_non_cached
        propagator.propagate_op_sharding = cached
        forget_propagated()


def reduces_partials_of(operator: str) -> bool:
    """For what a driver puts in the place of code that hands `operator` partial sums without DTensor: whether it is to reduce
    them first."""
    CASE_STATE.partial_operands.add(operator)
    return CASE_STATE.reduces_partials


def _is_tensor_spec(one: Any) -> bool:
    return hasattr(one, "placements") and hasattr(one, "mesh")


def _takes_partial_sums(schema: Any) -> bool:
    found = [one for one in _leaves_of_schema(schema.args_schema) if _is_tensor_spec(one)]
    return any(isinstance(placement, Partial) for spec in found for placement in spec.placements)


def _leaves_of_schema(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _leaves_of_schema(value)
        else:
            yield value


def _with_other_specs(schema: Any, change: Callable[[Any], Any]) -> Any:
    def changed(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return type(value)(changed(one) for one in value)
        return change(value) if _is_tensor_spec(value) else value

    return type(schema)(
        schema.op, changed(schema.args_schema), dict(schema.kwargs_schema), schema.schema_info
    )


def _reduced_spec(spec: Any) -> Any:
    placements = tuple(Replicate() if isinstance(one, Partial) else one for one in spec.placements)
    return type(spec)(spec.mesh, placements, tensor_meta=spec.tensor_meta)


def keep_gradients(gradients: dict[str, torch.Tensor]) -> None:
    """Of the case as it is."""
    PROCESS.kept_gradients.clear()
    PROCESS.kept_gradients.update(gradients)


def distance_from_kept(gradients: dict[str, torch.Tensor]) -> float:
    """The largest distance of a gradient of the run before, relative to it. Infinite where there is none."""
    distances = [torch.inf if gradients.keys() - PROCESS.kept_gradients.keys() else 0.0]
    for name, gradient in gradients.items():
        if name in PROCESS.kept_gradients:
            # In plain arithmetic, which is outside exact kernels.
            away, size = (PROCESS.kept_gradients[name] - gradient).norm().item(), gradient.norm().item()
            distances.append(away / size if size else (torch.inf if away else 0.0))
    PROCESS.kept_gradients.clear()
    return max(distances)
