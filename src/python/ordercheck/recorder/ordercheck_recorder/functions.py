"""Finds the module that a recorded call is about."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .targets import Arguments, Target


def modules_of(target: Target, arguments: Arguments) -> list[Any]:
    """The modules that the call is about; empty if it is about none, or about a function that holds none."""
    if not target.module_argument:
        return []
    found = arguments.get(target.module_argument)
    if isinstance(found, list | tuple):
        return list(found)
    module = module_in(found)
    return [] if module is None else [module]


def module_in(value: Any) -> Any:
    """The module itself, that of a bound method or of a partial, or the only one that a closure holds; else None."""
    if (module := _module_of_method(value)) is not None:
        return module
    while isinstance(value, functools.partial):
        value = value.func
    cells = [cell.cell_contents for cell in getattr(value, "__closure__", None) or () if _is_filled(cell)]
    held = {id(one): one for cell in cells if (one := _module_of_method(cell)) is not None}
    return next(iter(held.values())) if len(held) == 1 else None


def _module_of_method(value: Any) -> Any:
    import torch

    bound: list[Any] = []  # partial(Layer.forward, layer) binds the module as the first argument
    while isinstance(value, functools.partial):
        bound += value.args[:1]
        value = value.func
    for one in (value, getattr(value, "__self__", None), *bound):
        if issubclass(type(one), torch.nn.Module):
            return one
    return None


def method_of(value: Any, is_bound: bool = False) -> str:
    """How the function that is checkpointed runs its module: "__call__" with its hooks, "forward" or another method without."""
    import torch

    if issubclass(type(value), torch.nn.Module):
        return "__call__"
    if isinstance(value, functools.partial):
        return method_of(value.func, is_bound or bool(value.args))
    name = str(getattr(value, "__name__", ""))
    is_bound = is_bound or getattr(value, "__self__", None) is not None
    if not is_bound:
        return "function"
    return "__call__" if name in ("__call__", "_wrapped_call_impl", "_call_impl") else name


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
