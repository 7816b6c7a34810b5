"""Where exact kernels stand, and how they reach the stock ones: an exact kernel that called its operator would call itself."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from ...process_state import PROCESS
from ...torch_compat import CAN_HOLD_KERNELS, on_cpu, on_meta, unseen_by_dynamo

# Where the stock kernel can be held by itself, the exact one takes its place. Else it is reached through the dispatcher alone,
# so the exact one has to stand in front of it: at BackendSelect, the last key before the backends. It is below autograd,
# DTensor, modes and functionalization as CPU is, but it is of every backend: a rank has CPU and meta tensors.
KEY = "CPU" if CAN_HOLD_KERNELS else "BackendSelect"


def take_stock(name: str) -> None:
    """Of "mm" or "mm.out". All are to be taken before any kernel is replaced."""
    calls = PROCESS.stock_kernels
    if name in calls:
        return
    if CAN_HOLD_KERNELS:
        calls[name] = functools.partial(torch.library.get_kernel(f"aten::{name}", "CPU").call_boxed, on_cpu())
    else:
        calls[name] = functools.partial(overload(name).redispatch, on_cpu())


def stock(name: str) -> Callable[..., Any]:
    return PROCESS.stock_kernels[name]


def placed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """As it is to be registered for KEY."""
    if CAN_HOLD_KERNELS:
        return unseen_by_dynamo(function)
    operator = overload(name)

    @functools.wraps(function)
    def of_a_cpu(*args: Any, **kwargs: Any) -> Any:
        tensors = tensors_of([*args, *kwargs.values()])
        if any(x.device.type == "meta" for x in tensors):  # shapes are worked out
            return operator.redispatch(on_meta(), *args, **kwargs)
        return function(*args, **kwargs)

    return unseen_by_dynamo(of_a_cpu)


def overload(name: str) -> Any:
    base, _, which = name.partition(".")
    return getattr(getattr(torch.ops.aten, base), which or "default")


def tensors_of(values: list[Any]) -> list[torch.Tensor]:
    found = []
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += tensors_of(list(value))
    return found
