"""Softmax, its logarithm and their gradients against rational sums; rows and hidden elements."""

import math

import rational
import torch
from bits import drawn, same
from ordercheck_pytorch.program.exact.install import exact_kernels


def parts_of(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    shifted = x - x.amax(1, keepdim=True)
    return shifted, shifted.exp(), rational.row_sums(shifted.exp(), 40)


def test_softmax() -> None:
    x = drawn(7, 45)
    shifted, e, total = parts_of(x)
    with exact_kernels(20):
        assert same(x.softmax(1), e / total)
        assert same(x.log_softmax(1), shifted - total.log())
        assert same(x.t().contiguous().softmax(0), (e / total).t())
        assert same(torch.cat([x[at : at + 2].softmax(1) for at in range(0, 7, 2)]), x.softmax(1))
    assert not same(x.log_softmax(1), shifted - total.log()), "else this test shows nothing"


def test_hidden_elements() -> None:
    x = drawn(4, 4).masked_fill(torch.ones(4, 4).triu(1) > 0, -math.inf)
    with exact_kernels(20):
        assert x.softmax(1)[0].tolist() == [1, 0, 0, 0]
        assert torch.full((2, 3), -math.inf, dtype=torch.float64).softmax(1).isnan().all()


def test_softmaxs_gradient() -> None:
    g, y = drawn(6, 31), drawn(6, 31, seed=2).softmax(1)
    expected = g * y - y * rational.row_sums(g * y, 40)
    with exact_kernels(20):
        assert same(torch._softmax_backward_data(g, y, 1, torch.float64), expected)
    assert not same(torch._softmax_backward_data(g, y, 1, torch.float64), expected), (
        "else this test shows nothing"
    )


def test_log_softmaxs_gradient_row_by_row() -> None:
    g, y = drawn(6, 31), drawn(6, 31, seed=2).log_softmax(1)
    g[2:4] = 0
    g[3, 5] = 0.3
    several = g - y.exp() * rational.row_sums(g, 40)
    expected = several.clone()
    expected[2] = (0.0 - y[2].exp()) * 0.0
    one_hot = torch.zeros(31, dtype=torch.float64)
    one_hot[5] = 1
    expected[3] = (one_hot - y[3].exp()) * 0.3
    with exact_kernels(20):
        whole = torch._log_softmax_backward_data(g, y, 1, torch.float64)
        rows = [
            torch._log_softmax_backward_data(g[at : at + 1], y[at : at + 1], 1, torch.float64)
            for at in range(6)
        ]
    assert same(whole, expected)
    assert same(torch.cat(rows), whole)
    assert not same(torch._log_softmax_backward_data(g, y, 1, torch.float64), expected), (
        "else this test shows nothing"
    )
