"""How a kernel is declared, and what one does with what it has no exact path for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .stock import stock

Kernel = Callable[..., Any]

KERNELS: dict[str, Kernel] = {}  # "mm", "mm.out"
GPU_KERNELS: dict[str, Kernel] = {}  # at the key of GPUs alone: on a CPU the operator is made of others
MEAN, SUM = 1, 2  # at::Reduction
ALSO_STOCK: set[str] = set()  # stock kernels that others are composed of


class Unsupported(Exception):
    """The case cannot be run as it was asked for."""


def kernel(*names: str) -> Callable[[Kernel], Kernel]:
    def declare(function: Kernel) -> Kernel:
        for name in names:
            KERNELS[name] = function
        return function

    return declare


def kernel_of_gpus(name: str) -> Callable[[Kernel], Kernel]:
    def declare(function: Kernel) -> Kernel:
        GPU_KERNELS[name] = function
        return function

    return declare


def is_exact(x: torch.Tensor) -> bool:
    return x.dtype is torch.float64


def stock_path(name: str, *args: Any, why: str = "", **kwargs: Any) -> Any:
    """The stock kernel, for whole numbers. A float that gets here is refused: nobody vouches for what its sum rounds."""
    for x in args:
        if isinstance(x, torch.Tensor) and (x.is_floating_point() or x.is_complex()):
            raise Unsupported(
                f"aten::{name.partition('.')[0]} {why or of_dtype(x.dtype)} has no exact kernel{cure_of(x.dtype)}"
            )
    return stock(name)(*args, **kwargs)


def as_tensor(x: Any, beside: Any) -> torch.Tensor:
    """A number (x * 0.5) reaches a kernel in Python as such, and the stock kernel takes tensors. It keeps a number's weak
    dtype."""
    if isinstance(x, torch.Tensor):
        return x
    if isinstance(beside, torch.Tensor) and beside.dtype is torch.float64 and not isinstance(x, complex):
        return number(x)
    return torch.scalar_tensor(x, dtype=torch.result_type(x, beside))


def number(x: float) -> torch.Tensor:
    """As the stock kernels take one."""
    return torch.scalar_tensor(x, dtype=torch.float64)


def of_dtype(dtype: torch.dtype) -> str:
    return "of " + str(dtype).removeprefix("torch.")


def cure_of(dtype: torch.dtype) -> str:
    return "; --widen PACKAGE gives float64 to code that asks for float32" if dtype is torch.float32 else ""


def room_for(*operands: torch.Tensor) -> torch.Tensor:
    """Memory for an elementwise result. It lies as the stock kernels lay theirs, which the operands' strides decide."""
    return operands[0].neg() if len(operands) == 1 else torch.maximum(*operands)


def into(out: torch.Tensor, result: torch.Tensor) -> torch.Tensor:
    """What an out= variant does with its result."""
    if out.shape != result.shape:
        out.resize_(result.shape)
    return out.copy_(result)


def with_variants(
    name: str, function: Kernel, out: str = "out", argument: str = "", in_place: bool = False
) -> None:
    """The functional kernel, the overload `out` that takes the result's place as `argument`, and name_."""
    KERNELS[name] = function

    def to_out(*args: Any, **kwargs: Any) -> torch.Tensor:
        target = kwargs.pop(argument or out)
        return into(target, function(*args, **kwargs))

    KERNELS[f"{name}.{out}"] = to_out
    if in_place:

        def on_self(x: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
            return x.copy_(function(x, *args, **kwargs))

        KERNELS[f"{name}_"] = on_self
