"""Where exact kernels stand, and how they reach the stock ones: an exact kernel that called its operator would call itself."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ...process_state import PROCESS
from ...torch_compat import CAN_HOLD_KERNELS, held_kernel, only, unseen_by_dynamo

# Where the stock kernel can be held by itself, the exact one takes its place. Else it is reached through the dispatcher alone,
# so the exact one has to stand in front of it: at BackendSelect, the last key before the backends. It is below autograd,
# DTensor, modes and functionalization as CPU is, but it is of every backend: a rank has CPU and meta tensors.
KEY = "CPU" if CAN_HOLD_KERNELS else "BackendSelect"


@dataclass(frozen=True)
class KernelPlace:
    """Where kernels of one device stand, and the key that says what it has."""

    key: str
    device: str  # as a dispatch key


def places_of(device: str) -> list[KernelPlace]:
    """A rank on a GPU has tensors of the host too."""
    return [KernelPlace(KEY, "CPU"), *([KernelPlace("CUDA", "CUDA")] if device == "cuda" else [])]


def take_stock(name: str, places: Sequence[KernelPlace]) -> None:
    """Of "mm" or "mm.out". All are to be taken before any kernel is replaced."""
    calls = PROCESS.stock_kernels
    if name in calls:
        return
    if not CAN_HOLD_KERNELS:
        calls[name] = functools.partial(overload(name).redispatch, only("CPU"))
        return
    of_device = {place.device: held_kernel(f"aten::{name}", place.device) for place in places}
    there = {device: kernel for device, kernel in of_device.items() if kernel is not None}
    calls[name] = next(iter(there.values())) if len(there) == 1 else functools.partial(_of_device, there)


def _of_device(kernels: Mapping[str, Callable[..., Any]], *args: Any, **kwargs: Any) -> Any:
    on_gpu = any(x.is_cuda for x in tensors_of([*args, *kwargs.values()]))
    return kernels["CUDA" if on_gpu else "CPU"](*args, **kwargs)


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
            return operator.redispatch(only("Meta"), *args, **kwargs)
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
