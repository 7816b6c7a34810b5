"""Sums, means and additions against rational arithmetic, and added up in another order."""

import itertools
import math

import rational
import torch
from bits import drawn, same
from ordercheck_pytorch.program.exact.install import exact_kernels


def test_a_sum_is_that_of_rational_numbers() -> None:
    x = drawn(5, 200)
    expected = rational.row_sums(x, 40)
    with exact_kernels(20):
        assert same(x.sum(1, keepdim=True), expected)
        assert same(x.t().contiguous().t().sum(1), expected[:, 0])
        assert same(x.sum(), torch.tensor(rational.total(x.flatten().tolist(), 40), dtype=torch.float64))
        assert same(x.mean(1), expected[:, 0] / 200)
        assert same(x.sum([0, 1]), x.sum())
    assert not same(x.sum(1, keepdim=True), expected), "else this test shows nothing"


def test_halves_of_the_grid_are_rounded_to_even() -> None:
    halves = torch.tensor([[1.0], [3.0], [-1.0], [-3.0], [5.0]], dtype=torch.float64) * 2.0**-41
    with exact_kernels(20):
        assert same(halves.sum(1), torch.tensor([0.0, 2.0, 0.0, -2.0, 2.0], dtype=torch.float64) * 2.0**-40)


def test_running_sums() -> None:
    x = drawn(3, 40)
    expected = torch.cat([rational.row_sums(x[:, : n + 1], 40) for n in range(40)], 1)
    with exact_kernels(20):
        assert same(x.cumsum(1), expected)
        assert same(x.t().cumsum(0), expected.t())
    assert not same(x.cumsum(1), expected), "else this test shows nothing"


def test_variance() -> None:
    x = drawn(4, 50)
    centered = x - rational.row_sums(x, 40) / 50
    expected = (rational.row_sums(centered * centered, 40) / 49)[:, 0]
    with exact_kernels(20):
        assert same(x.var(1), expected)
        assert same(x.var(1, correction=0), (rational.row_sums(centered * centered, 40) / 50)[:, 0])
    assert not same(x.var(1), expected), "else this test shows nothing"


def test_a_sum_of_two_is_on_its_grid() -> None:
    a, b = drawn(64, scale=2.0**-3), drawn(64, seed=2, scale=2.0**-20)
    pairs = zip(a.tolist(), b.tolist(), strict=True)
    expected = torch.tensor(
        [float(rational.rounded(x, 44) + rational.rounded(y, 44)) for x, y in pairs], dtype=torch.float64
    )
    with exact_kernels(20):
        assert same(a + b, expected)
        assert same(a.clone().add_(b), expected)
        assert same(torch.add(a, b, out=torch.empty(64, dtype=torch.float64)), expected)
        assert same(a + b.view(8, 8).t().contiguous().t().reshape(-1), expected)
        assert same(a + 0.1, a.sub(-0.1)), "a number is added as it is"
        total = rational.rounded(a[0].item(), 48) + rational.rounded(b[0].item(), 48)
        assert same(a[0] + b[0], torch.tensor(float(total), dtype=torch.float64)), "two totals"
    assert not same(a + b, expected), "else this test shows nothing"


def test_additions_are_associative() -> None:
    terms = [drawn(50, seed=seed, scale=8.0) for seed in range(4)]
    stock, exact = set(), set()
    for order in itertools.permutations(terms):
        stock.add(tuple((((order[0] + order[1]) + order[2]) + order[3]).tolist()))
        with exact_kernels(20):
            exact.add(tuple((((order[0] + order[1]) + order[2]) + order[3]).tolist()))
            exact.add(tuple(((order[0] + order[1]) + (order[2] + order[3])).tolist()))
    assert len(exact) == 1
    assert len(stock) > 1, "else this test shows nothing"


def test_parts_of_a_sum_add_up_in_any_order() -> None:
    x = drawn(997)
    whole = torch.zeros((), dtype=torch.float64)
    with exact_kernels(20):
        sums = [x[at : at + 83].sum() for at in range(0, 997, 83)]
        for part in reversed(sums):
            whole = whole + part
        assert same(whole, x.sum())
    assert same(torch.stack(sums).sum(), x.sum().new_tensor(math.fsum(p.item() for p in sums)))
    stock = sum(x[at : at + 83].sum() for at in reversed(range(0, 997, 83)))
    assert not same(stock, x.sum()), "else this test shows nothing"


def test_whole_numbers_and_what_is_not_finite_pass() -> None:
    with exact_kernels(20):
        assert torch.arange(5).sum().item() == 10
        assert same(torch.arange(5).sum(dtype=torch.float64), torch.tensor(10.0, dtype=torch.float64))
        assert torch.tensor([1.0, math.inf], dtype=torch.float64).sum().item() == math.inf
        assert math.isnan(torch.tensor([1.0, math.nan], dtype=torch.float64).sum().item())
        assert torch.zeros(0, 3, dtype=torch.float64).sum(0).tolist() == [0, 0, 0]
