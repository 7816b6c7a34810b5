"""Refuses every operator that the CPU has a kernel for, that is not in the table or sums inside without an exact kernel, and
that meets a float64. In the kernels, where it sees what a compiler or a wrapper runs: Dynamo skips frames under a dispatch
mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .draws import is_refused_draw
from .kernels import Unsupported
from .stock import stock
from .table import DRAWING, KEPT, KEYED, OF_GPUS, REPLACED, operators

OF_REAL, DRAW = "stable_real", "draw"
REASONS = {
    "": "is not among the operators that exact arithmetic knows, so it may round otherwise in another layout",
    "opaque": "sums inside and has no exact kernel",
    "random": "draws random numbers, which differ between layouts",
    DRAW: "draws random numbers in a step, which differ between layouts; a torch.Generator of the program's own passes",
    OF_REAL: "of complex numbers has no exact kernel",
}
# The overload of a functional operator is called by its out= and in-place kin where they have no kernel of their own.
_COMPOSITE = ("convolution", "convolution_backward", "mkldnn_convolution")


def refused_operators(registered: list[str]) -> dict[str, str]:
    """Of the names of operators that have a CPU kernel, "aten::mm.out": those to refuse, and their class; "" for none."""
    kinds = {
        operator.name: operator.kind for operator in operators() if operator.kind not in (*REPLACED, OF_GPUS)
    }
    kinds |= {
        operator.name: "random" for operator in operators() if operator.kind == KEYED
    }  # its other overloads
    exact = {name for operator in operators() for name in operator.full_names}
    refused = {}
    for full in [*registered, *(f"aten::{name}" for name in _COMPOSITE)]:
        namespace, _, name = full.partition("::")
        base = name.partition(".")[0]
        if namespace != "aten" or name in exact or kinds.get(base) in KEPT:
            continue
        refused[name] = kinds.get(base, "")
    return refused


def drawing_operators(registered: list[str]) -> list[str]:
    """Of the names of operators that have a CPU kernel: those that draw random numbers and have no kernel that keys them."""
    names = [full.partition("::")[2] for full in registered if full.startswith("aten::")]
    drawing = {operator.name for operator in operators() if operator.kind in DRAWING}
    keyed = {name for operator in operators() if operator.kind == KEYED for name in operator.full_names}
    return [name for name in names if name.partition(".")[0] in drawing and name not in keyed]


def refusing(name: str, kind: str) -> Callable[..., Any]:
    def refuses(values: list[Any]) -> bool:
        if kind == DRAW:
            return is_refused_draw(values)
        return any(map(is_complex if kind == OF_REAL else is_inexact, values))

    def call(*args: Any, **kwargs: Any) -> Any:
        if refuses([*args, *kwargs.values()]):
            raise Unsupported(f"aten::{name.partition('.')[0]} {REASONS[kind]}")
        return stock(name)(*args, **kwargs)

    return call


def is_inexact(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(is_inexact(one) for one in value)
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


def is_complex(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_complex()
