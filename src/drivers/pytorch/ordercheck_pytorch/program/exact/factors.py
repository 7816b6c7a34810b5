"""Derivatives of functions of a parameter, as in `logit_scale.exp()`, -exp(A_log) or a sigmoid gate.

NOTE [functions of parameters] The gradient of f(p) is a sum over samples, and p gets that sum times f'(p). Each rank and each
microbatch multiplies its own part, and a product of 53 bits rounds: the products of the parts do not add up to the product of
the sum. If f'(p) is a small whole number or a power of two, every product lies on the grid of the sum and none rounds. So
where two layouts are apart by rounding alone, the supervisor asks for both once more with such derivatives, and expects equal
bits."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch.distributed.tensor import DTensor, Shard

from ...process_state import CASE_STATE
from ...torch_compat import in_backward
from .grid import rounded
from .kernels import KERNELS, as_tensor, is_exact
from .stock import stock

# All of (gradient, ...), and linear in the gradient.
_BACKWARDS = (
    "mul.Tensor",
    "div.Tensor",
    "sigmoid_backward",
    "tanh_backward",
    "silu_backward",
    "gelu_backward",
    "softplus_backward",
)


def coarse_kernels() -> dict[str, Callable[..., Any]]:
    return {name: functools.partial(_with_coarse_derivative, name) for name in _BACKWARDS}


def _with_coarse_derivative(name: str, gradient: Any, *rest: Any, **kwargs: Any) -> torch.Tensor:
    plain = KERNELS.get(name) or stock(name)
    if name == "div.Tensor":  # a number reaches a kernel in Python as such
        gradient, rest = as_tensor(gradient, rest[0]), (as_tensor(rest[0], gradient),)
    if not _is_of_parameter(gradient):
        return plain(gradient, *rest, **kwargs)
    derivative = plain(torch.ones_like(gradient), *rest, **kwargs)
    return stock("mul.Tensor")(gradient, _coarse(derivative))


def _is_of_parameter(gradient: Any) -> bool:
    return (
        isinstance(gradient, torch.Tensor)
        and is_exact(gradient)
        and in_backward()
        and tuple(gradient.shape) in CASE_STATE.parameter_shapes
    )


# Below this bit an exp of a vector and one of a number may differ.
_TOLD_APART_BITS = 30
_MANTISSA = (1 << 52) - 1


def _coarse(derivative: torch.Tensor) -> torch.Tensor:
    """A power of two and zero as they are, which round no product; else 3 or 5, so that a layout that leaves the derivative
    out does not get the same gradient."""
    near = rounded(derivative, _TOLD_APART_BITS)
    steps = stock("mul.Tensor")(near.abs(), torch.full_like(near, 2.0**_TOLD_APART_BITS))
    three, five = torch.full_like(near, 3.0), torch.full_like(near, 5.0)
    other = torch.where(steps.remainder(2) == 0, three, five).copysign(derivative)
    is_power_of_two = ((near.view(torch.int64) & _MANTISSA) == 0) & (near != 0)
    return torch.where(is_power_of_two, near, torch.where(derivative == 0, derivative, other))


def shapes_of(parameter: torch.Tensor) -> set[tuple[int, ...]]:
    """Whole, and of the parts that this rank may compute with: sharded over some of the dims of the mesh."""
    shapes = {tuple(parameter.shape)}
    if isinstance(parameter, DTensor):
        for dim, placement in enumerate(parameter.placements):
            if isinstance(placement, Shard):
                ranks = parameter.device_mesh.size(dim)
                shapes |= {_split(shape, placement.dim, ranks) for shape in shapes}
    return shapes


def _split(shape: tuple[int, ...], dim: int, ranks: int) -> tuple[int, ...]:
    return (*shape[:dim], -(-shape[dim] // ranks), *shape[dim + 1 :])
