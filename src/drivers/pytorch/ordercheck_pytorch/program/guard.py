"""The range guard of exact arithmetic: whether every sum of the reference run is one that cannot round.

Only the reference is guarded, the model on one rank without any transform, where a dispatch mode disturbs nothing. That is
enough: a correct layout adds up the same terms in other groups, and a part of a sum of absolute values is no larger than the
whole. Where the reference leaves the range, or sums something that is not on the grid, nothing may be concluded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .arithmetic import NORM_BITS, SUM_BITS, rounded

aten = torch.ops.aten


class OutOfRange(Exception):
    """Exact arithmetic left its guarded range."""


class Unsupported(Exception):
    """The case cannot be run as it was asked for."""


# Operators that sum inside, in an order of their own, over terms that nobody has rounded.
OPAQUE_SUMS = {
    "_softmax", "_log_softmax", "native_layer_norm", "native_group_norm", "_fused_rms_norm", "convolution", "var",
    "std", "var_mean", "norm", "linalg_vector_norm", "logsumexp", "cumsum", "prod", "_scaled_dot_product_flash_attention",
    "_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_efficient_attention", "nll_loss_forward",
}  # fmt: skip


class RangeGuard(TorchDispatchMode):
    """Bounds sum |terms| of every sum by 2^(53 - bits), where the terms are multiples of 2^-bits."""

    def __init__(self, grid: int, fan_in: int) -> None:
        """`fan_in`: how many results of one sum are added up outside it, by accumulation."""
        super().__init__()
        self.grid, self.fan_in, self.range_used = grid, fan_in, 0.0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        if name in OPAQUE_SUMS:
            raise Unsupported(
                f"exact arithmetic cannot vouch for the sums inside aten.{name}; use arithmetic=float32"
            )
        if check := CHECKS.get(name):
            floats = [a for a in args if isinstance(a, torch.Tensor) and a.is_floating_point()]
            if floats:
                check(self, name, floats, args)
        return func(*args, **(kwargs or {}))

    def bound(self, name: str, sums: torch.Tensor, bits: int) -> None:
        used = float(sums.max()) * self.fan_in / 2.0 ** (53 - bits) if sums.numel() else 0.0
        if not used < 1:  # a NaN is out of range too
            raise OutOfRange(
                f"aten.{name} adds up {used:.3g} of what float64 holds exactly on the grid 2^-{bits}"
            )
        self.range_used = max(self.range_used, used)

    def bits_of(self, name: str, terms: torch.Tensor) -> int:
        for bits in (SUM_BITS, NORM_BITS, 2 * self.grid):
            if torch.equal(rounded(terms, bits), terms):
                return bits
        raise Unsupported(f"aten.{name} sums terms that are not on a grid; use arithmetic=float32")

    def product(self, name: str, floats: list[torch.Tensor], args: Any) -> None:
        a, b = floats[-2:]
        for operand in (a, b):
            if not torch.equal(rounded(operand, self.grid), operand):
                raise Unsupported(
                    f"an operand of aten.{name} is not on the grid 2^-{self.grid}; use arithmetic=float32"
                )
        # Cauchy and Schwarz: no more than the norms of a row and a column, and no product that would be counted as the model's.
        self.bound(name, (a * a).sum(-1).max().sqrt() * (b * b).sum(-2).max().sqrt(), 2 * self.grid)

    def reduction(self, name: str, floats: list[torch.Tensor], args: Any) -> None:
        dims = args[1] if len(args) > 1 and args[1] else list(range(floats[0].ndim))
        if floats[0].ndim and any(floats[0].shape[dim] > 1 for dim in dims):
            self.bound(name, floats[0].abs().sum(dims), self.bits_of(name, floats[0]))

    def scattered(self, name: str, floats: list[torch.Tensor], args: Any) -> None:
        terms = floats[0].flatten(0, -2)
        self.bound(name, terms.abs().sum(0), self.bits_of(name, terms))


CHECKS: dict[str, Callable[[RangeGuard, str, list[torch.Tensor], Any], None]] = {
    "mm": RangeGuard.product,
    "bmm": RangeGuard.product,
    "addmm": RangeGuard.product,
    "baddbmm": RangeGuard.product,
    "sum": RangeGuard.reduction,
    "mean": RangeGuard.reduction,
    "embedding_dense_backward": RangeGuard.scattered,
}
