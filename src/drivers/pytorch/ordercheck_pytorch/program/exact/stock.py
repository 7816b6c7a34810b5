"""The stock kernels, reached without the dispatcher: an exact kernel that called its operator would call itself."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

_CPU = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
_calls: dict[str, Callable[..., Any]] = {}


def is_reachable() -> bool:
    """torch.library.get_kernel is there since torch 2.9."""
    return hasattr(torch.library, "get_kernel")


def take_stock(name: str) -> None:
    """Of "mm" or "mm.out". All are to be taken before any kernel is replaced."""
    if name not in _calls:
        _calls[name] = functools.partial(torch.library.get_kernel(f"aten::{name}", "CPU").call_boxed, _CPU)


def stock(name: str) -> Callable[..., Any]:
    return _calls[name]
