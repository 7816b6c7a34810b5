"""Norms of vectors and layer norm against rational arithmetic; norms of norms."""

import math

import rational
import torch
from bits import drawn, same
from ordercheck_pytorch.program.exact.install import exact_kernels
from ordercheck_pytorch.program.exact.vector_norms import SLACK


def squares(x: torch.Tensor, bits: int = 40) -> torch.Tensor:
    return rational.row_sums(x * x, bits)[:, 0]


def test_a_norm_is_the_root_of_a_rational_sum() -> None:
    x = drawn(5, 150)
    expected = rational.roots(squares(x))
    with exact_kernels(20):
        assert same(torch.linalg.vector_norm(x, dim=1), expected)
        assert same(x.norm(dim=1), expected)
        assert same(torch.linalg.vector_norm(x, 1, dim=1), rational.row_sums(x.abs(), 40)[:, 0])
        assert same(torch.linalg.vector_norm(x, math.inf, dim=1), x.abs().amax(1))
        lists = torch._foreach_norm([x[0], x[1]])
    assert same(torch.stack(lists), rational.roots(squares(x[:2], 40 - SLACK)))
    assert not same(torch.linalg.vector_norm(x, dim=1), expected), "else this test shows nothing"


def test_norms_of_parts_put_together_are_the_norm() -> None:
    """As clipping does over parameters, DTensor over ranks, and a pipeline over stages."""
    x = drawn(1000, scale=0.1)
    wrong = 0
    for cut in range(37, 1000, 37):
        with exact_kernels(20):
            whole = torch.linalg.vector_norm(x)
            parts = [torch.linalg.vector_norm(part) for part in (x[:cut], x[cut:])]
            assert same(torch.linalg.vector_norm(torch.stack(parts)), whole)
            squared = torch.stack([part**2 for part in parts])
            reduced = torch.tensor(math.fsum(squared.tolist()), dtype=torch.float64)  # as an all-reduce adds
            assert same(reduced**0.5, whole)
        parts = [torch.linalg.vector_norm(part) for part in (x[:cut], x[cut:])]
        wrong += not same(torch.linalg.vector_norm(torch.stack(parts)), torch.linalg.vector_norm(x))
    assert wrong, "else this test shows nothing"


def test_roots_are_correctly_rounded() -> None:
    x = drawn(5000).abs()
    with exact_kernels(20):
        assert same(x.sqrt(), rational.roots(x))
        assert same(x**0.5, rational.roots(x))
        assert same(x.clone().sqrt_(), rational.roots(x))
        special = torch.tensor([0.0, -0.0, -1.0, math.inf, math.nan, 5e-324], dtype=torch.float64)
        assert same(
            special.sqrt(),
            torch.tensor([0.0, -0.0, math.nan, math.inf, math.nan, math.sqrt(5e-324)], dtype=torch.float64),
        )


def test_layer_norm() -> None:
    x, weight, bias, eps = drawn(6, 33), drawn(33, seed=2), drawn(33, seed=3), 1e-5
    centered = x - rational.row_sums(x, 40) / 33
    rstd = (rational.row_sums(centered * centered, 40) / 33 + eps).rsqrt()
    plain = centered * rstd
    with exact_kernels(20):
        assert same(torch.nn.functional.layer_norm(x, (33,), eps=eps), plain)
        assert same(torch.nn.functional.layer_norm(x, (33,), weight, bias, eps), plain * weight + bias)
    assert not same(torch.nn.functional.layer_norm(x, (33,), eps=eps), plain), "else this test shows nothing"


def test_layer_norms_gradients() -> None:
    x, weight, g = drawn(6, 33), drawn(33, seed=2), drawn(6, 33, seed=4)
    mean, rstd = drawn(6, 1, seed=5), drawn(6, 1, seed=6).abs()
    normed, to_normed = (x - mean) * rstd, g * weight
    shift, slope = rational.row_sums(to_normed, 40) / 33, rational.row_sums(to_normed * normed, 40) / 33
    expected = (to_normed - shift - normed * slope) * rstd
    with exact_kernels(20):
        to_x, to_weight, to_bias = torch.ops.aten.native_layer_norm_backward(
            g, x, [33], mean, rstd, weight, weight, [True, True, True]
        )
    assert same(to_x, expected)
    assert same(to_weight, rational.row_sums((g * normed).t(), 40)[:, 0])
    assert same(to_bias, rational.row_sums(g.t(), 40)[:, 0])
    assert not same(g.sum(0), to_bias), "else this test shows nothing"
