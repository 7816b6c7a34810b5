"""Refuses to leave float64: what casts to another float, as autocast, a MixedPrecisionPolicy and the compression of gradients
do, computes numbers that are up to the layout. A cast ends in one of these operators."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch

from ...torch_compat import autocast_dtype
from .kernels import Unsupported
from .stock import stock

CASTING = ("copy_", "cat.out")


def refusing_to_cast(name: str) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if "out" in kwargs:
            target, sources = kwargs["out"], args[0]
        else:
            # A number (mask[0] = 1) reaches a kernel in Python as such, and the stock kernel takes tensors.
            args = (
                tuple(x if isinstance(x, torch.Tensor) else number_like(x, args[0]) for x in args[:2])
                + args[2:]
            )
            target, sources = args[0], args[1:2]
        check_stays_float64(f"aten::{name.partition('.')[0]}", target, sources)
        return stock(name)(*args, **kwargs)

    return call


def number_like(value: Any, target: torch.Tensor) -> torch.Tensor:
    return torch.scalar_tensor(value, dtype=target.dtype)


def check_stays_float64(name: str, target: torch.Tensor, sources: Any) -> None:
    if target.dtype is torch.float64 or not target.is_floating_point():
        return
    if any(source.dtype is torch.float64 for source in sources):
        raise Unsupported(
            f"{name} casts float64 to {str(target.dtype).removeprefix('torch.')}, and exact arithmetic is float64"
            f"{cure_of_cast(target.dtype)}"
        )


@contextlib.contextmanager
def refusing_autocast() -> Iterator[None]:
    """It leaves float64 as it is, so that no operator would tell of it."""
    autocast: Any = torch.autocast
    entered = autocast.__enter__

    def enter(self: Any) -> Any:
        if (to := autocast_dtype(self)) is not None:
            dtype = str(to).removeprefix("torch.")
            raise Unsupported(
                f"aten::autocast to {dtype} has no effect on float64, and exact arithmetic is float64"
                f"{cure_of_cast(torch.bfloat16)}"
            )
        return entered(self)

    autocast.__enter__ = enter
    try:
        yield
    finally:
        autocast.__enter__ = entered


def cure_of_cast(dtype: torch.dtype) -> str:
    widen = (
        "--widen PACKAGE gives float64 to code that asks for float32, and " if dtype is torch.float32 else ""
    )
    return f"; {widen}--arithmetic float32 runs it as it is"
