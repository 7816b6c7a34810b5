"""Products of matrices against rational arithmetic, and cut into parts."""

import pytest
import rational
import torch
from bits import drawn, same
from ordercheck_pytorch.program.exact.install import exact_kernels


@pytest.mark.parametrize("grid", [18, 20])
@pytest.mark.parametrize("shape", [(3, 33, 4), (1, 7, 5), (6, 1, 2), (2, 100, 1)])
def test_a_product_is_that_of_rational_numbers(shape: tuple[int, int, int], grid: int) -> None:
    m, k, n = shape
    a, b = drawn(m, k), drawn(k, n, seed=2)
    expected = rational.product(a, b, grid)
    with exact_kernels(grid):
        assert same(a @ b, expected)
        assert same(torch.bmm(a.expand(2, m, k), b.expand(2, k, n))[1], expected)
        assert same(torch.dot(a[0], b[:, 0]), expected[0, 0])
        assert same(torch.vdot(a[0], b[:, 0]), expected[0, 0])
        assert same(torch.mv(a, b[:, 0]), expected[:, 0])
        assert same(a.t().contiguous().t() @ b.t().contiguous().t(), expected)
    assert not same(a @ b, expected), "else this test shows nothing"


def test_halves_of_the_grid_are_rounded_to_even() -> None:
    halves = torch.tensor([[1.0, 3.0, -1.0, -3.0, 5.0]], dtype=torch.float64) * 2.0**-21
    one = torch.eye(5, dtype=torch.float64)
    with exact_kernels(20):
        assert same(halves @ one, torch.tensor([[0.0, 2.0, 0.0, -2.0, 2.0]], dtype=torch.float64) * 2.0**-20)


def test_bias_and_scale_are_one_rounding_each() -> None:
    a, b, bias = drawn(3, 17), drawn(17, 4, seed=2), drawn(3, 4, seed=3)
    scaled = rational.product(a, b, 20) * 1.7
    expected = torch.tensor(
        [
            [float(rational.rounded(x, 44) + rational.rounded(y, 44)) for x, y in zip(*rows, strict=True)]
            for rows in zip(scaled.tolist(), (bias * 0.3).tolist(), strict=True)
        ],
        dtype=torch.float64,
    )
    with exact_kernels(20):
        assert same(torch.addmm(bias, a, b, beta=0.3, alpha=1.7), expected)
        assert same(torch.baddbmm(bias[None], a[None], b[None], beta=0.3, alpha=1.7)[0], expected)
        assert same(bias.clone().addmm_(a, b, beta=0.3, alpha=1.7), expected)
        assert same(torch.addmv(bias[:, 1], a, b[:, 1], beta=0.3, alpha=1.7), expected[:, 1])
    assert not same(torch.addmm(bias, a, b, beta=0.3, alpha=1.7), expected), "else this test shows nothing"


def test_a_product_does_not_depend_on_how_it_is_cut() -> None:
    """Its parts are multiples of 2^-40, which a sum would round to the grid of sums: they are added exactly here."""
    a, b = drawn(8, 96), drawn(96, 8, seed=2)
    with exact_kernels(20):
        whole = a @ b
        parts = [a[:, at : at + 7] @ b[at : at + 7] for at in range(0, 96, 7)]
        rows = torch.cat([a[at : at + 3] @ b for at in range(0, 8, 3)])
        columns = torch.cat([a @ b[:, at : at + 3] for at in range(0, 8, 3)], 1)
        gradients_that_meet = parts[3]
        for part in [*parts[:3], *parts[:3:-1]]:
            gradients_that_meet = gradients_that_meet + part
    assert same(rows, whole)
    assert same(columns, whole)
    assert same(gradients_that_meet, whole)
    assert same(torch.stack(parts).flip(0).sum(0), whole)  # by the stock kernel: nothing rounds
    in_parts = torch.stack([a[:, at : at + 7] @ b[at : at + 7] for at in range(0, 96, 7)]).flip(0).sum(0)
    assert not same(in_parts, a @ b), "else this test shows nothing"
