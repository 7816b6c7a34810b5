"""Every operator of the class stable rounds an element alike wherever it lies: at the end of a row, beside others or apart
from them."""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from bits import drawn, same
from cases import laid_out
from ordercheck_pytorch.program.exact.install import exact_kernels
from ordercheck_pytorch.program.exact.table import operators
from stable_calls import ELSEWHERE, M, N, P, Q, U, calls_of

TABLE = [operator for operator in operators() if operator.name not in ELSEWHERE]
STABLE = [operator.name for operator in TABLE if operator.kind in ("stable", "stable_real")]
STABLE_COMPLEX = [operator.name for operator in TABLE if operator.kind == "stable"]
SHAPES = ((5, 131),)
LAYOUTS = (
    ("plain",),
    ("transposed",),
    ("second",),
    ("offset",),
    ("plain", "transposed"),
    ("second", "plain"),
)


def operand(name: str, shape: tuple[int, int]) -> torch.Tensor:
    seed = ord(name)
    if name in (N, M):
        return torch.randint(1, 5, shape, generator=torch.Generator().manual_seed(seed))
    x = drawn(*shape, seed=seed) * (2 * drawn(*shape, seed=seed + 200)).exp()
    return x.abs() + 1e-3 if name in (P, Q) else x.tanh() if name == U else x


def pieces(width: int) -> list[tuple[slice, slice]]:
    every = slice(None)
    return [
        (every, every),
        (every, slice(3, width - 2)),
        (every, slice(5)),
        (every, slice(-3, None)),
        (slice(-1, None), every),
    ]


def called(
    operator: str,
    arguments: tuple[Any, ...],
    shape: tuple[int, int],
    piece: tuple[slice, slice],
    layouts: tuple[str, ...],
) -> list[torch.Tensor]:
    named = arguments[-1] if isinstance(arguments[-1], dict) else {}
    values, places = [], 0
    for one in arguments[: len(arguments) - bool(named)]:
        if isinstance(one, str):
            values.append(laid_out(operand(one, shape)[piece].clone(), layouts[places % len(layouts)]))
            places += 1
        else:
            values.append(one)
    result = getattr(torch.ops.aten, operator)(*values, **named)
    return [x for x in (result if isinstance(result, tuple) else (result,)) if x.numel()]


def places_that_differ(operator: str, arguments: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    differing = []
    for shape in SHAPES:
        whole = called(operator, arguments, shape, pieces(shape[1])[0], ("plain",))
        for piece in pieces(shape[1]):
            for layouts in LAYOUTS:
                results = called(operator, arguments, shape, piece, layouts)
                if not all(same(a, b[piece]) for a, b in zip(results, whole, strict=True)):
                    differing.append((shape, piece, layouts))
    return differing


UNSTABLE = ("sigmoid", "silu", "gelu", "softplus", "mish", "elu", "exp2")


@pytest.fixture(scope="module")
def unstable_stock_kernels() -> Iterator[set[str]]:
    """Found with the stock kernels in place; behind that the exact ones are, for all tests here: putting them in takes its
    time."""
    found = {name for name in UNSTABLE if places_that_differ(name, ("x",))}
    with exact_kernels(20):
        yield found


@pytest.mark.parametrize("operator", STABLE)
def test_an_element_is_rounded_alike_wherever_it_lies(
    operator: str, unstable_stock_kernels: set[str]
) -> None:
    calls = calls_of(operator)
    assert calls, f"{operator} is in the table: stable_calls.py has to say how it is called"
    for arguments in calls:
        assert not places_that_differ(operator, arguments), arguments


def test_unstable_ones_have_a_kernel(unstable_stock_kernels: set[str]) -> None:
    assert unstable_stock_kernels, "else the test above shows nothing"
    for name in UNSTABLE:
        assert not places_that_differ(name, ("x",)), name
    for name in ("atan2", "hypot", "logaddexp", "silu_backward", "gelu_backward", "mish_backward", "mul"):
        assert not places_that_differ(name, ("x", "y")), name
    for arguments in (("p", "y"), (1.7, "y"), ("p", "n"), ("p", 2.7), ("p", 0.5)):
        assert not places_that_differ("pow", arguments), arguments
    assert not places_that_differ("sqrt", ("p",))


@pytest.mark.parametrize("operator", STABLE_COMPLEX)
def test_so_is_a_complex_one_where_the_operator_takes_it(
    operator: str, unstable_stock_kernels: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = operand

    def complex_operand(name: str, shape: tuple[int, int]) -> torch.Tensor:
        x = real(name, shape)
        return torch.complex(x, real(chr(ord(name) + 1), shape)) if x.is_floating_point() else x

    monkeypatch.setattr(sys.modules[__name__], "operand", complex_operand)
    for arguments in calls_of(operator):
        with contextlib.suppress(RuntimeError):  # most take real numbers alone
            assert not places_that_differ(operator, arguments), arguments
