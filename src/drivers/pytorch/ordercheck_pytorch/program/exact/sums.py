"""Sums and means: the terms are rounded, the stock kernel adds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ...process_state import CASE_STATE
from .grid import NORM_BITS, addition_bits, note_range, rounded, sum_bits, total_bits
from .kernels import ALSO_STOCK, as_tensor, into, is_exact, kernel, room_for, stock_path
from .stock import stock

ALSO_STOCK.add("sum.dim_IntList")


def sum_of_terms(
    name: str, terms: torch.Tensor, bits: int, dims: Sequence[int] | None, keepdim: bool = False
) -> torch.Tensor:
    terms = rounded(terms, bits)
    if CASE_STATE.range_measured and terms.numel():
        note_range(name, stock("sum.dim_IntList")(terms.abs(), dims, keepdim).max(), bits)
    return stock("sum.dim_IntList")(terms, dims, keepdim)


def count_over(x: torch.Tensor, dims: Sequence[int] | None) -> int:
    if not dims:
        return x.numel()
    count = 1
    for dim in dims:
        count *= x.shape[dim]
    return count


def _takes(x: torch.Tensor, dtype: torch.dtype | None) -> bool:
    return (is_exact(x) and dtype in (None, torch.float64)) or (dtype is torch.float64 and not x.is_complex())


def _is_sum_of_two(a: Any, b: Any, alpha: Any) -> bool:
    """Not of a tensor and a number, which reaches a kernel in Python as such."""
    return (
        alpha == 1
        and isinstance(a, torch.Tensor)
        and isinstance(b, torch.Tensor)
        and is_exact(a)
        and is_exact(b)
    )


def _on_grid(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    totals = a.ndim == 0 and b.ndim == 0
    bits = total_bits() if totals else addition_bits()
    if CASE_STATE.range_measured and a.numel() and b.numel():
        # Masks aside. Each term has to stay below a quarter of the range as well, past which it would be rounded to another
        # grid. What comes out of sums, as gradients of parameters do, lies on their grid and has more range.
        coarse = all(bool(rounded(x, sum_bits()).eq(x).all()) for x in (a, b))
        one, other = _largest(a), _largest(b)
        # A total is what microbatches add up: nothing adds up several of them.
        whole = (one + other) / (CASE_STATE.fan_in if totals else 1)
        bound = max(whole, 4 * one / CASE_STATE.fan_in, 4 * other / CASE_STATE.fan_in)
        note_range("add", bound, sum_bits() if coarse else NORM_BITS if totals else bits)
    return rounded(a, bits), rounded(b, bits)


def _is_expanded(x: torch.Tensor) -> bool:
    return 0 in x.stride()


# What a mask adds, minus infinity or the least float64 that torch.finfo gives: whatever it is added to is lost in it, in every
# order.
_MASKED_FROM = 2.0**1000


def _largest(x: torch.Tensor) -> float:
    magnitudes = x.abs()
    return float(magnitudes.masked_fill(magnitudes >= _MASKED_FROM, 0).max())


def _scaled(a: Any, b: Any, alpha: Any) -> tuple[Any, Any]:
    """A single number times a factor: the stock kernel multiplies and adds with one rounding, but with two at the end of a
    row."""
    if alpha == 1 or not (isinstance(a, torch.Tensor) and is_exact(a)):
        return b, alpha
    if isinstance(b, torch.Tensor) and (b.ndim or not is_exact(b)):
        return b, alpha
    return b * alpha, 1


@kernel("add.Tensor")
def add(a: Any, b: Any, *, alpha: Any = 1) -> torch.Tensor:
    """NOTE [gradients that meet] A tensor with three users gets its gradient as (a + b) + c or a + (b + c): a DTensor, a
    checkpoint or a compiler between them decides. On a grid addition is associative."""
    if _is_sum_of_two(a, b, alpha):
        # What is expanded says nothing of how the sum is to lie; rounded, it is contiguous and would.
        room = room_for(a, b) if _is_expanded(a) or _is_expanded(b) else None
        a, b = _on_grid(a, b)
        if room is not None:
            return stock("add.out")(a, b, out=room)
        if a.stride() == b.stride() and a.shape == b.shape:
            return stock("add.out")(a, b, out=a)
        return stock("add.Tensor")(a, b)
    b, alpha = _scaled(a, b, alpha)
    return stock("add.Tensor")(as_tensor(a, b), as_tensor(b, a), alpha=alpha)


@kernel("add.out")
def add_out(a: Any, b: Any, *, alpha: Any = 1, out: torch.Tensor) -> torch.Tensor:
    if _is_sum_of_two(a, b, alpha):
        return stock("add.out")(*_on_grid(a, b), out=out)
    b, alpha = _scaled(a, b, alpha)
    return stock("add.out")(as_tensor(a, b), as_tensor(b, a), alpha=alpha, out=out)


@kernel("add_.Tensor")
def add_(a: torch.Tensor, b: Any, *, alpha: Any = 1) -> torch.Tensor:
    if _is_sum_of_two(a, b, alpha):
        return stock("add.out")(*_on_grid(a, b), out=a)
    b, alpha = _scaled(a, b, alpha)
    return stock("add_.Tensor")(a, as_tensor(b, a), alpha=alpha)


@kernel("sum.dim_IntList")
def sum_dim(
    x: torch.Tensor, dim: Any, keepdim: bool = False, *, dtype: torch.dtype | None = None
) -> torch.Tensor:
    if not _takes(x, dtype):
        return stock_path("sum.dim_IntList", x, dim, keepdim, dtype=dtype)
    return sum_of_terms("sum", x.to(torch.float64), sum_bits(), dim, keepdim)


@kernel("sum.IntList_out")
def sum_out(
    x: torch.Tensor, dim: Any, keepdim: bool = False, *, dtype: torch.dtype | None = None, out: torch.Tensor
) -> torch.Tensor:
    if not _takes(x, dtype):
        return stock_path("sum.IntList_out", x, dim, keepdim, dtype=dtype, out=out)
    return into(out, sum_dim(x, dim, keepdim, dtype=dtype))


@kernel("sum")
def sum_all(x: torch.Tensor, *, dtype: torch.dtype | None = None) -> torch.Tensor:
    if not _takes(x, dtype):
        return stock_path("sum.dim_IntList", x, [], False, dtype=dtype)
    return sum_dim(x, [], False, dtype=dtype)


@kernel("mean.dim")
def mean_dim(
    x: torch.Tensor, dim: Any, keepdim: bool = False, *, dtype: torch.dtype | None = None
) -> torch.Tensor:
    if not _takes(x, dtype):
        return stock_path("mean.dim", x, dim, keepdim, dtype=dtype)
    return sum_of_terms("mean", x.to(torch.float64), sum_bits(), dim, keepdim).div_(count_over(x, dim))


@kernel("mean.out")
def mean_out(
    x: torch.Tensor, dim: Any, keepdim: bool = False, *, dtype: torch.dtype | None = None, out: torch.Tensor
) -> torch.Tensor:
    if not _takes(x, dtype):
        return stock_path("mean.out", x, dim, keepdim, dtype=dtype, out=out)
    return into(out, mean_dim(x, dim, keepdim, dtype=dtype))


@kernel("mean")
def mean_all(x: torch.Tensor, *, dtype: torch.dtype | None = None) -> torch.Tensor:
    return mean_dim(x, [], False, dtype=dtype)


@kernel("cumsum")
def cumsum(x: torch.Tensor, dim: int, *, dtype: torch.dtype | None = None) -> torch.Tensor:
    if not _takes(x, dtype):
        return stock_path("cumsum", x, dim, dtype=dtype)
    terms = rounded(x.to(torch.float64), sum_bits())
    if CASE_STATE.range_measured and terms.numel():
        note_range("cumsum", stock("sum.dim_IntList")(terms.abs(), [dim]).max(), sum_bits())
    return stock("cumsum")(terms, dim)


@kernel("cumsum.out")
def cumsum_out(
    x: torch.Tensor, dim: int, *, dtype: torch.dtype | None = None, out: torch.Tensor
) -> torch.Tensor:
    if not _takes(x, dtype):
        return stock_path("cumsum.out", x, dim, dtype=dtype, out=out)
    return into(out, cumsum(x, dim, dtype=dtype))


@kernel("var.correction")
def var(x: torch.Tensor, dim: Any = None, *, correction: Any = 1, keepdim: bool = False) -> torch.Tensor:
    if not is_exact(x):
        return stock_path("var.correction", x, dim, correction=correction, keepdim=keepdim)
    dims = list(dim) if dim else list(range(x.ndim))
    centered = x - mean_dim(x, dims, True)
    squares = sum_of_terms("var", centered * centered, sum_bits(), dims, keepdim)
    return squares / (count_over(x, dims) - (1 if correction is None else correction))


@kernel("var_mean.correction")
def var_mean(
    x: torch.Tensor, dim: Any = None, *, correction: Any = 1, keepdim: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    if not is_exact(x):
        return stock_path("var_mean.correction", x, dim, correction=correction, keepdim=keepdim)
    dims = list(dim) if dim else list(range(x.ndim))
    return var(x, dims, correction=correction, keepdim=keepdim), mean_dim(x, dims, keepdim)
