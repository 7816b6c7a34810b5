"""Linear and norm as ordinary modules, which plans, wrappers and compilers take for what they are."""

from __future__ import annotations

import torch
from torch import nn

from .arithmetic import Numerics


class Linear(nn.Linear):
    def __init__(self, numerics: Numerics, inputs: int, outputs: int) -> None:
        super().__init__(inputs, outputs, bias=False, dtype=numerics.dtype)
        self.numerics = numerics

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return self.numerics.linear(input, self.weight)


class RMSNorm(nn.RMSNorm):
    """x / sqrt(mean(x^2) + eps) * weight over the last dim."""

    def __init__(self, numerics: Numerics, dim: int, eps: float) -> None:
        super().__init__(dim, eps=eps, dtype=numerics.dtype)
        self.numerics = numerics

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.numerics.exact:
            return super().forward(x)
        x = self.numerics.fan_out(x)
        mean = self.numerics.sum_last(x * x) / x.shape[-1]
        normed = x * self.numerics.spread(torch.rsqrt(mean + (self.eps or 0.0)), x)
        return normed * self.numerics.spread(self.weight, normed)
