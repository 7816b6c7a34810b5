"""Norms of vectors, as clipping takes them of gradients.

NOTE [norms of norms] A norm over ranks or parameters is put together from roots: r = sqrt(S) each, then r*r is summed. S is a
multiple of 2^-NORM_BITS and r*r is off by less than half of that, so rounding the square gives S back: roots lose nothing.
DTensor may have divided a replicated r by sqrt(degree) in between, so what a list of norms sums lies on a grid SLACK bits
coarser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .elementwise import on_whole_vectors, square_root
from .grid import NORM_BITS, rounded, sum_bits
from .kernels import ALSO_STOCK, into, is_exact, kernel, stock_path
from .stock import stock
from .sums import sum_of_terms

SLACK = 4
# Exponents whose stock kernels multiply, divide and take roots: stable wherever an element lies.
STABLE_EXPONENTS = (0, 1, 2, 3, -0.5, -1, -2)


def _norm(x: torch.Tensor, order: float, dims: Any, keepdim: bool, bits: int = NORM_BITS) -> torch.Tensor:
    if order == 2:
        return square_root(sum_of_terms("linalg_vector_norm", stock("mul.Tensor")(x, x), bits, dims, keepdim))
    return sum_of_terms("linalg_vector_norm", x.abs(), sum_bits(), dims, keepdim)


@kernel("linalg_vector_norm")
def vector_norm(
    x: torch.Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None
) -> torch.Tensor:
    if not is_exact(x) or dtype not in (None, torch.float64):
        return stock_path("linalg_vector_norm", x, ord, dim, keepdim, dtype=dtype)
    if ord not in (1, 2):
        # The largest or smallest magnitude is no sum.
        if abs(ord) != float("inf"):
            stock_path("linalg_vector_norm", x, why=f"of order {ord:g}")
        return stock("linalg_vector_norm")(x, ord, dim, keepdim)
    return _norm(x, ord, list(dim) if dim is not None else [], keepdim)


@kernel("linalg_vector_norm.out")
def vector_norm_out(
    x: torch.Tensor,
    ord: Any = 2,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
    out: torch.Tensor,
) -> torch.Tensor:
    return into(out, vector_norm(x, ord, dim, keepdim, dtype=dtype))


@kernel("norm.ScalarOpt_dim")
def norm_over(x: torch.Tensor, p: Any, dim: Any, keepdim: bool = False) -> torch.Tensor:
    return vector_norm(x, 2 if p is None else p, dim, keepdim)


@kernel("_foreach_norm.Scalar")
def foreach_norm(
    tensors: Sequence[torch.Tensor], ord: Any = 2, dtype: torch.dtype | None = None
) -> list[torch.Tensor]:
    if ord != 2 or not all(is_exact(x) for x in tensors):
        return [vector_norm(x, ord, dtype=dtype) for x in tensors]
    return [_norm(x, 2, [], False, NORM_BITS - SLACK) for x in tensors]


@kernel("pow.Tensor_Scalar")
def scalar_power(x: torch.Tensor, exponent: Any) -> torch.Tensor:
    if is_exact(x) and x.ndim == 0 and exponent == 2:
        return rounded(x * x, NORM_BITS)
    if is_exact(x) and exponent == 0.5:
        return square_root(x)
    if is_exact(x) and exponent not in STABLE_EXPONENTS:
        return on_whole_vectors(lambda v: stock("pow.Tensor_Scalar")(v, exponent), x)
    if x.is_floating_point() and not is_exact(x) and exponent not in STABLE_EXPONENTS:
        return stock_path("pow.Tensor_Scalar", x, exponent)
    return stock("pow.Tensor_Scalar")(x, exponent)


@kernel("pow.Tensor_Scalar_out")
def scalar_power_out(x: torch.Tensor, exponent: Any, *, out: torch.Tensor) -> torch.Tensor:
    return into(out, scalar_power(x, exponent))


@kernel("pow_.Scalar")
def scalar_power_(x: torch.Tensor, exponent: Any) -> torch.Tensor:
    return x.copy_(scalar_power(x, exponent))


ALSO_STOCK.add("pow.Tensor_Scalar")
