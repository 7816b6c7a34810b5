"""What an elementwise operator of the table computes of a piece is the piece of what it computes of the whole: at random
shapes, pieces, strides, offsets and layouts, for every operator of the classes stable and unstable."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from bits import same
from cases import laid_out
from ordercheck_pytorch.program.exact.install import exact_kernels
from ordercheck_pytorch.program.exact.table import operators
from stable_calls import ELSEWHERE, M, N, P, Q, U, X, Y, Z, calls_of

DRAWS, PIECES = 6, 3
LAYOUTS = ("plain", "transposed", "second", "offset", "permuted", "in place")
CLASSES = ("stable", "stable_real", "unstable", "optimizer")
UNSTABLE_CALLS: dict[str, tuple[tuple[Any, ...], ...]] = {
    **dict.fromkeys(("sigmoid", "silu", "mish", "exp2"), ((X,),)),
    **dict.fromkeys(("silu_backward", "mish_backward", "atan2", "hypot", "logaddexp", "mul"), ((X, Y),)),
    "sqrt": ((P,),),
    "gelu": ((X,), (X, {"approximate": "tanh"})),
    "gelu_backward": ((X, Y), (X, Y, {"approximate": "tanh"})),
    "elu": ((X,), (X, 0.7, 1.1, 0.9)),
    "elu_backward": ((X, 0.7, 1.1, 0.9, False, Y),),
    "softplus": ((X,), (X, 3, 2)),
    "softplus_backward": ((X, Y, 3, 2),),
    "smooth_l1_loss_backward": ((X, Y, Z, 2, 0.7),),
    "pow": ((P, Y), (1.7, Y), (P, N), (P, 2.7), (P, 0.5), (P, -1)),
    "pow_": ((P, Y), (P, 2.7)),
    # Of the class sum, but elementwise where a factor or a number is added.
    "add": ((X, Y), (X, Y, {"alpha": 0.3}), (X, 0.7), (X, 0.7, {"alpha": 0.3})),
    "add_": ((X, Y), (X, Y, {"alpha": 0.3}), (X, 0.7, {"alpha": 0.3})),
}
# A piece of a parameter is updated as the whole, in optimizers_test.py: it takes lists.
NOT_HERE = {"_fused_adamw_"} | ELSEWHERE
ELEMENTWISE = sorted({operator.name for operator in operators() if operator.kind in CLASSES} - NOT_HERE)


def calls(operator: str) -> tuple[tuple[Any, ...], ...]:
    return (
        UNSTABLE_CALLS.get(operator)
        or UNSTABLE_CALLS.get(operator.removesuffix("_"))
        or calls_of(operator)
        or ()
    )


def operand(name: str, shape: list[int]) -> torch.Tensor:
    generator = torch.Generator().manual_seed(ord(name))
    if name in (N, M):
        return torch.randint(1, 5, shape, generator=generator)
    x, spread = (torch.randn(shape, generator=generator, dtype=torch.float64) for _ in range(2))
    x = x * (2 * spread).exp()
    return x.abs() + 1e-3 if name in (P, Q) else x.tanh() if name == U else x


def shape_of(draw: random.Random) -> list[int]:
    return [draw.randrange(1, limit) for limit in draw.choice(((2000,), (90, 70), (20, 12, 30)))]


def piece_of(shape: list[int], draw: random.Random) -> tuple[slice, ...]:
    begins = [draw.randrange(size) for size in shape]
    return tuple(
        slice(begin, draw.randrange(begin, size) + 1, draw.choice((1, 1, 2, 3)))
        for begin, size in zip(begins, shape, strict=True)
    )


def called(operator: str, arguments: tuple[Any, ...], operands: list[torch.Tensor]) -> list[torch.Tensor]:
    named = arguments[-1] if isinstance(arguments[-1], dict) else {}
    rest = iter(operands)
    values = [
        next(rest) if isinstance(one, str) else one for one in arguments[: len(arguments) - bool(named)]
    ]
    result = getattr(torch.ops.aten, operator)(*values, **named)
    return [x for x in (result if isinstance(result, tuple) else (result,)) if x.numel()]


def laid_out_somehow(x: torch.Tensor, piece: tuple[slice, ...], draw: random.Random) -> torch.Tensor:
    layout = draw.choice(LAYOUTS)
    part = x.clone()[piece]  # of a copy: an in-place operator must not change the whole
    return part if layout == "in place" else laid_out(part, layout)


def piece_that_differs(operator: str, arguments: tuple[Any, ...], draw: random.Random) -> Any:
    shape = shape_of(draw)
    operands = [operand(one, shape) for one in arguments if isinstance(one, str)]
    whole = called(operator, arguments, [x.clone() for x in operands])
    for _ in range(PIECES):
        piece = piece_of(shape, draw)
        part = called(operator, arguments, [laid_out_somehow(x, piece, draw) for x in operands])
        if not all(same(a, b[piece]) for a, b in zip(part, whole, strict=True)):
            return shape, piece
    return None


def differing(operator: str) -> list[Any]:
    found = (
        (arguments, piece_that_differs(operator, arguments, random.Random(f"{operator}{arguments}{time}")))
        for arguments in calls(operator)
        for time in range(DRAWS)
    )
    return [one for one in found if one[1] is not None]


@pytest.fixture(scope="module")
def unstable_stock_kernels() -> Iterator[set[str]]:
    found = {operator for operator in UNSTABLE_CALLS if differing(operator)}
    with exact_kernels(20):
        yield found


def test_stock_kernels_of_the_class_unstable_are(unstable_stock_kernels: set[str]) -> None:
    """Else the test below shows nothing. Vectors of another processor may hide one or the other."""
    assert unstable_stock_kernels >= {"sigmoid", "silu", "gelu", "pow", "smooth_l1_loss_backward", "add"}


@pytest.mark.parametrize("operator", [*ELEMENTWISE, "add", "add_"])
def test_a_piece_is_the_piece_of_the_whole(operator: str, unstable_stock_kernels: set[str]) -> None:
    assert calls(operator), (
        f"{operator} is in the table: this file or stable_calls.py has to say how it is called"
    )
    assert differing(operator) == []
