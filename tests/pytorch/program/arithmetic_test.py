"""Rounding to a grid is exact, and sums over a grid do not depend on their order."""

import torch
from ordercheck_pytorch.program.arithmetic import Numerics, gradient_snapped, rounded


def random(*shape: int, seed: int = 1) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def bits_of(x: torch.Tensor) -> torch.Tensor:
    return x.contiguous().view(torch.int64)


def test_rounded_is_the_nearest_multiple() -> None:
    x = random(10000)
    scaled = rounded(x, 20) * 2.0**20
    assert torch.equal(scaled, scaled.round())
    assert float((rounded(x, 20) - x).abs().max()) <= 2.0**-21


def test_rounded_hands_its_gradient_through() -> None:
    x, gradient = random(50).requires_grad_(), random(50, seed=2)
    rounded(x, 20).backward(gradient)
    assert x.grad is not None
    assert torch.equal(x.grad, gradient)


def test_gradient_snapped_rounds_the_gradient_alone() -> None:
    x, gradient = random(50).requires_grad_(), random(50, seed=2)
    y = gradient_snapped(x, 20)
    assert torch.equal(y, x)
    y.backward(gradient)
    assert x.grad is not None
    assert torch.equal(x.grad, rounded(gradient, 20))
    assert not torch.equal(x.grad, gradient)


def products(numerics: Numerics) -> tuple[torch.Tensor, torch.Tensor]:
    """One product as it is, and put together from parts of what it sums."""
    a, b = random(3, 8, 96), random(3, 96, 8, seed=2)
    parts = [numerics.matmul(a[:, :, at : at + 7], b[:, at : at + 7]) for at in range(0, 96, 7)]
    return numerics.matmul(a, b), torch.stack(parts).flip(0).sum(0)


def test_exact_products_do_not_depend_on_how_they_are_cut() -> None:
    whole, from_parts = products(Numerics("exact"))
    assert torch.equal(whole, from_parts)
    plain, plain_from_parts = products(Numerics("plain"))
    assert not torch.equal(plain, plain_from_parts), "else this test shows nothing"


def test_softmax_is_one() -> None:
    scores = random(2, 4, 4)
    later = torch.full((4, 4), -torch.inf, dtype=torch.float64).triu(1)
    exact, stock = Numerics("exact").softmax(scores, later), Numerics("plain").softmax(scores, later)
    assert torch.equal(exact[:, 0], torch.tensor([[1.0, 0, 0, 0]] * 2, dtype=torch.float64))
    torch.testing.assert_close(exact, stock, rtol=0, atol=1e-10)
