"""Sums that scatter, against rational arithmetic and in another order of what is scattered."""

from collections.abc import Callable

import pytest
import rational
import torch
from bits import drawn, same
from ordercheck_pytorch.program.exact.install import exact_kernels

ROWS, COUNT, WIDTH = 6, 150, 3
INDEX = torch.randint(ROWS, (COUNT,), generator=torch.Generator().manual_seed(5))
SOURCE = drawn(COUNT, WIDTH)

Scatter = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
ZEROS = torch.zeros(ROWS, WIDTH, dtype=torch.float64)
SCATTERS: dict[str, Scatter] = {
    "embedding": lambda i, s: torch.ops.aten.embedding_dense_backward(s, i, ROWS, -1, False),
    "index_put": lambda i, s: ZEROS.clone().index_put_((i,), s, accumulate=True),
    "index_add": lambda i, s: ZEROS.index_add(0, i, s),
    "index_add_": lambda i, s: ZEROS.clone().index_add_(0, i, s),
    "scatter_add": lambda i, s: ZEROS.scatter_add(0, i.unsqueeze(1).expand_as(s), s),
    "scatter_add_": lambda i, s: ZEROS.clone().scatter_add_(0, i.unsqueeze(1).expand_as(s), s),
}


@pytest.mark.parametrize("name", SCATTERS)
@pytest.mark.parametrize("grid", [18, 20])
def test_what_is_scattered_is_a_rational_sum(name: str, grid: int) -> None:
    call = SCATTERS[name]
    columns = [[SOURCE[row == INDEX, column].tolist() for column in range(WIDTH)] for row in range(ROWS)]
    expected = torch.tensor(
        [[rational.total(c, 2 * grid) for c in row] for row in columns], dtype=torch.float64
    )
    order = torch.randperm(COUNT, generator=torch.Generator().manual_seed(7))
    with exact_kernels(grid):
        assert same(call(INDEX, SOURCE), expected)
        assert same(call(INDEX[order], SOURCE[order]), expected)
        assert same(call(INDEX[70:], SOURCE[70:]) + call(INDEX[:70], SOURCE[:70]), expected)
    assert not same(call(INDEX[order], SOURCE[order]), call(INDEX, SOURCE)), "else this test shows nothing"


@pytest.mark.parametrize("name", ["index_put", "index_add", "scatter_add"])
def test_what_they_add_to_is_added_last(name: str) -> None:
    base = drawn(ROWS, WIDTH, seed=9)
    wide = INDEX.unsqueeze(1).expand_as(SOURCE)
    with exact_kernels(20):
        expected = base + SCATTERS[name](INDEX, SOURCE)
        results = {
            "index_put": base.clone().index_put_((INDEX,), SOURCE, accumulate=True),
            "index_add": base.index_add(0, INDEX, SOURCE),
            "scatter_add": base.scatter_add(0, wide, SOURCE),
        }
    assert same(results[name], expected)


def test_what_comes_out_of_a_contraction_passes_unchanged() -> None:
    with exact_kernels(20):
        product = drawn(COUNT, 40) @ drawn(40, WIDTH, seed=2)
        order = torch.randperm(COUNT, generator=torch.Generator().manual_seed(7))
        assert same(torch.ops.aten.embedding_dense_backward(product, order, COUNT, -1, False)[order], product)
