"""The operators in which numbers are summed, in three arithmetics. Everything else a model does is elementwise.

exact   float64; both operands of every contraction are multiples of 2^-grid and the terms of every other sum of
        2^-SUM_BITS, so that no sum ever rounds: order, tiling, kernel, library, degree and microbatches cannot change a bit,
        with stock kernels and stock collectives. rounded(x, p) = (x + C) - C with C = 1.5 * 2^(52-p), after Demmel and
        Nguyen (Fast Reproducible Floating-Point Summation), applied to operands as well. Weights of linears live on the grid:
        the trainer puts them there, so that a linear saves its parameter itself for backward, as the stock one does.
plain   float64, the same operators without the grid
float32  the stock operators: judged by distance from float64 on one rank

The contractions are the stock operators, and what is put around them is elementwise: a plan, a wrapper, a policy or a
compiler meets the same graph as with a plain model, a few elementwise operators longer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F

SUM_BITS = 36  # terms of sums other than contractions
NORM_BITS = 40  # squares of a total norm, which are small


def rounded(x: torch.Tensor, bits: int) -> torch.Tensor:
    """To the nearest multiple of 2^-bits, while |x| < 2^(51-bits). A gradient goes through as it is: both steps are sums with
    a constant."""
    c = 1.5 * 2.0 ** (52 - bits)
    return (x + c) - c


class _SnapGradient(torch.autograd.Function):
    """x itself; its gradient is rounded. Computes nothing forward and saves nothing: a compiler that does not look into
    functions of users when it decides what to recompute has nothing to miss here."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, bits: int) -> torch.Tensor:
        ctx.bits = bits
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        return rounded(gradient, ctx.bits), None


def gradient_snapped(x: torch.Tensor, bits: int) -> torch.Tensor:
    return _SnapGradient.apply(x, bits)


# A call in Dynamo's graph, which AOTAutograd looks into: for Dynamo to trace the function itself takes far longer.
torch.compiler.allow_in_graph(gradient_snapped)


@dataclass(frozen=True)
class Numerics:
    arithmetic: str = "exact"
    grid: int = 20

    @property
    def exact(self) -> bool:
        return self.arithmetic == "exact"

    @property
    def dtype(self) -> torch.dtype:
        return torch.float32 if self.arithmetic == "float32" else torch.float64

    def linear(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        """x [..., K] times the transpose of weight [N, K], which is on the grid."""
        if not self.exact:
            return F.linear(x, weight)
        return gradient_snapped(F.linear(rounded(x, self.grid), weight), self.grid)

    def matmul(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        """a [n, M, K] times b [n, K, N]."""
        if not self.exact:
            return torch.bmm(a, b)
        return gradient_snapped(torch.bmm(rounded(a, self.grid), rounded(b, self.grid)), self.grid)

    def sum_last(self, terms: torch.Tensor) -> torch.Tensor:
        """Over the last dim, kept as 1."""
        return (rounded(terms, SUM_BITS) if self.exact else terms).sum(-1, keepdim=True)

    def spread(self, x: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
        """Broadcasts along the last dim ([..., 1]) or along all others ([dim]): the terms of its gradient's sum are rounded."""
        if not self.exact:
            return x
        # Zeros are laid out as `like` is, where a view of a [dim] would be whole on every rank.
        wide = x.expand_as(like) if x.ndim == like.ndim else x + torch.zeros_like(like)
        return gradient_snapped(wide, SUM_BITS)

    def fan_out(self, x: torch.Tensor) -> torch.Tensor:
        """For an activation with several users whose gradients are not on the grid yet."""
        return gradient_snapped(x, SUM_BITS) if self.exact else x

    def softmax(self, scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Over the last dim, of scores + mask; the weight is 0 where the mask is -inf. The maximum is taken first: a running
        one would depend on how the row is cut."""
        masked = scores + mask
        if not self.exact:
            return torch.softmax(masked, dim=-1)
        exponentials = torch.exp(masked - masked.detach().amax(-1, keepdim=True))
        return exponentials / self.spread(self.sum_last(exponentials), exponentials)

    def sum_of_squares(self, x: torch.Tensor) -> torch.Tensor:
        squares = x * x
        return (rounded(squares, NORM_BITS) if self.exact else squares).sum()
