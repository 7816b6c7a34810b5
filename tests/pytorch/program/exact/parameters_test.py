"""After every step of an optimizer its parameters lie on their grid; outside of exact arithmetic nothing changes them."""

from __future__ import annotations

import torch
from ordercheck_pytorch.program.exact.grid import rounded
from ordercheck_pytorch.program.exact.install import exact_kernels
from ordercheck_pytorch.program.exact.parameters import put_on_grid
from torch import nn


def stepped() -> tuple[nn.Parameter, nn.Parameter]:
    """One that an optimizer steps, and one that it has not."""
    generator = torch.Generator().manual_seed(5)
    trained, frozen = (nn.Parameter(torch.rand(40, dtype=torch.float64, generator=generator)) for _ in "ab")
    trained.grad = torch.rand(40, dtype=torch.float64, generator=generator)
    torch.optim.SGD([trained], lr=0.3, foreach=False).step()
    return trained, frozen


def test_a_step_ends_on_the_grid() -> None:
    alone, untouched = stepped()
    with exact_kernels(20):
        trained, frozen = stepped()
    assert torch.equal(trained, rounded(alone.detach(), 40))
    assert not torch.equal(trained, alone), "else this test shows nothing"
    assert torch.equal(frozen, untouched)
    assert torch.equal(stepped()[0], alone), "stock again"


def test_a_part_of_a_bias_is_exact() -> None:
    bias = torch.rand(40, dtype=torch.float64, generator=torch.Generator().manual_seed(7))
    put_on_grid([bias], 20)
    for degree in (2, 4, 8, 16):
        assert torch.equal(rounded(bias / degree, 44) * degree, bias)


def test_other_dtypes_are_left_alone() -> None:
    single, counts = torch.rand(3), torch.arange(3)
    before = single.clone()
    put_on_grid([single, counts], 20)
    assert torch.equal(single, before)
