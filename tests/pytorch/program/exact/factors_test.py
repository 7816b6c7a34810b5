"""With coarse factors, the gradient of a function of a parameter is one of parts that add up exactly."""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from bits import drawn, same
from ordercheck_pytorch.process_state import CASE_STATE
from ordercheck_pytorch.program.exact.install import exact_kernels

FUNCTIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "exp": torch.exp,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "softplus": F.softplus,
    "silu": F.silu,
    "gelu": F.gelu,
    "a third": lambda x: x / 3,
    "a number": lambda x: x * 0.3,
    "square": lambda x: x**2,
}


def gradients(
    function: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor, coarse: bool
) -> list[torch.Tensor]:
    """Of all rows at once, and of each half."""
    found = []
    with exact_kernels(20, "cpu", coarse):
        CASE_STATE.parameter_shapes = {(12,)} if coarse else set()
        for rows in (x, x[:5], x[5:]):
            parameter = torch.linspace(-2, 2, 12, dtype=torch.float64).requires_grad_()
            (function(parameter) * rows).sum().backward()
            assert parameter.grad is not None
            found.append(parameter.grad)
    CASE_STATE.parameter_shapes = set()
    return found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parts_add_up(name: str) -> None:
    whole, *halves = gradients(FUNCTIONS[name], drawn(9, 12), coarse=True)
    assert same(whole, halves[0] + halves[1])
    assert whole.count_nonzero() == 12


def test_parts_of_products_that_round_do_not() -> None:
    apart = [
        name
        for name, function in FUNCTIONS.items()
        for whole, first, second in [gradients(function, drawn(9, 12), coarse=False)]
        if not same(whole, first + second)
    ]
    assert {"exp", "sigmoid", "softplus"} <= set(apart)
