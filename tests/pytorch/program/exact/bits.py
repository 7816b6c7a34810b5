"""Comparisons of bits: -0.0 is not 0.0, and a NaN equals a NaN."""

from __future__ import annotations

import torch


def bits_of(x: torch.Tensor) -> torch.Tensor:
    x = torch.view_as_real(x.resolve_conj()) if x.is_complex() else x
    if not x.is_floating_point():
        return x.contiguous()
    return x.to(torch.float64).contiguous().view(torch.int64).masked_fill(x.isnan(), -1)


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape and bool((bits_of(a.detach()) == bits_of(b.detach())).all())


def drawn(*shape: int, seed: int = 1, scale: float = 1.0) -> torch.Tensor:
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)) * scale
