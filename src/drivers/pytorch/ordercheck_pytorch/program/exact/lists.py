"""Operators on lists of tensors: a GPU has kernels of its own for them, which multiply and add with one rounding. In their
place stand those that are written for every device, which call each tensor's own operator, as on a CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...torch_compat import has_kernel, held_kernel
from .table import operators


def lists_one_by_one(registered: list[str]) -> dict[str, Callable[..., Any]]:
    """Of the operators that a GPU has a kernel for, "aten::_foreach_add_.List": those on lists that have no exact one."""
    exact = {name for operator in operators() for name in operator.full_names}
    found = {}
    for full in registered:
        name = full.removeprefix("aten::")
        if not name.startswith("_foreach_") or name in exact or has_kernel(full, "CPU"):
            continue
        of_any_device = held_kernel(full, "CPU")
        if of_any_device is not None:
            found[name] = of_any_device
    return found
