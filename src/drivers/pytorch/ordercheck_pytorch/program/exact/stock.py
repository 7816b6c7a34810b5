"""Where exact kernels stand, and how they reach the stock ones: an exact kernel that called its operator would call itself."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

_calls: dict[str, Callable[..., Any]] = {}

# Since torch 2.9 the stock kernel can be held by itself, and the exact one takes its place. Before that it is reached through
# the dispatcher alone, so the exact one has to stand in front of it: at BackendSelect, the last key before the backends. It is
# below autograd, DTensor, modes and functionalization as CPU is, but it is of every backend: a rank has CPU and meta tensors.
TAKES_PLACE = hasattr(torch.library, "get_kernel")
KEY = "CPU" if TAKES_PLACE else "BackendSelect"


def take_stock(name: str) -> None:
    """Of "mm" or "mm.out". All are to be taken before any kernel is replaced."""
    if name in _calls:
        return
    cpu = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
    if TAKES_PLACE:
        _calls[name] = functools.partial(torch.library.get_kernel(f"aten::{name}", "CPU").call_boxed, cpu)
    else:
        _calls[name] = functools.partial(overload(name).redispatch, cpu)


def stock(name: str) -> Callable[..., Any]:
    return _calls[name]


def placed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """As it is to be registered for KEY."""
    if TAKES_PLACE:
        return unseen_by_dynamo(function)
    operator = overload(name)

    @functools.wraps(function)
    def on_cpu(*args: Any, **kwargs: Any) -> Any:
        tensors = tensors_of([*args, *kwargs.values()])
        if any(x.device.type == "meta" for x in tensors):  # shapes are worked out
            return operator.redispatch(torch._C.DispatchKeySet(torch._C.DispatchKey.Meta), *args, **kwargs)
        return function(*args, **kwargs)

    return unseen_by_dynamo(on_cpu)


def unseen_by_dynamo(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that takes the place of one in C++. What runs eagerly between graphs, and all that Dynamo skips, calls
    operators while Dynamo still compiles every frame of Python that it meets: the frames of a kernel would be graphs that
    stock PyTorch does not have, and a model of which nothing is compiled would look compiled."""
    import torch._dynamo  # two seconds, which a run without exact arithmetic does not spend

    return torch._dynamo.disable(function)


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
