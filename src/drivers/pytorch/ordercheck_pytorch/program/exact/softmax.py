"""Softmax and its logarithm. The largest element is subtracted first: a running one would depend on how a row is cut."""

from __future__ import annotations

import torch

from .grid import SUM_BITS
from .kernels import is_exact, stock_path, with_variants
from .stock import stock
from .sums import sum_of_terms


def exponentials(x: torch.Tensor, dim: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """x less its largest, the exponential of that, and the sum of these."""
    largest = x.amax(dim, keepdim=True)
    largest = torch.where(torch.isinf(largest), torch.zeros_like(largest), largest)  # of a row that is hidden whole
    shifted = x - largest
    e = shifted.exp()
    return shifted, e, sum_of_terms("_softmax", e, SUM_BITS, [dim], True)


def softmax(x: torch.Tensor, dim: int, half_to_float: bool) -> torch.Tensor:
    if not is_exact(x):
        return stock_path("_softmax", x, dim, half_to_float)
    if x.ndim == 0:
        return torch.ones_like(x)
    _, e, total = exponentials(x, dim)
    return e.div_(total)


def softmax_backward(g: torch.Tensor, y: torch.Tensor, dim: int, input_dtype: torch.dtype) -> torch.Tensor:
    if not is_exact(g):
        return stock_path("_softmax_backward_data", g, y, dim, input_dtype)
    weighted = g * y
    return weighted.sub_(y * sum_of_terms("_softmax_backward_data", weighted, SUM_BITS, [dim], True))


def log_softmax(x: torch.Tensor, dim: int, half_to_float: bool) -> torch.Tensor:
    if not is_exact(x):
        return stock_path("_log_softmax", x, dim, half_to_float)
    if x.ndim == 0:
        return torch.zeros_like(x)
    shifted, _, total = exponentials(x, dim)
    return shifted.sub_(total.log_())  # the order of DTensor's loss parallel


def log_softmax_backward(g: torch.Tensor, y: torch.Tensor, dim: int, input_dtype: torch.dtype) -> torch.Tensor:
    """g - exp(y) * s, s the sum of g over a row. A row with one gradient, as cross entropy leaves it, takes the form
    (g / s - exp(y)) * s, which is (one hot - exp(y)) * s to the bit: what DTensor's fused backward of loss parallel computes. Row by row,
    so that a piece of the rows is rounded as the whole is."""
    if not is_exact(g):
        return stock_path("_log_softmax_backward_data", g, y, dim, input_dtype)
    single = stock("sum.dim_IntList")(g != 0, [dim], True) <= 1
    e = y.exp()
    if not bool(single.any()):
        return g - e * sum_of_terms("_log_softmax_backward_data", g, SUM_BITS, [dim], True)
    alone = stock("sum.dim_IntList")(g, [dim], True)  # of one term: nothing is added
    one_hot = (g / torch.where(alone == 0, torch.ones_like(alone), alone) - e) * alone
    if bool(single.all()):
        return one_hot
    return torch.where(single, one_hot, g - e * sum_of_terms("_log_softmax_backward_data", g, SUM_BITS, [dim], True))


with_variants("_softmax", softmax)
with_variants("_softmax_backward_data", softmax_backward, argument="grad_input")
with_variants("_log_softmax", log_softmax)
with_variants("_log_softmax_backward_data", log_softmax_backward)
