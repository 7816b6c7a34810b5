"""Sums that scatter: gradients of lookups and gathers. They accumulate on the grid of products, which what comes out of a
contraction is on already: the backward of a permutation changes nothing."""

from __future__ import annotations

from typing import Any

import torch

from ...process_state import CASE_STATE
from .grid import note_range, rounded, sum_bits
from .kernels import is_exact, kernel, stock_path, with_variants
from .stock import stock
from .sums import add_out


def _terms(name: str, x: torch.Tensor) -> torch.Tensor:
    terms = rounded(x, sum_bits())
    if CASE_STATE.range_measured and terms.numel():
        # Of the column that adds up most: all rows may meet in one place.
        columns = terms.abs().reshape(-1, terms.shape[-1] if terms.ndim > 1 else 1)
        note_range(name, stock("sum.dim_IntList")(columns, [0], False).max(), sum_bits())
    return terms


def _zeros(x: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(x, memory_format=torch.contiguous_format)


def _added_to(x: torch.Tensor, scattered: torch.Tensor) -> torch.Tensor:
    """Contiguous, as what index_add and scatter_add of ATen return."""
    return add_out(x, scattered, out=torch.empty_like(scattered))


def embedding_backward(
    g: torch.Tensor, indices: torch.Tensor, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> torch.Tensor:
    name = "embedding_dense_backward"
    if not is_exact(g) or scale_grad_by_freq:
        why = "scaled by frequency" if scale_grad_by_freq else ""
        return stock_path(name, g, indices, num_weights, padding_idx, scale_grad_by_freq, why=why)
    return stock(name)(_terms(name, g), indices, num_weights, padding_idx, False)


with_variants("embedding_dense_backward", embedding_backward)


@kernel("_index_put_impl_")
def index_put(
    x: torch.Tensor, indices: Any, values: torch.Tensor, accumulate: bool = False, unsafe: bool = False
) -> torch.Tensor:
    if not accumulate:
        return stock("_index_put_impl_")(x, indices, values, accumulate, unsafe)
    if not is_exact(x):
        return stock_path("_index_put_impl_", x, indices, values, accumulate, unsafe)
    terms = _terms("_index_put_impl_", values)
    # The base is added last: one that is not on the grid would make the order visible.
    return x.add_(stock("_index_put_impl_")(torch.zeros_like(x), indices, terms, True, unsafe))


def index_add(
    x: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor, *, alpha: Any = 1
) -> torch.Tensor:
    if not is_exact(x):
        return stock_path("index_add", x, dim, index, source, alpha=alpha)
    terms = _terms("index_add", source if alpha == 1 else source * alpha)
    return _added_to(x, stock("index_add")(_zeros(x), dim, index, terms))


def scatter_add(x: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    if not is_exact(x):
        return stock_path("scatter_add", x, dim, index, source)
    return _added_to(x, stock("scatter_add")(_zeros(x), dim, index, _terms("scatter_add", source)))


with_variants("index_add", index_add, in_place=True)
with_variants("scatter_add", scatter_add, in_place=True)
