"""Softmax and its logarithm, contiguous as the stock kernels' are. The largest element is subtracted first: a running one would depend on how a row is cut."""

from __future__ import annotations

import math

import torch

from .grid import sum_bits
from .kernels import is_exact, stock_path, with_variants
from .stock import stock
from .sums import sum_of_terms


def shift_of(largest: torch.Tensor) -> torch.Tensor:
    """What a row is lessened by: its largest element, but nothing of a row that is hidden whole."""
    return largest.masked_fill(largest.abs() == math.inf, 0.0)


def total_of(exponentials: torch.Tensor, dim: int) -> torch.Tensor:
    return sum_of_terms("_softmax", exponentials, sum_bits(), [dim], True)


def softmax(x: torch.Tensor, dim: int, half_to_float: bool) -> torch.Tensor:
    if not is_exact(x):
        return stock_path("_softmax", x, dim, half_to_float)
    if x.ndim == 0:
        return torch.ones_like(x)
    x = x.contiguous()
    e = (x - shift_of(x.amax(dim, keepdim=True))).exp_()
    return e.div_(total_of(e, dim))


def softmax_backward(g: torch.Tensor, y: torch.Tensor, dim: int, input_dtype: torch.dtype) -> torch.Tensor:
    if not is_exact(g):
        return stock_path("_softmax_backward_data", g, y, dim, input_dtype)
    return _softmax_backward(stock("mul.Tensor")(g.contiguous(), y), y, dim)


def softmax_backward_(g: torch.Tensor, y: torch.Tensor, dim: int) -> torch.Tensor:
    """In the gradient's place."""
    return _softmax_backward(stock("mul_.Tensor")(g, y), y, dim)


def _softmax_backward(weighted: torch.Tensor, y: torch.Tensor, dim: int) -> torch.Tensor:
    total = sum_of_terms("_softmax_backward_data", weighted, sum_bits(), [dim], True)
    return weighted.sub_(stock("mul.Tensor")(y, total))


def log_softmax(x: torch.Tensor, dim: int, half_to_float: bool) -> torch.Tensor:
    if not is_exact(x):
        return stock_path("_log_softmax", x, dim, half_to_float)
    if x.ndim == 0:
        return torch.zeros_like(x)
    x = x.contiguous()
    shifted = x - shift_of(x.amax(dim, keepdim=True))
    return shifted.sub_(total_of(shifted.exp(), dim).log_())  # the order of DTensor's loss parallel


def log_softmax_backward(
    g: torch.Tensor, y: torch.Tensor, dim: int, input_dtype: torch.dtype
) -> torch.Tensor:
    """g - exp(y) * s, s the sum of g over a row. A row with one gradient, as cross entropy leaves it, takes the form
    (g / s - exp(y)) * s, which is (one hot - exp(y)) * s to the bit: what DTensor's fused backward of loss parallel computes.
    Row by row, so that a piece of the rows is rounded as the whole is."""
    if not is_exact(g):
        return stock_path("_log_softmax_backward_data", g, y, dim, input_dtype)
    g, y = g.contiguous(), y.contiguous()
    times_ = stock("mul_.Tensor")
    single = stock("sum.dim_IntList")(g != 0, [dim], True) <= 1
    e = y.exp()
    if not bool(single.any()):
        return g - times_(e, sum_of_terms("_log_softmax_backward_data", g, sum_bits(), [dim], True))
    alone = stock("sum.dim_IntList")(g, [dim], True)  # of one term: nothing is added
    one_hot = times_((g / alone.masked_fill(alone == 0, 1.0)).sub_(e), alone)
    if bool(single.all()):
        return one_hot
    return torch.where(
        single, one_hot, g - e * sum_of_terms("_log_softmax_backward_data", g, sum_bits(), [dim], True)
    )


with_variants("_softmax", softmax)
with_variants("_softmax_backward_data", softmax_backward, argument="grad_input")
with_variants("_log_softmax", log_softmax)
with_variants("_log_softmax_backward_data", log_softmax_backward)
